//! Asks before a release takes much of what a ledger has left.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;

use anyhow::{Result, bail};
pub use lastbit_release::left::{Left, Part, account};
use lastbit_release::present::warning;

use crate::streams::say;

/// Asks on a terminal whether to spend more than half of what is left, or a loss that protects
/// little. It asks only if somebody can answer.
pub fn ask(left: &Left) -> Result<()> {
    if left.part() == Part::TooMuch || !is_somebody_there() {
        return Ok(());
    }
    let warnings = [warning(&left.loss), left.warning()];
    if warnings.iter().all(Option::is_none) {
        return Ok(());
    }
    for warning in warnings.iter().flatten() {
        say(warning);
    }
    say("(It costs nothing if this plan was released on these data before.)");
    match agrees() {
        true => Ok(()),
        false => bail!("nothing was read or spent; --yes goes on without asking"),
    }
}

/// Says what a release took of a ledger, and what is left there, if it took more than half.
pub fn tell(before: &Left, ledger: &Path) {
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
pub fn agrees() -> bool {
    say("Go on? Type yes:");
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
