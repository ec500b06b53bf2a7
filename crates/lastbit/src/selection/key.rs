use crate::Error;
use crate::domains::{Atom, AtomDomain, Ordered};
use crate::quality::QualityError;
use crate::sealed::Sealed;

/// Numbers that are counted in order: every one has a place among 2^64, and selection needs no list
/// of candidates.
///
/// ```
/// use lastbit::selection::Key;
/// assert!((-1.5f64).key() < 0.0f64.key() && 0.0f64.key() < f64::MIN_POSITIVE.key());
/// assert_eq!(f64::from_key(1.0f64.key() + 1), 1.0f64.next_up());
/// assert_eq!(f64::from_key((-0.0f64).key()).to_bits(), 0);            // there is one zero
/// assert_eq!(i64::from_key(i64::MIN.key()), i64::MIN);
/// ```
pub trait Key: Ordered + Copy + Sealed {
    /// The least and the largest number.
    const ENDS: (Self, Self);

    /// The place: `a < b` if and only if `a.key() < b.key()`.
    fn key(self) -> u64;

    /// The number at a place.
    fn from_key(key: u64) -> Self;
}

impl Key for u64 {
    const ENDS: (u64, u64) = (0, u64::MAX);

    #[inline]
    fn key(self) -> u64 {
        self
    }

    fn from_key(key: u64) -> u64 {
        key
    }
}

impl Key for i64 {
    const ENDS: (i64, i64) = (i64::MIN, i64::MAX);

    #[inline]
    fn key(self) -> u64 {
        self as u64 ^ SIGN
    }

    fn from_key(key: u64) -> i64 {
        (key ^ SIGN) as i64
    }
}

const SIGN: u64 = 1 << 63;

/// Negative numbers have descending bit patterns, so all their bits are flipped; of the others the
/// sign bit. The place of -0.0 stays empty and is read as zero.
impl Key for f64 {
    const ENDS: (f64, f64) = (f64::MIN, f64::MAX);

    #[inline]
    fn key(self) -> u64 {
        // -0.0 + 0.0 is 0.0.
        let bits = (self + 0.0).to_bits();
        // All ones if the sign bit is set.
        let negative = ((bits as i64) >> 63) as u64;
        bits ^ (negative | SIGN)
    }

    fn from_key(key: u64) -> f64 {
        let positive = ((key as i64) >> 63) as u64;
        f64::from_bits(key ^ (!positive | SIGN)) + 0.0
    }
}

/// The places from the least to the largest number of a domain: the first place, and how many there
/// are.
pub(super) fn places<P: Key + Atom>(domain: &AtomDomain<P>) -> Result<(u64, u128), Error> {
    if !domain.is_regular() {
        return Err(QualityError::Unordered.into());
    }
    let (lower, upper) = match domain.bounds() {
        Some((&lower, &upper)) => (lower.key(), upper.key()),
        None => (P::ENDS.0.key(), P::ENDS.1.key()),
    };
    Ok((lower, u128::from(upper - lower) + 1))
}
