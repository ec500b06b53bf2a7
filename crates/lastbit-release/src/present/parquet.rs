//! Reports as tables, in Arrow and in Parquet: one row for each published number, with types that
//! fit.

use std::io;
use std::sync::Arc;

use ::parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use ::parquet::basic::Compression;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lastbit_exact::{Rational, Rounding};

use super::interval::{interval, rank_error};
use super::{Cell, PublishedStatistic, Report};

/// The key in the footer that marks a file as one of ours.
pub const PARQUET_MARK: &str = "lastbit.report";

/// The most rows that are built at a time; the writer holds them encoded.
const BATCH: usize = 4096;

/// The report as one Parquet file, uncompressed, with the columns of its CSV, numbers as numbers
/// and flags as booleans.
///
/// Doubles are rounded to the safe side: `error` covers how far `value` is from what was published,
/// and `lower` and `upper` are rounded outward. What was published, to the last digit, is in
/// `published`, `published_lower` and `published_upper`; dates and times are only there.
pub fn parquet(report: &Report) -> io::Result<Vec<u8>> {
    let keys = keys(report);
    let mark = KeyValue::new(PARQUET_MARK.to_owned(), super::SCHEMA.to_string());
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by(report.receipt.program.clone())
        .set_key_value_metadata(Some(vec![mark]))
        .build();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        // The types are those of Parquet's own schema.
        .with_skip_arrow_metadata(true);
    let schema = Arc::new(schema(&keys));
    let mut writer = ArrowWriter::try_new_with_options(Vec::new(), Arc::clone(&schema), options)
        .map_err(other)?;
    for batch in batches(report, &keys, &schema) {
        writer.write(&batch?).map_err(other)?;
    }
    writer.into_inner().map_err(other)
}

/// The report as a table of Arrow, with the columns of [`parquet()`].
pub fn arrow(report: &Report) -> io::Result<(SchemaRef, Vec<RecordBatch>)> {
    let keys = keys(report);
    let schema = Arc::new(schema(&keys));
    let batches = batches(report, &keys, &schema).collect::<io::Result<_>>()?;
    Ok((schema, batches))
}

/// The columns that any statistic groups by, each once.
fn keys(report: &Report) -> Vec<&str> {
    let mut keys: Vec<&str> = Vec::new();
    for key in report.statistics.iter().flat_map(|statistic| &statistic.by) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    keys
}

fn batches<'a>(
    report: &'a Report,
    keys: &'a [&str],
    schema: &'a SchemaRef,
) -> impl Iterator<Item = io::Result<RecordBatch>> + 'a {
    report.statistics.iter().flat_map(move |statistic| {
        statistic.cells.chunks(BATCH).map(move |cells| {
            let columns = columns(report, statistic, cells, keys);
            RecordBatch::try_new(Arc::clone(schema), columns).map_err(io::Error::other)
        })
    })
}

fn other(error: ::parquet::errors::ParquetError) -> io::Error {
    io::Error::other(error)
}

fn schema(keys: &[&str]) -> Schema {
    use DataType::{Boolean, Float64, Int64, Utf8};
    let must = |name: &str, kind| Field::new(name, kind, false);
    let may = |name: &str, kind| Field::new(name, kind, true);
    let mut fields = vec![
        must("statistic", Utf8),
        must("kind", Utf8),
        must("of", Utf8),
        must("by", Utf8),
        must("group", Utf8),
        must("label", Utf8),
        may("value", Float64),
        may("error", Float64),
        must("unit", Utf8),
        must("error_unit", Utf8),
        may("confidence", Float64),
        must("mechanism", Utf8),
        must("loss", Utf8),
        must("grid", Utf8),
        must("certificate", Utf8),
        must("plan", Utf8),
        must("ledger_row", Int64),
        must("ledger_hash", Utf8),
        may("lower", Float64),
        may("upper", Float64),
        must("about", Utf8),
        may("published", Utf8),
        may("published_lower", Utf8),
        may("published_upper", Utf8),
        must("withheld", Boolean),
        must("too_noisy", Boolean),
        must("invented", Boolean),
        may("rank_error", Float64),
    ];
    fields.extend(keys.iter().map(|key| may(&format!("by.{key}"), Utf8)));
    Schema::new(fields)
}

/// In the order of [`schema`].
fn columns(
    report: &Report,
    statistic: &PublishedStatistic,
    cells: &[Cell],
    keys: &[&str],
) -> Vec<ArrayRef> {
    let receipt = &report.receipt;
    let same = |text: &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(cells.iter().map(|_| text)))
    };
    let texts = |of: &dyn Fn(&Cell) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(cells.iter().map(of)))
    };
    let maybe = |of: &dyn Fn(&Cell) -> Option<String>| -> ArrayRef {
        Arc::new(StringArray::from_iter(cells.iter().map(of)))
    };
    let numbers = |of: &dyn Fn(&Cell) -> Option<f64>| -> ArrayRef {
        Arc::new(Float64Array::from_iter(cells.iter().map(of)))
    };
    let flags = |of: &dyn Fn(&Cell) -> bool| -> ArrayRef {
        Arc::new(BooleanArray::from_iter(
            cells.iter().map(|cell| Some(of(cell))),
        ))
    };
    let confidence = double(Some(&report.confidence), Rounding::Down);
    let row = receipt.ledger_row;
    let mut columns: Vec<ArrayRef> = vec![
        same(&statistic.name),
        same(&statistic.kind),
        same(&statistic.of.join(" / ")),
        same(&statistic.by.join(" / ")),
        texts(&|cell| cell.group.join(" / ")),
        texts(&|cell| cell.label.clone()),
        numbers(&|cell| double(cell.value.as_deref(), Rounding::NearestEven)),
        numbers(&error),
        same(&statistic.unit),
        texts(&|cell| match cell.error_unit.as_str() {
            "" => statistic.unit.clone(),
            unit => unit.to_owned(),
        }),
        numbers(&|_| confidence),
        same(&statistic.mechanism),
        same(&statistic.loss),
        same(&statistic.grid),
        same(&receipt.certificate),
        same(&receipt.plan),
        Arc::new(Int64Array::from_iter_values(cells.iter().map(|_| row))),
        same(&receipt.ledger_hash),
        numbers(&|cell| double(Some(&interval(statistic, cell)?.0), Rounding::Down)),
        numbers(&|cell| double(Some(&interval(statistic, cell)?.1), Rounding::Up)),
        same(&statistic.about.join("; ")),
        maybe(&|cell| cell.value.clone()),
        maybe(&|cell| Some(interval(statistic, cell)?.0)),
        maybe(&|cell| Some(interval(statistic, cell)?.1)),
        flags(&|cell| cell.value.is_none()),
        flags(&|cell| cell.too_noisy),
        flags(&|_| report.invented),
        numbers(&|cell| double(rank_error(cell), Rounding::Up)),
    ];
    for key in keys {
        let place = statistic.by.iter().position(|other| other == key);
        columns.push(maybe(&|cell| {
            place.and_then(|place| cell.group.get(place).cloned())
        }));
    }
    columns
}

/// A published number as a double; nothing if it is a date or a time, or beyond all doubles.
fn double(text: Option<&str>, rounding: Rounding) -> Option<f64> {
    let exact: Rational = text?.parse().ok()?;
    Some(exact.to_f64(rounding)).filter(|double| double.is_finite())
}

/// A double that is at least the error plus the distance from the published value to its double.
fn error(cell: &Cell) -> Option<f64> {
    let exact: Rational = cell.error.as_deref()?.parse().ok()?;
    let moved = || {
        let published: Rational = cell.value.as_deref()?.parse().ok()?;
        let double = Rational::try_from(double(cell.value.as_deref(), Rounding::NearestEven)?);
        Some((&published - &double.ok()?).abs())
    };
    let whole = match cell.error_unit.is_empty() {
        true => &exact + &moved().unwrap_or(Rational::ZERO),
        false => exact,
    };
    Some(whole.to_f64(Rounding::Up)).filter(|double| double.is_finite())
}

#[cfg(test)]
mod tests;
