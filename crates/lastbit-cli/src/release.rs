//! `lastbit release`: from a table and a plan to published numbers.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lastbit_release::plan::Plan;
use lastbit_release::release::{Progress, Released};
use lastbit_release::report;

use crate::plan::write_file;

const TEACH: &str = "\
Prices the plan, spends its loss in the ledger, reads the data once, adds noise, stores what is
published in the ledger, and only then prints it. A release that is interrupted has spent its
loss and published nothing. The same plan on the same data again returns what was published
before, at no cost. `lastbit plan` shows beforehand what it will cost and how exact it will be.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Release {
    /// The plan
    plan: PathBuf,

    /// The ledger; one per data set [default: the one beside the plan; if there is none yet, PLAN.ledger]
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,

    /// Print the report for programs
    #[arg(long)]
    json: bool,

    /// Write the numbers for spreadsheets to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write the report as one page to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

impl Release {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let plan = Plan::read(&self.plan)?;
        let ledger = match &self.ledger {
            Some(path) => path.clone(),
            None => ledger_beside(&self.plan)?,
        };
        let bar = self.bar();
        let released = released(&plan, &ledger, progress(&bar));
        bar.finish_and_clear();
        let released = released?;
        let report = released.report();
        if let Released::Stored { row, time, .. } = &released
            && !self.quiet
        {
            eprintln!(
                "This plan was released on these data before: row {row} of the ledger, {time}. The same numbers again, at no cost."
            );
        }
        if let Some(path) = &self.csv {
            write_file(path, &report::csv(report))?;
        }
        if let Some(path) = &self.html {
            write_file(path, &report::html(report))?;
        }
        if self.json {
            writeln!(out, "{}", report::to_json(report))?;
        } else {
            write!(out, "{}", report::text(report))?;
        }
        Ok(())
    }

    /// A bar on a terminal; nothing where the output goes to a file or a pipe.
    fn bar(&self) -> ProgressBar {
        if self.quiet || !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(1000);
        bar.enable_steady_tick(Duration::from_millis(200));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:40} {percent:>3} %") {
            bar.set_style(style);
        }
        bar
    }
}

/// The ledger in the plan's directory, so that all plans beside each other spend from one budget.
fn ledger_beside(plan: &Path) -> Result<PathBuf> {
    let directory = match plan.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut found = Vec::new();
    let cannot = || format!("cannot look for a ledger in {}", directory.display());
    for entry in std::fs::read_dir(directory).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "ledger")
        {
            found.push(path);
        }
    }
    found.sort();
    match found.as_slice() {
        [] => Ok(plan.with_extension("ledger")),
        [only] => Ok(only.clone()),
        several => bail!(
            "several ledgers lie beside the plan: {}; one data set has one ledger, say which with --ledger",
            several
                .iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// The part that was read. Not how many rows: their number is a fact about the data.
fn progress(bar: &ProgressBar) -> Progress {
    let bar = bar.clone();
    Arc::new(move |_, part| {
        if let Some(part) = part {
            bar.set_position((1000.0 * part) as u64);
        }
    })
}

#[cfg(feature = "datafusion")]
fn released(plan: &Plan, ledger: &Path, progress: Progress) -> Result<Released> {
    let engine = lastbit_release::release::TableEngine::default();
    Ok(lastbit_release::release::release(
        plan, ledger, &engine, progress,
    )?)
}

#[cfg(not(feature = "datafusion"))]
fn released(_: &Plan, _: &Path, _: Progress) -> Result<Released> {
    anyhow::bail!(
        "this lastbit was built without the engine that reads tables; build it with the feature `datafusion`"
    )
}
