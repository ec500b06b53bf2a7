//! `cargo xtask errata`: the page docs/errata.md and the tests named after errata agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::run;

const PAGE: &str = "docs/errata.md";
const NOT_YET: &str = "not yet";

/// Every erratum on the page names a test that exists or says "not yet"; every such test is on the
/// page.
pub fn check() -> Result<String> {
    let page = fs::read_to_string(run::root().join(PAGE))
        .with_context(|| format!("could not read {PAGE}"))?;
    let mut tests = BTreeSet::new();
    collect_tests(&run::root().join("crates"), &mut tests)?;
    compare(&page, &tests)
}

fn compare(page: &str, tests: &BTreeSet<String>) -> Result<String> {
    let rows = rows(page);
    let mut problems = Vec::new();
    let mut named = BTreeSet::new();
    let (mut guarded, mut waiting) = (0, 0);
    for (number, row) in &rows {
        if row.names.is_empty() {
            if row.not_yet {
                waiting += 1;
            } else {
                problems.push(format!(
                    "erratum {number}: name its test `erratum_{number}_<words>`, or say \
                     \"{NOT_YET}\""
                ));
            }
            continue;
        }
        guarded += 1;
        for name in &row.names {
            if !name.starts_with(&format!("erratum_{number}_")) {
                problems.push(format!(
                    "erratum {number}: `{name}` belongs to another erratum"
                ));
            }
            if !tests.contains(name) {
                problems.push(format!("erratum {number}: no crate has a test `{name}`"));
            }
            named.insert(name.clone());
        }
    }
    if rows.is_empty() {
        problems.push("no row of the form `| 1 | … |` was found".to_owned());
    }
    for name in tests.difference(&named) {
        problems.push(format!("the test `{name}` is not on the page; add it"));
    }
    if !problems.is_empty() {
        bail!(
            "{PAGE} and the tests disagree:\n  {}",
            problems.join("\n  ")
        );
    }
    Ok(format!(
        "{guarded} errata guarded by tests, {waiting} wait for their feature"
    ))
}

/// What the page says of one erratum.
#[derive(Default)]
struct Row {
    names: Vec<String>,
    not_yet: bool,
}

/// The rows `| number | … |` of the page's tables.
fn rows(page: &str) -> BTreeMap<u32, Row> {
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
    for line in page.lines() {
        let Some(cells) = line.trim().strip_prefix('|') else {
            continue;
        };
        let Some(number) = cells
            .split('|')
            .next()
            .and_then(|cell| cell.trim().parse().ok())
        else {
            continue;
        };
        let row = rows.entry(number).or_default();
        row.not_yet |= cells.contains(NOT_YET);
        // Odd parts of the text split at backticks are code.
        row.names.extend(
            cells
                .split('`')
                .skip(1)
                .step_by(2)
                .filter(|code| code.starts_with("erratum_"))
                .map(str::to_owned),
        );
    }
    rows
}

/// The names of tests called `erratum_…` in every Rust file below a directory.
fn collect_tests(directory: &Path, tests: &mut BTreeSet<String>) -> Result<()> {
    for path in run::children(directory)? {
        if path.is_dir() {
            collect_tests(&path, tests)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("could not read {}", path.display()))?;
            tests.extend(tests_in(&text));
        }
    }
    Ok(())
}

/// Functions `erratum_…` that carry `#[test]` among the attributes and comments right above them.
fn tests_in(text: &str) -> Vec<String> {
    let mut is_test = false;
    let mut names = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[") || line.starts_with("//") {
            is_test |= line == "#[test]";
            continue;
        }
        if is_test && let Some(rest) = line.strip_prefix("fn erratum_") {
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            names.push(format!("erratum_{}", &rest[..end]));
        }
        is_test = false;
    }
    names
}

#[cfg(test)]
mod tests;
