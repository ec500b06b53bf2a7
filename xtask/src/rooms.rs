//! The rooms of lastbit-release use only rooms below them, in the order that DESIGN.md has, and
//! leave sensitivities, noise scales, sums of losses and searches to crate `lastbit`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::run;

/// The line of DESIGN.md before the list of rooms.
const MARK: &str = "### Rooms, from the ground up";

/// What only crate `lastbit` makes, by how a line would make it.
const LEFT: [(&str, &str); 12] = [
    ("Norms {", "a sensitivity"),
    ("Norms::", "a sensitivity"),
    ("Reach {", "a sensitivity"),
    ("Contribution::new", "a sensitivity"),
    (".l1", "a sensitivity"),
    ("l2_squared", "a sensitivity"),
    ("Scale::new", "a noise scale"),
    ("Variance::new", "a noise scale"),
    ("noise.variance()", "a variance of mixed noise"),
    (".main + ", "a composition"),
    ("f64::midpoint", "a bisection"),
    ("bisect", "a bisection"),
];

/// Whether every room of lastbit-release uses only rooms below it.
pub fn check() -> Result<String> {
    let design = run::root().join("DESIGN.md");
    let text = fs::read_to_string(&design).context("could not read DESIGN.md")?;
    below(
        &storeys(&text)?,
        &run::root().join("crates/lastbit-release/src"),
    )
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
        collect(&path, &mut of_room)?;
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

/// The Rust files of a room, but for its tests, which see the whole house.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let name = path.file_stem().unwrap_or_default();
    if name == "tests" {
        return Ok(());
    }
    if path.is_dir() {
        for child in run::children(path)? {
            collect(&child, files)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
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
/// count, and neither do tests, which end a file.
fn faults_of(storeys: &Storeys, room: &str, depth: usize, text: &str) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let begins_tests = |(_, next): &(usize, &str)| next.starts_with("mod tests {");
        if line == "#[cfg(test)]" && lines.peek().is_some_and(begins_tests) {
            break;
        }
        if line.trim_start().starts_with("//") {
            continue;
        }
        let mut fault = |what: String| faults.push((index + 1, what));
        for (place, _) in line.match_indices("crate::") {
            // `$crate::` and `other_crate::` are other paths.
            let before = line[..place].chars().next_back();
            if before.is_some_and(|before| before == '$' || before == '_') {
                continue;
            }
            let rest = &line[place + "crate::".len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let used = &rest[..end.unwrap_or(rest.len())];
            if used.is_empty() {
                fault("name one room after `crate::`".to_owned());
            } else if used != room && !storeys.allows(room, used) {
                fault(format!("`{room}` uses `{used}`, which is not below it"));
            }
        }
        for (made, what) in LEFT {
            if line.contains(made) {
                fault(format!(
                    "`{made}` makes {what}; that is for crate `lastbit`"
                ));
            }
        }
        if line.contains(&"super::".repeat(depth)) {
            fault(format!(
                "`super::` leaves `{room}`; write `crate::` and the room"
            ));
        }
    }
    faults
}

#[cfg(test)]
mod tests;
