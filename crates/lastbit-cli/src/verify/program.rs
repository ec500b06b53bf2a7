//! `lastbit verify program FILE`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use lastbit_verify::language::parse;

#[derive(Args)]
pub struct Program {
    /// The text of the program
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Program {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let name = self.file.display();
        let text = fs::read_to_string(&self.file).with_context(|| format!("cannot read {name}"))?;
        let program =
            parse(&text).map_err(|error| anyhow!("{name}:{}", error.with_source(&text)))?;
        write!(out, "{program}")?;
        Ok(())
    }
}
