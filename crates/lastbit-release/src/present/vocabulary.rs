//! The words of the field that stand on a screen, each with its meaning.

use super::Report;
use super::price_words::words;
use crate::account::{Price, Prices};
use crate::plan::Plan;
use crate::statistic::{LossUnit, Mechanism};

/// What the last column of prices means.
const TENTH: &str =
    "“10 % from”: the smallest group whose error is below a tenth of a typical value.";

/// Shown for an error that depends on how many rows there are.
pub(super) const DEPENDS: &str = "depends on expected_rows";

/// Shown for an error that depends on the data.
pub(super) const RELEASE: &str = "known with the release";

/// Shown if no number of rows is enough.
pub(super) const NEVER: &str = "never";

/// Shown before the number of rows at which an error is about as large as what it is of.
pub(super) const TOO_NOISY: &str = "too noisy at";

/// What ρ is.
const RHO: &str = "a loss in zero-concentrated differential privacy (zCDP), the unit in which \
                   Gaussian noise is counted; ε-differential privacy is at most ρ = ε²/2";

/// The meaning of the words in a table of the losses and errors of prices.
pub fn price_terms(plan: &Plan, prices: &Prices) -> Vec<String> {
    let priced = plan.statistics.iter().zip(&prices.statistics);
    let any = |word: &str| {
        priced
            .clone()
            .any(|(s, price)| [3, 7].iter().any(|&at| words(s, price)[at].contains(word)))
    };
    let mut terms = vec![TENTH.to_owned()];
    let mut add = |is: bool, term: &str| {
        if is {
            terms.push(term.to_owned());
        }
    };
    add(
        any(DEPENDS),
        "“Depends on expected_rows”: say in the plan about how many rows a group has, as \
         expected_rows = 1000, to see this error; it is a guess of yours, and decides the noise \
         only where a statistic asks for an `error`.",
    );
    add(
        any(NEVER),
        "“Never”: however many rows a group has, its error stays above that tenth.",
    );
    add(
        any(RELEASE),
        "“Known with the release”: this error hangs on the data too, so nothing tells it before; \
         where noise hides the number, it is withheld, at the same cost.",
    );
    add(
        any(TOO_NOISY),
        "“Too noisy at”: in a group of the rows that the plan expects, the error is as large as a \
         typical value, or as half of what it can be; spend more on it, or group by less.",
    );
    let mut all = prices.statistics.iter();
    if all.any(|price| price.loss_unit == LossUnit::Rho && price.shared.is_none()) {
        add(true, &format!("“ρ”: {RHO}."));
    }
    terms
}

/// The meaning of the words in a description of the noise of prices.
pub fn noise_terms(prices: &Prices) -> Vec<String> {
    let any = |is: fn(&Price) -> bool| prices.statistics.iter().any(is);
    let is_added = |price: &Price| matches!(price.mechanism, Mechanism::Noise { .. });
    let is_selected = |price: &Price| matches!(price.mechanism, Mechanism::Selection { .. });
    let mut terms = Vec::new();
    if any(is_added) {
        terms.push(
            "“Scale” and “σ”: how large the noise is; about 95 % of it is within three scales of \
             Laplace, or two σ of Gaussian noise."
                .to_owned(),
        );
    }
    if any(is_selected) {
        terms.push(
            "“Selection”: a value is drawn at random between the bounds, those near the exact one \
             most likely, and so are the ends of its interval."
                .to_owned(),
        );
    }
    terms.push(format!("“Grid”: {}.", grid_in_words(any(is_selected))));
    terms
}

/// What a grid is, and what it is for.
fn grid_in_words(is_selected: bool) -> String {
    let selected = match is_selected {
        true => ", and so are the values that quantiles are selected from",
        false => "",
    };
    format!(
        "a public step, such as 2^-3 = 0.125; the noise and what it is added to are multiples of \
         it{selected}, so that no last digit gives the exact number away"
    )
}

/// What accountants are.
pub const ACCOUNTANTS: &str = "“Accountant”: a rule that adds up the losses of statistics. All are \
                               right; the plan takes the one with the smallest errors, unless its \
                               `accountant` names another.";

/// What an accountant adds up.
fn adds_up(accountant: &str) -> Option<&'static str> {
    Some(match accountant {
        "pure" => "pure adds up ε",
        "zcdp" => "zcdp adds up ρ",
        "optimal" => "optimal composes equal losses by the exact formula",
        "gaussian" => "gaussian takes all Gaussian noise as one, by its exact curve of ε and δ",
        "pld" => "pld adds up the whole laws of the losses (privacy loss distributions)",
        _ => return None,
    })
}

/// The words of the field in a report, each with its meaning.
pub(super) fn report_terms(report: &Report) -> Vec<(&'static str, String)> {
    let has = |symbol: char| {
        let mut losses = report.statistics.iter().map(|one| &one.loss);
        report.loss.contains(symbol) || losses.any(|loss| loss.contains(symbol))
    };
    let mut loss = vec![
        "a bound on what anybody can find out about one unit from what is published; at 0, nothing"
            .to_owned(),
    ];
    for (symbol, meaning) in [
        (
            'ε',
            "ε: any result is at most e^ε times as likely with a unit as without it, or with other \
             data in its place",
        ),
        ('δ', "δ: a probability up to which this may fail"),
        ('ρ', RHO),
        (
            'μ',
            "μ: no easier to tell apart than two normal distributions that lie μ standard \
             deviations apart",
        ),
    ] {
        if has(symbol) {
            loss.push(match meaning.starts_with(symbol) {
                true => meaning.to_owned(),
                false => format!("{symbol}: {meaning}"),
            });
        }
    }
    let mut terms = vec![("Loss", format!("{}.", loss.join("; ")))];
    if let Some(adds_up) = adds_up(&report.accountant) {
        terms.push((
            "Accountant",
            format!("the rule that adds up the losses of statistics; {adds_up}."),
        ));
    }
    let is_selected = |mechanism: &str| mechanism.starts_with("exponential");
    let mut mechanisms = report.statistics.iter().map(|one| one.mechanism.as_str());
    terms.push((
        "Grid",
        format!("{}.", grid_in_words(mechanisms.any(is_selected))),
    ));
    if !report.invented {
        terms.push((
            "Receipt",
            "the hash of the plan, and the row of the ledger with its own; `lastbit ledger check \
             LEDGER --report REPORT.json` compares a report with its ledger."
                .to_owned(),
        ));
    }
    terms
}

/// What a grid says of the numbers of a statistic; empty if it has none.
pub(super) fn of_grid(grid: &str) -> String {
    match grid {
        "" => String::new(),
        "2^0" => "whole numbers".to_owned(),
        grid => format!("multiples of {grid}, rounded to the digits that are shown"),
    }
}
