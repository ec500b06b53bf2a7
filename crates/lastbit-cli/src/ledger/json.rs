//! Accounts for programs.

use lastbit_exact::{Rational, Rounding};
use lastbit_release::ledger::{Account, Terms};
use lastbit_release::loss::decimal;
use lastbit_release::present::{amount_json, ledger_loss_json};
use serde_json::{Map, Value, json};

/// Budget, spent and remaining.
pub fn account_json(account: &Account) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert(
        "budget".into(),
        ledger_loss_json(&account.budget, Rounding::Down),
    );
    object.insert(
        "spent".into(),
        ledger_loss_json(&account.spent, Rounding::Up),
    );
    let remaining = ledger_loss_json(&account.remaining(), Rounding::Down);
    object.insert("remaining".into(), remaining);
    let bound = |epsilon: Option<Rational>, rounding| {
        epsilon.map_or(Value::Null, |epsilon| amount_json(&epsilon, rounding))
    };
    let composes = account.composed.as_ref().map(|own| {
        json!({
            "currency": Terms::word(own.terms.currency),
            "thresholds": decimal(&own.terms.thresholds),
            "limit": ledger_loss_json(&own.limit, Rounding::Down),
            "spent": ledger_loss_json(&own.spent, Rounding::Up),
            "remaining": ledger_loss_json(&own.remaining(), Rounding::Down),
            "epsilon_spent": bound(account.epsilon_spent(), Rounding::Up),
            "epsilon_left": bound(account.epsilon_left(), Rounding::Down),
        })
    });
    object.insert("composes".into(), composes.into());
    object
}
