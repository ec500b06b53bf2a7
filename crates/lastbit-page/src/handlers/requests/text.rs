//! The text of a plan: what it is worth, saving it, and its rehearsal.

use axum::body::Bytes;
use axum::extract::State;
use lastbit_release::plan::Plan;
use lastbit_release::release;
use serde::Deserialize;
use serde_json::json;

use super::{Failed, answered, confined, conflict, valid};
use crate::answer::Answer;
use crate::directory::hash;
use crate::plan::{self as text, Operation};
use crate::server::Shared;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
    #[serde(default)]
    operations: Vec<Operation>,
}

/// A text after operations, with its form, mistakes and price.
pub async fn plan(State(shared): State<Shared>, body: Bytes) -> Answer {
    answered(shared, body, |shared, request: Text| {
        let text = text::edited(&request.text, &request.operations).map_err(conflict)?;
        Ok(text::look(shared, &text))
    })
    .await
}

/// What is worth knowing of a text beside its price, and whether its files have its columns.
pub async fn advice(State(shared): State<Shared>, body: Bytes) -> Answer {
    answered(shared, body, |shared, request: Text| {
        let plan = valid(shared, &request.text)?;
        let mut advice = text::advice(shared, &plan);
        let names = confined(shared, &plan).and_then(|()| named(&plan));
        advice["names"] = names.err().map(|(_, message)| message).into();
        Ok(advice)
    })
    .await
}

/// Refuses columns that the files of a plan lack, by their names alone, where the files are there.
#[cfg(feature = "engine")]
fn named(plan: &Plan) -> Result<(), Failed> {
    lastbit_release::engine::check_names(plan).map_err(|error| conflict(error.to_string()))
}

#[cfg(not(feature = "engine"))]
fn named(_: &Plan) -> Result<(), Failed> {
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Save {
    name: String,
    text: String,
    before: String,
}

/// Writes a plan that was read from its file.
pub async fn save(State(shared): State<Shared>, body: Bytes) -> Answer {
    answered(shared, body, |shared, request: Save| {
        shared
            .directory()
            .write_plan(&request.name, &request.text, Some(&request.before))
            .map_err(conflict)?;
        Ok(json!({ "hash": hash(&request.text) }))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rehearse {
    text: String,
}

/// A report on invented rows.
pub async fn rehearse(State(shared): State<Shared>, body: Bytes) -> Answer {
    answered(shared, body, |shared, request: Rehearse| {
        let plan = valid(shared, &request.text)?;
        let report = release::rehearse(&plan).map_err(|error| conflict(error.to_string()))?;
        Ok(json!({ "number": shared.jobs().keep(report) }))
    })
    .await
}
