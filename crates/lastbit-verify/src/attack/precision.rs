//! How precise an output is, and how far a sum really moves.

use lastbit::Confidence;
use lastbit_exact::{Interval, Rational, Rounding};

use super::least_bits::guess_limit;
use super::proportion::Proportion;
use super::target::{Target, TargetError};
use crate::audit::event::{Event, choose};
use crate::audit::{AuditReport, Feature, Output, Samples, audit_samples};

/// What the attack found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Precision {
    /// The event that the attacker guesses by, chosen on half of the draws.
    pub event: Event,
    /// How often the guess was right, on the other half.
    pub success: Proportion,
    /// How often it may be right: `e^ε/(1 + e^ε)` and δ.
    pub limit: f64,
    /// For a sum: how far it moves between neighbours, and how far it is claimed to.
    pub sums: Option<[Rational; 2]>,
    /// A lower bound on the loss from the place of the last bit alone.
    pub loss: AuditReport,
}

impl Precision {
    /// Whether the attack succeeded: the guess is better than the claim allows, the last bit shows
    /// a larger loss, or a sum moves further than its sensitivity.
    pub fn succeeded(&self) -> bool {
        self.success.low.get() > self.limit
            || self.loss.refutes_claim()
            || self
                .sums
                .as_ref()
                .is_some_and(|[found, claimed]| found > claimed)
    }
}

/// Draws `draws` outputs of each of two neighbours, and guesses from the size and the precision of
/// an output which one it was.
///
/// The number of right guesses is a sum of two binomials, one for each input. Such a sum is more
/// concentrated than one binomial of the same mean (Hoeffding 1956), and the bounds are for that
/// one.
pub fn precision(
    target: &mut Target,
    draws: usize,
    confidence: &Confidence,
) -> Result<Precision, TargetError> {
    let samples = Samples::draw(|side| target.draw(side.into()).map(Output::Number), draws)?;
    let beta = confidence
        .beta()
        .get()
        .to_f64(Rounding::Down)
        .max(f64::MIN_POSITIVE);
    let [(train_a, test_a), (train_b, test_b)] =
        samples.outputs.each_ref().map(|x| x.split_at(x.len() / 2));
    let advantage = |x: u64, y: u64| x as f64 - y as f64;
    // Guess A in the event. "B in the event" is its complement, which is tried as well: thresholds
    // go both ways.
    let event = choose(train_a, train_b, true, &[Feature::LastBit], &advantage)
        .unwrap_or(Event::AtMost(f64::INFINITY));
    let right = event.count(test_a) + (test_b.len() as u64 - event.count(test_b));
    let trials = (test_a.len() + test_b.len()) as u64;
    let limit =
        Interval::point(guess_limit(&target.claim)) + Interval::from_rational(&target.claim.delta);
    Ok(Precision {
        event,
        success: Proportion::new(right, trials.max(1), beta),
        limit: limit.hi().min(1.0),
        sums: target.sums.clone(),
        loss: audit_samples(
            &samples,
            &target.claim,
            confidence,
            false,
            &[Feature::LastBit],
        ),
    })
}
