//! Exact sums: aggregates of words, and how a result shows them.

use super::dialect::Dialect;
use super::table::{InResult, Sum, TableStatement, Writer};
use crate::engine::layout::{AggregateLayout, Feature, TableLayout};

/// What a table asks of rows that have words.
pub(super) struct Asked {
    pub values: Values,
    pub places: Vec<InResult>,
    /// The words that are counted each for itself.
    pub parts: Vec<String>,
}

impl Writer<'_> {
    pub(super) fn asked(&self, table: &TableLayout) -> Asked {
        let mut values = Values::new(self.dialect);
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
                    values.sum(&word(*x), bits(*x));
                }
                AggregateLayout::Moments(x) => {
                    values.count(&format!("count({})", word(*x)));
                    values.sum(&word(*x), bits(*x));
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
        if values.aggregates.is_empty() {
            values.count("count(*)");
        }
        Asked {
            values,
            places,
            parts,
        }
    }

    /// Ends a statement: `sums` of the rows of each group, and the words that are counted.
    pub(super) fn shown(
        &self,
        asked: Asked,
        mut text: String,
        rows: &str,
        keys: &[String],
        sums: &[String],
    ) -> TableStatement {
        let d = self.dialect;
        let text_type = d.text_type();
        let null = format!("CAST(NULL AS {text_type})");
        let shown: Vec<String> = keys
            .iter()
            .map(|key| format!("CAST({key} AS {text_type}) AS {key}"))
            .collect();
        let named: Vec<String> = sums
            .iter()
            .enumerate()
            .map(|(place, sum)| format!("CAST({sum} AS {text_type}) AS x{place}"))
            .collect();
        let (shown, by) = (shown.join(", "), keys.join(", "));
        let repeated = match asked.parts.is_empty() {
            true => None,
            false => d.numbered(asked.parts.len()),
        };
        if let Some(numbered) = &repeated {
            text += &in_one_pass(&asked.parts, rows, numbered, (&shown, &by), sums, text_type);
        } else {
            text += &format!(
                "\n-- Exact integers, as text.\nSELECT '0' AS part, {shown}, {null} AS word, \
                 {}\nFROM {rows} GROUP BY {by}",
                named.join(", ")
            );
        }
        let each = asked.parts.iter().filter(|_| repeated.is_none());
        for (part, word) in each.enumerate() {
            let rest = format!(", {null}").repeat(sums.len() - 1);
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
            values: sums.len(),
            places: asked.places,
        }
    }
}

/// The end of a statement whose rows are read once: each is repeated for the part of sums and for
/// those of words.
fn in_one_pass(
    words: &[String],
    rows: &str,
    numbered: &str,
    (shown, by): (&str, &str),
    sums: &[String],
    text: &str,
) -> String {
    let each: String = words
        .iter()
        .enumerate()
        .map(|(place, word)| format!(" WHEN {} THEN {word}", place + 1))
        .collect();
    let values: Vec<String> = sums
        .iter()
        .enumerate()
        .map(|(place, sum)| {
            let other = if place == 0 { " ELSE count(*)" } else { "" };
            format!("CAST(CASE WHEN part = 0 THEN {sum}{other} END AS {text}) AS x{place}")
        })
        .collect();
    format!(
        ",\nlastbit_parted AS (\n  SELECT *, CASE part{each} END AS word\n  FROM {rows} \
         {numbered}\n)\n\
         -- Exact integers, as text.\nSELECT CAST(part AS {text}) AS part, {shown}, CAST(word AS \
         {text}) AS word, {}\nFROM lastbit_parted WHERE part = 0 OR word IS NOT NULL GROUP BY \
         part, {by}, word",
        values.join(", ")
    )
}

/// The columns of part 0, which are aggregates, and the integers that they make.
pub(super) struct Values {
    dialect: &'static dyn Dialect,
    pub aggregates: Vec<String>,
    pub sums: Vec<Sum>,
}

/// Words are cut here where their product has more than 62 bits.
const LIMB: u32 = 26;

impl Values {
    pub(super) fn new(dialect: &'static dyn Dialect) -> Values {
        Values {
            dialect,
            aggregates: Vec::new(),
            sums: Vec::new(),
        }
    }

    pub(super) fn count(&mut self, count: &str) {
        self.sums.push(vec![(self.aggregates.len(), 0)]);
        self.aggregates.push(count.to_owned());
    }

    /// The sum of numbers below 2^bits.
    pub(super) fn sum(&mut self, number: &str, bits: u32) {
        let mut sum = Vec::new();
        self.add((number, bits), 0, &mut sum);
        self.sums.push(sum);
    }

    /// The aggregates as columns `a0`, `a1`, ….
    pub(super) fn named(&self) -> String {
        let named = self.aggregates.iter().enumerate();
        let named = named.map(|(place, aggregate)| format!("{aggregate} AS a{place}"));
        named.collect::<Vec<_>>().join(", ")
    }

    /// The names of these columns.
    pub(super) fn names(&self) -> String {
        let names = (0..self.aggregates.len()).map(|place| format!("a{place}"));
        names.collect::<Vec<_>>().join(", ")
    }

    /// The aggregates of rows that have these columns, each for a part of the rows.
    pub(super) fn of_parts(&self) -> Vec<String> {
        let sums = (0..self.aggregates.len()).map(|place| format!("sum(a{place})"));
        sums.collect()
    }

    fn product(&mut self, x: (&str, u32), y: (&str, u32)) {
        let mut sum = Vec::new();
        self.limbs(x, y, 0, &mut sum);
        self.sums.push(sum);
    }

    fn add(&mut self, number: (&str, u32), shift: u32, sum: &mut Sum) {
        for (part, by) in self.dialect.sum_below(number.0, number.1) {
            sum.push((self.aggregates.len(), shift + by));
            self.aggregates.push(part);
        }
    }

    /// Σ x·y as sums of products of at most 62 bits.
    fn limbs(&mut self, x: (&str, u32), y: (&str, u32), shift: u32, sum: &mut Sum) {
        if x.1 + y.1 <= 62 {
            let product = format!("({} * {})", x.0, y.0);
            return self.add((&product, x.1 + y.1), shift, sum);
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
        for (word, bits) in &masked {
            self.sum(word, *bits);
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
