use core::fmt::Display;

use lastbit_exact::environment::EnvironmentError;
use lastbit_noise::entropy::EntropyError;
use lastbit_noise::{BernoulliError, ScaleError, UniformError};

use crate::ParameterError;
use crate::mechanisms::exponential::SelectionError;
use crate::mechanisms::snapping;
use crate::quality::QualityError;
use crate::statistics::{GridError, StatisticError};
use crate::transformations::TransformationError;

/// Why a measurement or transformation cannot be built, evaluated or priced: one line, and what to
/// change.
///
/// Opaque, with a predicate for each class of cause. No message of this crate's framework holds a
/// value of the data. That a call failed may still tell something about it, so show errors of
/// [`Measurement::invoke`](crate::Measurement::invoke) only to those who may see the data.
///
/// ```
/// use lastbit::Distance;
/// use lastbit::Up;
/// let error = Up::exact(-1.0).check().unwrap_err();
/// assert!(error.is_distance());
/// assert_eq!(
///     error.to_string(),
///     "a distance must be zero or more, got -1; distances measure how far apart two things are"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
pub struct Error(
    // Boxed, so that a privacy map returns in registers.
    Box<Kind>,
);

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum Kind {
    #[error("{0}")]
    Distance(String),
    #[error("{0}")]
    Unbounded(String),
    #[error("the argument is outside the input domain, {domain}; {remedy}")]
    OutsideDomain { domain: String, remedy: String },
    #[error("{0}")]
    Space(String),
    #[error(
        "cannot chain: the {what} on the left is {left}, on the right {right}; make them equal, \
         or put a transformation between them"
    )]
    Mismatch {
        what: &'static str,
        left: String,
        right: String,
    },
    #[error("{0}")]
    Unsolvable(String),
    #[error("{0}")]
    Composition(String),
    #[error(
        "over budget: requested {requested}, remaining {remaining}, difference {difference}; ask \
         for less, or raise the budget"
    )]
    Budget {
        requested: String,
        remaining: String,
        difference: String,
    },
    #[error(transparent)]
    Parameter(ParameterError),
    #[error(transparent)]
    Statistic(StatisticError),
    #[error(transparent)]
    Grid(GridError),
    #[error(transparent)]
    Snapping(snapping::SnappingError),
    #[error(transparent)]
    Selection(SelectionError),
    #[error(transparent)]
    Bernoulli(BernoulliError),
    #[error(transparent)]
    Uniform(UniformError),
    #[error(transparent)]
    Scale(ScaleError),
    #[error(transparent)]
    Transformation(TransformationError),
    #[error(transparent)]
    Quality(QualityError),
    #[error(transparent)]
    Entropy(EntropyError),
    #[error(transparent)]
    Environment(EnvironmentError),
    #[error(
        "the release failed, and its loss stays charged; the cause may tell of the data and is \
         not shown: run the measurement outside the queryable, where the data may be seen, to \
         find it"
    )]
    Failed,
    #[error("{0}")]
    Other(String),
}

macro_rules! predicates {
    ($($(#[$doc:meta])* $name:ident => $pattern:pat,)*) => {
        impl Error {
            $($(#[$doc])*
            pub fn $name(&self) -> bool {
                matches!(*self.0, $pattern)
            })*
        }
    };
}

predicates! {
    /// A distance that is NaN, negative, or infinite.
    is_distance => Kind::Distance(_),
    /// No finite distance can be stated.
    is_unbounded => Kind::Unbounded(_),
    /// An argument that the input domain does not hold.
    is_outside_domain => Kind::OutsideDomain { .. },
    /// A domain and a metric that do not make a metric space, or a domain that cannot be described
    /// so.
    is_space => Kind::Space(_),
    /// The two sides of a chain do not fit.
    is_mismatch => Kind::Mismatch { .. },
    /// No parameter meets the target.
    is_unsolvable => Kind::Unsolvable(_),
    /// Releases that do not compose in the way asked for.
    is_composition => Kind::Composition(_),
    /// A budget that would be exceeded.
    is_budget => Kind::Budget { .. },
    /// A parameter with a bad value.
    is_parameter => Kind::Parameter(_),
    /// A statistic without range or sensitivity, or rows that it cannot take.
    is_statistic => Kind::Statistic(_) | Kind::Grid(_),
    /// A transformation that cannot be built, or rows that it cannot take.
    is_transformation => Kind::Transformation(_),
    /// A quality that cannot be selected by, or a promise that cannot be kept.
    is_quality => Kind::Quality(_),
    /// A mechanism that cannot be built or cannot release.
    is_mechanism => Kind::Snapping(_)
        | Kind::Selection(_)
        | Kind::Bernoulli(_)
        | Kind::Uniform(_)
        | Kind::Scale(_),
    /// No randomness could be had; nothing was released.
    is_entropy => Kind::Entropy(_),
    /// A floating-point mode in which no bound holds.
    is_environment => Kind::Environment(_),
    /// A release that failed after it had begun; its loss stays charged, and its cause is not
    /// shown.
    is_failed => Kind::Failed,
    /// A cause that the caller's own code stated.
    is_other => Kind::Other(_),
}

impl Error {
    /// A distance that cannot be one; the message names the remedy.
    pub fn distance(message: impl Into<String>) -> Error {
        Error::from(Kind::Distance(message.into()))
    }

    /// No finite distance can be stated; the message names the remedy.
    pub fn unbounded(message: impl Into<String>) -> Error {
        Error::from(Kind::Unbounded(message.into()))
    }

    /// An argument that `domain` does not hold. The argument itself is data and stays out of the
    /// message.
    pub fn outside_domain(domain: &impl Display, remedy: impl Into<String>) -> Error {
        Error::from(Kind::OutsideDomain {
            domain: domain.to_string(),
            remedy: remedy.into(),
        })
    }

    /// A domain that cannot exist, or on which a metric is not defined; the message names the
    /// remedy.
    pub fn space(message: impl Into<String>) -> Error {
        Error::from(Kind::Space(message.into()))
    }

    /// Two sides of a chain that differ in `what`, such as "domain".
    pub fn mismatch(what: &'static str, left: &impl Display, right: &impl Display) -> Error {
        Error::from(Kind::Mismatch {
            what,
            left: left.to_string(),
            right: right.to_string(),
        })
    }

    /// No parameter meets the target; the message names the remedy.
    pub fn unsolvable(message: impl Into<String>) -> Error {
        Error::from(Kind::Unsolvable(message.into()))
    }

    /// Releases that do not compose in the way asked for; the message names the remedy.
    pub fn composition(message: impl Into<String>) -> Error {
        Error::from(Kind::Composition(message.into()))
    }

    /// A budget that would be exceeded.
    pub fn budget(
        requested: &impl Display,
        remaining: &impl Display,
        difference: &impl Display,
    ) -> Error {
        Error::from(Kind::Budget {
            requested: requested.to_string(),
            remaining: remaining.to_string(),
            difference: difference.to_string(),
        })
    }

    /// A release that failed after it had begun.
    pub(crate) fn failed() -> Error {
        Error::from(Kind::Failed)
    }

    /// A cause from the caller's own function or map; the message should name the remedy.
    pub fn other(message: impl Into<String>) -> Error {
        Error::from(Kind::Other(message.into()))
    }
}

impl From<Kind> for Error {
    #[cold]
    fn from(kind: Kind) -> Error {
        Error(Box::new(kind))
    }
}

macro_rules! from {
    ($($source:ty => $kind:ident),*) => {
        $(impl From<$source> for Error {
            #[cold]
            fn from(source: $source) -> Error {
                Error::from(Kind::$kind(source))
            }
        })*
    };
}

from!(
    ParameterError => Parameter,
    StatisticError => Statistic,
    GridError => Grid,
    TransformationError => Transformation,
    QualityError => Quality,
    EntropyError => Entropy,
    EnvironmentError => Environment
);

// A cause inside a cause is stated as itself, so that its predicate finds it.

impl From<snapping::SnappingError> for Error {
    #[cold]
    fn from(source: snapping::SnappingError) -> Error {
        match source {
            snapping::SnappingError::Parameter(source) => Error::from(source),
            snapping::SnappingError::Entropy(source) => Error::from(source),
            snapping::SnappingError::Environment(source) => Error::from(source),
            source => Error::from(Kind::Snapping(source)),
        }
    }
}

/// What is a parameter already does not fail to be one.
impl From<core::convert::Infallible> for Error {
    fn from(never: core::convert::Infallible) -> Error {
        match never {}
    }
}

impl From<ScaleError> for Error {
    #[cold]
    fn from(source: ScaleError) -> Error {
        match source {
            ScaleError::Environment(source) => Error::from(source),
            source => Error::from(Kind::Scale(source)),
        }
    }
}

impl From<SelectionError> for Error {
    #[cold]
    fn from(source: SelectionError) -> Error {
        match source {
            SelectionError::Entropy(source) => Error::from(source),
            source => Error::from(Kind::Selection(source)),
        }
    }
}

impl From<BernoulliError> for Error {
    #[cold]
    fn from(source: BernoulliError) -> Error {
        match source {
            BernoulliError::Entropy(source) => Error::from(source),
            source => Error::from(Kind::Bernoulli(source)),
        }
    }
}

impl From<UniformError> for Error {
    #[cold]
    fn from(source: UniformError) -> Error {
        match source {
            UniformError::Entropy(source) => Error::from(source),
            source => Error::from(Kind::Uniform(source)),
        }
    }
}
