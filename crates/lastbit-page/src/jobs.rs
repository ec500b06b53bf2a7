//! Releases under way, and rehearsals that were made: what a tab may ask about again.
//!
//! A release goes on when its tab is closed, and ends with the process; whatever happens, the
//! ledger decides what was spent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lastbit_release::present::Report;
use serde_json::{Value, json};

/// The most rehearsals that are kept.
const MOST_REHEARSALS: usize = 8;

/// The most ended releases that are remembered.
const MOST_JOBS: usize = 64;

/// What was started.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    next: u64,
    jobs: BTreeMap<u64, (Confirmed, Arc<Job>)>,
    rehearsals: BTreeMap<u64, Arc<Report>>,
}

/// What was confirmed: a plan by its name and text, and what it releases. The identity of a release
/// alone leaves out which files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// The name of the plan.
    pub name: String,
    /// The hash of its text.
    pub hash: String,
    /// The identity of the release.
    pub identity: String,
}

impl Kept {
    fn under_way(&self, confirmed: &Confirmed) -> Option<u64> {
        let mut jobs = self.jobs.iter();
        jobs.find(|(_, (own, job))| own == confirmed && !job.has_ended())
            .map(|(number, _)| *number)
    }
}

/// A release.
#[derive(Debug, Default)]
pub struct Job(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    part: f64,
    end: Option<End>,
}

/// How a release ended.
#[derive(Debug)]
#[cfg_attr(not(feature = "engine"), allow(dead_code))]
pub enum End {
    /// With numbers.
    Done(Value),
    /// With a question to answer first; nothing was spent.
    Question(Value),
    /// In words.
    Failed(String),
}

impl Jobs {
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The release that was confirmed as this and is under way, by its number.
    pub fn under_way(&self, confirmed: &Confirmed) -> Option<u64> {
        self.kept().under_way(confirmed)
    }

    /// Whether a release of this identity is under way.
    pub fn is_under_way(&self, identity: &str) -> bool {
        let kept = self.kept();
        let mut jobs = kept.jobs.values();
        jobs.any(|(own, job)| own.identity == identity && !job.has_ended())
    }

    /// A new release, under a number; or the number of the one that was confirmed as the same and
    /// is under way, to wait for in its place: what two tabs confirm at once is paid once.
    pub fn start(&self, confirmed: &Confirmed) -> Result<(u64, Arc<Job>), u64> {
        let mut kept = self.kept();
        if let Some(number) = kept.under_way(confirmed) {
            return Err(number);
        }
        kept.next += 1;
        let number = kept.next;
        let job = Arc::new(Job::default());
        kept.jobs.insert(number, (confirmed.clone(), job.clone()));
        let ended: Vec<u64> = kept
            .jobs
            .iter()
            .filter(|(_, (_, job))| job.has_ended())
            .map(|(number, _)| *number)
            .collect();
        let many = kept.jobs.len().saturating_sub(MOST_JOBS);
        for number in ended.into_iter().take(many) {
            kept.jobs.remove(&number);
        }
        Ok((number, job))
    }

    /// A release by its number.
    pub fn job(&self, number: u64) -> Option<Arc<Job>> {
        self.kept().jobs.get(&number).map(|(_, job)| job.clone())
    }

    /// Keeps a rehearsal, under a number.
    pub fn keep(&self, report: Report) -> u64 {
        let mut kept = self.kept();
        kept.next += 1;
        let number = kept.next;
        kept.rehearsals.insert(number, Arc::new(report));
        while kept.rehearsals.len() > MOST_REHEARSALS {
            kept.rehearsals.pop_first();
        }
        number
    }

    /// A rehearsal by its number.
    pub fn rehearsal(&self, number: u64) -> Option<Arc<Report>> {
        self.kept().rehearsals.get(&number).cloned()
    }
}

impl Job {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_ended(&self) -> bool {
        self.state().end.is_some()
    }

    /// Which part of the table was read.
    pub fn read(&self, part: f64) {
        self.state().part = part;
    }

    /// How it ended.
    pub fn end(&self, end: End) {
        self.state().end = Some(end);
    }

    /// For the script.
    pub fn json(&self) -> Value {
        let state = self.state();
        match &state.end {
            None => json!({ "part": state.part }),
            Some(End::Done(done)) => json!({ "part": 1, "done": done }),
            Some(End::Question(question)) => json!({ "part": state.part, "question": question }),
            Some(End::Failed(error)) => json!({ "part": state.part, "error": error }),
        }
    }
}
