//! Certificates as Coq files: written by the command, compiled against the proofs, and refused when
//! a digit is changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::{assumptions, coqc, lock, source};
use crate::run;

/// Precision, epsilon, sensitivity and bound of the shipped mechanism.
const SETTINGS: [(u32, &str, &str, &str); 26] = [
    (8, "1", "1", "1.5"),
    (8, "0.7", "1", "2.5"),
    (9, "1", "1", "3"),
    (9, "0.9", "2", "5"),
    (10, "1.99", "1", "2"),
    (11, "1", "1", "10"),
    (11, "0.1", "1", "100"),
    (12, "3", "1", "2"),
    (16, "1", "1", "100"),
    (16, "0.33", "1", "7"),
    (20, "0.5", "1", "4000"),
    (24, "1", "1", "1000"),
    (24, "0.001", "1", "1e6"),
    (32, "0.2", "5", "1e6"),
    (40, "1.5", "1", "12345"),
    (53, "1", "1", "1000"),
    (53, "0.1", "1", "1000"),
    (53, "0.693", "1", "1e12"),
    (53, "1e-6", "1", "1e9"),
    (53, "1", "1", "70368744177663"),
    (64, "1", "1", "1e9"),
    (80, "0.7", "3", "1e15"),
    (100, "2", "1", "1e6"),
    (113, "1", "1", "1e20"),
    (118, "0.3", "1", "1e30"),
    (118, "1", "1", "1000.1"),
];

/// Precision, name and parameters of programs of the language: a division in place of a product, a
/// scaled input with and without rounding, no inner clamp.
const PROGRAMS: [(u32, &str, &[&str]); 4] = [
    (53, "snapping_by_division", &["--epsilon", "0.3"]),
    (
        24,
        "snapping_scaled",
        &["--epsilon", "0.7", "--sensitivity", "3"],
    ),
    (
        53,
        "snapping_scaled",
        &["--epsilon", "1", "--sensitivity", "4"],
    ),
    (40, "snapping_without_inner_clamp", &["--epsilon", "0.5"]),
];

/// The file in which one digit of each line is changed in turn: 24 bits, a program that rounds its
/// input.
const TAMPERED: usize = SETTINGS.len() + 1;

/// The file in which the bound is changed: at 118 bits its last digit is beyond all that the other
/// numbers have.
const LONG_BOUND: usize = SETTINGS.len() - 1;

/// Compiles one file for each setting, and checks its number against the certificate.
pub fn check(proofs: &Path) -> Result<String> {
    let start = Instant::now();
    let directory = proofs.join("certificates");
    fs::create_dir_all(&directory)?;
    let files = write(&directory)?;
    in_parallel(&files, |file| {
        let output = coqc(proofs, file)
            .output()
            .context("could not start coqc")?;
        if !output.status.success() {
            bail!(
                "{}: {}",
                file.display(),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(())
    })?;
    // One stands for all: they differ in numbers only.
    let one = ("Lastbit.certificates", "setting_0", "loss");
    assumptions::within(proofs, one, "snapping_closed")?;
    let mut changed = tamper(&directory, &files[TAMPERED], "")?;
    changed.extend(tamper(&directory, &files[LONG_BOUND], "bound :=")?);
    in_parallel(&changed, |file| {
        if coqc(proofs, file).output()?.status.success() {
            bail!("{}: a digit is changed, and it compiles", file.display());
        }
        Ok(())
    })?;
    Ok(format!(
        "{} certificates proved and {} with a changed digit refused, in {:.1} s",
        files.len(),
        changed.len(),
        start.elapsed().as_secs_f64()
    ))
}

/// Has the command write each certificate as JSON and as a Coq file; both must state the same loss.
fn write(directory: &Path) -> Result<Vec<PathBuf>> {
    let shipped = SETTINGS
        .iter()
        .map(|(precision, epsilon, sensitivity, bound)| {
            let numbers = [
                "--epsilon",
                epsilon,
                "--sensitivity",
                sensitivity,
                "--bound",
                bound,
            ];
            (precision, numbers.map(str::to_owned).to_vec())
        });
    let programs = PROGRAMS.iter().map(|(precision, name, parameters)| {
        let file = format!("crates/lastbit-verify/programs/{name}.lb");
        let mut arguments = vec!["--program".to_owned(), file];
        arguments.extend(parameters.iter().map(|&p| p.to_owned()));
        (precision, arguments)
    });
    let mut files = Vec::new();
    for (index, (precision, arguments)) in shipped.chain(programs).enumerate() {
        let coq = directory.join(format!("setting_{index}.v"));
        let json = directory.join(format!("setting_{index}.json"));
        // A profile that the tests have built the command with.
        let mut cargo = run::cargo();
        cargo.args(
            "run -q --locked --profile test -p lastbit-cli --bin lastbit -- verify snapping --json"
                .split(' '),
        );
        let output = cargo
            .args(&arguments)
            .args(["--precision", &precision.to_string()])
            .arg("--coq")
            .arg(&coq)
            .arg("--certificate")
            .arg(&json)
            .output()
            .context("could not start lastbit")?;
        if !output.status.success() {
            bail!(
                "{}: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let (stated, certified) = (fs::read_to_string(&coq)?, fs::read_to_string(&json)?);
        if source::stated_loss(&stated).is_none()
            || source::stated_loss(&stated) != source::certified_loss(&certified)
        {
            bail!(
                "{} and {} state different losses",
                coq.display(),
                json.display()
            );
        }
        files.push(coq);
    }
    Ok(files)
}

/// Copies of a file, each with one digit of one line that has the words changed: the last digit of
/// the line, to another one.
fn tamper(directory: &Path, file: &Path, words: &str) -> Result<Vec<PathBuf>> {
    let text = fs::read_to_string(file)?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut files = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if !line.contains(words) {
            continue;
        }
        let Some(place) = line.rfind(|c: char| c.is_ascii_digit()) else {
            continue;
        };
        let changed = match (&line[place..=place], index % 2) {
            ("0", _) | ("2", 0) => "1",
            ("1", _) => "2",
            ("9", _) | ("7", _) => "8",
            ("8", 0) => "9",
            ("8", _) | ("6", 0) => "7",
            ("6", _) | ("4", _) => "5",
            ("5", 0) => "6",
            ("5", _) => "4",
            _ => "0",
        };
        let copy = directory.join(format!("{name}_changed_{index}.v"));
        let changed = format!("{}{changed}{}", &line[..place], &line[place + 1..]);
        let lines: Vec<_> = text
            .lines()
            .enumerate()
            .map(|(i, line)| if i == index { changed.as_str() } else { line })
            .collect();
        fs::write(&copy, lines.join("\n") + "\n")?;
        files.push(copy);
    }
    if files.is_empty() {
        bail!("{}: nothing to change", file.display());
    }
    Ok(files)
}

/// Runs a check on each file, on all cores; the first error.
fn in_parallel(files: &[PathBuf], check: impl Fn(&Path) -> Result<()> + Sync) -> Result<()> {
    let queue = Mutex::new((files.iter(), Ok(())));
    let cores = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let next = {
                        let mut queue = lock(&queue);
                        if queue.1.is_err() {
                            None
                        } else {
                            queue.0.next()
                        }
                    };
                    let Some(file) = next else { break };
                    if let Err(error) = check(file) {
                        lock(&queue).1 = Err(error);
                    }
                }
            });
        }
    });
    queue
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .1
}
