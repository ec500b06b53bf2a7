//! The exact law of the compiled code.
//!
//! - [`law`](mod@law): `Snapping::draw` itself, fed with chosen random bits; the law by
//!   bisection over them.
//! - [`mod@divergence`]: the exact loss between two laws.
//! - [`pairs`]: losses of the shipped code beside what theory promises.
//! - [`small`] and [`exhaustive`]: the same mechanism at a few bits, every `U*` enumerated.
//! - [`picture`]: the loss at each output, drawn.

pub mod divergence;
pub mod exhaustive;
pub mod law;
pub mod pairs;
mod pattern;
pub mod picture;
pub mod small;

pub use divergence::{Divergence, divergence};
pub use law::{ExactError, ExactLaw, MOST_CELLS, Mass, exact_law};
pub use pattern::{Layout, Pattern, Replay};
