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
use crate::engine::derive::{DeriveStep, From};
use crate::engine::evaluate::Rows;

/// The rows that count, with the wanted columns in their order.
pub(super) struct Derived {
    pub batch: RecordBatch,
    /// Of each filter the rows that pass; `None` if all do.
    pub passes: Vec<Option<BooleanBuffer>>,
}

impl DeriveStep {
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
            texts(column, &self.reads()[*place], |cell| {
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
        if self.looked().is_empty() {
            return Ok(batch);
        }
        let schema = batch.schema();
        let mut fields: Vec<Field> = schema.fields().iter().map(|f| f.as_ref().clone()).collect();
        let mut columns = batch.columns().to_vec();
        for (table, column) in self.looked() {
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
        if self.columns().iter().enumerate().all(is_prefix) {
            if self.columns().len() == batch.num_columns() {
                return Ok(batch.clone());
            }
            let places: Vec<usize> = (0..self.columns().len()).collect();
            return batch.project(&places).map_err(failed);
        }
        let rows = Rows::new(batch);
        let mut fields = Vec::with_capacity(self.columns().len());
        let mut columns = Vec::with_capacity(self.columns().len());
        for (name, from) in self.columns() {
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
