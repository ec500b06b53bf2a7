//! Reports as JSON, by the schema of `docs/report.md`.

use std::borrow::Cow;

use super::Report;

/// The version of the schema that this program writes and reads.
pub const SCHEMA: u32 = 1;

/// Why a text is not a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Not JSON, or not the fields of a report.
    #[error(
        "this is not a report of lastbit ({0}); give it a file that `lastbit release --json` wrote"
    )]
    Syntax(#[from] serde_json::Error),
    /// Another version of the schema.
    #[error(
        "the report has schema {0}, this program reads schema {SCHEMA}; use the version of lastbit \
         that wrote it"
    )]
    OtherSchema(u64),
}

/// The report in JSON, with a line break at the end. Hidden characters are written as `\u202e`, so
/// that it may be shown on a terminal.
pub fn to_json(report: &Report) -> String {
    let text = serde_json::to_string_pretty(report)
        .expect("a report is structs, vectors and strings, which JSON can hold");
    // Seldom is there anything to clean, and a long text is not copied for nothing.
    let cleaned = match crate::clean::json(&text) {
        Cow::Owned(cleaned) => Some(cleaned),
        Cow::Borrowed(_) => None,
    };
    let mut text = cleaned.unwrap_or(text);
    text.push('\n');
    text
}

/// The report in JSON without spaces, for the ledger.
pub(crate) fn to_stored(report: &Report) -> String {
    serde_json::to_string(report)
        .expect("a report is structs, vectors and strings, which JSON can hold")
}

/// Reads what [`to_json`] wrote.
pub fn from_json(text: &str) -> Result<Report, ReportError> {
    let Version { schema } = serde_json::from_str(text)?;
    match schema.as_u64() {
        Some(schema) if schema != u64::from(SCHEMA) => Err(ReportError::OtherSchema(schema)),
        _ => Ok(serde_json::from_str(text)?),
    }
}

/// The one field that every version has; the others are skipped.
#[derive(serde::Deserialize)]
struct Version {
    #[serde(default)]
    schema: serde_json::Value,
}
