//! The sample variance of a column, with divisor n − 1.

use std::sync::Arc;

use lastbit::statistics::{self, Neighbours, StatisticError};
use lastbit_exact::{Integer, Rational};

use super::moment::{Moment, OfMoment, covariance_of_places, over, product_rounding, sample};
use super::{Kind, Polynomial, Reading, Shape, Word};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};
use crate::schema::Numbers;

#[derive(Clone, Debug)]
pub(super) struct Variance(pub(super) Arc<Numbers>);

pub(super) const WORD: Word = Word::new("variance", read);

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let mut columns = reading.moments("variance", 1)?;
    OfMoment::read(reading, Variance(columns.remove(0)))
}

impl Moment for Variance {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn columns(&self) -> Vec<&Arc<Numbers>> {
        vec![&self.0]
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Moments(Arc::clone(&self.0))
    }

    fn unit(&self) -> String {
        match self.0.unit.as_str() {
            "" => String::new(),
            unit => format!("{unit}²"),
        }
    }

    fn typical(&self) -> Rational {
        // A standard deviation of a quarter of the range.
        let deviation = self.0.bounds.half_width().times_power_of_two(-1);
        &deviation * &deviation
    }

    fn least_rows(&self) -> u64 {
        2
    }

    fn width(&self) -> Rational {
        &self.0.grid.width() * &self.0.grid.width()
    }

    /// A sample variance of n rows is at most `w²/4·n/(n−1) ≤ w²/2`.
    fn range(&self) -> (Rational, Rational) {
        let spread = self.0.spread();
        (Rational::ZERO, (&spread * &spread).times_power_of_two(-1))
    }

    fn rounding(&self) -> Rational {
        product_rounding(&self.0, &self.0)
    }

    fn over_public_rows(
        &self,
        neighbours: Neighbours,
    ) -> Result<statistics::Extent, StatisticError> {
        statistics::variance(self.0.grid.bounds(), neighbours)
    }

    fn exactly(&self, rows: u64, exact: &Aggregated) -> Option<Rational> {
        match exact {
            Aggregated::Moments {
                rows: n,
                sum,
                squares,
            } if *n == rows => {
                let exponent = 2 * i64::from(self.0.grid.exponent());
                Some(sample(rows, squares, sum, sum).times_power_of_two(exponent))
            }
            _ => None,
        }
    }

    fn shape(&self) -> Shape {
        Shape::Variance
    }

    fn corners(&self) -> Vec<Polynomial> {
        let t = Polynomial::place(&self.0);
        let left = Polynomial::one().plus(-1, &t);
        let middle = left.times(&t);
        vec![left.times(&left), middle.plus(1, &middle), t.times(&t)]
    }

    /// With `t` the place of a row between its bounds, from 0 to 1: `((1 − t)², 2t(1 − t), t²)`.
    fn shares(&self, exact: &Aggregated) -> Option<Vec<Rational>> {
        let Aggregated::Moments { rows, sum, squares } = exact else {
            return None;
        };
        let d = Integer::from(self.0.grid.count());
        let square = &d * &d;
        let upper = over(squares, &square);
        let middle = over(&((&d * sum - squares) << 1), &square);
        Some(vec![
            &Rational::from(*rows) - &middle - upper.clone(),
            middle,
            upper,
        ])
    }

    fn places(&self, shares: &[Rational]) -> Option<[Rational; 3]> {
        let [_, middle, upper] = shares else {
            return None;
        };
        let mean = &middle.times_power_of_two(-1) + upper;
        Some([mean.clone(), mean, upper.clone()])
    }

    fn of_places(&self, places: &[Rational; 3], rows: &Rational) -> Rational {
        self.width() * covariance_of_places(places, rows)
    }
}
