//! Functions of data without noise, each with an exact bound on how far one row moves its value.
//!
//! A function here returns a [`Transformation`](crate::Transformation); chain them with `>>` and
//! end in a measurement. Rows are compared as multisets, so nothing depends on their order. Sums
//! are sums of integers: a float is put on a grid row by row first ([`round_to_grid`], or the
//! `…_on_grid` forms that do it in one pass), because the sensitivity of a float sum is larger than
//! the ideal one.
//!
//! | from rows to | functions | one row added or removed | one row changed |
//! |---|---|---|---|
//! | rows | [`clamp`], [`cast_or_replace`], [`round_to_grid`] | 1 | 1 |
//! | rows | [`index`], [`map_rows`], [`select`] | 1 | 1 |
//! | fewer rows | [`filter`], [`filter_frame`], [`cast_or_drop`], [`unique`] | 1 | 2 come or go |
//! | n rows | [`resize`] | 1 changed | 1 |
//! | a number | [`count`], [`count_if`] | 1 | 0, 1 |
//! | a number | [`sum`], [`sum_on_grid`] | max(\|a\|, \|b\|) | b − a |
//! | a number, n public | [`mean`], [`variance`], [`covariance`] | – | [`statistics`] |
//! | a vector or map | [`histogram`], [`count_by_key`] | 1 in every norm | L1 2, L2 √2, L∞ 1 |
//! | a vector | [`weighted_histogram`] | m in every norm | L1 2m, L2 max(√2·m, w), L∞ max(m, w) |
//! | a vector | [`tree()`](tree()) | L1 h, L2 √h, L∞ 1 | L1 2(h−1), L2 √(2(h−1)), L∞ 1 |
//!
//! Weights are in [a, b]: m is max(\|a\|, \|b\|), and w is b − a. A tree has h levels.
//!
//! [`statistics`]: crate::statistics
//!
//! If the number of rows is public, distances count changed rows: two data sets of the same size
//! are never an odd symmetric distance apart, and a row added with a row removed is one row
//! changed. Every map uses this.
//!
//! ```
//! use lastbit::Bounds;
//! use lastbit::domains::{AtomDomain, Frame, FrameDomain};
//! use lastbit::metrics::SymmetricDistance;
//! use lastbit::statistics::{Grid, NonFinite};
//! use lastbit::transformations::{cast_or_replace, select, sum_on_grid};
//!
//! let frame = FrameDomain::new([("income", AtomDomain::<String>::new().into())])?;
//! let column = select::<String, _>(frame, SymmetricDistance, "income")?;
//! let read = cast_or_replace(column.output_domain().clone(), SymmetricDistance, 0.0)?;
//! let grid = Grid::new(&Bounds::parse("0", "5000")?, -2, NonFinite::Refuse)?;
//! let total = (column
//!     >> read.clone()
//!     >> sum_on_grid(read.output_domain().clone(), SymmetricDistance, &grid)?)?;
//!
//! let rows = ["1200.26", "n/a", "99999"].map(String::from).to_vec();
//! assert_eq!(total.invoke(&Frame::new([("income", rows.into())])?)?.to_string(), "6200.25");
//! assert_eq!(total.map(&1)?.to_string(), "5000");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(
    clippy::type_complexity,
    reason = "the type of a transformation is the two spaces that it connects"
)]

mod binning;
mod cast;
mod clamp;
mod count;
mod count_by_key;
mod covariance;
mod error;
mod exact_number;
mod filter;
mod histogram;
mod index;
mod mean;
mod norm;
mod order;
mod resize;
mod round_to_grid;
mod rows;
mod scale;
mod select;
mod sum;
mod tree;
mod unique;
mod variance;
mod weighted_histogram;

pub use binning::{Binning, CategoryBins, Edges};
pub use cast::{CastTo, cast_or_drop, cast_or_refuse, cast_or_replace};
pub use clamp::clamp;
pub use count::{count, count_if};
pub use count_by_key::count_by_key;
pub use covariance::{covariance, covariance_on_grid};
pub use error::TransformationError;
pub use exact_number::ExactNumber;
pub use filter::{filter, filter_frame};
pub use histogram::histogram;
pub use index::index;
pub use mean::{mean, mean_on_grid};
pub use norm::Norm;
pub use order::TotalOrder;
pub use resize::{Keep, resize};
pub use round_to_grid::round_to_grid;
pub use rows::{RowDomain, RowMetric, map_rows};
pub use scale::scale;
pub use select::select;
pub use sum::{sum, sum_on_grid};
pub use tree::{Position, Tree, tree, tree_of_counts};
pub use unique::unique;
pub use variance::{variance, variance_on_grid};
pub use weighted_histogram::{weighted_histogram, weighted_histogram_on_grid};
