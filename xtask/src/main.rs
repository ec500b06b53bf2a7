//! The project's own tasks: `cargo xtask <task>`.
#![forbid(unsafe_code)]

mod bench;
mod cluster;
mod databases;
mod errata;
mod fuzz;
mod members;
mod oracles;
mod packages;
mod page;
mod proofs;
mod python;
mod quick;
mod rooms;
mod run;
mod rust_version;
mod test;
mod width;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
Tasks of the Lastbit project.

Usage: cargo xtask <task> [arguments]

Tasks
  quick     Format, lints and tests of the crates that differ from a revision, and lints of those
            that use them: cargo xtask quick [REVISION], without one from the last commit. Tests
            run for 20 seconds at most, those of the changed rooms first.
  test      Everything a change must pass: format, rooms, errata, Rust version, lints, tests and
            doctests, the page in Chromium, the Python package, tests without default features,
            proofs, documentation, dependencies. Stops at the first step that fails and says how
            to repeat it. Needs nothing but the Rust toolchain; the page is tried and the proofs
            are built where Chromium and Coq are installed or can be (root on Debian), the Python
            package is tested where Python 3.10 or later with venv is installed and PyPI answers,
            and the dependency check runs when cargo-deny is installed.
  python    Only the Python package: build it, run its tests and doctests and check its types, in
            a virtual environment under target/. --python PROGRAM takes another Python than
            python3, --oldest the oldest versions of numpy and others; the other arguments go to
            pytest: cargo xtask python -k laplace
  wheel     Build the wheel of the Python package into target/wheels, optimised, and say its size
            and time.
  site      The guide as a static site in target/site: documents, notebooks, and the references of
            both languages. Needs python3 and PyPI.
  errata    Only the check that each erratum in docs/errata.md is guarded by a test that exists.
  databases Only the tests against PostgreSQL and DuckDB. Starts a server of its own, and stops
            it. Installs PostgreSQL as root on Debian, and drivers with pip and npm into
            target/databases. With the words of a command, runs that in place of the tests:
            cargo xtask databases bash
  cluster   Only the tests against Apache Spark, on Linux: a master and two workers on loopback,
            which it starts and stops. Then workers are killed, 50 or --kills N, at random moments
            while integers are compared. --tables N compares so many of 1000 random tables, else 50;
            --workers N starts so many. Installs Java as root on Debian, and pyspark with pip into
            target/databases. With the words of a command, runs that in place of the tests.
  page      Only the page of `lastbit serve` in Chromium: its stories, what readers of screens
            get, and how long a price takes. Installs Chromium as root on Debian, else names the
            packages. With --pictures DIRECTORY, keeps pictures of every page; with --axe FILE,
            asks the axe.min.js of axe-core about every view, too; with --program FILE, takes a
            `lastbit` that is built already.
  proofs    Only the Coq proofs: build proofs/ in target/proofs, and check that nothing is assumed
            but what proofs/assumptions.txt lists. Installs Coq as root on Debian, else names the
            packages. With --coqchk, Coq's checker of compiled files then checks them again.
  fuzz      Look for inputs that no reader survives: cargo xtask fuzz [SECONDS] [TARGET]
            Each target for so many seconds, 60 without a number, with a new seed. See
            fuzz/README.md.
  bench     Run the benchmarks: cargo xtask bench [NAME…] [-- ARGUMENTS FOR CRITERION]
            NAME is a file of benches/benches without .rs; without a name all are run.
  oracles   Make the test vectors again with MPFR and DuckDB: run every
            crates/*/tests/data/make_*.py with Python, gmpy2, mpmath and duckdb in a virtual
            environment under target/. Needs python3 and the network.

Examples
  cargo xtask quick
  cargo xtask test
  cargo xtask bench snapping -- --quick
  cargo xtask oracles && git diff --stat
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((task, rest)) = arguments.split_first() else {
        print!("{HELP}");
        bail!("name a task, for example: cargo xtask test");
    };
    if [task.as_str()]
        .into_iter()
        .chain(rest.iter().map(String::as_str).take_while(|a| *a != "--"))
        .any(|argument| matches!(argument, "-h" | "--help" | "help"))
    {
        print!("{HELP}");
        return Ok(());
    }
    if !matches!(
        task.as_str(),
        "bench" | "cluster" | "databases" | "fuzz" | "page" | "proofs" | "python" | "quick"
    ) && let Some(extra) = rest.first()
    {
        bail!("`{task}` takes no arguments, got `{extra}`");
    }
    match task.as_str() {
        "test" => test::run(),
        "quick" => match rest {
            [] => quick::run("HEAD"),
            [revision] => quick::run(revision),
            _ => bail!("`quick` takes one revision at most, such as `main`"),
        },
        "fuzz" => fuzz::run(rest),
        "errata" => errata::check().map(|summary| println!("{summary}")),
        "page" => page::run(rest),
        "proofs" => proofs::run(rest),
        "python" => python::run(rest),
        "wheel" => python::wheel(),
        "site" => python::site(),
        "bench" => bench::run(rest),
        "cluster" => cluster::run(rest),
        "databases" => databases::run(rest),
        "oracles" => oracles::run(),
        other => {
            bail!(
                "there is no task `{other}`; the tasks are quick, test, python, wheel, site, \
                 errata, databases, cluster, page, proofs, fuzz, bench, oracles"
            )
        }
    }
}
