//! The minimum Rust version: stated once, as `rust-version` of the workspace, and tested.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::run::{self, Outcome};

/// The documents say what the manifest says, and the code builds with that version.
pub fn check() -> Result<Outcome> {
    let manifest = read("Cargo.toml")?;
    let minimum = stated(&manifest)?;
    for (document, words) in [
        ("README.md", format!("Rust ({minimum} or later)")),
        ("python/README.md", format!("Rust {minimum} or later")),
    ] {
        if !read(document)?.contains(&words) {
            bail!("{document} does not say \"{words}\", which is the rust-version of Cargo.toml");
        }
    }
    for member in crate::members::members()? {
        let path = member.folder.join("Cargo.toml");
        if !read(&path.to_string_lossy())?.contains("rust-version.workspace = true") {
            bail!(
                "{} does not say rust-version.workspace = true",
                path.display()
            );
        }
    }
    let running = version("rustc", &[])?;
    let running = running.context("could not run rustc")?;
    if short(&running) == minimum {
        return Ok(Outcome::Passed(format!("{running}, the minimum")));
    }
    let Some(other) = version("rustup", &["run", minimum, "rustc"])? else {
        return Ok(Outcome::Skipped(format!(
            "these tests run with Rust {running}, and the minimum is {minimum} (rustup toolchain \
             install {minimum})"
        )));
    };
    let arguments = "check --workspace --exclude lastbit-python --all-targets --locked";
    run::succeed(
        Command::new("rustup")
            .args(["run", minimum, "cargo"])
            .args(arguments.split(' '))
            .current_dir(run::root())
            .env("CARGO_TARGET_DIR", run::target().join("minimum")),
        &format!("repeat with: cargo +{minimum} {arguments}"),
    )?;
    Ok(Outcome::Passed(format!("checked with {other}")))
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(run::root().join(path)).with_context(|| format!("could not read {path}"))
}

/// The version that the manifest of the workspace states.
fn stated(manifest: &str) -> Result<&str> {
    let mut values = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"'));
    match (values.next(), values.next()) {
        (Some(version), None) => Ok(version),
        _ => bail!("Cargo.toml must state rust-version once"),
    }
}

/// What a compiler calls itself, such as `1.95.0`; nothing if there is none.
fn version(program: &str, arguments: &[&str]) -> Result<Option<String>> {
    let output = Command::new(program)
        .args(arguments)
        .arg("--version")
        .current_dir(run::root())
        .stderr(Stdio::null())
        .output();
    let Ok(output) = output else {
        return Ok(None);
    };
    if !output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8(output.stdout).context("rustc prints UTF-8")?;
    Ok(text
        .split(' ')
        .nth(1)
        .map(|version| version.trim().to_owned()))
}

/// `1.95` of `1.95.0`.
fn short(version: &str) -> String {
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests;
