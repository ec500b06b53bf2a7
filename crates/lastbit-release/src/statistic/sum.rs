//! The sum of a column.

use std::sync::Arc;

use lastbit::Error;
use lastbit::statistics::{self, Neighbours};
use lastbit_exact::{Rational, Up};

use super::count::whole_error;
use super::{
    Errors, Kind, Mark, Method, Noised, Noisy, Published, Reading, Stability, Word, unexpected,
};
use crate::cell::{Cell, cell};
use crate::consistent::{Additive, Quantity};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated, LOG2_MOST_ROWS};
use crate::schema::{NumberKind, Numbers};

#[derive(Clone, Debug)]
struct Sum {
    x: Arc<Numbers>,
    /// If every row counts, in one group, a changed row moves the sum by at most the width of the
    /// bounds.
    fixed: Option<Fixed>,
}

#[derive(Clone, Debug)]
struct Fixed {
    rows: u64,
    statistic: statistics::Extent,
}

pub(super) const WORD: Word = Word::new("sum", read).drawn_as(Mark::Bars);

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let weights = reading.weights()?;
    let x = reading.one_of_numbers("sum")?;
    if x.scale.is_calendar() {
        return Err(reading.error(format!(
            "`{}` has dates or times, whose sum means nothing; use a mean, or a column of \
             differences such as as = \"date(to) - date(\\\"from\\\")\"",
            x.column
        )));
    }
    if let Some(weights) = weights {
        return Ok(super::weighted_sum::of(x, weights));
    }
    let fixed = match reading.public_rows(&[&x]) {
        None => None,
        Some(rows) => {
            let neighbours = Neighbours::change_one(rows).map_err(|error| reading.error(error))?;
            let statistic = statistics::sum(x.fine.bounds(), neighbours);
            Some(Fixed { rows, statistic })
        }
    };
    Ok(Arc::new(Sum { x, fixed }))
}

impl super::own::Own for Sum {}

impl Kind for Sum {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        vec![&self.x.column]
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::Sum(Arc::clone(&self.x))]
    }

    fn adds(&self) -> Option<Additive> {
        Some(Additive::of(Quantity::Sum(format!("{:?}", self.x.column))))
    }

    fn unit(&self) -> String {
        self.x.unit.clone()
    }

    fn typical(&self, rows: u64) -> Rational {
        &Rational::from(rows) * &self.x.typical
    }

    fn public_rows(&self) -> Option<u64> {
        self.fixed.as_ref().map(|fixed| fixed.rows)
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        let (lower, upper) = (self.x.bounds.lower(), self.x.bounds.upper());
        match &self.fixed {
            Some(fixed) => {
                let rows = Rational::from(fixed.rows);
                (Some(lower * &rows), Some(upper * &rows))
            }
            None => (
                (!lower.is_negative()).then_some(Rational::ZERO),
                (!upper.is_positive()).then_some(Rational::ZERO),
            ),
        }
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl Noisy for Sum {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        let [Aggregated::Sum { rows, sum }] = exact else {
            return Err(unexpected());
        };
        let grid = &self.x.fine;
        let steps = Rational::from(sum.clone()).times_power_of_two(i64::from(grid.exponent()));
        Ok(vec![&Rational::from(*rows) * grid.bounds().lower() + steps])
    }

    fn stability(&self) -> Stability {
        match &self.fixed {
            Some(fixed) => Stability::Moved(Box::new(fixed.statistic.clone())),
            None => Stability::Sums(self.x.fine.bounds().clone()),
        }
    }

    fn is_whole(&self) -> bool {
        self.x.scale == NumberKind::Whole
    }

    fn is_clamped(&self) -> bool {
        self.range() != (None, None)
    }

    fn error(&self, noised: &Noised<'_>, _: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        if self.is_whole() {
            return Some(whole_error(noised, errors));
        }
        // No table has more rows.
        let rows = Rational::from(self.public_rows().unwrap_or(1 << LOG2_MOST_ROWS));
        let rounding = &rows * &self.x.fine.half_step();
        Some(errors.noise(noised) + Up::from_rational(&rounding))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let grid = Some(published.noised.drawn.grid);
        vec![cell(numbers.first(), self.range(), published.error, grid)]
    }
}
