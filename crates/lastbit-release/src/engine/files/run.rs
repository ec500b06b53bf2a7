//! From a query to its answer.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arrow_array::RecordBatch;

use super::join::joined;
use super::memory::MemoryTable;
use super::table::{Piece, ScanTable};
use super::worker::{Shared, Worker};
use super::{EngineError, Options, ScanProgress};
use crate::clean::shown;
use crate::expression::Expression;
use crate::query::{Answer, Query, Sealed};

/// Called from any of the threads, once for each batch of some thousand rows.
pub type OnProgress = Arc<dyn Fn(ScanProgress) + Send + Sync>;

/// Answers a query with exact integers, sealed until noise that was paid for is added.
///
/// Starts its own threads and waits for them.
pub fn scan(
    query: &Query,
    options: &Options,
    progress: OnProgress,
) -> Result<Sealed<Answer>, EngineError> {
    scan_until(query, options, progress, &AtomicBool::new(false))
}

/// [`scan`], given up with [`EngineError::Stopped`] soon after `stop` becomes true.
pub fn scan_until(
    query: &Query,
    options: &Options,
    progress: OnProgress,
    stop: &AtomicBool,
) -> Result<Sealed<Answer>, EngineError> {
    exact(query, options, progress, stop).map(Sealed::new)
}

/// [`scan_until`] of a table in memory; the query's source is not read.
pub fn scan_memory(
    table: &MemoryTable,
    query: &Query,
    options: &Options,
    progress: OnProgress,
    stop: &AtomicBool,
) -> Result<Sealed<Answer>, EngineError> {
    no_joins(query)?;
    let run = Shared::new(query, options)?;
    let table = ScanTable::of_memory(table, &run, options)?;
    finish(&run, &table, progress, stop).map(Sealed::new)
}

/// [`check`] of a table in memory.
pub fn check_memory(table: &MemoryTable, query: &Query) -> Result<(), EngineError> {
    no_joins(query)?;
    let options = Options::default();
    let run = Shared::new(query, &options)?;
    let table = ScanTable::of_memory(table, &run, &options);
    table.map(|_| ()).map_err(|error| explained(error, query))
}

/// A plan's joined tables are files, which are neither fingerprinted nor read for a table in
/// memory.
fn no_joins(query: &Query) -> Result<(), EngineError> {
    match query.derive.joins.is_empty() {
        true => Ok(()),
        false => Err(EngineError::JoinedMemory),
    }
}

/// Whether the query can be asked of its source, as far as that shows before any row counts: the
/// files exist, and have the columns, in types that can be read. It takes no time to speak of,
/// where a scan does.
pub fn check(query: &Query) -> Result<(), EngineError> {
    let options = Options::default();
    let query = &*joined(query, &options, false)?;
    let run = Shared::new(query, &options)?;
    open(query, &run, &options).map(|_| ())
}

fn open(query: &Query, run: &Shared, options: &Options) -> Result<ScanTable, EngineError> {
    let table = ScanTable::open(&query.source, run, options);
    table.map_err(|error| explained(error, query))
}

/// Says why an expression of the plan asks for a column that is not there.
fn explained(error: EngineError, query: &Query) -> EngineError {
    let Some(column) = error.unknown_column() else {
        return error;
    };
    let derive = &query.derive;
    let name = shown(column);
    if derive.columns.iter().any(|(other, _)| other == column) {
        return error.explained(format!(
            "`{name}` is computed in the plan, and here it must be a column of the files: `where` \
             in [source], `as` of other columns and conditions of shares see no computed column. \
             Write the expression of `{name}` there, or use it in `where` of a statistic"
        ));
    }
    let of_tables = query.tables.iter().filter_map(|t| t.scope.filter.as_ref());
    let of_columns = derive.columns.iter().map(|(_, expression)| expression);
    let expressions = derive.filter.iter().chain(of_columns).chain(of_tables);
    let mut named = expressions.flat_map(Expression::columns);
    // A name that is almost one of the columns is a mistake of another sort.
    match named.any(|other| other == column) && !error.to_string().contains("did you mean") {
        true => error.explained(format!(
            "in an expression a text is written in single quotes: '{name}'"
        )),
        false => error,
    }
}

/// The unprotected answer, for tests.
#[cfg(any(test, feature = "test-entropy"))]
pub fn answer(query: &Query, options: &Options) -> Result<Answer, EngineError> {
    exact(query, options, Arc::new(|_| {}), &AtomicBool::new(false))
}

/// The unprotected answer over batches in memory, for tests: as [`scan_memory`] finds it.
#[cfg(any(test, feature = "test-entropy"))]
pub fn answer_batches(
    query: &Query,
    batches: &[RecordBatch],
    options: &Options,
) -> Result<Answer, EngineError> {
    let run = Shared::new(query, options)?;
    let Some(first) = batches.first() else {
        return run.finish(vec![run.worker()]);
    };
    let table = MemoryTable::new(first.schema(), batches.to_vec())?;
    let table = ScanTable::of_memory(&table, &run, options)?;
    finish(&run, &table, Arc::new(|_| {}), &AtomicBool::new(false))
}

fn exact(
    query: &Query,
    options: &Options,
    progress: OnProgress,
    stop: &AtomicBool,
) -> Result<Answer, EngineError> {
    let query = &*joined(query, options, true)?;
    let run = Shared::new(query, options)?;
    let table = open(query, &run, options)?;
    finish(&run, &table, progress, stop)
}

fn finish(
    run: &Shared,
    table: &ScanTable,
    progress: OnProgress,
    stop: &AtomicBool,
) -> Result<Answer, EngineError> {
    let (pieces, threads) = table.pieces()?;
    let workers = read(run, table, &pieces, threads, progress, stop)?;
    run.finish(workers)
}

/// Each of some threads takes one piece after the other.
fn read(
    run: &Shared,
    table: &ScanTable,
    pieces: &[Piece],
    threads: usize,
    progress: OnProgress,
    stop: &AtomicBool,
) -> Result<Vec<Worker>, EngineError> {
    let next = AtomicUsize::new(0);
    // The first piece that has an error, and its error. Pieces before it are read to their ends, so
    // that the error is the one that a single thread would find.
    let first_failed = AtomicUsize::new(usize::MAX);
    let failed: Mutex<Option<(usize, EngineError)>> = Mutex::new(None);
    let rows = AtomicU64::new(0);
    let report = |batch: &RecordBatch| {
        let more = batch.num_rows() as u64;
        let rows = rows.fetch_add(more, Ordering::Relaxed) + more;
        progress(ScanProgress {
            rows,
            fraction: table.fraction(rows),
        });
    };
    let work = || {
        let mut worker = run.worker();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let is_in_vain = || first_failed.load(Ordering::Relaxed) < index;
            let Some(piece) = pieces.get(index).filter(|_| !is_in_vain()) else {
                break;
            };
            let mut gave_up = false;
            let done = table.read(piece, |batch| {
                worker.add(batch)?;
                report(batch);
                if stop.load(Ordering::Relaxed) {
                    return Err(EngineError::Stopped);
                }
                gave_up = is_in_vain();
                match gave_up {
                    true => Err(EngineError::Engine("another thread failed".into())),
                    false => Ok(()),
                }
            });
            if let Err(error) = done {
                if gave_up {
                    break;
                }
                first_failed.fetch_min(index, Ordering::Relaxed);
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(other, _)| index < *other) {
                    *failed = Some((index, error));
                }
            }
        }
        worker
    };
    let threads = threads.min(pieces.len()).max(1);
    let workers: Result<Vec<Worker>, EngineError> = if threads == 1 {
        Ok(vec![work()])
    } else {
        thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            running
                .into_iter()
                .map(|thread| thread.join())
                .map(|worker| worker.map_err(|_| EngineError::Engine("a thread failed".into())))
                .collect()
        })
    };
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed {
        Some((_, error)) => Err(error),
        None => workers,
    }
}
