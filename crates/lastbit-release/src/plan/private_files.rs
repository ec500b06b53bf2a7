//! Whether a source reads a file: a private table is not to be read as a public one.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Source;
use crate::schema::{FileIdentity, file_identity};

/// The most directories below each other that are looked into.
const DEEPEST: usize = 64;

/// Whether one of the files of a source is this one, whatever links and dots lead to it. A file
/// that a directory or a pattern of the source holds counts even if its name is not that of a
/// table: it is refused rather once too often.
pub fn reads(source: &Source, file: &Path) -> bool {
    let Source::Files(source) = source else {
        return false;
    };
    let Some(file) = identity(file) else {
        // What is not there is nobody's data; who opens it says so.
        return false;
    };
    source.paths.iter().any(|given| {
        let path = source.base.join(given);
        if path.is_dir() {
            holds(&path, &file, 0)
        } else if path.exists() {
            identity(&path).as_ref() == Some(&file)
        } else {
            let parts: Vec<_> = Path::new(given).components().collect();
            matches(&source.base, &parts, &file, 0)
        }
    })
}

fn identity(path: &Path) -> Option<FileIdentity> {
    file_identity(path, &fs::metadata(path).ok()?).ok()
}

/// What is in a directory; nothing if it cannot be read.
fn within(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let directory = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

/// Whether a file is in a directory, or below it.
fn holds(directory: &Path, file: &FileIdentity, depth: usize) -> bool {
    depth < DEEPEST
        && within(directory).any(|path| {
            let is_link = fs::symlink_metadata(&path).is_ok_and(|data| data.is_symlink());
            match path.is_dir() {
                // A link to a directory above would be followed for ever.
                true if is_link && leads_back(&path) => false,
                true => holds(&path, file, depth + 1),
                false => identity(&path).as_ref() == Some(file),
            }
        })
}

fn leads_back(link: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    match (real(link), link.parent().and_then(real)) {
        (Some(to), Some(from)) => from.starts_with(to),
        _ => true,
    }
}

/// Whether a file is among those that match a pattern, or in a directory that does.
fn matches(start: &Path, parts: &[Component<'_>], file: &FileIdentity, depth: usize) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        return match start.is_dir() {
            true => holds(start, file, depth),
            false => identity(start).as_ref() == Some(file),
        };
    };
    let name = part.as_os_str().to_string_lossy();
    if depth >= DEEPEST {
        return false;
    }
    if name == "**" {
        return matches(start, rest, file, depth + 1)
            || within(start).any(|path| {
                // A link may lead back.
                fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir())
                    && matches(&path, parts, file, depth + 1)
            });
    }
    if !matches!(part, Component::Normal(_)) || !name.contains(['*', '?', '[']) {
        return matches(&start.join(part), rest, file, depth + 1);
    }
    let pattern: Vec<char> = name.chars().collect();
    within(start).any(|path| {
        let own: Vec<char> = path
            .file_name()
            .map(|name| name.to_string_lossy().chars().collect())
            .unwrap_or_default();
        is_like(&pattern, &own) && matches(&path, rest, file, depth + 1)
    })
}

/// Whether a name may match a pattern. Any character is taken to be one of those in brackets.
fn is_like(pattern: &[char], name: &[char]) -> bool {
    // Which ends of the pattern may still match the rest of the name.
    let mut open = vec![false; pattern.len() + 1];
    open[0] = true;
    let stars = |open: &mut Vec<bool>| {
        for at in 0..pattern.len() {
            open[at + 1] |= open[at] && pattern[at] == '*';
        }
    };
    stars(&mut open);
    for c in name {
        let mut next = vec![false; pattern.len() + 1];
        for at in (0..pattern.len()).filter(|at| open[*at]) {
            match pattern[at] {
                '*' => next[at] = true,
                '[' => {
                    // A bracket that comes first, or after `!`, stands for itself.
                    let first = at + 1 + usize::from(pattern.get(at + 1) == Some(&'!'));
                    let close = (first + 1..pattern.len()).find(|end| pattern[*end] == ']');
                    next[close.map_or(pattern.len(), |close| close + 1)] = true;
                }
                '?' => next[at + 1] = true,
                own => next[at + 1] |= own == *c,
            }
        }
        open = next;
        stars(&mut open);
    }
    open[pattern.len()]
}

#[cfg(test)]
mod tests;
