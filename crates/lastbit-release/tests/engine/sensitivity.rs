//! One unit moves the integers that reach the mechanisms by no more than is claimed: 10,000 random
//! tables and all their neighbours.

use std::collections::BTreeSet;

use super::common::{Cases, Row, batches, by_person, query, row, rows};
use super::near::assert_near;
use lastbit_release::engine::query::{Answer, Query};
use lastbit_release::engine::{Options, answer_batches};
use lastbit_release::plan::Unit;

fn answer(query: &Query, rows: &[Row], threads: usize) -> Answer {
    let options = Options {
        threads,
        memory: 1 << 20,
    };
    answer_batches(query, &batches(rows, 3), &options).unwrap()
}

#[test]
fn a_row_moves_no_integer_by_more_than_its_claim() {
    let mut cases = Cases(1);
    let query = query(Unit::Row);
    for _ in 0..5_000 {
        let table = rows(&mut cases, 6);
        let whole = answer(&query, &table, 1);
        for index in 0..table.len() {
            let mut without = table.clone();
            let gone = without.remove(index);
            assert_near(&whole, &answer(&query, &without, 1), 1, 1, 1);
            without.insert(index / 2, row(&mut cases, gone.person));
            assert_near(&whole, &answer(&query, &without, 1), 2, 1, 1);
        }
    }
}

#[test]
fn a_person_moves_no_integer_by_more_than_the_claim() {
    let mut cases = Cases(2);
    for _ in 0..5_000 {
        let (most_rows, most_groups) = (1 + cases.below(3), 1 + cases.below(3));
        let query = query(by_person(most_rows, most_groups));
        let table = rows(&mut cases, 14);
        let threads = 1 + cases.below(3) as usize;
        let whole = answer(&query, &table, threads);
        let people: BTreeSet<Option<String>> = table.iter().map(|row| row.person.clone()).collect();
        for person in people {
            let mut without = table.clone();
            without.retain(|row| row.person != person);
            let less = answer(&query, &without, 1);
            if person.is_none() {
                assert_eq!(whole.tables, less.tables, "rows of nobody count nowhere");
                continue;
            }
            assert_near(&whole, &less, 1, most_rows, most_groups);
            for _ in 0..cases.below(9) {
                let new = row(&mut cases, person.clone());
                without.insert(cases.below(without.len() as u64 + 1) as usize, new);
            }
            assert_near(
                &whole,
                &answer(&query, &without, 1),
                2,
                most_rows,
                most_groups,
            );
        }
    }
}
