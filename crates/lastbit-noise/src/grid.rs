use core::convert::Infallible;
use core::fmt;

use lastbit_exact::{Integer, Rational};

use crate::{GRID_EXPONENT_LIMIT, ScaleError};

/// The exponent of a grid, whose points are the multiples of `2^exponent`; within
/// ±[`GRID_EXPONENT_LIMIT`].
///
/// Whatever is rounded to a grid takes an integer in its place, and refuses one that is out of
/// range.
///
/// ```
/// use lastbit_noise::GridExponent;
/// assert_eq!(GridExponent::new(-10)?.step().to_string(), "0.0009765625");
/// assert!(GridExponent::new(5000).is_err());
/// # Ok::<(), lastbit_noise::ScaleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GridExponent(i64);

impl GridExponent {
    /// The exponent of the integers: 0.
    pub const INTEGERS: GridExponent = GridExponent(0);

    /// Checks the range.
    pub fn new(exponent: i64) -> Result<GridExponent, ScaleError> {
        let nearest = GridExponent::nearest(exponent);
        if nearest.0 == exponent {
            Ok(nearest)
        } else {
            Err(ScaleError::GridExponent(exponent))
        }
    }

    /// The exponent of a grid that is nearest to this one.
    pub fn nearest(exponent: i64) -> GridExponent {
        GridExponent(exponent.clamp(-GRID_EXPONENT_LIMIT, GRID_EXPONENT_LIMIT))
    }

    /// The exponent.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The distance of two neighbours on the grid: `2^exponent`.
    pub fn step(self) -> Rational {
        Rational::ONE.times_power_of_two(self.0)
    }
}

impl TryFrom<i64> for GridExponent {
    type Error = ScaleError;
    fn try_from(exponent: i64) -> Result<GridExponent, ScaleError> {
        GridExponent::new(exponent)
    }
}

/// For literals: an integer whose type nothing else decides is an i32.
impl TryFrom<i32> for GridExponent {
    type Error = ScaleError;
    fn try_from(exponent: i32) -> Result<GridExponent, ScaleError> {
        GridExponent::new(exponent.into())
    }
}

impl From<GridExponent> for i64 {
    fn from(exponent: GridExponent) -> i64 {
        exponent.0
    }
}

/// What is a grid exponent already does not fail to be one.
impl From<Infallible> for ScaleError {
    fn from(never: Infallible) -> ScaleError {
        match never {}
    }
}

/// The cell of the sum of a location and noise, both in steps, whose magnitude is between `near`
/// and `far`; `None` if these lie in two cells. Ties go toward +∞.
pub(crate) fn cell_between(
    steps: &Rational,
    is_negative: bool,
    near: &Rational,
    far: &Rational,
) -> Option<Integer> {
    let (low, high) = match is_negative {
        true => (steps - far, steps - near),
        false => (steps + near, steps + far),
    };
    // U is one of finitely many numbers with probability 0, so low < sum < high: the ends
    // themselves are not reached, and a sum just below `high` lies in the cell that ends there.
    let half = Rational::new(1, 2);
    let first = (&low + &half).floor();
    let last = (&high + &half).ceil() - Integer::ONE;
    (first == last).then_some(first)
}

impl fmt::Display for GridExponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
