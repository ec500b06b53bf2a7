//! The correlation of two columns.
//!
//! In the places a and b of [`gram`](super::gram), with means μ and ν, `n̂` the noisy number of
//! rows, and `Ĉ` the noisy covariance with divisor n̂: `Ĉ − C = (F − D_a·D_b/n̂)/n̂`, where
//! `F = η_ab − μη_b − νη_a + (μν − C)η_n` and `D_a = η_a − μη_n = (μ̂ − μ)n̂`, as for
//! [`ratio`](super::ratio). So the covariance and each variance lie in an interval, and the
//! correlation in their quotient.

use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Interval, Rational, Up};

use super::errors::PARTS;
use super::gram::{Form, Gram};
use super::ratio::around;
use super::{Errors, Kind, Method, Noised, Noisy, Published, Reading, Stability, Word};
use crate::cell::{Cell, cell};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};

#[derive(Clone, Debug)]
struct Correlation(Gram);

pub(super) const WORD: Word = Word::new("correlation", read).withheld_if(
    "the noise is too large beside the spread of the columns to make a number of them",
);

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let columns = reading.moments("correlation", 2)?;
    if columns[0].column == columns[1].column {
        return Err(reading.error(format!(
            "the correlation of `{}` with itself is 1; name another column",
            columns[0].column
        )));
    }
    let gram = Gram::new(columns, vec![(0, 0), (0, 1), (1, 1)]);
    let gram = gram.map_err(|error| reading.error(error.to_string()))?;
    Ok(Arc::new(Correlation(gram)))
}

impl super::own::Own for Correlation {}

impl Kind for Correlation {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        let columns = self.0.columns.iter();
        columns.map(|x| x.column.as_str()).collect()
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        self.0.aggregates()
    }

    fn unit(&self) -> String {
        String::new()
    }

    fn typical(&self, _: u64) -> Rational {
        Rational::ONE
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        (Some(-Rational::ONE), Some(Rational::ONE))
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl Noisy for Correlation {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        self.0.numbers(exact)
    }

    fn stability(&self) -> Stability {
        self.0.stability()
    }

    fn count(&self) -> u64 {
        self.0.count() as u64
    }

    fn is_clamped(&self) -> bool {
        false
    }

    fn needs_rows(&self) -> bool {
        true
    }

    /// Unknown before the release: rows without spread can have any correlation.
    fn is_foreseen(&self) -> bool {
        false
    }

    fn error(&self, _: &Noised<'_>, _: Option<u64>, _: Errors<'_>) -> Option<Up> {
        None
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let found = self.estimate(numbers, published);
        let (value, error) = found.map_or((None, None), |(value, error)| (Some(value), error));
        vec![cell(value.as_ref(), self.range(), error, None)]
    }
}

impl Correlation {
    /// The correlation of noisy numbers, and how far off it is; `None` if they have none.
    fn estimate(
        &self,
        numbers: &[Rational],
        published: Published<'_>,
    ) -> Option<(Rational, Option<Up>)> {
        let twice = |number: &Rational| number.times_power_of_two(1);
        let rows = twice(numbers.first()?);
        if !rows.is_positive() {
            return None;
        }
        let mean = |column: usize| &twice(&numbers[self.0.of_column(column)]) / &rows;
        let spread =
            |i: usize, j: usize| &(&numbers[self.0.of_pair(i, j)] / &rows) - &(&mean(i) * &mean(j));
        let (x, both, y) = (spread(0, 0), spread(0, 1), spread(1, 1));
        if !x.is_positive() || !y.is_positive() {
            return None;
        }
        let variance = Interval::from_rational(&(&x * &y));
        let value = Interval::from_rational(&both) / variance.sqrt();
        let value = Rational::try_from(value.midpoint()).ok()?;
        let value = value.clamp_to(&-Rational::ONE, &Rational::ONE);
        let seen = Seen {
            gram: &self.0,
            published,
            rows: Interval::from_rational(&rows),
            means: [0, 1].map(|column| Interval::from_rational(&mean(column))),
        };
        let error = seen.error(&value, [&x, &both, &y]);
        Some((value, error))
    }
}

/// What was published of a correlation.
struct Seen<'a> {
    gram: &'a Gram,
    published: Published<'a>,
    rows: Interval,
    /// Their estimates.
    means: [Interval; 2],
}

impl Seen<'_> {
    fn error(&self, value: &Rational, [x, both, y]: [&Rational; 3]) -> Option<Up> {
        let places = [0, 1].map(|column| self.mean(column));
        let all = Interval::point(-1.0).hull(Interval::point(1.0));
        let positive = Interval::point(0.0).hull(Interval::point(1.0));
        let x = self.spread((0, 0), x, places, positive);
        let y = self.spread((1, 1), y, places, positive);
        let both = self.spread((0, 1), both, places, all);
        let variance = x * y;
        let possible = match variance.lo() > 0.0 {
            true => (both / variance.sqrt()).intersect(all).unwrap_or(all),
            false => all,
        };
        Some((Interval::from_rational(value) - possible).abs().upper())
    }

    /// An interval for the mean of a column.
    fn mean(&self, column: usize) -> Interval {
        let Published { noised, errors, .. } = self.published;
        let one = Interval::point(1.0);
        let beta = errors.part(1);
        let next = |mean: Interval| {
            let form = Form::new(self.gram)
                .single(self.gram.of_column(column), one)
                .single(0, -mean);
            around(
                self.means[column],
                form.tail(&noised, errors, &beta),
                self.rows,
            )
        };
        let all = (-one).hull(one);
        all.contracted(next).unwrap_or(all)
    }

    /// An interval for a covariance, or a variance, of the rows before rounding.
    fn spread(
        &self,
        (i, j): (usize, usize),
        estimate: &Rational,
        means: [Interval; 2],
        range: Interval,
    ) -> Interval {
        let Published { noised, errors, .. } = self.published;
        // Fourteen parts for three of them.
        let beta = errors.part(PARTS - 2).part(1, 3);
        let estimate = Interval::from_rational(estimate);
        let off = |column: usize| self.means[column] - means[column];
        // A square is not negative.
        let second = match i == j {
            true => off(i).abs() * off(i).abs(),
            false => off(i) * off(j),
        };
        let next = |spread: Interval| {
            let form = Form::new(self.gram)
                .pair(self.gram.of_pair(i, j), Interval::point(1.0))
                .single(self.gram.of_column(i), -means[j])
                .single(self.gram.of_column(j), -means[i])
                .single(0, means[i] * means[j] - spread);
            around(estimate, form.tail(&noised, errors, &beta), self.rows) + second
        };
        let found = range.contracted(next).unwrap_or(range);
        let rounding = Interval::from_rational(&self.gram.pair_rounding(i, j));
        let wider = found + (-rounding).hull(rounding);
        wider.intersect(range).unwrap_or(range)
    }
}
