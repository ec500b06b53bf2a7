//! The price of a plan for programs.

use lastbit::tables::Noise;
use lastbit_exact::Rational;
use serde_json::{Map, Value, json};

use super::loss::{double_json, price_loss_json, statistic_loss_json, upper_json};
use super::{about, guess, loss_in_words, plan_warnings};
use crate::account::{Price, Prices};
use crate::left::{Left, Part};
use crate::plan::Plan;
use crate::statistic::Mechanism;

/// A plan's price for programs, with the hash under which it would be released, and with what a
/// ledger has left, if that is known. Exact numbers are texts; losses and errors beside them are
/// doubles whose printed digits are rounded up.
pub fn price_json(plan: &Plan, prices: &Prices, hash: &str, left: Option<&Left>) -> Value {
    let before = left.and_then(|left| left.before.as_ref());
    let statistics: Vec<Value> = (0..plan.statistics.len())
        .map(|index| statistic(plan, index, &prices.statistics[index]))
        .collect();
    json!({
        "schema": 1,
        "title": plan.title,
        "plan": hash,
        "accountant": prices.accountant.name(),
        "loss": price_loss_json(&prices.loss),
        "loss_in_words": loss_in_words(plan, &prices.loss),
        "guess": upper_json(guess(&prices.loss)),
        "budget": price_loss_json(&plan.budget),
        "left": left.map(|left| price_loss_json(&left.left)),
        "spends_everything": left.map(|left| left.part() == Part::Everything),
        "released_before": before.map(|(row, time)| json!({ "ledger_row": row, "time": time })),
        "refused": left.and_then(|left| left.refused.as_ref()),
        "published_before": left.and_then(|left| left.again.as_ref()).map(|again| json!({
            "ledger_row": again.row,
            "time": again.time,
            "statistics": again.names,
        })),
        "confidence": plan.confidence.get().to_string(),
        "comparison": prices.comparison.iter().map(|offer| json!({
            "accountant": offer.accountant.name(),
            "loss": offer.outcome.as_ref().ok().map(price_loss_json),
            "refused": offer.outcome.as_ref().err(),
            "relative_error": offer.relative_error.map(double_json),
        })).collect::<Vec<_>>(),
        "not_made_to_add_up": plan.apart,
        "warnings": plan_warnings(plan),
        "statistics": statistics,
    })
}

fn statistic(plan: &Plan, index: usize, price: &Price) -> Value {
    let statistic = &plan.statistics[index];
    let exact = |value: &Rational| value.to_string();
    let mechanism = match &price.mechanism {
        Mechanism::Noise { noise, grid } => {
            let name = match noise {
                Noise::Laplace(_) => "laplace",
                Noise::Gaussian(_) => "gaussian",
            };
            json!({ "name": name, "scale": upper_json(noise.size()), "grid_exponent": grid.get() })
        }
        Mechanism::Selection { epsilon, end, .. } => {
            let epsilon = exact(epsilon.get());
            let end = end.as_ref().map(|end| exact(end.get()));
            json!({ "name": "exponential", "epsilon": epsilon, "end_epsilon": end })
        }
    };
    let error_unit = match statistic.kind.error_unit() {
        "" => statistic.kind.unit(),
        unit => unit.to_owned(),
    };
    json!({
        "name": statistic.name,
        "kind": statistic.kind.word(),
        "of": statistic.kind.of(),
        "by": statistic.by,
        "about": about(plan, statistic, price),
        "groups": price.chain.groups,
        "loss": statistic_loss_json(price.loss_unit, &price.loss),
        "shares_noise_of": price.shared.as_ref().map(|shared| &shared.name),
        "adds_up_with": price.tied.as_ref().map(|tied| &tied.with),
        "threshold": price.threshold.as_ref().map(|threshold| json!({
            "least": exact(&threshold.least),
            "delta": exact(&threshold.delta),
        })),
        "mechanism": mechanism,
        "sensitivity": price.norms.named().into_iter()
            .map(|(name, norm)| (name.to_owned(), Value::from(exact(norm))))
            .collect::<Map<_, _>>(),
        "error": price.error.map(upper_json),
        "error_unit": error_unit,
        "interval_margins": price.margins(),
        "clamping_bias": price.bias.map(upper_json),
        "rows": price.rows,
        "rows_for_tenth": price.rows_for_tenth,
        "too_noisy": price.too_noisy_at().is_some(),
    })
}

#[cfg(test)]
mod tests;
