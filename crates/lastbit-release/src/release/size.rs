//! How large a report is, before anything is spent on it.

use lastbit_exact::Rational;

use super::ReleaseError;
use crate::account::{Price, Prices};
use crate::plan::{Plan, Statistic};
use crate::query::{Answer, KeyValue};
use crate::schema::{Column, ColumnKind};
use crate::statistic::{Mechanism, Slot};

/// Reports that could take more bytes in the ledger are refused before a reservation. SQLite holds
/// 10^9 bytes in a row.
pub const MOST_REPORT_BYTES: u64 = 900_000_000;

/// A cell in JSON: its field names and punctuation, and its value, error, unit and ends of about
/// twenty digits each.
const CELL_BYTES: u64 = 220;

/// Refuses a plan whose report could be larger than [`MOST_REPORT_BYTES`].
pub fn check(plan: &Plan, prices: &Prices) -> Result<(), ReleaseError> {
    refuse_large(report_bytes(plan, prices))
}

fn refuse_large(bytes: u64) -> Result<(), ReleaseError> {
    if bytes > MOST_REPORT_BYTES {
        return Err(ReleaseError::Large { bytes });
    }
    Ok(())
}

/// Refuses an answer whose report could be larger than [`MOST_REPORT_BYTES`] with all groups found.
pub fn check_found(
    plan: &Plan,
    prices: &Prices,
    slots: &[Slot],
    answer: &Answer,
) -> Result<(), ReleaseError> {
    let mut bytes = report_bytes(plan, prices);
    let priced = plan.statistics.iter().zip(&prices.statistics);
    for ((statistic, price), slot) in priced.zip(slots) {
        if !plan.is_discovered(statistic) {
            continue;
        }
        let public: usize = statistic.by.iter().map(|key| longest(plan, key)).sum();
        let labels = statistic.kind.labels();
        let label = labels.iter().map(|label| json_bytes(label)).max();
        let known = (public + label.unwrap_or(0)) as u64 + cell_bytes(plan, statistic, price);
        for group in answer.tables.get(slot.table).into_iter().flatten() {
            let found: usize = group.key.iter().map(found_bytes).sum();
            let each = known + found as u64;
            bytes = bytes.saturating_add(each.saturating_mul(labels.len() as u64));
        }
    }
    refuse_large(bytes)
}

/// The most bytes that a public label of a column takes.
fn longest(plan: &Plan, column: &str) -> usize {
    let labels = plan.column(column).map_or(vec![], Column::labels);
    let bytes = labels.iter().map(|label| json_bytes(label));
    bytes.max().unwrap_or(0)
}

fn found_bytes(value: &KeyValue) -> usize {
    match value {
        KeyValue::Discovered(text) => json_bytes(text),
        KeyValue::Public(_) => 0,
    }
}

/// An upper bound of a report's bytes in the ledger, from public parameters alone. Groups of
/// discovered keys are not in it, because their number is not public.
pub fn report_bytes(plan: &Plan, prices: &Prices) -> u64 {
    let labels = |column: &str| -> (u64, u64) {
        let labels = plan.column(column).map_or(vec![], Column::labels);
        of_labels(&labels)
    };
    let mut all = 0u64;
    for (statistic, price) in plan.statistics.iter().zip(&prices.statistics) {
        all = all.saturating_add(words_bytes(plan, statistic));
        let Some(groups) = price.chain.groups else {
            continue;
        };
        let (each, label_bytes) = of_labels(&statistic.kind.labels());
        // Each value of a key is in an equal part of the groups.
        let keys: u64 = statistic
            .by
            .iter()
            .map(|key| labels(key))
            .map(|(values, bytes)| bytes.saturating_mul(groups / values.max(1)))
            .fold(0, u64::saturating_add);
        let cells = groups.saturating_mul(each);
        all = all
            .saturating_add(cells.saturating_mul(cell_bytes(plan, statistic, price)))
            .saturating_add(keys.saturating_mul(each))
            .saturating_add(label_bytes.saturating_mul(groups))
            .saturating_add(columns_bytes(plan));
    }
    all
}

/// How many labels there are, and their bytes.
fn of_labels(labels: &[String]) -> (u64, u64) {
    let bytes: usize = labels.iter().map(|label| json_bytes(label)).sum();
    (labels.len() as u64, bytes as u64)
}

/// The bytes of a cell without its names: its four numbers have more digits if bounds, grid or
/// noise are far from 1.
fn cell_bytes(plan: &Plan, statistic: &Statistic, price: &Price) -> u64 {
    let size = |x: &Rational| x.abs().ceil_log2().unwrap_or(0).unsigned_abs();
    let of_column = |column: &str| match plan.column(column).map(|column| &column.kind) {
        Some(ColumnKind::Numbers(numbers)) => {
            let bounds = &numbers.bounds;
            let grid = numbers.grid.exponent().get().unsigned_abs();
            grid.max(size(bounds.lower())).max(size(bounds.upper()))
        }
        _ => 0,
    };
    let columns: u64 = statistic.kind.uses().into_iter().map(of_column).sum();
    let noise = match &price.mechanism {
        Mechanism::Noise { noise, grid } => {
            grid.get().unsigned_abs() + noise.size().get().log2().abs() as u64
        }
        Mechanism::Selection { .. } => 0,
    };
    // Squares have twice the digits, before and after the point; three bits make less than one
    // digit.
    CELL_BYTES + 4 * 2 * (2 * columns + noise) / 3
}

/// The words around the cells of a statistic, which repeat names of columns and categories a few
/// times.
fn columns_bytes(plan: &Plan) -> u64 {
    let of_column = |kind: &ColumnKind| match kind {
        ColumnKind::Categories(_) => 0,
        ColumnKind::Numbers(numbers) => json_bytes(&numbers.unit),
        ColumnKind::Discovered => 0,
    };
    let columns = plan.columns.iter();
    let bytes: usize = columns
        .map(|column| {
            // One label may stand for missing cells.
            let labels = column.labels();
            let label = labels.iter().map(|label| json_bytes(label)).max();
            let words = of_column(&column.kind) + label.unwrap_or(0);
            let title = column.title.as_deref().map_or(0, json_bytes);
            9 * json_bytes(&column.name) + title + words + 600
        })
        .sum();
    4_000 + bytes as u64
}

/// The words that say which rows a statistic is of: filters, expressions of columns, codes.
fn words_bytes(plan: &Plan, statistic: &Statistic) -> u64 {
    let derive = &plan.derive;
    let filters = derive.filter.iter().chain(&statistic.scope.filter);
    // A filter of the source is in the notes too.
    let filters = filters.map(|filter| 2 * json_bytes(filter.written()));
    let derived = derive
        .columns
        .iter()
        .map(|(_, of)| json_bytes(of.written()));
    let codes = derive.codes.iter().flat_map(|(_, codes)| codes);
    let codes = codes.map(|code| json_bytes(code) + 4);
    let bytes: usize = filters.chain(derived).chain(codes).sum();
    bytes as u64
}

/// The bytes of a text in JSON, with its quotes and a comma.
fn json_bytes(text: &str) -> usize {
    let inner: usize = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' => 2,
            0..0x20 => 6,
            _ => 1,
        })
        .sum();
    inner + 3
}
