//! What can be read off a Coq file without Coq.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

/// Commands that claim without proof, switch a check off, or bring in what is not read here: other
/// files, plugins, modules that are declared and not defined.
const FORBIDDEN: [&str; 21] = [
    "Admit",
    "Admitted",
    "admit",
    "give_up",
    "Include",
    "Load",
    "Module",
    "Primitive",
    "Symbol",
    "Symbols",
    "Axiom",
    "Axioms",
    "Parameter",
    "Parameters",
    "Conjecture",
    "Conjectures",
    "bypass_check",
    "Guard",
    "Positivity",
    "UIP",
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

/// No command of the file assumes anything, and every file of the project that it needs is seen by
/// [`imports`].
pub fn check(name: &str, text: &str) -> Result<()> {
    let code = code(text);
    let mut sections = 0;
    let mut line = 1;
    for sentence in sentences(&code) {
        let command = words(sentence).next().unwrap_or_default();
        for (index, part) in sentence.lines().enumerate() {
            let place = format!("proofs/{name}.v:{}", line + index);
            for word in words(part) {
                if FORBIDDEN.contains(&word) {
                    bail!("{place}: `{word}` is not allowed; prove it");
                }
                // Not only as the first word: attributes and `Local` may stand before it.
                if LOCAL.contains(&word) && sections == 0 {
                    bail!("{place}: `{word}` outside a section is an axiom; prove it");
                }
                if word == "Lastbit" && !words(sentence).take(4).eq(IMPORT.split(' ')) {
                    bail!("{place}: import files of the project by `{IMPORT}`");
                }
            }
        }
        match command {
            "Section" => sections += 1,
            // There are no modules, so every `End` ends a section.
            "End" => sections -= 1,
            _ => {}
        }
        line += sentence.matches('\n').count();
    }
    Ok(())
}

/// The parts of a file that end with a full stop: one before white space, or the last.
fn sentences(code: &str) -> impl Iterator<Item = &str> {
    let mut rest = code;
    core::iter::from_fn(move || {
        let ends = |&(place, _): &(usize, &str)| {
            rest[place + 1..]
                .chars()
                .next()
                .is_none_or(char::is_whitespace)
        };
        let end = rest
            .match_indices('.')
            .find(ends)
            .map_or(rest.len(), |(place, _)| place + 1);
        let (sentence, after) = rest.split_at(end);
        rest = after;
        (!sentence.is_empty()).then_some(sentence)
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .filter(|word| !word.is_empty())
}

/// How a file of the project is imported.
const IMPORT: &str = "From Lastbit Require Import";

/// The files of the project that this one imports.
pub fn imports(text: &str) -> Vec<String> {
    let code = code(text);
    code.split(IMPORT)
        .skip(1)
        .filter_map(|rest| rest.split('.').next())
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

/// The text with every (nested) comment and every string replaced by a space and its line ends. A
/// comment mark in a string is none, nor is a string mark within a string, as Coq reads them.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut depth = 0;
    let mut in_string = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (length, is_code) = match c {
            '"' => {
                in_string = !in_string;
                (1, false)
            }
            _ if in_string => (c.len_utf8(), false),
            _ if rest.starts_with("(*") => {
                depth += 1;
                (2, false)
            }
            _ if depth > 0 && rest.starts_with("*)") => {
                depth -= 1;
                (2, false)
            }
            _ => (c.len_utf8(), depth == 0),
        };
        if is_code || c == '\n' {
            code.push(c);
        } else if !code.ends_with(char::is_whitespace) {
            code.push(' ');
        }
        rest = &rest[length..];
    }
    code
}

/// Definitions and statements that a page shows in blocks of Coq, each without its white space.
pub fn quoted(page: &str) -> Vec<String> {
    let blocks = page
        .split("```coq\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    blocks
        .flat_map(sentences)
        .filter(|sentence| {
            words(sentence)
                .next()
                .is_some_and(|word| STATEMENTS.contains(&word))
        })
        .map(squeezed)
        .collect()
}

/// Whether a file says the same as a sentence that a page [quotes](quoted).
pub fn says(text: &str, sentence: &str) -> bool {
    sentences(&code(text)).any(|said| squeezed(said) == sentence)
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The names that `Print Assumptions` printed after each line that begins with `==`; types left
/// out.
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

/// Theorems that a page names beside a link to their file, with that file's module: in a table row
/// `| … | `name` | [File.v](…) |`, as `[`name`](…/File.v)`, or as `[File.v](…): `name``.
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

/// Commands that name what they state.
const STATEMENTS: [&str; 4] = ["Theorem", "Lemma", "Corollary", "Definition"];

/// Whether a file proves or defines this name.
pub fn defines(text: &str, name: &str) -> bool {
    code(text).lines().any(|line| {
        let mut words = words(line);
        let is_statement = words.next().is_some_and(|word| STATEMENTS.contains(&word));
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
