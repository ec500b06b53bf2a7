//! Running other programs from the root of the project.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// How a check ended that did not fail, with what it has to say.
pub enum Outcome {
    /// It passed.
    Passed(String),
    /// It could not be made here: why, and what to do.
    Skipped(String),
}

/// The root of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask/ lies in the root")
}

/// The directory for build products.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    }
}

/// The cargo that runs this task, in the root of the project.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a command to its end; an error unless it succeeds. `remedy` is what to do then.
pub fn succeed(command: &mut Command, remedy: &str) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("could not start {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{remedy}");
    }
    Ok(())
}

/// The files at `<member>/<below>` that end in `ending`, sorted; members are `crates/*` and
/// `benches`.
pub fn files_of_members(below: &str, ending: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let members = children(&root().join("crates"))?;
    for member in members.into_iter().chain([root().join("benches")]) {
        let directory = member.join(below);
        if directory.is_dir() {
            files.extend(children(&directory)?.into_iter().filter(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().ends_with(ending))
            }));
        }
    }
    files.sort();
    Ok(files)
}

/// What a directory holds, sorted.
pub fn children(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(directory)
        .with_context(|| format!("could not read {}", directory.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
