//! Noisy sums of products of several columns, from which correlations and regressions follow.
//!
//! The numbers, and how far a row moves them, are those of [`lastbit::tables::Products`]: with
//! `a = 2t − 1` for the place t of a cell between its bounds, a row adds `(½, aᵢ/2, aᵢaⱼ)`.

use std::sync::Arc;

use lastbit::tables::Products;
use lastbit::{Beta, Error};
use lastbit_exact::{Integer, Interval, Rational, Up};

use super::{Errors, Noised, Stability, unexpected};
use crate::query::{Aggregate, Aggregated};
use crate::schema::Numbers;

/// Columns, and the pairs of them that are multiplied.
#[derive(Clone, Debug)]
pub(super) struct Gram {
    pub columns: Vec<Arc<Numbers>>,
    products: Products,
}

impl Gram {
    /// The pairs are (i, j) with i ≤ j.
    pub fn new(columns: Vec<Arc<Numbers>>, pairs: Vec<(usize, usize)>) -> Result<Gram, Error> {
        let products = Products::new(columns.len(), pairs)?;
        Ok(Gram { columns, products })
    }

    pub fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::Gram(self.columns.clone())]
    }

    pub fn count(&self) -> usize {
        self.products.count()
    }

    /// The number of a column.
    pub fn of_column(&self, column: usize) -> usize {
        self.products.of_column(column)
    }

    /// The number of a pair. Kinds ask only for pairs that they have.
    pub fn of_pair(&self, i: usize, j: usize) -> usize {
        self.products.of_pair(i, j).unwrap_or(0)
    }

    pub fn stability(&self) -> Stability {
        Stability::Products(self.products.clone())
    }

    pub fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        let [
            Aggregated::Gram {
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
        let steps = |column: usize| Integer::from(self.columns[column].grid.count());
        let place = |column: usize| Rational::new(sums[column].clone(), steps(column));
        let places: Vec<Rational> = (0..columns).map(place).collect();
        let both = |i: usize, j: usize| {
            // Row i of the upper triangle follows i rows, each one entry shorter than the last.
            let at = i * columns - i * (i + 1) / 2 + j;
            Rational::new(products[at].clone(), steps(i) * steps(j))
        };
        let rows = Rational::from(*rows);
        self.products.centred(&rows, &places, both)
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

    pub fn tail(&self, noised: &Noised<'_>, errors: Errors<'_>, beta: &Beta) -> Up {
        errors.tail(noised, &self.0, beta)
    }
}
