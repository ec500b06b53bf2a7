//! What each path does.

mod pages;
mod requests;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};

use crate::answer::{self, Answer};
use crate::server::Shared;

/// A file of the page: its name, its kind and its text.
macro_rules! file {
    ($name:literal, $kind:expr) => {
        ($name, $kind, include_str!(concat!("../assets/", $name)))
    };
}

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Files of the page, in the binary.
const ASSETS: &[(&str, &str, &str)] = &[
    file!("page.css", STYLE),
    file!("report.css", STYLE),
    file!("common.js", SCRIPT),
    file!("page.js", SCRIPT),
    file!("plan.js", SCRIPT),
    file!("form.js", SCRIPT),
    file!("mistakes.js", SCRIPT),
    file!("price.js", SCRIPT),
    file!("sliders.js", SCRIPT),
    file!("release.js", SCRIPT),
    file!("inspect.js", SCRIPT),
    file!("draft.js", SCRIPT),
    file!("icon.svg", "image/svg+xml"),
];

/// Paths below the session's.
pub fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/plan/{name}", get(pages::plan))
        .route("/draft", get(pages::draft))
        .route("/ledger", get(pages::ledger))
        .route("/ledger/check", get(pages::check))
        .route("/report/{row}", get(pages::report))
        .route("/report/{row}/{form}", get(pages::download))
        .route("/rehearsal/{number}", get(pages::rehearsal))
        .route("/assets/{name}", get(asset))
        .route("/api/plan", post(requests::plan))
        .route("/api/advice", post(requests::advice))
        .route("/api/save", post(requests::save))
        .route("/api/columns", post(requests::columns))
        .route("/api/draft", post(requests::draft))
        .route("/api/rehearse", post(requests::rehearse))
        .route("/api/inspect", post(requests::inspect))
        .route("/api/release", post(requests::release))
        .route("/api/job/{number}", get(requests::job))
        .fallback(async || answer::plain(StatusCode::NOT_FOUND, "There is nothing here."))
        .method_not_allowed_fallback(async || {
            answer::plain(StatusCode::METHOD_NOT_ALLOWED, "Not by this method.")
        })
        .with_state(shared)
}

async fn asset(axum::extract::Path(name): axum::extract::Path<String>) -> Answer {
    match ASSETS.iter().find(|asset| asset.0 == name) {
        Some((_, kind, text)) => answer::of(StatusCode::OK, kind, *text),
        None => answer::plain(StatusCode::NOT_FOUND, "There is nothing here."),
    }
}
