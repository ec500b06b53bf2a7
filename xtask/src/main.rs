//! The project's own tasks: `cargo xtask <task>`.
#![forbid(unsafe_code)]

mod bench;
mod errata;
mod oracles;
mod run;
mod test;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
Tasks of the Lastbit project.

Usage: cargo xtask <task> [arguments]

Tasks
  test      Everything a change must pass: format, errata, lints, tests and doctests, documentation, dependencies.
            Stops at the first step that fails and says how to repeat it. Needs nothing but the Rust toolchain;
            the dependency check runs when cargo-deny is installed.
  errata    Only the check that each erratum in docs/errata.md is guarded by a test that exists.
  bench     Run the benchmarks: cargo xtask bench [NAME…] [-- ARGUMENTS FOR CRITERION]
            NAME is a file of benches/benches or crates/*/benches without .rs; without a name all are run.
  oracles   Make the test vectors again with MPFR: run every crates/*/tests/data/make_*.py with Python,
            gmpy2 and mpmath in a virtual environment under target/. Needs python3 and the network.

Examples
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
    if task != "bench"
        && let Some(extra) = rest.first()
    {
        bail!("`{task}` takes no arguments, got `{extra}`");
    }
    match task.as_str() {
        "test" => test::run(),
        "errata" => errata::check().map(|summary| println!("{summary}")),
        "bench" => bench::run(rest),
        "oracles" => oracles::run(),
        other => bail!("there is no task `{other}`; the tasks are test, errata, bench, oracles"),
    }
}
