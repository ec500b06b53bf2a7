//! The engine beside a plain computation that shares none of its code.
#![cfg(feature = "datafusion")]

mod engine_common;

use std::collections::{BTreeMap, HashMap};
use std::hash::Hasher;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use engine_common::{Cases, LONG_ID, Row, batches, by_person, query, rows, whole_people};
use lastbit_exact::IBig;
use lastbit_release::engine::{Options, answer_batches};
use lastbit_release::query::{
    Aggregate, Answer, Bins, Categories, Exact, Group, Key, KeyValue, Missing, Numeric, Query,
    Table, Unit,
};
use siphasher::sip::SipHasher24;

fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    let cell = match column {
        "region" => &row.region,
        _ => &row.age,
    };
    cell.as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

fn offset(row: &Row, numeric: &Numeric) -> Option<u64> {
    let number = match numeric.column.as_str() {
        "cost" => row.cost,
        _ => row.age.as_deref().and_then(|text| match text.trim() {
            "true" => Some(1.0),
            digits => digits.parse::<f64>().ok(),
        }),
    };
    let number = number.filter(|number| !number.is_nan());
    let number = number.or(match numeric.missing {
        Missing::Drop => None,
        Missing::Value(value) => Some(value),
    })?;
    // The grids of the test have small integers and quarters: these doubles are exact.
    let (lower, upper) = numeric.grid.bounds_in_steps();
    let steps = (number * 2f64.powi(-numeric.grid.exponent())).clamp(lower as f64, upper as f64);
    Some(((steps + 0.5).floor() as i64 - lower) as u64)
}

fn bin(row: &Row, bins: &Bins) -> Option<u64> {
    let (lower, _) = bins.numeric.grid.bounds_in_steps();
    let steps = offset(row, &bins.numeric)? as i64 + lower;
    let last = bins.edges.len() - 2;
    let found = (0..last).find(|i| steps < bins.edges[i + 1]);
    Some(found.unwrap_or(last) as u64)
}

fn category(row: &Row, categories: &Categories) -> Option<u64> {
    let found = categories
        .names
        .iter()
        .position(|name| text(row, &categories.column) == Some(name));
    found.or(categories.other).map(|place| place as u64)
}

fn key(row: &Row, table: &Table) -> Option<Vec<KeyValue>> {
    let value = |key: &Key| match key {
        Key::Categories(categories) => {
            category(row, categories).map(|code| KeyValue::Public(code as usize))
        }
        Key::Bins(bins) => bin(row, bins).map(|code| KeyValue::Public(code as usize)),
        Key::Discovered { column } => {
            text(row, column).map(|text| KeyValue::Discovered(text.to_owned()))
        }
    };
    table.keys.iter().map(value).collect()
}

/// The words of a row that the aggregates of a table use, in the order in which the query first names them.
fn words(row: &Row, query: &Query, table: &Table) -> Vec<u64> {
    let mut seen: Vec<(String, u64)> = Vec::new();
    let mut see = |name: String, word: Option<u64>| {
        if !seen.iter().any(|(known, _)| *known == name) {
            seen.push((name, word.unwrap_or(u64::MAX)));
        }
    };
    // Keys and aggregates of all tables give the order; those that this table does not use are left out below.
    let mut used = Vec::new();
    for other in &query.tables {
        for key in &other.keys {
            match key {
                Key::Categories(c) => see(format!("{c:?}"), category(row, c)),
                Key::Bins(b) => see(format!("{b:?}"), bin(row, b)),
                Key::Discovered { .. } => {}
            }
        }
        for aggregate in &other.aggregates {
            let mut name = |name: String, word: Option<u64>| {
                see(name.clone(), word);
                if std::ptr::eq(other, table) {
                    used.push(name);
                }
            };
            match aggregate {
                Aggregate::Rows => {}
                Aggregate::Moments(x) | Aggregate::Offsets(x) => {
                    name(format!("{x:?}"), offset(row, x));
                }
                Aggregate::Products(x, y) => {
                    name(format!("{x:?}"), offset(row, x));
                    name(format!("{y:?}"), offset(row, y));
                }
                Aggregate::Bins(b) => name(format!("{b:?}"), bin(row, b)),
                Aggregate::Categories(c) => name(format!("{c:?}"), category(row, c)),
            }
        }
    }
    seen.retain(|(name, _)| used.contains(name));
    seen.into_iter().map(|(_, word)| word).collect()
}

fn hash(query: &Query, words: &[u64]) -> u64 {
    let mut key = [0; 16];
    key.copy_from_slice(&query.hash_key[..16]);
    let mut hasher = SipHasher24::new_with_key(&key);
    words
        .iter()
        .for_each(|word| hasher.write(&word.to_le_bytes()));
    hasher.finish()
}

fn person_id(name: &str, query: &Query) -> [u64; 2] {
    let whole = ["1", "2", "-3"].contains(&name);
    if whole {
        return [name.parse::<i64>().unwrap() as u64, 0xfe << 56];
    }
    let mut bytes = [0; 16];
    if name == LONG_ID {
        bytes.copy_from_slice(
            &blake3::keyed_hash(&query.hash_key, name.as_bytes()).as_bytes()[..16],
        );
        bytes[7] &= 0x7f;
        bytes[15] = 0xff;
    } else {
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        bytes[15] = name.len() as u8;
    }
    let word = |range: std::ops::Range<usize>| u64::from_le_bytes(bytes[range].try_into().unwrap());
    [word(0..8), word(8..16)]
}

/// What a group is to the hash: its public number and the hash of its discovered texts.
fn group_words(key: &[KeyValue], table: &Table, query: &Query) -> [u64; 2] {
    let mut public = 0;
    let mut texts = Vec::new();
    for (value, key) in key.iter().zip(&table.keys) {
        let values = match key {
            Key::Categories(categories) => categories.names.len() as u64,
            Key::Bins(bins) => bins.edges.len() as u64 - 1,
            Key::Discovered { .. } => 1,
        };
        match value {
            KeyValue::Public(code) => public = public * values + *code as u64,
            KeyValue::Discovered(text) => texts.push(text.clone()),
        }
    }
    if texts.is_empty() {
        return [public, 0];
    }
    let lengths: String = texts[..texts.len() - 1]
        .iter()
        .map(|text| format!("{}:", text.len()))
        .collect();
    let joined = lengths + &texts.concat();
    let hash = blake3::keyed_hash(&query.hash_key, joined.as_bytes());
    [
        public,
        u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap()),
    ]
}

/// The rows of a table that count, by group.
fn counted<'a>(
    rows: &'a [Row],
    query: &Query,
    table: &Table,
) -> BTreeMap<Vec<KeyValue>, Vec<&'a Row>> {
    let mut groups: BTreeMap<Vec<KeyValue>, Vec<&Row>> = BTreeMap::new();
    let Unit::Column {
        most_rows,
        most_groups,
        ..
    } = query.unit
    else {
        for row in rows {
            if let Some(key) = key(row, table) {
                groups.entry(key).or_default().push(row);
            }
        }
        return groups;
    };
    let mut people: HashMap<&str, BTreeMap<Vec<KeyValue>, Vec<&Row>>> = HashMap::new();
    for row in rows {
        if let (Some(person), Some(key)) = (row.person.as_deref(), key(row, table)) {
            people
                .entry(person)
                .or_default()
                .entry(key)
                .or_default()
                .push(row);
        }
    }
    for (person, theirs) in people {
        let [a, b] = person_id(person, query);
        let mut theirs: Vec<_> = theirs.into_iter().collect();
        theirs.sort_by_key(|(key, _)| {
            let [c, d] = group_words(key, table, query);
            hash(query, &[0, a, b, c, d])
        });
        for (key, rows) in theirs.into_iter().take(most_groups as usize) {
            let [c, d] = group_words(&key, table, query);
            let mut copies: HashMap<Vec<u64>, u64> = HashMap::new();
            let mut ranked: Vec<(u64, &Row)> = rows
                .into_iter()
                .map(|row| {
                    let words = words(row, query, table);
                    let copy = copies.entry(words.clone()).or_insert(0);
                    let all = [vec![1, a, b, c, d], words, vec![*copy]].concat();
                    *copy += 1;
                    (hash(query, &all), row)
                })
                .collect();
            ranked.sort_by_key(|(rank, _)| *rank);
            let stay = ranked
                .into_iter()
                .take(most_rows as usize)
                .map(|(_, row)| row);
            groups.entry(key).or_default().extend(stay);
        }
    }
    groups
}

fn exact(rows: &[&Row], aggregate: &Aggregate) -> Exact {
    let big =
        |words: Vec<u64>| IBig::from(words.iter().map(|word| u128::from(*word)).sum::<u128>());
    let counts = |codes: Vec<u64>, values: usize| {
        let count = |value| codes.iter().filter(|code| **code == value as u64).count() as u64;
        Exact::Counts((0..values).map(count).collect())
    };
    match aggregate {
        Aggregate::Rows => Exact::Rows(rows.len() as u64),
        Aggregate::Moments(x) => {
            let x: Vec<u64> = rows.iter().filter_map(|row| offset(row, x)).collect();
            Exact::Moments {
                rows: x.len() as u64,
                sum: big(x.clone()),
                squares: big(x.iter().map(|x| x * x).collect()),
            }
        }
        Aggregate::Products(x, y) => {
            let both = |row: &&Row| Some((offset(row, x)?, offset(row, y)?));
            let both: Vec<(u64, u64)> = rows.iter().filter_map(both).collect();
            Exact::Products {
                rows: both.len() as u64,
                sum_x: big(both.iter().map(|both| both.0).collect()),
                sum_y: big(both.iter().map(|both| both.1).collect()),
                products: big(both.iter().map(|both| both.0 * both.1).collect()),
            }
        }
        Aggregate::Bins(bins) => counts(
            rows.iter().filter_map(|row| bin(row, bins)).collect(),
            bins.edges.len() - 1,
        ),
        Aggregate::Categories(categories) => counts(
            rows.iter()
                .filter_map(|row| category(row, categories))
                .collect(),
            categories.names.len(),
        ),
        Aggregate::Offsets(x) => {
            let mut offsets = BTreeMap::new();
            for word in rows.iter().filter_map(|row| offset(row, x)) {
                *offsets.entry(word).or_insert(0) += 1;
            }
            Exact::Offsets(offsets.into_iter().collect())
        }
    }
}

fn reference(rows: &[Row], query: &Query) -> Answer {
    let table = |table: &Table| {
        let mut groups = counted(rows, query, table);
        if !table
            .keys
            .iter()
            .any(|key| matches!(key, Key::Discovered { .. }))
        {
            let mut all = vec![vec![]];
            for key in &table.keys {
                let values = match key {
                    Key::Categories(categories) => categories.names.len(),
                    Key::Bins(bins) => bins.edges.len() - 1,
                    Key::Discovered { .. } => 0,
                };
                all = all
                    .into_iter()
                    .flat_map(|prefix: Vec<KeyValue>| {
                        (0..values)
                            .map(move |v| [prefix.clone(), vec![KeyValue::Public(v)]].concat())
                    })
                    .collect();
            }
            for key in all {
                groups.entry(key).or_default();
            }
        }
        groups
            .into_iter()
            .map(|(key, rows)| Group {
                key,
                values: table.aggregates.iter().map(|a| exact(&rows, a)).collect(),
            })
            .collect()
    };
    Answer {
        rows: rows.len() as u64,
        tables: query.tables.iter().map(table).collect(),
    }
}

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
    assert!(groups.iter().all(|group| group.values == [Exact::Rows(1)]));
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
