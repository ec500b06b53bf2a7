//! From a loss to a mechanism, and from an error to a loss.

use lastbit::conversions::{bounded_range_to_zcdp, laplace_to_zcdp};
use lastbit_exact::{Rational, Up};

use super::decimal::{self, DIGITS};
use super::noise::{laplace_epsilon_for_rho, range_for_rho};
use super::{Currency, Errors, Form, Mechanism, Noise, PriceError, Reach, Sensitivity};

/// A statistic, as far as its price is concerned.
#[derive(Clone, Debug)]
pub struct Item {
    pub form: Form,
    pub reach: Reach,
    pub sensitivity: Sensitivity,
    /// The public or expected number of rows in a group.
    pub rows: Option<u64>,
}

impl Item {
    /// The best mechanism of this loss.
    pub fn mechanism(
        &self,
        currency: Currency,
        loss: &Rational,
        errors: Errors<'_>,
    ) -> Result<Mechanism, PriceError> {
        if let Form::Quantiles { .. } = &self.form {
            let each = loss / &self.selections();
            let epsilon = match currency {
                Currency::Epsilon => each,
                Currency::Rho => range_for_rho(&each)?,
            };
            return Ok(Mechanism::Selection { epsilon });
        }
        let noise = |noise| Mechanism::noise(&self.form, noise);
        match currency {
            Currency::Epsilon => Ok(noise(Noise::laplace(&self.sensitivity, loss))),
            Currency::Rho => {
                let gaussian = noise(Noise::gaussian(&self.sensitivity, loss));
                let epsilon = laplace_epsilon_for_rho(loss)?;
                let laplace = noise(Noise::laplace(&self.sensitivity, &epsilon));
                let better =
                    self.measure(&laplace, errors)?.get() < self.measure(&gaussian, errors)?.get();
                Ok(if better { laplace } else { gaussian })
            }
        }
    }

    /// A mechanism of this ε, and what it costs in a currency.
    pub fn fixed_epsilon(
        &self,
        epsilon: &Rational,
        currency: Currency,
        errors: Errors<'_>,
    ) -> Result<(Mechanism, Rational), PriceError> {
        let mechanism = self.mechanism(Currency::Epsilon, epsilon, errors)?;
        let cost = match (currency, &mechanism) {
            (Currency::Epsilon, _) => epsilon.clone(),
            (Currency::Rho, Mechanism::Noise { .. }) => {
                exact_up(laplace_to_zcdp(Up::from_rational(epsilon))?)?
            }
            (Currency::Rho, Mechanism::Selection { epsilon }) => {
                let each = exact_up(bounded_range_to_zcdp(Up::from_rational(epsilon))?)?;
                &each * &self.selections()
            }
        };
        Ok((mechanism, cost))
    }

    /// The smallest loss, of 12 digits, at which the error is at most the target.
    pub fn loss_for_error(
        &self,
        currency: Currency,
        target: &Rational,
        errors: Errors<'_>,
    ) -> Result<Option<Rational>, PriceError> {
        let enough = |loss: &Rational| -> Result<bool, PriceError> {
            let mechanism = self.mechanism(currency, loss, errors)?;
            let error = errors.bound(&self.form, self.reach, &mechanism, self.rows)?;
            Ok(error.is_some_and(|error| {
                Rational::try_from(error.get()).is_ok_and(|error| error <= *target)
            }))
        };
        let candidate = |x: f64| {
            let exact = Rational::try_from(x).unwrap_or(Rational::ONE);
            decimal::up(&exact, DIGITS)
        };
        let (mut low, mut high) = (1e-12, 1e6);
        if !enough(&candidate(high))? {
            return Ok(None);
        }
        if enough(&candidate(low))? {
            return Ok(Some(candidate(low)));
        }
        // The search is over doubles; what it ends with was checked as the decimal that it is. The steps are below 12 digits.
        for _ in 0..60 {
            let middle: f64 = if high / low > 2.0 {
                f64::sqrt(low * high)
            } else {
                0.5 * (low + high)
            };
            if middle <= low || middle >= high || candidate(middle) == candidate(high) {
                break;
            }
            if enough(&candidate(middle))? {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(Some(candidate(high)))
    }

    /// The error, or where that needs a number of rows that nobody guessed, the noise: to compare mechanisms of one statistic by.
    pub fn measure(&self, mechanism: &Mechanism, errors: Errors<'_>) -> Result<Up, PriceError> {
        let rows = self.rows.map(|rows| rows.max(2));
        match (&self.form, mechanism) {
            (Form::Shared { moment }, Mechanism::Noise { noise, grid }) if rows.is_none() => {
                Ok(errors.of_corner(moment, noise, *grid))
            }
            _ => Ok(errors
                .bound(&self.form, self.reach, mechanism, rows)?
                .unwrap_or(Up::INFINITY)),
        }
    }

    /// How many selections a unit takes part in.
    fn selections(&self) -> Rational {
        &Rational::from(self.form.numbers()) * &Rational::from(self.reach.groups)
    }
}

/// The exact value of an upper bound, on 12 digits.
fn exact_up(bound: Up) -> Result<Rational, PriceError> {
    Rational::try_from(bound.get())
        .map(|exact| decimal::up(&exact, DIGITS))
        .map_err(|_| PriceError::OutOfRange {
            what: "the loss is out of range".to_owned(),
        })
}
