//! `cargo xtask quick`: format, lints and tests of what changed.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::members::{self, Member};
use crate::{errata, rooms, run, width};

/// Tests run for as long; those that have not ended by then are left to `cargo xtask test`.
const TESTING: Duration = Duration::from_secs(20);

/// Checks the crates that differ from a revision, and lints those that use them.
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
    // What changed with its tests; of what uses it, what others use. The rest is for `test`.
    lint(&concerned.changed, &["--all-targets"])?;
    lint(&concerned.dependents, &["--lib", "--bins"])?;
    let programs = programs(&members, &concerned.changed)?;
    let near = near(&files);
    let end = Instant::now() + TESTING;
    let mut unfinished = Vec::new();
    // Tests near to what changed first: the time may not be enough for all.
    for part in [Part::Named(&near), Part::Others(&near)] {
        for program in &programs {
            if !program.ran(&part, end)? {
                unfinished.push(format!("{}: {part}", program.name()));
            }
        }
    }
    println!("\nquick: passed in {:.0} s", begun.elapsed().as_secs_f64());
    if !unfinished.is_empty() {
        println!("not finished within {} s of testing:", TESTING.as_secs());
        for part in unfinished {
            println!("  {part}");
        }
    }
    println!(
        "not run: tests of the crates that use these, doctests, other features, proofs, \
         documentation; all of it: cargo xtask test"
    );
    Ok(())
}

/// Lints these crates.
fn lint(names: &BTreeSet<String>, targets: &[&str]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let mut command = run::cargo();
    command.args(["clippy", "--locked"]).args(targets);
    for name in names {
        command.args(["-p", name]);
    }
    command.args(["--", "-D", "warnings"]);
    run::succeed(&mut command, "mend what clippy names above")
}

/// Modules of the changed files, as filters of tests: `src/ledger/account.rs` is `ledger::`, with
/// all that is tested of that room, in the crate and from outside.
fn near(files: &[PathBuf]) -> BTreeSet<String> {
    let room = |file: &PathBuf| {
        let mut parts = file.iter().map(|part| part.to_str());
        parts.find(|part| matches!(part, Some("src" | "tests")))?;
        let first = parts.next()??;
        let room = first.strip_suffix(".rs").unwrap_or(first);
        let is_whole = matches!(room, "lib" | "main" | "data" | "cmd");
        (!is_whole).then(|| format!("{room}::"))
    };
    files.iter().filter_map(room).collect()
}

/// Some of the tests of a program.
enum Part<'a> {
    /// Those whose path has one of these words.
    Named(&'a BTreeSet<String>),
    /// Those whose path has none of them.
    Others(&'a BTreeSet<String>),
}

impl Part<'_> {
    /// The arguments that choose it; nothing if it has no tests.
    fn arguments(&self) -> Option<Vec<&str>> {
        match self {
            Part::Named(words) if words.is_empty() => None,
            Part::Named(words) => Some(words.iter().map(String::as_str).collect()),
            Part::Others(words) => Some(words.iter().flat_map(|word| ["--skip", word]).collect()),
        }
    }
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Named(words) => f.write_str(&listed(words)),
            Part::Others(words) if words.is_empty() => f.write_str("all tests"),
            Part::Others(words) => write!(f, "all but {}", listed(words)),
        }
    }
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

/// How our own crates are built here: at once rather than fast. Dependencies are built as always,
/// and shared with `cargo xtask test`.
const BUILT: [(&str, &str); 4] = [
    ("CARGO_PROFILE_TEST_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_TEST_DEBUG", "0"),
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
    ("CARGO_INCREMENTAL", "1"),
];

/// Builds the programs of tests of these crates, and says where they are.
fn programs(members: &[Member], names: &BTreeSet<String>) -> Result<Vec<Program>> {
    let mut command = run::cargo();
    command
        .envs(BUILT)
        .args("test --lib --bins --tests --no-run --locked".split(' '))
        .arg("--message-format=json-render-diagnostics");
    for name in names {
        command.args(["-p", name]);
    }
    let output = command
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

    /// Runs tests until they end or the time is over, and says whether they ended; an error if one
    /// failed.
    fn ran(&self, part: &Part<'_>, end: Instant) -> Result<bool> {
        let Some(arguments) = part.arguments() else {
            return Ok(true);
        };
        if Instant::now() >= end {
            return Ok(false);
        }
        println!("\n-- {}: {part}", self.name());
        let mut child = Command::new(&self.path)
            .arg("--quiet")
            .args(arguments)
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
