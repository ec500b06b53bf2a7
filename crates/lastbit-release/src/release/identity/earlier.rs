//! The hashes under which version 0.1.0 stored releases. They hash a text that named the budget and
//! followed the types of that version; it is spelled out here as it was.

use core::fmt::{Debug, Write as _};

use super::Identity;
use crate::account::{Charging, Offered, price_as};
use crate::loss::{Loss, LossMeasure};
use crate::plan::{Allowance, Neighbours, Plan};
use crate::query::Derive;
use crate::schema::{Column, ColumnKind, FileFormat, Missing, NumberKind, Scope, Unit};

/// The hashes that version 0.1.0 gave the release of this identity, by sums of losses, if it was
/// taken from one of these budgets.
pub fn earlier(plan: &Plan, identity: &Identity, budgets: &[Loss]) -> Vec<String> {
    let mut hashes = Vec::new();
    if says_more(plan) {
        return hashes;
    }
    for budget in budgets {
        let mut then = plan.clone();
        then.budget = budget.clone();
        hashes.push(hash(&then));
        // A plan that does not say what it spends may spend the budget. The same noise makes it the
        // same release.
        if plan.spend == plan.budget && plan.spend != *budget {
            then.spend = budget.clone();
            let same = price_as(&then, &Charging::Plainly, Offered::Sums)
                .is_ok_and(|prices| Identity::new(&then, &prices) == *identity);
            hashes.extend(same.then(|| hash(&then)));
        }
    }
    hashes
}

/// Whether the plan uses what version 0.1.0 did not know, so that its old text would name another
/// release.
fn says_more(plan: &Plan) -> bool {
    let column = |column: &Column| {
        let numbers = column.kind.numbers();
        column.labels.is_some() || numbers.is_some_and(|numbers| numbers.scale != NumberKind::Real)
    };
    plan.source.database().is_some()
        || plan.derive != Derive::default()
        || plan.columns.iter().any(column)
        || plan
            .statistics
            .iter()
            .any(|statistic| statistic.scope != Scope::default())
}

fn hash(plan: &Plan) -> String {
    blake3::hash(text(plan).as_bytes()).to_hex().to_string()
}

fn text(plan: &Plan) -> String {
    let mut out = String::from("lastbit plan 1\n");
    let mut line = |key: &str, value: &dyn Debug| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{key} {value:?}");
    };
    // It knew no databases: `says_more`.
    if let Some(files) = plan.source.files() {
        line("files", &files.paths);
        line("format", &Word(format(&files.format)));
    }
    line(
        "neighbours",
        &match plan.neighbours {
            Neighbours::AddRemove => ("add-remove", None),
            Neighbours::ChangeOne { rows } => ("change-one", rows),
        },
    );
    line("unit", &Word(unit(&plan.unit)));
    line("budget", &loss(&plan.budget));
    line("spend", &loss(&plan.spend));
    line("accountant", &plan.accountant.map(|a| a.name()));
    line("confidence", &plan.confidence.get().to_string());
    line("publish_fingerprint", &plan.publish_fingerprint);
    line("expected_rows", &plan.expected_rows);
    let mut columns: Vec<_> = plan.columns.iter().collect();
    columns.sort_by(|a, b| a.name.cmp(&b.name));
    for column in columns {
        line("column", &column.name);
        match &column.kind {
            ColumnKind::Categories(categories) => {
                line("categories", &(&categories.names, &categories.other));
            }
            ColumnKind::Discovered => line("discovered", &true),
            ColumnKind::Numbers(numeric) => {
                let number = |value: &dyn ToString| Word(value.to_string());
                let bounds = &numeric.bounds;
                line("bounds", &[number(bounds.lower()), number(bounds.upper())]);
                line(
                    "missing",
                    &match &numeric.missing {
                        Missing::Drop => None,
                        Missing::Value(value) => Some(number(value)),
                    },
                );
                line("grid", &numeric.grid.exponent().get());
                let edges = numeric.edges.as_ref();
                let edges = edges
                    .map(|edges| -> Vec<Word> { edges.iter().map(|edge| number(edge)).collect() });
                line("edges", &edges);
                line("typical", &number(&numeric.typical));
                line("in", &numeric.unit);
            }
        }
    }
    for statistic in &plan.statistics {
        let number = |value: &dyn ToString| Word(value.to_string());
        line("statistic", &statistic.name);
        line(statistic.kind.word(), &statistic.kind.of());
        let at = statistic.kind.parameters();
        if !at.is_empty() {
            let at: Vec<Word> = at.into_iter().map(|(_, share)| Word(share)).collect();
            line("at", &at);
        }
        line("by", &statistic.by);
        match &statistic.allowance {
            Allowance::Loss(loss) => line("loss", &number(loss)),
            Allowance::Weight(weight) => line("weight", &number(weight)),
            Allowance::Error { target, confidence } => {
                line("error", &(number(target), number(confidence.get())));
            }
        }
        line("expected_rows", &statistic.expected_rows);
    }
    out
}

/// A text without quotes.
struct Word(String);

impl Debug for Word {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

fn format(format: &FileFormat) -> String {
    match format {
        FileFormat::Csv {
            delimiter,
            quote,
            gzip,
        } => format!("Csv {{ delimiter: {delimiter}, quote: {quote}, gzip: {gzip} }}"),
        FileFormat::Parquet => "Parquet".to_owned(),
        FileFormat::Json { gzip } => format!("Json {{ gzip: {gzip} }}"),
    }
}

fn unit(unit: &Unit) -> String {
    match unit {
        Unit::Row => "Row".to_owned(),
        Unit::Column {
            name,
            most_rows,
            most_groups,
        } => format!(
            "Column {{ name: {name:?}, most_rows: {most_rows}, most_groups: {most_groups} }}"
        ),
    }
}

fn loss(loss: &Loss) -> (String, String) {
    let measure = match loss.measure {
        LossMeasure::Pure => "Pure",
        LossMeasure::Zcdp => "Zcdp",
        // No plan of that version states a loss in another measure.
        _ => "Approximate",
    };
    (format!("{measure} {}", loss.main), loss.delta.to_string())
}
