//! Fuzz targets for everything that reads what others wrote, and a loop that runs them on the
//! stable toolchain.
#![forbid(unsafe_code)]

mod hunt;
mod mutate;
pub mod targets;

pub use hunt::{Found, hunt};
pub use mutate::Mutator;
pub use targets::{TARGETS, Target};
