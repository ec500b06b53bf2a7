//! Data of a mechanism: a file, or standard input.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use lastbit_release::clean;

/// The text of a file; `-` is standard input. `what` it holds, for the message: "scores".
pub fn read(path: &Path, what: &str) -> Result<String> {
    if path.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .with_context(|| format!("reading {what} from standard input"))?;
        return Ok(text);
    }
    fs::read_to_string(path).with_context(|| {
        let path = clean::path(path);
        format!("reading {what} from {path}; `-` is standard input")
    })
}

/// The lines that are not blank, without the space around them, with their numbers from 1.
pub fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let lines = text.lines().map(str::trim).zip(1..);
    lines
        .filter(|(line, _)| !line.is_empty())
        .map(|(line, number)| (number, line))
}
