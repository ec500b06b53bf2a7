//! Words and digits of reports.

use lastbit_exact::{IBig, Rational, Up};

use crate::plan::{ColumnKind, Kind, Missing, Neighbours, Plan, Statistic};
use crate::price::decimal::{digits_before_point, power_of_ten};
use crate::price::{Mechanism, Noise, Price};
use crate::query::{KeyValue, Unit};

/// The labels of a group, one a key.
pub fn group(plan: &Plan, by: &[String], key: &[KeyValue]) -> Vec<String> {
    by.iter()
        .zip(key)
        .map(|(column, value)| match value {
            KeyValue::Discovered(text) => text.clone(),
            KeyValue::Public(index) => bins(plan, column).get(*index).cloned().unwrap_or_default(),
        })
        .collect()
}

/// The labels of the categories or bins of a column.
pub fn bins(plan: &Plan, column: &str) -> Vec<String> {
    match plan.column(column).map(|column| &column.kind) {
        Some(ColumnKind::Categories { names, .. }) => names.clone(),
        Some(ColumnKind::Numeric(numeric)) => {
            let edges = numeric.edges.as_deref().unwrap_or_default();
            let last = edges.len().saturating_sub(2);
            edges
                .windows(2)
                .enumerate()
                .map(|(index, pair)| {
                    let end = if index == last { ']' } else { ')' };
                    format!("[{}, {}{end}", pair[0], pair[1])
                })
                .collect()
        }
        _ => vec![],
    }
}

/// The unit of a statistic's values, such as "years²" for a variance; empty if the plan gives none.
pub fn unit(plan: &Plan, statistic: &Statistic) -> String {
    let of = |name: &str| match plan.column(name).map(|column| &column.kind) {
        Some(ColumnKind::Numeric(numeric)) => numeric.unit.clone(),
        _ => String::new(),
    };
    match &statistic.kind {
        Kind::Count | Kind::Histogram(_) => "rows".to_owned(),
        Kind::Sum(x) | Kind::Mean(x) | Kind::Quantiles { column: x, .. } => of(x),
        Kind::Variance(x) => match of(x) {
            unit if unit.is_empty() => unit,
            unit => format!("{unit}²"),
        },
        Kind::Covariance(x, y) => match (of(x), of(y)) {
            (x, y) if x.is_empty() && y.is_empty() => String::new(),
            (x, y) if x.is_empty() || y.is_empty() => x + &y,
            (x, y) => format!("{x}·{y}"),
        },
    }
}

/// How the noise is drawn.
pub fn mechanism(price: &Price) -> &'static str {
    match (&price.mechanism, price.threshold.is_some()) {
        (Mechanism::Selection { .. }, _) => "exponential",
        (
            Mechanism::Noise {
                noise: Noise::Laplace { .. },
                ..
            },
            false,
        ) => "Laplace, exact",
        (
            Mechanism::Noise {
                noise: Noise::Laplace { .. },
                ..
            },
            true,
        ) => "Laplace, exact, above a threshold",
        (
            Mechanism::Noise {
                noise: Noise::Gaussian { .. },
                ..
            },
            false,
        ) => "Gaussian, exact",
        (
            Mechanism::Noise {
                noise: Noise::Gaussian { .. },
                ..
            },
            true,
        ) => "Gaussian, exact, above a threshold",
    }
}

/// What a reader should know, one sentence each.
pub fn notes(plan: &Plan) -> Vec<String> {
    let mut notes = vec![match (&plan.unit, plan.neighbours) {
        (Unit::Row, Neighbours::AddRemove) => {
            "Each row is somebody: the loss bounds what the presence of one row changes.".to_owned()
        }
        (Unit::Row, Neighbours::ChangeOne { rows }) => format!(
            "Each row is somebody: the loss bounds what the contents of one row change; that there are {} rows is public.",
            rows.unwrap_or_default()
        ),
        (
            Unit::Column {
                name,
                most_rows,
                most_groups,
            },
            neighbours,
        ) => {
            let change = match neighbours {
                Neighbours::AddRemove => "the presence of all rows of one",
                Neighbours::ChangeOne { .. } => "the contents of all rows of one",
            };
            format!(
                "Rows with the same {name} are one unit: the loss bounds what {change} {name} changes. At most {most_rows} rows of a {name} count in a group, and it counts in at most {most_groups} groups of a statistic."
            )
        }
    }];
    let used = |name: &str| {
        plan.statistics.iter().any(|statistic| {
            statistic.kind.columns().contains(&name) || statistic.by.iter().any(|key| key == name)
        })
    };
    for column in plan.columns.iter().filter(|column| used(&column.name)) {
        if let ColumnKind::Numeric(numeric) = &column.kind {
            let (bounds, unit) = (&numeric.bounds, &numeric.unit);
            let space = if unit.is_empty() { "" } else { " " };
            let missing = match &numeric.missing {
                Missing::Drop => "rows without a number are left out".to_owned(),
                Missing::Value(value) => format!("a missing number counts as {value}"),
            };
            notes.push(format!(
                "{} is clamped to [{}, {}]{space}{unit} and rounded to multiples of 2^{}; {missing}.",
                column.name, bounds.lower(), bounds.upper(), numeric.grid
            ));
        }
    }
    notes
}

/// How many decimals a value is written with: enough for two or three digits of its error, and no more than its grid carries.
pub fn places(error: Option<Up>, grid_exponent: Option<i64>) -> i64 {
    // 10^-places ≥ 2^grid.
    let of_grid = grid_exponent.map(|exponent| {
        let grid = Rational::ONE.scale(exponent);
        1 - digits_before_point(&grid) - i64::from(!is_power_of_ten(&grid))
    });
    let error = error.and_then(|error| Rational::try_from(error.get()).ok());
    // The error is at least 10^(d−1): steps of 10^(d−3) are within a hundredth of it.
    let of_error = error
        .filter(Rational::is_positive)
        .map(|error| 3 - digits_before_point(&error));
    match (of_grid, of_error) {
        (Some(grid), Some(error)) => grid.min(error),
        (places, None) | (None, places) => places.unwrap_or(0),
    }
}

fn is_power_of_ten(value: &Rational) -> bool {
    power_of_ten(digits_before_point(value) - 1) == *value
}

/// The nearest decimal with so many places, ties up; a negative number of places rounds to tens and hundreds.
pub fn rounded(value: &Rational, places: i64) -> Rational {
    let power = power_of_ten(places);
    Rational::from((value * &power).round_ties_up()) / power
}

/// A decimal with exactly so many places.
pub fn fixed(value: &Rational, places: i64) -> String {
    let digits = places.max(0) as usize;
    let scaled: IBig = (value * &power_of_ten(digits as i64)).round_ties_up();
    let text = scaled.to_string();
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.as_str()),
    };
    if digits == 0 {
        return text.clone();
    }
    let padded = format!("{magnitude:0>width$}", width = digits + 1);
    let (whole, fraction) = padded.split_at(padded.len() - digits);
    format!("{sign}{whole}.{fraction}")
}

/// An error with so many places, rounded up, with the rounding of the value to them added.
pub fn error(bound: Up, places: i64) -> Option<String> {
    let exact = Rational::try_from(bound.get()).ok()?;
    let step = power_of_ten(-places);
    let with_rounding = &exact + &step.scale(-1);
    let steps = Rational::from((&with_rounding / &step).ceil());
    Some(fixed(&(&steps * &step), places))
}

/// A bound on a whole number: the largest whole number within it.
pub fn whole_error(bound: Up) -> Option<String> {
    let exact = Rational::try_from(bound.get()).ok()?;
    Some(exact.floor().to_string())
}

/// A bound in ranks, rounded up to a whole number.
pub fn rank_error(bound: Up) -> Option<String> {
    bound
        .is_finite()
        .then(|| Rational::try_from(bound.get()).ok())
        .flatten()
        .map(|exact| exact.ceil().to_string())
}
