//! How far apart two laws of output are: what a release costs.
//!
//! Every loss is an upper bound by its type ([`Up`]), or exact ([`Exact`]), and checked to be a
//! number that says something.

mod approximate;
mod exact;
mod profile;
mod renyi;

use core::fmt::{self, Debug, Display};

use lastbit_exact::Up;

pub use approximate::{Approximate, EpsilonDelta, WithDelta};
pub use exact::{Exact, ExactWithDelta};
pub use profile::{PrivacyProfile, ProfileCurve};
pub use renyi::{RenyiCurve, RenyiDivergence};

use crate::Distance;

/// A way to measure how well two laws can be told apart.
///
/// ```
/// use core::fmt;
/// use lastbit::measures::Measure;
/// use lastbit::Up;
/// /// A user's own: total variation.
/// #[derive(Clone, Debug, PartialEq)]
/// struct TotalVariation;
/// impl Measure for TotalVariation {
///     type Distance = Up; // `f64` or `Down` would not compile
/// }
/// impl fmt::Display for TotalVariation {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         f.write_str("total variation")
///     }
/// }
/// ```
/// ```compile_fail,E0277
/// # use core::fmt;
/// # use lastbit::measures::Measure;
/// # #[derive(Clone, Debug, PartialEq)]
/// # struct TotalVariation;
/// # impl fmt::Display for TotalVariation {
/// #     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
/// #         f.write_str("total variation")
/// #     }
/// # }
/// impl Measure for TotalVariation {
///     type Distance = f64;
/// }
/// ```
pub trait Measure: Clone + PartialEq + Debug + Display + Send + Sync + 'static {
    /// A loss, rounded up or exact.
    type Distance: Distance;
}

macro_rules! measure {
    ($(#[$doc:meta])* $name:ident, $text:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl Measure for $name {
            type Distance = Up;
        }

        impl Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($text)
            }
        }
    };
}

measure!(
    /// Pure differential privacy: the smallest ε with `P(S) ≤ e^ε Q(S)` for every event S, in both
    /// orders.
    ///
    /// ```
    /// # use lastbit::measures::MaxDivergence;
    /// assert_eq!(MaxDivergence.to_string(), "max divergence (ε)");
    /// ```
    MaxDivergence, "max divergence (ε)"
);
measure!(
    /// Zero-concentrated differential privacy: the smallest ρ with `D_α(P‖Q) ≤ α ρ` for every order
    /// α > 1, in both orders.
    ///
    /// ```
    /// # use lastbit::measures::ZeroConcentratedDivergence;
    /// assert_eq!(ZeroConcentratedDivergence.to_string(), "zero-concentrated divergence (ρ)");
    /// ```
    ZeroConcentratedDivergence, "zero-concentrated divergence (ρ)"
);
measure!(
    /// Bounded range: the smallest η with `ln(P(x)/Q(x)) − ln(P(y)/Q(y)) ≤ η` for all outputs x, y,
    /// in both orders, for laws with equal supports.
    ///
    /// ```
    /// # use lastbit::measures::RangeDivergence;
    /// assert_eq!(RangeDivergence.to_string(), "range divergence (η)");
    /// ```
    RangeDivergence, "range divergence (η)"
);
measure!(
    /// Gaussian differential privacy: the smallest μ² for which the laws are as hard to tell apart
    /// as `N(0, 1)` and `N(μ, 1)`, in both orders (Dong, Roth and Su, 2022).
    ///
    /// ```
    /// # use lastbit::measures::GaussianDivergence;
    /// assert_eq!(GaussianDivergence.to_string(), "Gaussian divergence (μ²)");
    /// ```
    GaussianDivergence, "Gaussian divergence (μ²)"
);
