//! The mean of a column.

use std::sync::Arc;

use lastbit::statistics::{self, Neighbours, StatisticError};
use lastbit_exact::{Integer, Rational};

use super::moment::{Moment, OfMoment, over};
use super::{Kind, Polynomial, Reading, Shape, Word};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};
use crate::schema::{NumberKind, Numbers};

#[derive(Clone, Debug)]
pub(super) struct Mean(pub(super) Arc<Numbers>);

pub(super) const WORD: Word = Word::new("mean", read).average();

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    if let Some(weights) = reading.weights()? {
        return super::weighted_mean::read(reading, weights);
    }
    let mut columns = reading.moments("mean", 1)?;
    OfMoment::read(reading, Mean(columns.remove(0)))
}

impl Moment for Mean {
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
        self.0.unit.clone()
    }

    fn scale(&self) -> NumberKind {
        self.0.scale
    }

    fn typical(&self) -> Rational {
        self.0.typical.clone()
    }

    fn least_rows(&self) -> u64 {
        1
    }

    fn width(&self) -> Rational {
        self.0.grid.width()
    }

    fn range(&self) -> (Rational, Rational) {
        let bounds = &self.0.bounds;
        (bounds.lower().clone(), bounds.upper().clone())
    }

    fn rounding(&self) -> Rational {
        self.0.rounding()
    }

    fn over_public_rows(
        &self,
        neighbours: Neighbours,
    ) -> Result<statistics::Extent, StatisticError> {
        statistics::mean(self.0.grid.bounds(), neighbours)
    }

    fn exactly(&self, rows: u64, exact: &Aggregated) -> Option<Rational> {
        match exact {
            Aggregated::Moments { rows: n, sum, .. } if *n == rows => {
                let mean = Rational::new(sum.clone(), Integer::from(rows));
                Some(self.0.grid.value(&mean))
            }
            _ => None,
        }
    }

    fn shape(&self) -> Shape {
        Shape::Mean
    }

    fn corners(&self) -> Vec<Polynomial> {
        let t = Polynomial::place(&self.0);
        vec![Polynomial::one().plus(-1, &t), t]
    }

    /// With `t` the place of a row between its bounds, from 0 to 1: `(1 − t, t)`.
    fn shares(&self, exact: &Aggregated) -> Option<Vec<Rational>> {
        let Aggregated::Moments { rows, sum, .. } = exact else {
            return None;
        };
        let upper = over(sum, &Integer::from(self.0.grid.count()));
        Some(vec![&Rational::from(*rows) - &upper, upper])
    }

    fn places(&self, shares: &[Rational]) -> Option<[Rational; 3]> {
        let [_, upper] = shares else { return None };
        Some([upper.clone(), Rational::ZERO, Rational::ZERO])
    }

    fn of_places(&self, [mean, ..]: &[Rational; 3], _: &Rational) -> Rational {
        self.0.grid.bounds().lower() + &(&self.width() * mean)
    }
}
