//! Reports, in every form.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use lastbit_release::present::{Report, arrow, csv, html, text, to_json};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use pyo3_arrow::PyTable;

/// The columns that come first, before and after those of the groups.
const FIRST: [&[&str]; 2] = [
    &["statistic", "kind", "of"],
    &[
        "label",
        "value",
        "text",
        "error",
        "lower",
        "upper",
        "unit",
        "error_unit",
        "confidence",
    ],
];

/// What the column of the exact text was called first, and still is.
const TEXT: (&str, &str) = ("text", "published");

/// What begins the name of a column of groups.
const KEY: &str = "by.";

/// What was published.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub struct NativeReport {
    pub report: Report,
}

#[pymethods]
impl NativeReport {
    fn json(&self) -> String {
        to_json(&self.report)
    }

    fn html(&self) -> String {
        html(&self.report)
    }

    fn csv(&self) -> String {
        csv(&self.report)
    }

    fn text(&self) -> String {
        text(&self.report)
    }

    /// One row for each published number, by Arrow's C stream interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (schema, batches) = table(&self.report).map_err(fault)?;
        let table = PyTable::try_new(batches, schema)?.into_pyobject(py)?;
        table.call_method1("__arrow_c_stream__", (requested_schema,))
    }

    /// The same as lists by name, for whoever has no Arrow.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (schema, batches) = table(&self.report).map_err(fault)?;
        let columns = PyDict::new(py);
        for (place, field) in schema.fields().iter().enumerate() {
            let list = PyList::empty(py);
            for batch in &batches {
                append(&list, batch.column(place).as_ref())?;
            }
            columns.set_item(field.name(), list)?;
        }
        Ok(columns)
    }
}

fn fault(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(format!("this is a fault of lastbit: {error}; report it"))
}

/// The cells of an array, `None` for nulls.
fn append(list: &Bound<'_, PyList>, array: &dyn Array) -> PyResult<()> {
    match array.data_type() {
        DataType::Float64 => {
            let cells = array.as_primitive::<Float64Type>().iter();
            cells.into_iter().try_for_each(|cell| list.append(cell))
        }
        DataType::Int64 => {
            let mut cells = array.as_primitive::<Int64Type>().iter();
            cells.try_for_each(|cell| list.append(cell))
        }
        DataType::Boolean => {
            let mut cells = array.as_boolean().iter();
            cells.try_for_each(|cell| list.append(cell))
        }
        _ => {
            let mut cells = array.as_string::<i32>().iter();
            cells.try_for_each(|cell| list.append(cell))
        }
    }
}

/// The table of the report as a data frame has it: the columns of groups have the names of their
/// keys, but for those that another column has; and the exact text is there by its first name, too.
fn table(report: &Report) -> Result<(SchemaRef, Vec<RecordBatch>), ArrowError> {
    let (own, batches) = arrow(report)?;
    let mut named: Vec<(String, usize)> = Vec::new();
    for (place, field) in own.fields().iter().enumerate() {
        let name = field.name();
        named.push((name.clone(), place));
        if name == TEXT.1 {
            named.push((TEXT.0.to_owned(), place));
        }
    }
    let taken: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
    for (name, _) in &mut named {
        if let Some(key) = name.strip_prefix(KEY)
            && !taken.iter().any(|other| other == key)
        {
            *name = key.to_owned();
        }
    }
    named.sort_by_key(|(name, place)| rank(name, own.field(*place).name()));
    let fields: Vec<_> = named
        .iter()
        .map(|(name, place)| own.field(*place).clone().with_name(name))
        .collect();
    let schema = SchemaRef::new(Schema::new(fields));
    let batches = batches.iter().map(|batch| {
        let columns = named.iter().map(|&(_, place)| batch.column(place).clone());
        RecordBatch::try_new(SchemaRef::clone(&schema), columns.collect())
    });
    let batches = batches.collect::<Result<_, _>>()?;
    Ok((schema, batches))
}

/// Where a column stands: those of [`FIRST`] around the groups, and then the rest as it was.
fn rank(name: &str, own: &str) -> (usize, usize) {
    let [before, after] = FIRST.map(|names| names.iter().position(|first| *first == name));
    match (own.starts_with(KEY), before, after) {
        (true, _, _) => (1, 0),
        (_, Some(place), _) => (0, place),
        (_, _, Some(place)) => (2, place),
        _ => (3, 0),
    }
}
