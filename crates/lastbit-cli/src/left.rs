//! Asks before a release takes much of what a ledger has left.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;

use anyhow::{Result, bail};
use lastbit_release::clean;
pub use lastbit_release::left::{Left, Part, account};
use lastbit_release::present::warning;

use crate::streams::say;

/// What somebody on a terminal is asked before a release.
#[derive(Debug, Default)]
pub struct Question(Vec<String>);

impl Question {
    /// Whether to spend more than half of what is left, or a loss that protects little. There is
    /// no question about what will be refused.
    pub fn about(left: &Left) -> Question {
        match left.part() {
            Part::TooMuch => Question::default(),
            _ if left.refused.is_some() => Question::default(),
            _ => {
                let sentences = [warning(&left.loss), left.warning()];
                Question(sentences.into_iter().flatten().collect())
            }
        }
    }

    /// Whether to release a plan for the first time; the two commands that find mistakes take this
    /// path.
    pub fn first(mut self, plan: &Path, left: &Left) -> Question {
        if left.part() != Part::TooMuch && left.refused.is_none() {
            let plan = clean::path(plan);
            self.0.push(format!(
                "This plan was not released from this ledger before. Mistakes in it cost as much \
                 as what is right: `lastbit inspect {plan} --not-private` shows you alone what the \
                 data do to it (categories that never match, cells cut to their bounds), and \
                 `lastbit rehearse {plan}` what the report will look like. Neither spends anything."
            ));
        }
        self
    }

    /// Whether to go on; said with `first` before. It asks only if there is something to ask.
    pub fn is_agreed(&self, first: Option<&str>) -> bool {
        let sentences = first
            .into_iter()
            .chain(self.0.iter().map(String::as_str))
            .collect::<Vec<_>>();
        for sentence in &sentences {
            say(sentence);
        }
        sentences.is_empty() || agrees()
    }

    /// Asks before anything is read, if somebody can answer.
    pub fn ask(&self) -> Result<()> {
        match !is_somebody_there() || self.is_agreed(None) {
            true => Ok(()),
            false => bail!("nothing was read or spent; --yes goes on without asking"),
        }
    }
}

/// Says where nobody was asked that a release protects little, that it bought again what was
/// published, and what it took of a ledger and what is left there, if it took more than half.
pub fn tell(before: &Left, ledger: &Path) {
    let again = before.again.as_ref().map(|again| again.words());
    for sentence in [warning(&before.loss), again].into_iter().flatten() {
        say(&sentence);
    }
    let now = account(ledger).ok().flatten();
    let Some(now) = now.and_then(|now| now.remaining_in(before.loss.measure)) else {
        return;
    };
    if let Some(sentence) = before.spent(ledger, &now) {
        say(&sentence);
    }
}

/// Whether somebody can be asked: standard input and standard error are a terminal.
pub fn is_somebody_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks whether to go on; no answer is a no.
fn agrees() -> bool {
    say("Go on? Type yes:");
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && answer.trim().eq_ignore_ascii_case("yes")
}
