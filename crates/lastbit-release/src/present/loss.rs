//! Losses for programs. Numbers are doubles whose printed digits are rounded to the safe side, with
//! the exact number as a text beside them.
//!
//! A loss has two shapes, since programs read both: ledgers name each part of a loss, and prices
//! name the part that is not δ `value`, whatever its measure is.

use lastbit_exact::{Rational, Rounding};
use serde_json::{Map, Value, json};

use crate::loss::{Loss, Measure, decimal};
use crate::statistic::LossUnit;

/// A loss of a ledger: `epsilon`, `rho` or `mu_squared`, `delta` if the measure has one, and the
/// same in `exact`. What is spent is rounded up, what is left down.
pub fn ledger_loss_json(loss: &Loss, rounding: Rounding) -> Value {
    let main = match loss.measure {
        Measure::Pure | Measure::Approximate => "epsilon",
        Measure::Zcdp | Measure::ApproximateZcdp => "rho",
        Measure::ApproximateGaussian => "mu_squared",
    };
    let has_delta = !matches!(loss.measure, Measure::Pure | Measure::Zcdp);
    let parts = [(main, &loss.main)];
    let delta = has_delta.then_some(("delta", &loss.delta));
    let mut object = Map::new();
    let mut exact = Map::new();
    object.insert("measure".into(), loss.measure.name().into());
    for (name, number) in parts.into_iter().chain(delta) {
        object.insert(name.into(), amount_json(number, rounding));
        exact.insert(name.into(), decimal(number).into());
    }
    object.insert("exact".into(), exact.into());
    object.into()
}

/// The loss of a plan: `exact` and `value`, rounded up, are ε, ρ or μ² by its `measure`; `delta` is
/// exact.
pub fn price_loss_json(loss: &Loss) -> Value {
    json!({
        "measure": loss.measure.name(),
        "exact": loss.main.to_string(),
        "value": amount_json(&loss.main, Rounding::Up),
        "delta": loss.delta.to_string(),
    })
}

/// The loss of one statistic of a plan, in ε or ρ; a threshold states its δ.
pub fn statistic_loss_json(unit: LossUnit, loss: &Rational) -> Value {
    json!({
        "measure": unit.symbol(),
        "exact": loss.to_string(),
        "value": amount_json(loss, Rounding::Up),
    })
}

/// One part of a loss as a double; `null` where JSON has none.
pub fn amount_json(amount: &Rational, rounding: Rounding) -> Value {
    let double = match rounding {
        Rounding::Up => amount.printable_up(),
        rounding => amount.to_f64(rounding),
    };
    serde_json::Number::from_f64(double).map_or(Value::Null, Value::Number)
}
