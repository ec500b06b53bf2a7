//! The inspection, which is not private.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use lastbit_release::engine::for_plan;
use lastbit_release::inspect::{inspect_not_private, lines};
use lastbit_release::plan::Plan;
use serde::Deserialize;
use serde_json::json;

use super::{confined, conflict, replied, valid};
use crate::answer::{self, Answer};
use crate::server::Shared;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inspect {
    text: String,
    not_private: bool,
}

/// What the data do to a plan, for the steward alone.
pub async fn inspect(State(shared): State<Shared>, body: Bytes) -> Answer {
    let inspected = shared.inspect(move |shared| {
        replied(shared, &body, |shared, request: Inspect| {
        if !request.not_private {
            return Err(conflict(
                "inspect shows exact facts about the data, which no noise protects; say that you \
                 know it",
            ));
        }
        let plan = valid(shared, &request.text)?;
        confined(shared, &plan)?;
        inspected(&plan).map_err(conflict)
        })
    });
    inspected.await.unwrap_or_else(|| {
        answer::refused(
            StatusCode::CONFLICT,
            "another inspection is under way, perhaps of a window that was closed; ask again when \
             it is done",
        )
    })
}

fn inspected(plan: &Plan) -> Result<serde_json::Value, String> {
    let quiet = Arc::new(|_, _| {});
    let engine = for_plan(plan).map_err(|error| error.to_string())?;
    let inspection =
        inspect_not_private(plan, engine.as_ref(), quiet).map_err(|error| error.to_string())?;
    Ok(json!({ "lines": lines(plan, &inspection) }))
}
