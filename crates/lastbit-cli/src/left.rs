//! Asks before a release takes much of what a ledger has left.

use std::io::{self, BufRead, IsTerminal};

use anyhow::{Result, bail};
pub use lastbit_release::left::{Left, Part, account};

use crate::streams::say;

/// Asks on a terminal whether to spend more than half of what is left. It asks only if somebody can
/// answer.
pub fn ask(left: &Left) -> Result<()> {
    let Some(warning) = left.warning().filter(|_| left.part() != Part::TooMuch) else {
        return Ok(());
    };
    if !is_somebody_there() {
        return Ok(());
    }
    say(&warning);
    say("(It costs nothing if this plan was released on these data before.)");
    match agrees() {
        true => Ok(()),
        false => bail!("nothing was read or spent; --yes goes on without asking"),
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
