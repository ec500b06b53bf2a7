//! The rooms of lastbit-release use only rooms below them, in the order that DESIGN.md has, and
//! leave sensitivities, noise scales, sums of losses and searches to crate `lastbit`. The command
//! and the Python package leave noise scales to it, too.

mod scales;
mod tokens;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::run;
use tokens::Token;

/// The line of DESIGN.md before the list of rooms.
const MARK: &str = "### Rooms, from the ground up";

/// What only crate `lastbit` makes, by the words that would make it.
const LEFT: [(&[&str], &str); 10] = [
    (&["Norms", "{"], "a sensitivity"),
    (&["Norms", "::"], "a sensitivity"),
    (&["Reach", "{"], "a sensitivity"),
    (&["Contribution", "::", "new"], "a sensitivity"),
    (&[".", "l1"], "a sensitivity"),
    (&["Scale", "::", "new"], "a noise scale"),
    (&["Variance", "::", "new"], "a noise scale"),
    (
        &["noise", ".", "variance", "(", ")"],
        "a variance of mixed noise",
    ),
    (&[".", "main", "+"], "a composition"),
    (&["f64", "::", "midpoint"], "a bisection"),
];

/// The same, by a part of a word.
const PARTS: [(&str, &str); 2] = [("l2_squared", "a sensitivity"), ("bisect", "a bisection")];

/// Whether every room of lastbit-release uses only rooms below it, and nobody above makes a scale.
pub fn check() -> Result<String> {
    let design = run::root().join("DESIGN.md");
    let text = fs::read_to_string(&design).context("could not read DESIGN.md")?;
    let rooms = below(
        &storeys(&text)?,
        &run::root().join("crates/lastbit-release/src"),
    )?;
    Ok(format!("{rooms}; {}", scales::check()?))
}

/// Each room, with its storey. Rooms with `=` between them are one storey and may use each other;
/// others on a line may not.
struct Storeys(BTreeMap<String, (usize, usize)>);

impl Storeys {
    /// Whether one room may use another.
    fn allows(&self, room: &str, used: &str) -> bool {
        match (self.0.get(room), self.0.get(used)) {
            (Some((line, group)), Some((of_used, other))) => {
                of_used < line || (line, group) == (of_used, other)
            }
            _ => false,
        }
    }
}

/// The list: the lines of the first block of code after [`MARK`], the lowest rooms first.
fn storeys(design: &str) -> Result<Storeys> {
    let Some((_, after)) = design.split_once(MARK) else {
        bail!("DESIGN.md has no \"{MARK}\"");
    };
    let mut lines = after.lines().skip_while(|line| !line.starts_with("```"));
    lines.next();
    let mut rooms = BTreeMap::new();
    let lines = lines.take_while(|line| !line.starts_with("```"));
    for (storey, line) in lines.enumerate() {
        for (group, together) in line.split('·').enumerate() {
            for room in together.split('=').map(str::trim) {
                if rooms.insert(room.to_owned(), (storey, group)).is_some() {
                    bail!("DESIGN.md lists the room `{room}` twice");
                }
            }
        }
    }
    Ok(Storeys(rooms))
}

/// The same for the rooms below a directory.
fn below(storeys: &Storeys, source: &Path) -> Result<String> {
    let mut faults = Vec::new();
    let mut files = 0;
    for path in run::children(source)? {
        let room = path.file_stem().unwrap_or_default().to_string_lossy();
        if room == "lib" {
            continue;
        }
        if !storeys.0.contains_key(&*room) {
            faults.push(format!("the room `{room}` is not listed"));
        }
        let mut of_room = Vec::new();
        collect(&path, &["rs"], &mut of_room)?;
        for file in of_room {
            files += 1;
            let name = file.strip_prefix(source).unwrap_or(&file);
            let text = fs::read_to_string(&file)
                .with_context(|| format!("could not read {}", file.display()))?;
            for (line, fault) in faults_of(storeys, &room, depth(name), &text) {
                faults.push(format!("{}:{line}: {fault}", name.display()));
            }
        }
    }
    let exists =
        |room: &str| source.join(room).is_dir() || source.join(room).with_extension("rs").is_file();
    let gone = storeys.0.keys().filter(|room| !exists(room));
    faults.extend(gone.map(|room| format!("the room `{room}` is listed and does not exist")));
    if !faults.is_empty() {
        bail!(
            "a room uses rooms below it, as DESIGN.md lists them under \"{MARK}\", and crate \
             `lastbit` for what it proves; move what two need to the lower one:\n  {}",
            faults.join("\n  ")
        );
    }
    Ok(format!(
        "{files} files of {} rooms use rooms below",
        storeys.0.len()
    ))
}

/// The files of a room in a language, but for its tests, which see the whole house.
fn collect(path: &Path, languages: &[&str], files: &mut Vec<PathBuf>) -> Result<()> {
    let name = path.file_stem().unwrap_or_default();
    if name == "tests" {
        return Ok(());
    }
    if path.is_dir() {
        for child in run::children(path)? {
            collect(&child, languages, files)?;
        }
    } else if languages
        .iter()
        .any(|ending| path.extension().is_some_and(|own| own == *ending))
    {
        files.push(path.to_owned());
    }
    Ok(())
}

/// How many times `super::` leads from a file to the root of the crate.
fn depth(name: &Path) -> usize {
    let parts = name.components().count();
    match name.file_stem().is_some_and(|stem| stem == "mod") {
        true => parts - 1,
        false => parts,
    }
}

/// The lines of a file that use a room that is not below, and why they are wrong. Comments do not
/// count, and neither do tests, which end a file. Imports under another name do.
fn faults_of(storeys: &Storeys, room: &str, depth: usize, text: &str) -> Vec<(usize, String)> {
    let mut tokens = tokens::tokens(text);
    let tests = ["#", "[", "cfg", "(", "test", ")", "]", "mod", "tests", "{"];
    if let Some(end) = (0..tokens.len()).find(|&at| is_at(&tokens[at..], &tests)) {
        tokens.truncate(end);
    }
    give_first_names(&mut tokens);
    let mut faults = Vec::new();
    let mut supers = 0;
    for (at, token) in tokens.iter().enumerate() {
        let mut fault = |line: usize, what: String| faults.push((line, what));
        let rest = &tokens[at..];
        let before = at.checked_sub(1).map_or("", |at| tokens[at].text.as_str());
        if token.text == "crate" && before != "$" {
            if is_at(rest, &["crate", "as"]) {
                let what = "the crate under another name; write `crate::` and the room";
                fault(token.line, what.to_owned());
            }
            for used in first_of(rest) {
                if used.text == "*" || used.text == "self" {
                    fault(used.line, "name one room after `crate::`".to_owned());
                } else if used.text != room && !storeys.allows(room, &used.text) {
                    let used_room = &used.text;
                    let what = format!("`{room}` uses `{used_room}`, which is not below it");
                    fault(used.line, what);
                }
            }
        }
        for (made, what) in LEFT {
            if is_at(rest, made) {
                let made = made.concat();
                let what = format!("`{made}` makes {what}; that is for crate `lastbit`");
                fault(token.line, what);
            }
        }
        for (part, what) in PARTS {
            if token.text.contains(part) {
                let what = format!("`{part}` makes {what}; that is for crate `lastbit`");
                fault(token.line, what);
            }
        }
        match token.text.as_str() {
            "super" => supers += 1,
            "::" => {}
            _ => supers = 0,
        }
        if token.text == "super" && supers == depth {
            let what = format!("`super::` leaves `{room}`; write `crate::` and the room");
            fault(token.line, what);
        }
    }
    faults.dedup();
    faults
}

/// Whether these words stand first.
fn is_at(tokens: &[Token], words: &[&str]) -> bool {
    tokens.len() >= words.len() && tokens.iter().zip(words).all(|(token, w)| token.text == *w)
}

/// The first words of the paths that go on after `crate`, which stands first: one, or those of a
/// group.
fn first_of(tokens: &[Token]) -> Vec<&Token> {
    let [_, colons, next, rest @ ..] = tokens else {
        return vec![];
    };
    if colons.text != "::" {
        return vec![];
    }
    if next.text != "{" {
        return vec![next];
    }
    let mut depth = 1;
    let mut is_first = true;
    let mut found = Vec::new();
    for token in rest {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 1 => {
                is_first = true;
                continue;
            }
            _ if is_first => found.push(token),
            _ => {}
        }
        is_first = false;
        if depth == 0 {
            break;
        }
    }
    found
}

/// What an import or an alias of a type calls otherwise is called by its first name everywhere:
/// `Norms as Pair`, and `type Pair = Norms;`.
fn give_first_names(tokens: &mut [Token]) {
    let first = |word: &str| {
        LEFT.iter()
            .map(|(made, _)| made[0])
            .find(|one| *one == word)
    };
    let mut names = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let text = |ahead: usize| {
            tokens
                .get(at + ahead)
                .map_or("", |token| token.text.as_str())
        };
        if let (Some(name), "as") = (first(&token.text), text(1)) {
            names.insert(text(2).to_owned(), name);
        }
        if (token.text.as_str(), text(2)) == ("type", "=") {
            let of = tokens[at + 3..]
                .iter()
                .take_while(|token| token.text != ";");
            if let Some(name) = of.last().and_then(|token| first(&token.text)) {
                names.insert(text(1).to_owned(), name);
            }
        }
    }
    for token in tokens {
        if let Some(name) = names.get(&token.text) {
            token.text = (*name).to_owned();
        }
    }
}

#[cfg(test)]
mod tests;
