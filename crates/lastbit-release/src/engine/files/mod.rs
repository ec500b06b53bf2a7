//! The engine: a query answered from files.
//!
//! Files are cut into pieces (row groups, runs of lines) that threads take from a queue, and become
//! batches of the columns that the query names. Every value comes from where it is written: no
//! statistics, index or summary ever stands in for it. Each cell becomes an integer on its public
//! grid, each unit keeps the rows that a keyed hash chooses, and integers are summed exactly. So
//! the answer is the same, bit for bit, whatever the number of threads, the order of rows and
//! files, and the format.
//!
//! Memory is bounded: batches are of limited bytes, however long or wide rows are; rows that wait
//! for the rest of their unit go to disk beyond [`Options::memory`]; what cannot (groups that the
//! data decide, pages of Parquet) is refused beyond it.

mod bound;
pub(crate) mod cells;
mod declared;
mod derive;
mod encode;
mod error;
mod fingerprint;
mod fold;
mod intern;
mod join;
mod memo;
mod memory;
mod memory_fingerprint;
mod parquet;
mod paths;
mod run;
mod table;
mod text;
mod worker;
mod written;

pub use declared::{check_names, declared, declared_from, delimiter};
pub use error::EngineError;
pub use fingerprint::{fingerprint, query_fingerprint};
pub use memory::MemoryTable;
pub use memory_fingerprint::memory_fingerprint;
#[cfg(any(test, feature = "test-entropy"))]
pub use parquet::plant_belief_in_statistics;
pub use paths::files;
pub use run::{OnProgress, check, check_memory, scan, scan_memory, scan_until};
#[cfg(any(test, feature = "test-entropy"))]
pub use run::{answer, answer_batches};

use std::thread;

/// Rows of text longer than 16 MiB are refused: such a file has an open quote or another format.
pub const MOST_ROW_BYTES: u64 = 16 << 20;

/// How a query is run. Nothing here changes the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Threads that read and sum.
    pub threads: usize,
    /// About how many bytes of rows and groups are held in memory.
    pub memory: usize,
}

impl Default for Options {
    /// As many threads as the machine has, and 1 GiB.
    fn default() -> Options {
        Options {
            threads: thread::available_parallelism().map_or(1, usize::from),
            memory: 1 << 30,
        }
    }
}

/// How far a scan is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScanProgress {
    /// Rows read.
    pub rows: u64,
    /// About which part of the table that is, from 0 to 1, if it is known.
    pub fraction: Option<f64>,
}
