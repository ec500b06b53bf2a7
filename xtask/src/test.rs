//! `cargo xtask test`

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::run::Outcome;
use crate::{databases, errata, page, proofs, python, rooms, run, rust_version, width};

/// A check and its heading.
struct Step {
    heading: &'static str,
    check: fn() -> Result<Outcome>,
}

/// Cheap steps first. Lints and documentation share the `dev` profile, so that dependencies are
/// checked once; tests alone generate code, once, with the `test` profile.
const STEPS: &[Step] = &[
    Step {
        heading: "format",
        check: format,
    },
    Step {
        heading: "rooms",
        check: || rooms::check().map(Outcome::Passed),
    },
    Step {
        heading: "errata",
        check: || errata::check().map(Outcome::Passed),
    },
    Step {
        heading: "Rust version",
        check: rust_version::check,
    },
    Step {
        heading: "lints",
        check: lints,
    },
    Step {
        heading: "tests",
        check: tests,
    },
    Step {
        heading: "databases",
        check: databases::step,
    },
    Step {
        heading: "page",
        check: page::step,
    },
    Step {
        heading: "Python",
        check: python::step,
    },
    Step {
        heading: "features",
        check: features,
    },
    Step {
        heading: "proofs",
        check: proofs::step,
    },
    Step {
        heading: "documentation",
        check: documentation,
    },
    Step {
        heading: "dependencies",
        check: dependencies,
    },
];

/// Runs every step, stops at the first that fails.
pub fn run() -> Result<()> {
    let start = Instant::now();
    let mut lines = Vec::new();
    let mut skipped = 0;
    for (index, step) in STEPS.iter().enumerate() {
        let Step { heading, check } = step;
        println!("\n== {}/{} {heading} ==", index + 1, STEPS.len());
        let step_start = Instant::now();
        let outcome = check();
        let taken = human(step_start.elapsed());
        let summary = match outcome {
            Ok(Outcome::Passed(summary)) => {
                println!("-- {heading} passed in {taken}");
                summary
            }
            Ok(Outcome::Skipped(why)) => {
                println!("-- {heading} skipped: {why}");
                skipped += 1;
                format!("skipped: {why}")
            }
            Err(error) => {
                return Err(error.context(format!(
                    "step {} of {}, {heading}, failed after {taken}",
                    index + 1,
                    STEPS.len(),
                )));
            }
        };
        lines.push(format!("  {heading:<14}{taken:>12}  {summary}"));
    }
    println!(
        "\n== {} steps passed, {skipped} skipped, in {} ==",
        STEPS.len() - skipped,
        human(start.elapsed())
    );
    for line in lines {
        println!("{}", line.trim_end());
    }
    Ok(())
}

fn format() -> Result<Outcome> {
    run::succeed(
        run::cargo().args(["fmt", "--all", "--check"]),
        "the code is not formatted; run: cargo fmt --all",
    )?;
    width::check().map(Outcome::Passed)
}

fn lints() -> Result<Outcome> {
    // The tests that need a database are not among all targets.
    for targets in ["--all-targets", "--test databases"] {
        let arguments = format!(
            "clippy --workspace --exclude lastbit-python {targets} --locked -- -D warnings"
        );
        run::succeed(
            run::cargo().args(arguments.split(' ')),
            &format!("mend what clippy names above; repeat with: cargo {arguments}"),
        )?;
    }
    Ok(Outcome::Passed(String::new()))
}

fn tests() -> Result<Outcome> {
    let passed = test("--workspace --exclude lastbit-python")?;
    Ok(Outcome::Passed(format!(
        "{passed} tests passed, doctests included"
    )))
}

/// The crates that have features, without them.
fn features() -> Result<Outcome> {
    let passed = test("-p lastbit-release -p lastbit-cli --no-default-features")?;
    // What lies between none of the features and all of them builds, too.
    for some in [
        "-p lastbit-page",
        "-p lastbit-release --features engine",
        "-p lastbit-cli --features page",
    ] {
        let arguments = format!("check {some} --no-default-features --locked");
        run::succeed(
            run::cargo().args(arguments.split(' ')),
            &format!("repeat with: cargo {arguments}"),
        )?;
    }
    Ok(Outcome::Passed(format!(
        "{passed} tests passed without default features"
    )))
}

fn test(arguments: &str) -> Result<usize> {
    let repeat = format!("cargo test {arguments} <name>");
    cargo_test(arguments, &[], &repeat, |_| {})
}

/// Runs `cargo test` with these arguments, of the tests whose names have one of `names` in them or
/// of all; how many passed. `repeat` is how to do it again, and `tell` sets the environment.
pub fn cargo_test(
    arguments: &str,
    names: &[&str],
    repeat: &str,
    tell: impl FnOnce(&mut Command),
) -> Result<usize> {
    let mut cargo = run::cargo();
    cargo.arg("test").args(arguments.split(' '));
    cargo.args(["--locked", "--no-fail-fast", "--"]).args(names);
    tell(&mut cargo);
    let mut child = cargo
        .stdout(Stdio::piped())
        .spawn()
        .context("could not start cargo test")?;
    let output = child.stdout.take().expect("stdout is piped");
    let mut tally = Tally::default();
    for line in BufReader::new(output).lines() {
        let line = line.context("could not read what cargo test prints")?;
        writeln!(std::io::stdout(), "{line}").context("could not print")?;
        tally.read(&line);
    }
    let status = child.wait().context("could not wait for cargo test")?;
    if !tally.failures.is_empty() {
        bail!(
            "{} of {} tests failed:\n  {}\nrepeat one with: {repeat}",
            tally.failures.len(),
            tally.failures.len() + tally.passed,
            tally.failures.join("\n  ")
        );
    }
    if !status.success() {
        bail!("the tests did not build, or one ended abnormally; see above");
    }
    if tally.ignored > 0 {
        bail!(
            "{} tests are ignored; a test runs or is removed",
            tally.ignored
        );
    }
    Ok(tally.passed)
}

/// What the test harnesses reported so far.
#[derive(Default)]
struct Tally {
    passed: usize,
    ignored: usize,
    failures: Vec<String>,
}

impl Tally {
    /// Reads one line such as `test name ... FAILED` or
    /// `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn read(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            let count = |label: &str| -> usize {
                result
                    .split([';', '.'])
                    .find_map(|part| part.trim().strip_suffix(label)?.trim().parse().ok())
                    .unwrap_or(0)
            };
            self.passed += count("passed");
            self.ignored += count("ignored");
        } else if let Some(name) = line
            .strip_prefix("test ")
            .and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            self.failures.push(name.to_owned());
        }
    }
}

fn documentation() -> Result<Outcome> {
    // Libraries only: the command has the name of a library, and two pages cannot have one address.
    let arguments = "doc --workspace --exclude lastbit-python --lib --no-deps --locked";
    run::succeed(
        run::cargo()
            .args(arguments.split(' '))
            .env("RUSTDOCFLAGS", "-D warnings"),
        &format!(
            "mend what rustdoc names above; repeat with: RUSTDOCFLAGS='-D warnings' cargo \
             {arguments}"
        ),
    )?;
    Ok(Outcome::Passed(String::new()))
}

fn dependencies() -> Result<Outcome> {
    let installed = Command::new("cargo-deny")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !installed {
        return Ok(Outcome::Skipped(
            "cargo-deny is not installed (cargo install --locked cargo-deny)".to_owned(),
        ));
    }
    run::succeed(
        run::cargo().args(["deny", "--workspace", "check"]),
        "cargo deny refuses a dependency; see above, and deny.toml",
    )?;
    Ok(Outcome::Passed(String::new()))
}

fn human(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        // Whole seconds first, so that 119.7 s is 2 min 0 s and not 1 min 60 s.
        let whole = seconds.round() as u64;
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests;
