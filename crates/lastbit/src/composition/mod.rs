//! What several releases cost together.
//!
//! - [`sequential()`] and [`pair`]: releases fixed in advance, from the same data. They cost the
//!   sum of their losses.
//! - [`adaptive()`]: each release is chosen after the answers before it, with losses declared in
//!   advance. They cost the sum declared.
//! - [`filtered`] and [`Filter`]: releases and losses are chosen freely, until a budget is used up.
//!   They cost the budget.
//! - [`Odometer`]: chosen freely, up to the first that would take the total above a bound fixed in
//!   advance. They cost that bound; pure losses also cost the running total, whenever it is read.
//! - [`parallel()`]: one release from each of disjoint parts of the rows. They cost the largest
//!   loss, or that of two parts.
//! - [`poisson_subsample`] and [`subsample_without_replacement`]: a release from a secret sample.
//!   It costs less than from all rows.
//!
//! Which measures add up is for [`Composable`] to say: pure, zero-concentrated, (ε, δ), Rényi and
//! bounded range. Bounded range does so only over releases that are fixed in advance; an adaptive
//! sequence of them goes through zero-concentrated or pure. Sums are exact, and rounded up when
//! they are read.

mod adaptive;
mod amplification;
mod composable;
mod filter;
mod odometer;
mod parallel;
mod queryable;
mod sequential;
mod subsampling;

pub use adaptive::{Declared, adaptive};
pub use amplification::Amplified;
pub use composable::{Budgeted, Composable, ExactSum};
pub use filter::{Filter, filtered};
pub use odometer::Odometer;
pub use parallel::parallel;
pub use queryable::{Account, Interactive, Queryable};
pub use sequential::{pair, sequential};
pub use subsampling::{poisson_subsample, subsample_without_replacement};
