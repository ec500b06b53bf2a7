//! The price of a plan as one page.

use lastbit_exact::Rounding;

use super::about::{about, plan_warnings};
use super::guess::loss_in_words;
use super::html::{document, escape, marked, name, rows_about, unbroken};
use super::price_words::{HEADER, counted, words};
use super::vocabulary::{ACCOUNTANTS, noise_terms, price_terms};
use crate::account::Prices;
use crate::left::Left;
use crate::plan::Plan;

/// The price of a plan as one page, without scripts or network: what each statistic costs and how
/// exact it is, the budget and what a ledger has left of it, the errors under each accountant, and
/// which rows count.
pub fn price_html(plan: &Plan, prices: &Prices, left: Option<&Left>) -> String {
    let mut body = format!(
        "<header>\n<h1>{}</h1>\n<p class=\"lead\">What publishing it will cost: <span \
         class=\"nowrap\">{}</span>. No row was read.</p>\n<ul class=\"notes\">\n",
        name(&plan.title),
        escape(&prices.loss.to_string())
    );
    for sentence in loss_in_words(plan, &prices.loss) {
        body += &format!("<li>{}</li>\n", marked(&sentence));
    }
    for warning in plan_warnings(plan) {
        body += &format!("<li>{}</li>\n", marked(&warning));
    }
    body += "</ul>\n</header>\n<main>\n";
    body += &budget(plan, prices, left);
    body += &statistics(plan, prices);
    body += &accountants(prices);
    body += &rows(plan, prices);
    body += "</main>\n";
    document(&plan.title, &body)
}

/// The budget, what is left of it, and what this release takes.
fn budget(plan: &Plan, prices: &Prices, left: Option<&Left>) -> String {
    let mut rows = vec![("Budget of the data", plan.budget.to_string(), String::new())];
    if let Some(left) = left {
        rows.push(("Left of it", left.left.to_string(), left.meaning()));
    }
    rows.push(("This release", prices.loss.to_string(), String::new()));
    let mut text = String::from("<section>\n<h2>Budget</h2>\n<table class=\"stack\">\n<tbody>\n");
    for (head, amount, meaning) in rows {
        text += &format!(
            "<tr><th scope=\"row\" class=\"nowrap\">{head}</th><td \
             class=\"nowrap\">{}</td><td>{}</td></tr>\n",
            unbroken(&amount),
            unbroken(&meaning)
        );
    }
    text += "</tbody>\n</table>\n";
    if let Some((left, warning)) = left.and_then(|left| Some((left, left.warning()?))) {
        // What costs nothing again is no alarm.
        let class = match left.before {
            Some(_) => "about",
            None => "invented",
        };
        text += &format!("<p class=\"{class}\">{}</p>\n", marked(&warning));
    }
    text + "</section>\n"
}

fn statistics(plan: &Plan, prices: &Prices) -> String {
    let losses: Vec<f64> = prices
        .statistics
        .iter()
        .map(|price| price.loss.to_f64(Rounding::NearestEven))
        .collect();
    let all: f64 = losses.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let [statistic, _, loss, error, .., tenth] = HEADER;
    let heads = [statistic, error, loss, "share of the loss", tenth];
    let mut text =
        String::from("<section>\n<h2>Errors and losses</h2>\n<table class=\"stack\">\n<thead><tr>");
    for head in heads {
        text += &format!("<th scope=\"col\">{head}</th>");
    }
    text += "</tr></thead>\n<tbody>\n";
    for ((statistic, price), own) in plan.statistics.iter().zip(&prices.statistics).zip(&losses) {
        let [title, _, loss, error, .., tenth] = words(statistic, price);
        text += &format!("<tr><th scope=\"row\">{}</th>", name(&title));
        for (head, cell) in [(heads[1], error), (heads[2], loss)] {
            text += &format!("<td data-head=\"{head}\">{}</td>", unbroken(&cell));
        }
        // Rounded up, as losses are.
        let share = format!("{:.1}&nbsp;%", (1000.0 * own / all).ceil() / 10.0);
        text += &format!(
            "<td data-head=\"{}\" class=\"share\">{share}<span class=\"whole\"><span \
             class=\"fill\" style=\"width:{:.1}%\"></span></span></td>",
            heads[3],
            100.0 * own / all
        );
        // Broken only between its parts.
        let parts = tenth.split("; ").map(|part| {
            let part = unbroken(part);
            format!("<span class=\"nowrap\">{part}</span>")
        });
        text += &format!(
            "<td data-head=\"{}\">{}</td></tr>\n",
            heads[4],
            parts.collect::<Vec<_>>().join("; ")
        );
    }
    text + &format!(
        "</tbody>\n</table>\n<p class=\"about\">Errors hold with probability {} each.</p>\n\
         {}</section>\n",
        escape(&plan.confidence.get().to_string()),
        list(&price_terms(plan, prices))
    )
}

/// The errors under other accountants; empty if there is nothing to compare.
fn accountants(prices: &Prices) -> String {
    let ratios = || {
        prices
            .comparison
            .iter()
            .filter_map(|offer| offer.relative_error)
    };
    let most = ratios().fold(f64::MIN_POSITIVE, f64::max);
    let mut text = format!(
        "<section>\n<h2>Other accountants</h2>\n<p class=\"about\">{} Here it is {}. ",
        marked(ACCOUNTANTS),
        escape(prices.accountant.name())
    );
    if ratios().count() > 1 {
        text += "How large errors would be, beside those of the one that is used:</p>\n<table>\n\
                 <tbody>\n";
        for offer in &prices.comparison {
            let Some(ratio) = offer.relative_error else {
                continue;
            };
            text += &format!(
                "<tr><th scope=\"row\">{}</th><td class=\"share\">about {ratio:.2} ×<span \
                 class=\"whole\"><span class=\"fill\" \
                 style=\"width:{:.1}%\"></span></span></td></tr>\n",
                escape(offer.accountant.name()),
                100.0 * ratio / most
            );
        }
        text += "</tbody>\n</table>\n";
    } else {
        text += "</p>\n";
    }
    for offer in &prices.comparison {
        if let Err(why) = &offer.outcome {
            text += &format!(
                "<p class=\"about\">The accountant “{}” does not apply: {}.</p>\n",
                escape(offer.accountant.name()),
                marked(&why.to_string())
            );
        }
    }
    text + "</section>\n"
}

fn rows(plan: &Plan, prices: &Prices) -> String {
    let mut text = String::from(
        "<section>\n<h2>Which rows count, and with which noise</h2>\n<p class=\"about\">Errors do \
         not cover rows that are left out, nor cells cut to their bounds.</p>\n",
    );
    for (statistic, price) in plan.statistics.iter().zip(&prices.statistics) {
        let [title, numbers, _, _, noise, grid, bound, _] = words(statistic, price);
        text += &format!(
            "<h3>{}</h3>\n{}<p class=\"about\">{}</p>\n",
            name(&title),
            rows_about(&about(plan, statistic, price)),
            marked(&format!(
                "{}; {noise}, on the grid {grid}, within {bound}.",
                counted(&numbers)
            ))
        );
    }
    text + &list(&noise_terms(prices)) + "</section>\n"
}

/// The meanings of words.
fn list(terms: &[String]) -> String {
    let items = terms
        .iter()
        .map(|term| format!("<li>{}</li>\n", marked(term)));
    format!("<ul class=\"about\">\n{}</ul>\n", items.collect::<String>())
}
