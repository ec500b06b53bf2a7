//! The method of a release, in words for everybody, and in a fold the words of the field.

use super::escape::{escape, name};
use super::percent;
use crate::clean::shortened;
use crate::present::Report;

/// How the numbers were made, what they promise, and how to cite them.
pub(super) fn method(report: &Report) -> String {
    let mut mechanisms: Vec<&str> = Vec::new();
    for statistic in &report.statistics {
        if !mechanisms.contains(&statistic.mechanism.as_str()) {
            mechanisms.push(&statistic.mechanism);
        }
    }
    let mut text = String::from(
        "<h2>Method</h2>\n<p>A plan says, before any data are read, what is published and between which bounds each value counts. Then the numbers were computed, and \
         noise was drawn at random and added to each; its size was fixed beforehand, and is in the ±. The noise hides what any single one contributes, and averages out over many. \
         What may be said about these data in all is limited by a budget, and each release is written into a ledger before it is made.</p>\n",
    );
    text += "<details>\n<summary>In the words of the field</summary>\n<dl>\n";
    let mut term = |term: &str, meaning: String| {
        text += &format!("<dt>{term}</dt><dd>{meaning}</dd>\n");
    };
    term(
        "Guarantee",
        format!(
            "Differential privacy with {}, added up by {}.",
            escape(&report.loss),
            escape(&report.accountant)
        ),
    );
    if let Some(unit) = report.notes.first() {
        term("Unit and neighbours", name(unit));
    }
    term("Mechanisms", format!("{}.", escape(&mechanisms.join("; "))));
    term(
        "Limits and clamping",
        "Stated above, with the rows that each number is of; both were fixed before the data were read.".to_owned(),
    );
    term(
        "Errors",
        format!(
            "Each ± is a {} confidence bound of noise, grid and rounding, for each number by itself; it is no bound of sampling error, nor of errors in the data.",
            percent(&report.confidence)
        ),
    );
    if !report.invented {
        let receipt = &report.receipt;
        term(
            "Cite as",
            format!(
                "{}. Published with differential privacy ({}), {}. {}; plan {}, ledger row {} ({}).",
                name(&report.title),
                escape(&report.loss),
                escape(&receipt.time),
                escape(&receipt.program),
                escape(&shortened(&receipt.plan, 16)),
                receipt.ledger_row,
                escape(&shortened(&receipt.ledger_hash, 16)),
            ),
        );
    }
    text + "</dl>\n</details>\n"
}
