//! Which of two inputs an output can have come from.

use std::collections::{HashMap, HashSet};

use lastbit::Confidence;
use lastbit_exact::{Interval, Rounding};

use super::proportion::Proportion;
use super::target::{Target, TargetError};
use crate::audit::{AuditClaim, AuditReport, Feature, Output, Samples, Side, audit_samples};

/// What the attack found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeastBits {
    /// Whether the target says exactly which outputs an input can have; else the attack learns it
    /// from half of the draws.
    pub by_preimage: bool,
    /// Outputs that can have come from one input only: the attacker is certain.
    pub revealed: Proportion,
    /// Those of them that came from the other input after all.
    pub wrong: u64,
    /// A lower bound on the loss from the bits of the outputs alone.
    pub loss: AuditReport,
}

impl LeastBits {
    /// Whether the attack succeeded: an output gave its input away, or the loss exceeds the claim.
    ///
    /// False alarms: with a preimage, none; learned, at most 1e-11 for revealed outputs; and those
    /// of the audit.
    pub fn succeeded(&self) -> bool {
        self.revealed.count > self.wrong || self.loss.refutes_claim()
    }
}

/// Draws `draws` outputs of each of two neighbours, and tells from which each one came, where it
/// can.
pub fn least_bits(
    target: &mut Target,
    draws: usize,
    confidence: &Confidence,
) -> Result<LeastBits, TargetError> {
    let samples = Samples::draw(|side| target.draw(side.into()).map(Output::Number), draws)?;
    let beta = confidence
        .beta()
        .get()
        .to_f64(Rounding::Down)
        .max(f64::MIN_POSITIVE);
    let loss = audit_samples(&samples, &target.claim, confidence, false, &Feature::ALL);
    let by_preimage = target.has_oracle();
    let (mut revealed, mut wrong, mut trials) = (0, 0, 0);
    let mut judge = |from: Side, possible: [bool; 2]| {
        trials += 1;
        let certain = possible[0] != possible[1];
        revealed += u64::from(certain);
        wrong += u64::from(certain && !possible[from as usize]);
    };
    if by_preimage {
        for (side, outputs) in Side::BOTH.into_iter().zip(&samples.outputs) {
            for output in outputs {
                if let Output::Number(x) = output {
                    let possible = Side::BOTH.map(|s| target.could_come_from(s, *x) != Some(false));
                    judge(side, possible);
                }
            }
        }
    } else {
        let learned = OneSided::learn(&samples, &target.claim);
        for (side, outputs) in Side::BOTH.into_iter().zip(&samples.outputs) {
            for output in &outputs[outputs.len() / 2..] {
                judge(side, Side::BOTH.map(|s| !learned.excludes(s, *output)));
            }
        }
    }
    Ok(LeastBits {
        by_preimage,
        revealed: Proportion::new(revealed, trials, beta),
        wrong,
        loss,
    })
}

/// Features that were seen often from one input and never from the other, in the first half of the
/// draws.
struct OneSided {
    only: [HashSet<(Feature, u64)>; 2],
}

impl OneSided {
    /// Under ε-DP a feature seen n times in all came from one given side each time with probability
    /// at most `(e^ε/(1 + e^ε))^n`. There are at most 6 features for each pair of draws, and two
    /// sides; a count of `needed` makes a false alarm in any of them less likely than 1e-11. (δ is
    /// taken to be too small to be met.)
    fn learn(samples: &Samples, claim: &AuditClaim) -> OneSided {
        let draws = samples.outputs[0].len().max(1) as f64;
        let one_side = guess_limit(claim);
        let needed = ((12.0 * draws / 1e-11).ln() / -one_side.ln()).ceil();
        let mut counts: HashMap<(Feature, u64), [u64; 2]> = HashMap::new();
        for (i, outputs) in samples.outputs.iter().enumerate() {
            for output in &outputs[..outputs.len() / 2] {
                for feature in Feature::ALL {
                    counts.entry((feature, feature.of(*output))).or_default()[i] += 1;
                }
            }
        }
        let only = [0, 1].map(|i| {
            counts
                .iter()
                .filter(|(_, n)| n[1 - i] == 0 && n[i] as f64 >= needed)
                .map(|(key, _)| *key)
                .collect()
        });
        OneSided { only }
    }

    /// Whether a feature of the output belongs to the other side.
    fn excludes(&self, side: Side, output: Output) -> bool {
        let other = &self.only[1 - side as usize];
        Feature::ALL
            .into_iter()
            .any(|feature| other.contains(&(feature, feature.of(output))))
    }
}

/// `e^ε/(1 + e^ε)`, rounded up: nobody guesses which of two inputs it was more often than this, and
/// δ.
pub(super) fn guess_limit(claim: &AuditClaim) -> f64 {
    let odds = Interval::from_rational(&claim.epsilon).exp();
    (odds / (odds + Interval::point(1.0))).hi().min(1.0)
}
