//! Parquet files, which Spark reads.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;

pub fn write_parquet(path: &Path, batch: &RecordBatch) {
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// A column of texts.
pub fn texts(cells: &[Option<&str>]) -> ArrayRef {
    Arc::new(cells.iter().copied().collect::<StringArray>())
}

/// The rows of the clinic, with the types that a table would have.
pub fn clinic_batch() -> RecordBatch {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clinic/visits.csv.gz");
    let unpacked = Command::new("gzip").arg("-dc").arg(file).output().unwrap();
    assert!(unpacked.status.success());
    let text = String::from_utf8(unpacked.stdout).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(
        rows.iter().all(|row| row.len() == names.len()),
        "a quoted cell"
    );
    let cells = |place: usize| -> Vec<Option<&str>> {
        let cell = |row: &Vec<_>| Some(row[place]).filter(|cell: &&str| !cell.is_empty());
        rows.iter().map(cell).collect()
    };
    let column = |(place, name): (usize, &&str)| -> (String, ArrayRef, bool) {
        let cells = cells(place);
        let numbers = cells
            .iter()
            .map(|cell| cell.map(|cell| cell.parse::<f64>()));
        let array: ArrayRef = match *name {
            "age" => Arc::new(
                numbers
                    .map(|x| x.map(Result::unwrap))
                    .collect::<Float64Array>(),
            ),
            "days" => Arc::new(
                numbers
                    .map(|x| x.map(|x| x.unwrap() as i32))
                    .collect::<Int32Array>(),
            ),
            _ => texts(&cells),
        };
        ((*name).to_owned(), array, true)
    };
    let columns = names.iter().enumerate().map(column);
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}
