//! What several releases cost together.
//!
//! | | releases | the loss of all of them |
//! |---|---|---|
//! | [`sequential()`], [`pair`] | fixed in advance, from the same data | the sum |
//! | [`adaptive()`] | each chosen after the answers before it, with losses declared in advance | the sum declared |
//! | [`filtered`], [`Filter`] | chosen freely, losses too, until a budget is used up | the budget |
//! | [`Odometer`] | chosen freely, up to the first that would take the total above a bound fixed in advance | that bound; for pure losses also the running total, whenever it is read |
//! | [`parallel()`] | one from each of disjoint parts of the rows | the largest, or that of two parts |
//! | [`poisson_subsample`], [`subsample_without_replacement`] | from a secret sample | less than from all rows |
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
