//! Reports: published numbers with their errors and receipts.
//!
//! A [`Report`] is data; [`text`], [`to_json`], [`csv`] and [`html`] render it, for a terminal, for programs, for spreadsheets, and as one
//! page that needs nothing else. Names in it may come from the data and are never trusted: each rendering escapes them.

mod clean;
mod csv;
pub(crate) mod html;
mod json;
mod model;
mod text;

pub use clean::visible;
pub use csv::csv;
pub use html::html;
pub use json::{ReportError, SCHEMA, from_json, to_json};
pub use model::{Cell, Picture, Receipt, Report, Statistic};
pub use text::text;
