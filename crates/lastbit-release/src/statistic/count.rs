//! The number of rows, or of units.

use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Rational, Up};

use super::{
    Errors, Kind, Mark, Method, Noised, Noisy, Polynomial, Published, Reading, Span, Stability,
    Word, unexpected,
};
use crate::cell::{Cell, whole_cell};
use crate::consistent::{Additive, Quantity};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};

/// The number of rows in a group; if units are counted, one row of each.
#[derive(Clone, Copy, Debug)]
struct Count {
    units: bool,
}

pub(super) const ROWS: Word = Word::new("count", read_rows)
    .drawn_as(Mark::Bars)
    .counting();
pub(super) const UNITS: Word = Word::new("units", read_units)
    .drawn_as(Mark::Bars)
    .counting();

fn read_rows(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    reading.no_columns("a count is of rows; leave out `of`")?;
    read_as(reading, false)
}

fn read_units(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    reading.no_columns("units are those of [privacy]; leave out `of`")?;
    if let Some(most_rows) = reading.table.get("most_rows") {
        return Err(most_rows.error("a unit counts once; leave out `most_rows`"));
    }
    read_as(reading, true)
}

fn read_as(reading: &Reading<'_>, units: bool) -> Result<Arc<dyn Kind>, PlanError> {
    if reading.rows.is_some() {
        return Err(reading.error(
            "the number of rows is public under neighbours = \"change-one\"; leave the count out, \
             or group it",
        ));
    }
    Ok(Arc::new(Count { units }))
}

impl super::own::Own for Count {}

impl Kind for Count {
    fn word(&self) -> &'static str {
        match self.units {
            true => UNITS.text(),
            false => ROWS.text(),
        }
    }

    fn most_rows(&self) -> Option<u64> {
        self.units.then_some(1)
    }

    fn of(&self) -> Vec<&str> {
        vec![]
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::Rows]
    }

    fn span(&self) -> Option<Span> {
        Some(Span::new(&[], vec![Polynomial::one()]))
    }

    fn adds(&self) -> Option<Additive> {
        Some(Additive::of(match self.units {
            true => Quantity::Units,
            false => Quantity::Rows,
        }))
    }

    fn unit(&self) -> String {
        match self.units {
            true => "units".to_owned(),
            false => "rows".to_owned(),
        }
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

    fn counts_rows(&self) -> bool {
        true
    }
}

impl Noisy for Count {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        rows(exact)
    }

    fn stability(&self) -> Stability {
        Stability::Shares
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
        let unlabelled = numbers.iter().map(|number| (number, ""));
        whole_cells(unlabelled, published)
    }
}

/// How many rows a group has.
pub(super) fn rows(exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
    match exact {
        [Aggregated::Rows(rows)] => Ok(vec![Rational::from(*rows)]),
        _ => Err(unexpected()),
    }
}

/// A cell for each number with its label.
pub(super) fn whole_cells<'a>(
    labelled: impl Iterator<Item = (&'a Rational, &'a str)>,
    published: Published<'_>,
) -> Vec<Cell> {
    labelled
        .map(|(number, label)| whole_cell(label.to_owned(), number, published.error))
        .collect()
}

/// Both the published and the exact number are whole, so their distance is too. A number that was
/// not whole was rounded, by at most half.
pub(super) fn whole_error(noised: &Noised<'_>, errors: Errors<'_>) -> Up {
    let off = errors.noise(noised);
    let rounding = match noised.is_whole() {
        true => Up::ZERO,
        false => Up::exact(0.5),
    };
    Up::exact((off + rounding).get().floor())
}
