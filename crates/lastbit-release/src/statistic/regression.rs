//! The linear regression of one column on a few others: the coefficients of least squares.
//!
//! In the places of [`gram`](super::gram), with `z = (1, a₁, …)` and the column b: `Sβ = c` for
//! `S = Σzzᵀ` and `c = Σzb`, and the noisy `Ŝ = S + E` and `ĉ = c + e` have the solution `β̂` with
//!
//! `β̂ − β = Ŝ⁻¹·(e − Eβ)`,
//!
//! because `Ŝ(β̂ − β) = ĉ − Ŝβ = c + e − Sβ − Eβ`. Each entry of `e − Eβ` is a sum of noises whose
//! weights depend only on the exact β. That is not random, so the entry is within its tail's bound
//! with the stated probability. `Ŝ` is known, so a bound on β gives one on `|β̂ − β|`. The first
//! bound on β is from all noises at once: it is linear in |β|, `|β̂ − β| ≤ a + B·|β̂ − β|`, and
//! solvable if the rows of B add up to less than 1.

use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Down, Interval, Rational, Up};

use super::errors::PARTS;
use super::gram::{Form, Gram};
use super::{Errors, Kind, Method, Noised, Noisy, Published, Reading, Stability, Word};
use crate::cell::{Cell, cell};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};

/// The most columns to regress on.
const MOST_COLUMNS: usize = 8;

/// How often the bounds are tightened.
const ROUNDS: usize = 6;

/// The regression of the first column on the others.
#[derive(Clone, Debug)]
struct Regression(Gram);

pub(super) const WORD: Word = Word::new("regression", read).of_one().withheld_if(
    "the noise is too large beside the spread of the columns to make a number of them",
);

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let columns = reading.regressed(MOST_COLUMNS)?;
    let others = columns.len();
    let mut pairs: Vec<(usize, usize)> = (1..others).map(|x| (0, x)).collect();
    pairs.extend((1..others).flat_map(|i| (i..others).map(move |j| (i, j))));
    let gram = Gram::new(columns, pairs).map_err(|error| reading.error(error.to_string()))?;
    Ok(Arc::new(Regression(gram)))
}

impl super::own::Own for Regression {}

impl Kind for Regression {
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

    fn labels(&self) -> Vec<String> {
        let slopes = self.0.columns[1..].iter().map(|x| x.column.clone());
        ["intercept".to_owned()].into_iter().chain(slopes).collect()
    }

    fn cells_of_group(&self) -> u64 {
        self.0.columns.len() as u64
    }

    fn unit(&self) -> String {
        String::new()
    }

    fn typical(&self, _: u64) -> Rational {
        Rational::ONE
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        (None, None)
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl Noisy for Regression {
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

    /// Unknown before the release: columns without spread can have any slope.
    fn is_foreseen(&self) -> bool {
        false
    }

    fn error(&self, _: &Noised<'_>, _: Option<u64>, _: Errors<'_>) -> Option<Up> {
        None
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let found = self.estimate(numbers, published);
        let labels = self.labels().into_iter().enumerate();
        labels
            .map(|(index, label)| {
                let found = found.as_ref().map(|found| &found[index]);
                let (value, error) = found.map_or((None, None), |(v, e)| (Some(v), Some(*e)));
                Cell {
                    label,
                    ..cell(value, (None, None), error, None)
                }
            })
            .collect()
    }
}

impl Regression {
    /// The intercept and the slopes in their own units, with their errors; `None` if the noise is
    /// too large for the spread of the columns.
    fn estimate(
        &self,
        numbers: &[Rational],
        published: Published<'_>,
    ) -> Option<Vec<(Rational, Up)>> {
        let gram = &self.0;
        let (size, rows) = (gram.columns.len(), numbers.first()?.times_power_of_two(1));
        if !rows.is_positive() {
            return None;
        }
        let of_column = |x: usize| numbers[gram.of_column(x)].times_power_of_two(1);
        // Word (i, j) of S, where 0 is the intercept, and entry i of c.
        let s = |i: usize, j: usize| match (i.min(j), i.max(j)) {
            (0, 0) => rows.clone(),
            (0, x) => of_column(x),
            (i, j) => numbers[gram.of_pair(i, j)].clone(),
        };
        let c = |i: usize| match i {
            0 => of_column(0),
            x => numbers[gram.of_pair(0, x)].clone(),
        };
        let matrix = (0..size)
            .map(|i| (0..size).map(|j| s(i, j)).collect())
            .collect();
        let inverse = inverse(matrix)?;
        let sum = |row: &Vec<Rational>| {
            let terms = row.iter().enumerate();
            terms.fold(Rational::ZERO, |sum, (j, entry)| &sum + &(entry * &c(j)))
        };
        let beta: Vec<Rational> = inverse.iter().map(sum).collect();
        let off = self.off(&inverse, &beta, &rows, published)?;
        Some(self.in_units(&beta, &off))
    }

    /// How far off each entry of β̂ is.
    fn off(
        &self,
        inverse: &[Vec<Rational>],
        beta: &[Rational],
        rows: &Rational,
        published: Published<'_>,
    ) -> Option<Vec<Up>> {
        let (gram, size) = (&self.0, beta.len());
        let Published { noised, errors, .. } = published;
        let magnitudes = |row: &Vec<Rational>| {
            let entries = row.iter().map(|entry| Up::from_rational(&entry.abs()));
            entries.collect::<Vec<Up>>()
        };
        let inverse: Vec<Vec<Up>> = inverse.iter().map(magnitudes).collect();
        let times = |form: &[Up]| -> Vec<Up> {
            let row = |row: &Vec<Up>| row.iter().zip(form).map(|(&g, &f)| g * f).sum();
            inverse.iter().map(row).collect()
        };
        // All noises at once are within `each` of zero.
        let share = errors.part(1).part(1, gram.count() as u64);
        let each = errors.tails.of_each(&noised.drawn, &share);
        let two = Up::exact(2.0);
        let rows = Up::from_rational(rows) + two * each;
        let pairs = (0..size).flat_map(|i| (i..size).map(move |j| gram.pair_rounding(i, j)));
        let rounding = pairs.max().unwrap_or(Rational::ZERO);
        let rounding = rows * Up::from_rational(&rounding);
        let beta: Vec<Interval> = beta.iter().map(Interval::from_rational).collect();
        // e − Eβ is at most `constant + Σ slope·|βᵢ|` in each entry.
        let (constant, slope) = (two * each + rounding, two * each + rounding);
        let norm: Up = beta.iter().map(|entry| entry.abs().upper()).sum();
        let first = times(&vec![constant + slope * norm; size]);
        let factor = times(&vec![slope; size])
            .into_iter()
            .fold(Up::ZERO, Up::max);
        // The entries of a row of B are equal, so its sum is `size` times one.
        let total = factor * Up::from_rational(&Rational::from(size as u64));
        let left = Down::ONE - total;
        if left.get() <= 0.0 {
            return None;
        }
        let most = first.iter().copied().fold(Up::ZERO, Up::max) / left;
        let share = errors.part(PARTS - 1).part(1, size as u64);
        let off = Up::tightened(vec![most; size], ROUNDS, |off| {
            let boxes: Vec<Interval> = beta
                .iter()
                .zip(off)
                .map(|(&entry, &off)| entry + Interval::plus_minus(off))
                .collect();
            let forms: Vec<Up> = (0..size)
                .map(|entry| {
                    let form = self.form(entry, &boxes);
                    let norm: Up = boxes.iter().map(|entry| entry.abs().upper()).sum();
                    form.tail(&noised, errors, &share) + rounding * (Up::ONE + norm)
                })
                .collect();
            times(&forms)
        });
        off.iter().all(|off| off.is_finite()).then_some(off)
    }

    /// An entry of `e − Eβ`.
    fn form(&self, entry: usize, beta: &[Interval]) -> Form {
        let gram = &self.0;
        let one = Interval::point(1.0);
        let others = beta.iter().enumerate().skip(1);
        match entry {
            0 => others.fold(
                Form::new(gram)
                    .single(gram.of_column(0), one)
                    .single(0, -beta[0]),
                |form, (x, &slope)| form.single(gram.of_column(x), -slope),
            ),
            entry => others.fold(
                Form::new(gram)
                    .pair(gram.of_pair(0, entry), one)
                    .single(gram.of_column(entry), -beta[0]),
                |form, (x, &slope)| form.pair(gram.of_pair(entry, x), -slope),
            ),
        }
    }

    /// From places to the units of the columns: with the centre m and half of the width h of each,
    /// the slope of a column is `β·h_y/h`, and the intercept `m_y + h_y·β₀ − Σ slope·m`.
    fn in_units(&self, beta: &[Rational], off: &[Up]) -> Vec<(Rational, Up)> {
        let columns = &self.0.columns;
        let half = |x: usize| columns[x].grid.width().times_power_of_two(-1);
        let centre = |x: usize| columns[x].grid.bounds().lower() + &half(x);
        let mut intercept = &centre(0) + &(&half(0) * &beta[0]);
        let mut intercept_off = Up::from_rational(&half(0)) * off[0];
        let mut slopes = Vec::with_capacity(columns.len());
        for x in 1..columns.len() {
            let factor = &half(0) / &half(x);
            let slope = &beta[x] * &factor;
            let slope_off = off[x] * Up::from_rational(&factor);
            intercept = &intercept - &(&slope * &centre(x));
            intercept_off += slope_off * Up::from_rational(&centre(x).abs());
            slopes.push((slope, slope_off));
        }
        slopes.insert(0, (intercept, intercept_off));
        slopes
    }
}

/// The exact inverse of a matrix; `None` if it has none.
fn inverse(mut matrix: Vec<Vec<Rational>>) -> Option<Vec<Vec<Rational>>> {
    let size = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|other| Rational::from(u64::from(other == index))));
    }
    for column in 0..size {
        let pivot = (column..size).find(|&row| !matrix[row][column].is_zero())?;
        matrix.swap(column, pivot);
        let first = matrix[column][column].clone();
        let pivot: Vec<Rational> = matrix[column].iter().map(|entry| entry / &first).collect();
        for (index, row) in matrix.iter_mut().enumerate() {
            if index == column {
                row.clone_from(&pivot);
            } else if !row[column].is_zero() {
                let times = row[column].clone();
                for (entry, of_pivot) in row.iter_mut().zip(&pivot) {
                    *entry = &*entry - &(&times * of_pivot);
                }
            }
        }
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}
