//! The engine beside a plain computation that shares none of its code.

use std::sync::Arc;

use super::common::{Cases, batches, by_person, query, rows, whole_people};
use super::reference_engine::reference;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use lastbit_release::engine::query::{Aggregate, Aggregated, Key, Query, Table};
use lastbit_release::engine::{Options, answer_batches};
use lastbit_release::plan::Unit;

#[test]
fn the_engine_agrees_with_a_plain_computation_whatever_the_order_and_the_threads() {
    let mut cases = Cases(3);
    for case in 0..1_500 {
        let unit = match case % 3 {
            0 => Unit::Row,
            _ => by_person(1 + cases.below(4), 1 + cases.below(4)),
        };
        let query = query(unit);
        let mut table = rows(&mut cases, 60);
        let expected = reference(&table, &query);
        for threads in [1, 2, 7] {
            let options = Options {
                threads,
                memory: 1 << 20,
            };
            let size = 1 + cases.below(20) as usize;
            let found = answer_batches(&query, &batches(&table, size), &options).unwrap();
            assert_eq!(found, expected, "case {case}, {threads} threads");
            for index in (1..table.len()).rev() {
                table.swap(index, cases.below(index as u64 + 1) as usize);
            }
        }
    }
}

#[test]
fn rows_on_disk_count_like_rows_in_memory() {
    let mut cases = Cases(4);
    let query = query(by_person(3, 2));
    let mut table = rows(&mut cases, 60_000);
    while table.len() < 30_000 {
        table.extend(rows(&mut cases, 60_000));
    }
    table.truncate(30_000);
    let batches = batches(&table, 500);
    let run = |memory| answer_batches(&query, &batches, &Options { threads: 3, memory });
    assert_eq!(run(3 << 19).unwrap(), run(1 << 30).unwrap());
    let error = run(1 << 18).unwrap_err().to_string();
    assert!(error.contains("allow more memory"), "{error}");
}

#[test]
fn a_million_groups_are_answered_or_refused_for_their_memory() {
    let keys: Int64Array = (0..1_000_000).collect();
    let batch = RecordBatch::try_from_iter([("region", Arc::new(keys) as ArrayRef)]).unwrap();
    let batches: Vec<_> = (0..100).map(|i| batch.slice(i * 10_000, 10_000)).collect();
    let query = Query {
        tables: vec![Table {
            scope: Default::default(),
            keys: vec![Key::Discovered {
                column: "region".into(),
            }],
            aggregates: vec![Aggregate::Rows],
        }],
        ..query(Unit::Row)
    };
    let run = |memory| answer_batches(&query, &batches, &Options { threads: 2, memory });
    let groups = &run(1 << 30).unwrap().tables[0];
    assert_eq!(groups.len(), 1_000_000);
    assert!(
        groups
            .iter()
            .all(|group| group.values == [Aggregated::Rows(1)])
    );
    assert!(groups.is_sorted_by(|a, b| a.key < b.key));
    let error = run(1 << 20).unwrap_err().to_string();
    assert!(error.contains("discovered keys"), "{error}");
}

#[test]
fn a_person_is_the_same_as_text_with_spaces_and_as_number() {
    let mut cases = Cases(5);
    let query = query(by_person(2, 1));
    for _ in 0..200 {
        let mut table = rows(&mut cases, 30);
        table.retain(|row| {
            row.person
                .as_deref()
                .is_none_or(|name| ["1", "2", "-3"].contains(&name))
        });
        let text = batches(&table, 100);
        let whole: Vec<_> = text.iter().map(whole_people).collect();
        let run = |batches| answer_batches(&query, batches, &Options::default()).unwrap();
        assert_eq!(run(&text), run(&whole));
        for name in table.iter_mut().filter_map(|row| row.person.as_mut()) {
            *name = format!(" {name}");
        }
        assert_eq!(run(&batches(&table, 100)), run(&text));
    }
}
