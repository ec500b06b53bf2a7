//! Attacks: mechanisms by name, and ways to break them.
//!
//! - [`target`]: what is attacked: textbook mechanisms in doubles, and everything that Lastbit
//!   ships.
//! - [`least_bits`](mod@least_bits): which input an output can have come from (Mironov 2012).
//! - [`precision`](mod@precision): how precise an output is, and how far a sum really moves (Haney
//!   et al., Casacuberta et al. 2022).
//! - [`timing`](mod@timing): whether the time of a call goes with the data or with the noise.

pub mod least_bits;
mod naive;
pub mod precision;
mod proportion;
mod shipped;
pub mod sums;
pub mod target;
pub mod timing;

pub use least_bits::{LeastBits, least_bits};
pub use naive::could_come_from;
pub use precision::{Precision, precision};
pub use proportion::Proportion;
pub use target::{Entry, Input, Target, TargetError, catalogue, find};
pub use timing::{Correlation, Timing, timing};
