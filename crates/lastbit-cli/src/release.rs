//! `lastbit release`: from a table and a plan to published numbers.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lastbit_release::clean;
use lastbit_release::engine::Progress;
use lastbit_release::ledger::in_directory;
use lastbit_release::left::price_at;
use lastbit_release::plan::Plan;
use lastbit_release::present::{PublishedStatistic, Report};
use lastbit_release::release::{At, Changed, ReleaseError, Released, release_asking, remember};

use crate::engine::engine;
use crate::forms::Forms;
use crate::ledger::warn_if_exposed;
use crate::left::{Left, Question, is_somebody_there, tell};
use crate::output::Guard;
use crate::streams::{Stdout, say};

const TEACH: &str = "\
Prices the plan, reads the data, spends the loss in the ledger, adds noise, stores what is \
published in the ledger, and only then prints it. Data that cannot be read cost nothing, nor does \
a release that is interrupted while they are; later it has spent its loss and published nothing. \
The same plan on the same data again returns what was published before, at no cost. On a terminal \
it asks before it releases a plan for the first time, and before it spends again because the data \
changed since the same was released, and says then if that is more than half of what is left or a \
loss that protects little; elsewhere it goes on, and says what it spent and what is left. \
`lastbit plan` shows beforehand what it will cost and how exact it will be, and `lastbit rehearse` \
what the report will look like.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Release {
    /// The plan
    plan: PathBuf,

    /// The ledger; one per data set [default: the one beside the plan; if there is none yet,
    /// lastbit.ledger]
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,

    #[command(flatten)]
    forms: Forms,

    /// Do not ask before a plan is released for the first time, or again on changed data
    #[arg(long)]
    yes: bool,

    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

impl Release {
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        self.forms.check()?;
        let plan = Plan::read(&self.plan)?;
        let place = LedgerPlace::of(&self.plan, self.ledger.as_deref())?;
        let ledger = place.path()?;
        warn_if_exposed(&ledger);
        let mut guard = Guard::new(&self.plan, &plan);
        guard.add_ledger(&ledger);
        let forms = self.forms.prepare(&guard)?;
        // The release itself reports what is wrong with the plan or the ledger.
        let mut left = price_at(&plan, &ledger).ok().map(|(_, left)| left);
        let mut question = left
            .as_ref()
            .map_or_else(Question::default, Question::about);
        if let Some(left) = &mut left {
            remember(&plan, &ledger, left);
        }
        // On the same data it is free, and on changed data it asks what is to ask then.
        if let (false, Some(left @ Left { before: None, .. })) = (self.yes, &left) {
            Question::about(left).first(&self.plan, left).ask()?;
            question = Question::default();
        }
        let bar = self.bar();
        let mut go_on =
            |changed: &Changed| bar.suspend(|| goes_on(changed, &question, self.yes, self.quiet));
        let released = released(&plan, &place, progress(&bar), &mut go_on);
        bar.finish_and_clear();
        let released = released?;
        match &released {
            Released::Stored { row, time, .. } if !self.quiet => say(&format!(
                "This plan was released on these data before: row {row} of the ledger, {time}. The \
                 same numbers again, at no cost."
            )),
            Released::Stored { .. } => {}
            Released::New(_) => {
                // Who was asked knows.
                let told = if self.yes {
                    self.quiet
                } else {
                    is_somebody_there()
                };
                if !told && let Some(left) = &left {
                    tell(left, &ledger);
                }
                if !self.quiet {
                    doubt(released.report(), &self.plan);
                }
            }
        }
        let shown = forms.show(released.report(), out);
        // The process ends: to free millions of cells one by one would take longer than to write
        // them.
        std::mem::forget(released);
        shown
    }

    /// A bar on a terminal; nothing if the output goes to a file or a pipe.
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

/// Says of which tables every number is noise: that is seldom what a steward expects. It is told
/// from what is published alone.
fn doubt(report: &Report, plan: &Path) {
    let is_noise = |one: &&PublishedStatistic| {
        one.cells.len() > 1 && one.cells.iter().all(|cell| cell.too_noisy)
    };
    for one in report.statistics.iter().filter(is_noise) {
        say(&format!(
            "No number of \"{}\" says more than its noise. If that is not what you expect: \
             `lastbit inspect {} --not-private` shows you alone whether its categories occur as \
             they are written in the plan.",
            clean::visible(&one.name),
            clean::path(plan)
        ));
    }
}

/// Where the ledger is.
pub enum LedgerPlace {
    /// Where `--ledger` says.
    File(PathBuf),
    /// In the plan's directory, so that all plans in it spend from one budget.
    Directory(PathBuf),
}

impl LedgerPlace {
    /// Where `--ledger` says, or else in the directory of the plan.
    pub fn of(plan: &Path, ledger: Option<&Path>) -> Result<LedgerPlace> {
        Ok(match ledger {
            Some(path) => LedgerPlace::File(path.to_owned()),
            None => LedgerPlace::Directory(home(plan)?),
        })
    }

    pub fn path(&self) -> Result<PathBuf> {
        Ok(match self {
            LedgerPlace::File(path) => path.clone(),
            LedgerPlace::Directory(directory) => in_directory(directory)?,
        })
    }
}

/// The directory of a plan. A link from another directory is refused: two directories have two
/// ledgers, and nobody can know which one is meant.
fn home(plan: &Path) -> Result<PathBuf> {
    let parent = |path: &Path| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let directory = parent(plan);
    let cannot = || format!("{}: its directory cannot be found", clean::path(plan));
    let real = plan.canonicalize().with_context(cannot)?;
    if directory.canonicalize().with_context(cannot)? != parent(&real) {
        bail!(
            "{}: this is a link to {}, in another directory, and each could have the ledger; say \
             which ledger with --ledger",
            clean::path(plan),
            clean::path(&real)
        );
    }
    Ok(directory)
}

/// Shows the part that was read, but not the number of rows, which is a fact about the data.
fn progress(bar: &ProgressBar) -> Progress {
    let bar = bar.clone();
    Arc::new(move |_, part| {
        if let Some(part) = part {
            bar.set_position((1000.0 * part) as u64);
        }
    })
}

/// Says that the data changed, and asks whether to spend again, if somebody can answer; in one
/// question with whatever else there is to ask.
pub fn goes_on(changed: &Changed, question: &Question, yes: bool, quiet: bool) -> bool {
    let sentence = changed.to_string();
    if !yes && is_somebody_there() {
        return question.is_agreed(Some(&sentence));
    }
    if !quiet || !yes {
        say(&sentence);
    }
    true
}

/// Progress that is not shown.
pub fn silent() -> Progress {
    Arc::new(|_, _| {})
}

/// Releases a plan through its ledger.
pub fn released(
    plan: &Plan,
    place: &LedgerPlace,
    progress: Progress,
    go_on: &mut dyn FnMut(&Changed) -> bool,
) -> Result<Released> {
    let engine = engine(plan)?;
    let at = match place {
        LedgerPlace::File(path) => At::File(path),
        LedgerPlace::Directory(directory) => At::Directory(directory),
    };
    release_asking(plan, at, engine.as_ref(), progress, go_on).map_err(|error| match error {
        ReleaseError::Declined => anyhow!("{error}; --yes goes on without asking"),
        error => error.into(),
    })
}
