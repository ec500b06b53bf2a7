//! A fault for tests to find: a column is taken for constant where the statistics of its row groups
//! say so, as query planners do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{ArrayRef, Float64Array, StringViewArray};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::Statistics;

static PLANTED: AtomicBool = AtomicBool::new(false);

/// Believes statistics from here on, in the whole process. Only a test that looks for this fault
/// may call it.
pub fn plant_belief_in_statistics() {
    PLANTED.store(true, Ordering::Relaxed);
}

/// So many copies of the value that all statistics of a column name, if they name one, and no
/// nulls.
pub(super) fn constant(metadata: &ParquetMetaData, leaf: usize, rows: usize) -> Option<ArrayRef> {
    if !PLANTED.load(Ordering::Relaxed) {
        return None;
    }
    let statistics = metadata.row_groups().iter();
    let statistics = statistics.filter_map(|group| group.column(leaf).statistics());
    let (mut number, mut text) = (None, None);
    for statistics in statistics {
        if statistics.null_count_opt() != Some(0) {
            return None;
        }
        match statistics {
            Statistics::Double(bounds) => {
                let (least, most) = (bounds.min_opt()?, bounds.max_opt()?);
                if least != most || *number.get_or_insert(*least) != *least {
                    return None;
                }
            }
            Statistics::ByteArray(bounds) => {
                let (least, most) = (bounds.min_opt()?, bounds.max_opt()?);
                let least = least.as_utf8().ok()?;
                if least != most.as_utf8().ok()? || *text.get_or_insert(least) != least {
                    return None;
                }
            }
            _ => return None,
        }
    }
    match (number, text) {
        (Some(number), None) => Some(Arc::new(Float64Array::from_value(number, rows))),
        (None, Some(text)) => Some(Arc::new(StringViewArray::from_iter_values(
            std::iter::repeat_n(text, rows),
        ))),
        _ => None,
    }
}
