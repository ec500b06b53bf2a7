//! From a query to its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::stats::Precision;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::execute_stream_partitioned;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use futures::StreamExt;
use tokio::runtime;
use tokio::task::JoinSet;

use super::table::{ScanTable, engine_error, table};
use super::worker::{Run, Worker};
use super::{EngineError, Options, Progress};
use crate::ledger::Reserved;
use crate::query::{Answer, Query, Sealed};

/// Called from any of the threads, once for each batch of some thousand rows.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// Answers a query with exact integers, sealed until noise that was paid for is added.
///
/// Starts its own threads and waits for them: call it outside of asynchronous code.
pub fn scan(
    query: &Query,
    reserved: &Reserved,
    options: &Options,
    progress: OnProgress,
) -> Result<Sealed<Answer>, EngineError> {
    exact(query, options, progress).map(|answer| Sealed::new(answer, reserved))
}

/// Whether the query can be asked of its source, as far as that shows before any row counts: the files exist, and have the columns,
/// in types that can be read. Call it before a reservation, so that a wrong name costs nothing.
pub fn check(query: &Query) -> Result<(), EngineError> {
    let run = Run::new(query, &Options::default())?;
    let table = runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| EngineError::Engine(error.to_string()))?
        .block_on(table(&query.source, run.columns(), 1))?;
    let schema = Arc::new(table.frame.schema().as_arrow().clone());
    run.worker().add(&RecordBatch::new_empty(schema))
}

/// The unprotected answer, for tests.
#[cfg(any(test, feature = "test-entropy"))]
pub fn answer(query: &Query, options: &Options) -> Result<Answer, EngineError> {
    exact(query, options, Arc::new(|_| {}))
}

fn exact(query: &Query, options: &Options, progress: OnProgress) -> Result<Answer, EngineError> {
    let run = Run::new(query, options)?;
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(run.threads)
        .build()
        .map_err(|error| EngineError::Engine(error.to_string()))?;
    let workers = runtime.block_on(async {
        let table = table(&query.source, run.columns(), run.threads).await?;
        read(&run, table, progress).await
    })?;
    run.finish(workers)
}

/// Gives each stream of the table to a worker.
async fn read(
    run: &Run,
    table: ScanTable,
    progress: OnProgress,
) -> Result<Vec<Worker>, EngineError> {
    let ScanTable { frame, bytes, read } = table;
    let context = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await.map_err(engine_error)?;
    let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new());
    let total = match statistics.map(|known| known.num_rows) {
        Ok(Precision::Exact(rows)) => Some(rows as u64),
        _ => None,
    };
    let rows = AtomicU64::new(0);
    let report: Arc<dyn Fn(usize) + Send + Sync> = Arc::new(move |more| {
        let rows = rows.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        let (done, all) = match bytes {
            Some(bytes) => (read.load(Ordering::Relaxed), Some(bytes)),
            None => (rows, total),
        };
        let part = all.map(|all| done as f64 / all.max(1) as f64);
        progress(Progress {
            rows,
            fraction: part.map(|part| part.min(1.0)),
        });
    });
    let mut tasks = JoinSet::new();
    for stream in execute_stream_partitioned(plan, context).map_err(engine_error)? {
        tasks.spawn(consume(run.worker(), stream, Arc::clone(&report)));
    }
    let mut workers = Vec::new();
    // Dropping the set, on an error, ends the other tasks.
    while let Some(worker) = tasks.join_next().await {
        workers.push(worker.map_err(|error| EngineError::Engine(error.to_string()))??);
    }
    Ok(workers)
}

async fn consume(
    mut worker: Worker,
    mut stream: SendableRecordBatchStream,
    report: Arc<dyn Fn(usize) + Send + Sync>,
) -> Result<Worker, EngineError> {
    while let Some(batch) = stream.next().await {
        let batch = batch.map_err(engine_error)?;
        worker.add(&batch)?;
        report(batch.num_rows());
    }
    Ok(worker)
}
