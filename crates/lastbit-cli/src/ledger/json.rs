//! Accounts and losses for programs.

use lastbit_exact::{Rational, Rounding};
use lastbit_release::ledger::{Account, Terms};
use lastbit_release::loss::{Loss, Measure, decimal};
use serde_json::{Map, Value, json};

use crate::number::{json as number, json_up};

/// Budget, spent and remaining.
pub fn account_json(account: &Account) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("budget".into(), loss_json(&account.budget, Rounding::Down));
    object.insert("spent".into(), loss_json(&account.spent, Rounding::Up));
    let remaining = loss_json(&account.remaining(), Rounding::Down);
    object.insert("remaining".into(), remaining);
    let bound = |epsilon: Option<Rational>, rounding| {
        epsilon.map_or(Value::Null, |epsilon| match rounding {
            Rounding::Up => json_up(&epsilon),
            rounding => number(epsilon.to_f64(rounding)),
        })
    };
    let composes = account.composed.as_ref().map(|own| {
        json!({
            "currency": Terms::word(own.terms.currency),
            "thresholds": decimal(&own.terms.thresholds),
            "limit": loss_json(&own.limit, Rounding::Down),
            "spent": loss_json(&own.spent, Rounding::Up),
            "remaining": loss_json(&own.remaining(), Rounding::Down),
            "epsilon_spent": bound(account.epsilon_spent(), Rounding::Up),
            "epsilon_left": bound(account.epsilon_left(), Rounding::Down),
        })
    });
    object.insert("composes".into(), composes.into());
    object
}

/// A loss with each part as a double, rounded to the safe side, and as exact text.
pub fn loss_json(loss: &Loss, rounding: Rounding) -> Value {
    let double = |value: &Rational| match rounding {
        Rounding::Up => json_up(value),
        rounding => number(value.to_f64(rounding)),
    };
    let mut object = Map::new();
    let mut exact = Map::new();
    object.insert("measure".into(), loss.measure.name().into());
    let mut part = |name: &str, value: &Rational| {
        object.insert(name.into(), double(value));
        exact.insert(name.into(), decimal(value).into());
    };
    match loss.measure {
        Measure::Pure => part("epsilon", &loss.main),
        Measure::Zcdp => part("rho", &loss.main),
        Measure::Approximate => {
            part("epsilon", &loss.main);
            part("delta", &loss.delta);
        }
        Measure::ApproximateZcdp => {
            part("rho", &loss.main);
            part("delta", &loss.delta);
        }
        Measure::ApproximateGaussian => {
            part("mu_squared", &loss.main);
            part("delta", &loss.delta);
        }
    }
    object.insert("exact".into(), exact.into());
    object.into()
}
