//! Parameters that cannot hold a bad value: the constructor gives the error.

use core::fmt;
use core::str::FromStr;

use lastbit_exact::{ParseRationalError, Rational};
use lastbit_noise::GridExponent;

use crate::Error;

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
    /// A share outside [0, 1].
    #[error("a quantile must be between 0 and 1, got {value}; the median is 1/2")]
    NotAShare {
        /// What was given.
        value: Rational,
    },
    /// A number outside (0, 1).
    #[error("{name} must be strictly between 0 and 1, got {value}; it is {meaning}")]
    NotInsideUnit {
        /// Which parameter.
        name: &'static str,
        /// What was given.
        value: Rational,
        /// What the number says.
        meaning: &'static str,
    },
    /// A number of a size, or of more digits, than any use needs; exact arithmetic on it would take
    /// long.
    #[error(
        "{name} must have at most {} digits, and a magnitude between 2^-{MAGNITUDE_LIMIT} and \
         2^{MAGNITUDE_LIMIT} if it is not 0; round it, or measure in another unit",
        DIGITS_LIMIT
    )]
    OutOfRange {
        /// Which parameter.
        name: &'static str,
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

/// Parameters other than 0 are from `2^-1100` to `2^1100` in magnitude: beyond the doubles on
/// either side.
pub const MAGNITUDE_LIMIT: i64 = 1100;

/// Numerator and denominator of a parameter have at most so many digits: more than the exact value
/// of any double.
pub const DIGITS_LIMIT: usize = 1200;

/// Reads an exact number, naming the parameter in the error. It is within [`MAGNITUDE_LIMIT`] and
/// [`DIGITS_LIMIT`].
pub fn parse_number(name: &'static str, text: &str) -> Result<Rational, ParameterError> {
    let value = text
        .parse()
        .map_err(|source| ParameterError::NotANumber { name, source })?;
    in_range(name, value, 1)
}

/// A number on which exact arithmetic is quick; within `times` the limits.
fn in_range(name: &'static str, value: Rational, times: usize) -> Result<Rational, ParameterError> {
    // log2(10) < 3.322.
    let short = value.bits() <= times * DIGITS_LIMIT * 3322 / 1000;
    let most = times as i64 * MAGNITUDE_LIMIT;
    let size = value.abs().ceil_log2().unwrap_or(0);
    if short && (-most..=most).contains(&size) {
        Ok(value)
    } else {
        Err(ParameterError::OutOfRange { name })
    }
}

/// The exact value of a finite f64, naming the parameter in the error.
pub fn finite(name: &'static str, value: f64) -> Result<Rational, ParameterError> {
    Rational::try_from(value).map_err(|_| ParameterError::NotFinite { name, value })
}

/// An exponent of a grid, or an integer that may be one.
pub(crate) fn grid(
    exponent: impl TryInto<GridExponent, Error: Into<Error>>,
) -> Result<GridExponent, Error> {
    exponent.try_into().map_err(Into::into)
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
        parameter!($(#[$doc])* $type, $name, $check, 1);
    };
    // A quotient or square of parameters may be a few times as long as they are.
    ($(#[$doc:meta])* $type:ident, $name:literal, $check:expr, $times:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(Rational);

        impl $type {
            /// Checks the value.
            pub fn new(value: Rational) -> Result<Self, ParameterError> {
                $check($name, in_range($name, value, $times)?).map(Self)
            }

            /// The exact value.
            pub fn get(&self) -> &Rational {
                &self.0
            }
        }

        impl TryFrom<Rational> for $type {
            type Error = ParameterError;
            fn try_from(value: Rational) -> Result<Self, ParameterError> {
                Self::new(value)
            }
        }

        impl From<$type> for Rational {
            fn from(parameter: $type) -> Rational {
                parameter.0
            }
        }

        impl AsRef<Rational> for $type {
            fn as_ref(&self) -> &Rational {
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

        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = Rational::deserialize(deserializer)?;
                Self::new(value).map_err(serde::de::Error::custom)
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
    /// let epsilon: Epsilon = "0.1".parse()?; // exactly one tenth
    /// assert_eq!(
    ///     "-1".parse::<Epsilon>().unwrap_err().to_string(),
    ///     "epsilon must be positive, got -1"
    /// );
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
    /// The probability with which a statement about the error holds, strictly between 0 and 1:
    /// `1 − β`.
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
    /// The scale s > 0 of Laplace or geometric noise, whose density falls by the factor e from x to
    /// x + s.
    ///
    /// ```
    /// use lastbit::mechanisms::Scale;
    /// assert_eq!("0".parse::<Scale>().unwrap_err().to_string(), "scale must be positive, got 0");
    /// ```
    Scale, "scale", positive, 3
);
parameter!(
    /// The variance σ² > 0 of Gaussian noise. A σ is given by its square, as the σ of a round loss
    /// is seldom a rational.
    ///
    /// ```
    /// use lastbit::mechanisms::Variance;
    /// assert_eq!(Variance::of_sigma(3i64.into())?, "9".parse()?);
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    Variance, "variance", positive, 5
);
parameter!(
    /// The probability γ in (0, 1] with which the outer clamp may bind.
    Gamma, "gamma", half_open_unit
);

parameter!(
    /// The share α of a promised quality that may be lost, strictly between 0 and 1.
    ///
    /// ```
    /// use lastbit::Alpha;
    /// assert_eq!(
    ///     "1".parse::<Alpha>().unwrap_err().to_string(),
    ///     "alpha must be strictly between 0 and 1, got 1; it is the share of the promise that \
    ///      may be lost"
    /// );
    /// ```
    Alpha, "alpha", |name, value| inside_unit(name, value, "the share of the promise that may be \
        lost")
);
parameter!(
    /// The probability β of failure, strictly between 0 and 1.
    Beta, "beta", |name, value| inside_unit(name, value, "the probability of failure")
);

parameter!(
    /// A share of the rows, from 0 to 1: where a quantile lies.
    ///
    /// ```
    /// use lastbit::Share;
    /// let median: Share = "1/2".parse()?;
    /// assert_eq!(
    ///     "1.5".parse::<Share>().unwrap_err().to_string(),
    ///     "a quantile must be between 0 and 1, got 1.5; the median is 1/2"
    /// );
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    Share, "quantile", closed_unit
);

fn closed_unit(_: &'static str, value: Rational) -> Result<Rational, ParameterError> {
    if value.is_negative() || value > Rational::ONE {
        Err(ParameterError::NotAShare { value })
    } else {
        Ok(value)
    }
}

impl Share {
    /// 1/2: the share of the median.
    pub fn half() -> Share {
        Share(Rational::new(1, 2))
    }
}

fn inside_unit(
    name: &'static str,
    value: Rational,
    meaning: &'static str,
) -> Result<Rational, ParameterError> {
    if value.is_positive() && value < Rational::ONE {
        Ok(value)
    } else {
        Err(ParameterError::NotInsideUnit {
            name,
            value,
            meaning,
        })
    }
}

impl Beta {
    /// 1/20: what is used where nothing is asked for.
    pub(crate) fn usual() -> Beta {
        Beta(Rational::new(1, 20))
    }

    /// `β·parts/of`: so many of its parts. `parts` is from 1 to `of`, and counts as the nearer of
    /// these if it is outside.
    ///
    /// ```
    /// use lastbit::Beta;
    /// let beta: Beta = "0.06".parse()?;
    /// assert_eq!(beta.part(1, 3), "0.02".parse()?);
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    pub fn part(&self, parts: u64, of: u64) -> Beta {
        let of = of.max(1);
        let parts = Rational::from(parts.clamp(1, of));
        Beta(&self.0 * &(parts / Rational::from(of)))
    }
}

impl Delta {
    /// This much of it: `δ/parts`, for `parts` ≥ 1.
    pub(crate) fn shared_by(&self, parts: u64) -> Delta {
        Delta(&self.0 / &Rational::from(parts))
    }
}

fn half_open_unit(name: &'static str, value: Rational) -> Result<Rational, ParameterError> {
    if value == Rational::ONE {
        Ok(value)
    } else {
        open_unit(name, value)
    }
}

impl Confidence {
    /// `β = 1 − confidence`: the probability that the statement fails.
    pub fn beta(&self) -> Beta {
        Beta(&Rational::ONE - &self.0)
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Ends"))]
pub struct Bounds {
    lower: Rational,
    upper: Rational,
}

/// Two numbers that are not checked yet.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Ends {
    lower: Rational,
    upper: Rational,
}

#[cfg(feature = "serde")]
impl TryFrom<Ends> for Bounds {
    type Error = ParameterError;
    fn try_from(ends: Ends) -> Result<Bounds, ParameterError> {
        let lower = in_range("lower", ends.lower, 1)?;
        Bounds::new(lower, in_range("upper", ends.upper, 1)?)
    }
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

    /// The bounds of `x·y` for x between these and y between the others: the product is linear in
    /// each, so that its ends are at two of the four corners.
    ///
    /// ```
    /// use lastbit::Bounds;
    /// let product = Bounds::parse("-2", "1")?.times(&Bounds::parse("-3", "5")?);
    /// assert_eq!(product, Bounds::parse("-10", "6")?);
    /// # Ok::<(), lastbit::ParameterError>(())
    /// ```
    pub fn times(&self, other: &Bounds) -> Bounds {
        let corner = |x: &Rational| [x * &other.lower, x * &other.upper];
        let [[a, b], [c, d]] = [corner(&self.lower), corner(&self.upper)];
        Bounds {
            lower: a.clone().min(b.clone()).min(c.clone()).min(d.clone()),
            upper: a.max(b).max(c).max(d),
        }
    }

    /// `(lower + upper)/2`.
    pub fn centre(&self) -> Rational {
        (&self.lower + &self.upper).times_power_of_two(-1)
    }

    /// `(upper − lower)/2`.
    pub fn half_width(&self) -> Rational {
        (&self.upper - &self.lower).times_power_of_two(-1)
    }
}
