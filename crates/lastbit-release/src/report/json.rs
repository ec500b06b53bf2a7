//! Reports as JSON, by the schema of `docs/report.md`.

use super::Report;

/// The version of the schema that this program writes and reads.
pub const SCHEMA: u32 = 1;

/// Why a text is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Not JSON, or not the fields of a report.
    #[error(
        "this is no report of lastbit ({0}); give it a file that `lastbit release --json` wrote"
    )]
    Syntax(#[from] serde_json::Error),
    /// Another version of the schema.
    #[error(
        "the report has schema {0}, this program reads schema {SCHEMA}; use the version of lastbit that wrote it"
    )]
    OtherSchema(u64),
}

/// The report in JSON, with a line break at the end.
pub fn to_json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report)
        .expect("a report is structs, vectors and strings, which JSON can hold");
    text.push('\n');
    text
}

/// Reads what [`to_json`] wrote.
pub fn from_json(text: &str) -> Result<Report, ReportError> {
    let value: serde_json::Value = serde_json::from_str(text)?;
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        Some(schema) if schema != u64::from(SCHEMA) => Err(ReportError::OtherSchema(schema)),
        _ => Ok(serde_json::from_value(value)?),
    }
}
