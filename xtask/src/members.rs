//! The crates of the workspace, and which of them a change concerns.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run;

/// Only its own changes concern those who use it: it is for tests, and stands beside the floors.
const TESTING: &str = "lastbit-testing";

/// A crate of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its folder, from the root.
    pub folder: PathBuf,
    /// The crates of the workspace that its manifest names.
    pub uses: BTreeSet<String>,
}

/// All crates: `crates/*`, `benches`, `fuzz` and `xtask`.
pub fn members() -> Result<Vec<Member>> {
    let mut folders = run::children(&run::root().join("crates"))?;
    folders.extend(["benches", "fuzz", "xtask"].map(|name| run::root().join(name)));
    let mut manifests = Vec::new();
    for folder in folders {
        let path = folder.join("Cargo.toml");
        let text = fs::read_to_string(&path)
            .with_context(|| format!("could not read {}", path.display()))?;
        let below = folder.strip_prefix(run::root()).unwrap_or(&folder);
        manifests.push((below.to_owned(), text));
    }
    Ok(read(&manifests))
}

/// The members that these manifests are of.
fn read(manifests: &[(PathBuf, String)]) -> Vec<Member> {
    let value = |line: &str| {
        Some(
            line.strip_prefix("name = \"")?
                .strip_suffix('"')?
                .to_owned(),
        )
    };
    let named: Vec<(String, &PathBuf, &String)> = manifests
        .iter()
        .filter_map(|(folder, text)| Some((text.lines().find_map(value)?, folder, text)))
        .collect();
    let names: BTreeSet<&str> = named.iter().map(|(name, ..)| name.as_str()).collect();
    named
        .iter()
        .map(|(name, folder, text)| Member {
            name: name.clone(),
            folder: folder.to_path_buf(),
            // `name = …` or `name.workspace = true`, in any table of dependencies.
            uses: text
                .lines()
                .filter_map(|line| line.split([' ', '.']).next())
                .filter(|word| names.contains(word) && word != name)
                .map(str::to_owned)
                .collect(),
        })
        .collect()
}

/// What changed files concern.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Concerned {
    /// Crates with a changed file.
    pub changed: BTreeSet<String>,
    /// Crates that use these, directly or not.
    pub dependents: BTreeSet<String>,
}

/// The crates that changed files concern. A file that belongs to no crate concerns those whose
/// tests read it; one that all builds depend on, all.
pub fn concerned(members: &[Member], files: &[PathBuf]) -> Concerned {
    let mut changed = BTreeSet::new();
    for file in files {
        let owner = members.iter().find(|m| file.starts_with(&m.folder));
        let starts = |folder: &str| file.starts_with(folder);
        match owner {
            Some(member) => {
                changed.insert(member.name.clone());
            }
            None if starts("Cargo.toml") || starts("Cargo.lock") || starts(".cargo") => {
                changed.extend(members.iter().map(|member| member.name.clone()));
            }
            None if starts("examples") || starts("docs") || starts("README.md") => {
                changed.extend(["lastbit-cli", "lastbit-release"].map(str::to_owned));
            }
            None => {}
        }
    }
    let mut all = changed.clone();
    loop {
        let before = all.len();
        for member in members {
            if member.name != TESTING && !member.uses.is_disjoint(&all) {
                all.insert(member.name.clone());
            }
        }
        if all.len() == before {
            break;
        }
    }
    let dependents = all.difference(&changed).cloned().collect();
    Concerned {
        changed,
        dependents,
    }
}

/// Where a manifest is, as cargo names it: the member that it is of.
pub fn of_manifest<'a>(members: &'a [Member], manifest: &Path) -> Option<&'a Member> {
    let folder = manifest.parent()?.strip_prefix(run::root()).ok()?;
    members.iter().find(|member| member.folder == folder)
}

#[cfg(test)]
mod tests;
