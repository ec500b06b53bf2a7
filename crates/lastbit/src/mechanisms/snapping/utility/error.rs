use core::convert::Infallible;

use lastbit_exact::Rational;
use lastbit_noise::{GRID_EXPONENT_LIMIT, GridExponent, ScaleError};

/// Why a statement about utility cannot be made for these numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UtilityError {
    /// A number that has to be positive is not.
    #[error("{name} must be positive, got {value}")]
    NotPositive {
        /// Which number.
        name: &'static str,
        /// What was given.
        value: Rational,
    },
    /// A number that cannot be negative is.
    #[error("{name} must be zero or more, got {value}")]
    Negative {
        /// Which number.
        name: &'static str,
        /// What was given.
        value: Rational,
    },
    /// A probability outside (0, 1).
    #[error("{name} must be a probability strictly between 0 and 1, got {value}")]
    NotAProbability {
        /// Which probability.
        name: &'static str,
        /// What was given.
        value: Rational,
    },
    /// A location that the inner clamp would move.
    #[error(
        "location {location} is outside [-{bound}, {bound}]; clamp it to the bound first, or \
         raise the bound"
    )]
    LocationBeyondBound {
        /// The location given.
        location: Rational,
        /// The bound given.
        bound: Rational,
    },
    /// B below the half-width of the query's bounds.
    #[error(
        "bound {bound} is below the half-width {half_width}; raise the bound, or narrow the \
         query's bounds"
    )]
    BoundBelowHalfWidth {
        /// The bound given.
        bound: Rational,
        /// The half-width given.
        half_width: Rational,
    },
    /// A grid exponent far outside every floating-point format.
    #[error("grid exponent {exponent} is outside ±{limit}; choose a grid nearer to the scale")]
    GridOutOfRange {
        /// The exponent given.
        exponent: i64,
        /// The largest magnitude that is allowed.
        limit: i64,
    },
    /// A scale or a place that noise cannot have.
    #[error(transparent)]
    Scale(ScaleError),
    /// A relative error of thresholds that says nothing.
    #[error(
        "edge error {edge_error} must lie in [0, 1); use a higher precision, a smaller bound, or \
         exact arithmetic"
    )]
    EdgeErrorOutOfRange {
        /// The error given.
        edge_error: f64,
    },
    /// An accuracy that the grid alone exceeds.
    #[error(
        "accuracy {accuracy} is not above {half_step}, half a step of the grid; ask for less \
         accuracy, or choose a finer grid"
    )]
    AccuracyBelowGrid {
        /// The accuracy asked for.
        accuracy: Rational,
        /// Half a step of the grid.
        half_step: Rational,
    },
    /// An accuracy whose scale is below the smallest positive double.
    #[error(
        "accuracy {accuracy} needs a scale below 5e-324, the smallest double; measure the query \
         in a smaller unit"
    )]
    AccuracyTooSmall {
        /// The accuracy asked for.
        accuracy: Rational,
    },
    /// `ε ≤ 2^-117`, where the closed form of B has no value.
    #[error(
        "epsilon must be above 2^-117 in a float mode, got about {epsilon:e}; raise it, or use \
         exact arithmetic"
    )]
    EpsilonTooSmall {
        /// The loss, or the one that stands in for it, rounded.
        epsilon: f64,
    },
    /// B beyond the largest double.
    #[error(
        "the bound would exceed 1.8e308, the largest double; raise epsilon or gamma, or measure \
         the query in a larger unit"
    )]
    BoundOverflow,
    /// A histogram of guesses without weight.
    #[error("the guesses have no weight; give at least one guess a positive weight")]
    NoWeight,
}

/// A grid exponent out of range is the one fault that an exponent can have.
impl From<ScaleError> for UtilityError {
    fn from(error: ScaleError) -> UtilityError {
        match error {
            ScaleError::GridExponent(exponent) => UtilityError::GridOutOfRange {
                exponent,
                limit: GRID_EXPONENT_LIMIT,
            },
            error => UtilityError::Scale(error),
        }
    }
}

/// What is a grid exponent already does not fail to be one.
impl From<Infallible> for UtilityError {
    fn from(never: Infallible) -> UtilityError {
        match never {}
    }
}

pub(super) fn positive(name: &'static str, value: &Rational) -> Result<(), UtilityError> {
    if value.is_positive() {
        Ok(())
    } else {
        Err(UtilityError::NotPositive {
            name,
            value: value.clone(),
        })
    }
}

pub(super) fn not_negative(name: &'static str, value: &Rational) -> Result<(), UtilityError> {
    if value.is_negative() {
        Err(UtilityError::Negative {
            name,
            value: value.clone(),
        })
    } else {
        Ok(())
    }
}

pub(super) fn probability(name: &'static str, value: &Rational) -> Result<(), UtilityError> {
    if value.is_positive() && *value < Rational::ONE {
        Ok(())
    } else {
        Err(UtilityError::NotAProbability {
            name,
            value: value.clone(),
        })
    }
}

/// An exponent of a grid, or an integer that may be one.
pub(super) fn grid(
    exponent: impl TryInto<GridExponent, Error: Into<UtilityError>>,
) -> Result<GridExponent, UtilityError> {
    exponent.try_into().map_err(Into::into)
}
