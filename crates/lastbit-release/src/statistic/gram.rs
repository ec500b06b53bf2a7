//! Noisy sums of products of several columns, from which correlations and regressions follow.
//!
//! With `a = 2t − 1` for the place t of a cell between its bounds, a row adds `(½, aᵢ/2, aᵢaⱼ)`,
//! with one number for each column and for each pair that is wanted. Every `a` is in [−1, 1], so
//! the L1 norm of what a row adds is at most (columns + 1)/2 + pairs.

use std::sync::Arc;

use lastbit::Error;
use lastbit::metrics::Norms;
use lastbit_exact::{Integer, Interval, Rational, Up};

use super::{Errors, Noised, Stability, unexpected};
use crate::engine::query::{Aggregate, Exact};
use crate::plan::Numbers;

/// Columns, and the pairs (i, j) of them that are multiplied, with i ≤ j.
#[derive(Clone, Debug)]
pub(super) struct Gram {
    pub columns: Vec<Arc<Numbers>>,
    pub pairs: Vec<(usize, usize)>,
}

impl Gram {
    pub fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::Gram(self.columns.clone())]
    }

    pub fn count(&self) -> usize {
        1 + self.columns.len() + self.pairs.len()
    }

    /// The number of a column.
    pub fn of_column(&self, column: usize) -> usize {
        1 + column
    }

    /// The number of a pair; that of the first pair if it is none of them.
    pub fn of_pair(&self, i: usize, j: usize) -> usize {
        let pair = (i.min(j), i.max(j));
        let place = self.pairs.iter().position(|other| *other == pair);
        place.map_or(0, |place| 1 + self.columns.len() + place)
    }

    pub fn stability(&self) -> Stability {
        let singles = Rational::from(1 + self.columns.len() as u64);
        let pairs = Rational::from(self.pairs.len() as u64);
        Stability::Vectors(Norms {
            l1: &singles.times_power_of_two(-1) + &pairs,
            l2_squared: &singles.times_power_of_two(-2) + &pairs,
        })
    }

    pub fn numbers(&self, exact: &[&Exact]) -> Result<Vec<Rational>, Error> {
        let [
            Exact::Gram {
                rows,
                sums,
                products,
            },
        ] = exact
        else {
            return Err(unexpected());
        };
        let columns = self.columns.len();
        if sums.len() != columns || products.len() != columns * (columns + 1) / 2 {
            return Err(unexpected());
        }
        let n = Rational::from(*rows);
        let steps = |column: usize| Integer::from(self.columns[column].grid.count());
        let place = |column: usize| Rational::new(sums[column].clone(), steps(column));
        let mut numbers = vec![n.times_power_of_two(-1)];
        // Σa/2 = Σt − n/2.
        numbers.extend((0..columns).map(|column| &place(column) - &n.times_power_of_two(-1)));
        for &(i, j) in &self.pairs {
            // Row i of the upper triangle follows i rows, each one entry shorter than the last.
            let at = i * columns - i * (i + 1) / 2 + j;
            let both = Rational::new(products[at].clone(), steps(i) * steps(j));
            // Σ(2s − 1)(2t − 1) = 4Σst − 2Σs − 2Σt + n.
            let sums = (&place(i) + &place(j)).times_power_of_two(1);
            numbers.push(&(&both.times_power_of_two(2) - &sums) + &n);
        }
        Ok(numbers)
    }

    /// How far rounding moves an `a` of a column, at most.
    pub fn rounding(&self, column: usize) -> Rational {
        let x = &self.columns[column];
        &x.rounding() / &x.grid.width().times_power_of_two(-1)
    }

    /// How far rounding moves a product, at most: `(1 + r)(1 + s) − 1`.
    pub fn pair_rounding(&self, i: usize, j: usize) -> Rational {
        let (r, s) = (self.rounding(i), self.rounding(j));
        &(&r + &s) + &(&r * &s)
    }
}

/// A weighted sum of noises, with weights by number.
pub(super) struct Form(Vec<Interval>);

impl Form {
    pub fn new(gram: &Gram) -> Form {
        Form(vec![Interval::point(0.0); gram.count()])
    }

    /// Adds weight on the noise of the number of rows, or of a column's sum; both numbers are
    /// halved.
    pub fn single(mut self, number: usize, weight: Interval) -> Form {
        self.0[number] = self.0[number] + weight + weight;
        self
    }

    /// Adds weight on the noise of a pair.
    pub fn pair(mut self, number: usize, weight: Interval) -> Form {
        self.0[number] = self.0[number] + weight;
        self
    }

    pub fn tail(&self, noised: &Noised<'_>, errors: Errors<'_>, alpha: &Rational) -> Up {
        errors.tail(noised, &self.0, alpha)
    }
}
