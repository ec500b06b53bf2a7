//! A release: what was confirmed is started, and then followed to its end.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use lastbit_release::account::Prices;
use lastbit_release::engine::{Progress, for_plan};
use lastbit_release::plan::Plan;
use lastbit_release::release::{At, Changed, Identity, ReleaseError, Released, release_as_seen};
use serde::Deserialize;
use serde_json::json;

use super::{answered, confined, conflict, valid};
use crate::answer::{self, Answer};
use crate::directory::{Directory, hash};
use crate::html::in_lines;
use crate::jobs::{Confirmed, End};
use crate::plan as text;
use crate::server::Shared;

/// A release as it was confirmed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    name: String,
    /// Of the text whose price was seen.
    hash: String,
    /// What was seen to be released.
    identity: String,
    /// What was seen to be spent.
    loss: String,
    /// What was seen to be left, if the ledger could be read.
    #[serde(default)]
    remaining: Option<String>,
    /// The row of the ledger in which the same was released, if it was seen that the data changed
    /// since.
    #[serde(default)]
    again: Option<i64>,
}

/// Starts a release of a plan as its file says it, if that is what was confirmed.
pub async fn release(State(shared): State<Shared>, body: Bytes) -> Answer {
    answered(shared, body, |shared, request: Release| {
        let changed = || conflict("the plan is not the one whose price you saw; look at it again");
        let text = shared
            .directory()
            .read_plan(&request.name)
            .map_err(conflict)?;
        if hash(&text) != request.hash {
            return Err(changed());
        }
        let plan = valid(shared, &text)?;
        // The same, confirmed in another tab, is waited for: it is paid once.
        let confirmed = Confirmed {
            name: request.name,
            hash: request.hash,
            identity: request.identity,
        };
        if let Some(number) = shared.jobs().under_way(&confirmed) {
            return Ok(json!({ "job": number }));
        }
        let known = shared.left().account(shared.directory());
        let prices = text::prices(&plan, &known).map_err(|error| conflict(error.to_string()))?;
        let left = text::left(&known, &plan, &prices.loss);
        if request
            .remaining
            .is_some_and(|seen| left["remaining"] != json!(seen))
        {
            return Err(conflict(
                "another release came first, and less is left than you saw; look at the price \
                 again",
            ));
        }
        if Identity::new(&plan, &prices).hex() != confirmed.identity
            || prices.loss.to_string() != request.loss
        {
            return Err(changed());
        }
        confined(shared, &plan)?;
        let (number, job) = match shared.jobs().start(&confirmed) {
            Ok(new) => new,
            Err(number) => return Ok(json!({ "job": number })),
        };
        let (shared, watched) = (shared.clone(), job.clone());
        // A thread of its own: it ends when it is done, not when somebody stops waiting.
        let started = std::thread::Builder::new()
            .name("release".to_owned())
            .spawn(move || {
                let watched = job.clone();
                let progress = Arc::new(move |_: u64, part: Option<f64>| {
                    if let Some(part) = part {
                        watched.read(part);
                    }
                });
                let released = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    released(&plan, &prices, shared.directory(), progress, request.again)
                }));
                job.end(released.unwrap_or_else(|_| {
                    End::Failed(
                        "this is a fault of lastbit; the ledger shows whether anything was spent"
                            .to_owned(),
                    )
                }));
            });
        if let Err(error) = started {
            let words = format!("the release could not be started: {error}");
            watched.end(End::Failed(words.clone()));
            return Err(conflict(words));
        }
        Ok(json!({ "job": number }))
    })
    .await
}

/// Releases a plan at the price that was seen. Where the data changed since the same was released
/// in a row other than `again`, it ends with what to ask.
fn released(
    plan: &Plan,
    prices: &Prices,
    directory: &Directory,
    progress: Progress,
    again: Option<i64>,
) -> End {
    let engine = match for_plan(plan) {
        Ok(engine) => engine,
        Err(error) => return End::Failed(in_lines(&error.to_string())),
    };
    let identity = Identity::new(plan, prices);
    let mut question = None;
    let mut go_on = |changed: &Changed| {
        question = Some(json!({ "row": changed.row, "words": changed.to_string() }));
        again == Some(changed.row)
    };
    let released = release_as_seen(
        plan,
        At::Directory(directory.path()),
        engine.as_ref(),
        progress,
        (&identity, &prices.loss),
        &mut go_on,
    );
    match (released, question) {
        (Ok(released), _) => End::Done(json!({
            "row": released.report().receipt.ledger_row,
            "before": match &released {
                Released::Stored { time, .. } => json!(time),
                Released::New(_) => json!(null),
            },
        })),
        (Err(ReleaseError::Declined), Some(question)) => End::Question(question),
        (Err(error), _) => End::Failed(in_lines(&error.to_string())),
    }
}

/// How far a release is.
pub async fn job(State(shared): State<Shared>, Path(number): Path<u64>) -> Answer {
    match shared.jobs().job(number) {
        Some(job) => answer::json(&job.json()),
        None => answer::refused(StatusCode::NOT_FOUND, "there is no such release"),
    }
}
