//! Counts over a tree of bins: ranges and quantiles from few noisy numbers.

mod build;
mod consistency;
mod query;
mod shape;

pub use build::{tree, tree_of_counts};
pub use query::Position;
pub use shape::Tree;
