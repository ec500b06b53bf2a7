//! What the limits of units leave out. For a column, see [`share`](super::share).
//!
//! A unit has a share l of its rows left out, and is cut if that is not 0. It adds
//! `(c − l, l, 1 − c)`, with c = 1 if it is cut and c = 0 if not. These are nonnegative, as
//! `l ≤ c`, and their sum is 1. So a unit counts once, however many rows it has:
//! [`lastbit::tables::units`].

use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Down, Interval, Rational, Up};

use super::share::{possible, read_states, worst};
use super::{Errors, Kind, Method, Noised, Noisy, Published, Reading, Stability, Word, unexpected};
use crate::cell::{Cell, cell};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated, LOG2_SHARE};
use crate::schema::Unit;

/// What is left out of units by the limits of statistics that are grouped by these columns.
#[derive(Clone, Debug)]
struct LeftOut {
    limits_by: Vec<String>,
}

/// What is published: the label, and the factors of the three numbers.
const CELLS: [(&str, [f64; 3]); 2] = [
    ("share of units with rows left out", [1.0, 1.0, 0.0]),
    (
        "share of a unit's rows left out, on average",
        [0.0, 1.0, 0.0],
    ),
];

pub(super) const WORD: Word = Word::new("left-out", read);

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let limits_by = reading.table.get("limits_by");
    if reading.table.get("of").is_some() {
        return match limits_by {
            None => read_states(reading),
            Some(value) => {
                Err(value.error("`limits_by` is for what limits leave out; leave out `of`"))
            }
        };
    }
    if *reading.unit == Unit::Row {
        return Err(reading.error(
            "every row is a unit, so that no limit leaves any out; name a column with `of`, or \
             delete this statistic",
        ));
    }
    if let Some(by) = reading.table.get("by") {
        return Err(by.error(
            "what limits leave out is published over all units; name the columns that the limits \
             are by in `limits_by`",
        ));
    }
    let limits_by = limits_by.map_or(Ok(vec![]), |value| value.strings())?;
    for name in &limits_by {
        reading.known(name)?;
    }
    Ok(Arc::new(LeftOut { limits_by }))
}

impl super::own::Own for LeftOut {}

impl Kind for LeftOut {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        vec![]
    }

    fn uses(&self) -> Vec<&str> {
        self.limits_by.iter().map(String::as_str).collect()
    }

    fn needs(&self) -> Vec<&str> {
        vec![]
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let columns = self.limits_by.iter();
        columns.map(|name| ("limits_by", name.clone())).collect()
    }

    fn limited_by(&self) -> Option<&[String]> {
        Some(&self.limits_by)
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::Kept]
    }

    fn labels(&self) -> Vec<String> {
        CELLS.map(|(label, _)| label.to_owned()).into()
    }

    fn cells_of_group(&self) -> u64 {
        CELLS.len() as u64
    }

    fn unit(&self) -> String {
        String::new()
    }

    fn typical(&self, _: u64) -> Rational {
        Rational::new(1, 2)
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        (Some(Rational::ZERO), Some(Rational::ONE))
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

/// The weights of the noises in the sum of a share.
fn weights(places: [f64; 3], share: Interval) -> Vec<Interval> {
    places.map(|place| Interval::point(place) - share).into()
}

impl Noisy for LeftOut {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        let [
            Aggregated::Kept {
                units,
                cut,
                left_out,
            },
        ] = exact
        else {
            return Err(unexpected());
        };
        let left_out = Rational::from(left_out.clone()).times_power_of_two(-i64::from(LOG2_SHARE));
        let (units, cut) = (Rational::from(*units), Rational::from(*cut));
        Ok(vec![&cut - &left_out, left_out, &units - &cut])
    }

    fn stability(&self) -> Stability {
        Stability::Units
    }

    fn count(&self) -> u64 {
        3
    }

    fn is_clamped(&self) -> bool {
        false
    }

    fn needs_rows(&self) -> bool {
        true
    }

    /// The error over so many units.
    fn error(&self, noised: &Noised<'_>, rows: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        let units = Down::from_rational(&Rational::from(rows?));
        let noisy = units - errors.tail(noised, &[Interval::point(1.0); 3], &errors.part(1));
        if noisy.get() <= 0.0 {
            return Some(Up::ONE);
        }
        let tails = CELLS.map(|(_, places)| worst(noised, errors, |s| weights(places, s)));
        let off = tails.into_iter().fold(Up::ZERO, Up::max) / noisy;
        Some((off + rounding()).min(Up::ONE))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let sum = |places: [f64; 3]| {
            let terms = numbers.iter().zip(places).filter(|(_, place)| *place > 0.0);
            terms.fold(Rational::ZERO, |sum, (number, _)| &sum + number)
        };
        let units = sum([1.0; 3]);
        CELLS
            .into_iter()
            .map(|(label, places)| {
                let share = units.is_positive().then(|| &sum(places) / &units);
                let value = share
                    .as_ref()
                    .map(|share| share.clamp_to(&Rational::ZERO, &Rational::ONE));
                let error = share.as_ref().zip(value.as_ref()).map(|(share, value)| {
                    let of = |share: Interval| weights(places, share);
                    possible((share, value, &units), published, of) + rounding()
                });
                Cell {
                    label: label.to_owned(),
                    ..cell(value.as_ref(), self.range(), error, None)
                }
            })
            .collect()
    }
}

/// The step to which shares of rows are rounded down.
fn rounding() -> Up {
    Up::from_rational(&Rational::ONE.times_power_of_two(-i64::from(LOG2_SHARE)))
}
