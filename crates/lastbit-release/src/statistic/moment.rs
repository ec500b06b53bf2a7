//! What means, variances and covariances have in common.
//!
//! Over a public number of rows, noise is added to the statistic itself. Over an unknown number of
//! rows, every row is divided among the corners of its bounds by Bernstein polynomials. Its shares
//! are nonnegative and add up to 1, and noise is added to the sums of shares. So all moments
//! together are as sensitive as one histogram.

use std::fmt;
use std::sync::Arc;

use lastbit::Error;
use lastbit::statistics::{Extent, Neighbours, StatisticError};
use lastbit_exact::{Integer, Rational, Up};

use super::ratio::mean_places;
use super::{
    Errors, Kind, Method, Noised, Noisy, Polynomial, Published, Reading, Span, Stability,
    unexpected,
};
use crate::cell::{Cell, cell};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};
use crate::schema::{NumberKind, Numbers};

/// A statistic that is a ratio of moments.
pub trait Moment: fmt::Debug + Send + Sync + 'static {
    /// The word in a plan.
    fn word(&self) -> &'static str;

    /// The columns.
    fn columns(&self) -> Vec<&Arc<Numbers>>;

    /// The column that rows are weighted by: the last of the columns.
    fn weights(&self) -> Option<&Arc<Numbers>> {
        None
    }

    /// The integers that it needs in each group.
    fn aggregate(&self) -> Aggregate;

    /// The unit of its values.
    fn unit(&self) -> String;

    /// What its values are.
    fn scale(&self) -> NumberKind {
        NumberKind::Real
    }

    /// A typical value, from the guesses of the plan.
    fn typical(&self) -> Rational;

    /// The fewest rows that it needs.
    fn least_rows(&self) -> u64;

    /// The factor from a statistic of rows rescaled to [0, 1] to its own unit: `b − a`, `(b − a)²`
    /// or `(b − a)(d − c)`.
    fn width(&self) -> Rational;

    /// Bounds of the statistic of rows within the plan's bounds, over any number of rows.
    fn range(&self) -> (Rational, Rational);

    /// A bound on how far rounding the rows moves the statistic.
    fn rounding(&self) -> Rational;

    /// The statistic over a public number of rows: its range and sensitivity.
    fn over_public_rows(&self, neighbours: Neighbours) -> Result<Extent, StatisticError>;

    /// Its exact value over a public number of rows.
    fn exactly(&self, rows: u64, exact: &Aggregated) -> Option<Rational>;

    /// How it follows from mean places.
    fn shape(&self) -> Shape;

    /// What a row adds to each share.
    fn corners(&self) -> Vec<Polynomial>;

    /// The exact sums of the shares: nonnegative, and together the number of rows.
    fn shares(&self, exact: &Aggregated) -> Option<Vec<Rational>>;

    /// From shares, exact or noisy: the sums, over rows, of the place of x between its bounds, of
    /// that of y, and of their product.
    fn places(&self, shares: &[Rational]) -> Option<[Rational; 3]>;

    /// The statistic of mean places over so many rows, exact or noisy.
    fn of_places(&self, places: &[Rational; 3], rows: &Rational) -> Rational;

    /// The divisor of the mean places from shares, exact or noisy: the number of rows, or the sum
    /// of their weights.
    fn rows(&self, shares: &[Rational]) -> Rational {
        shares
            .iter()
            .fold(Rational::ZERO, |sum, share| &sum + share)
    }

    /// A guess of [`Moment::rows`] over so many rows.
    fn typical_rows(&self, rows: u64) -> Rational {
        Rational::from(rows)
    }

    /// For weighted rows: how far rounding moves a weight, as a part of the largest. All shares
    /// together are the number of rows; without the last, they are the sum of the weights.
    fn weight_rounding(&self) -> Option<Rational> {
        None
    }
}

/// How a moment follows from mean places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// The mean place itself.
    Mean,
    /// The mean square less the square of the mean.
    Variance,
    /// The mean product less the product of the means.
    Covariance,
}

/// A kind that is a moment.
#[derive(Debug)]
pub(super) struct OfMoment<M> {
    moment: M,
    /// The public number of rows, and how far one of them moves the statistic.
    fixed: Option<(u64, Extent)>,
}

impl<M: Moment> OfMoment<M> {
    pub(super) fn read(reading: &Reading<'_>, moment: M) -> Result<Arc<dyn Kind>, PlanError> {
        let columns: Vec<&Numbers> = moment.columns().into_iter().map(|x| &**x).collect();
        let rows = reading.at_least(moment.least_rows(), reading.public_rows(&columns))?;
        let fixed = match rows {
            None => None,
            Some(rows) => {
                let statistic = Neighbours::change_one(rows)
                    .and_then(|neighbours| moment.over_public_rows(neighbours))
                    .map_err(|error| reading.error(error))?;
                Some((rows, statistic))
            }
        };
        Ok(Arc::new(OfMoment { moment, fixed }))
    }

    /// A moment that does not use the number of rows, even a public one.
    pub(super) fn over_any_rows(moment: M) -> Arc<dyn Kind> {
        Arc::new(OfMoment {
            moment,
            fixed: None,
        })
    }

    /// The statistic of shares, exact or noisy, over their sum; `None` if the sum is too small.
    fn ratio(&self, shares: &[Rational]) -> Option<Rational> {
        let rows = self.moment.rows(shares);
        if rows <= Rational::from(self.moment.least_rows() - 1) {
            return None;
        }
        let places = mean_places(self.moment.places(shares)?, &rows);
        Some(self.moment.of_places(&places, &rows))
    }
}

impl<M: Moment> super::own::Own for OfMoment<M> {}

impl<M: Moment> Kind for OfMoment<M> {
    fn word(&self) -> &'static str {
        self.moment.word()
    }

    fn of(&self) -> Vec<&str> {
        let mut columns = self.uses();
        if self.moment.weights().is_some() {
            columns.pop();
        }
        columns
    }

    fn uses(&self) -> Vec<&str> {
        let columns = self.moment.columns();
        columns.into_iter().map(|x| x.column.as_str()).collect()
    }

    fn weights(&self) -> Option<&str> {
        self.moment.weights().map(|weights| weights.column.as_str())
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let weights = self.weights().into_iter();
        weights
            .map(|column| ("weights", column.to_owned()))
            .collect()
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![self.moment.aggregate()]
    }

    fn span(&self) -> Option<Span> {
        let columns: Vec<&Numbers> = self.moment.columns().into_iter().map(|x| &**x).collect();
        let is_ratio = self.fixed.is_none();
        is_ratio.then(|| Span::new(&columns, self.moment.corners()))
    }

    fn unit(&self) -> String {
        self.moment.unit()
    }

    fn scale(&self) -> NumberKind {
        self.moment.scale()
    }

    fn typical(&self, _: u64) -> Rational {
        self.moment.typical()
    }

    fn public_rows(&self) -> Option<u64> {
        self.fixed.as_ref().map(|(rows, _)| *rows)
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        let (low, high) = self.moment.range();
        (Some(low), Some(high))
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl<M: Moment> Noisy for OfMoment<M> {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        let [exact] = exact else {
            return Err(unexpected());
        };
        match &self.fixed {
            Some((rows, _)) => self.moment.exactly(*rows, exact).map(|number| vec![number]),
            None => self.moment.shares(exact),
        }
        .ok_or_else(unexpected)
    }

    fn stability(&self) -> Stability {
        match &self.fixed {
            Some((_, statistic)) => Stability::Moved(Box::new(statistic.clone())),
            None => Stability::Shares,
        }
    }

    fn count(&self) -> u64 {
        match self.fixed {
            Some(_) => 1,
            None => self.moment.corners().len() as u64,
        }
    }

    fn is_clamped(&self) -> bool {
        self.fixed.is_some()
    }

    fn needs_rows(&self) -> bool {
        self.fixed.is_none()
    }

    fn error(&self, noised: &Noised<'_>, rows: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        if self.fixed.is_none() {
            return Some(errors.ratio_planned(&self.moment, noised, rows?));
        }
        let (low, high) = self.moment.range();
        // What is published is clamped to the range of the exact number.
        let all = Up::from_rational(&(&high - &low));
        let rounding = Up::from_rational(&self.moment.rounding());
        Some((errors.noise(noised) + rounding).min(all))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let Published { noised, errors, .. } = published;
        if self.fixed.is_some() {
            let grid = Some(noised.drawn.grid);
            return vec![cell(numbers.first(), self.range(), published.error, grid)];
        }
        let (low, high) = self.moment.range();
        let value = self.ratio(numbers).map(|value| value.clamp_to(&low, &high));
        let error = value
            .as_ref()
            .and_then(|value| errors.ratio(&self.moment, &noised, numbers, value));
        vec![cell(value.as_ref(), self.range(), error, None)]
    }
}

/// An exact quotient.
pub(super) fn over(numerator: &Integer, denominator: &Integer) -> Rational {
    Rational::new(numerator.clone(), denominator.clone())
}

/// `(n·Σxy − Σx·Σy)/(n(n − 1))`, in steps.
pub(super) fn sample(rows: u64, products: &Integer, sum_x: &Integer, sum_y: &Integer) -> Rational {
    let n = Integer::from(rows);
    let spread = &n * products - sum_x * sum_y;
    Rational::new(spread, &n * (&n - Integer::ONE))
}

/// `(mean product − product of means)·n/(n − 1)`.
pub(super) fn covariance_of_places([x, y, both]: &[Rational; 3], rows: &Rational) -> Rational {
    let spread = both - &(x * y);
    spread * (rows / &(rows - &Rational::ONE))
}

/// A bound on how far rounding the rows moves a covariance.
///
/// **Proof.** Rounding moves a row by at most h = step/2. The standard deviation of the roundings
/// is at most `h√(n/(n−1))`, that of the rows at most `w/2·√(n/(n−1))`, and `|cov(x + e, y + f) −
/// cov(x, y)| ≤ sd(x)sd(f) + sd(e)sd(y) + sd(e)sd(f)`, where `n/(n−1) ≤ 2`. ∎
pub(super) fn product_rounding(x: &Numbers, y: &Numbers) -> Rational {
    let (h, k) = (x.rounding(), y.rounding());
    let both = &h * &k;
    &x.grid.width() * &k + &h * &y.grid.width() + (&both + &both)
}
