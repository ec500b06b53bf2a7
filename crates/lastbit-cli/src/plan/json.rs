use lastbit_exact::Rational;
use lastbit_release::plan::{Kind, Plan};
use lastbit_release::price::{Mechanism, Noise, Price, Prices};
use lastbit_release::release::unit;
use serde_json::{Value, json};

use crate::number::{json as number, json_up};

/// A plan's price for programs. Exact numbers are texts; losses and errors beside them are doubles, rounded up.
pub fn value(plan: &Plan, prices: &Prices) -> Value {
    let statistics: Vec<Value> = (0..plan.statistics.len())
        .map(|index| statistic(plan, index, &prices.statistics[index]))
        .collect();
    json!({
        "schema": 1,
        "title": plan.title,
        "plan": plan.hash_hex(),
        "accountant": prices.accountant.name(),
        "loss": loss(&prices.loss),
        "budget": loss(&plan.budget),
        "confidence": plan.confidence.get().to_string(),
        "comparison": prices.comparison.iter().map(|offer| json!({
            "accountant": offer.accountant.name(),
            "loss": offer.outcome.as_ref().ok().map(loss),
            "refused": offer.outcome.as_ref().err(),
            "relative_error": offer.relative_error.map(number),
        })).collect::<Vec<_>>(),
        "statistics": statistics,
    })
}

fn loss(loss: &lastbit_release::loss::Loss) -> Value {
    json!({
        "measure": loss.measure.name(),
        "exact": loss.main.to_string(),
        "value": json_up(&loss.main),
        "delta": loss.delta.to_string(),
    })
}

fn statistic(plan: &Plan, index: usize, price: &Price) -> Value {
    let statistic = &plan.statistics[index];
    let exact = |value: &Rational| value.to_string();
    let mechanism = match &price.mechanism {
        Mechanism::Noise { noise, grid } => {
            let name = match noise {
                Noise::Laplace { .. } => "laplace",
                Noise::Gaussian { .. } => "gaussian",
            };
            json!({ "name": name, "scale": number(noise.scale().get()), "grid_exponent": grid })
        }
        Mechanism::Selection { epsilon } => {
            json!({ "name": "exponential", "epsilon": exact(epsilon) })
        }
    };
    let error_unit = match statistic.kind {
        Kind::Quantiles { .. } => "rows in rank".to_owned(),
        _ => unit(plan, statistic),
    };
    json!({
        "name": statistic.name,
        "kind": statistic.kind.name(),
        "of": statistic.kind.columns(),
        "by": statistic.by,
        "groups": price.groups,
        "loss": {
            "measure": price.currency.symbol(),
            "exact": exact(&price.loss),
            "value": json_up(&price.loss),
        },
        "threshold": price.threshold.as_ref().map(|threshold| json!({
            "least": exact(&threshold.least),
            "delta": exact(&threshold.delta),
        })),
        "mechanism": mechanism,
        "sensitivity": {
            "l1": exact(&price.sensitivity.l1),
            "l2_squared": exact(&price.sensitivity.l2_squared),
        },
        "error": price.error.map(|error| number(error.get())),
        "error_unit": error_unit,
        "clamping_bias": price.bias.map(|bias| number(bias.get())),
        "rows": price.rows,
        "rows_for_tenth": price.rows_for_tenth,
    })
}
