//! One file for each kind of input. A target is `run(&[u8])`: it may refuse, it must not panic.

pub mod certificate;
pub mod ledger;
pub mod number;
pub mod plan;
pub mod program;
pub mod report;
pub mod select;
pub mod table;

/// A function that reads bytes from outside, and inputs to begin with.
pub struct Target {
    /// The name of its corpus and of its test.
    pub name: &'static str,
    /// Reads; a panic is a fault.
    pub run: fn(&[u8]),
    /// Inputs that are accepted, or nearly.
    pub corpus: fn() -> Vec<Vec<u8>>,
}

macro_rules! targets {
    ($($name:literal: $run:path, $corpus:path;)*) => {
        /// All of them.
        pub const TARGETS: &[Target] = &[$(Target { name: $name, run: $run, corpus: $corpus },)*];
    };
}

targets! {
    "certificate": certificate::run, certificate::corpus;
    "csv": table::csv, table::csv_corpus;
    "json": table::json, table::json_corpus;
    "ledger": ledger::run, ledger::corpus;
    "number": number::run, number::corpus;
    "parquet": table::parquet, table::parquet_corpus;
    "plan": plan::run, plan::corpus;
    "program": program::run, program::corpus;
    "report": report::run, report::corpus;
    "select": select::run, select::corpus;
}

/// The texts of files of this tree.
macro_rules! texts {
    ($($path:literal),* $(,)?) => {
        vec![$(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", $path)).to_vec()),*]
    };
}
use texts;
