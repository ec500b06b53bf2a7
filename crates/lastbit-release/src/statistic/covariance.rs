//! The sample covariance of two columns, with divisor n − 1.

use std::sync::Arc;

use lastbit::statistics::{self, Neighbours, StatisticError};
use lastbit_exact::{Integer, Rational};

use super::moment::{Moment, OfMoment, covariance_of_places, over, product_rounding, sample};
use super::{Kind, Polynomial, Reading, Shape, Word};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};
use crate::schema::Numbers;

#[derive(Clone, Debug)]
pub(super) struct Covariance(pub(super) Arc<Numbers>, pub(super) Arc<Numbers>);

pub(super) const WORD: Word = Word::new("covariance", read);

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let mut columns = reading.moments("covariance", 2)?;
    let (x, y) = (columns.remove(0), columns.remove(0));
    if x.column == y.column {
        return Err(reading.error(format!(
            "the covariance of `{}` with itself is its variance; use kind = \"variance\"",
            x.column
        )));
    }
    OfMoment::read(reading, Covariance(x, y))
}

impl Moment for Covariance {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn columns(&self) -> Vec<&Arc<Numbers>> {
        vec![&self.0, &self.1]
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Products(Arc::clone(&self.0), Arc::clone(&self.1))
    }

    fn unit(&self) -> String {
        match (self.0.unit.as_str(), self.1.unit.as_str()) {
            ("", unit) | (unit, "") => unit.to_owned(),
            (x, y) => format!("{x}·{y}"),
        }
    }

    fn typical(&self) -> Rational {
        // Standard deviations of a quarter of the range.
        let deviation = |x: &Numbers| x.bounds.half_width().times_power_of_two(-1);
        &deviation(&self.0) * &deviation(&self.1)
    }

    fn least_rows(&self) -> u64 {
        2
    }

    fn width(&self) -> Rational {
        &self.0.grid.width() * &self.1.grid.width()
    }

    fn range(&self) -> (Rational, Rational) {
        let most = (&self.0.spread() * &self.1.spread()).times_power_of_two(-1);
        (-most.clone(), most)
    }

    fn rounding(&self) -> Rational {
        product_rounding(&self.0, &self.1)
    }

    fn over_public_rows(
        &self,
        neighbours: Neighbours,
    ) -> Result<statistics::Extent, StatisticError> {
        statistics::covariance(self.0.grid.bounds(), self.1.grid.bounds(), neighbours)
    }

    fn exactly(&self, rows: u64, exact: &Aggregated) -> Option<Rational> {
        match exact {
            Aggregated::Products {
                rows: n,
                sum_x,
                sum_y,
                products,
            } if *n == rows => {
                let exponent =
                    i64::from(self.0.grid.exponent()) + i64::from(self.1.grid.exponent());
                Some(sample(rows, products, sum_x, sum_y).times_power_of_two(exponent))
            }
            _ => None,
        }
    }

    fn shape(&self) -> Shape {
        Shape::Covariance
    }

    fn corners(&self) -> Vec<Polynomial> {
        let (s, t) = (Polynomial::place(&self.0), Polynomial::place(&self.1));
        let left = |x: &Polynomial| Polynomial::one().plus(-1, x);
        vec![
            left(&s).times(&left(&t)),
            s.times(&left(&t)),
            left(&s).times(&t),
            s.times(&t),
        ]
    }

    /// With `s`, `t` the places of a row between its bounds, from 0 to 1:
    /// `((1−s)(1−t), s(1−t), (1−s)t, st)`.
    fn shares(&self, exact: &Aggregated) -> Option<Vec<Rational>> {
        let Aggregated::Products {
            rows,
            sum_x,
            sum_y,
            products,
        } = exact
        else {
            return None;
        };
        let (d, e) = (
            Integer::from(self.0.grid.count()),
            Integer::from(self.1.grid.count()),
        );
        let both = over(products, &(&d * &e));
        let only_x = &over(sum_x, &d) - &both;
        let only_y = &over(sum_y, &e) - &both;
        let neither = &Rational::from(*rows) - &only_x - only_y.clone() - both.clone();
        Some(vec![neither, only_x, only_y, both])
    }

    fn places(&self, shares: &[Rational]) -> Option<[Rational; 3]> {
        let [_, only_x, only_y, both] = shares else {
            return None;
        };
        Some([only_x + both, only_y + both, both.clone()])
    }

    fn of_places(&self, places: &[Rational; 3], rows: &Rational) -> Rational {
        self.width() * covariance_of_places(places, rows)
    }
}
