//! What the tests of several crates need. It is not published, and only tests and benches depend on
//! it.

mod cases;
#[cfg(feature = "mechanisms")]
mod enumerated;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub mod float_mode;
#[cfg(feature = "noise")]
mod naive;
mod pearson;
#[cfg(feature = "noise")]
mod streams;

pub use cases::Cases;
#[cfg(feature = "mechanisms")]
pub use enumerated::Enumerated;
#[cfg(feature = "noise")]
pub use naive::unsafe_naive_laplace;
pub use pearson::Pearson;
#[cfg(feature = "noise")]
pub use streams::{After, Empty, Quiet, Signed, Words};
