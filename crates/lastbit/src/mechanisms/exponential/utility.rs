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
    /// use lastbit_exact::Rational;
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
mod tests {
    use super::*;
    use lastbit_exact::Rounding;

    fn number<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
        text.parse().unwrap()
    }

    fn up(enclosure: &Enclosure) -> f64 {
        enclosure.hi().to_f64(Rounding::Up)
    }

    /// One best score OPT and 1000 bad ones just below `(1 − α)·OPT`, the worst case of the
    /// theorem.
    fn worst_case(promise: f64, alpha: f64) -> Vec<f64> {
        let mut scores = vec![((1.0 - alpha) * promise).next_down(); 1000];
        scores.push(promise);
        scores
    }

    #[test]
    fn erratum_11_the_flat_concave_theorem_is_false() {
        let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
        let target = Target::new(number("0.5"), number("0.1"));
        // The false threshold (2/(εα))·ln(|R̄|·(1/β − 2) + 1).
        let threshold = 4.0 * 8001f64.ln();
        let scores = worst_case(threshold, 0.5);
        let choice = mechanism.over(&scores).unwrap();
        let bad = choice.bad_probability(target.alpha(), 60).unwrap();
        assert!(bad.lo().to_f64(Rounding::Down) > 0.11109);
        assert!(up(&bad) < 0.11110);

        // At the corrected one, ln(|R̄|·(1/β − 1)), it holds, and nothing is left over.
        let promise = mechanism.promise(&Natural::from(1000u32), &target).unwrap();
        let scores = worst_case(promise.get(), 0.5);
        let bad = mechanism.over(&scores).unwrap();
        let bad = bad.bad_probability(target.alpha(), 60).unwrap();
        assert!(up(&bad) <= 0.1);
        assert!(bad.lo().to_f64(Rounding::Down) > 0.1 - 1e-12);
    }

    #[test]
    fn each_parameter_follows_from_the_other_three() {
        for (bad, alpha, beta) in [
            (1000u32, "0.5", "0.1"),
            (3, "0.01", "0.001"),
            (1 << 30, "0.9", "1e-9"),
        ] {
            let mechanism = Exponential::new(&"0.3".parse().unwrap(), &"2".parse().unwrap());
            let target = Target::new(number(alpha), number(beta));
            let bad = Natural::from(bad);
            let promise = mechanism.promise(&bad, &target).unwrap();
            let promise = Rational::try_from(promise.get()).unwrap();
            let close = |up: Up, exact: &Rational| {
                let exact = exact.to_f64(Rounding::NearestEven);
                assert!((up.get() / exact - 1.0).abs() < 1e-12, "{up} {exact}");
            };
            close(
                mechanism.failure(&bad, target.alpha(), &promise).unwrap(),
                target.beta().get(),
            );
            close(
                mechanism
                    .approximation(&bad, target.beta(), &promise)
                    .unwrap(),
                target.alpha().get(),
            );
            let solved =
                Exponential::for_target(mechanism.sensitivity(), false, &bad, &target, &promise);
            let solved = solved.unwrap();
            close(
                Up::from_rational(solved.epsilon().get()),
                mechanism.epsilon().get(),
            );
            // The safe side: what was solved meets the target.
            let needed = solved.promise(&bad, &target).unwrap().get();
            assert!(needed <= promise.to_f64(Rounding::Up) * (1.0 + 1e-15));
        }
    }

    #[test]
    fn the_bounds_cross_where_stated() {
        let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
        let [candidates, best, bad] = [1000u32, 4, 500].map(Natural::from);
        let crossing = Exponential::crossing(&candidates, &best, &bad).unwrap();
        assert_eq!(crossing, Some(number("0.5")));
        for (beta, corrected_is_smaller) in [("0.4", false), ("0.6", true)] {
            let target = Target::new(number("0.5"), number(beta));
            let both = mechanism
                .promises(&candidates, &best, &bad, &target)
                .unwrap();
            assert_eq!(both.corrected < both.classical, corrected_is_smaller);
            assert_eq!(both.smaller(), both.corrected.min(both.classical));
        }
        assert!(
            mechanism
                .promises(
                    &bad,
                    &best,
                    &bad,
                    &Target::new(number("0.5"), number("0.5"))
                )
                .is_err()
        );
    }

    #[test]
    fn measured_probabilities_stay_below_beta() {
        // Scores of many shapes, with the promise met exactly.
        let mechanism = Exponential::monotone(&"0.5".parse().unwrap(), &"1".parse().unwrap());
        let target = Target::new(number("0.3"), number("0.05"));
        for count in [2usize, 3, 10, 57] {
            let promise = mechanism
                .promise(&Natural::from(count - 1), &target)
                .unwrap()
                .get();
            for shape in 0..6 {
                let part = |i: usize| match shape {
                    0 => 0.0,
                    1 => 0.699_999,
                    2 => i as f64 / count as f64,
                    3 => (i * i) as f64 / (count * count) as f64,
                    4 => f64::from(i.is_multiple_of(2)) * 0.69,
                    _ => (i as f64).sin().abs(),
                };
                let mut scores: Vec<f64> = (0..count - 1).map(|i| part(i) * promise).collect();
                scores.push(promise);
                let choice = mechanism.over(&scores).unwrap();
                let bad = choice.bad_probability(target.alpha(), 60).unwrap();
                assert!(
                    Rational::from(bad.hi()) <= *target.beta().get(),
                    "{shape} {count}"
                );
            }
        }
    }

    #[test]
    fn bad_parameters_have_remedies() {
        let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
        let bad = Natural::from(10u8);
        let error = mechanism
            .failure(&bad, &number("0.5"), &Rational::ZERO)
            .unwrap_err();
        assert_eq!(error.to_string(), "the promise must be positive, got 0");
        let error = mechanism
            .approximation(&bad, &number("0.1"), &Rational::ONE)
            .unwrap_err();
        assert!(error.is_unsolvable(), "{error}");
        assert!("0".parse::<Alpha>().is_err() && "1".parse::<Beta>().is_err());
    }
}
