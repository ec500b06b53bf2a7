//! A new plan from the names and declared types of a table's columns.

use axum::body::Bytes;
use axum::extract::State;
use lastbit_release::clean::visible;
use lastbit_release::plan::{Declared, DeclaredType};
use serde::Deserialize;
use serde_json::json;

use super::{Failed, answered, conflict};
use crate::answer::Answer;
use crate::server::Shared;

#[cfg(not(feature = "engine"))]
const NO_ENGINE: &str = "this lastbit was built without the engine that reads tables; build it \
    with the feature `engine`";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    table: String,
}

/// The names and declared types of a table's columns; no cell.
pub async fn columns(State(shared): State<Shared>, body: Bytes) -> Answer {
    answered(shared, body, |shared, request: Table| {
        let (read, columns, _) = declared(shared, &request.table)?;
        let columns: Vec<_> = columns
            .iter()
            .map(|column| json!({ "name": visible(&column.name), "of": words(column) }))
            .collect();
        Ok(json!({ "read": read, "columns": columns }))
    })
    .await
}

fn words(column: &Declared) -> String {
    match &column.of {
        None => "no type declared".to_owned(),
        Some(DeclaredType::Number) => "numbers".to_owned(),
        Some(DeclaredType::Text) => "texts".to_owned(),
        Some(DeclaredType::Boolean) => "true or false".to_owned(),
        Some(DeclaredType::Other(other)) => visible(other).into_owned(),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Draft {
    table: String,
    name: String,
}

/// Writes a draft under a new name.
pub async fn draft(State(shared): State<Shared>, body: Bytes) -> Answer {
    answered(shared, body, |shared, request: Draft| {
        let (read, columns, delimiter) = declared(shared, &request.table)?;
        // The form has a place for each section.
        let most = usize::MAX;
        let text = lastbit_release::plan::draft(&request.table, delimiter, read, &columns, most);
        let name = match request.name.ends_with(".toml") {
            true => request.name,
            false => format!("{}.toml", request.name),
        };
        shared
            .directory()
            .write_plan(&name, &text, None)
            .map_err(conflict)?;
        Ok(json!({ "name": name }))
    })
    .await
}

/// What was read, the columns, and what is between cells if the name of the table does not say so.
type Columns = (&'static str, Vec<Declared>, Option<u8>);

#[cfg(feature = "engine")]
fn declared(shared: &Shared, table: &str) -> Result<Columns, Failed> {
    use lastbit_release::plan::{FileFormat, Files};
    shared.directory().table(table).map_err(conflict)?;
    let mut source = Files::of_file(table).map_err(|error| conflict(error.message().to_owned()))?;
    source.base = shared.directory().path().to_owned();
    let other = lastbit_release::engine::delimiter(&source);
    if let (Some(other), FileFormat::Csv { delimiter, .. }) = (other, &mut source.format) {
        *delimiter = other;
    }
    let columns =
        lastbit_release::engine::declared(&source).map_err(|error| conflict(error.to_string()))?;
    let read = lastbit_release::engine::declared_from(&source.format);
    Ok((read, columns, other))
}

#[cfg(not(feature = "engine"))]
fn declared(_: &Shared, _: &str) -> Result<Columns, Failed> {
    Err(conflict(NO_ENGINE))
}
