//! The share of the rows in each category, or of those that meet a condition.
//!
//! Noise is added to the count of each category (a condition has two). A share s over n rows, with
//! the noises `η_j` of all counts and `n̂ = n + Ση_j`, is estimated with
//! `(ŝ − s)·n̂ = Σ η_j·([j is the category] − s)`. The weights depend on the exact share, so the
//! possible shares are enclosed as in [`ratio`](super::ratio).

use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Down, Interval, Rational, Up};

use super::errors::PARTS;
use super::histogram::{counts, indicators};
use super::ratio::{around, sliced};
use super::{Errors, Kind, Method, Noised, Noisy, Published, Reading, Span, Stability, Word};
use crate::cell::{Cell, cell};
use crate::expression::Expression;
use crate::plan::{PlanError, declarations_of};
use crate::query::{Aggregate, Aggregated, States};
use crate::schema::{Categories, ColumnKind, Missing};

#[derive(Clone, Debug)]
struct Share {
    word: &'static str,
    /// The column, or the condition.
    of: String,
    condition: Option<Expression>,
    /// For a condition, its two outcomes.
    aggregate: Aggregate,
    /// One for each category or bin whose share is published. Empty for a condition: only the share
    /// for which it is true is published.
    labels: Vec<String>,
    /// How many counts there are.
    counts: usize,
    /// The public number of rows, if every one is in a category.
    rows: Option<u64>,
}

pub(super) const WORD: Word = Word::new("share", read);

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let (name, place) = reading.one_name()?;
    let Ok(column) = reading.known(&name) else {
        return condition(reading, &name).map_err(|why| place.error(why));
    };
    let (aggregate, whole) = match &column.kind {
        ColumnKind::Categories(categories) => (
            Aggregate::Categories(Arc::clone(categories)),
            categories.other.is_some(),
        ),
        ColumnKind::Numbers(numbers) if numbers.edges.is_some() => (
            Aggregate::Bins(Arc::clone(numbers)),
            numbers.missing != Missing::Drop,
        ),
        ColumnKind::Numbers(_) => {
            return Err(reading.error(format!(
                "shares of `{name}` need bins; add `edges` to [columns.{name}], or ask for a \
                 condition, such as of = \"{} > 0\"",
                reading.in_condition(&name)
            )));
        }
        ColumnKind::Discovered => {
            return Err(reading.error(format!(
                "the values of `{name}` are not public; ask for a condition, such as of = \"{} = \
                 'a'\", or use a count by `{name}`",
                reading.in_condition(&name)
            )));
        }
    };
    let labels = column.labels();
    Ok(Arc::new(Share {
        word: WORD.text(),
        of: name,
        condition: None,
        aggregate,
        counts: labels.len(),
        labels,
        rows: reading.rows.filter(|_| whole),
    }))
}

/// The share of a column's cells that are missing, not listed, or beyond its bounds.
pub(super) fn read_states(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let column = reading.column()?;
    let states = match &column.kind {
        ColumnKind::Numbers(numbers) => States::Numbers(Arc::clone(numbers)),
        ColumnKind::Categories(categories) => States::Categories(Arc::clone(categories)),
        ColumnKind::Discovered => States::Discovered(column.name.clone()),
    };
    let labels: Vec<String> = states.labels().iter().map(|&s| s.to_owned()).collect();
    Ok(Arc::new(Share {
        word: super::left_out::WORD.text(),
        of: column.name.clone(),
        condition: None,
        // One more for the cells that are none of these.
        counts: labels.len() + 1,
        labels,
        aggregate: Aggregate::States(states),
        rows: reading.rows,
    }))
}

/// A share of the rows for which the condition is true or false; a row for which it is unknown does
/// not count.
fn condition(reading: &Reading<'_>, text: &str) -> Result<Arc<dyn Kind>, String> {
    // A name alone means a column.
    let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if let (true, Err(unknown)) = (is_name, reading.known(text)) {
        return Err(unknown.message().to_owned());
    }
    let declared = declarations_of(reading.columns);
    let condition = Expression::condition_with(text, &declared);
    let condition = condition.map_err(|error| error.to_string())?;
    let outcomes = Categories {
        column: condition.to_string(),
        names: vec!["true".to_owned(), "false".to_owned()],
        other: None,
    };
    Ok(Arc::new(Share {
        word: WORD.text(),
        of: condition.to_string(),
        condition: Some(condition),
        aggregate: Aggregate::Categories(Arc::new(outcomes)),
        labels: vec![],
        counts: 2,
        rows: None,
    }))
}

impl super::own::Own for Share {}

impl Kind for Share {
    fn word(&self) -> &'static str {
        self.word
    }

    fn of(&self) -> Vec<&str> {
        vec![&self.of]
    }

    fn needs(&self) -> Vec<&str> {
        match self.aggregate {
            // Cells that are left out of others are what it counts.
            Aggregate::States(_) => vec![],
            _ => self.uses(),
        }
    }

    fn is_binned(&self) -> bool {
        self.word == WORD.text() && self.condition.is_none()
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![self.aggregate.clone()]
    }

    fn derives(&self) -> Vec<(&str, &Expression)> {
        let condition = self.condition.iter();
        condition
            .map(|condition| (self.of.as_str(), condition))
            .collect()
    }

    fn span(&self) -> Option<Span> {
        Some(indicators(&self.of, &self.aggregate))
    }

    fn labels(&self) -> Vec<String> {
        match self.labels.is_empty() {
            true => vec![String::new()],
            false => self.labels.clone(),
        }
    }

    fn cells_of_group(&self) -> u64 {
        self.labels.len().max(1) as u64
    }

    fn unit(&self) -> String {
        String::new()
    }

    fn typical(&self, _: u64) -> Rational {
        Rational::new(1, 2)
    }

    fn public_rows(&self) -> Option<u64> {
        self.rows
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        (Some(Rational::ZERO), Some(Rational::ONE))
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl Noisy for Share {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        counts(exact, self.counts)
    }

    fn stability(&self) -> Stability {
        Stability::Shares
    }

    fn count(&self) -> u64 {
        self.counts as u64
    }

    fn is_clamped(&self) -> bool {
        self.rows.is_some()
    }

    fn needs_rows(&self) -> bool {
        self.rows.is_none()
    }

    fn error(&self, noised: &Noised<'_>, rows: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        if let Some(rows) = self.rows {
            let rows = Down::from_rational(&Rational::from(rows));
            return Some((errors.noise(noised) / rows).min(Up::ONE));
        }
        let ones = vec![Interval::point(1.0); self.counts];
        let rows = Down::from_rational(&Rational::from(rows?));
        let noisy = rows - errors.tail(noised, &ones, &errors.part(1));
        if noisy.get() <= 0.0 {
            return Some(Up::ONE);
        }
        let worst = worst(noised, errors, |share| self.weights(0, share));
        Some((worst / noisy).min(Up::ONE))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let sum = numbers
            .iter()
            .fold(Rational::ZERO, |sum, count| &sum + count);
        let rows = self.rows.map_or(sum, Rational::from);
        let wanted = numbers.iter().take(self.cells_of_group() as usize);
        wanted
            .enumerate()
            .map(|(index, count)| {
                let share = rows.is_positive().then(|| count / &rows);
                let value = share
                    .as_ref()
                    .map(|share| share.clamp_to(&Rational::ZERO, &Rational::ONE));
                let error = match self.rows {
                    Some(_) => published.error,
                    None => share.as_ref().zip(value.as_ref()).map(|(share, value)| {
                        possible((share, value, &rows), published, |share: Interval| {
                            self.weights(index, share)
                        })
                    }),
                };
                Cell {
                    label: self.labels.get(index).cloned().unwrap_or_default(),
                    ..cell(value.as_ref(), self.range(), error, None)
                }
            })
            .collect()
    }
}

impl Share {
    /// The weights of the noises in the sum of a category's share.
    fn weights(&self, index: usize, share: Interval) -> Vec<Interval> {
        let mut weights = vec![-share; self.counts];
        weights[index] = Interval::point(1.0) - share;
        weights
    }
}

/// The largest tail of a share's sum, at any share; for fifteen parts of the probability.
pub(super) fn worst(
    noised: &Noised<'_>,
    errors: Errors<'_>,
    weights: impl Fn(Interval) -> Vec<Interval>,
) -> Up {
    let main = errors.part(PARTS - 1);
    let tail = |share: Interval| errors.tail(noised, &weights(share), &main);
    let tails = sliced(Interval::UNIT, 8).into_iter().map(tail);
    tails.fold(Up::ZERO, Up::max)
}

/// With the confidence, the exact share is within this much of `value`, which is `share`, of so
/// many noisy rows, clamped to [0, 1]. `weights` are those of the noises in its sum.
pub(super) fn possible(
    (share, value, rows): (&Rational, &Rational, &Rational),
    published: Published<'_>,
    weights: impl Fn(Interval) -> Vec<Interval>,
) -> Up {
    let Published { noised, errors, .. } = published;
    let (share, rows) = (
        Interval::from_rational(share),
        Interval::from_rational(rows),
    );
    let next = |place: Interval| {
        let off = errors.tail(&noised, &weights(place), errors.beta);
        around(share, off, rows)
    };
    // If nothing is possible, the event did not happen, and nothing is promised.
    let possible = Interval::UNIT.contracted(next).unwrap_or(Interval::UNIT);
    let off = (Interval::from_rational(value) - possible).abs().upper();
    off.min(Up::ONE)
}
