//! The mean of a column, with its rows weighted by another.
//!
//! A row at the place t between its bounds, with a weight of u times the largest, is divided as
//! `(u(1 − t), ut, 1 − u)`. The shares add up to 1, so they are as sensitive as those of a plain
//! mean. The mean is the second sum over the first two together. With the last, all sums give the
//! number of rows, to bound the effect of rounding the weights.

use std::sync::Arc;

use lastbit::statistics::{Extent, Neighbours, StatisticError};
use lastbit_exact::{Integer, Rational};

use super::moment::{Moment, OfMoment};
use super::{Kind, Polynomial, Reading, Shape, Symbol};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};
use crate::schema::{NumberKind, Numbers};

#[derive(Clone, Debug)]
struct WeightedMean {
    x: Arc<Numbers>,
    weights: Arc<Numbers>,
}

pub(super) fn read(
    reading: &Reading<'_>,
    weights: Arc<Numbers>,
) -> Result<Arc<dyn Kind>, PlanError> {
    let x = reading.moments("mean", 1)?.remove(0);
    Ok(OfMoment::over_any_rows(WeightedMean { x, weights }))
}

impl WeightedMean {
    /// The largest weight.
    fn largest(&self) -> &Rational {
        self.weights.grid.bounds().upper()
    }

    /// A sum of weights that lie `offsets` steps above the lower bound, over so many rows, as parts
    /// of the largest.
    fn parts(&self, rows: &Integer, offsets: &Integer) -> Rational {
        let grid = &self.weights.grid;
        let steps = Rational::from(offsets.clone()).times_power_of_two(i64::from(grid.exponent()));
        let lower = &Rational::from(rows.clone()) * grid.bounds().lower();
        &(lower + steps) / self.largest()
    }
}

impl Moment for WeightedMean {
    fn word(&self) -> &'static str {
        super::mean::WORD.text()
    }

    fn columns(&self) -> Vec<&Arc<Numbers>> {
        vec![&self.x, &self.weights]
    }

    fn weights(&self) -> Option<&Arc<Numbers>> {
        Some(&self.weights)
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Products(Arc::clone(&self.weights), Arc::clone(&self.x))
    }

    fn unit(&self) -> String {
        self.x.unit.clone()
    }

    fn scale(&self) -> NumberKind {
        self.x.scale
    }

    fn typical(&self) -> Rational {
        self.x.typical.clone()
    }

    fn least_rows(&self) -> u64 {
        1
    }

    fn width(&self) -> Rational {
        self.x.grid.width()
    }

    fn range(&self) -> (Rational, Rational) {
        let bounds = &self.x.bounds;
        (bounds.lower().clone(), bounds.upper().clone())
    }

    fn rounding(&self) -> Rational {
        self.x.rounding()
    }

    /// That of a plain mean; nothing asks for it.
    fn over_public_rows(&self, neighbours: Neighbours) -> Result<Extent, StatisticError> {
        lastbit::statistics::mean(self.x.grid.bounds(), neighbours)
    }

    fn exactly(&self, _: u64, _: &Aggregated) -> Option<Rational> {
        None
    }

    fn shape(&self) -> Shape {
        Shape::Mean
    }

    fn corners(&self) -> Vec<Polynomial> {
        let t = Polynomial::place(&self.x);
        let u = Polynomial::of(Symbol::Weight(self.weights.column.clone()));
        let upper = u.times(&t);
        vec![u.plus(-1, &upper), upper, Polynomial::one().plus(-1, &u)]
    }

    fn shares(&self, exact: &Aggregated) -> Option<Vec<Rational>> {
        let Aggregated::Products {
            rows,
            sum_x: weights,
            sum_y: sum,
            products,
        } = exact
        else {
            return None;
        };
        let places = Integer::from(self.x.grid.count());
        let all = self.parts(&Integer::from(*rows), weights);
        let upper = &self.parts(sum, products) / &Rational::from(places);
        let rest = &Rational::from(*rows) - &all;
        Some(vec![&all - &upper, upper, rest])
    }

    fn places(&self, shares: &[Rational]) -> Option<[Rational; 3]> {
        let [_, upper, _] = shares else { return None };
        Some([upper.clone(), Rational::ZERO, Rational::ZERO])
    }

    fn of_places(&self, [mean, ..]: &[Rational; 3], _: &Rational) -> Rational {
        self.x.grid.bounds().lower() + &(&self.width() * mean)
    }

    fn rows(&self, shares: &[Rational]) -> Rational {
        match shares {
            [lower, upper, _] => lower + upper,
            _ => Rational::ZERO,
        }
    }

    fn typical_rows(&self, rows: u64) -> Rational {
        let typical = &self.weights.typical / self.largest();
        &Rational::from(rows) * &typical.min(Rational::ONE)
    }

    fn weight_rounding(&self) -> Option<Rational> {
        Some(&self.weights.rounding() / self.largest())
    }
}
