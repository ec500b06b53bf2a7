//! Losses and budgets as exact numbers.

use core::fmt;

use lastbit::accounting::Currency;
use lastbit::composition::Composable;
use lastbit::measures::{Approximate, Exact, ExactWithDelta, MaxDivergence};
use lastbit_exact::Rational;

/// How losses are measured and added. A ledger has one measure. These are measures of
/// [`lastbit::measures`] as values, for what is known only when a plan or a ledger is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossMeasure {
    /// Pure differential privacy: ε adds.
    Pure,
    /// Zero-concentrated differential privacy: ρ adds.
    Zcdp,
    /// Approximate differential privacy: ε and δ add.
    Approximate,
    /// ρ, except for events of probability δ: both add. The measure of a release that a ledger
    /// [composes](crate::ledger::Composed).
    ApproximateZcdp,
    /// μ² of Gaussian noise, except for events of probability δ: both add.
    ApproximateGaussian,
}

impl LossMeasure {
    /// Its word in ledgers and JSON: `pure`, `zcdp`, `approximate`, `approximate-zcdp` or
    /// `approximate-gaussian`.
    pub fn name(self) -> &'static str {
        match self {
            LossMeasure::Pure => "pure",
            LossMeasure::Zcdp => "zcdp",
            LossMeasure::Approximate => "approximate",
            LossMeasure::ApproximateZcdp => "approximate-zcdp",
            LossMeasure::ApproximateGaussian => "approximate-gaussian",
        }
    }

    /// The measure of that name.
    pub fn from_name(name: &str) -> Option<LossMeasure> {
        [
            LossMeasure::Pure,
            LossMeasure::Zcdp,
            LossMeasure::Approximate,
            LossMeasure::ApproximateZcdp,
            LossMeasure::ApproximateGaussian,
        ]
        .into_iter()
        .find(|measure| measure.name() == name)
    }

    /// The letter of the main parameter: ε, ρ or μ².
    pub fn symbol(self) -> &'static str {
        match self {
            LossMeasure::Zcdp | LossMeasure::ApproximateZcdp => "ρ",
            LossMeasure::ApproximateGaussian => "μ²",
            LossMeasure::Pure | LossMeasure::Approximate => "ε",
        }
    }
}

impl fmt::Display for LossMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An exact, nonnegative amount of privacy loss, or a budget of it.
///
/// `main` is ε, ρ or μ²; `delta` is zero under [`LossMeasure::Pure`] and [`LossMeasure::Zcdp`].
///
/// ```
/// use lastbit_release::loss::Loss;
/// let budget = Loss::pure("1".parse()?)?;
/// let spent = Loss::pure("0.7".parse()?)?;
/// assert_eq!(budget.minus(&spent).to_string(), "ε = 0.3");
/// assert!(spent.fits(&budget));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loss {
    /// The measure in which `main` and `delta` are stated.
    pub measure: LossMeasure,
    /// ε, ρ or μ².
    pub main: Rational,
    /// δ.
    pub delta: Rational,
}

/// Why numbers are not a loss.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LossError {
    /// ε or ρ below zero.
    #[error("{} must not be negative, got {}", .0.symbol(), decimal(.1))]
    NegativeMain(LossMeasure, Rational),
    /// δ outside `[0, 1]`.
    #[error("δ must be between 0 and 1, got {}", decimal(.0))]
    Delta(Rational),
    /// δ where the measure has none.
    #[error("δ = {} under the measure {}, which has no δ; leave it out, or use the measure \
             approximate", decimal(.1), .0)]
    DeltaNotInMeasure(LossMeasure, Rational),
    /// Losses in two measures, which do not add up.
    #[error("losses under the measures {0} and {1} do not add up")]
    Measures(LossMeasure, LossMeasure),
    /// The library refused to add them up.
    #[error("{0}")]
    Composition(lastbit::Error),
}

impl Loss {
    /// ε of pure differential privacy.
    pub fn pure(epsilon: Rational) -> Result<Loss, LossError> {
        Loss::new(LossMeasure::Pure, epsilon, Rational::ZERO)
    }

    /// ρ of zero-concentrated differential privacy.
    pub fn zcdp(rho: Rational) -> Result<Loss, LossError> {
        Loss::new(LossMeasure::Zcdp, rho, Rational::ZERO)
    }

    /// ε and δ of approximate differential privacy.
    pub fn approximate(epsilon: Rational, delta: Rational) -> Result<Loss, LossError> {
        Loss::new(LossMeasure::Approximate, epsilon, delta)
    }

    /// A loss in any measure: `main ≥ 0` and `0 ≤ delta ≤ 1`, with `delta = 0` under pure and zcdp.
    pub fn new(measure: LossMeasure, main: Rational, delta: Rational) -> Result<Loss, LossError> {
        let loss = Loss {
            measure,
            main,
            delta,
        };
        loss.validate()?;
        Ok(loss)
    }

    /// No loss.
    pub fn zero(measure: LossMeasure) -> Loss {
        Loss {
            measure,
            main: Rational::ZERO,
            delta: Rational::ZERO,
        }
    }

    /// Checks the fields of a loss that was not made by [`Loss::new`].
    pub fn validate(&self) -> Result<(), LossError> {
        if self.main.is_negative() {
            return Err(LossError::NegativeMain(self.measure, self.main.clone()));
        }
        if self.delta.is_negative() || self.delta > Rational::ONE {
            return Err(LossError::Delta(self.delta.clone()));
        }
        if matches!(self.measure, LossMeasure::Pure | LossMeasure::Zcdp) && !self.delta.is_zero() {
            return Err(LossError::DeltaNotInMeasure(
                self.measure,
                self.delta.clone(),
            ));
        }
        Ok(())
    }

    /// This loss in another measure, if the same numbers are a loss there: pure ε is approximate
    /// with δ = 0.
    pub fn stated_in(&self, measure: LossMeasure) -> Option<Loss> {
        let stated = |measure| Loss {
            measure,
            main: self.main.clone(),
            delta: self.delta.clone(),
        };
        match (self.measure, measure) {
            (from, to) if from == to => Some(self.clone()),
            (LossMeasure::Pure, LossMeasure::Approximate) => Some(stated(measure)),
            (LossMeasure::Approximate, LossMeasure::Pure) if self.delta.is_zero() => {
                Some(stated(measure))
            }
            _ => None,
        }
    }

    /// Whether each part is at most that of `limit`, in the same measure.
    pub fn fits(&self, limit: &Loss) -> bool {
        self.measure == limit.measure && self.main <= limit.main && self.delta <= limit.delta
    }

    /// The loss of both together, exactly: the composition of [`lastbit`] in their measure, which
    /// holds also if the second release was chosen after seeing the first.
    pub fn plus(&self, other: &Loss) -> Result<Loss, LossError> {
        if self.measure != other.measure {
            return Err(LossError::Measures(self.measure, other.measure));
        }
        let both = [self, other].map(|loss| ExactWithDelta {
            loss: loss.main.clone(),
            delta: loss.delta.clone(),
        });
        let sum = match self.measure {
            LossMeasure::Pure | LossMeasure::Approximate => {
                Exact(Approximate(MaxDivergence)).compose_adaptively(&both)
            }
            LossMeasure::Zcdp | LossMeasure::ApproximateZcdp => Currency::Zcdp.compose(&both),
            LossMeasure::ApproximateGaussian => Currency::Gaussian.compose(&both),
        };
        let sum = sum.map_err(LossError::Composition)?;
        Ok(Loss {
            measure: self.measure,
            main: sum.loss,
            delta: sum.delta,
        })
    }

    /// The exact difference, part by part, and zero where it would be negative; the measures must
    /// agree.
    pub fn minus(&self, other: &Loss) -> Loss {
        debug_assert_eq!(self.measure, other.measure);
        let part = |a: &Rational, b: &Rational| (a - b).max(Rational::ZERO);
        Loss {
            measure: self.measure,
            main: part(&self.main, &other.main),
            delta: part(&self.delta, &other.delta),
        }
    }
}

impl fmt::Display for Loss {
    /// `ε = 1`, `ρ = 0.125`, or `ε = 1, δ = 1e-9`: exact. Beside ρ and μ², δ is that of thresholds
    /// alone, so that `ρ = 0.125, δ = 1e-9 of thresholds`; it is left out where it is zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let main = format!("{} = {}", self.measure.symbol(), decimal(&self.main));
        let delta = decimal(&self.delta);
        match self.measure {
            LossMeasure::Approximate => f.pad(&format!("{main}, δ = {delta}")),
            _ if self.delta.is_zero() => f.pad(&main),
            _ => f.pad(&format!("{main}, δ = {delta} of thresholds")),
        }
    }
}

/// The exact number for people: the decimal if it ends, with an exponent if it is below 10^-6, else
/// the fraction.
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_release::loss::decimal;
/// assert_eq!(decimal(&"0.30".parse()?), "0.3");
/// assert_eq!(decimal(&"0.000000025".parse()?), "2.5e-8");
/// assert_eq!(decimal(&Rational::new(1, 3)), "1/3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decimal(value: &Rational) -> String {
    let text = value.to_string();
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.as_str()),
    };
    let Some(fraction) = magnitude.strip_prefix("0.") else {
        return text;
    };
    let digits = fraction.trim_start_matches('0');
    let zeros = fraction.len() - digits.len();
    if zeros < 6 {
        return text;
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e-{}", zeros + 1)
}

#[cfg(test)]
mod tests;
