//! Prices in words, for tables.

use lastbit_exact::{Rational, Up};

use super::decimal as digits;
use super::{Form, Mechanism, Noise, Price};
use crate::loss::decimal;
use crate::plan::{Kind, Plan, Statistic};

/// What [`words`] are.
pub const HEADER: [&str; 8] = [
    "statistic",
    "numbers",
    "loss",
    "error",
    "noise",
    "grid",
    "bound",
    "10 % from",
];

/// A row of a table of prices. Losses and errors are rounded up.
pub fn words(plan: &Plan, statistic: &Statistic, price: &Price) -> [String; 8] {
    [
        statistic.name.clone(),
        numbers(price),
        loss(price),
        error(plan, statistic, price),
        noise(price),
        grid(price),
        bound(price),
        match (price.rows_for_tenth, &price.form) {
            (Some(rows), _) => format!("{rows} rows"),
            (None, Form::Fixed { rows, .. }) => format!("(of {rows} rows)"),
            (None, _) => "never".to_owned(),
        },
    ]
}

/// How many numbers are published.
fn numbers(price: &Price) -> String {
    let each = match &price.form {
        Form::Counts { bins } => *bins as u64,
        Form::Quantiles { at, .. } => at.len() as u64,
        _ => 1,
    };
    match (price.groups, &price.threshold) {
        (Some(groups), _) => (groups * each).to_string(),
        (None, Some(threshold)) => format!("groups from {} rows", threshold.least),
        (None, None) => "groups as counted".to_owned(),
    }
}

/// The loss if it is a short decimal, else a bound of four digits; with the δ of a threshold.
pub(crate) fn loss(price: &Price) -> String {
    let exact = decimal(&price.loss);
    let main = if exact.len() <= 10 && !exact.contains('/') {
        format!("{} = {exact}", price.currency.symbol())
    } else {
        format!("{} ≤ {}", price.currency.symbol(), few(&price.loss))
    };
    match &price.threshold {
        None => main,
        Some(threshold) => format!("{main}, δ = {}", decimal(&threshold.delta)),
    }
}

/// The error in the statistic's own unit.
fn error(plan: &Plan, statistic: &Statistic, price: &Price) -> String {
    let unit = match statistic.kind {
        Kind::Quantiles { .. } => "rows in rank".to_owned(),
        _ => crate::release::unit(plan, statistic),
    };
    let Some(error) = price.error else {
        return "depends on expected_rows".to_owned();
    };
    let text = format!("± {} {unit}", up(error)).trim_end().to_owned();
    match (&price.form, price.rows) {
        (Form::Shared { .. }, Some(rows)) => format!("{text} at {rows} rows"),
        _ => text,
    }
}

fn noise(price: &Price) -> String {
    match &price.mechanism {
        Mechanism::Noise { noise, .. } => {
            let scale = up(noise.scale());
            match noise {
                Noise::Laplace { .. } => format!("Laplace, scale {scale}"),
                Noise::Gaussian { .. } => format!("Gaussian, σ {scale}"),
            }
        }
        Mechanism::Selection { epsilon } => format!("selection, ε {}", few(epsilon)),
    }
}

fn grid(price: &Price) -> String {
    match (&price.form, &price.mechanism) {
        (Form::Quantiles { x, .. }, _) => format!("2^{}", x.grid.exponent()),
        (_, Mechanism::Noise { grid, .. }) => format!("2^{grid}"),
        _ => String::new(),
    }
}

/// Where a published number can be.
fn bound(price: &Price) -> String {
    let interval = |low: Rational, high: Rational| format!("[{}, {}]", short(&low), short(&high));
    match &price.form {
        Form::Counts { .. } => "[0, ∞)".to_owned(),
        Form::Sum { x, rows: None } => match (x.lower().is_negative(), x.upper().is_positive()) {
            (false, _) => "[0, ∞)".to_owned(),
            (_, false) => "(−∞, 0]".to_owned(),
            _ => "(−∞, ∞)".to_owned(),
        },
        Form::Sum {
            x,
            rows: Some(rows),
        } => {
            let rows = Rational::from(*rows);
            interval(&x.lower() * &rows, &x.upper() * &rows)
        }
        Form::Fixed { moment, .. } | Form::Shared { moment } => {
            let (low, high) = moment.range();
            interval(low, high)
        }
        Form::Quantiles { x, .. } => interval(x.lower(), x.upper()),
    }
}

/// Three digits, rounded up.
fn up(bound: Up) -> String {
    match Rational::try_from(bound.get()) {
        Ok(exact) => short(&digits::up(&exact, 3)),
        Err(_) => "∞".to_owned(),
    }
}

/// Four digits of a loss, rounded up.
fn few(value: &Rational) -> String {
    decimal(&digits::up(value, 4))
}

/// The decimal if it is short, else the nearest of six digits.
fn short(value: &Rational) -> String {
    let exact = decimal(value);
    if exact.len() <= 12 {
        return exact;
    }
    let magnitude = decimal(&digits::up(&value.abs(), 6));
    if value.is_negative() {
        format!("-{magnitude}")
    } else {
        magnitude
    }
}
