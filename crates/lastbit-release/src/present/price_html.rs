//! The price of a plan as one page.

use lastbit_exact::Rounding;

use super::about::about;
use super::guess::loss_in_words;
use super::html::{document, escape, rows_about};
use super::price_words::{HEADER, words};
use crate::account::Prices;
use crate::plan::Plan;

/// The price of a plan as one page, without scripts or network: shares of the loss, the errors under each accountant, and the table.
pub fn price_html(plan: &Plan, prices: &Prices) -> String {
    let mut body = format!(
        "<header>\n<h1>{}</h1>\n<p class=\"lead\">What publishing it will cost: {}. No data was read.</p>\n<ul class=\"notes\">\n",
        escape(&plan.title),
        escape(&prices.loss.to_string())
    );
    for sentence in loss_in_words(plan, &prices.loss) {
        body += &format!("<li>{}</li>\n", escape(&sentence));
    }
    body += "</ul>\n</header>\n<main>\n";
    let losses: Vec<f64> = prices
        .statistics
        .iter()
        .map(|price| price.loss.to_f64(Rounding::NearestEven))
        .collect();
    let all: f64 = losses.iter().sum();
    let shares = plan
        .statistics
        .iter()
        .zip(&losses)
        .map(|(statistic, loss)| {
            (
                statistic.name.as_str(),
                loss / all,
                // Rounded up, as losses are.
                format!("{:.1} %", (1000.0 * loss / all).ceil() / 10.0),
            )
        });
    body += &section("Shares of the loss", &bars(shares.collect()));
    let comparison = prices.comparison.iter().filter_map(|offer| {
        let ratio = offer.relative_error?;
        Some((
            offer.accountant.name(),
            ratio,
            format!("about {ratio:.2} ×"),
        ))
    });
    body += &section(
        "Errors under each accountant, beside the one used",
        &bars(comparison.collect()),
    );
    body += "<section>\n<h2>Statistics</h2>\n<table>\n<thead><tr>";
    for head in HEADER {
        body += &format!("<th scope=\"col\">{head}</th>");
    }
    body += "</tr></thead>\n<tbody>\n";
    for (statistic, price) in plan.statistics.iter().zip(&prices.statistics) {
        let [name, rest @ ..] = words(statistic, price);
        body += &format!("<tr><th scope=\"row\">{}</th>", escape(&name));
        for cell in rest {
            body += &format!("<td>{}</td>", escape(&cell));
        }
        body += "</tr>\n";
    }
    body += "</tbody>\n</table>\n</section>\n";
    body += "<section>\n<h2>Which rows count</h2>\n<p class=\"about\">Errors do not cover rows that are left out, nor cells cut to their bounds.</p>\n";
    for (statistic, price) in plan.statistics.iter().zip(&prices.statistics) {
        body += &format!(
            "<h3>{}</h3>\n{}",
            escape(&statistic.name),
            rows_about(&about(plan, statistic, price))
        );
    }
    body += "</section>\n</main>\n";
    document(&plan.title, &body)
}

fn section(title: &str, picture: &str) -> String {
    format!(
        "<section>\n<h2>{}</h2>\n{picture}</section>\n",
        escape(title)
    )
}

const LINE: usize = 26;
const LABELS: usize = 220;
const WIDTH: usize = 360;

/// Bars of a name, a length and a note.
fn bars(bars: Vec<(&str, f64, String)>) -> String {
    let most = bars
        .iter()
        .map(|bar| bar.1)
        .fold(f64::MIN_POSITIVE, f64::max);
    let mut svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 {} {}\" width=\"100%\" style=\"max-width:44rem\">\n",
        LABELS + WIDTH + 90,
        LINE * bars.len()
    );
    for (index, (name, length, note)) in bars.iter().enumerate() {
        let top = index * LINE;
        let width = (length / most * WIDTH as f64).max(1.0);
        svg += &format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"13\" fill=\"currentColor\">{}</text>\n\
             <rect x=\"{LABELS}\" y=\"{}\" width=\"{width:.1}\" height=\"{}\" rx=\"2\" fill=\"#3b7dd8\"/>\n\
             <text x=\"{:.1}\" y=\"{}\" font-size=\"12\" fill=\"currentColor\">{}</text>\n",
            LABELS - 8,
            top + 17,
            escape(name),
            top + 4,
            LINE - 8,
            LABELS as f64 + width + 6.0,
            top + 17,
            escape(note)
        );
    }
    svg + "</svg>\n"
}
