//! Losses for programs. Every loss has one shape, which [`loss_json`] writes:
//!
//! | key | what |
//! |---|---|
//! | `measure` | the name of the measure; of one statistic, the symbol |
//! | `symbol` | `ε`, `ρ` or `μ²` |
//! | `value` | the part that is not δ, as a double whose digits are rounded to the safe side |
//! | `exact_value` | the same exactly, as a text |
//! | `delta_value`, `exact_delta` | δ, in the same two ways; 0 where there is none |
//!
//! Before there was one shape, ledgers, prices and the page had names of their own. Programs read
//! them, so they stay beside it, and all of them are written here. Only `convert` has another
//! shape: it states one loss in many measures, each by its symbol's name.

use lastbit_exact::{Rational, Rounding, Up};
use serde_json::{Map, Value};

use crate::loss::{Loss, LossMeasure, decimal};
use crate::statistic::LossUnit;

/// What is spent is rounded up, what is left down.
fn loss_json(loss: &Loss, rounding: Rounding) -> Map<String, Value> {
    let mut object = Map::new();
    let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
    insert("measure", loss.measure.name().into());
    insert("symbol", loss.measure.symbol().into());
    insert("value", amount_json(&loss.main, rounding));
    insert("exact_value", decimal(&loss.main).into());
    insert("delta_value", amount_json(&loss.delta, rounding));
    insert("exact_delta", decimal(&loss.delta).into());
    object
}

/// The shape with other names for its parts.
fn also<const N: usize>(mut shape: Map<String, Value>, names: [(&str, Value); N]) -> Value {
    shape.extend(names.map(|(name, value)| (name.to_owned(), value)));
    shape.into()
}

/// A loss of a ledger. Other names: `epsilon`, `rho` or `mu_squared`, and `delta` if the measure
/// has one, as doubles; the same in `exact`, as texts.
pub fn ledger_loss_json(loss: &Loss, rounding: Rounding) -> Value {
    let main = match loss.measure {
        LossMeasure::Pure | LossMeasure::Approximate => "epsilon",
        LossMeasure::Zcdp | LossMeasure::ApproximateZcdp => "rho",
        LossMeasure::ApproximateGaussian => "mu_squared",
    };
    let shape = loss_json(loss, rounding);
    let of = |key: &str| shape[key].clone();
    let mut doubles = Map::from_iter([(main.to_owned(), of("value"))]);
    let mut exact = Map::from_iter([(main.to_owned(), of("exact_value"))]);
    if !matches!(loss.measure, LossMeasure::Pure | LossMeasure::Zcdp) {
        doubles.insert("delta".into(), of("delta_value"));
        exact.insert("delta".into(), of("exact_delta"));
    }
    let mut object = shape;
    object.extend(doubles);
    also(object, [("exact", exact.into())])
}

/// The loss of a plan, rounded up. Other names: `exact`, and the text `delta`.
pub(super) fn price_loss_json(loss: &Loss) -> Value {
    let names = [
        ("exact", loss.main.to_string().into()),
        ("delta", loss.delta.to_string().into()),
    ];
    also(loss_json(loss, Rounding::Up), names)
}

/// The loss of one statistic of a plan, in ε or ρ; a threshold states its δ. Its `measure` is its
/// symbol. Another name: `exact`.
pub(super) fn statistic_loss_json(unit: LossUnit, loss: &Rational) -> Value {
    let measure = match unit {
        LossUnit::Epsilon => LossMeasure::Pure,
        LossUnit::Rho => LossMeasure::Zcdp,
    };
    let names = [
        ("measure", unit.symbol().into()),
        ("exact", loss.to_string().into()),
    ];
    let loss = Loss {
        main: loss.clone(),
        ..Loss::zero(measure)
    };
    also(loss_json(&loss, Rounding::Up), names)
}

/// A loss that a slider of the page moves. Other names: `words` and, for the slider, the `key` in a
/// plan, `main` and `delta` as texts (`null` if a plan has no such key), and `about`, the nearest
/// double.
pub fn slider_loss_json(loss: &Loss) -> Value {
    let shape = loss_json(loss, Rounding::Up);
    let (main, delta) = (shape["exact_value"].clone(), shape["exact_delta"].clone());
    let key = match loss.measure {
        LossMeasure::Zcdp => "rho",
        _ => "epsilon",
    };
    let about = double_json(loss.main.to_f64(Rounding::NearestEven));
    let has_delta = loss.measure == LossMeasure::Approximate;
    let names = [
        ("words", loss.to_string().into()),
        ("key", key.into()),
        ("main", main),
        ("about", about),
        ("delta", if has_delta { delta } else { Value::Null }),
    ];
    also(shape, names)
}

/// One part of a loss as a double; `null` where JSON has none.
pub fn amount_json(amount: &Rational, rounding: Rounding) -> Value {
    let double = match rounding {
        Rounding::Up => amount.printable_up(),
        rounding => amount.to_f64(rounding),
    };
    double_json(double)
}

/// An upper bound, as a double and as the decimal that is written.
pub(super) fn upper_json(bound: Up) -> Value {
    double_json(bound.printable())
}

/// A double; `null` where JSON has none.
pub(super) fn double_json(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests;
