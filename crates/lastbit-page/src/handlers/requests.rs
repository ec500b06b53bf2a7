//! Requests of the script. Each body is JSON; each answer is, too.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use lastbit_release::account::Prices;
use lastbit_release::clean::visible;
use lastbit_release::engine::{Progress, for_plan};
use lastbit_release::plan::Plan;
use lastbit_release::release::{self, Identity};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::answer::{self, Answer};
use crate::directory::{Directory, hash};
use crate::html::in_lines;
use crate::jobs::End;
use crate::plan::{self as text, Operation};
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

/// The smallest budget for what a text fixes.
pub async fn smallest(State(shared): State<Shared>, body: Bytes) -> Answer {
    answered(shared, body, |shared, request: Text| {
        Ok(text::smallest(shared, &request.text))
    })
    .await
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

/// The plan of a text that has no mistakes.
fn valid(shared: &Shared, text: &str) -> Result<Plan, Failed> {
    match text::read(shared.directory(), text) {
        (Some(plan), _) => Ok(plan),
        (None, mistakes) => {
            let first = mistakes.into_iter().next();
            Err(conflict(
                first.map_or(String::new(), |mistake| mistake.message),
            ))
        }
    }
}

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
        if let Some(number) = shared.jobs().under_way(&request.identity) {
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
        if Identity::new(&plan, &prices).hex() != request.identity
            || prices.loss.to_string() != request.loss
        {
            return Err(changed());
        }
        confined(shared, &plan)?;
        let (number, job) = match shared.jobs().start(&request.identity) {
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
    use lastbit_release::release::{At, Changed, ReleaseError, Released, release_as_seen};
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

#[cfg(not(feature = "engine"))]
const NO_ENGINE: &str = "this lastbit was built without the engine that reads tables; build it \
    with the feature `engine`";

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

/// How far a release is.
pub async fn job(State(shared): State<Shared>, Path(number): Path<u64>) -> Answer {
    match shared.jobs().job(number) {
        Some(job) => answer::json(&job.json()),
        None => answer::refused(StatusCode::NOT_FOUND, "there is no such release"),
    }
}

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

fn words(column: &lastbit_release::plan::Declared) -> String {
    use lastbit_release::plan::DeclaredType;
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
type Columns = (
    &'static str,
    Vec<lastbit_release::plan::Declared>,
    Option<u8>,
);

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
    use lastbit_release::inspect::{inspect_not_private, lines};
    let quiet = Arc::new(|_, _| {});
    let engine = for_plan(plan).map_err(|error| error.to_string())?;
    let inspection =
        inspect_not_private(plan, engine.as_ref(), quiet).map_err(|error| error.to_string())?;
    Ok(json!({ "lines": lines(plan, &inspection) }))
}
