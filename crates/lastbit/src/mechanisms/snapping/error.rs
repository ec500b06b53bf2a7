use lastbit_exact::Rational;
use lastbit_exact::environment::EnvironmentError;
use lastbit_noise::entropy::EntropyError;

use super::utility::UtilityError;
use crate::ParameterError;

/// Why a snapping mechanism cannot be built, or a value not be released.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnappingError {
    /// A parameter holds a bad value.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A floating-point mode in which no bound holds.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// Neither a loss nor an error target was given.
    #[error("no loss given: set epsilon, or an accuracy from which it is solved")]
    NoLoss,
    /// The error target cannot be met.
    #[error(transparent)]
    Utility(#[from] UtilityError),
    /// B below the half-width of the bounds.
    #[error(
        "bound {bound} is below {half_width}, half the width of [lower, upper]; raise the bound \
         or narrow lower and upper"
    )]
    BoundBelowHalfWidth {
        /// The bound given.
        bound: Rational,
        /// Half the width of the query's bounds.
        half_width: Rational,
    },
    /// `B ≤ λ` in a float mode.
    #[error(
        "bound {bound} is not above the scale λ ≈ {scale}, which {arithmetic} arithmetic needs; \
         raise the bound or epsilon, or use exact arithmetic"
    )]
    BoundNotAboveScale {
        /// B.
        bound: f64,
        /// λ.
        scale: f64,
        /// The arithmetic asked for.
        arithmetic: &'static str,
    },
    /// `B ≥ 2^(p−7)·λ` in a float mode.
    #[error(
        "bound {bound} is not below 2^{limit_exponent}·λ ≈ {limit}, beyond which {arithmetic} \
         arithmetic at {precision} bits is not private; lower the bound or epsilon, or use exact \
         arithmetic"
    )]
    BoundBeyondPrecision {
        /// B.
        bound: f64,
        /// `2^(p−7)·λ`.
        limit: f64,
        /// `p − 7`.
        limit_exponent: u32,
        /// p.
        precision: u32,
        /// The arithmetic asked for.
        arithmetic: &'static str,
    },
    /// `ε ≤ c₂η` in a float mode.
    #[error(
        "epsilon {epsilon} is not above {limit:e}, the part of the loss that {arithmetic} \
         arithmetic at {precision} bits costs by itself; raise epsilon, or use exact arithmetic"
    )]
    EpsilonBelowRoundoff {
        /// The loss given.
        epsilon: Rational,
        /// `c₂·η`.
        limit: f64,
        /// p.
        precision: u32,
        /// The arithmetic asked for.
        arithmetic: &'static str,
    },
    /// An infinite bound in a float mode.
    #[error("an infinite bound needs exact arithmetic; {arithmetic} arithmetic needs a finite one")]
    InfiniteBound {
        /// The arithmetic asked for.
        arithmetic: &'static str,
    },
    /// A grid other than Λ in a float mode.
    #[error("a fine grid needs exact arithmetic; {arithmetic} arithmetic needs the snapped grid")]
    FineGrid {
        /// The arithmetic asked for.
        arithmetic: &'static str,
    },
    /// The scale of the noise is outside f64.
    #[error(
        "the scale λ = Δ/ε is outside what a double can hold (2^-1074 to 2^1023); change epsilon, \
         or measure the query in another unit"
    )]
    ScaleOutOfRange,
    /// The grid's exponent is outside f64.
    #[error(
        "grid 2^{exponent} is outside what a double can hold (2^-1074 to 2^1023); choose a grid \
         in that range, or measure the query in another unit"
    )]
    GridOutOfRange {
        /// The grid is `2^exponent`.
        exponent: i64,
    },
    /// Outputs would need more digits than an f64 has.
    #[error(
        "grid 2^{exponent} is finer than doubles of size {magnitude:e} can carry; use a grid of \
         2^{coarsest} or more (exact arithmetic, fine:{coarsest}), or narrow lower, upper and \
         bound"
    )]
    GridTooFine {
        /// The grid is `2^exponent`.
        exponent: i64,
        /// The largest magnitude of an output.
        magnitude: f64,
        /// The finest grid that fits.
        coarsest: i64,
    },
    /// `|centre| + B` overflows.
    #[error(
        "outputs would reach beyond 1.8e308, the largest double; narrow lower, upper and bound, \
         or measure the query in a larger unit"
    )]
    OutputOverflow,
    /// λ or B outside what binary64 can multiply without losing bits.
    #[error(
        "the scale λ ≈ {scale:e} or the bound is outside 2^±900, where binary64 would lose bits; \
         use exact or multi arithmetic, or another unit"
    )]
    OutsideBinary64 {
        /// λ.
        scale: f64,
    },
    /// The bounds are too near to each other, or to zero, for binary64 to count the value in steps
    /// of the grid without underflow.
    #[error(
        "the bounds are about {size:e} wide or large, less than 2^-1000 of the grid or of 1, \
         where binary64 would lose bits of the value; use exact or multi arithmetic, or another \
         unit"
    )]
    BoundsUnderflow {
        /// The half width of bounds that are doubles, else the largest of them.
        size: f64,
    },
    /// More than 1000 bits needed.
    #[error(
        "multi arithmetic would need {bits} bits for this epsilon and bound, and 1000 is the \
         most; raise epsilon or lower the bound, or use exact arithmetic"
    )]
    PrecisionTooLarge {
        /// The bits needed.
        bits: u64,
    },
    /// The value to release is NaN or infinite.
    #[error(
        "value {index} is {value}; only finite numbers can be released: decide what such a value \
         becomes before the release"
    )]
    ValueNotFinite {
        /// Its place in the input, from 0.
        index: usize,
        /// What it is.
        value: f64,
    },
    /// Input and output slices differ in length.
    #[error("{values} values but room for {outputs} outputs; give slices of one length")]
    LengthMismatch {
        /// Length of the input.
        values: usize,
        /// Length of the output.
        outputs: usize,
    },
    /// No randomness.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}
