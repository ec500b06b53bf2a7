//! Prices in words, for tables.

use lastbit::tables::Noise;
use lastbit_exact::decimal as digits;
use lastbit_exact::{Rational, Up};

use super::about::many;
use super::vocabulary::{DEPENDS, NEVER, RELEASE, TOO_NOISY};
use crate::account::Price;
use crate::loss::decimal;
use crate::plan::Statistic;
use crate::query::Aggregate;
use crate::statistic::{Mechanism, Method};

/// How large errors are, as so many times others, in words.
pub fn how_large(ratio: f64) -> String {
    match format!("{ratio:.2}").as_str() {
        "1.00" => "errors about as large".to_owned(),
        times => format!("errors about {times} times as large"),
    }
}

/// The headings of [`words`].
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
pub fn words(statistic: &Statistic, price: &Price) -> [String; 8] {
    [
        statistic.name.clone(),
        numbers(price),
        loss(price),
        error(price),
        noise(price),
        grid(price),
        bound(price),
        tenth(price),
    ]
}

/// From how many rows on the error is below a tenth of a typical value, and how that compares with
/// what the plan expects.
fn tenth(price: &Price) -> String {
    let from = match (price.rows_for_tenth, price.chain.kind.public_rows()) {
        (Some(rows), _) => many(rows, "row"),
        (None, Some(rows)) => format!("(of {rows} rows)"),
        (None, _) if !price.is_foreseen() => RELEASE.to_owned(),
        (None, _) => NEVER.to_owned(),
    };
    match price.too_noisy_at() {
        Some(rows) => format!("{from}; {TOO_NOISY} {}", many(rows, "row")),
        None => from,
    }
}

/// How many numbers are published.
fn numbers(price: &Price) -> String {
    let each = price.chain.kind.cells_of_group();
    match (price.chain.groups, &price.threshold) {
        (Some(groups), _) => (groups * each).to_string(),
        (None, Some(threshold)) => format!("groups from {} rows", threshold.least),
        (None, None) => "groups as counted".to_owned(),
    }
}

/// The number of published numbers in [`words`], as a phrase.
pub fn counted(numbers: &str) -> String {
    match numbers {
        "1" => "1 number".to_owned(),
        many if many.bytes().all(|byte| byte.is_ascii_digit()) => format!("{many} numbers"),
        groups => groups.to_owned(),
    }
}

/// The loss, as a short decimal or else a bound of four digits, with the δ of a threshold; or the
/// statistic whose loss pays for it.
pub(crate) fn loss(price: &Price) -> String {
    if let Some(shared) = &price.shared {
        return format!("shares the noise of \"{}\"", shared.name);
    }
    let exact = decimal(&price.loss);
    let main = if exact.len() <= 10 && !exact.contains('/') {
        format!("{} = {exact}", price.loss_unit.symbol())
    } else {
        format!("{} ≤ {}", price.loss_unit.symbol(), few(&price.loss))
    };
    match &price.threshold {
        None => main,
        Some(threshold) => format!("{main}, δ = {}", decimal(&threshold.delta)),
    }
}

/// The error in the statistic's own unit.
fn error(price: &Price) -> String {
    let kind = &price.chain.kind;
    let unit = match kind.error_unit() {
        "" => kind.unit(),
        unit => unit.to_owned(),
    };
    let Some(error) = price.error else {
        return match price.is_foreseen() && price.rows.is_none() {
            true => DEPENDS.to_owned(),
            false => RELEASE.to_owned(),
        };
    };
    let text = format!("± {} {unit}", up(error)).trim_end().to_owned();
    match (kind.method(), price.rows) {
        (Method::Noise(noisy), Some(rows)) if noisy.needs_rows() => {
            format!("{text} at {rows} rows")
        }
        _ => text,
    }
}

fn noise(price: &Price) -> String {
    match &price.mechanism {
        Mechanism::Noise { noise, .. } => {
            let size = up(noise.size());
            match noise {
                Noise::Laplace(_) => format!("Laplace, scale {size}"),
                Noise::Gaussian(_) => format!("Gaussian, σ {size}"),
            }
        }
        Mechanism::Selection { epsilon, end, .. } => {
            let epsilon = few(epsilon.get());
            match end {
                Some(end) => format!("selection, ε {epsilon}; ends ε {} each", few(end.get())),
                None => format!("selection, ε {epsilon}"),
            }
        }
    }
}

/// The grid of the numbers under the noise, or of those selected.
fn grid(price: &Price) -> String {
    match (&price.mechanism, price.chain.kind.aggregates().as_slice()) {
        (Mechanism::Noise { grid, .. }, _) => format!("2^{grid}"),
        (Mechanism::Selection { .. }, [Aggregate::Offsets(x)]) => {
            format!("2^{}", x.grid.exponent())
        }
        _ => String::new(),
    }
}

/// The grid of what is published: a ratio of numbers on a grid has none.
pub(crate) fn published_grid(price: &Price) -> String {
    match (price.chain.kind.method(), &price.tied) {
        (Method::Noise(noisy), None) if noisy.needs_rows() => String::new(),
        // Numbers that are made to add up are decimals.
        (Method::Noise(_), Some(tied)) if tied.decimals != 0 => String::new(),
        _ => grid(price),
    }
}

/// How the noise is drawn.
pub(crate) fn mechanism(price: &Price) -> &'static str {
    match (&price.mechanism, price.threshold.is_some()) {
        (Mechanism::Selection { .. }, _) => "exponential",
        (Mechanism::Noise { noise, .. }, threshold) => match (noise, threshold) {
            (Noise::Laplace(_), false) => "Laplace, exact",
            (Noise::Laplace(_), true) => "Laplace, exact, above a threshold",
            (Noise::Gaussian(_), false) => "Gaussian, exact",
            (Noise::Gaussian(_), true) => "Gaussian, exact, above a threshold",
        },
    }
}

/// The range of a published number.
fn bound(price: &Price) -> String {
    let zero = |end: &Rational| end.is_zero();
    if price.tied.is_some() {
        // Numbers that are made to add up are not clamped.
        return "(−∞, ∞)".to_owned();
    }
    let scale = price.chain.kind.scale();
    let short = |end: &Rational, above: bool| match scale.is_calendar() {
        true => scale.show(end),
        false => short(end, above),
    };
    match price.chain.kind.range() {
        (Some(low), None) if zero(&low) => "[0, ∞)".to_owned(),
        (None, Some(high)) if zero(&high) => "(−∞, 0]".to_owned(),
        (low, high) => {
            let low = low.map_or("(−∞".to_owned(), |low| {
                format!("[{}", short(&low, false))
            });
            let high = high.map_or("∞)".to_owned(), |high| format!("{}]", short(&high, true)));
            format!("{low}, {high}")
        }
    }
}

/// Three digits, rounded up.
fn up(bound: Up) -> String {
    match bound.to_rational() {
        Some(exact) => short(&digits::up(&exact, 3), true),
        None => "∞".to_owned(),
    }
}

/// Four digits of a loss, rounded up.
fn few(value: &Rational) -> String {
    decimal(&digits::up(value, 4))
}

/// The decimal if it is short, else one of six digits, rounded up or down.
fn short(value: &Rational, above: bool) -> String {
    let exact = decimal(value);
    if exact.len() <= 12 {
        return exact;
    }
    let magnitude = match value.is_negative() == above {
        true => digits::down(&value.abs(), 6),
        false => digits::up(&value.abs(), 6),
    };
    decimal(&if value.is_negative() {
        -magnitude
    } else {
        magnitude
    })
}

#[cfg(test)]
mod tests;
