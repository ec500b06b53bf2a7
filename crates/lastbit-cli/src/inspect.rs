//! `lastbit inspect`: what the data do to a plan, for the steward alone.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use lastbit_release::inspect::{inspect_not_private, lines};
use lastbit_release::plan::Plan;

use crate::Usage;
use crate::engine::engine;
use crate::streams::Stdout;

const TEACH: &str = "\
Finds the mistakes of a plan that only the data show: listed categories that do not occur, cells \
that are cut to their bounds, missing or not listed, rows and units that the limits leave out.

THIS IS NOT PRIVATE. It shows exact facts about the data, adds no noise, and spends nothing from \
the ledger. It is for whoever holds the data anyway. Do not publish what it prints, and do not \
choose bounds, categories or limits by it: a choice that depends on the data is a fact about them \
that no loss accounts for. Use it to find out what to ask about, and to correct spelling.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Inspect {
    /// The plan
    plan: PathBuf,

    /// Confirm that you know that the output is not private
    #[arg(long)]
    not_private: bool,
}

impl Inspect {
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        if !self.not_private {
            anyhow::bail!(Usage(
                "inspect shows exact facts about the data, which no noise protects; if you hold \
                 the data and will publish nothing of it, add --not-private"
                    .into()
            ));
        }
        self.show(out)
    }

    fn show(self, out: &mut Stdout) -> Result<()> {
        let plan = Plan::read(&self.plan)?;
        let engine = engine(&plan)?;
        let quiet = Arc::new(|_, _| {});
        let inspection = inspect_not_private(&plan, engine.as_ref(), quiet)?;
        for line in lines(&plan, &inspection) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}
