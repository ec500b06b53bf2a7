//! The lower bound on the loss.

use lastbit::{Beta, Confidence};
use lastbit_exact::{Down, Rational, Rounding, Up};

use super::binomial::{lower_bound, upper_bound};
use super::event::{Event, Feature, choose};
use super::{Output, Samples, Side};

/// What a mechanism claims: `P(S) ≤ e^ε Q(S) + δ`, both ways.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditClaim {
    /// ε.
    pub epsilon: Rational,
    /// δ.
    pub delta: Rational,
}

impl AuditClaim {
    /// ε alone.
    pub fn pure(epsilon: Rational) -> AuditClaim {
        AuditClaim {
            epsilon,
            delta: Rational::ZERO,
        }
    }
}

/// An event, how often it occurred where it was not chosen, and what follows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuditFinding {
    /// The side on which the event is likelier.
    pub likelier: Side,
    /// The event, chosen on the first half.
    pub event: Event,
    /// How many outputs of the likelier side, and of the other, of the second half are in it.
    pub counts: [u64; 2],
    /// How many there are in each second half.
    pub trials: u64,
    /// ε is at least this: `ln((p − δ)/q)` for the lower bound p and the upper bound q of the two
    /// probabilities.
    pub lower_bound: Down,
}

/// What an audit found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuditReport {
    /// The claim that was audited.
    pub claim: AuditClaim,
    /// Probability that the audit is wrong, at most.
    pub beta: Beta,
    /// The best event for each ordering of the two inputs.
    pub findings: Vec<AuditFinding>,
}

impl AuditReport {
    /// The finding with the largest bound.
    pub fn best(&self) -> &AuditFinding {
        self.findings
            .iter()
            .max_by(|a, b| a.lower_bound.get().total_cmp(&b.lower_bound.get()))
            .expect("an audit has a finding for each ordering")
    }

    /// Whether the claim is false, at the confidence of the audit.
    pub fn refutes_claim(&self) -> bool {
        let bound = self.best().lower_bound.to_rational();
        bound.is_some_and(|bound| bound > self.claim.epsilon)
    }
}

/// Audits a closure with `draws` outputs of each input.
pub fn audit<E>(
    mechanism: impl FnMut(Side) -> Result<Output, E>,
    draws: usize,
    claim: &AuditClaim,
    confidence: &Confidence,
) -> Result<AuditReport, E> {
    let samples = Samples::draw(mechanism, draws)?;
    Ok(audit_samples(
        &samples,
        claim,
        confidence,
        true,
        &Feature::ALL,
    ))
}

/// Audits outputs that were drawn already, through thresholds (if wanted) and these features.
///
/// Contract: if the draws are independent and the mechanism has the loss (ε, δ), the best bound
/// exceeds ε with probability at most `1 − confidence`. There are two orderings, each with two
/// Clopper–Pearson bounds, and each bound fails with a quarter of that.
pub fn audit_samples(
    samples: &Samples,
    claim: &AuditClaim,
    confidence: &Confidence,
    thresholds: bool,
    features: &[Feature],
) -> AuditReport {
    let beta = confidence.beta();
    let quarter = beta
        .part(1, 4)
        .get()
        .to_f64(Rounding::Down)
        .max(f64::MIN_POSITIVE);
    let delta = Up::from_rational(&claim.delta);
    let [a, b] = &samples.outputs;
    let findings = [(Side::A, a, b), (Side::B, b, a)]
        .into_iter()
        .map(|(likelier, one, other)| {
            let (train_one, test_one) = one.split_at(one.len() / 2);
            let (train_other, test_other) = other.split_at(other.len() / 2);
            let trials = train_one.len() as f64;
            let score = |x: u64, y: u64| guessed_bound(x, y, trials, quarter, delta.get());
            let event = choose(train_one, train_other, thresholds, features, &score)
                .unwrap_or(Event::AtMost(f64::INFINITY));
            let counts = [event.count(test_one), event.count(test_other)];
            let sizes = [test_one.len() as u64, test_other.len() as u64];
            AuditFinding {
                likelier,
                lower_bound: loss_bound(counts, sizes, quarter, delta),
                event,
                counts,
                trials: sizes[0],
            }
        })
        .collect();
    AuditReport {
        claim: claim.clone(),
        beta,
        findings,
    }
}

/// `ln((p − δ)/q)`, rounded down; at least zero.
fn loss_bound(counts: [u64; 2], trials: [u64; 2], beta: f64, delta: Up) -> Down {
    if trials.contains(&0) {
        return Down::ZERO;
    }
    let likely = lower_bound(counts[0], trials[0], beta) - delta;
    let unlikely = upper_bound(counts[1], trials[1], beta);
    if likely.get() <= unlikely.get() {
        return Down::ZERO;
    }
    (likely / unlikely).ln().max(Down::ZERO)
}

/// About what [`loss_bound`] will say, quickly: only the choice of the event depends on it.
fn guessed_bound(x: u64, y: u64, trials: f64, beta: f64, delta: f64) -> f64 {
    let z2 = -2.0 * beta.ln();
    let (x, y) = (x as f64, y as f64);
    // Poisson tails: x − √(2x·ln 1/β) and y + √(2y·ln 1/β) + ln 1/β.
    let low = (x - (z2 * x * (1.0 - x / trials).max(0.0)).sqrt()) - delta * trials;
    let high = (y + (z2 * y * (1.0 - y / trials).max(0.0)).sqrt() + z2 / 2.0).min(trials);
    if low <= 0.0 {
        return f64::NEG_INFINITY;
    }
    (low / high).ln()
}
