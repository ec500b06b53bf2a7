//! The columns of a query: read, coded, looked up, filtered and derived, as `engine::files::derive`
//! does with batches.

use std::collections::BTreeMap;

use super::cells::{Kind, StagedColumn};
use super::form::{Expr, Form};
use super::{CellType, Dialect, Relation, SqlError};
use crate::engine::derive::{DeriveStep, From};
use crate::expression::Expression;
use crate::query::Query;

/// The columns that are wanted, at the stages of a form.
pub(super) struct Source {
    pub form: Form,
    cells: BTreeMap<String, StagedColumn>,
    /// `select … from …`, which the first stage is.
    pub first: String,
}

impl Source {
    pub(super) fn new(
        query: &Query,
        columns: &[(String, CellType)],
        relation: &Relation,
        dialect: &'static dyn Dialect,
        wanted: &[String],
        filters: &[Expression],
    ) -> Result<Source, SqlError> {
        let step = DeriveStep::new(&query.derive, wanted, filters).map_err(SqlError::query)?;
        let mut form = Form::new(dialect);
        let mut base: BTreeMap<String, StagedColumn> = BTreeMap::new();
        let mut selected = Vec::new();
        for (place, name) in step.reads().iter().enumerate() {
            let found = columns.iter().find(|(other, _)| other == name);
            let (_, cell_type) = found.ok_or_else(|| SqlError::UnknownColumn(name.clone()))?;
            selected.push(format!("{} AS c{place}", dialect.identifier(name)?));
            let mut cell = StagedColumn {
                column: name.clone(),
                value: Expr::atom(format!("c{place}")),
                kind: Kind::Raw(*cell_type),
            };
            let codes = query.derive.codes.iter().find(|(other, _)| other == name);
            if let Some((_, codes)) = codes {
                let is_code = form.says(&cell, codes)?;
                let c = &cell.value.sql;
                let sql = format!("CASE WHEN {} THEN NULL ELSE {c} END", is_code.sql);
                cell.value = form.bind(Expr::of(&[&is_code], sql));
            }
            base.insert(name.clone(), cell);
        }
        let first = format!(
            "SELECT {}\n  FROM {}",
            match selected.is_empty() {
                true => "1 AS c0".to_owned(),
                false => selected.join(", "),
            },
            relation.sql(dialect)?
        );
        for (table, column) in step.looked() {
            let lookup = &query.derive.lookups[*table];
            let key = base.get(lookup.key());
            let key = key.ok_or_else(|| SqlError::UnknownColumn(lookup.key().to_owned()))?;
            let key = form.text(&key.clone())?;
            let key = form.bind(key);
            let rows = lookup.found(*column);
            let rows: Vec<String> = rows
                .map(|(key, cell)| {
                    let (key, cell) = (dialect.literal(key)?, dialect.literal(cell)?);
                    Ok(format!("({key}, {cell})"))
                })
                .collect::<Result<_, SqlError>>()?;
            let name = &lookup.columns()[*column];
            let value = match rows.is_empty() {
                true => {
                    let null = format!("CAST(NULL AS {})", dialect.text_type());
                    form.bind(Expr::of(&[&key], null))
                }
                false => {
                    let (k, c) = (dialect.values_column(1), dialect.values_column(2));
                    let table = format!(
                        "(SELECT {} AS lk, {} AS lv FROM (VALUES {}) AS one)",
                        dialect.binary(&k),
                        dialect.binary(&c),
                        rows.join(", ")
                    );
                    form.join(&key, &table)
                }
            };
            let cell = StagedColumn {
                column: name.clone(),
                value,
                kind: Kind::Canonical,
            };
            base.insert(name.clone(), cell);
        }
        let see = |name: &str| {
            let found = base.get(name).cloned();
            found.ok_or_else(|| SqlError::UnknownColumn(name.to_owned()))
        };
        if let Some(filter) = &query.derive.filter {
            let filter = form.node(filter.node(), &see)?;
            form.filter(&filter);
        }
        let mut cells = BTreeMap::new();
        for (name, from) in step.columns() {
            let cell = match from {
                From::Source(_) => see(name)?,
                From::Derived(place) => {
                    let (_, expression) = &query.derive.columns[*place];
                    let mut cell = form.computed(expression.node(), &see)?;
                    cell.column.clone_from(name);
                    cell
                }
            };
            cells.insert(name.clone(), cell);
        }
        Ok(Source { form, cells, first })
    }

    /// Of columns that are there.
    pub(super) fn of(form: Form, cells: Vec<StagedColumn>) -> Source {
        let cells = cells.into_iter().map(|cell| (cell.column.clone(), cell));
        Source {
            form,
            cells: cells.collect(),
            first: String::new(),
        }
    }

    pub(super) fn cell(&self, name: &str) -> Result<StagedColumn, SqlError> {
        let found = self.cells.get(name).cloned();
        found.ok_or_else(|| SqlError::UnknownColumn(name.to_owned()))
    }

    /// Whether a row passes the filter of a table.
    pub(super) fn passes(&mut self, filter: &Expression) -> Result<Expr, SqlError> {
        let cells = &self.cells;
        let see = |name: &str| {
            let found = cells.get(name).cloned();
            found.ok_or_else(|| SqlError::UnknownColumn(name.to_owned()))
        };
        let passes = self.form.node(filter.node(), &see)?;
        Ok(self.form.bind(passes))
    }
}
