//! `cargo xtask test`

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{errata, run};

/// A check and its heading.
struct Step {
    heading: &'static str,
    check: fn() -> Result<Outcome>,
}

/// How a check ended that did not fail, with what it has to say.
enum Outcome {
    Passed(String),
    Skipped(String),
}

/// Cheap steps first. Lints and documentation share the `dev` profile, so that dependencies are checked once; tests
/// alone generate code, once, with the `test` profile.
const STEPS: &[Step] = &[
    Step {
        heading: "format",
        check: format,
    },
    Step {
        heading: "errata",
        check: || errata::check().map(Outcome::Passed),
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
    Ok(Outcome::Passed(String::new()))
}

fn lints() -> Result<Outcome> {
    let arguments = "clippy --workspace --all-targets --locked -- -D warnings";
    run::succeed(
        run::cargo().args(arguments.split(' ')),
        &format!("mend what clippy names above; repeat with: cargo {arguments}"),
    )?;
    Ok(Outcome::Passed(String::new()))
}

fn tests() -> Result<Outcome> {
    let mut cargo = run::cargo();
    cargo.args(["test", "--workspace", "--locked", "--no-fail-fast"]);
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
            "{} of {} tests failed:\n  {}\nrepeat one with: cargo test --workspace <name>",
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
    Ok(Outcome::Passed(format!(
        "{} tests passed, doctests included",
        tally.passed
    )))
}

/// What the test harnesses reported so far.
#[derive(Default)]
struct Tally {
    passed: usize,
    ignored: usize,
    failures: Vec<String>,
}

impl Tally {
    /// Reads one line such as `test name ... FAILED` or `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
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
    let arguments = "doc --workspace --lib --no-deps --locked";
    run::succeed(
        run::cargo()
            .args(arguments.split(' '))
            .env("RUSTDOCFLAGS", "-D warnings"),
        &format!(
            "mend what rustdoc names above; repeat with: RUSTDOCFLAGS='-D warnings' cargo {arguments}"
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
mod tests {
    use super::*;

    #[test]
    fn tally_counts_passes_ignored_and_names_failures() {
        let mut tally = Tally::default();
        for line in [
            "running 3 tests",
            "test a::b ... ok",
            "test c ... FAILED",
            "test d - doc (line 3) ... ignored",
            "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        ] {
            tally.read(line);
        }
        assert_eq!(
            (tally.passed, tally.ignored, tally.failures),
            (13, 1, vec!["c".to_owned()])
        );
    }

    #[test]
    fn times_read_well() {
        assert_eq!(human(Duration::from_millis(1250)), "1.2 s");
        assert_eq!(human(Duration::from_millis(119_700)), "2 min 0 s");
    }
}
