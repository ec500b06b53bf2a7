//! What is computed exactly for a statistic, and where noise is added to it.

use lastbit::statistics::{Grid, NonFinite};
use lastbit_exact::{Rational, Rounding};

use super::{PriceError, Reach, Sensitivity};
use crate::plan::{ColumnKind, Kind, Missing, Neighbours, Numeric, Plan, Statistic};
use crate::query::{self, MOST_STEPS, Unit};

/// At most 2^20 candidates for a quantile.
const LOG2_CANDIDATES: i64 = 20;

/// The grid of a column: what a row becomes.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The column's name.
    pub column: String,
    /// Clamps and rounds.
    pub grid: Grid,
    /// Steps from the lower to the upper bound: 1 to 2^40.
    pub count: u64,
    /// What a missing cell becomes.
    pub missing: Missing,
}

/// What is computed exactly for a statistic in each of its groups, and where noise is added to it.
// A few of them in all: their size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Form {
    /// Each row adds 1 to one of some numbers: counts and histograms.
    Counts {
        /// How many numbers there are in a group.
        bins: usize,
    },
    /// Each row adds its value: sums.
    Sum {
        /// The column.
        x: Steps,
        /// Whether every row counts, in the one group, so that a replaced row moves the sum by the width of the bounds at most.
        rows: Option<u64>,
    },
    /// A mean, variance or covariance over a public number of rows: noise is added to the statistic itself.
    Fixed {
        /// Which.
        moment: Moment,
        /// The public number of rows, at least 1 for means and 2 for the others.
        rows: u64,
    },
    /// A mean, variance or covariance over an unknown number of rows. Every row is shared out between the corners of its bounds, as by
    /// Bernstein's polynomials: nonnegative shares of a sum of 1, to whose sums noise is added; see [`Moment::corners`].
    Shared {
        /// Which.
        moment: Moment,
    },
    /// A selection for each share.
    Quantiles {
        /// The column.
        x: Steps,
        /// Shares of the rows.
        at: Vec<Rational>,
        /// Whether every row counts, in the one group.
        rows: Option<u64>,
    },
}

/// A statistic that is a ratio of moments.
// A few of them in all: their size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Moment {
    /// Of x.
    Mean(Steps),
    /// Of x.
    Variance(Steps),
    /// Of x and y.
    Covariance(Steps, Steps),
}

impl Moment {
    /// How many shares a row has: with `t` the place of a row between its bounds, from 0 to 1,
    /// `(1 − t, t)` for a mean, `((1 − t)², 2t(1 − t), t²)` for a variance and `((1−s)(1−t), s(1−t), (1−s)t, st)` for a covariance.
    pub fn corners(&self) -> u64 {
        match self {
            Moment::Mean(_) => 2,
            Moment::Variance(_) => 3,
            Moment::Covariance(..) => 4,
        }
    }

    /// How many rows it takes.
    pub fn least_rows(&self) -> u64 {
        match self {
            Moment::Mean(_) => 1,
            _ => 2,
        }
    }

    /// The unit of the statistic that one unit between the bounds is: `b − a`, `(b − a)²` or `(b − a)(d − c)`.
    pub fn width(&self) -> Rational {
        match self {
            Moment::Mean(x) => x.width(),
            Moment::Variance(x) => &x.width() * &x.width(),
            Moment::Covariance(x, y) => &x.width() * &y.width(),
        }
    }

    /// Bounds of the statistic, over any number of rows. A sample variance of n rows is at most `w²/4·n/(n−1) ≤ w²/2`.
    pub fn range(&self) -> (Rational, Rational) {
        match self {
            Moment::Mean(x) => (x.lower(), x.upper()),
            Moment::Variance(_) => (Rational::ZERO, self.width().scale(-1)),
            Moment::Covariance(..) => (-self.width().scale(-1), self.width().scale(-1)),
        }
    }

    /// A bound on how far rounding the rows moves the statistic.
    ///
    /// **Proof.** Rounding moves a row by at most h = step/2, so a mean by h. The standard deviation of the roundings is at most
    /// `h√(n/(n−1))`, that of the rows at most `w/2·√(n/(n−1))`, and `|cov(x + e, y + f) − cov(x, y)| ≤ sd(x)sd(f) + sd(e)sd(y) +
    /// sd(e)sd(f)`, where `n/(n−1) ≤ 2`. ∎
    pub fn rounding(&self) -> Rational {
        let product = |x: &Steps, y: &Steps| {
            let (h, k) = (x.half_step(), y.half_step());
            &x.width() * &k + &h * &y.width() + (&h * &k).scale(1)
        };
        match self {
            Moment::Mean(x) => x.half_step(),
            Moment::Variance(x) => product(x, x),
            Moment::Covariance(x, y) => product(x, y),
        }
    }
}

impl Steps {
    /// Of a column with steps of `2^exponent`.
    fn new(name: &str, numeric: &Numeric, exponent: i64) -> Result<Steps, PriceError> {
        let refuse = |why: String| PriceError::Grid {
            column: name.to_owned(),
            why,
        };
        let replacement = match &numeric.missing {
            Missing::Drop => numeric.bounds.lower(),
            Missing::Value(value) => value,
        };
        let replacement = NonFinite::ReplaceNan(replacement.to_f64(Rounding::NearestEven));
        let exponent = i32::try_from(exponent).unwrap_or(i32::MAX);
        let grid = Grid::new(&numeric.bounds, exponent, replacement)
            .map_err(|error| refuse(error.to_string()))?;
        let count = (grid.bounds().upper() - grid.bounds().lower()).scale(-i64::from(exponent));
        let count = u64::try_from(count.floor())
            .ok()
            .filter(|&count| count <= MOST_STEPS as u64)
            .ok_or_else(|| {
                refuse(format!(
                    "a grid of 2^{exponent} has more than 2^40 steps between the bounds; choose a coarser `grid`"
                ))
            })?;
        Ok(Steps {
            column: name.to_owned(),
            grid,
            count,
            missing: numeric.missing.clone(),
        })
    }

    /// The lower bound after rounding.
    pub fn lower(&self) -> Rational {
        self.grid.bounds().lower().clone()
    }

    /// The upper bound after rounding.
    pub fn upper(&self) -> Rational {
        self.grid.bounds().upper().clone()
    }

    /// From bound to bound.
    pub fn width(&self) -> Rational {
        &self.upper() - &self.lower()
    }

    /// Half a step: what rounding moves a row by at most.
    pub fn half_step(&self) -> Rational {
        Rational::ONE.scale(i64::from(self.grid.exponent()) - 1)
    }

    /// The number that an offset from the lower bound stands for.
    pub fn value(&self, offset: &Rational) -> Rational {
        self.lower() + offset.scale(i64::from(self.grid.exponent()))
    }

    /// For the engine.
    pub fn numeric(&self) -> query::Numeric {
        query::Numeric {
            column: self.column.clone(),
            grid: self.grid.clone(),
            missing: match &self.missing {
                Missing::Drop => query::Missing::Drop,
                Missing::Value(value) => query::Missing::Value(value.to_f64(Rounding::NearestEven)),
            },
        }
    }
}

/// The grid of a column of numbers, as the plan has it.
pub fn steps(plan: &Plan, name: &str) -> Result<Steps, PriceError> {
    let numeric = numeric(plan, name)?;
    Steps::new(name, numeric, i64::from(numeric.grid))
}

/// The bins of a column, in steps of its grid; edges are rounded as rows are.
pub fn bins(plan: &Plan, name: &str) -> Result<query::Bins, PriceError> {
    let x = steps(plan, name)?;
    let exponent = i64::from(x.grid.exponent());
    let edges = numeric(plan, name)?.edges.as_deref().unwrap_or_default();
    let last = edges.len().saturating_sub(1);
    let edges: Vec<i64> = edges
        .iter()
        .enumerate()
        .map(|(index, edge)| {
            let edge = match index {
                0 => x.lower(),
                _ if index == last => x.upper(),
                _ => edge.clone(),
            };
            i64::try_from(edge.scale(-exponent).round_ties_up()).unwrap_or(i64::MAX)
        })
        .collect();
    if edges.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(PriceError::Grid {
            column: name.to_owned(),
            why: format!("edges are less than a step of 2^{exponent} apart; choose a finer `grid`"),
        });
    }
    Ok(query::Bins {
        numeric: x.numeric(),
        edges,
    })
}

fn numeric<'a>(plan: &'a Plan, name: &str) -> Result<&'a Numeric, PriceError> {
    match plan.column(name).map(|column| &column.kind) {
        Some(ColumnKind::Numeric(numeric)) => Ok(numeric),
        _ => Err(PriceError::Grid {
            column: name.to_owned(),
            why: "it is not a column of numbers; give it `lower` and `upper`".to_owned(),
        }),
    }
}

impl Form {
    /// Of a statistic.
    pub fn new(plan: &Plan, statistic: &Statistic) -> Result<Form, PriceError> {
        // The number of rows, if it is public and all of them count.
        let fixed = |columns: &[&Steps]| match (plan.neighbours, &plan.unit) {
            (Neighbours::ChangeOne { rows }, Unit::Row)
                if statistic.by.is_empty()
                    && columns.iter().all(|x| x.missing != Missing::Drop) =>
            {
                rows
            }
            _ => None,
        };
        let of = |moment: Moment, rows: Option<u64>| match rows {
            Some(rows) if rows < moment.least_rows() => Err(PriceError::TooFewRows {
                statistic: statistic.name.clone(),
                needed: moment.least_rows(),
                rows,
            }),
            Some(rows) => Ok(Form::Fixed { moment, rows }),
            None => Ok(Form::Shared { moment }),
        };
        for key in &statistic.by {
            if let Some(ColumnKind::Numeric(_)) = plan.column(key).map(|column| &column.kind) {
                bins(plan, key)?;
            }
        }
        match &statistic.kind {
            Kind::Count => Ok(Form::Counts { bins: 1 }),
            Kind::Histogram(column) => {
                let bins = match plan.column(column).map(|column| &column.kind) {
                    Some(ColumnKind::Categories { names, .. }) => names.len(),
                    _ => bins(plan, column)?.edges.len() - 1,
                };
                Ok(Form::Counts { bins })
            }
            Kind::Sum(x) => {
                let x = steps(plan, x)?;
                Ok(Form::Sum {
                    rows: fixed(&[&x]),
                    x,
                })
            }
            Kind::Mean(x) => {
                let x = steps(plan, x)?;
                let rows = fixed(&[&x]);
                of(Moment::Mean(x), rows)
            }
            Kind::Variance(x) => {
                let x = steps(plan, x)?;
                let rows = fixed(&[&x]);
                of(Moment::Variance(x), rows)
            }
            Kind::Covariance(x, y) => {
                let (x, y) = (steps(plan, x)?, steps(plan, y)?);
                let rows = fixed(&[&x, &y]);
                of(Moment::Covariance(x, y), rows)
            }
            Kind::Quantiles { column, at } => {
                let numbers = numeric(plan, column)?;
                let width = numbers.bounds.upper() - numbers.bounds.lower();
                let coarse = width.ceil_log2().unwrap_or(0) - LOG2_CANDIDATES;
                let x = Steps::new(column, numbers, coarse.max(i64::from(numbers.grid)))?;
                Ok(Form::Quantiles {
                    rows: fixed(&[&x]),
                    x,
                    at: at.clone(),
                })
            }
        }
    }

    /// How far one unit moves the numbers that noise is added to; for quantiles, [`Form::rank_sensitivity`] has it.
    ///
    /// For a public number of rows these are those of [`lastbit::statistics`]: `(b−a)/n` of a mean, `(b−a)²/n` of a variance, `(b−a)(d−c)/n` of a covariance.
    pub fn sensitivity(&self, reach: Reach) -> Sensitivity {
        match self {
            Form::Counts { .. } | Form::Shared { .. } | Form::Quantiles { .. } => reach.of_shares(),
            Form::Sum { x, rows: None } => reach.of_sums(&x.lower(), &x.upper()),
            Form::Sum { x, rows: Some(_) } => Sensitivity::of_number(x.width()),
            Form::Fixed { moment, rows } => {
                Sensitivity::of_number(&moment.width() / &Rational::from(*rows))
            }
        }
    }

    /// How far one unit moves the distance of a rank from the quantile at a share.
    pub fn rank_sensitivity(&self, reach: Reach, share: &Rational) -> Rational {
        match self {
            Form::Quantiles { rows: Some(_), .. } => Rational::ONE,
            _ => reach.of_ranks(share),
        }
    }

    /// How many noisy numbers there are in a group.
    pub fn numbers(&self) -> u64 {
        match self {
            Form::Counts { bins } => *bins as u64,
            Form::Shared { moment } => moment.corners(),
            Form::Quantiles { at, .. } => at.len() as u64,
            Form::Sum { .. } | Form::Fixed { .. } => 1,
        }
    }
}
