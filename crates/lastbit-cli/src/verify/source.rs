//! How programs and certificates are read: regular files of a bounded size, or standard input.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use lastbit_exact::Rational;
use lastbit_verify::language::{Checked, Diagnostic, LIBRARY, library, parse};
use lastbit_verify::semantics::Instance;

use lastbit_release::clean::{path, shown};

/// The most bytes of a program: thousands of lines.
const MOST_PROGRAM: u64 = 1 << 18;

/// The most bytes of a certificate: those of 1000 bits and the largest bound take 4 MB.
const MOST_CERTIFICATE: u64 = 1 << 24;

/// The text of a certificate; `-` is standard input.
pub fn certificate(file: &Path) -> Result<String> {
    read(file, MOST_CERTIFICATE)
}

/// A program, and its name in messages.
pub struct Source {
    pub name: String,
    text: String,
}

impl Source {
    /// Reads a program; `-` is standard input.
    pub fn read(file: &Path) -> Result<Source> {
        Ok(Source {
            name: path(file),
            text: read(file, MOST_PROGRAM)?,
        })
    }

    /// The same, or one that ships with the command, by its name.
    pub fn read_or_shipped(file: &Path) -> Result<Source> {
        if file.as_os_str() == "-" || file.exists() {
            return Source::read(file);
        }
        let name = path(file);
        match file.to_str().and_then(library) {
            Some(text) => Ok(Source {
                name,
                text: text.to_owned(),
            }),
            None => {
                let shipped: Vec<&str> = LIBRARY.iter().map(|(name, _)| *name).collect();
                let shipped = shipped.join(", ");
                Err(anyhow!(
                    "cannot read {name}: no such file; the programs that ship with the command are \
                     {shipped}"
                ))
            }
        }
    }

    /// The checked program, or all that is wrong with it.
    pub fn checked(&self) -> Result<Checked> {
        let program = parse(&self.text).map_err(|error| anyhow!(self.located(&error)))?;
        Checked::new(program).map_err(|errors| {
            let errors: Vec<String> = errors
                .iter()
                .take(MOST_ERRORS)
                .map(|e| self.located(e))
                .collect();
            anyhow!(errors.join("\nerror: "))
        })
    }

    /// The program with values for its parameters.
    pub fn instance(
        &self,
        checked: Checked,
        values: &BTreeMap<String, Rational>,
    ) -> Result<Instance> {
        Instance::new(checked, values).map_err(|error| self.error(&error.to_string()))
    }

    /// A message about the program as a whole.
    pub fn error(&self, message: &str) -> anyhow::Error {
        anyhow!("{}: {}", self.name, shown(message))
    }

    /// A message with its place in the source, and the line that it is about.
    pub fn located(&self, problem: &Diagnostic) -> String {
        format!("{}:{}", self.name, problem.with_source(&self.text, shown))
    }
}

/// More errors of one program are useless before these are mended.
const MOST_ERRORS: usize = 20;

/// Only files are opened by name: a pipe or a device may never end, or never begin.
fn read(file: &Path, most: u64) -> Result<String> {
    if file.as_os_str() == "-" {
        return limited(io::stdin().lock(), most).context("cannot read standard input");
    }
    let cannot = || format!("cannot read {}", path(file));
    if !fs::metadata(file).with_context(cannot)?.is_file() {
        bail!(
            "{} is not a regular file; name a file, or write - to read standard input",
            path(file)
        );
    }
    limited(File::open(file).with_context(cannot)?, most).with_context(cannot)
}

fn limited(from: impl Read, most: u64) -> Result<String> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        bail!("it has more than {most} bytes, which no program or certificate of ours has");
    }
    String::from_utf8(bytes).map_err(|_| anyhow!("it is not text in UTF-8"))
}
