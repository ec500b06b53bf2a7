//! Requests of the script. Each body is JSON; each answer is, too.

mod draft;
mod inspect;
mod release;
mod text;

use axum::body::Bytes;
use axum::http::StatusCode;
use lastbit_release::plan::Plan;
use serde::de::DeserializeOwned;

pub use draft::{columns, draft};
pub use inspect::inspect;
pub use release::{job, release};
pub use text::{advice, plan, rehearse, save};

use crate::answer::{self, Answer};
use crate::html::in_lines;
use crate::plan::read;
use crate::server::Shared;

/// What went wrong, for the script.
type Failed = (StatusCode, String);

fn conflict(message: impl Into<String>) -> Failed {
    (StatusCode::CONFLICT, message.into())
}

/// Reads the request and answers it, away from the connections.
async fn answered<T: DeserializeOwned + Send + 'static>(
    shared: Shared,
    body: Bytes,
    reply: impl FnOnce(&Shared, T) -> Result<serde_json::Value, Failed> + Send + 'static,
) -> Answer {
    shared
        .work(move |shared| replied(shared, &body, reply))
        .await
}

fn replied<T: DeserializeOwned>(
    shared: &Shared,
    body: &[u8],
    reply: impl FnOnce(&Shared, T) -> Result<serde_json::Value, Failed>,
) -> Answer {
    let Ok(request) = serde_json::from_slice(body) else {
        return answer::refused(StatusCode::BAD_REQUEST, "this is no request of the page");
    };
    match reply(shared, request) {
        Ok(value) => answer::json(&value),
        Err((status, message)) => answer::refused(status, &in_lines(&message)),
    }
}

/// The plan of a text that has no mistakes.
fn valid(shared: &Shared, text: &str) -> Result<Plan, Failed> {
    match read(shared.directory(), text) {
        (Some(plan), _) => Ok(plan),
        (None, mistakes) => {
            let first = mistakes.into_iter().next();
            Err(conflict(
                first.map_or(String::new(), |mistake| mistake.message),
            ))
        }
    }
}

/// That every file of the plan is in the directory, wherever links lead.
#[cfg(feature = "engine")]
fn confined(shared: &Shared, plan: &Plan) -> Result<(), Failed> {
    let joined = plan.derive.joins.iter().map(|join| &join.source);
    for source in [&plan.source].into_iter().chain(joined) {
        let files = match source.database() {
            None => lastbit_release::engine::files(source)
                .map_err(|error| conflict(error.to_string()))?,
            Some(database) => database.files().collect(),
        };
        for file in &files {
            shared.directory().check_real(file).map_err(conflict)?;
        }
    }
    crate::ledger::place(shared.directory()).map_err(conflict)?;
    Ok(())
}

#[cfg(not(feature = "engine"))]
fn confined(_: &Shared, _: &Plan) -> Result<(), Failed> {
    Ok(())
}
