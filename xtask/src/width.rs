//! The width of the code: rustfmt leaves doc examples, macros and long strings as they are, and
//! nothing formats Python, manifests and what the page consists of. Also, that unit tests stand in
//! files of their own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::run;

/// The most characters of a line, as in rustfmt.
const WIDTH: usize = 100;

/// How tests begin that stand in the file of what they test.
const INLINE: &str = "mod tests {";

/// The files whose lines are checked. Proofs in Coq are not: their formulas read better unbroken.
const EXTENSIONS: [&str; 8] = ["rs", "py", "pyi", "js", "css", "html", "toml", "yml"];

/// Folders that are ours although they are hidden. The first has scripts without an extension.
const SCRIPTS: &str = ".ci";
const HIDDEN: [&str; 2] = [SCRIPTS, ".github"];

/// Whose plans and reports are not checked: users write them, and their texts in one line.
const EXAMPLES: &str = "examples";

/// No line of code below the root is wider than [`WIDTH`].
pub fn check() -> Result<String> {
    below(run::root())
}

/// The same below a directory, but for what is hidden and what is built.
fn below(root: &Path) -> Result<String> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    let examples = root.join(EXAMPLES);
    files.retain(|file| !(file.starts_with(&examples) && has(file, &["html", "toml"])));
    let (mut wide, mut inline) = (Vec::new(), None);
    for file in &files {
        let text = fs::read_to_string(file)
            .with_context(|| format!("could not read {}", file.display()))?;
        let name = file.strip_prefix(root).unwrap_or(file).display();
        if text.lines().any(|line| line == INLINE) {
            inline = Some(name.to_string());
        }
        wide.extend(
            wide_lines(&text)
                .into_iter()
                .map(|(line, width)| format!("{name}:{line}: {width} characters")),
        );
    }
    if let Some(inline) = inline {
        bail!("{inline}: unit tests have a file of their own; move these to tests.rs beside it");
    }
    if !wide.is_empty() {
        bail!(
            "lines of code are at most {WIDTH} characters wide; break these (a long text with \\ \
             at the end of the line):\n  {}",
            wide.join("\n  ")
        );
    }
    Ok(format!("{} files within {WIDTH} columns", files.len()))
}

/// The files below a directory that are checked.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for path in run::children(directory)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hidden = name.starts_with('.') && !HIDDEN.contains(&&*name);
        let skipped = hidden || name == "target" || path == run::target();
        if skipped || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            // Somebody's Python environment is not ours.
            if path.join("pyvenv.cfg").exists() {
                continue;
            }
            collect(&path, files)?;
        } else if has(&path, &EXTENSIONS) || directory.ends_with(SCRIPTS) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a file has one of these extensions.
fn has(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extensions.iter().any(|known| extension == *known))
}

/// The numbers of lines that are too wide, and their widths.
fn wide_lines(text: &str) -> Vec<(usize, usize)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.chars().count()))
        .filter(|(_, width)| *width > WIDTH)
        .collect()
}

#[cfg(test)]
mod tests;
