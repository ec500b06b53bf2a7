//! The command, the page and the Python package turn no loss into a noise scale: they ask crate
//! `lastbit`, whose formulas are compared with its privacy maps.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{collect, give_first_names, is_at, tokens};
use crate::run;

/// What only crate `lastbit` makes, in Rust.
const MADE: [&[&str]; 4] = [
    &["Scale", "::", "new"],
    &["Variance", "::", "new"],
    &["Norms", "{"],
    &["Norms", "::"],
];

/// What Python may divide by: the number of points of a curve, and a whole budget. A division by
/// anything else would be a scale, Δ/ε or Δ²/(2ρ).
const DIVISORS: [&str; 2] = ["(points - 1)", "whole"];

/// Whether nobody above crate `lastbit` makes a noise scale.
pub fn check() -> Result<String> {
    let folders = [
        ("crates/lastbit-cli/src", "rs"),
        ("crates/lastbit-page/src", "rs"),
        ("python/src", "rs"),
        ("python/lastbit", "py"),
    ];
    let mut faults = Vec::new();
    let mut count = 0;
    for (folder, language) in folders {
        let mut files = Vec::new();
        collect(&run::root().join(folder), &[language], &mut files)?;
        count += files.len();
        for file in files {
            let text = fs::read_to_string(&file)
                .with_context(|| format!("could not read {}", file.display()))?;
            let name = file.strip_prefix(run::root()).unwrap_or(&file);
            faults.extend(faults_of(name, &text));
        }
    }
    if !faults.is_empty() {
        bail!(
            "a noise scale is made by `Scale::for_epsilon`, `Variance::for_rho` or \
             `tables::Noise` alone:\n  {}",
            faults.join("\n  ")
        );
    }
    Ok(format!("{count} files above make no noise scale"))
}

fn faults_of(name: &Path, text: &str) -> Vec<String> {
    let lines = match name.extension().is_some_and(|ending| ending == "py") {
        true => python(text),
        false => rust(text),
    };
    let faults = lines.into_iter();
    faults
        .map(|line| format!("{}:{line}", name.display()))
        .collect()
}

/// The lines of Rust that make a scale.
fn rust(text: &str) -> Vec<usize> {
    let mut tokens = tokens::tokens(text);
    give_first_names(&mut tokens);
    (0..tokens.len())
        .filter(|&at| MADE.iter().any(|made| is_at(&tokens[at..], made)))
        .map(|at| tokens[at].line)
        .collect()
}

/// The lines of Python that divide.
fn python(text: &str) -> Vec<usize> {
    let code = code(text);
    let is_fault = |line: &str| {
        let divisors = line.split('/').skip(1).map(str::trim_start);
        divisors
            // A slash among parameters divides nothing: they go by their places alone.
            .filter(|divisor| !divisor.is_empty() && !divisor.starts_with([')', ',']))
            .any(|divisor| !DIVISORS.iter().any(|allowed| divisor.starts_with(allowed)))
    };
    let lines = code.lines().zip(1..);
    lines
        .filter(|(line, _)| is_fault(line))
        .map(|(_, number)| number)
        .collect()
}

/// Python without its texts and comments; every line stays.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let quote = ["\"\"\"", "'''", "\"", "'"]
            .into_iter()
            .find(|quote| rest.starts_with(quote));
        let length = match quote {
            Some(quote) => quoted(rest, quote),
            None if next == '#' => rest.find('\n').unwrap_or(rest.len()),
            None => {
                code.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            }
        };
        code.extend(rest[..length].chars().filter(|c| *c == '\n'));
        rest = &rest[length..];
    }
    code
}

/// The length of the text that begins here, with its quotes.
fn quoted(text: &str, quote: &str) -> usize {
    let mut at = quote.len();
    while let Some(next) = text[at..].chars().next() {
        if text[at..].starts_with(quote) {
            return at + quote.len();
        }
        at += next.len_utf8();
        if next == '\\' {
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    at
}

#[cfg(test)]
mod tests;
