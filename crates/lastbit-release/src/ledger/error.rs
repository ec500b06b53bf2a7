//! What can go wrong with a ledger, each with its remedy.

use std::path::{Path, PathBuf};

use lastbit::solve::{self, Decimal};
use lastbit_exact::Rational;
use lastbit_exact::decimal::{power_of_ten, up};
use lastbit_noise::entropy::EntropyError;

use super::account::Account;
use super::terms::Terms;
use crate::clean::path as name;
use crate::loss::{Loss, LossError, LossMeasure, decimal};

/// Why a ledger did not do what was asked. In every case no loss was given back and no report was
/// stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The budget does not cover the request. Nothing was spent.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// The plan and the ledger disagree about the budget. Nothing was spent.
    #[error(
        "{}: the plan's budget is {plan}, the ledger's is {ledger}; write the ledger's budget into \
         the plan, or change the \
         ledger's with `lastbit ledger budget {} {}`",
        name(path),
        quoted(path),
        options(plan)
    )]
    BudgetDiffers {
        /// The ledger.
        path: PathBuf,
        /// Its budget.
        ledger: Box<Loss>,
        /// The plan's.
        plan: Box<Loss>,
    },
    /// The plan protects something other than the releases before it. Nothing was spent.
    #[error(
        "{}: the plan protects {plan}, and the ledger is about {ledger}; their losses have no sum: \
         protect the same in the plan, or keep \
         another ledger with a budget of its own; what both spend about the same people adds up \
         for these people all the same",
        name(path)
    )]
    ProtectsDiffers {
        /// The ledger.
        path: PathBuf,
        /// What it is about.
        ledger: String,
        /// What the plan protects.
        plan: String,
    },
    /// A budget cannot be lowered below what was spent. Nothing was changed.
    #[error(
        "{}: the budget cannot be lowered to {asked}: {spent} is already spent; choose a budget of \
         at least that",
        name(path)
    )]
    BudgetBelowSpent {
        /// The ledger.
        path: PathBuf,
        /// The budget that was asked for.
        asked: Box<Loss>,
        /// What was spent.
        spent: Box<Loss>,
    },
    /// A loss in another measure than the ledger's. Nothing was spent.
    #[error(
        "{}: the ledger adds losses in the measure {ledger}, not {asked}; state the loss in that \
         measure, or keep another ledger",
        name(path)
    )]
    MeasureDiffers {
        /// The ledger.
        path: PathBuf,
        /// Its measure.
        ledger: LossMeasure,
        /// The measure that was asked for.
        asked: LossMeasure,
    },
    /// A loss to be taken plainly, after releases that compose. Nothing was spent.
    #[error(
        "{}: the releases of this ledger compose, so nothing can be taken plainly from its budget \
         any more; {remaining} is left: run the release again, and it is priced in that",
        name(path)
    )]
    Composes {
        /// The ledger.
        path: PathBuf,
        /// What is left.
        remaining: Box<Loss>,
    },
    /// The plan and the ledger disagree about how losses compose. Nothing was spent.
    #[error(
        "{}: the plan says {plan}, and the ledger has {ledger}; write the ledger's terms into \
         [budget] of the plan, or change them with `lastbit ledger budget`",
        name(path)
    )]
    TermsDiffer {
        /// The ledger.
        path: PathBuf,
        /// Its terms, in words.
        ledger: String,
        /// The plan's.
        plan: String,
    },
    /// Terms that can no longer be changed, or for which no filter is known. Nothing was changed.
    #[error("{}: {why}; nothing was changed", name(path))]
    TermsRefused {
        /// The ledger.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Numbers that are not a loss.
    #[error(transparent)]
    Loss(#[from] LossError),
    /// A loss with more digits than a ledger keeps.
    #[error(
        "a loss of {0} digits is too long for a ledger; round it up to at most {MOST_DIGITS} digits"
    )]
    TooManyDigits(usize),
    /// A directory with more than one ledger. Nothing was spent.
    #[error(
        "several ledgers lie beside the plan: {}; each is a budget for the same people, and one \
         data set has one: find the one with the \
         entries by `lastbit ledger show`, and name it with --ledger, or move the others to \
         another directory",
        .0.iter().map(|path| name(path)).collect::<Vec<_>>().join(", ")
    )]
    Several(Vec<PathBuf>),
    /// There is no such file.
    #[error("{}: there is no ledger here; the first release with a plan makes one", name(.0))]
    Missing(PathBuf),
    /// The directory in which to make a ledger does not exist.
    #[error("{}: the directory does not exist, so no ledger was made; create it first", name(.0))]
    NoDirectory(PathBuf),
    /// The file is something else.
    #[error(
        "{}: {what}, so it is not a ledger; choose another file with --ledger",
        name(path)
    )]
    NotALedger {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: String,
    },
    /// Written by another version of the program.
    #[error(
        "{}: the ledger has format {found}, this program reads format {} and those before it; use \
         the version of lastbit that wrote it",
        name(path),
        super::FORMAT
    )]
    OtherFormat {
        /// The ledger.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// The ledger cannot be written.
    #[error("{}: the ledger cannot be written, so nothing was spent; allow writing to the file and \
             its directory", name(.0))]
    ReadOnly(PathBuf),
    /// The newest entries are in a log that cannot be read without permission to write.
    #[error(
        "{}: the newest entries are in its log (the same name with -wal), which cannot be read \
         where nothing can be written; copy both files to a \
         directory of yours and look at the copy",
        name(.0)
    )]
    LogUnread(PathBuf),
    /// No space is left.
    #[error("{}: no space is left for the ledger, so nothing was written; make space, then try \
             again", name(.0))]
    Full(PathBuf),
    /// The disk could not be read or written.
    #[error(
        "{}: the disk failed ({what}); look at its space and limits",
        name(path)
    )]
    Disk {
        /// The ledger.
        path: PathBuf,
        /// What SQLite said.
        what: String,
    },
    /// Another process holds the ledger for longer than a write takes.
    #[error("{}: the ledger is held by another process; try again when it has ended", name(.0))]
    Busy(PathBuf),
    /// The file has a second name, under which another process would not see what this one writes.
    #[error(
        "{}: the file has another name (a hard link), and processes that open it by different \
         names could overspend it; remove the other name",
        name(.0)
    )]
    SecondName(PathBuf),
    /// The file is mounted by itself, so it has another name where it comes from.
    #[error(
        "{}: this one file is mounted here (a bind mount), and processes that open it by its name \
         elsewhere could overspend it; mount its directory instead",
        name(.0)
    )]
    Mounted(PathBuf),
    /// This file system cannot give a name to a finished file.
    #[error(
        "{}: no ledger could be made here ({reason}); choose a local file system that has hard \
         links",
        name(path)
    )]
    CannotPlace {
        /// The ledger.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// SQLite finds its own structure broken.
    #[error(
        "{}: the ledger is damaged ({what}), so nothing was spent; restore it from a copy",
        name(path)
    )]
    Damaged {
        /// The ledger.
        path: PathBuf,
        /// What SQLite said.
        what: String,
    },
    /// The entries are not those that this program wrote.
    #[error(
        "{}: the ledger was altered ({}), so nothing was spent; restore it from a copy",
        name(path), crate::clean::shown(&fault.to_string())
    )]
    Altered {
        /// The ledger.
        path: PathBuf,
        /// The first thing that is wrong.
        fault: super::Fault,
    },
    /// A ledger was open when this process was forked.
    #[error(
        "{}: this process was forked while a ledger was open, so it knows nothing of who uses it; \
         start processes that release anew (in Python, multiprocessing with \"spawn\" or \
         \"forkserver\")",
        name(.0)
    )]
    Forked(PathBuf),
    /// A reservation of another ledger, or one that is already settled.
    #[error(
        "{}: row {row} is not a reservation of this ledger that waits to be settled",
        name(path)
    )]
    NotReserved {
        /// The ledger.
        path: PathBuf,
        /// The row of the reservation.
        row: i64,
    },
    /// No randomness for the name of a new ledger.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The system or SQLite refused for another reason.
    #[error(
        "{}: {what}; nothing was spent that the ledger does not show",
        name(path)
    )]
    System {
        /// The ledger.
        path: PathBuf,
        /// What was said.
        what: String,
    },
}

/// The most digits of a number in a ledger: a sum of numbers of this length always reads back.
pub const MOST_DIGITS: usize = 1000;

/// A request that the budget does not cover.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the budget does not cover this release, so nothing was spent\n  requested:  {requested}\n  \
     remaining:  {remaining}\n  \
     difference: {}\n{}",
    self.difference(),
    self.remedy()
)]
#[non_exhaustive]
pub struct Refusal {
    /// The ledger.
    pub path: PathBuf,
    /// What was asked for.
    pub requested: Loss,
    /// What is left.
    pub remaining: Loss,
    /// A budget that also covers the request, if one is known, as options of
    /// `lastbit ledger budget`: the smallest if losses add up plainly.
    pub options: Option<String>,
    /// Whether the plan does not say what it may spend, and so asks for all of its budget, however
    /// large that is made.
    pub is_all: bool,
}

impl Refusal {
    /// What is missing: `max(0, requested − remaining)`, part by part.
    pub fn difference(&self) -> Loss {
        self.requested.minus(&self.remaining)
    }

    /// What to do.
    fn remedy(&self) -> String {
        let less = match self.is_all {
            // A larger budget would be asked for as a whole again.
            true => {
                return "say in [spend] what this release may use: without it a plan asks for its \
                        whole budget each time, however large that is"
                    .to_owned();
            }
            false => "ask for less",
        };
        match &self.options {
            None => less.to_owned(),
            Some(options) => format!(
                "{less}, or raise the budget with `lastbit ledger budget {} {options}`, and in the \
                 plan",
                quoted(&self.path)
            ),
        }
    }
}

/// A budget that also covers a loss, as options of `lastbit ledger budget`: the smallest if losses
/// add up plainly, else the ε, to four digits, at which the sum stays within the limit.
pub(super) fn sufficient(account: &Account, loss: &Loss) -> Option<String> {
    let budget = &account.budget;
    let missing = loss.minus(&account.remaining_in(loss.measure)?);
    if loss.measure == budget.measure {
        return Some(options(&budget.plus(&missing).ok()?));
    }
    let composed = account.composed.as_ref()?;
    // More δ for thresholds means more δ in all, so that noise keeps its δ.
    let thresholds = &missing.delta + &composed.terms.thresholds;
    let terms = Terms {
        thresholds,
        ..composed.terms.clone()
    };
    let delta = &budget.delta + &missing.delta;
    let needed = composed.spent.plus(loss).ok()?;
    let enough = |epsilon: Decimal| {
        let left = Loss {
            measure: budget.measure,
            main: epsilon.get(),
            delta: &delta - &account.spent.delta,
        };
        Ok(needed.fits(&terms.limit(&left)))
    };
    let range = Decimal::at_least(&power_of_ten(-6))..=Decimal::at_most(&Rational::from(600i64));
    let epsilon = solve::smallest_where(range, enough).ok()?.get();
    let more = Loss {
        main: epsilon,
        ..Loss::zero(budget.measure)
    };
    let epsilon = up(&account.spent.plus(&more).ok()?.main, 4).max(budget.main.clone());
    let budget = options(&Loss::approximate(epsilon, delta).ok()?);
    Some(match missing.delta.is_zero() {
        true => budget,
        false => format!("{budget} --thresholds {}", decimal(&terms.thresholds)),
    })
}

impl LedgerError {
    /// Whether the budget does not cover the request.
    pub fn is_refused(&self) -> bool {
        matches!(self, LedgerError::Refused(_))
    }

    pub(super) fn from_sqlite(path: &Path, error: rusqlite::Error) -> LedgerError {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        let what = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => LedgerError::Full(path),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => LedgerError::ReadOnly(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::FileLockingProtocolFailed) => {
                LedgerError::Busy(path)
            }
            Some(ErrorCode::NotADatabase) => LedgerError::NotALedger {
                path,
                what: "it is not a SQLite database".into(),
            },
            Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged { path, what },
            Some(ErrorCode::CannotOpen) => LedgerError::ReadOnly(path),
            Some(ErrorCode::SystemIoFailure) => LedgerError::Disk { path, what },
            Some(_) => LedgerError::System { path, what },
            // Without a code of SQLite's own: a value whose type or text the columns cannot hold.
            None => LedgerError::Damaged { path, what },
        }
    }
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = name(path);
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A budget as options of `lastbit ledger budget`.
fn options(budget: &Loss) -> String {
    match budget.measure {
        LossMeasure::Pure => format!("--epsilon {}", decimal(&budget.main)),
        LossMeasure::Zcdp => format!("--rho {}", decimal(&budget.main)),
        _ => format!(
            "--epsilon {} --delta {}",
            decimal(&budget.main),
            decimal(&budget.delta)
        ),
    }
}
