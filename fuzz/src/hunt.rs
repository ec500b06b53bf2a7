//! The loop.

use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::{Mutator, Target};

/// One input may take as long, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// So many changed inputs are tried at least, however slow the machine is.
const LEAST: u64 = 100;

/// An input that a target failed on.
#[derive(Debug)]
pub struct Found {
    /// The input, made as short as it could be.
    pub input: Vec<u8>,
    /// What happened.
    pub what: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.input[..self.input.len().min(2000)];
        let (what, bytes) = (&self.what, self.input.len());
        write!(f, "{what}, on {bytes} bytes: \"{}\"", shown.escape_ascii())
    }
}

/// Runs a target on its corpus, on what is kept in `kept`, and then on changed inputs until the
/// time is over; says how many were tried.
///
/// Each input is first written to `last`, so that it can be read there if the whole process ends.
pub fn hunt(
    target: &Target,
    seed: u64,
    time: Duration,
    kept: &Path,
    last: &Path,
) -> Result<u64, Found> {
    let begun = Instant::now();
    let mut corpus = (target.corpus)();
    corpus.extend(
        files(kept).iter().map(|path| {
            fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        }),
    );
    let mut tried = 0;
    let mut attempt = |input: &[u8]| {
        tried += 1;
        fs::write(last, input).unwrap_or_else(|error| panic!("{}: {error}", last.display()));
        let what = failure(target, input);
        match what {
            None => Ok(()),
            Some(what) => Err(Found {
                input: shorten(target, input),
                what,
            }),
        }
    };
    for input in &corpus {
        attempt(input)?;
    }
    let mut mutator = Mutator::new(seed, corpus);
    for changed in 0.. {
        if changed >= LEAST && begun.elapsed() >= time {
            break;
        }
        attempt(&mutator.next_input())?;
    }
    // Nothing is left behind where nothing was found.
    let _ = fs::remove_file(last);
    Ok(tried)
}

/// The files of a folder, if it is there, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    files
}

/// What is wrong with a run on this input.
fn failure(target: &Target, input: &[u8]) -> Option<String> {
    let begun = Instant::now();
    match catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Some(format!("panicked: {}", text.unwrap_or("without a text")))
        }
        Ok(()) if begun.elapsed() > PATIENCE => Some(format!("took {:?}", begun.elapsed())),
        Ok(()) => None,
    }
}

/// Leaves out parts while the target still fails, for ten seconds at most.
fn shorten(target: &Target, input: &[u8]) -> Vec<u8> {
    let begun = Instant::now();
    let mut shortest = input.to_vec();
    let mut part = shortest.len() / 2;
    while part > 0 {
        let mut at = 0;
        while at < shortest.len() && begun.elapsed() < Duration::from_secs(10) {
            let mut shorter = shortest.clone();
            shorter.drain(at..(at + part).min(shortest.len()));
            if failure(target, &shorter).is_some() {
                shortest = shorter;
            } else {
                at += part;
            }
        }
        part /= 2;
    }
    shortest
}
