//! `lastbit rehearse`: a release of rows invented from the plan alone.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lastbit_release::clean;
use lastbit_release::plan::Plan;
use lastbit_release::release::rehearse;

use crate::engine::check_names;
use crate::forms::Forms;
use crate::output::Guard;
use crate::streams::Stdout;

const TEACH: &str = "\
Shows what a release will look like, in every form, before it costs anything. Rows are made up \
from the plan alone: its bounds, bins, categories and expected rows. Each statistic has as \
many rows as `lastbit plan` assumes for its error. No row is read, no ledger is opened, nothing is \
spent, and every form says that its numbers are invented. Of files that are there the names of \
columns are read: a misspelt one is refused.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Rehearse {
    /// The plan
    plan: PathBuf,

    #[command(flatten)]
    forms: Forms,
}

impl Rehearse {
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        self.forms.check()?;
        let plan = Plan::read(&self.plan)?;
        check_names(&plan)?;
        let forms = self.forms.prepare(&Guard::new(&self.plan, &plan))?;
        let report = rehearse(&plan)
            .map_err(|error| anyhow::anyhow!("{}: {error}", clean::path(&self.plan)))?;
        forms.show(&report, out)
    }
}
