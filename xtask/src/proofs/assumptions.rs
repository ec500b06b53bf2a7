//! What each theorem that a page names assumes, compared with a golden list.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{coqc, source};
use crate::run;

/// Theorems and, indented below them, the axioms that they need at most.
const GOLDEN: &str = "proofs/assumptions.txt";

/// Theorems that share a list of axioms.
#[derive(Debug, PartialEq)]
struct Group {
    theorems: BTreeSet<String>,
    axioms: BTreeSet<String>,
}

/// Compares what the theorems assume with the golden list, which must have all of them and no
/// others; how many those are.
///
/// `theorems` are the named ones with their modules, `print` changes with the proofs.
pub fn check(directory: &Path, theorems: &BTreeMap<String, String>, print: &str) -> Result<usize> {
    let golden = fs::read_to_string(run::root().join(GOLDEN))
        .with_context(|| format!("could not read {GOLDEN}"))?;
    let golden_groups = parse(&golden);
    // A page that names another theorem changes neither the proofs nor the list.
    let whole = complete(theorems, &golden_groups).is_ok();
    let stamp = directory.join("assumptions.stamp");
    let seen = format!("{print}\n{golden}");
    if whole && fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == seen) {
        return Ok(theorems.len());
    }
    if let Err(difference) = compare(directory, theorems, &golden_groups) {
        // One theorem at a time takes minutes, so only to say what the list should be.
        let alone: Vec<_> = theorems.keys().map(|name| [name.clone()].into()).collect();
        let found = axioms(directory, theorems, &alone)?;
        fs::write(
            directory.join("assumptions.txt"),
            listing(alone.into_iter().zip(found)),
        )?;
        bail!("{GOLDEN}: {difference}; if that is meant, copy target/proofs/assumptions.txt there");
    }
    fs::write(stamp, seen)?;
    Ok(theorems.len())
}

fn compare(directory: &Path, theorems: &BTreeMap<String, String>, golden: &[Group]) -> Result<()> {
    complete(theorems, golden)?;
    let groups: Vec<_> = golden.iter().map(|group| group.theorems.clone()).collect();
    agree(golden, &axioms(directory, theorems, &groups)?)
}

/// Every theorem is listed once, and nothing else is.
fn complete(theorems: &BTreeMap<String, String>, golden: &[Group]) -> Result<()> {
    let mut listed = BTreeSet::new();
    for name in golden.iter().flat_map(|group| &group.theorems) {
        if !theorems.contains_key(name) {
            bail!("no page names `{name}`");
        }
        if !listed.insert(name) {
            bail!("`{name}` is listed twice");
        }
    }
    if let Some(name) = theorems.keys().find(|name| !listed.contains(name)) {
        bail!("a page names `{name}`, which is not listed");
    }
    Ok(())
}

/// Each group assumes what is listed, no more and no less.
fn agree(golden: &[Group], found: &[BTreeSet<String>]) -> Result<()> {
    for (group, found) in golden.iter().zip(found) {
        let names = Vec::from_iter(&group.theorems);
        if let Some(axiom) = found.difference(&group.axioms).next() {
            bail!("one of {names:?} also assumes {axiom}");
        }
        if let Some(axiom) = group.axioms.difference(found).next() {
            bail!("none of {names:?} assumes {axiom}");
        }
    }
    Ok(())
}

/// The axioms of each group of theorems together, as Coq prints them.
fn axioms(
    directory: &Path,
    theorems: &BTreeMap<String, String>,
    groups: &[BTreeSet<String>],
) -> Result<Vec<BTreeSet<String>>> {
    let modules = BTreeSet::from_iter(theorems.values().map(String::as_str));
    let mut text = format!(
        "From Lastbit Require {}.\n",
        Vec::from_iter(modules).join(" ")
    );
    for (index, group) in groups.iter().enumerate() {
        let names: Vec<_> = group
            .iter()
            .map(|name| format!("@{}.{name}", theorems[name]))
            .collect();
        // A tuple assumes what its parts assume; one question is much quicker than many.
        text.push_str(&format!(
            "Definition group_{index} := ({}, tt).\nGoal True. idtac \"== {index}\". \
             Abort.\nPrint Assumptions group_{index}.\n",
            names.join(", ")
        ));
    }
    let found = ask(directory, &text)?;
    if found.len() != groups.len() {
        bail!("Coq answered for {} of {}", found.len(), groups.len());
    }
    Ok(found)
}

/// The first theorem of a compiled file, `From path Require module`, assumes nothing that the
/// golden list does not have for the second, one of the proofs.
pub fn within(
    directory: &Path,
    (path, module, theorem): (&str, &str, &str),
    listed: &str,
) -> Result<()> {
    let golden = fs::read_to_string(run::root().join(GOLDEN))
        .with_context(|| format!("could not read {GOLDEN}"))?;
    let groups = parse(&golden);
    let group = groups
        .iter()
        .find(|group| group.theorems.contains(listed))
        .with_context(|| format!("{GOLDEN} does not list `{listed}`"))?;
    let text = format!(
        "From {path} Require {module}.\nGoal True. idtac \"== 0\". Abort.\nPrint Assumptions \
         {module}.{theorem}.\n"
    );
    match ask(directory, &text)?.as_slice() {
        [found] => no_more(group, found, &format!("{module}.{theorem}")),
        other => bail!("Coq answered {} times for one", other.len()),
    }
}

fn no_more(group: &Group, found: &BTreeSet<String>, name: &str) -> Result<()> {
    match found.difference(&group.axioms).next() {
        Some(axiom) => bail!("{name} assumes {axiom}"),
        None if found.is_empty() => bail!("{name}: Coq did not say what it assumes"),
        None => Ok(()),
    }
}

/// What Coq prints of assumptions for a text that asks.
fn ask(directory: &Path, text: &str) -> Result<Vec<BTreeSet<String>>> {
    let file = directory.join("Assumptions.v");
    fs::write(&file, text)?;
    let output = coqc(directory, &file)
        .output()
        .context("could not start coqc")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(source::axioms(&String::from_utf8_lossy(&output.stdout)))
}

/// Unindented lines are theorems, the indented ones below are their axioms.
fn parse(golden: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for line in golden.lines().filter(|line| !line.trim().is_empty()) {
        match (line.strip_prefix("  "), groups.last_mut()) {
            (Some(axiom), Some(group)) => {
                group.axioms.insert(axiom.to_owned());
            }
            (None, Some(group)) if group.axioms.is_empty() => {
                group.theorems.insert(line.to_owned());
            }
            _ => groups.push(Group {
                theorems: [line.trim().to_owned()].into(),
                axioms: BTreeSet::new(),
            }),
        }
    }
    groups
}

/// The golden list for these theorems and axioms: those with the same axioms together.
fn listing(found: impl Iterator<Item = (BTreeSet<String>, BTreeSet<String>)>) -> String {
    let mut groups: BTreeMap<BTreeSet<String>, BTreeSet<String>> = BTreeMap::new();
    for (names, axioms) in found {
        groups.entry(axioms).or_default().extend(names);
    }
    let mut text = String::new();
    for (axioms, names) in groups {
        for name in names {
            text.push_str(&format!("{name}\n"));
        }
        for axiom in axioms {
            text.push_str(&format!("  {axiom}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests;
