//! Answers, each with the headers that keep a browser to this page.

use axum::body::Body;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};

/// An answer.
pub type Answer = Response<Body>;

/// Scripts and styles from this server alone, none inline; nothing from elsewhere, and nobody may
/// frame it.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";

/// On every answer.
const HEADERS: [(&str, &str); 8] = [
    ("cache-control", "no-store"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=()",
    ),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

/// A body of a type, with the policy of the page.
pub fn of(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Answer {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    headers.insert("content-security-policy", HeaderValue::from_static(POLICY));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// Whether an answer was made here, and has what every answer has.
pub fn is_own(answer: &Answer) -> bool {
    answer.headers().contains_key("content-security-policy")
}

/// A page.
pub fn html(body: String) -> Answer {
    of(StatusCode::OK, "text/html; charset=utf-8", body)
}

/// A page whose one inline style is the one with this hash.
pub fn html_with_style(body: String, sha256: &str) -> Answer {
    let mut answer = html(body);
    let policy = POLICY.replace(
        "style-src 'self'",
        &format!("style-src 'self' 'sha256-{sha256}'"),
    );
    // The hash is base64 of ours.
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        answer
            .headers_mut()
            .insert("content-security-policy", policy);
    }
    answer
}

/// Something for the script.
pub fn json(value: &Value) -> Answer {
    of(
        StatusCode::OK,
        "application/json",
        lastbit_release::clean::json(&value.to_string()).into_owned(),
    )
}

/// A refusal for the script.
pub fn refused(status: StatusCode, message: &str) -> Answer {
    let mut answer = json(&json!({ "error": lastbit_release::clean::shortened(message, 4000) }));
    *answer.status_mut() = status;
    answer
}

/// A refusal that anybody may see.
pub fn plain(status: StatusCode, message: &'static str) -> Answer {
    of(status, "text/plain; charset=utf-8", message)
}

/// A file to keep, under a name of ours: `report-7.csv`.
pub fn download(kind: &'static str, row: i64, ending: &str, body: impl Into<Body>) -> Answer {
    let mut answer = of(StatusCode::OK, kind, body);
    let disposition = format!("attachment; filename=\"report-{row}.{ending}\"");
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        answer
            .headers_mut()
            .insert(CONTENT_DISPOSITION, disposition);
    }
    answer
}
