#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod accounting;
mod chain;
pub mod composition;
pub mod conversions;
mod distance;
pub mod domains;
mod error;
mod finite;
pub mod guess;
mod maps;
mod measurement;
pub mod measures;
pub mod mechanisms;
mod metric_space;
pub mod metrics;
mod parameters;
pub mod quality;
mod sealed;
mod search;
pub mod selection;
pub mod solve;
pub mod statistics;
pub mod tables;
mod transformation;
pub mod transformations;
mod wide;

pub use chain::Then;
pub use distance::Distance;
pub use error::Error;
pub use maps::{PrivacyMap, StabilityMap};
pub use measurement::Measurement;
pub use metric_space::MetricSpace;
pub use parameters::{
    Accuracy, Alpha, Beta, Bounds, Confidence, DIGITS_LIMIT, Delta, Epsilon, Gamma,
    MAGNITUDE_LIMIT, ParameterError, Rho, Scale, Sensitivity, Share, Variance, finite,
    parse_number,
};
pub use transformation::Transformation;

/// What the signatures of this crate need of the crates below it.
pub use lastbit_exact::{
    BoundError, Down, Dyadic, Enclosure, Integer, Interval, Natural, ParseRationalError, Rational,
    Rounding, Up,
};
pub use lastbit_noise::GridExponent;
pub use lastbit_noise::entropy::{Entropy, EntropyError, System};

/// The code in the README runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
