//! Which rows count, and columns that are computed from others: one row at a time, before anything
//! else is done with them.
//!
//! A function of one row keeps tables that differ in a row tables that differ in a row, so nothing
//! here costs privacy. Public tables that are looked up in are part of the function.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray, new_null_array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::filter::filter_record_batch;
use arrow_select::nullif::nullif;

use super::EngineError;
use super::cells::texts;
use crate::clean::shown;
use crate::engine::evaluate::Rows;
use crate::expression::Expression;
use crate::query::Derive;
use crate::value::Values;

/// A [`Derive`] made ready for the columns and filters that a query wants.
#[derive(Debug)]
pub(in crate::engine) struct DeriveStep {
    derive: Derive,
    /// The columns that are read from the files.
    reads: Vec<String>,
    /// Codes of missing cells, by the place of a column in what is read.
    codes: Vec<(usize, Values)>,
    /// Columns that are looked up: the table, and the column in it. They come after those that are
    /// read.
    looked: Vec<(usize, usize)>,
    /// Where each wanted column comes from, and after those the columns that only filters see.
    columns: Vec<(String, From)>,
    wanted: usize,
    filters: Vec<Expression>,
    /// Of what is read and looked up: whether it is needed after the source's filter.
    later: Vec<bool>,
}

/// Where a column comes from.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum From {
    /// A place in what is read and looked up.
    Source(usize),
    /// A place in [`Derive::columns`].
    Derived(usize),
}

/// The rows that count, with the wanted columns in their order.
pub(super) struct Derived {
    pub batch: RecordBatch,
    /// Of each filter the rows that pass; `None` if all do.
    pub passes: Vec<Option<BooleanBuffer>>,
}

impl DeriveStep {
    /// Refuses a name that two derived columns have.
    pub(in crate::engine) fn new(
        derive: &Derive,
        wanted: &[String],
        filters: &[Expression],
    ) -> Result<DeriveStep, EngineError> {
        for (place, (name, _)) in derive.columns.iter().enumerate() {
            if derive.columns[..place]
                .iter()
                .any(|(other, _)| other == name)
            {
                return Err(EngineError::Query(format!(
                    "two derived columns are called `{}`; rename one of them",
                    shown(name)
                )));
            }
        }
        let mut names: Vec<&String> = wanted.iter().collect();
        for name in filters.iter().flat_map(Expression::columns) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let derived = |name: &String| derive.columns.iter().position(|(other, _)| other == name);
        let mut source = Needed::new(derive);
        for name in &names {
            match derived(name) {
                None => source.need(name),
                Some(place) => {
                    let columns = derive.columns[place].1.columns();
                    columns.iter().for_each(|column| source.need(column));
                }
            }
        }
        for column in derive.filter.iter().flat_map(Expression::columns) {
            source.need(column);
        }
        let mut later = vec![false; source.reads.len() + source.looked.len()];
        for name in &names {
            match derived(name) {
                None => later[source.place(name)] = true,
                Some(place) => {
                    let columns = derive.columns[place].1.columns();
                    columns
                        .iter()
                        .for_each(|column| later[source.place(column)] = true);
                }
            }
        }
        let columns = names
            .into_iter()
            .map(|name| {
                let from =
                    derived(name).map_or_else(|| From::Source(source.place(name)), From::Derived);
                (name.clone(), from)
            })
            .collect();
        let codes = derive.codes.iter().filter_map(|(name, codes)| {
            let place = source.reads.iter().position(|other| other == name)?;
            Some((place, Values::of(codes)))
        });
        Ok(DeriveStep {
            codes: codes.collect(),
            looked: source.looked.iter().map(|(_, at)| *at).collect(),
            reads: source.reads,
            columns,
            wanted: wanted.len(),
            filters: filters.to_vec(),
            later,
            derive: derive.clone(),
        })
    }

    /// The columns to read, in the order of the batches that [`DeriveStep::apply`] takes.
    pub(in crate::engine) fn reads(&self) -> &[String] {
        &self.reads
    }

    /// The columns that are looked up: the table, and the column in it. A key comes before what is
    /// looked up by it.
    pub(in crate::engine) fn looked(&self) -> &[(usize, usize)] {
        &self.looked
    }

    /// Where each wanted column comes from, and after those the columns that only filters see.
    pub(in crate::engine) fn columns(&self) -> &[(String, From)] {
        &self.columns
    }

    /// The rows that count, and which filters they pass.
    pub(super) fn apply(&self, batch: &RecordBatch) -> Result<Derived, EngineError> {
        let mut batch = self.look_up(self.without_codes(batch)?)?;
        if let Some(filter) = &self.derive.filter
            && let Some(selected) = filter.selects(&Rows::new(&batch))?
        {
            let selected = BooleanArray::new(selected, None);
            batch = filter_record_batch(&self.needed_later(batch)?, &selected).map_err(failed)?;
        }
        let all = self.derived(&batch)?;
        let rows = Rows::new(&all);
        let passes = self
            .filters
            .iter()
            .map(|filter| filter.selects(&rows))
            .collect::<Result<_, _>>()?;
        let places: Vec<usize> = (0..self.wanted).collect();
        Ok(Derived {
            batch: match self.wanted == all.num_columns() {
                true => all,
                false => all.project(&places).map_err(failed)?,
            },
            passes,
        })
    }

    /// Without what is in the columns that the source's filter alone needs. They keep their places.
    fn needed_later(&self, batch: RecordBatch) -> Result<RecordBatch, EngineError> {
        if self.later.iter().all(|&is_needed| is_needed) {
            return Ok(batch);
        }
        let mut fields = Vec::with_capacity(batch.num_columns());
        let mut columns = Vec::with_capacity(batch.num_columns());
        for (place, &is_needed) in self.later.iter().enumerate() {
            let field = batch.schema_ref().field(place);
            let column = match is_needed {
                true => Arc::clone(batch.column(place)),
                false => new_null_array(&DataType::Null, batch.num_rows()),
            };
            fields.push(Field::new(field.name(), column.data_type().clone(), true));
            columns.push(column);
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(failed)
    }

    /// Cells that say a code are missing.
    fn without_codes(&self, batch: &RecordBatch) -> Result<RecordBatch, EngineError> {
        if self.codes.is_empty() {
            return Ok(batch.clone());
        }
        let mut columns = batch.columns().to_vec();
        for (place, codes) in &self.codes {
            let column = &mut columns[*place];
            let mut is_code = Vec::with_capacity(column.len());
            texts(column, &self.reads[*place], |cell| {
                is_code.push(codes.contains(cell));
            })?;
            if is_code.contains(&true) {
                *column = nullif(column, &BooleanArray::from(is_code)).map_err(failed)?;
            }
        }
        let fields = batch.schema_ref().fields().iter();
        let fields: Vec<Field> = fields
            .map(|field| field.as_ref().clone().with_nullable(true))
            .collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(failed)
    }

    /// With the columns of public tables.
    fn look_up(&self, batch: RecordBatch) -> Result<RecordBatch, EngineError> {
        if self.looked.is_empty() {
            return Ok(batch);
        }
        let schema = batch.schema();
        let mut fields: Vec<Field> = schema.fields().iter().map(|f| f.as_ref().clone()).collect();
        let mut columns = batch.columns().to_vec();
        for (table, column) in &self.looked {
            let lookup = &self.derive.lookups[*table];
            let key = fields.iter().position(|field| field.name() == lookup.key());
            // `Needed` puts a key before what is looked up by it.
            let key = key.ok_or_else(|| EngineError::Engine("a key was not read".to_owned()))?;
            let mut found: Vec<Option<&str>> = Vec::with_capacity(batch.num_rows());
            texts(&columns[key], lookup.key(), |cell| {
                found.push(lookup.find(cell, *column));
            })?;
            let found: ArrayRef = Arc::new(StringArray::from(found));
            let name = &lookup.columns()[*column];
            fields.push(Field::new(name, found.data_type().clone(), true));
            columns.push(found);
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(failed)
    }

    /// The columns that are wanted or that filters see.
    fn derived(&self, batch: &RecordBatch) -> Result<RecordBatch, EngineError> {
        // Nothing to derive, and the columns are those read, but for some that only the source's
        // filter needed.
        let is_prefix = |(place, (_, from)): (usize, &(String, From))| match from {
            From::Source(at) => *at == place,
            _ => false,
        };
        if self.columns.iter().enumerate().all(is_prefix) {
            if self.columns.len() == batch.num_columns() {
                return Ok(batch.clone());
            }
            let places: Vec<usize> = (0..self.columns.len()).collect();
            return batch.project(&places).map_err(failed);
        }
        let rows = Rows::new(batch);
        let mut fields = Vec::with_capacity(self.columns.len());
        let mut columns = Vec::with_capacity(self.columns.len());
        for (name, from) in &self.columns {
            let column = match from {
                From::Source(place) => Arc::clone(batch.column(*place)),
                From::Derived(place) => self.derive.columns[*place].1.evaluate_rows(&rows)?,
            };
            fields.push(Field::new(name, column.data_type().clone(), true));
            columns.push(column);
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(failed)
    }
}

fn failed(error: ArrowError) -> EngineError {
    EngineError::Engine(error.to_string())
}

/// The columns that are needed of the files and of public tables.
struct Needed<'a> {
    derive: &'a Derive,
    reads: Vec<String>,
    /// Names, tables and columns in them.
    looked: Vec<(String, (usize, usize))>,
}

impl<'a> Needed<'a> {
    fn new(derive: &'a Derive) -> Needed<'a> {
        Needed {
            derive,
            reads: Vec::new(),
            looked: Vec::new(),
        }
    }

    fn need(&mut self, name: &str) {
        self.need_before(name, self.derive.lookups.len());
    }

    /// A key may itself be looked up in one of the tables before.
    fn need_before(&mut self, name: &str, end: usize) {
        let tables = self.derive.lookups[..end].iter().enumerate();
        let found = tables.rev().find_map(|(table, lookup)| {
            let column = lookup.columns().iter().position(|other| other == name)?;
            Some((table, column))
        });
        match found {
            Some((table, column)) => {
                if !self.looked.iter().any(|(other, _)| other == name) {
                    self.need_before(self.derive.lookups[table].key(), table);
                    self.looked.push((name.to_owned(), (table, column)));
                }
            }
            None if self.reads.iter().any(|other| other == name) => {}
            None => self.reads.push(name.to_owned()),
        }
    }

    /// The place of a column that is needed.
    fn place(&self, name: &str) -> usize {
        let looked = self.looked.iter().position(|(other, _)| other == name);
        let read = || self.reads.iter().position(|other| other == name);
        // Every name here was needed.
        looked.map_or_else(|| read().unwrap_or(0), |at| self.reads.len() + at)
    }
}
