//! Parameters that cannot hold a bad value: the constructor gives the error.

use core::fmt;
use core::str::FromStr;

use lastbit_exact::{ParseRationalError, Rational};

/// Why a number cannot be the parameter it was meant for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// NaN or an infinity.
    #[error("{name} must be a finite number, got {value}")]
    NotFinite {
        /// Which parameter.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// Text that is not a number.
    #[error("{name}: {source}")]
    NotANumber {
        /// Which parameter.
        name: &'static str,
        /// What is wrong with the text.
        source: ParseRationalError,
    },
    /// Zero or below.
    #[error("{name} must be positive, got {value}")]
    NotPositive {
        /// Which parameter.
        name: &'static str,
        /// What was given.
        value: Rational,
    },
    /// A probability outside its range.
    #[error("{name} must be a probability strictly between 0 and 1, got {value}")]
    NotAProbability {
        /// Which parameter.
        name: &'static str,
        /// What was given.
        value: Rational,
    },
    /// A lower bound above the upper.
    #[error("bounds [{lower}, {upper}]: lower is above upper; swap them?")]
    ReversedBounds {
        /// The lower bound given.
        lower: Rational,
        /// The upper bound given.
        upper: Rational,
    },
}

/// Reads an exact number, naming the parameter in the error.
pub fn parse_number(name: &'static str, text: &str) -> Result<Rational, ParameterError> {
    text.parse()
        .map_err(|source| ParameterError::NotANumber { name, source })
}

/// The exact value of a finite f64, naming the parameter in the error.
pub fn finite(name: &'static str, value: f64) -> Result<Rational, ParameterError> {
    Rational::try_from(value).map_err(|_| ParameterError::NotFinite { name, value })
}

fn positive(name: &'static str, value: Rational) -> Result<Rational, ParameterError> {
    if value.is_positive() {
        Ok(value)
    } else {
        Err(ParameterError::NotPositive { name, value })
    }
}

fn open_unit(name: &'static str, value: Rational) -> Result<Rational, ParameterError> {
    if value.is_positive() && value < Rational::ONE {
        Ok(value)
    } else {
        Err(ParameterError::NotAProbability { name, value })
    }
}

macro_rules! parameter {
    ($(#[$doc:meta])* $type:ident, $name:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $type(Rational);

        impl $type {
            /// Checks the value.
            pub fn new(value: Rational) -> Result<Self, ParameterError> {
                $check($name, value).map(Self)
            }

            /// The exact value.
            pub fn get(&self) -> &Rational {
                &self.0
            }
        }

        impl TryFrom<f64> for $type {
            type Error = ParameterError;
            fn try_from(value: f64) -> Result<Self, ParameterError> {
                Self::new(finite($name, value)?)
            }
        }

        impl FromStr for $type {
            type Err = ParameterError;
            fn from_str(text: &str) -> Result<Self, ParameterError> {
                Self::new(parse_number($name, text)?)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

parameter!(
    /// The privacy loss ε > 0 that the caller pays.
    ///
    /// ```
    /// use lastbit::Epsilon;
    /// let epsilon: Epsilon = "0.1".parse()?;                  // exactly one tenth
    /// assert_eq!("-1".parse::<Epsilon>().unwrap_err().to_string(), "epsilon must be positive, got -1");
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    Epsilon, "epsilon", positive
);
parameter!(
    /// How far one person can move the query value: Δ > 0.
    Sensitivity, "sensitivity", positive
);
parameter!(
    /// An error that a release should stay within: a > 0.
    Accuracy, "accuracy", positive
);
parameter!(
    /// The probability with which a statement about the error holds, strictly between 0 and 1: `1 − α`.
    Confidence, "confidence", open_unit
);
parameter!(
    /// The zero-concentrated loss ρ > 0 that the caller pays.
    ///
    /// ```
    /// use lastbit::mechanisms::Rho;
    /// assert_eq!("0".parse::<Rho>().unwrap_err().to_string(), "rho must be positive, got 0");
    /// ```
    Rho, "rho", positive
);
parameter!(
    /// The probability δ with which a loss may be exceeded, strictly between 0 and 1.
    ///
    /// ```
    /// use lastbit::mechanisms::Delta;
    /// let delta: Delta = "1e-9".parse()?;                      // exactly
    /// assert!("1".parse::<Delta>().is_err());
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    Delta, "delta", open_unit
);
parameter!(
    /// The scale s > 0 of Laplace or geometric noise, whose density falls by the factor e from x to x + s.
    ///
    /// ```
    /// use lastbit::mechanisms::Scale;
    /// assert_eq!("0".parse::<Scale>().unwrap_err().to_string(), "scale must be positive, got 0");
    /// ```
    Scale, "scale", positive
);
parameter!(
    /// The variance σ² > 0 of Gaussian noise. A σ is given by its square, as the σ of a round loss is seldom a rational.
    ///
    /// ```
    /// use lastbit::mechanisms::Variance;
    /// assert_eq!(Variance::of_sigma(3i64.into())?, "9".parse()?);
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    Variance, "variance", positive
);
parameter!(
    /// The probability γ in (0, 1] with which the outer clamp may bind.
    Gamma, "gamma", half_open_unit
);

fn half_open_unit(name: &'static str, value: Rational) -> Result<Rational, ParameterError> {
    if value == Rational::ONE {
        Ok(value)
    } else {
        open_unit(name, value)
    }
}

impl Confidence {
    /// `α = 1 − confidence`.
    pub fn alpha(&self) -> Rational {
        &Rational::ONE - &self.0
    }
}

/// Public bounds of a query: `lower ≤ upper`.
///
/// ```
/// use lastbit::Bounds;
/// let error = Bounds::parse("5", "2").unwrap_err();
/// assert_eq!(error.to_string(), "bounds [5, 2]: lower is above upper; swap them?");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    lower: Rational,
    upper: Rational,
}

impl Bounds {
    /// Checks the order.
    pub fn new(lower: Rational, upper: Rational) -> Result<Bounds, ParameterError> {
        if lower <= upper {
            Ok(Bounds { lower, upper })
        } else {
            Err(ParameterError::ReversedBounds { lower, upper })
        }
    }

    /// From finite doubles.
    pub fn from_f64(lower: f64, upper: f64) -> Result<Bounds, ParameterError> {
        Bounds::new(finite("lower", lower)?, finite("upper", upper)?)
    }

    /// From decimal texts, exactly.
    pub fn parse(lower: &str, upper: &str) -> Result<Bounds, ParameterError> {
        Bounds::new(parse_number("lower", lower)?, parse_number("upper", upper)?)
    }

    /// The lower bound.
    pub fn lower(&self) -> &Rational {
        &self.lower
    }

    /// The upper bound.
    pub fn upper(&self) -> &Rational {
        &self.upper
    }

    /// `(lower + upper)/2`.
    pub fn centre(&self) -> Rational {
        (&self.lower + &self.upper).scale(-1)
    }

    /// `(upper − lower)/2`.
    pub fn half_width(&self) -> Rational {
        (&self.upper - &self.lower).scale(-1)
    }
}
