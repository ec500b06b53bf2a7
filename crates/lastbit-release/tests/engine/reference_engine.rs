//! A plain computation of every answer, which shares no code with the engine.

use std::collections::{BTreeMap, HashMap};

use lastbit::statistics::Grid;
use lastbit_exact::{Integer, Rational, Rounding};
use lastbit_release::engine::query::{
    Aggregate, Aggregated, Answer, Group, Key, KeyValue, Query, Table,
};
use lastbit_release::plan::{Categories, Missing, Numbers, Unit};
use sha2::{Digest, Sha256};

use super::common::Row;

fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    let cell = match column {
        "region" => &row.region,
        _ => &row.age,
    };
    // Of all that the tables say, one number is spelled in another way than its value is.
    match cell.as_deref().map(str::trim)? {
        "" => None,
        "1e3" => Some("1000"),
        text => Some(text),
    }
}

fn number(row: &Row, column: &str, missing: &Missing) -> Option<f64> {
    let number = match column {
        "cost" => row.cost,
        _ => row.age.as_deref().and_then(|text| match text.trim() {
            "true" => Some(1.0),
            digits => digits.parse::<f64>().ok(),
        }),
    };
    number.filter(|number| !number.is_nan()).or(match missing {
        Missing::Drop => None,
        Missing::Value(value) => Some(value.to_f64(Rounding::NearestEven)),
    })
}

/// What a word is made from.
fn name(kind: &str, numbers: &Numbers) -> String {
    format!("{kind} {} {:?}", numbers.column, numbers.missing)
}

fn fine_offset(row: &Row, numbers: &Numbers) -> Option<u64> {
    offset_on(row, numbers, &numbers.fine)
}

fn offset(row: &Row, numbers: &Numbers) -> Option<u64> {
    offset_on(row, numbers, &numbers.grid)
}

fn offset_on(row: &Row, numbers: &Numbers, grid: &Grid) -> Option<u64> {
    let number = number(row, &numbers.column, &numbers.missing)?;
    // The grids of the test have at most 2^51 steps from zero: half a step more is a double, and so
    // is every cell in steps.
    let (lower, upper) = grid.bounds_in_steps();
    let steps =
        (number * 2f64.powi(-grid.exponent().get() as i32)).clamp(lower as f64, upper as f64);
    Some(((steps + 0.5).floor() as i64 - lower) as u64)
}

fn bin(row: &Row, numbers: &Numbers) -> Option<u64> {
    let number = number(row, &numbers.column, &numbers.missing)?;
    let edges = numbers.edges.as_ref().unwrap();
    let inner = &edges[1..edges.len() - 1];
    let below = |edge: &&Rational| edge.to_f64(Rounding::NearestEven) <= number;
    Some(inner.iter().filter(below).count() as u64)
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

/// The words of a row that the aggregates of a table use, in the order in which the query first
/// names them.
fn words(row: &Row, query: &Query, table: &Table) -> Vec<u64> {
    let mut seen: Vec<(String, u64)> = Vec::new();
    let mut see = |name: String, word: Option<u64>| {
        if !seen.iter().any(|(known, _)| *known == name) {
            seen.push((name, word.unwrap_or(u64::MAX)));
        }
    };
    // Keys and aggregates of all tables give the order; those that this table does not use are left
    // out below.
    let mut used = Vec::new();
    for other in &query.tables {
        for key in &other.keys {
            match key {
                Key::Categories(c) => see(format!("{c:?}"), category(row, c)),
                Key::Bins(b) => see(self::name("bin", b), bin(row, b)),
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
                Aggregate::Sum(x) => name(self::name("fine", x), fine_offset(row, x)),
                Aggregate::Moments(x) | Aggregate::Offsets(x) => {
                    name(self::name("offset", x), offset(row, x));
                }
                Aggregate::Products(x, y) => {
                    name(self::name("offset", x), offset(row, x));
                    name(self::name("offset", y), offset(row, y));
                }
                Aggregate::Bins(b) => name(self::name("bin", b), bin(row, b)),
                Aggregate::Categories(c) => name(format!("{c:?}"), category(row, c)),
                other => unreachable!("no {other:?} is asked for here"),
            }
        }
    }
    seen.retain(|(name, _)| used.contains(name));
    seen.into_iter().map(|(_, word)| word).collect()
}

fn hash(query: &Query, rest: &str) -> String {
    let digits = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
    let text = digits(&query.hash_key) + rest;
    digits(&Sha256::digest(text.as_bytes()))
}

/// The name of a person or, where it is long, digits of its hash.
fn person_text(name: &str) -> String {
    if name.len() <= 15 {
        return name.to_owned();
    }
    let hash = Sha256::digest(name.as_bytes());
    hash[..15].iter().map(|b| format!("{b:02x}")).collect()
}

/// What a group is to the hash: its public number and its discovered texts.
fn group_text(key: &[KeyValue], table: &Table) -> String {
    let mut public = 0;
    let mut texts = String::new();
    for (value, key) in key.iter().zip(&table.keys) {
        let values = match key {
            Key::Categories(categories) => categories.names.len() as u64,
            Key::Bins(bins) => bins.bins() as u64,
            Key::Discovered { .. } => 1,
        };
        match value {
            KeyValue::Public(code) => public = public * values + *code as u64,
            KeyValue::Discovered(text) => texts += &format!(",{}:{text}", text.len()),
        }
    }
    format!("{public}{texts}")
}

fn word_text(word: u64) -> String {
    match word {
        u64::MAX => "|-".to_owned(),
        word => format!("|{word}"),
    }
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
        let person = person_text(person);
        let both = |key: &[KeyValue]| {
            let group = group_text(key, table);
            format!("{}:{person}{}:{group}", person.len(), group.len())
        };
        let mut theirs: Vec<_> = theirs.into_iter().collect();
        theirs.sort_by_key(|(key, _)| hash(query, &format!("|0|{}", both(key))));
        for (key, rows) in theirs.into_iter().take(most_groups as usize) {
            let mut copies: HashMap<Vec<u64>, u64> = HashMap::new();
            let mut ranked: Vec<(String, &Row)> = rows
                .into_iter()
                .map(|row| {
                    let words = words(row, query, table);
                    let copy = copies.entry(words.clone()).or_insert(0);
                    let texts: String = words.into_iter().map(word_text).collect();
                    let all = format!("|1|{}{texts}|{copy}", both(&key));
                    *copy += 1;
                    (hash(query, &all), row)
                })
                .collect();
            ranked.sort_by(|a, b| a.0.cmp(&b.0));
            let stay = ranked
                .into_iter()
                .take(most_rows as usize)
                .map(|(_, row)| row);
            groups.entry(key).or_default().extend(stay);
        }
    }
    groups
}

fn exact(rows: &[&Row], aggregate: &Aggregate) -> Aggregated {
    let big =
        |words: Vec<u64>| Integer::from(words.iter().map(|word| u128::from(*word)).sum::<u128>());
    let counts = |codes: Vec<u64>, values: usize| {
        let count = |value| codes.iter().filter(|code| **code == value as u64).count() as u64;
        Aggregated::Counts((0..values).map(count).collect())
    };
    match aggregate {
        Aggregate::FineProducts(..)
        | Aggregate::States(_)
        | Aggregate::Kept
        | Aggregate::Gram(_) => unreachable!("no {aggregate:?} is asked for here"),
        Aggregate::Rows => Aggregated::Rows(rows.len() as u64),
        Aggregate::Sum(x) => {
            let x: Vec<u64> = rows.iter().filter_map(|row| fine_offset(row, x)).collect();
            Aggregated::Sum {
                rows: x.len() as u64,
                sum: big(x),
            }
        }
        Aggregate::Moments(x) => {
            let x: Vec<u64> = rows.iter().filter_map(|row| offset(row, x)).collect();
            Aggregated::Moments {
                rows: x.len() as u64,
                sum: big(x.clone()),
                squares: big(x.iter().map(|x| x * x).collect()),
            }
        }
        Aggregate::Products(x, y) => {
            let both = |row: &&Row| Some((offset(row, x)?, offset(row, y)?));
            let both: Vec<(u64, u64)> = rows.iter().filter_map(both).collect();
            Aggregated::Products {
                rows: both.len() as u64,
                sum_x: big(both.iter().map(|both| both.0).collect()),
                sum_y: big(both.iter().map(|both| both.1).collect()),
                products: big(both.iter().map(|both| both.0 * both.1).collect()),
            }
        }
        Aggregate::Bins(bins) => counts(
            rows.iter().filter_map(|row| bin(row, bins)).collect(),
            bins.bins(),
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
            Aggregated::Offsets(offsets.into_iter().collect())
        }
    }
}

pub fn reference(rows: &[Row], query: &Query) -> Answer {
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
                    Key::Bins(bins) => bins.bins(),
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
                key: key.into(),
                values: table.aggregates.iter().map(|a| exact(&rows, a)).collect(),
            })
            .collect()
    };
    Answer {
        rows: rows.len() as u64,
        tables: query.tables.iter().map(table).collect(),
    }
}
