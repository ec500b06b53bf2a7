//! Statistics of rows: their range, their sensitivity, and their exact values.
//!
//! A function named after a statistic ([`mean`], [`variance`], [`sum`], …) says, from public facts
//! alone, where the statistic can lie and how far one person can move it: an [`Extent`], in exact
//! rationals. The public facts are the [`Bounds`] that every row is clamped to, and the
//! [`Neighbours`]: what one person can change, and what is known about the number of rows.
//!
//! A function named `grid_…` computes the statistic from rows. Float addition is not associative,
//! and one row moves a float sum further than the ideal sensitivity. So each row is clamped and
//! rounded to a [`Grid`] on its own, and sums are exact integer sums. The value is an exact
//! rational that does not depend on the order of the rows, and its sensitivity is that of
//! [`Grid::bounds`].
//!
//! ```
//! use lastbit::Bounds;
//! use lastbit::statistics::{Grid, Neighbours, NonFinite, grid_mean, mean};
//!
//! let rows = [31.4, 58.0, 17.25, 230.0]; // 230 is above the bounds and counts as 100
//! let grid = Grid::new(&Bounds::parse("0", "100")?, -10, NonFinite::Refuse)?;
//! let value = grid_mean(&rows, &grid)?;
//! let described = mean(grid.bounds(), Neighbours::change_one(4)?)?;
//! assert_eq!(described.sensitivity().to_string(), "25");
//! assert_eq!(value.to_string(), "51.66259765625");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Bounds`]: crate::Bounds

mod count;
mod covariance;
mod error;
mod extent;
mod grid;
mod mean;
mod neighbours;
mod sum;
mod variance;

pub use count::{count, row_count};
pub use covariance::covariance;
pub use error::StatisticError;
pub use extent::{Extent, Range};
pub use grid::{
    Grid, GridError, GridRow, NonFinite, grid_covariance, grid_mean, grid_sum, grid_variance,
};
pub use mean::mean;
pub use neighbours::{Neighbours, RowLimits};
pub use sum::sum;
pub use variance::variance;
