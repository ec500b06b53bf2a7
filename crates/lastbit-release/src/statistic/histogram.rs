//! How many rows fall into each bin or category of a column.

use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Rational, Up};

use super::count::{whole_cells, whole_error};
use super::{
    Errors, Kind, Mark, Method, Noised, Noisy, Polynomial, Published, Reading, Span, Stability,
    Symbol, Word, unexpected,
};
use crate::cell::Cell;
use crate::consistent::{Additive, Quantity};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};
use crate::schema::{ColumnKind, Missing};

/// The rows of each bin or category.
#[derive(Clone, Debug)]
struct Histogram {
    column: String,
    span: Span,
    aggregate: Aggregate,
    labels: Vec<String>,
}

pub(super) const WORD: Word = Word::new("histogram", read)
    .drawn_as(Mark::Columns)
    .labelled("bin")
    .counting();

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let column = reading.column()?;
    let name = &column.name;
    let aggregate = match (parts(&column.kind), &column.kind) {
        (Some(aggregate), _) => aggregate,
        (None, ColumnKind::Discovered) => {
            return Err(reading.error(format!(
                "the values of `{name}` are not public; use a count by `{name}` instead"
            )));
        }
        (None, _) => {
            return Err(reading.error(format!(
                "a histogram of `{name}` needs bins; add `edges` to [columns.{name}]"
            )));
        }
    };
    Ok(Arc::new(Histogram {
        column: name.clone(),
        span: indicators(name, &aggregate),
        aggregate,
        labels: column.labels(),
    }))
}

impl super::own::Own for Histogram {}

impl Kind for Histogram {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        vec![&self.column]
    }

    fn is_binned(&self) -> bool {
        true
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![self.aggregate.clone()]
    }

    fn span(&self) -> Option<Span> {
        Some(self.span.clone())
    }

    fn adds(&self) -> Option<Additive> {
        Some(Additive {
            split: Some(self.column.clone()),
            ..Additive::of(Quantity::Rows)
        })
    }

    fn labels(&self) -> Vec<String> {
        self.labels.clone()
    }

    fn cells_of_group(&self) -> u64 {
        self.labels.len() as u64
    }

    fn unit(&self) -> String {
        "rows".to_owned()
    }

    fn typical(&self, rows: u64) -> Rational {
        Rational::from(rows)
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        (Some(Rational::ZERO), None)
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl Noisy for Histogram {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        counts(exact, self.labels.len())
    }

    fn stability(&self) -> Stability {
        Stability::Shares
    }

    fn count(&self) -> u64 {
        self.labels.len() as u64
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn is_clamped(&self) -> bool {
        true
    }

    fn error(&self, noised: &Noised<'_>, _: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        Some(whole_error(noised, errors))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let labels = self.labels.iter().map(String::as_str);
        whole_cells(numbers.iter().zip(labels), published)
    }
}

/// The counts of the public parts of a column, its categories or its bins; `None` if it has none.
pub(super) fn parts(column: &ColumnKind) -> Option<Aggregate> {
    match column {
        ColumnKind::Categories(categories) => Some(Aggregate::Categories(Arc::clone(categories))),
        ColumnKind::Numbers(numbers) if numbers.edges.is_some() => {
            Some(Aggregate::Bins(Arc::clone(numbers)))
        }
        _ => None,
    }
}

/// The rows of each of so many categories or bins.
pub(super) fn counts(exact: &[&Aggregated], many: usize) -> Result<Vec<Rational>, Error> {
    match exact {
        [Aggregated::Counts(counts)] if counts.len() == many => {
            Ok(counts.iter().map(|&count| Rational::from(count)).collect())
        }
        _ => Err(unexpected()),
    }
}

/// What a row adds to the counts of categories or bins: 1 to one of them.
pub(super) fn indicators(name: &str, aggregate: &Aggregate) -> Span {
    let (many, drops) = match aggregate {
        Aggregate::Categories(categories) => (categories.names.len(), categories.other.is_none()),
        Aggregate::Bins(numbers) => (numbers.bins(), numbers.missing == Missing::Drop),
        Aggregate::States(states) => (states.labels().len() + 1, false),
        _ => (0, false),
    };
    let symbol = |value| match aggregate {
        Aggregate::States(_) => Symbol::State(name.to_owned(), value),
        _ => Symbol::In(name.to_owned(), value),
    };
    let first = (1..many).map(|value| Polynomial::of(symbol(value)));
    let first: Vec<Polynomial> = first.collect();
    // The first is what the others leave.
    let rest = first
        .iter()
        .fold(Polynomial::one(), |rest, value| rest.plus(-1, value));
    Span {
        needs: drops.then(|| name.to_owned()).into_iter().collect(),
        numbers: [vec![rest], first].concat(),
    }
}
