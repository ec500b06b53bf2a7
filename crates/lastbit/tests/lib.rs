//! The tests that use the public interface alone, in one program: it links once.

use lastbit_exact::Rational;

mod accounting;
mod composition;
mod conversions;
mod environment;
mod framework;
mod least_bits;
mod mechanisms;
mod no_failure;
mod parameters_serde;
mod selection;
mod snapping;
mod statistics;
mod tables;
mod transformations;
mod utility;

/// The number that a test means by a text.
pub fn number(text: &str) -> Rational {
    text.parse().unwrap()
}
