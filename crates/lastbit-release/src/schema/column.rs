//! Columns: what is public about them, from the plan to the engine.

use std::sync::Arc;

use lastbit::statistics::{Grid, GridError, NonFinite};
use lastbit::{Bounds, GridExponent};
use lastbit_exact::{Rational, Rounding};

use crate::expression;

/// A column and what is public about it.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name in the table.
    pub name: String,
    /// Its name for readers, if it has one of its own.
    pub title: Option<String>,
    /// The kind of its cells.
    pub kind: ColumnKind,
    /// How its categories or bins are shown, if not as [`ColumnKind::labels`].
    pub labels: Option<Vec<String>>,
}

impl Column {
    /// How its categories or bins are shown; empty if they are not public.
    pub fn labels(&self) -> Vec<String> {
        match (&self.labels, &self.kind) {
            (None, kind) => kind.labels(),
            // Periods of time.
            (Some(labels), ColumnKind::Numbers(numbers)) => numbers.open(labels.clone()),
            (Some(labels), _) => labels.clone(),
        }
    }
}

/// The kind of a column's cells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers.
    Numbers(Arc<Numbers>),
    /// Texts from a public list.
    Categories(Arc<Categories>),
    /// Any texts; groups are those that occur often enough.
    Discovered,
}

/// A column of numbers: every cell is clamped to public bounds and rounded to whole steps of a
/// public grid.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// The column's name in the table.
    pub column: String,
    /// Cells are clamped to these.
    pub bounds: Bounds,
    /// What a null, a NaN or a cell that is not a number becomes.
    pub missing: Missing,
    /// What the numbers measure, such as "years".
    pub unit: String,
    /// Rounds cells for means, moments and quantiles. Its bounds are the plan's, widened to
    /// multiples of its step.
    pub grid: Grid,
    /// Rounds cells for sums, where the rounding of rows adds up. It is the finest grid, of 2^51
    /// steps from zero to the farther bound. So over all rows allowed, rounding adds up to less
    /// than 2^-11 of that bound.
    pub fine: Grid,
    /// Edges of bins: increasing, from the lower to the upper bound.
    pub edges: Option<Vec<Rational>>,
    /// A typical magnitude, for relative errors. A guess, not data.
    pub typical: Rational,
    /// What the numbers are.
    pub scale: NumberKind,
}

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberKind {
    /// Any numbers.
    Real,
    /// Whole numbers: a cell counts as the nearest whole number, ties up. Stated errors do not
    /// include that rounding.
    Whole,
    /// Days since 1970, shown as dates.
    Days,
    /// Seconds since 1970, shown as times.
    Seconds,
}

impl NumberKind {
    /// Whether they are dates or times.
    pub fn is_calendar(self) -> bool {
        matches!(self, NumberKind::Days | NumberKind::Seconds)
    }

    /// The unit of differences of dates or times.
    pub fn unit(self) -> &'static str {
        match self {
            NumberKind::Real | NumberKind::Whole => "",
            NumberKind::Days => "days",
            NumberKind::Seconds => "seconds",
        }
    }

    /// A number as it is shown; a date or time is the nearest one.
    pub fn show(self, number: &Rational) -> String {
        let whole = || i64::try_from(number.round_ties_up()).ok();
        let shown = match self {
            NumberKind::Real | NumberKind::Whole => None,
            NumberKind::Days => whole().and_then(expression::show_day),
            NumberKind::Seconds => whole().and_then(expression::show_second),
        };
        shown.unwrap_or_else(|| number.to_string())
    }
}

/// What a missing number becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// The row does not count where the column is used.
    Drop,
    /// The row counts as if the cell were this public number.
    Value(Rational),
}

/// A column of texts from a public list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    /// The column's name in the table.
    pub column: String,
    /// Its categories, all different.
    pub names: Vec<String>,
    /// The category that a missing or unlisted cell counts as; without one, such rows count nowhere
    /// in the table.
    pub other: Option<usize>,
}

impl Numbers {
    /// A column without a unit or bins, on a grid of `2^grid_exponent`.
    pub fn new(
        column: &str,
        bounds: Bounds,
        grid_exponent: impl TryInto<GridExponent, Error: Into<GridError>>,
        missing: Missing,
    ) -> Result<Numbers, String> {
        // NaN never reaches a grid: `missing` has replaced cells that are not numbers.
        let grid = Grid::new(&bounds, grid_exponent, NonFinite::ReplaceNan(0.0));
        let fine = Grid::finest(&bounds, NonFinite::ReplaceNan(0.0));
        let centre = bounds.centre().abs();
        Ok(Numbers {
            column: column.to_owned(),
            missing,
            unit: String::new(),
            grid: grid.map_err(|error| error.to_string())?,
            fine: fine.map_err(|error| error.to_string())?,
            edges: None,
            typical: if centre.is_zero() {
                bounds.half_width().times_power_of_two(-1)
            } else {
                centre
            },
            scale: NumberKind::Real,
            bounds,
        })
    }

    /// A column of whole numbers, dates or times with whole bounds: on a grid of ones, also for
    /// sums.
    pub fn whole(
        column: &str,
        bounds: Bounds,
        missing: Missing,
        scale: NumberKind,
    ) -> Result<Numbers, String> {
        let mut numbers = Numbers::new(column, bounds, 0, missing)?;
        numbers.fine = numbers.grid.clone();
        if scale.is_calendar() {
            // The distance from 1970 is no typical magnitude of a date.
            numbers.typical = numbers.bounds.half_width().times_power_of_two(-1);
        }
        numbers.scale = scale;
        Ok(numbers)
    }

    /// The most that rounding to the grid moves a cell: nothing if the plan says that numbers are
    /// whole.
    pub fn rounding(&self) -> Rational {
        match self.scale {
            NumberKind::Real => self.grid.half_step(),
            _ => Rational::ZERO,
        }
    }

    /// The distance between the plan's bounds.
    pub fn spread(&self) -> Rational {
        self.bounds.upper() - self.bounds.lower()
    }

    /// Where all bins except the first begin. Cells are doubles, so an edge is its nearest double,
    /// as is a cell that is written like the edge.
    pub fn inner_edges(&self) -> Vec<f64> {
        match self.edges.as_deref() {
            Some([_, inner @ .., _]) => inner.iter().map(double).collect(),
            _ => vec![],
        }
    }

    /// How many bins there are.
    pub fn bins(&self) -> usize {
        self.edges.as_ref().map_or(1, |edges| edges.len() - 1)
    }

    /// The labels of the bins. Cells beyond the bounds count in the outermost ones, whose labels
    /// say so.
    pub fn bin_labels(&self) -> Vec<String> {
        let edges = self.edges.as_deref().unwrap_or_default();
        let between = |pair: &[Rational]| {
            let [low, high] = [&pair[0], &pair[1]].map(|edge| self.scale.show(edge));
            format!("[{low}, {high})")
        };
        let mut labels: Vec<String> = edges.windows(2).map(between).collect();
        if let Some([_, inner @ .., _]) = self.edges.as_deref()
            && let ([first, .., last], Some(least), Some(most)) =
                (&mut labels[..], inner.first(), inner.last())
        {
            let [least, most] = [least, most].map(|edge| self.scale.show(edge));
            *first = match self.scale.is_calendar() {
                true => format!("before {least}"),
                false => format!("below {least}"),
            };
            *last = self.and_above(&most);
        } else if let [all] = &mut labels[..] {
            *all = self.all();
        }
        labels
    }

    /// Labels of bins that have names, such as years, with what counts in the outermost ones.
    fn open(&self, mut names: Vec<String>) -> Vec<String> {
        match &mut names[..] {
            [] => {}
            [all] => *all = self.all(),
            [first, .., last] => {
                *first = format!("{first} or earlier");
                *last = self.and_above(last);
            }
        }
        names
    }

    fn and_above(&self, least: &str) -> String {
        match self.scale.is_calendar() {
            true => format!("{least} or later"),
            false => format!("{least} or more"),
        }
    }

    /// The label of the only bin.
    fn all(&self) -> String {
        match self.scale {
            NumberKind::Days => "any date",
            NumberKind::Seconds => "any time",
            NumberKind::Real | NumberKind::Whole => "any number",
        }
        .to_owned()
    }
}

impl Missing {
    /// The double that replaces a missing cell.
    pub fn double(&self) -> Option<f64> {
        match self {
            Missing::Drop => None,
            Missing::Value(value) => Some(double(value)),
        }
    }
}

fn double(number: &Rational) -> f64 {
    number.to_f64(Rounding::NearestEven)
}

impl ColumnKind {
    /// The labels of its categories or bins; none if they are not public.
    pub fn labels(&self) -> Vec<String> {
        match self {
            ColumnKind::Categories(categories) => categories.names.clone(),
            ColumnKind::Numbers(numbers) => numbers.bin_labels(),
            ColumnKind::Discovered => vec![],
        }
    }

    /// How many public groups it makes, if statistics can be grouped by it.
    pub fn values(&self) -> Option<u64> {
        match self {
            ColumnKind::Categories(categories) => Some(categories.names.len() as u64),
            ColumnKind::Numbers(numbers) => {
                numbers.edges.as_ref().map(|edges| edges.len() as u64 - 1)
            }
            ColumnKind::Discovered => None,
        }
    }

    /// The numbers, if it is a column of numbers.
    pub fn numbers(&self) -> Option<&Arc<Numbers>> {
        match self {
            ColumnKind::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }
}
