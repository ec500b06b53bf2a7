//! What a plan costs, for the script: words of `lastbit-release`, and numbers for pictures and
//! sliders.

use std::path::PathBuf;

use lastbit_exact::{Rational, Rounding, decimal as digits};
use lastbit_release::account::{AccountantOffer, Price, PriceError, Prices};
use lastbit_release::ledger::Account;
use lastbit_release::left::{Left, Part, price_from};
use lastbit_release::loss::{Loss, decimal};
use lastbit_release::plan::{Allowance, Plan, Statistic};
use lastbit_release::present::{
    about, how_large, loss_in_words, plan_warnings, slider_loss_json, words,
};
use lastbit_release::release::{Identity, remember};
use serde_json::{Value, json};

use super::fields::Step;
use super::{Mistake, object};
use crate::server::Shared;

/// Below every loss that a plan can need, so that targets do not fit into it.
const TINY: &str = "1e-40";

/// The ledger and its account, if there is one; or why it cannot be read.
type Known = Result<Option<(PathBuf, Account)>, String>;

/// The prices of a plan as the ledger of the directory takes it now. A ledger that cannot be read
/// is none: releases then refuse.
pub fn prices(plan: &Plan, known: &Known) -> Result<Prices, PriceError> {
    let known = known.as_ref().ok().and_then(Option::as_ref);
    let known = known.map(|(path, account)| (path.as_path(), account));
    Ok(price_from(plan, known)?.0)
}

/// The price of a plan, or the mistake that it has none.
pub fn price(shared: &Shared, plan: &Plan) -> Result<Value, Box<Mistake>> {
    let known = shared.left().account(shared.directory());
    let prices = prices(plan, &known).map_err(|error| Box::new(mistake(plan, &error)))?;
    let all = total(&prices);
    let statistics: Vec<Value> = plan
        .statistics
        .iter()
        .zip(&prices.statistics)
        .map(|(statistic, price)| one(plan, statistic, price, &all))
        .collect();
    let others: Vec<Value> = prices
        .comparison
        .iter()
        .map(|offer| {
            json!({
                "name": offer.accountant.name(),
                "used": offer.accountant == prices.accountant,
                "words": offer_words(offer),
            })
        })
        .collect();
    let words = loss_in_words(plan, &prices.loss).into_iter();
    let is_target = |s: &Statistic| !matches!(s.allowance, Allowance::Weight(_));
    Ok(object([
        ("title", Value::from(plan.title.as_str())),
        ("identity", Value::from(Identity::new(plan, &prices).hex())),
        ("loss", Value::from(prices.loss.to_string())),
        ("spend", spend(plan)),
        ("budget", slider_loss_json(&plan.budget)),
        ("words", words.chain(plan_warnings(plan)).collect()),
        ("confidence", Value::from(plan.confidence.get().to_string())),
        ("accountants", Value::Array(others)),
        ("left", left(&known, plan, &prices.loss)),
        ("statistics", Value::Array(statistics)),
        (
            "targets",
            Value::from(plan.statistics.iter().any(is_target)),
        ),
    ]))
}

/// The smallest budget that keeps every fixed loss and error, in words; `None` if none is fixed.
pub fn smallest(shared: &Shared, plan: &Plan) -> Option<String> {
    let known = shared.left().account(shared.directory());
    let mut plan = plan.clone();
    plan.spend.main = TINY.parse().ok()?;
    match prices(&plan, &known) {
        Err(PriceError::Infeasible(infeasible)) if !infeasible.targets.is_empty() => {
            Some(match infeasible.sharing {
                0 => infeasible.needed.to_string(),
                1 => format!(
                    "{}, and more for the statistic that shares the rest",
                    infeasible.needed
                ),
                many => format!(
                    "{}, and more for the {many} statistics that share the rest",
                    infeasible.needed
                ),
            })
        }
        _ => None,
    }
}

/// What of the plan was released before, and what the release takes, in words; `None` if nothing
/// was.
pub fn before(shared: &Shared, plan: &Plan) -> Option<String> {
    let known = shared.left().account(shared.directory()).ok()??;
    let (path, account) = (known.0.as_path(), &known.1);
    let (_, mut left) = price_from(plan, Some((path, account))).ok()?;
    remember(plan, path, &mut left);
    let is_known = left.before.is_some() || left.again.is_some() || left.refused.is_some();
    is_known.then(|| left.warning()).flatten()
}

fn offer_words(offer: &AccountantOffer) -> String {
    match (&offer.outcome, offer.relative_error) {
        (Ok(_), Some(ratio)) => how_large(ratio),
        (Ok(_), None) => String::new(),
        (Err(why), _) => why.clone(),
    }
}

/// Where a plan without a price is wrong.
fn mistake(plan: &Plan, error: &PriceError) -> Mistake {
    let key = |key: &str| Step::Key(key.to_owned());
    let path = match error {
        PriceError::Unreachable { statistic, .. } => plan
            .statistics
            .iter()
            .position(|other| other.name == *statistic)
            .map(|index| vec![key("statistics"), Step::Index(index)]),
        PriceError::Accountant { .. } => Some(vec![key("accountant")]),
        PriceError::Infeasible(_) => Some(vec![key("spend")]),
        _ => None,
    };
    Mistake {
        at: None,
        path,
        message: error.to_string(),
        unfilled: false,
    }
}

/// What the slider of the whole release moves: a part of the budget if the plan says it so, else
/// the loss.
fn spend(plan: &Plan) -> Value {
    match &plan.part {
        None => slider_loss_json(&plan.spend),
        Some(part) => json!({
            "words": format!("{} of the budget", decimal(part)),
            "key": "part",
            "symbol": "(part of the budget)",
            "main": decimal(part),
            "about": about_double(part),
            "delta": null,
        }),
    }
}

/// For drawing and sliders only.
fn about_double(value: &Rational) -> f64 {
    value.to_f64(Rounding::NearestEven)
}

/// The length of a slider: a sum of parts, whatever the release costs. No composition.
fn total(prices: &Prices) -> Rational {
    let losses = prices.statistics.iter().map(|price| &price.loss);
    losses.fold(Rational::ZERO, |sum, loss| &sum + loss)
}

fn one(plan: &Plan, statistic: &Statistic, price: &Price, all: &Rational) -> Value {
    let [name, numbers, loss, error, noise, grid, bound, tenth] = words(statistic, price);
    // What a target must be so that the statistic keeps its error: not below it.
    let target = price
        .error
        .and_then(|error| error.to_rational())
        .map(|error| digits::up(&error, 3));
    let weak = match (price.rows, price.rows_for_tenth) {
        (Some(rows), Some(least)) if rows < least => Some(format!(
            "weak: {rows} rows are expected in a group, and an error below a tenth of a typical \
             value takes {least}"
        )),
        (_, None) if price.chain.kind().public_rows().is_none() && price.is_foreseen() => Some(
            "weak: no group is large enough for an error below a tenth of a typical value"
                .to_owned(),
        ),
        _ => None,
    };
    json!({
        "name": name,
        "numbers": numbers,
        "loss": loss,
        "error": error,
        "noise": noise,
        "grid": grid,
        "bound": bound,
        "tenth": tenth,
        "weak": weak,
        "shared": price.shared.is_some(),
        "target": target.as_ref().map(decimal),
        "about_error": target.as_ref().map(about_double),
        "loss_main": decimal(&digits::down(&price.loss, 3)),
        "part": match all.is_zero() { true => 0.0, false => about_double(&(&price.loss / all)) },
        "rows": about(plan, statistic, price),
    })
}

/// What the ledger has left, and what the release takes of it.
pub fn left(known: &Known, plan: &Plan, loss: &Loss) -> Value {
    let known = match known {
        Ok(known) => known,
        Err(error) => return json!({ "error": error }),
    };
    let left = Left::of(
        plan,
        loss,
        known
            .as_ref()
            .map(|(path, account)| (path.as_path(), account)),
    );
    let remaining = &left.left;
    // What is counted in the measure of the loss; before there is a ledger nothing is spent.
    let whole = match known {
        None => remaining,
        Some((_, account)) if account.budget.measure == remaining.measure => &account.budget,
        Some((_, account)) => account
            .composed
            .as_ref()
            .map_or(remaining, |composed| &composed.limit),
    };
    if whole.measure != remaining.measure || loss.measure != remaining.measure {
        let error = format!(
            "the ledger counts in the measure {}, and the plan in {}",
            remaining.measure, loss.measure
        );
        return json!({ "error": error });
    }
    let spent = whole.minus(remaining);
    let of_whole = |part: &Rational| match whole.main.is_zero() {
        true => 0.0,
        false => about_double(&(part / &whole.main)).clamp(0.0, 1.0),
    };
    json!({
        "budget": whole.to_string(),
        "spent": spent.to_string(),
        "remaining": remaining.to_string(),
        "about": about_double(&remaining.main),
        "after": match left.part() {
            Part::TooMuch => Value::Null,
            _ => json!(remaining.minus(loss).to_string()),
        },
        "meaning": left.meaning(),
        "warning": left.warning(),
        "refused": left.part() == Part::TooMuch,
        "picture": {
            "spent": of_whole(&spent.main),
            "now": of_whole(&loss.main),
        },
    })
}
