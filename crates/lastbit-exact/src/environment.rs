//! The floating-point environment that every bound rests on.
//!
//! [`Up`](crate::Up), [`Down`](crate::Down) and [`Interval`](crate::Interval), and the quick tiers
//! of samplers, are proved for IEEE 754 in its default mode: rounding to nearest, ties to even,
//! with subnormal numbers. The mode belongs to the thread, and any library in the process may
//! change it; those built with `-ffast-math` flush subnormals to zero from the moment they are
//! loaded. Whoever relies on a bound calls [`check`] first; it takes about a nanosecond.

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
    // Read through a pointer that the compiler does not see through: numbers that went through the
    // stack would be read in pairs that no single store wrote, and wait for both.
    let [one, little, least, subnormal] = *black_box(&NUMBERS);
    // To nearest both are 1. Upward the sum is above; downward and toward zero the difference is
    // below. Bits are compared, as a comparison of numbers would be made in the same mode.
    let nearest = ((one + little).to_bits() ^ ONE) | ((one - little).to_bits() ^ ONE);
    // Zero, if results or arguments below the normal numbers are. A sum: processors take a hundred
    // cycles for products with subnormals.
    let gradual = (least + subnormal).to_bits() ^ (SUBNORMAL + 1);
    if nearest | gradual == 0 {
        Ok(())
    } else {
        Err(wrong(nearest == 0))
    }
}

const ONE: u64 = 1f64.to_bits();
const SUBNORMAL: u64 = 1 << 51; // 2^-1023
/// One, 2^-60, the least number, and a subnormal one.
static NUMBERS: [f64; 4] = [
    1.0,
    f64::from_bits((1023 - 60) << 52),
    f64::from_bits(1),
    f64::from_bits(SUBNORMAL),
];

#[cold]
fn wrong(nearest: bool) -> EnvironmentError {
    // 1.5·2^-1022 − 2^-1022 = 2^-1023, from normal numbers alone.
    let [between, normal] = black_box([f64::from_bits(3 << 51), f64::MIN_POSITIVE]);
    if !nearest {
        EnvironmentError::RoundingMode
    } else if (between - normal).to_bits() != SUBNORMAL {
        EnvironmentError::FlushToZero
    } else {
        EnvironmentError::SubnormalsAreZero
    }
}
