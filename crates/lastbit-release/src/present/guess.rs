//! A loss in words: what somebody can learn about one unit.

use lastbit::conversions::gaussian_to_zcdp;
use lastbit::guess::{approximate_guess, pure_guess, zcdp_guess};
use lastbit_exact::decimal::up as digits_up;
use lastbit_exact::{Rational, Up};

use crate::loss::{Loss, LossMeasure, decimal};
use crate::plan::{Neighbours, Plan};
use crate::schema::Unit;

/// The largest probability, rounded up, of guessing right about one unit after this loss, starting
/// evenly unsure.
pub fn guess(loss: &Loss) -> Up {
    let (main, delta) = (
        Up::from_rational(&loss.main),
        Up::from_rational(&loss.delta),
    );
    match loss.measure {
        LossMeasure::Pure => pure_guess(main),
        LossMeasure::Zcdp => zcdp_guess(main),
        LossMeasure::Approximate => approximate_guess(main, delta),
        // Events of probability δ add at most half of it; all of it is on the safe side.
        LossMeasure::ApproximateZcdp => zcdp_guess(main) + delta,
        LossMeasure::ApproximateGaussian => {
            zcdp_guess(Up::from_rational(&gaussian_to_zcdp(&loss.main))) + delta
        }
    }
}

/// How a loss in words begins.
const IN_WORDS: &str = "In words: ";

/// How a sentence begins that must not be overlooked.
pub const WARNING: &str = "WARNING: ";

/// What a note of a report is about. A stored report has only its words, so this is decided here,
/// where they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// What the loss means.
    Loss,
    /// A warning about the loss.
    Warning,
    /// Anything else.
    Rest,
}

impl About {
    pub fn of(note: &str) -> About {
        match note {
            note if note.starts_with(IN_WORDS) || note.starts_with(TOGETHER) => About::Loss,
            note if note.starts_with(WARNING) => About::Warning,
            _ => About::Rest,
        }
    }
}

/// How the sentence about all releases begins.
const TOGETHER: &str = "All releases about these data together";

/// What the whole budget allows, in a sentence; `None` if one release takes all of it.
pub(super) fn budget_in_words(plan: &Plan, loss: &Loss) -> Option<String> {
    (*loss != plan.budget).then(|| {
        format!(
            "{TOGETHER}, as far as their budget allows: right at most {} of the time.",
            percent(guess(&plan.budget))
        )
    })
}

/// What a loss means for one unit of a plan, in a sentence; and a warning, if that is little
/// protection.
pub fn loss_in_words(plan: &Plan, loss: &Loss) -> Vec<String> {
    let unit = match &plan.unit {
        Unit::Row => "one row".to_owned(),
        Unit::Column { name, .. } => format!("one {name}"),
    };
    let unsure = match plan.neighbours {
        Neighbours::AddRemove => format!("whether {unit} is in the data"),
        Neighbours::ChangeOne { .. } => format!("which of two contents {unit} has"),
    };
    let mut sentences = vec![format!(
        "{IN_WORDS}{}.",
        guess_in_words(
            loss,
            &format!("who knows all else and was evenly unsure {unsure}")
        )
    )];
    sentences.extend(warning(loss));
    sentences
}

/// `somebody … can become at most 73.2 % sure of it`.
pub fn guess_in_words(loss: &Loss, who: &str) -> String {
    let sure = percent(guess(loss));
    match loss.measure {
        LossMeasure::Pure => {
            format!("somebody {who} can become at most {sure} sure, whatever is published")
        }
        _ => {
            format!(
                "somebody {who} guesses right at most {sure} of the time, where a coin is right \
                 half of the time"
            )
        }
    }
}

/// The warning for a loss that protects little.
pub fn warning(loss: &Loss) -> Option<String> {
    let guess = guess(loss);
    let sure = guess.to_rational().unwrap_or(Rational::ONE);
    // Beyond this, ε of about 4.6, there is hardly any protection.
    if sure >= Rational::new(99, 100) {
        return Some(format!(
            "{WARNING}{loss} protects little. It lets somebody be right about one person {} of the \
             time; losses of ε = 1 or less (73.2 %) are usual for a strong promise.",
            percent(guess)
        ));
    }
    if loss.delta >= Rational::new(1, 1000) {
        return Some(format!(
            "{WARNING}δ = {} protects little. With that probability anything about a person may be \
             laid open; choose δ far below one over the number of people.",
            decimal(&loss.delta)
        ));
    }
    None
}

/// Three digits, rounded up; more where that would say that nothing is uncertain.
fn percent(guess: Up) -> String {
    let exact = guess.to_rational().unwrap_or(Rational::ONE);
    let all = Rational::from(100i64);
    let percent = &exact * &all;
    let rounded = (3..=9).map(|digits| digits_up(&percent, digits));
    let shown = rounded.into_iter().find(|rounded| *rounded < all);
    format!("{} %", decimal(&shown.unwrap_or(all)))
}

#[cfg(test)]
mod tests;
