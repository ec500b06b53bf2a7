use lastbit_exact::{Down, Rational, Up};

use super::Composable;
use crate::measures::{Approximate, EpsilonDelta, MaxDivergence, WithDelta};
use crate::{Distance, Error};

/// A measure in which a release from a secret sample of the rows costs less than one from all rows.
///
/// What a sample at rate q makes of the loss of *everything that is released from it*:
/// `ε ↦ ln(1 + q(e^ε − 1))` and `δ ↦ qδ`.
///
/// **Proof.** Write `κ = 1 + q(e^ε − 1)`, so `1 ≤ κ ≤ e^ε`. With x, y neighbours, let A be the law
/// of the answer if the person in whom they differ is not in the sample, and B, C the laws if she
/// is, for x and y.
/// - *Without replacement, m of n rows, change-one:* the answers have laws `(1−q)A + qB` and
///   `(1−q)A + qC`, `q = m/n`. Samples behind B and C differ in her row; and putting in her place a
///   uniform one of the rows left out turns B's sample into A's. So `B ≤ e^ε C + δ` and
///   `B ≤ e^ε A + δ`, whence `B ≤ e^ε((1−β)A + βC) + δ` for every β in [0, 1]. With `β = κe^-ε`,
///   `(1−q)A + qB ≤ (1 − q + qe^ε − qκ)A + qκC + qδ = κ((1−q)A + qC) + qδ`, as `1 − q + qe^ε = κ`.
/// - *Poisson, each row by itself with probability q, add/remove:* if y has one row more, the laws
///   are A and `(1−q)A + qC`. One way, `(1−q)A + qC ≤ (1 − q + qe^ε)A + qδ = κA + qδ`. The other
///   way, `C ≥ e^-ε(A − δ)` and `κe^-ε ≤ 1` give `κ((1−q)A + qC) + qδ ≥ κ(1 − q + qe^-ε)A`, where
///   `κ(1 − q + qe^-ε) = 1 + q(1−q)(e^ε + e^-ε − 2) ≥ 1`. ∎
///
/// **Two releases from one sample** are a single release from it as far as this theorem goes: add
/// their losses first, and amplify the sum. Amplifying each and adding would be wrong, since a
/// person who is in the sample is in it for both. That is why [`amplify`](Amplified::amplify) takes
/// all the losses of a sample at once, and why [`poisson_subsample`](super::poisson_subsample) and
/// [`subsample_without_replacement`](super::subsample_without_replacement) draw a fresh sample in
/// each call and never hand it out.
///
/// ```
/// use lastbit::composition::Amplified;
/// use lastbit::measures::MaxDivergence;
/// use lastbit::{Rational, Up};
/// let (rate, ln_9) = (Rational::new(1, 10), Up::exact(9.0).ln());
/// let once = MaxDivergence.amplify(&[ln_9], &rate)?;
/// let twice = MaxDivergence.amplify(&[ln_9, ln_9], &rate)?;
/// assert!((once.get() - 1.8f64.ln()).abs() < 1e-15);
/// assert!((twice.get() - 9f64.ln()).abs() < 1e-15); // not 2 ln 1.8 = ln 3.24
/// # Ok::<(), lastbit::Error>(())
/// ```
pub trait Amplified: Composable {
    /// The loss, between neighbours at distance 1, of everything that is released from one secret
    /// sample at rate q, given the losses between neighbours at distance 1 in the sample.
    fn amplify(&self, losses: &[Self::Distance], rate: &Rational) -> Result<Self::Distance, Error>;

    /// The loss at a distance, from the loss at distance 1, by going there in steps of 1.
    fn group(&self, loss: &Self::Distance, distance: u64) -> Result<Self::Distance, Error>;
}

impl Amplified for MaxDivergence {
    fn amplify(&self, losses: &[Up], rate: &Rational) -> Result<Up, Error> {
        check_rate(rate)?;
        Ok(amplified(self.compose(losses)?, rate))
    }

    /// `dε`: ratios multiply along the way.
    fn group(&self, loss: &Up, distance: u64) -> Result<Up, Error> {
        loss.check()?;
        let epsilon = *loss * Up::from_rational(&Rational::from(distance));
        epsilon.check()?;
        Ok(epsilon)
    }
}

impl Amplified for Approximate<MaxDivergence> {
    fn amplify(&self, losses: &[EpsilonDelta], rate: &Rational) -> Result<EpsilonDelta, Error> {
        check_rate(rate)?;
        let all = self.compose(losses)?;
        let delta = Up::from_rational(rate) * all.delta();
        WithDelta::new(amplified(*all.loss(), rate), delta.min(Up::ONE))
    }

    /// `(dε, δ(1 + e^ε + … + e^((d−1)ε)))`: `P_0 ≤ e^ε P_1 + δ ≤ e^ε(e^ε P_2 + δ) + δ ≤ …`.
    fn group(&self, loss: &EpsilonDelta, distance: u64) -> Result<EpsilonDelta, Error> {
        let epsilon = MaxDivergence.group(loss.loss(), distance)?;
        let one = *loss.loss();
        // The sum is (e^(dε) − 1)/(e^ε − 1), which grows with ε, so it is taken at the upper bound
        // itself.
        let steps = if distance <= 1 || one == Up::ZERO {
            Up::from_rational(&Rational::from(distance))
        } else {
            epsilon.exp_m1() / Down::exact(one.get()).exp_m1()
        };
        let delta = loss.delta() * steps;
        WithDelta::new(epsilon, delta)
    }
}

/// `ln(1 + q(e^ε − 1)) ≤ amplified(ε, q)` for `0 ≤ q ≤ 1`, within 4 units in the last place where
/// `ε ≤ 700`.
fn amplified(epsilon: Up, rate: &Rational) -> Up {
    let direct = (Up::from_rational(rate) * epsilon.exp_m1()).ln_1p();
    // Where e^ε overflows: ε + ln(q + (1−q)e^-ε).
    let shrink = Up::exact(-epsilon.get()).exp();
    let rest = Up::from_rational(&(&Rational::ONE - rate)) * shrink;
    let large = epsilon + (Up::from_rational(rate) + rest).ln();
    // κ ≤ e^ε and κ ≥ 1.
    direct.min(large).min(epsilon).max(Up::ZERO)
}

pub(super) fn check_rate(rate: &Rational) -> Result<(), Error> {
    if rate.is_negative() || *rate > Rational::ONE {
        return Err(Error::composition(format!(
            "a sampling rate must be a probability from 0 to 1, got {rate}; it is the chance of \
             one row to be in the sample"
        )));
    }
    Ok(())
}
