//! A query as SQL: the same integers from a database as from files.
//!
//! [`Statements`] are made from the [`Query`] that the file engine gets, by way of one intermediate
//! form (`form.rs`: stages of values), and written by a [`Dialect`]. A session runs them and hands
//! back cells of text, from which [`Statements::answer`] makes the [`Answer`]. Only exact integers
//! and, where keys are discovered, their values leave the database.
//!
//! A session first runs [`types_sql`] for the types of the columns, then
//! [`Statements::fingerprint`], then [`Statements::text`] in order, all in one snapshot.
//! `docs/engines.md` says what is supported, and how to add a dialect.

mod calendar;
mod call;
mod cells;
mod compare;
mod datafusion;
mod decode;
mod dialect;
mod duckdb;
mod error;
mod expression;
mod form;
mod functions;
mod postgresql;
mod relation;
mod source;
mod spark;
mod sqlite;
mod sums;
mod table;
mod times;
mod units;
mod words;

pub use dialect::{CellType, Dialect, dialect, dialect_of, dialects};
pub use error::SqlError;
pub use functions::register;
pub use relation::Relation;

use std::sync::Arc;

use super::derive::DeriveStep;
use super::layout::Layout;
use crate::query::{Answer, LOG2_MOST_ROWS, Query};
use table::{TableStatement, Writer};

/// The rows of a statement's result: cells of text, or null.
pub type Rows = Vec<Vec<Option<String>>>;

/// The columns of its source that a query reads, each once.
pub fn reads(query: &Query) -> Result<Vec<String>, SqlError> {
    if !query.derive.joins.is_empty() {
        return Err(SqlError::Query(
            "a plan that joins private tables is answered from files only; join them in a view, \
             with one row for each unit"
                .to_owned(),
        ));
    }
    let layout = Layout::new(query).map_err(SqlError::query)?;
    let step = DeriveStep::new(&query.derive, &layout.columns, &layout.filters);
    Ok(step.map_err(SqlError::query)?.reads().to_vec())
}

/// The statement that says which types the columns have that a query reads: one row, for [`types`].
pub fn types_sql(
    query: &Query,
    relation: &Relation,
    dialect: &dyn Dialect,
) -> Result<String, SqlError> {
    let reads = reads(query)?;
    let types: Vec<String> = reads
        .iter()
        .map(|name| Ok(dialect.type_of(&format!("r.{}", dialect.identifier(name)?))))
        .collect::<Result<_, SqlError>>()?;
    let types = match types.is_empty() {
        true => "'none'".to_owned(),
        false => types.join(", "),
    };
    // One row, whatever the relation has.
    Ok(format!(
        "SELECT {types}\nFROM (SELECT 1 AS one) AS o\nLEFT JOIN (SELECT * FROM {} WHERE 1 = 0) AS \
         r ON 1 = 1",
        relation.sql(dialect)?
    ))
}

/// The columns that a query reads with their types, from the result of [`types_sql`].
pub fn types(
    query: &Query,
    rows: &[Vec<Option<String>>],
    dialect: &dyn Dialect,
) -> Result<Vec<(String, CellType)>, SqlError> {
    let reads = reads(query)?;
    let [row] = rows else {
        return Err(SqlError::Result("types"));
    };
    if row.len() != reads.len().max(1) {
        return Err(SqlError::Result("types"));
    }
    let typed = reads.into_iter().zip(row).map(|(name, found)| {
        let found = found.as_deref().unwrap_or("none");
        match dialect.cell_type(found) {
            Some(cell_type) => Ok((name, cell_type)),
            None => Err(SqlError::Type {
                column: name,
                found: found.to_owned(),
                wanted: "a number, a text, a condition, a date or a timestamp",
                remedy: "cast it in a query of the plan's source",
            }),
        }
    });
    typed.collect()
}

/// A query as statements of a dialect.
#[derive(Clone, Debug)]
pub struct Statements {
    layout: Arc<Layout>,
    count: String,
    tables: Vec<TableStatement>,
    fingerprint: String,
    /// How many numbers its row has.
    fingerprint_cells: usize,
    /// What the fingerprint is of.
    read: String,
}

impl Statements {
    /// Writes the statements, or says what this dialect or these types cannot do as the file engine
    /// does. `columns` are those that the query reads, with their types: see [`types`].
    pub fn new(
        query: &Query,
        columns: &[(String, CellType)],
        relation: &Relation,
        dialect: &'static dyn Dialect,
    ) -> Result<Statements, SqlError> {
        let layout = Layout::new(query).map_err(SqlError::query)?;
        let writer = Writer {
            query,
            layout: &layout,
            columns,
            relation,
            dialect,
        };
        let tables = layout.tables.iter().map(|table| writer.table(table));
        let tables = tables.collect::<Result<_, _>>()?;
        let text = dialect.text_type();
        let from = relation.sql(dialect)?;
        let count = format!("-- All rows.\nSELECT CAST(count(*) AS {text}) FROM {from}");
        let reads = reads(query)?;
        let (mut cells, mut texts) = (String::from("''"), Vec::new());
        let mut read = format!("lastbit sql fingerprint 1\n{}\n", dialect.name());
        for (place, name) in reads.iter().enumerate() {
            let column = dialect.identifier(name)?;
            texts.push(format!("CAST({column} AS {text}) AS c{place}"));
            let bytes = dialect.bytes(&format!("c{place}"));
            cells += &format!(" || coalesce(CAST({bytes} AS {text}) || ':' || c{place}, '-')");
            read += &format!("{}:{name}\n", name.len());
        }
        if texts.is_empty() {
            texts.push("1 AS c0".to_owned());
        }
        let hash = dialect.first_60_bits("h");
        let sum = dialect.sum(&hash);
        let sums: Vec<String> = sum
            .iter()
            .map(|(sum, _)| format!("CAST({sum} AS {text})"))
            .collect();
        let fingerprint = format!(
            "-- Which data: how many rows, and the sum of the first 60 bits of a hash of each.\n\
             SELECT CAST(count(*) AS {text}), {}\nFROM (SELECT {} AS h FROM (SELECT {} FROM \
             {from}{fence}) AS texts{fence}) AS hashed",
            sums.join(", "),
            dialect.rank(&format!("({cells})")),
            texts.join(", "),
            fence = dialect.fence(),
        );
        Ok(Statements {
            layout: Arc::new(layout),
            count,
            tables,
            fingerprint,
            fingerprint_cells: 1 + sums.len(),
            read,
        })
    }

    /// What each statement is for, and its text, in the order in which they are run.
    pub fn text(&self) -> Vec<(String, String)> {
        let mut all = vec![("how many rows there are".to_owned(), self.count.clone())];
        for (place, table) in self.tables.iter().enumerate() {
            let title = format!("table {} of {}", place + 1, self.tables.len());
            all.push((title, table.sql.clone()));
        }
        all
    }

    /// The statement that says which data it is: one row, for [`Statements::fingerprint_of`].
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The fingerprint of the data in hexadecimal, from the result of [`Statements::fingerprint`]:
    /// over the count of rows and the sum of 60-bit hashes of each, of the columns that the query
    /// reads. Data with the same one have the same answers, but for a collision.
    pub fn fingerprint_of(&self, rows: &[Vec<Option<String>>]) -> Result<String, SqlError> {
        const SHAPE: SqlError = SqlError::Result("the fingerprint");
        let [row] = rows else {
            return Err(SHAPE);
        };
        if row.len() != self.fingerprint_cells {
            return Err(SHAPE);
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.read.as_bytes());
        for cell in row {
            // The sum over no rows is null.
            let cell = cell.as_deref().unwrap_or("0");
            if cell.is_empty() || !cell.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(SHAPE);
            }
            hasher.update(format!("{cell}\n").as_bytes());
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// The exact integers, from the result of each statement of [`Statements::text`].
    pub fn answer(&self, results: &[Rows]) -> Result<Answer, SqlError> {
        let [count, tables @ ..] = results else {
            return Err(SqlError::Result("the answer"));
        };
        if tables.len() != self.tables.len() {
            return Err(SqlError::Result("the answer"));
        }
        let rows = decode::one_count(count)?;
        if rows > 1 << LOG2_MOST_ROWS {
            return Err(SqlError::TooManyRows);
        }
        let tables = self.tables.iter().zip(&self.layout.tables).zip(tables);
        let tables =
            tables.map(|((statement, table), rows)| decode::groups(statement, table, rows));
        Ok(Answer {
            rows,
            tables: tables.collect::<Result<_, _>>()?,
        })
    }
}
