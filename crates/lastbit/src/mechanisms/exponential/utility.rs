//! How good the selected candidate is, for a promise about the best score that does not look at the
//! data.

use lastbit_exact::{Enclosure, Interval, Natural, Rational, Up};

use super::score::{Item, ScoreNumber};
use super::{Choice, Exponential};
use crate::{Alpha, Beta, Epsilon, Error, ParameterError, Sensitivity};

/// What is wanted of a selection: with probability at least `1 − β`, a score of at least
/// `(1 − α)·OPT`.
///
/// ```
/// use lastbit::mechanisms::exponential::Target;
/// let target = Target::new("0.2".parse()?, "0.1".parse()?); // α, β
/// assert!("1".parse::<lastbit::Beta>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    alpha: Alpha,
    beta: Beta,
}

impl Target {
    /// A score of at least `(1 − α)·OPT`, but with probability β.
    pub fn new(alpha: Alpha, beta: Beta) -> Target {
        Target { alpha, beta }
    }

    /// How far below the best score is still good, as a part of it.
    pub fn alpha(&self) -> &Alpha {
        &self.alpha
    }

    /// The probability with which the selection may be bad.
    pub fn beta(&self) -> &Beta {
        &self.beta
    }
}

/// Two bounds on the same promise; [`Promises::smaller`] is the one to use. From
/// [`Exponential::promises`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promises {
    /// By the number of bad candidates: `ln(|R̄|·(1/β − 1))/(rate·α)`.
    pub corrected: Up,
    /// By the number of all and of best candidates: `ln(|R|/(|R_OPT|·β))/(rate·α)`.
    pub classical: Up,
}

impl Promises {
    /// The smaller of the two; both are right.
    pub fn smaller(&self) -> Up {
        self.corrected.min(self.classical)
    }
}

impl Exponential {
    /// The best score that suffices for a target, whatever the other scores, if at most `bad`
    /// candidates are bad: `OPT ≥ ln(|R̄|·(1/β − 1))/(rate·α)`, which is `(2Δ/(εα))·ln(…)` for
    /// general scores.
    ///
    /// **Proof.** A bad candidate weighs less than `e^(−rate·α·OPT)` times the best one. So
    /// `P(bad) ≤ x/(1 + x)` with `x = |R̄|·e^(−rate·α·OPT)`, and that is at most β if
    /// `x ≤ β/(1 − β)`. If all bad scores come near `(1 − α)·OPT` and there is no other candidate,
    /// no smaller promise will do. ∎
    ///
    /// ```
    /// use lastbit::mechanisms::exponential::{Exponential, Target};
    /// let mechanism = Exponential::new(&"1".parse()?, &"1".parse()?);
    /// let target = Target::new("0.5".parse()?, "0.1".parse()?);
    /// let promise = mechanism.promise(&1000u32.into(), &target)?;
    /// assert!((promise.get() - 4.0 * 9000f64.ln()).abs() < 1e-10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn promise(&self, bad: &Natural, target: &Target) -> Result<Up, Error> {
        let odds = &(&Rational::ONE / target.beta.get()) - &Rational::ONE;
        self.promise_for(&(&integer(bad) * &odds), target)
    }

    /// [`Exponential::promise`], and the classical bound for `candidates` of which `best` reach the
    /// optimum beside it.
    ///
    /// The corrected bound is the smaller if and only if `|R̄|·(1 − β) < |R|/|R_OPT|`: always for a
    /// single best candidate, and with more, for β above [`crossing`](Exponential::crossing).
    pub fn promises(
        &self,
        candidates: &Natural,
        best: &Natural,
        bad: &Natural,
        target: &Target,
    ) -> Result<Promises, Error> {
        counts(candidates, best, bad)?;
        let ratio = &integer(candidates) / &(&integer(best) * target.beta.get());
        Ok(Promises {
            corrected: self.promise(bad, target)?,
            classical: self.promise_for(&ratio, target)?,
        })
    }

    /// The β at which both bounds of [`Exponential::promises`] are equal: `1 − |R|/(|R̄|·|R_OPT|)`;
    /// the corrected one is smaller above. `None`: it is the smaller at every β.
    ///
    /// ```
    /// use lastbit::mechanisms::exponential::Exponential;
    /// let crossing = Exponential::crossing(&1000u32.into(), &4u32.into(), &500u32.into())?;
    /// assert_eq!(crossing.unwrap().to_string(), "0.5");
    /// assert_eq!(Exponential::crossing(&1000u32.into(), &1u32.into(), &999u32.into())?, None);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn crossing(
        candidates: &Natural,
        best: &Natural,
        bad: &Natural,
    ) -> Result<Option<Rational>, Error> {
        counts(candidates, best, bad)?;
        if *bad == Natural::ZERO {
            return Ok(None);
        }
        let crossing = &Rational::ONE - &(integer(candidates) / (integer(bad) * integer(best)));
        Ok(crossing.is_positive().then_some(crossing))
    }

    /// The probability β of a bad selection for a promised best score: at most
    /// `|R̄|/(|R̄| + e^(rate·α·OPT))`.
    pub fn failure(&self, bad: &Natural, alpha: &Alpha, promise: &Rational) -> Result<Up, Error> {
        let promise = positive("the promise", promise)?;
        if *bad == Natural::ZERO {
            return Ok(Up::ZERO);
        }
        let exponent = Interval::from_rational(&(&(&self.rate * alpha.get()) * promise));
        let bad = Interval::from_rational(&integer(bad));
        let beta = Interval::ONE / (Interval::ONE + exponent.exp() / bad);
        Ok(beta.upper())
    }

    /// The smallest α that a promised best score gives: `ln(|R̄|·(1/β − 1))/(rate·OPT)`; an error
    /// if it is not below 1.
    pub fn approximation(
        &self,
        bad: &Natural,
        beta: &Beta,
        promise: &Rational,
    ) -> Result<Up, Error> {
        let promise = positive("the promise", promise)?;
        let odds = &(&Rational::ONE / beta.get()) - &Rational::ONE;
        let needed = logarithm(&(&integer(bad) * &odds));
        let alpha = (needed / Interval::from_rational(&(&self.rate * promise))).upper();
        if alpha < Up::ONE {
            Ok(alpha)
        } else {
            Err(Error::unsolvable(format!(
                "no alpha below 1 holds at a best score of {promise}: it would be {alpha}; \
                 promise a higher score, or raise epsilon or beta"
            )))
        }
    }

    /// The mechanism with the smallest ε, rounded up, that meets a target for a promised best
    /// score: `ε = 2Δ·ln(|R̄|·(1/β − 1))/(α·OPT)`, or half of it for monotone scores.
    ///
    /// ```
    /// use lastbit::mechanisms::exponential::{Exponential, Target};
    /// use lastbit::Rational;
    /// let target = Target::new("0.5".parse()?, "0.1".parse()?);
    /// let mechanism = Exponential::for_target(
    ///     &"1".parse()?,
    ///     false,
    ///     &1000u32.into(),
    ///     &target,
    ///     &Rational::from(40u64),
    /// )?;
    /// assert!(mechanism.promise(&1000u32.into(), &target)?.get() <= 40.000001);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_target(
        sensitivity: &Sensitivity,
        monotone: bool,
        bad: &Natural,
        target: &Target,
        promise: &Rational,
    ) -> Result<Exponential, Error> {
        let promise = positive("the promise", promise)?;
        let odds = &(&Rational::ONE / target.beta.get()) - &Rational::ONE;
        let needed = logarithm(&(&integer(bad) * &odds));
        let factor = &Rational::from(if monotone { 1u64 } else { 2 }) * sensitivity.get();
        let factor = Interval::from_rational(&(factor / (target.alpha.get() * promise)));
        let epsilon = (factor * needed).upper().get();
        if epsilon <= 0.0 {
            return Err(Error::unsolvable(
                "every epsilon meets this target, as even a uniform choice does; ask for a \
                 smaller beta or alpha",
            ));
        }
        let epsilon = Epsilon::new(crate::finite("epsilon", epsilon)?)?;
        Ok(if monotone {
            Exponential::monotone(&epsilon, sensitivity)
        } else {
            Exponential::new(&epsilon, sensitivity)
        })
    }

    /// `ln(ratio)/(rate·α)`, or 0 if that is negative, rounded up.
    fn promise_for(&self, ratio: &Rational, target: &Target) -> Result<Up, Error> {
        let needed = logarithm(ratio);
        let slope = Interval::from_rational(&(&self.rate * target.alpha.get()));
        let promise = (needed / slope).upper();
        if promise.is_finite() {
            Ok(promise)
        } else {
            Err(Error::unbounded(
                "the promise has no finite bound; use fewer candidates, or a larger alpha, beta \
                 or epsilon",
            ))
        }
    }
}

impl<I: Item> Choice<'_, I> {
    /// The probability of a bad selection from these very scores, `P(u < (1 − α)·OPT)`: an
    /// enclosure with `hi − lo ≤ 2^-bits`.
    ///
    /// It depends on the data: for guesses and tests.
    pub fn bad_probability(&self, alpha: &Alpha, bits: u32) -> Result<Enclosure, Error> {
        let good = &(&Rational::ONE - alpha.get()) * &self.largest.exact();
        Ok(self.probability(bits, |score| score.exact() < good))
    }
}

/// `max(0, ln ratio)`; 0 also for a ratio of 0.
fn logarithm(ratio: &Rational) -> Interval {
    if *ratio <= Rational::ONE {
        return Interval::ZERO;
    }
    Interval::from_rational(ratio).ln().max(Interval::ZERO)
}

fn integer(n: &Natural) -> Rational {
    Rational::from(lastbit_exact::Integer::from(n.clone()))
}

fn counts(candidates: &Natural, best: &Natural, bad: &Natural) -> Result<(), Error> {
    if *best == Natural::ZERO || best + bad > *candidates {
        return Err(Error::unsolvable(format!(
            "of {candidates} candidates, {best} best and {bad} bad ones cannot be: at least one \
             is best, and none is both"
        )));
    }
    Ok(())
}

fn positive<'a>(name: &'static str, value: &'a Rational) -> Result<&'a Rational, ParameterError> {
    if value.is_positive() {
        Ok(value)
    } else {
        Err(ParameterError::NotPositive {
            name,
            value: value.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
