//! Reports and prices, as people and programs read them.
//!
//! A [`Report`] is data. [`text`] renders it for a terminal, [`to_json`] for programs, [`csv`] and
//! `parquet` as tables, and [`html`] as one page that needs nothing else; [`method`] says how its
//! numbers were made. Names in it may come from the data and are never trusted: each rendering
//! escapes them.

mod about;
mod bar;
mod csv;
mod guess;
pub(crate) mod html;
mod interval;
mod json;
mod loss;
mod method;
mod model;
mod noisy;
mod notes;
#[cfg(feature = "engine")]
mod parquet;
mod price_html;
mod price_json;
mod price_words;
mod sentences;
mod text;
mod vocabulary;
mod wrap;

pub use crate::cell::Cell;
pub(crate) use about::is_reading;
pub use about::{about, plan_warnings};
pub use bar::bar;
pub use csv::csv;
pub use guess::{WARNING, guess, guess_in_words, loss_in_words, warning};
pub use html::{document, escape, html, rung, svg, tick};
pub(crate) use json::to_stored;
pub use json::{ReportError, SCHEMA, from_json, to_json};
pub use loss::{amount_json, ledger_loss_json, slider_loss_json};
pub use method::{METHOD_MARK, method};
pub use model::{Bins, Picture, PublishedStatistic, Receipt, Report};
pub(crate) use noisy::is_too_noisy;
pub(crate) use notes::notes;
#[cfg(feature = "engine")]
pub use parquet::{PARQUET_MARK, arrow, parquet};
pub use price_html::price_html;
pub use price_json::price_json;
pub use price_words::{HEADER, counted, how_large, words};
pub(crate) use price_words::{loss as loss_words, mechanism, published_grid};
pub use text::{Style, styled_text, styled_text_within, text};
pub use vocabulary::{ACCOUNTANTS, noise_terms, price_terms};
pub use wrap::{wrapped, wrapped_within};
