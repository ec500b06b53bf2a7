//! `lastbit draft`: a plan to fill in.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::streams::Stdout;

const TEACH: &str = "\
Writes a commented plan to standard output, with everything that only a person can decide marked \
FILL IN. Such a plan is refused, and costs nothing, until it is filled in. The draft is made from \
the header of CSV, the schema of Parquet, or the names in the first lines of JSON lines. No cell \
is kept, so nothing in the draft is a fact about anybody. (The first line of CSV is taken as \
names: in a file without a header it would be the first row. It is refused where a name is a \
number, empty or there twice.)";

const EXAMPLES: &str = "\
Example:
  lastbit draft wages.parquet > plan.toml";

/// The most columns whose sections are written out; those of more are comments.
#[cfg(feature = "engine")]
const MOST_OPEN: usize = 8;

#[derive(Args)]
#[command(before_long_help = TEACH, after_long_help = EXAMPLES)]
pub struct Draft {
    /// A table: CSV, Parquet or JSON lines, by its name, relative to the plan's directory
    file: PathBuf,
}

impl Draft {
    #[cfg(feature = "engine")]
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        use anyhow::{anyhow, bail};
        use lastbit_release::clean;
        use lastbit_release::engine::{EngineError, declared, declared_from, delimiter};
        use lastbit_release::plan::{self, FileFormat};
        use std::io::Write as _;

        let Some(name) = self.file.to_str() else {
            bail!(
                "{}: a plan is UTF-8 text, and this name is not; rename the file",
                clean::path(&self.file)
            );
        };
        let mut source = plan::Files::of_file(name).map_err(|_| {
            anyhow!(
                "{}: the name does not tell how the file is written; rename it, or a copy, so that \
                 it ends in .csv, .tsv, .parquet or .jsonl",
                clean::path(&self.file)
            )
        })?;
        let other = delimiter(&source);
        if let (Some(other), FileFormat::Csv { delimiter, .. }) = (other, &mut source.format) {
            *delimiter = other;
        }
        let columns = declared(&source).map_err(|error| match error {
            EngineError::NoFile(_) => {
                anyhow!("no file at `{}`; check the path", clean::path(&self.file))
            }
            other => other.into(),
        })?;
        let read = declared_from(&source.format);
        let draft = plan::draft(name, other, read, &columns, MOST_OPEN);
        write!(out, "{draft}")?;
        Ok(())
    }

    #[cfg(not(feature = "engine"))]
    pub fn run(self, _: &mut Stdout) -> Result<()> {
        let _ = self.file;
        anyhow::bail!(
            "this lastbit was built without the engine that reads tables; build it with the \
             feature `engine`"
        )
    }
}
