//! One unit moves the integers that reach the mechanisms by no more than is claimed, from bytes of
//! files on: 10,000 random tables, each without each of its units, in one of many ways to write
//! them.

use std::collections::BTreeSet;
use std::fs;

use super::common::{Cases, Row, by_person, query, rows};
use super::near::assert_near;
use super::reference_engine::reference;
use super::written::Writer;
use lastbit_release::engine::query::{Answer, Query};
use lastbit_release::engine::{Options, answer};
use lastbit_release::plan::{Files, Source, Unit};
use tempfile::TempDir;

/// Texts that a careless reader takes for more than one cell or row.
const HARD: [&str; 5] = ["a,\"b\"\nc", "\"", "\r\n", ";\t", "é\u{feff}"];

struct Reader {
    directory: TempDir,
    writer: Writer,
    threads: usize,
}

impl Reader {
    fn answer(&self, query: &Query, rows: &[Row]) -> Answer {
        fs::write(self.directory.path().join("t"), self.writer.write(rows)).unwrap();
        let query = Query {
            source: Source::Files(Files {
                paths: vec!["t".into()],
                base: self.directory.path().to_owned(),
                format: self.writer.format(),
            }),
            ..query.clone()
        };
        let options = Options {
            threads: self.threads,
            memory: 1 << 22,
        };
        answer(&query, &options).unwrap()
    }
}

/// Compares the answers of neighbours, and, if the reader is sound, each with the reference.
fn compare(tables: u64, seed: u64, sound: bool) {
    let mut cases = Cases(seed);
    let mut reader = Reader {
        directory: TempDir::new().unwrap(),
        writer: Writer::pick(&mut cases),
        threads: 1,
    };
    for _ in 0..tables {
        reader.writer = Writer::pick(&mut cases);
        reader.threads = 1 + cases.below(3) as usize;
        let mut table = rows(&mut cases, 6);
        for row in &mut table {
            if cases.below(8) == 0 {
                row.region = Some(cases.pick(&HARD).to_owned());
            }
        }
        let check = |query: &Query, rows: &[Row]| {
            let found = reader.answer(query, rows);
            if sound {
                assert_eq!(found, reference(rows, query), "{rows:?}");
            }
            found
        };
        let people: BTreeSet<Option<String>> = table.iter().map(|row| row.person.clone()).collect();
        if cases.below(2) == 0 {
            let query = query(Unit::Row);
            let whole = check(&query, &table);
            for index in 0..table.len() {
                let mut without = table.clone();
                without.remove(index);
                assert_near(&whole, &check(&query, &without), 1, 1, 1);
            }
        } else {
            let (most_rows, most_groups) = (1 + cases.below(3), 1 + cases.below(3));
            let query = query(by_person(most_rows, most_groups));
            let whole = check(&query, &table);
            for person in people.into_iter().filter(Option::is_some) {
                let mut without = table.clone();
                without.retain(|row| row.person != person);
                let less = check(&query, &without);
                assert_near(&whole, &less, 1, most_rows, most_groups);
            }
        }
    }
}

#[test]
fn a_unit_moves_no_integer_of_a_written_table_by_more_than_its_claim() {
    compare(10_000, 3, true);
}

/// The same test in a process of its own finds the fault of readers that take statistics for
/// values.
#[test]
fn a_reader_that_believes_statistics_is_caught() {
    const NAME: &str = "engine::neighbours::a_reader_that_believes_statistics_is_caught";
    if std::env::var_os("LASTBIT_PLANTED").is_some() {
        lastbit_release::engine::plant_belief_in_statistics();
        compare(4_000, 4, false);
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture"])
        .env("LASTBIT_PLANTED", "1")
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(101), "the fault was not found");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("near.rs"), "{message}");
}
