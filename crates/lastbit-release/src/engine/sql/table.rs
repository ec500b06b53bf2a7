//! One table of a query as one statement: words, the rows that stay of each unit, exact sums.

use super::cells::{Kind, StagedColumn};
use super::dialect::{CellType, Dialect};
use super::form::{Expr, Form};
use super::source::Source;
use super::sums::Asked;
use super::units::Kept;
use super::{Relation, SqlError};
use crate::engine::layout::{Feature, Layout, TableLayout};
use crate::expression::Expression;
use crate::query::Query;

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
        let (mut source, filter) = self.source(table)?;
        let mut rows = Selected::default();
        if let Some(filter) = &filter {
            rows.conditions.push(source.passes(filter)?.sql);
        }
        let asked = self.asked(table);
        // Words that are counted each for itself would be counted twice.
        let spelled = match self.layout.unit.is_none() && asked.parts.is_empty() {
            true => self.spelled(table, &source)?,
            false => Vec::new(),
        };
        if !spelled.is_empty() {
            return self.by_spelling(table, source, rows, asked, &spelled);
        }
        let keys = self.keys(table, &mut source, &mut rows, &|_| None)?;
        if let Some(unit) = self.layout.unit {
            let text = self.text(&mut source, unit)?;
            rows.conditions.push(format!("{} IS NOT NULL", text.sql));
            rows.columns.push(format!("{} AS u", text.sql));
        }
        let words = self.words(table, &mut source, &mut rows)?;
        let once = match self.layout.unit {
            Some(_) => self.dialect.once(),
            None => "",
        };
        let mut text = rows_text(&source, &rows, once);
        if table.is_of_units {
            return Ok(self.of_units(table, &keys, text));
        }
        if self.layout.unit.is_none() {
            let sums = asked.values.aggregates.clone();
            return Ok(self.shown(asked, text, "lastbit_t", &keys, &sums));
        }
        let (kept, sums) = match asked.parts.is_empty() {
            true => (Kept::Sums(&asked.values), asked.values.of_parts()),
            false => (Kept::Rows, asked.values.aggregates.clone()),
        };
        text += &self.chosen(table, &keys, &words, &kept);
        Ok(self.shown(asked, text, "lastbit_kept", &keys, &sums))
    }

    /// The columns that a table needs, and its filter.
    fn source(&self, table: &TableLayout) -> Result<(Source, Option<Expression>), SqlError> {
        let layout = self.layout;
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
        let source = Source::new(
            self.query,
            self.columns,
            self.relation,
            self.dialect,
            &wanted,
            filter.as_slice(),
        )?;
        Ok((source, filter))
    }

    /// Selects the keys of a table and returns their names. `known` has the words of public keys
    /// that are columns already.
    fn keys(
        &self,
        table: &TableLayout,
        source: &mut Source,
        rows: &mut Selected,
        known: &dyn Fn(usize) -> Option<String>,
    ) -> Result<Vec<String>, SqlError> {
        let mut group = String::from("0");
        for (place, (feature, values)) in table.publics.iter().enumerate() {
            let word = match known(place) {
                Some(word) => word,
                None => {
                    let word = source.word(self.layout, *feature)?.sql;
                    rows.conditions.push(format!("{word} IS NOT NULL"));
                    word
                }
            };
            group = match group.as_str() {
                "0" => word,
                before => format!("({before} * {values} + {word})"),
            };
        }
        let mut keys = vec!["g".to_owned()];
        let integer = self.dialect.integer_type();
        rows.columns
            .push(format!("CAST({group} AS {integer}) AS g"));
        for (place, column) in table.discovered.iter().enumerate() {
            let text = self.text(source, *column)?;
            rows.conditions.push(format!("{} IS NOT NULL", text.sql));
            rows.columns.push(format!("{} AS k{place}", text.sql));
            keys.push(format!("k{place}"));
        }
        Ok(keys)
    }

    /// Selects the words that the aggregates use.
    fn words(
        &self,
        table: &TableLayout,
        source: &mut Source,
        rows: &mut Selected,
    ) -> Result<Vec<String>, SqlError> {
        let integer = self.dialect.integer_type();
        let mut words = Vec::new();
        for feature in &table.used {
            let word = source.word(self.layout, *feature)?;
            rows.columns
                .push(format!("CAST({} AS {integer}) AS w{feature}", word.sql));
            words.push(format!("w{feature}"));
        }
        Ok(words)
    }

    /// The columns of categories and discovered keys that are texts of the relation, where equal
    /// values may be spelled in several ways.
    fn spelled(&self, table: &TableLayout, source: &Source) -> Result<Vec<usize>, SqlError> {
        let categories =
            table
                .publics
                .iter()
                .filter_map(|(feature, _)| match &self.layout.features[*feature] {
                    Feature::Category { column, .. } => Some(*column),
                    _ => None,
                });
        let mut spelled = Vec::new();
        for column in categories.chain(table.discovered.iter().copied()) {
            let cell = source.cell(&self.layout.columns[column])?;
            if cell.kind == Kind::Raw(CellType::Text) && !spelled.contains(&column) {
                spelled.push(column);
            }
        }
        Ok(spelled)
    }

    /// A table without units: rows are summed by the spelling of their keys first, so that each
    /// spelling is read once, not in each row.
    fn by_spelling(
        &self,
        table: &TableLayout,
        mut source: Source,
        mut rows: Selected,
        asked: Asked,
        spelled: &[usize],
    ) -> Result<TableStatement, SqlError> {
        let (layout, d) = (self.layout, self.dialect);
        let mut by = Vec::new();
        let mut cells = Vec::new();
        for (place, column) in spelled.iter().enumerate() {
            let mut cell = source.cell(&layout.columns[*column])?;
            let text = d.binary(&cell.value.sql);
            rows.columns.push(format!("{text} AS c{place}"));
            cell.value = Expr::atom(format!("c{place}"));
            by.push(format!("c{place}"));
            cells.push(cell);
        }
        let mut known = Vec::new();
        for (place, (feature, _)) in table.publics.iter().enumerate() {
            let column = column_of(&layout.features[*feature]);
            let is_category = matches!(layout.features[*feature], Feature::Category { .. });
            if is_category && spelled.contains(&column) {
                known.push(None);
                continue;
            }
            let word = source.word(layout, *feature)?.sql;
            rows.conditions.push(format!("{word} IS NOT NULL"));
            rows.columns.push(format!("{word} AS b{place}"));
            by.push(format!("b{place}"));
            known.push(Some(format!("b{place}")));
        }
        for (place, column) in table.discovered.iter().enumerate() {
            let name = &layout.columns[*column];
            if spelled.contains(column) || cells.iter().any(|cell| cell.column == *name) {
                continue;
            }
            let text = self.text(&mut source, *column)?;
            rows.conditions.push(format!("{} IS NOT NULL", text.sql));
            rows.columns.push(format!("{} AS d{place}", text.sql));
            by.push(format!("d{place}"));
            cells.push(StagedColumn {
                column: name.clone(),
                value: Expr::atom(format!("d{place}")),
                kind: Kind::Canonical,
            });
        }
        self.words(table, &mut source, &mut rows)?;
        let mut text = rows_text(&source, &rows, "");
        let by = by.join(", ");
        let added = format!(
            "SELECT {by}, {}\n  FROM lastbit_t GROUP BY {by}",
            asked.values.named()
        );
        let mut source = Source::of(Form::named(d, "lastbit_r"), cells);
        let mut groups = Selected::default();
        let keys = self.keys(table, &mut source, &mut groups, &|place| {
            known[place].clone()
        })?;
        groups.columns.push(asked.values.names());
        let (stages, last) = staged(&source.form, &added);
        text += &format!(
            ",\n-- Rows with the same spelling of keys added up; then what the spellings \
             say.\n{stages}lastbit_kept AS (\n  SELECT {}\n  FROM {last}{}\n)",
            groups.columns.join(", "),
            groups.filter(),
        );
        let sums = asked.values.of_parts();
        Ok(self.shown(asked, text, "lastbit_kept", &keys, &sums))
    }

    fn text(&self, source: &mut Source, column: usize) -> Result<Expr, SqlError> {
        let cell = source.cell(&self.layout.columns[column])?;
        let text = source.form.text(&cell)?;
        Ok(source.form.bind(text))
    }
}

/// What is selected of rows, and which rows.
#[derive(Default)]
struct Selected {
    columns: Vec<String>,
    conditions: Vec<String>,
}

impl Selected {
    fn filter(&self) -> String {
        match self.conditions.is_empty() {
            true => String::new(),
            false => format!("\n  WHERE {}", self.conditions.join("\n    AND ")),
        }
    }
}

/// The start of a statement, up to the rows of the table as `lastbit_t`.
fn rows_text(source: &Source, rows: &Selected, once: &str) -> String {
    let (stages, last) = staged(&source.form, &source.first);
    format!(
        "-- The rows, and what their cells say.\nWITH {stages}\
         -- The rows of this table: g numbers the public groups, k are discovered keys, u is the \
         unit, w are words on public grids.\n\
         lastbit_t AS {once}(\n  SELECT {}\n  FROM {last}{}\n)",
        rows.columns.join(", "),
        rows.filter(),
    )
}

/// The stages over a first `select` as names of a `WITH`, and the last of them as it stands after
/// `FROM`; where every name is planned anew, all of it stands there.
fn staged(form: &Form, first: &str) -> (String, String) {
    if form.dialect.copies() {
        return (String::new(), form.nested(first));
    }
    let (stages, last) = form.stages();
    (
        format!("{}0 AS (\n  {first}\n){stages},\n", form.name),
        last,
    )
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
