//! The floating-point environment that every bound rests on.
//!
//! [`Up`](crate::Up), [`Down`](crate::Down) and [`Interval`](crate::Interval), and the quick tiers
//! of samplers, are proved for IEEE 754 in its default mode: rounding to nearest, ties to even,
//! with subnormal numbers. The mode belongs to the thread, and any library in the process may
//! change it; those built with `-ffast-math` flush subnormals to zero from the moment they are
//! loaded. Whoever relies on a bound calls [`check`] first; it takes a few nanoseconds.

use core::hint::black_box;

/// A floating-point mode in which bounds do not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// Rounding up, down or toward zero.
    #[error(
        "this thread does not round floating-point numbers to nearest, so no bound holds; restore \
         the rounding mode (fesetround(FE_TONEAREST)) before calling"
    )]
    RoundingMode,
    /// Results below the normal numbers become zero.
    #[error(
        "this thread flushes subnormal numbers to zero, so no bound holds; a library built with \
         -ffast-math does that when it is loaded: clear the flag, or load it in another process"
    )]
    FlushToZero,
    /// Arguments below the normal numbers count as zero.
    #[error(
        "this thread takes subnormal numbers for zero, so no bound holds; a library built with \
         -ffast-math does that when it is loaded: clear the flag, or load it in another process"
    )]
    SubnormalsAreZero,
}

/// Whether this thread computes as every bound assumes.
///
/// ```
/// lastbit_exact::environment::check()?;
/// # Ok::<(), lastbit_exact::environment::EnvironmentError>(())
/// ```
#[inline]
pub fn check() -> Result<(), EnvironmentError> {
    // Sums and differences alone: processors take a hundred cycles for products with subnormals.
    let normal = f64::MIN_POSITIVE; // 2^-1022
    let subnormal = f64::from_bits(1 << 51); // 2^-1023
    let between = f64::from_bits(3 << 51); // 1.5·2^-1022, a normal number
    let numbers = [
        1.0,
        f64::from_bits((1023 - 60) << 52),
        normal,
        subnormal,
        between,
    ];
    let [one, little, normal, subnormal, between] = black_box(numbers);
    // To nearest both are 1. Upward the sum is above; downward and toward zero the difference is
    // below.
    let (sum, difference) = (one + little, one - little);
    // Bits are compared, as a comparison of numbers would be made in the same mode.
    let nearest = (sum.to_bits() == one.to_bits()) & (difference.to_bits() == one.to_bits());
    let kept = (between - normal).to_bits() == subnormal.to_bits();
    let seen = (normal + subnormal).to_bits() == between.to_bits();
    // Seen by nobody, so that nothing is computed later, when the mode may be another.
    if black_box(nearest & kept & seen) {
        Ok(())
    } else {
        Err(wrong(nearest, kept))
    }
}

#[cold]
fn wrong(nearest: bool, kept: bool) -> EnvironmentError {
    if !nearest {
        EnvironmentError::RoundingMode
    } else if !kept {
        EnvironmentError::FlushToZero
    } else {
        EnvironmentError::SubnormalsAreZero
    }
}
