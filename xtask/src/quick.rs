//! `cargo xtask quick`: format, lints and tests of what changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::members::{self, Member};
use crate::{errata, rooms, run, width};

/// Tests run for as long; those that have not ended by then are left to `cargo xtask test`.
const TESTING: Duration = Duration::from_secs(30);

/// Checks the crates that differ from a revision, and those that use them.
pub fn run(revision: &str) -> Result<()> {
    let begun = Instant::now();
    let members = members::members()?;
    let files = changed_files(revision)?;
    let concerned = members::concerned(&members, &files);
    println!("{} files differ from {revision}", files.len());
    println!("changed:    {}", listed(&concerned.changed));
    println!("using them: {}", listed(&concerned.dependents));

    run::succeed(
        run::cargo().args(["fmt", "--all", "--check"]),
        "the code is not formatted; run: cargo fmt --all",
    )?;
    println!("{}", width::check()?);
    println!("{}", rooms::check()?);
    println!("{}", errata::check()?);
    if concerned.changed.is_empty() {
        println!("no crate changed");
        return Ok(());
    }
    // The whole workspace, as in `cargo xtask test`: what did not change is not built again, and
    // what was built there serves here.
    run::succeed(
        run::cargo().args(
            "clippy --workspace --exclude lastbit-python --all-targets --locked -- -D warnings"
                .split(' '),
        ),
        "mend what clippy names above",
    )?;
    let programs = programs(&members)?;
    // What changed first, then what is nearest to it: the time may not be enough for all.
    let (first, then): (Vec<_>, Vec<_>) = programs
        .iter()
        .filter(|program| {
            concerned.changed.contains(&program.of) || concerned.dependents.contains(&program.of)
        })
        .partition(|program| concerned.changed.contains(&program.of));
    let end = Instant::now() + TESTING;
    let mut unfinished = Vec::new();
    for program in first.into_iter().chain(then) {
        if !program.ran(end)? {
            unfinished.push(program.name());
        }
    }
    println!("\nquick: passed in {:.0} s", begun.elapsed().as_secs_f64());
    if !unfinished.is_empty() {
        println!(
            "not finished within {} s of testing: {}",
            TESTING.as_secs(),
            unfinished.join(", ")
        );
    }
    println!(
        "not run: doctests, other features, proofs, documentation; all of it: cargo xtask test"
    );
    Ok(())
}

fn listed(names: &BTreeSet<String>) -> String {
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.iter().cloned().collect::<Vec<_>>().join(", "),
    }
}

/// Files that differ from the revision, and new ones.
fn changed_files(revision: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for arguments in [
        &["diff", "--name-only", revision, "--"][..],
        &["ls-files", "--others", "--exclude-standard"],
    ] {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(run::root())
            .output()
            .context("could not start git")?;
        if !output.status.success() {
            bail!("git: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let names = String::from_utf8_lossy(&output.stdout).into_owned();
        files.extend(names.lines().map(PathBuf::from));
    }
    Ok(files)
}

/// A program of tests.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    /// The crate that it is of.
    of: String,
    /// The crate's folder, where it runs.
    folder: PathBuf,
    path: PathBuf,
}

/// Builds all programs of tests, and says where they are.
fn programs(members: &[Member]) -> Result<Vec<Program>> {
    let output = run::cargo()
        .args(
            "test --workspace --exclude lastbit-python --lib --bins --tests --no-run --locked"
                .split(' '),
        )
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .context("could not start cargo test")?;
    if !output.status.success() {
        bail!("the tests did not build; see above");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .filter_map(|line| program(line, members))
        .collect())
}

/// The program of tests that a message of cargo is about, if it is about one.
fn program(message: &str, members: &[Member]) -> Option<Program> {
    let field = |name: &str| {
        let (_, rest) = message.split_once(&format!("\"{name}\":\""))?;
        Some(rest.split('"').next()?.to_owned())
    };
    // The profile says whether it was built as a test; the target says only whether it can be.
    let (_, profile) = message.split_once("\"profile\":{")?;
    if !profile.split('}').next()?.contains("\"test\":true") {
        return None;
    }
    let path = PathBuf::from(field("executable")?);
    let member = members::of_manifest(members, Path::new(&field("manifest_path")?))?;
    Some(Program {
        of: member.name.clone(),
        folder: run::root().join(&member.folder),
        path,
    })
}

impl Program {
    fn name(&self) -> String {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        let stem = file.rsplit_once('-').map_or(&*file, |(stem, _)| stem);
        format!("{} ({stem})", self.of)
    }

    /// Runs the tests until the end or until the time is over, and says whether they ended; an
    /// error if one failed.
    fn ran(&self, end: Instant) -> Result<bool> {
        if Instant::now() >= end {
            return Ok(false);
        }
        println!("\n-- {}", self.name());
        let mut child = Command::new(&self.path)
            .arg("--quiet")
            .current_dir(&self.folder)
            .spawn()
            .with_context(|| format!("could not start {}", self.path.display()))?;
        while Instant::now() < end {
            if let Some(status) = child.try_wait().context("could not wait for the tests")? {
                if !status.success() {
                    bail!(
                        "a test of {} failed; repeat with: cargo test -p {}",
                        self.of,
                        self.of
                    );
                }
                return Ok(true);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().context("could not end the tests")?;
        child.wait().context("could not wait for the tests")?;
        println!();
        Ok(false)
    }
}

#[cfg(test)]
mod tests;
