//! Reports: published numbers with their errors and receipts.

mod model;

pub use model::{Cell, Picture, Receipt, Report, Statistic};
