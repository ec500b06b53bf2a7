use core::fmt::Debug;

use lastbit_exact::{Dyadic, Integer, Rational, Rounding};

use crate::Error;
use crate::domains::Number;
use crate::sealed::Sealed;

/// Multiples of `2^exponent`.
#[derive(Clone, Copy, Debug)]
pub struct NoiseGrid {
    exponent: i64,
    /// `2^exponent`; not a number where that is no normal double with a normal reciprocal.
    step: f64,
    /// `2^-exponent`, likewise.
    steps_per_unit: f64,
}

impl NoiseGrid {
    /// Multiples of 1.
    pub(in super::super) const INTEGERS: NoiseGrid = NoiseGrid {
        exponent: 0,
        step: 1.0,
        steps_per_unit: 1.0,
    };

    pub(super) fn new(exponent: i64) -> NoiseGrid {
        let power = |exponent: i64| {
            if exponent.unsigned_abs() <= 1000 {
                f64::from_bits(((1023 + exponent) as u64) << 52)
            } else {
                f64::NAN
            }
        };
        NoiseGrid {
            exponent,
            step: power(exponent),
            steps_per_unit: power(-exponent),
        }
    }
}

/// A type of numbers that noise on a grid can be added to: `i64`, `u64`, [`Integer`], `f64`,
/// [`Rational`].
///
/// ```
/// use lastbit::Error;
/// use lastbit::domains::AtomDomain;
/// use lastbit::mechanisms::{NoisyNumber, Scale, laplace};
/// fn publish<T: NoisyNumber>(value: &T, scale: &Scale) -> Result<T::Output, Error> {
///     laplace(AtomDomain::<T>::new(), scale, 0)?.invoke(value)
/// }
/// let count: i64 = publish(&417_u64, &"2".parse()?)?; // a noisy count may be below zero
/// let length: f64 = publish(&417.5, &"2".parse()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait NoisyNumber: Number + Sealed {
    /// The type of what is published. The noisy number saturates at the ends of the type; a zero is
    /// `+0.0`.
    type Output: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// Refuses a grid with points that the output type cannot hold.
    #[doc(hidden)]
    fn check_grid(exponent: i64) -> Result<(), Error>;

    /// Whether the value is zero, of either sign.
    #[doc(hidden)]
    fn is_zero(&self) -> bool;

    /// The value in steps of the grid, and how far that is from the exact number of steps at most.
    /// Not a number, or an infinity, if f64 cannot tell.
    #[doc(hidden)]
    fn in_steps(&self, grid: &NoiseGrid) -> (f64, f64);

    /// The output for a cell that is an integer below 2^51.
    #[doc(hidden)]
    fn from_small_cell(cell: f64, grid: &NoiseGrid) -> Self::Output {
        Self::from_cell(&Integer::from(cell as i64), grid)
    }

    /// The same function for any cell.
    #[doc(hidden)]
    fn from_cell(cell: &Integer, grid: &NoiseGrid) -> Self::Output;
}

/// A [`NoisyNumber`] that is an integer: `i64`, `u64`, [`Integer`].
///
/// ```
/// use lastbit::mechanisms::NoisyInteger;
/// assert_eq!(u64::MAX.to_integer().to_string(), "18446744073709551615");
/// ```
pub trait NoisyInteger: NoisyNumber {
    /// The integer.
    fn to_integer(&self) -> Integer;

    /// The integer, if it is one of a machine and below 2^50 in size.
    #[doc(hidden)]
    fn to_small(&self) -> Option<i64> {
        None
    }
}

macro_rules! machine_integer {
    ($type:ty) => {
        impl NoisyNumber for $type {
            type Output = i64;

            fn check_grid(exponent: i64) -> Result<(), Error> {
                whole(exponent)
            }

            fn is_zero(&self) -> bool {
                *self == 0
            }

            #[inline]
            fn in_steps(&self, grid: &NoiseGrid) -> (f64, f64) {
                // One rounding, if that: a power of two scales exactly.
                let steps = *self as f64 * grid.steps_per_unit;
                (steps, steps.abs() * f64::EPSILON)
            }

            #[inline]
            fn from_small_cell(cell: f64, grid: &NoiseGrid) -> i64 {
                if grid.exponent <= 12 {
                    // |cell| < 2^51, so the product is below 2^63.
                    (cell as i64) << grid.exponent
                } else {
                    Self::from_cell(&Integer::from(cell as i64), grid)
                }
            }

            fn from_cell(cell: &Integer, grid: &NoiseGrid) -> i64 {
                let value = cell << grid.exponent.unsigned_abs() as usize;
                let end = if value < Integer::ZERO {
                    i64::MIN
                } else {
                    i64::MAX
                };
                i64::try_from(value).unwrap_or(end)
            }
        }

        impl NoisyInteger for $type {
            fn to_integer(&self) -> Integer {
                Integer::from(*self)
            }

            #[inline]
            fn to_small(&self) -> Option<i64> {
                let value = i64::try_from(*self).ok()?;
                (value.unsigned_abs() < 1 << 50).then_some(value)
            }
        }
    };
}
machine_integer!(i64);
machine_integer!(u64);

impl NoisyNumber for Integer {
    type Output = Integer;

    fn check_grid(exponent: i64) -> Result<(), Error> {
        whole(exponent)
    }

    fn is_zero(&self) -> bool {
        Integer::is_zero(self)
    }

    fn in_steps(&self, grid: &NoiseGrid) -> (f64, f64) {
        let steps = Dyadic::from(self.clone())
            .times_power_of_two(-grid.exponent)
            .to_f64(Rounding::NearestEven);
        (steps, steps.abs() * f64::EPSILON + f64::MIN_POSITIVE)
    }

    fn from_cell(cell: &Integer, grid: &NoiseGrid) -> Integer {
        cell << grid.exponent.unsigned_abs() as usize
    }
}

impl NoisyInteger for Integer {
    fn to_integer(&self) -> Integer {
        self.clone()
    }
}

impl NoisyNumber for Rational {
    type Output = Rational;

    fn check_grid(_: i64) -> Result<(), Error> {
        Ok(())
    }

    fn is_zero(&self) -> bool {
        Rational::is_zero(self)
    }

    fn in_steps(&self, grid: &NoiseGrid) -> (f64, f64) {
        let steps = self
            .times_power_of_two(-grid.exponent)
            .to_f64(Rounding::NearestEven);
        (steps, steps.abs() * f64::EPSILON + f64::MIN_POSITIVE)
    }

    fn from_cell(cell: &Integer, grid: &NoiseGrid) -> Rational {
        Rational::from(cell.clone()).times_power_of_two(grid.exponent)
    }
}

impl NoisyNumber for f64 {
    type Output = f64;

    fn check_grid(exponent: i64) -> Result<(), Error> {
        if (-1074..=1023).contains(&exponent) {
            return Ok(());
        }
        Err(Error::space(format!(
            "grid 2^{exponent} is outside what a double can hold (2^-1074 to 2^1023); choose a \
             grid in that range, or exact rationals"
        )))
    }

    fn is_zero(&self) -> bool {
        *self == 0.0
    }

    #[inline]
    fn in_steps(&self, grid: &NoiseGrid) -> (f64, f64) {
        // Exact, unless it underflows, by less than the error stated, or overflows.
        (*self * grid.steps_per_unit, f64::MIN_POSITIVE)
    }

    #[inline]
    fn from_small_cell(cell: f64, grid: &NoiseGrid) -> f64 {
        // 2^51 cells and grids up to 2^900: no overflow; exact, and −0.0 becomes +0.0.
        if grid.exponent.unsigned_abs() <= 900 {
            cell * grid.step + 0.0
        } else {
            f64::from_cell(&Integer::from(cell as i64), grid)
        }
    }

    fn from_cell(cell: &Integer, grid: &NoiseGrid) -> f64 {
        Dyadic::new(cell.clone(), grid.exponent)
            .to_f64(Rounding::NearestEven)
            .clamp(-f64::MAX, f64::MAX)
    }
}

fn whole(exponent: i64) -> Result<(), Error> {
    if exponent >= 0 {
        return Ok(());
    }
    Err(Error::space(format!(
        "grid 2^{exponent} has points between the integers; use grid 2^0 or coarser, or cast the \
         integers to rationals first"
    )))
}
