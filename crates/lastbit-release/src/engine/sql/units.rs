//! Which rows of each unit stay: see `engine::choice`.

use super::sums::Values;
use super::table::{InResult, TableStatement, Writer};
use crate::engine::choice::{MOST_UNIT_BYTES, UNIT_DIGITS, key_digits};
use crate::engine::layout::TableLayout;
use crate::query::LOG2_SHARE;

/// How `lastbit_kept` has the rows that stay.
pub(super) enum Kept<'a> {
    /// One by one, with their words.
    Rows,
    /// As sums of rows with the same keys.
    Sums(&'a Values),
}

impl Writer<'_> {
    /// The rows of `lastbit_t` that stay, as `lastbit_kept`.
    ///
    /// Rows are counted, and summed, for each unit and group first. So only units above a limit are
    /// hashed, and only rows of groups above one are read again. Where they would be computed again
    /// with everything before them, as [`Dialect::copies`] says, more is sorted in their place.
    ///
    /// [`Dialect::copies`]: super::Dialect::copies
    pub(super) fn chosen(
        &self,
        table: &TableLayout,
        keys: &[String],
        words: &[String],
        kept: &Kept,
    ) -> String {
        let d = self.dialect;
        let (most_rows, most_groups) = limits(table);
        let by = format!("u, {}", keys.join(", "));
        let (sums, with) = match kept {
            Kept::Rows => (String::new(), String::new()),
            Kept::Sums(values) => (
                format!(", {}", values.named()),
                format!(", {}", values.names()),
            ),
        };
        let once = d.once();
        let mut text = format!(
            ",\n-- How many rows each unit has in each group, and what they add up to.\n\
             lastbit_pairs AS {}(\n  SELECT {by}, count(*) AS n{sums}\n  FROM lastbit_t GROUP BY \
             {by}\n)",
            if every_group_stays(table) { once } else { "" }
        );
        let mut groups = "lastbit_pairs";
        if !every_group_stays(table) && d.copies() {
            groups = "lastbit_staying";
            text += &self.ranked(keys, &with, most_groups);
            text += &format!(
                ",\nlastbit_staying AS (\n  SELECT {by}, n{with} FROM lastbit_ranked WHERE place \
                 <= {most_groups}\n)"
            );
        } else if !every_group_stays(table) {
            groups = "lastbit_staying";
            text += &format!(
                ",\nlastbit_counted AS {once}(\n  SELECT {by}, n{with}, count(*) OVER (PARTITION \
                 BY u) AS many\n  FROM lastbit_pairs\n),\n\
                 -- Of units with too many groups, those with the smallest hashes stay; others are \
                 not hashed.\n\
                 lastbit_hashed AS (\n  SELECT {by}, n{with}, {} AS h\n  FROM lastbit_counted \
                 WHERE many > {most_groups}{}\n),\n\
                 lastbit_ranked AS (\n  SELECT {by}, n{with}, row_number() OVER (PARTITION BY u \
                 ORDER BY h) AS place\n  FROM lastbit_hashed\n),\n\
                 lastbit_staying AS {once}(\n  SELECT {by}, n{with} FROM lastbit_counted WHERE \
                 many <= {most_groups}\n  \
                 UNION ALL\n  SELECT {by}, n{with} FROM lastbit_ranked WHERE place <= \
                 {most_groups}\n)",
                self.group_hash(keys),
                d.fence(),
            );
        }
        let on: Vec<String> = std::iter::once("u")
            .chain(keys.iter().map(String::as_str))
            .map(|key| format!("p.{key} = t.{key}"))
            .collect();
        let on = on.join(" AND ");
        let all: Vec<&str> = keys.iter().chain(words).map(String::as_str).collect();
        let of_t: Vec<String> = all.iter().map(|name| format!("t.{name}")).collect();
        let (all, of_t) = (all.join(", "), of_t.join(", "));
        if let (Kept::Rows, true) = (kept, d.copies()) {
            return text
                + &format!(
                    ",\n-- Of groups with too many rows of a unit, the rows with the smallest \
                     hashes stay; equal rows are numbered, and others are not hashed.\n\
                     lastbit_copied AS (\n  SELECT t.u, {of_t}, p.n, row_number() OVER (PARTITION \
                     BY t.u, {of_t} ORDER BY t.u) AS copy\n  FROM lastbit_t AS t JOIN {groups} AS \
                     p ON {on}\n),\n\
                     lastbit_copied_hashed AS (\n  SELECT u, {all}, CASE WHEN n > {most_rows} THEN \
                     {} END AS h\n  FROM lastbit_copied\n),\n\
                     lastbit_copied_ranked AS (\n  SELECT {all}, row_number() OVER (PARTITION BY \
                     {by} ORDER BY h) AS place\n  FROM lastbit_copied_hashed\n),\n\
                     -- All rows that stay.\n\
                     lastbit_kept AS (\n  SELECT {all} FROM lastbit_copied_ranked WHERE place <= \
                     {most_rows}\n)",
                    self.row_hash(keys, words),
                );
        }
        text += &format!(
            ",\n-- Of groups with too many rows of a unit, the rows with the smallest hashes \
             stay; equal rows are numbered.\n\
             lastbit_above AS (\n  SELECT t.u, {of_t}, row_number() OVER (PARTITION BY t.u, {of_t} \
             ORDER BY t.u) AS copy\n  \
             FROM lastbit_t AS t JOIN {groups} AS p ON {on}\n  WHERE p.n > {most_rows}\n),\n\
             lastbit_above_hashed AS (\n  SELECT u, {all}, {} AS h\n  FROM lastbit_above{}\n),\n\
             lastbit_above_ranked AS (\n  SELECT {all}, row_number() OVER (PARTITION BY {by} ORDER \
             BY h) AS place\n  FROM lastbit_above_hashed\n),\n\
             -- All rows that stay.\n",
            self.row_hash(keys, words),
            d.fence(),
        );
        text += &match kept {
            Kept::Rows => format!(
                "lastbit_kept AS (\n  SELECT {of_t} FROM lastbit_t AS t JOIN {groups} AS p ON {on} \
                 WHERE p.n <= {most_rows}\n  \
                 UNION ALL\n  SELECT {all} FROM lastbit_above_ranked WHERE place <= {most_rows}\n)"
            ),
            Kept::Sums(values) => {
                let keys = keys.join(", ");
                format!(
                    "lastbit_kept AS (\n  SELECT {keys}{with} FROM {groups} WHERE n <= \
                     {most_rows}\n  UNION ALL\n  SELECT {keys}, {} FROM lastbit_above_ranked WHERE \
                     place <= {most_rows} GROUP BY {keys}\n)",
                    values.named()
                )
            }
        };
        text
    }

    /// A table of units: how many rows each has and keeps.
    pub(super) fn of_units(
        &self,
        table: &TableLayout,
        keys: &[String],
        mut text: String,
    ) -> TableStatement {
        let d = self.dialect;
        let (most_rows, most_groups) = limits(table);
        let by = format!("u, {}", keys.join(", "));
        text += &format!(
            ",\n-- How many rows each unit has in each group.\n\
             lastbit_pairs AS (\n  SELECT {by}, count(*) AS n\n  FROM lastbit_t GROUP BY {by}\n)"
        );
        let (groups, stays) = match every_group_stays(table) {
            true => ("lastbit_pairs", "1 = 1".to_owned()),
            false => {
                text += &self.ranked(keys, "", most_groups);
                ("lastbit_ranked", format!("place <= {most_groups}"))
            }
        };
        let integer = d.integer_type();
        text += &format!(
            ",\nlastbit_units AS (\n  SELECT u, CAST(sum(n) AS {integer}) AS n, \
             CAST(sum(CASE WHEN {stays} THEN CASE WHEN n < {most_rows} THEN n ELSE \
             {most_rows} END ELSE 0 END) AS {integer}) AS kept\n  \
             FROM {groups} GROUP BY u\n)"
        );
        let share = d.quotient_of(&format!("((n - kept) * {})", 1i64 << LOG2_SHARE), "n");
        let mut values = Values::new(d);
        values.count("count(*)");
        values.count("sum(CASE WHEN kept < n THEN 1 ELSE 0 END)");
        values.sum(&share, LOG2_SHARE + 1);
        let text_type = d.text_type();
        let cells: Vec<String> = values
            .aggregates
            .iter()
            .map(|aggregate| format!("CAST({aggregate} AS {text_type})"))
            .collect();
        text += &format!(
            "\nSELECT '0' AS part, '0' AS g, CAST(NULL AS {text_type}) AS word, {}\nFROM \
             lastbit_units",
            cells.join(", ")
        );
        TableStatement {
            sql: text,
            discovered: 0,
            values: cells.len(),
            places: vec![InResult::Sums(values.sums)],
        }
    }

    /// The groups of each unit in `lastbit_pairs`, by the place in which they stay.
    fn ranked(&self, keys: &[String], with: &str, most_groups: u64) -> String {
        let by = format!("u, {}", keys.join(", "));
        format!(
            ",\nlastbit_counted AS (\n  SELECT {by}, n{with}, count(*) OVER (PARTITION BY u) AS \
             many\n  FROM lastbit_pairs\n),\n\
             -- Of units with too many groups, those with the smallest hashes stay; others are not \
             hashed.\n\
             lastbit_hashed AS (\n  SELECT {by}, n{with}, CASE WHEN many > {most_groups} THEN {} \
             END AS h\n  FROM lastbit_counted{}\n),\n\
             lastbit_ranked AS (\n  SELECT {by}, n{with}, row_number() OVER (PARTITION BY u ORDER \
             BY h) AS place\n  FROM lastbit_hashed\n)",
            self.group_hash(keys),
            self.dialect.fence(),
        )
    }

    fn group_hash(&self, keys: &[String]) -> String {
        let text = format!("({})", self.unit_and_group(0, keys));
        self.dialect.rank(&text)
    }

    fn row_hash(&self, keys: &[String], words: &[String]) -> String {
        let text = self.dialect.text_type();
        let null = |word: &String| format!("coalesce(CAST({word} AS {text}), '-')");
        let words: String = words
            .iter()
            .map(|word| format!(" || '|' || {}", null(word)))
            .collect();
        self.dialect.rank(&format!(
            "({}{words} || '|' || CAST(copy - 1 AS {text}))",
            self.unit_and_group(1, keys),
        ))
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
}

/// The most rows of a unit in a group, and the most groups of one, as engines write them.
fn limits(table: &TableLayout) -> (u64, u64) {
    let most = |limit: u64| limit.min(i64::MAX as u64);
    (most(table.most_rows), most(table.most_groups))
}

/// Whether no unit can have more groups than stay.
fn every_group_stays(table: &TableLayout) -> bool {
    table.discovered.is_empty() && table.public_groups as u64 <= table.most_groups
}
