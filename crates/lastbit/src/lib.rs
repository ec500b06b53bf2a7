//! Differential privacy that is right to the last bit.
//!
//! The noise of a release is drawn exactly, so the law of what is published is the law in the theorem; parameters are exact
//! rationals; every number that a privacy statement rests on is exact or rounded in the safe direction by its type.
//!
//! ```
//! use lastbit::mechanisms::snapping::Snapping;
//! use lastbit::{Bounds, Epsilon, Sensitivity};
//! use lastbit_noise::entropy::System;
//!
//! // The mean of 1000 ages in [0, 100]: one person moves it by at most 0.1.
//! let mechanism = Snapping::builder(Bounds::parse("0", "100")?, "0.1".parse()?)
//!     .epsilon("0.5".parse()?)
//!     .build()?;
//! let published = mechanism.release(41.7, &mut System::default())?;
//! println!("mean age: {published} ± {}", mechanism.accuracy(&"0.95".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A release is put together from parts by `>>` ([`Then`]): [`Transformation`]s prepare the data and a [`Measurement`] adds the
//! noise. Each part states its [domain](domains), its [metric](metrics) or [measure](measures), and a map that bounds what it does
//! to two neighbours; the chain's map is theirs composed. [`solve`] turns a target into the parameter that meets it.
#![forbid(unsafe_code)]

mod chain;
pub mod composition;
pub mod conversions;
mod distance;
pub mod domains;
mod error;
mod maps;
mod measurement;
pub mod measures;
pub mod mechanisms;
mod metric_space;
pub mod metrics;
mod parameters;
pub mod selection;
pub mod solve;
pub mod statistics;
mod transformation;
pub mod transformations;
pub mod utility;

pub use chain::Then;
pub use distance::Distance;
pub use error::Error;
pub use maps::{PrivacyMap, StabilityMap};
pub use measurement::Measurement;
pub use metric_space::MetricSpace;
pub use parameters::{
    Accuracy, Bounds, Confidence, Epsilon, Gamma, ParameterError, Sensitivity, finite, parse_number,
};
pub use transformation::Transformation;

/// The code in the README runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
