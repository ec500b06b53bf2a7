//! Tables whose rows belong to people: from a scan with bounded contributions to numbers with
//! noise.
//!
//! | stage | from | to | what its map bounds |
//! |---|---|---|---|
//! | [`scan`] | a table | the engine's exact answer | the [`Reach`] of a unit |
//! | [`shares`], [`sums`], [`vectors`], [`moved`] | the answer | exact numbers | [`Norms`] |
//! | [`units`] | the answer | sums of one share a unit | [`Norms`] |
//! | [`products`] | the answer | sums of products of columns | [`Norms`] |
//! | [`added`] | exact numbers | sums of them, such as margins | the same norms |
//! | [`Noise`] | exact numbers | noisy numbers | an exact loss |
//! | [`counts`], [`Noise::above_pure`] | the answer | keys above a threshold | an exact loss, δ |
//! | [`RankSelection`] | the answer | offsets of wanted ranks, one a group | an exact loss |
//!
//! Tables are compared by the [units](UnitDistance) that differ, and a unit reaches so many rows in
//! a group, and so many groups. A key above a threshold is published with its noisy count.
//!
//! Every stage is a [`Transformation`](crate::Transformation) or a
//! [`Measurement`](crate::Measurement), so that the price of a statistic is the map of its chain at
//! one unit, and tests of the framework are tests of what is released.
//!
//! [`Norms`]: crate::metrics::Norms
//!
//! ```
//! use lastbit::Then;
//! use lastbit::tables::{Limits, Noise, UnitDistance, scan, shares};
//! use lastbit::Rational;
//! // Visits as (patient, ward). A patient counts once in a ward, and in at most two of the three
//! // wards.
//! let visits = scan(UnitDistance::Added, Limits::new(1, 2)?, |visits: &Vec<(u32, usize)>| {
//! #     let mut seen = std::collections::BTreeSet::new();
//!     let mut counts = vec![0u64; 3];
//!     // … which wards of a patient stay is chosen by a hash …
//! #     for (patient, ward) in visits {
//! #         if seen.insert((*patient, *ward))
//! #             && seen.range((*patient, 0)..(*patient, 3)).count() <= 2
//! #         {
//! #             counts[*ward] += 1;
//! #         }
//! #     }
//!     Ok(counts)
//! })?;
//! let counts = (visits
//!     >> shares(Some(3), |counts: &Vec<u64>| {
//!         Ok(counts.iter().map(|&count| Rational::from(count)).collect())
//!     })?)?;
//! let norms = counts.map(&1)?;
//! assert_eq!(norms.to_string(), "L1 = 2, L2² = 2");
//!
//! let noise = Noise::laplace(&norms, &"0.5".parse()?)?;
//! let release = (counts >> noise.pure(0)?)?;
//! assert_eq!(release.map(&1)?, Rational::new(1, 2));
//! let published = release.invoke(&vec![(7, 0), (7, 2), (8, 0)])?;
//! assert_eq!(published.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod domain;
mod keys;
mod mixed;
mod noise;
mod numbers;
mod products;
mod ranks;
mod reach;
mod tails;

pub use domain::{AnswerDomain, KeyDomain, TableDomain, UnitDistance};
pub use keys::counts;
pub use mixed::{Mix, MixedNoise};
pub use noise::{Counts, Noise, NoisyNumbers, NoisyPure, NoisyZcdp, NumbersDomain};
pub use numbers::{ToNumbers, added, moved, shares, sums, units, vectors};
pub use products::{Products, products};
pub use ranks::{
    Aim, LOG2_MOST_ROWS, Offsets, OffsetsDomain, RankCandidates, RankSelection, RanksPure,
    RanksZcdp, offsets,
};
pub use reach::{Limits, Reach, ReachDistance, scan};
pub use tails::{Tails, Term};
