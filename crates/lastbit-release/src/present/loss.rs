//! Losses for programs. Numbers are doubles whose printed digits are rounded to the safe side, with
//! the exact number as a text beside them.
//!
//! A loss has three shapes here, which programs read, so they stay:
//!
//! - in `ledger --json`, each part by its own name, and all again in `exact`;
//! - in `plan --json`, of the release and its budget, `value` and `exact` of the part that is not
//!   δ, whatever its measure is, and `delta`;
//! - there, of one statistic, the same without `delta`, with `ε` or `ρ` for the name of the
//!   measure; the δ of a threshold stands with the threshold.
//!
//! Two more are none of these: the page has the words and positions of its sliders, and `convert`
//! states one loss in many measures, each by its symbol's name.

use lastbit_exact::{Rational, Rounding, Up};
use serde_json::{Map, Value};

use crate::loss::{Loss, LossMeasure, decimal};
use crate::statistic::LossUnit;

/// A loss of a ledger: `epsilon`, `rho` or `mu_squared`, `delta` if the measure has one, and the
/// same in `exact`. What is spent is rounded up, what is left down.
pub fn ledger_loss_json(loss: &Loss, rounding: Rounding) -> Value {
    let main = match loss.measure {
        LossMeasure::Pure | LossMeasure::Approximate => "epsilon",
        LossMeasure::Zcdp | LossMeasure::ApproximateZcdp => "rho",
        LossMeasure::ApproximateGaussian => "mu_squared",
    };
    let has_delta = !matches!(loss.measure, LossMeasure::Pure | LossMeasure::Zcdp);
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
pub(super) fn price_loss_json(loss: &Loss) -> Value {
    let mut object = valued(loss.measure.name(), &loss.main);
    object.insert("delta".into(), loss.delta.to_string().into());
    object.into()
}

/// The loss of one statistic of a plan, in ε or ρ; a threshold states its δ.
pub(super) fn statistic_loss_json(unit: LossUnit, loss: &Rational) -> Value {
    valued(unit.symbol(), loss).into()
}

fn valued(measure: &str, main: &Rational) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("measure".into(), measure.into());
    object.insert("exact".into(), main.to_string().into());
    object.insert("value".into(), amount_json(main, Rounding::Up));
    object
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
