//! What can be read off a Coq file without Coq.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

/// Commands that claim without proof, or switch a check off.
const FORBIDDEN: [&str; 13] = [
    "Admitted",
    "admit",
    "give_up",
    "Axiom",
    "Axioms",
    "Parameter",
    "Parameters",
    "Conjecture",
    "Conjectures",
    "bypass_check",
    "Guard",
    "Positivity",
    "Universe",
];

/// Commands that are harmless in a section, which discharges them, and axioms outside.
const LOCAL: [&str; 6] = [
    "Hypothesis",
    "Hypotheses",
    "Variable",
    "Variables",
    "Context",
    "Let",
];

/// No command of the file assumes anything.
pub fn check(name: &str, text: &str) -> Result<()> {
    let code = without_comments(text);
    let mut sections = 0;
    for (index, line) in code.lines().enumerate() {
        let place = format!("proofs/{name}.v:{}", index + 1);
        for word in words(line) {
            if FORBIDDEN.contains(&word) {
                bail!("{place}: `{word}` is not allowed; prove it");
            }
        }
        for command in line.split(". ").map(str::trim) {
            let mut words = words(command);
            match words.next() {
                Some("Section") => sections += 1,
                // Modules are not used, so every `End` ends a section.
                Some("End") => sections -= 1,
                Some(word) if LOCAL.contains(&word) && sections == 0 => {
                    bail!("{place}: `{word}` outside a section is an axiom; prove it");
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .filter(|word| !word.is_empty())
}

/// The files of the project that this one imports.
pub fn imports(text: &str) -> Vec<String> {
    let code = without_comments(text);
    code.split("From Lastbit Require Import")
        .skip(1)
        .filter_map(|rest| rest.split('.').next())
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

/// The text with every (nested) comment replaced by its line ends.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut depth = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("(*") {
            depth += 1;
            rest = &rest[2..];
        } else if depth > 0 && rest.starts_with("*)") {
            depth -= 1;
            rest = &rest[2..];
        } else {
            if depth == 0 || c == '\n' {
                code.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    code
}

/// The names that `Print Assumptions` printed after each line that begins with `==`; types left out.
pub fn axioms(printed: &str) -> Vec<BTreeSet<String>> {
    let mut lists: Vec<BTreeSet<String>> = Vec::new();
    for line in printed.lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        if line.starts_with("== ") {
            lists.push(BTreeSet::new());
        } else if !line.starts_with(' ')
            && !matches!(name, "" | "Axioms:")
            && let Some(names) = lists.last_mut()
        {
            let closed = line.starts_with("Closed under");
            names.insert(if closed { "nothing" } else { name }.to_owned());
        }
    }
    lists
}

/// Whether a summary of coqchk says that nothing relies on this: `* … that: <none>`.
pub fn is_none(summary: &str, what: &str) -> bool {
    summary
        .lines()
        .any(|line| line.contains(what) && line.trim_end().ends_with("<none>"))
}

/// Theorems that a page names beside a link to their file, with that file's module: in a table row `| … | `name` | [File.v](…) |`, as
/// `[`name`](…/File.v)`, or as `[File.v](…): `name``.
pub fn named_theorems(page: &str) -> Vec<(String, Vec<String>)> {
    let mut named = Vec::new();
    for line in page.lines() {
        let modules: Vec<String> = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next()?.strip_suffix(".v"))
            .map(|path| path.rsplit('/').next().unwrap_or(path).to_owned())
            .collect();
        if modules.is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split(" | ").collect();
        let mut add = |text: &str| {
            // Odd parts of a text split at backticks are code.
            let code = text.split('`').skip(1).step_by(2);
            let is_name = |name: &&str| !name.is_empty() && words(name).eq([*name]);
            named.extend(
                code.filter(is_name)
                    .map(|name| (name.to_owned(), modules.clone())),
            );
        };
        match cells.as_slice() {
            [_, theorems, files] if files.trim_start().starts_with('[') => add(theorems),
            _ => {
                for rest in line.split(".v): ").skip(1) {
                    add(rest.split(')').next().unwrap_or_default());
                }
                for rest in line.split("[`").skip(1) {
                    if let Some((names, link)) = rest.split_once("](")
                        && link
                            .split(')')
                            .next()
                            .is_some_and(|link| link.ends_with(".v"))
                    {
                        add(&format!("`{names}"));
                    }
                }
            }
        }
    }
    named
}

/// Whether a file proves or defines this name.
pub fn defines(text: &str, name: &str) -> bool {
    without_comments(text).lines().any(|line| {
        let mut words = words(line);
        let is_statement = matches!(
            words.next(),
            Some("Theorem" | "Lemma" | "Corollary" | "Definition")
        );
        is_statement && words.next() == Some(name)
    })
}

/// The digits of the loss that a Coq certificate states, and how many of them are behind the point.
pub fn stated_loss(text: &str) -> Option<(String, usize)> {
    let rest = text.split("Definition loss_digits").nth(1)?;
    let digits = rest.split("digits := ").nth(1)?.split(';').next()?;
    let zeros = rest.split("zeros := ").nth(1)?.split(' ').next()?;
    Some((digits.to_owned(), zeros.parse().ok()?))
}

/// The same of a certificate in JSON.
pub fn certified_loss(text: &str) -> Option<(String, usize)> {
    let number = text.split("\"certified\": \"").nth(1)?.split('"').next()?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    Some((digits.trim_start_matches('0').to_owned(), fraction.len()))
}

#[cfg(test)]
mod tests;
