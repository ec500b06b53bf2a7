//! One table of a query as one statement: words, the rows that stay of each unit, exact sums.

use super::dialect::{CellType, Dialect};
use super::form::Expr;
use super::source::Source;
use super::{Relation, SqlError};
use crate::engine::choice::{MOST_UNIT_BYTES, UNIT_DIGITS, key_digits};
use crate::engine::layout::{AggregateLayout, Feature, Layout, TableLayout};
use crate::query::{LOG2_SHARE, Query};

/// A sum of cells of a row, each times a power of two.
pub(super) type Sum = Vec<(usize, u32)>;

/// Where the integers of an aggregate are in the rows of a result.
#[derive(Clone, Debug)]
pub(super) enum InResult {
    /// In the rows of part 0: sums, the first of which is a count.
    Sums(Vec<Sum>),
    /// In the rows of this part: a word, and how many rows have it.
    Counts(usize),
}

/// One statement, and how its result is read.
#[derive(Clone, Debug)]
pub(super) struct TableStatement {
    pub sql: String,
    /// How many discovered keys there are. A row of the result is its part, the number of the
    /// public group, the discovered keys, a word and values.
    pub discovered: usize,
    /// How many values.
    pub values: usize,
    pub places: Vec<InResult>,
}

/// What a statement is made from.
pub(super) struct Writer<'a> {
    pub query: &'a Query,
    pub layout: &'a Layout,
    pub columns: &'a [(String, CellType)],
    pub relation: &'a Relation,
    pub dialect: &'static dyn Dialect,
}

impl Writer<'_> {
    pub(super) fn table(&self, table: &TableLayout) -> Result<TableStatement, SqlError> {
        let (layout, d) = (self.layout, self.dialect);
        let mut features: Vec<usize> = table.publics.iter().map(|(feature, _)| *feature).collect();
        features.extend(&table.used);
        let mut wanted: Vec<String> = Vec::new();
        let mut want = |column: usize| {
            let name = &layout.columns[column];
            if !wanted.contains(name) {
                wanted.push(name.clone());
            }
        };
        layout.unit.into_iter().for_each(&mut want);
        features
            .iter()
            .for_each(|f| want(column_of(&layout.features[*f])));
        table.discovered.iter().for_each(|column| want(*column));
        let filter = table.filter.map(|filter| layout.filters[filter].clone());
        let mut source = Source::new(
            self.query,
            self.columns,
            self.relation,
            d,
            &wanted,
            filter.as_slice(),
        )?;
        let mut conditions: Vec<String> = Vec::new();
        let mut selected: Vec<String> = Vec::new();
        if let Some(filter) = &filter {
            conditions.push(source.passes(filter)?.sql);
        }
        let mut group = String::from("0");
        for (feature, values) in &table.publics {
            let word = source.word(layout, *feature)?;
            conditions.push(format!("{} IS NOT NULL", word.sql));
            group = match group.as_str() {
                "0" => word.sql,
                before => format!("({before} * {values} + {})", word.sql),
            };
        }
        let integer = d.integer_type();
        let mut keys = vec!["g".to_owned()];
        selected.push(format!("CAST({group} AS {integer}) AS g"));
        for (place, column) in table.discovered.iter().enumerate() {
            let text = self.text(&mut source, *column)?;
            conditions.push(format!("{} IS NOT NULL", text.sql));
            selected.push(format!("{} AS k{place}", text.sql));
            keys.push(format!("k{place}"));
        }
        if let Some(unit) = layout.unit {
            let text = self.text(&mut source, unit)?;
            conditions.push(format!("{} IS NOT NULL", text.sql));
            selected.push(format!("{} AS u", text.sql));
        }
        let mut words = Vec::new();
        for feature in &table.used {
            let word = source.word(layout, *feature)?;
            selected.push(format!("CAST({} AS {integer}) AS w{feature}", word.sql));
            words.push(format!("w{feature}"));
        }
        let (stages, last) = source.form.stages();
        let filter = match conditions.is_empty() {
            true => String::new(),
            false => format!("\n  WHERE {}", conditions.join("\n    AND ")),
        };
        let mut text = format!(
            "-- The rows, and what their cells say.\nWITH s0 AS (\n  {}\n){stages},\n\
             -- The rows of this table: g numbers the public groups, k are discovered keys, u is \
             the unit, w are words on public grids.\n\
             t AS (\n  SELECT {}\n  FROM {last}{filter}\n)",
            source.first,
            selected.join(", "),
        );
        let rows = match layout.unit {
            None => "t".to_owned(),
            Some(_) => {
                text += &self.chosen(table, &keys, &words);
                "kept".to_owned()
            }
        };
        if table.is_of_units {
            return Ok(self.of_units(text));
        }
        Ok(self.aggregates(table, text, &rows, &keys))
    }

    fn text(&self, source: &mut Source, column: usize) -> Result<Expr, SqlError> {
        let cell = source.cell(&self.layout.columns[column])?;
        let text = source.form.text(&cell)?;
        Ok(source.form.bind(text))
    }

    /// What is hashed of a unit and a group: see `engine::choice`.
    fn unit_and_group(&self, what: u8, keys: &[String]) -> String {
        let d = self.dialect;
        let text = d.text_type();
        let sized = |sql: &str| format!("CAST({} AS {text}) || ':' || {sql}", d.bytes(sql));
        let name = format!(
            "CASE WHEN {} <= {MOST_UNIT_BYTES} THEN CAST({} AS {text}) || ':' || u ELSE \
             '{UNIT_DIGITS}:' || substr({}, 1, {UNIT_DIGITS}) END",
            d.bytes("u"),
            d.bytes("u"),
            d.sha256("u")
        );
        let mut group = format!("CAST(g AS {text})");
        for key in &keys[1..] {
            group += &format!(" || ',' || {}", sized(key));
        }
        format!(
            "'{}|{what}|' || {name} || {}",
            key_digits(&self.query.hash_key),
            sized(&format!("({group})"))
        )
    }

    /// The rows that stay, as `kept`; of a table of units, how many rows each has and keeps, as
    /// `units`.
    fn chosen(&self, table: &TableLayout, keys: &[String], words: &[String]) -> String {
        let d = self.dialect;
        let (most_rows, most_groups) = (
            table.most_rows.min(i64::MAX as u64),
            table.most_groups.min(i64::MAX as u64),
        );
        let by = format!("u, {}", keys.join(", "));
        let fence = d.fence();
        let mut text = format!(
            ",\n-- How many rows each unit has in each group, and in how many groups.\n\
             pairs AS (\n  SELECT {by}, count(*) AS n\n  FROM t GROUP BY {by}\n),\n\
             counted AS (\n  SELECT {by}, n, count(*) OVER (PARTITION BY u) AS many\n  FROM \
             pairs\n)"
        );
        let is_one_group = table.public_groups == 1 && table.discovered.is_empty();
        let groups = match is_one_group {
            true => "counted".to_owned(),
            false => {
                let hash = d.sha256(&format!("({})", self.unit_and_group(0, keys)));
                text += &format!(
                    ",\n-- Of units with too many groups, those with the smallest hashes stay; \
                     others are not hashed.\n\
                     hashed AS (\n  SELECT {by}, n, CASE WHEN many > {most_groups} THEN {hash} \
                     END AS h\n  FROM counted{fence}\n),\n\
                     ranked AS (\n  SELECT {by}, n, row_number() OVER (PARTITION BY u ORDER BY h) \
                     AS place\n  FROM hashed\n)"
                );
                "ranked".to_owned()
            }
        };
        let stays = match is_one_group {
            true => "1 = 1".to_owned(),
            false => format!("place <= {most_groups}"),
        };
        if table.is_of_units {
            let integer = d.integer_type();
            text += &format!(
                ",\nunits AS (\n  SELECT u, CAST(sum(n) AS {integer}) AS n, \
                 CAST(sum(CASE WHEN {stays} THEN CASE WHEN n < {most_rows} THEN n ELSE \
                 {most_rows} END ELSE 0 END) AS {integer}) AS kept\n  \
                 FROM {groups} GROUP BY u\n)"
            );
            return text;
        }
        let on: Vec<String> = std::iter::once("u")
            .chain(keys.iter().map(String::as_str))
            .map(|key| format!("p.{key} = t.{key}"))
            .collect();
        let all: Vec<&str> = keys.iter().chain(words).map(String::as_str).collect();
        let of_t: Vec<String> = all.iter().map(|name| format!("t.{name}")).collect();
        let null = |word: &String| format!("coalesce(CAST({word} AS {}), '-')", d.text_type());
        let words_text: String = words
            .iter()
            .map(|word| format!(" || '|' || {}", null(word)))
            .collect();
        let hash = d.sha256(&format!(
            "({}{words_text} || '|' || CAST(copy - 1 AS {}))",
            self.unit_and_group(1, keys),
            d.text_type()
        ));
        text += &format!(
            ",\n-- Of groups with too many rows of a unit, the rows with the smallest hashes \
             stay; equal rows are numbered.\n\
             above AS (\n  SELECT t.u, {of_t}, row_number() OVER (PARTITION BY t.u, {of_t} ORDER \
             BY t.u) AS copy\n  \
             FROM t JOIN {groups} AS p ON {on}\n  WHERE {stays} AND p.n > {most_rows}\n),\n\
             above_hashed AS (\n  SELECT u, {all}, {hash} AS h\n  FROM above{fence}\n),\n\
             above_ranked AS (\n  SELECT {all}, row_number() OVER (PARTITION BY {by} ORDER BY h) \
             AS place\n  FROM above_hashed\n),\n\
             -- All rows that stay.\n\
             kept AS (\n  SELECT {of_t} FROM t JOIN {groups} AS p ON {on} WHERE {stays} AND p.n \
             <= {most_rows}\n  \
             UNION ALL\n  SELECT {all} FROM above_ranked WHERE place <= {most_rows}\n)",
            of_t = of_t.join(", "),
            all = all.join(", "),
            on = on.join(" AND "),
        );
        text
    }

    fn of_units(&self, mut text: String) -> TableStatement {
        let d = self.dialect;
        let share = d.quotient_of(&format!("((n - kept) * {})", 1i64 << LOG2_SHARE), "n");
        let mut values = Values::new(d);
        values.count("count(*)");
        values.count("sum(CASE WHEN kept < n THEN 1 ELSE 0 END)");
        values.sum(&share);
        let nulls = format!("CAST(NULL AS {})", d.text_type());
        text += &format!(
            "\nSELECT '0' AS part, '0' AS g, {nulls} AS word, {}\nFROM units",
            values.cells.join(", ")
        );
        TableStatement {
            sql: text,
            discovered: 0,
            values: values.cells.len(),
            places: vec![InResult::Sums(values.sums)],
        }
    }

    fn aggregates(
        &self,
        table: &TableLayout,
        mut text: String,
        rows: &str,
        keys: &[String],
    ) -> TableStatement {
        let d = self.dialect;
        let mut values = Values::new(d);
        let mut places = Vec::new();
        let mut parts = Vec::new();
        let word = |place: usize| format!("w{}", table.used[place]);
        let bits = |place: usize| match &self.layout.features[table.used[place]] {
            Feature::Offset(offset) => u64::BITS - offset.grid.count().leading_zeros(),
            _ => 32,
        };
        for aggregate in &table.aggregates {
            let start = values.sums.len();
            match aggregate {
                AggregateLayout::Rows | AggregateLayout::Kept => values.count("count(*)"),
                AggregateLayout::Sum(x) => {
                    values.count(&format!("count({})", word(*x)));
                    values.sum(&word(*x));
                }
                AggregateLayout::Moments(x) => {
                    values.count(&format!("count({})", word(*x)));
                    values.sum(&word(*x));
                    values.product((&word(*x), bits(*x)), (&word(*x), bits(*x)));
                }
                AggregateLayout::Products(x, y) | AggregateLayout::FineProducts(x, y) => {
                    let all = [*x, *y].map(|x| (word(x), bits(x)));
                    values.pairs(&all, false);
                }
                AggregateLayout::Gram(columns) => {
                    let all: Vec<(String, u32)> =
                        columns.iter().map(|x| (word(*x), bits(*x))).collect();
                    values.pairs(&all, true);
                }
                AggregateLayout::Counts { feature, .. } | AggregateLayout::Offsets(feature) => {
                    parts.push(word(*feature));
                    places.push(InResult::Counts(parts.len()));
                    continue;
                }
            }
            places.push(InResult::Sums(values.sums[start..].to_vec()));
        }
        // A group of discovered keys is there if it has rows, whatever is asked of it.
        if values.cells.is_empty() {
            values.count("count(*)");
        }
        let text_type = d.text_type();
        let null = format!("CAST(NULL AS {text_type})");
        let shown: Vec<String> = keys
            .iter()
            .map(|key| format!("CAST({key} AS {text_type}) AS {key}"))
            .collect();
        let named: Vec<String> = values
            .cells
            .iter()
            .enumerate()
            .map(|(place, cell)| format!("{cell} AS x{place}"))
            .collect();
        let (shown, by) = (shown.join(", "), keys.join(", "));
        text += &format!(
            "\n-- Exact integers, as text.\nSELECT '0' AS part, {shown}, {null} AS word, {}\nFROM \
             {rows} GROUP BY {by}",
            named.join(", ")
        );
        for (part, word) in parts.iter().enumerate() {
            let rest = format!(", {null}").repeat(values.cells.len() - 1);
            text += &format!(
                "\nUNION ALL\nSELECT '{}' AS part, {shown}, CAST({word} AS {text_type}) AS word, \
                 CAST(count(*) AS {text_type}){rest}\n\
                 FROM {rows} WHERE {word} IS NOT NULL GROUP BY {by}, {word}",
                part + 1
            );
        }
        TableStatement {
            sql: text,
            discovered: keys.len() - 1,
            values: values.cells.len(),
            places,
        }
    }
}

/// The columns of part 0, and the integers that they make.
struct Values {
    dialect: &'static dyn Dialect,
    cells: Vec<String>,
    sums: Vec<Sum>,
}

/// Words are cut here where their product has more than 62 bits.
const LIMB: u32 = 26;

impl Values {
    fn new(dialect: &'static dyn Dialect) -> Values {
        Values {
            dialect,
            cells: Vec::new(),
            sums: Vec::new(),
        }
    }

    fn count(&mut self, count: &str) {
        let cell = format!("CAST({count} AS {})", self.dialect.text_type());
        self.sums.push(vec![(self.cells.len(), 0)]);
        self.cells.push(cell);
    }

    fn sum(&mut self, number: &str) {
        let mut sum = Vec::new();
        self.add(number, 0, &mut sum);
        self.sums.push(sum);
    }

    fn product(&mut self, x: (&str, u32), y: (&str, u32)) {
        let mut sum = Vec::new();
        self.limbs(x, y, 0, &mut sum);
        self.sums.push(sum);
    }

    fn add(&mut self, number: &str, shift: u32, sum: &mut Sum) {
        for (cell, by) in self.dialect.sum(number) {
            sum.push((self.cells.len(), shift + by));
            self.cells.push(cell);
        }
    }

    /// Σ x·y as sums of products of at most 62 bits.
    fn limbs(&mut self, x: (&str, u32), y: (&str, u32), shift: u32, sum: &mut Sum) {
        if x.1 + y.1 <= 62 {
            return self.add(&format!("({} * {})", x.0, y.0), shift, sum);
        }
        let (wide, narrow) = if x.1 >= y.1 { (x, y) } else { (y, x) };
        let high = self.dialect.quotient(wide.0, 1 << LIMB);
        let low = format!("({} % {})", wide.0, 1i64 << LIMB);
        self.limbs((&high, wide.1 - LIMB), narrow, shift + LIMB, sum);
        self.limbs((&low, LIMB), narrow, shift, sum);
    }

    /// Over rows that have all: how many, the sums, and the products of all pairs; of two different
    /// ones if `squares` is not set.
    fn pairs(&mut self, words: &[(String, u32)], squares: bool) {
        let has: Vec<String> = words
            .iter()
            .map(|(word, _)| format!("{word} IS NOT NULL"))
            .collect();
        let has = has.join(" AND ");
        self.count(&format!("sum(CASE WHEN {has} THEN 1 ELSE 0 END)"));
        let masked: Vec<(String, u32)> = words
            .iter()
            .map(|(word, bits)| (format!("CASE WHEN {has} THEN {word} END"), *bits))
            .collect();
        for (word, _) in &masked {
            self.sum(word);
        }
        for (place, x) in masked.iter().enumerate() {
            for (other, y) in masked.iter().enumerate().skip(place) {
                if squares || place != other {
                    self.product((&format!("({})", x.0), x.1), (&format!("({})", y.0), y.1));
                }
            }
        }
    }
}

fn column_of(feature: &Feature) -> usize {
    match feature {
        Feature::Offset(offset) => offset.column,
        Feature::Category { column, .. }
        | Feature::Bin { column, .. }
        | Feature::NumberState { column, .. }
        | Feature::TextState { column, .. } => *column,
    }
}
