//! Kinds of statistics beyond counts, sums and moments: their numbers, their errors, and what
//! neighbours move.
#![cfg(feature = "engine")]

mod neighbours;
mod numbers;
mod sharing;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use lastbit_release::engine::TableEngine;
use lastbit_release::plan::Plan;
use lastbit_release::present::{Cell, PublishedStatistic, Report};
use lastbit_release::release::release;

/// Releases a plan of `x.csv` with this text.
fn released(plan: &str, csv: &str) -> Report {
    let directory = tempfile::tempdir().unwrap();
    released_in(directory.path(), plan, csv)
}

fn released_in(directory: &Path, plan: &str, csv: &str) -> Report {
    fs::write(directory.join("x.csv"), csv).unwrap();
    let plan = Plan::parse_in(plan, directory).unwrap();
    let ledger = directory.join("ledger");
    let released = release(&plan, &ledger, &TableEngine::default(), Arc::new(|_, _| {}));
    released.unwrap().report().clone()
}

fn named<'a>(report: &'a Report, name: &str) -> &'a PublishedStatistic {
    let found = report.statistics.iter().find(|s| s.name == name);
    found.unwrap_or_else(|| panic!("no statistic {name}"))
}

fn number(text: &Option<String>) -> f64 {
    text.as_ref().unwrap().parse().unwrap()
}

/// Whether the exact number is within the stated error.
fn holds(cell: &Cell, exact: f64) -> bool {
    (number(&cell.value) - exact).abs() <= number(&cell.error) + 1e-9
}
