//! Integers of any size. The library that computes with them is nobody's business but this file's
//! and `rational.rs`'s: no signature names it.

use core::fmt;
use core::iter::Sum;
use core::ops::{
    Add, AddAssign, BitAnd, BitOr, Div, DivAssign, Mul, MulAssign, Neg, Rem, Shl, Shr, Sub,
    SubAssign,
};

use dashu_base::{Abs, BitTest, DivRem, Sign, Signed};
use dashu_int::{IBig, UBig, Word};

/// An integer of any size.
///
/// ```
/// use lastbit_exact::Integer;
/// let big = Integer::ONE << 100;
/// assert_eq!((&big - Integer::from(1)).to_string(), "1267650600228229401496703205375");
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer(pub(crate) IBig);

/// An integer of any size, zero or above. A difference below zero panics.
///
/// ```
/// use lastbit_exact::Natural;
/// assert_eq!(Natural::from(10u8).pow(20).to_string(), "100000000000000000000");
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Natural(pub(crate) UBig);

/// An integer that the wanted type cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the integer is out of range")]
pub struct OutOfRange;

impl Integer {
    /// Zero.
    pub const ZERO: Integer = Integer(IBig::ZERO);
    /// One.
    pub const ONE: Integer = Integer(IBig::ONE);

    /// Whether this is below zero.
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// The magnitude.
    #[inline]
    pub fn abs(self) -> Integer {
        Integer(self.0.abs())
    }

    /// Whether this is below zero, and the magnitude.
    #[inline]
    pub fn into_parts(self) -> (bool, Natural) {
        let (sign, magnitude) = self.0.into_parts();
        (sign == Sign::Negative, Natural(magnitude))
    }

    /// The integer of this sign and magnitude.
    #[inline]
    pub fn from_parts(negative: bool, magnitude: Natural) -> Integer {
        let sign = if negative {
            Sign::Negative
        } else {
            Sign::Positive
        };
        Integer(IBig::from_parts(sign, magnitude.0))
    }

    /// The magnitude in limbs, the lowest first.
    ///
    /// # Panics
    /// If it has more than `64·N` bits.
    // A word is a u64 on most targets, and narrower on some.
    #[allow(clippy::unnecessary_cast)]
    pub(crate) fn limbs<const N: usize>(&self) -> [u64; N] {
        let (_, words) = self.0.as_sign_words();
        let mut limbs = [0; N];
        for (i, &word) in words.iter().enumerate() {
            let position = i * Word::BITS as usize;
            limbs[position / 64] |= (word as u64) << (position % 64);
        }
        limbs
    }
}

impl Natural {
    /// Zero.
    pub const ZERO: Natural = Natural(UBig::ZERO);
    /// One.
    pub const ONE: Natural = Natural(UBig::ONE);

    /// `⌊self^(1/n)⌋`.
    ///
    /// # Panics
    /// If `n` is zero.
    #[inline]
    pub fn nth_root(&self, n: usize) -> Natural {
        Natural(self.0.nth_root(n))
    }

    /// Whether `divisor` divides this number.
    #[inline]
    pub fn is_multiple_of(&self, divisor: &Natural) -> bool {
        self.0.is_multiple_of(&divisor.0)
    }

    /// The number that decimal digits write; `None` unless there is at least one, and nothing else.
    pub(crate) fn of_digits(digits: &str) -> Option<Natural> {
        let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
        all_digits
            .then(|| UBig::from_str_radix(digits, 10).ok())?
            .map(Natural)
    }
}

macro_rules! both {
    ($($own:ident)*) => {$(
        impl $own {
            /// Whether this is zero.
            #[inline]
            pub fn is_zero(&self) -> bool {
                self.0.is_zero()
            }

            /// The bits of the magnitude; 0 for zero.
            #[inline]
            pub fn bit_len(&self) -> usize {
                self.0.bit_len()
            }

            /// Bit `n`, in two's complement.
            #[inline]
            pub fn bit(&self, n: usize) -> bool {
                self.0.bit(n)
            }

            /// How often 2 divides this number; `None` for zero.
            #[inline]
            pub fn trailing_zeros(&self) -> Option<usize> {
                self.0.trailing_zeros()
            }

            /// `self^exponent`.
            #[inline]
            pub fn pow(&self, exponent: usize) -> $own {
                $own(self.0.pow(exponent))
            }

            /// Quotient, toward zero, and remainder.
            ///
            /// # Panics
            /// If the divisor is zero.
            #[inline]
            pub fn div_rem(self, divisor: impl core::borrow::Borrow<$own>) -> ($own, $own) {
                let (quotient, remainder) = self.0.div_rem(&divisor.borrow().0);
                ($own(quotient), $own(remainder))
            }
        }

        impl fmt::Display for $own {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Binary for $own {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Binary::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $own {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl Sum for $own {
            fn sum<I: Iterator<Item = $own>>(numbers: I) -> $own {
                numbers.fold($own::ZERO, |sum, number| sum + number)
            }
        }

        impl<'a> Sum<&'a $own> for $own {
            fn sum<I: Iterator<Item = &'a $own>>(numbers: I) -> $own {
                numbers.fold($own::ZERO, |sum, number| sum + number)
            }
        }
    )*};
}
both!(Integer Natural);

macro_rules! operators {
    ($own:ident: $($trait:ident $method:ident),*) => {$(
        impl $trait for $own {
            type Output = $own;
            #[inline]
            fn $method(self, other: $own) -> $own {
                $own(self.0.$method(other.0))
            }
        }
        impl $trait<&$own> for $own {
            type Output = $own;
            #[inline]
            fn $method(self, other: &$own) -> $own {
                $own(self.0.$method(&other.0))
            }
        }
        impl $trait<$own> for &$own {
            type Output = $own;
            #[inline]
            fn $method(self, other: $own) -> $own {
                $own((&self.0).$method(other.0))
            }
        }
        impl $trait for &$own {
            type Output = $own;
            #[inline]
            fn $method(self, other: &$own) -> $own {
                $own((&self.0).$method(&other.0))
            }
        }
    )*};
}
operators!(Integer: Add add, Sub sub, Mul mul, Div div, Rem rem, BitAnd bitand, BitOr bitor);
operators!(Natural: Add add, Sub sub, Mul mul, Div div, Rem rem, BitAnd bitand, BitOr bitor);

macro_rules! assignments {
    ($own:ident: $($trait:ident $method:ident),*) => {$(
        impl $trait for $own {
            #[inline]
            fn $method(&mut self, other: $own) {
                self.0.$method(other.0);
            }
        }
        impl $trait<&$own> for $own {
            #[inline]
            fn $method(&mut self, other: &$own) {
                self.0.$method(&other.0);
            }
        }
    )*};
}
assignments!(Integer: AddAssign add_assign, SubAssign sub_assign);
assignments!(Integer: MulAssign mul_assign, DivAssign div_assign);
assignments!(Natural: AddAssign add_assign, SubAssign sub_assign);
assignments!(Natural: MulAssign mul_assign, DivAssign div_assign);

macro_rules! shifts {
    ($($own:ident)*) => {$(
        impl Shl<usize> for $own {
            type Output = $own;
            #[inline]
            fn shl(self, by: usize) -> $own {
                $own(self.0 << by)
            }
        }
        impl Shl<usize> for &$own {
            type Output = $own;
            #[inline]
            fn shl(self, by: usize) -> $own {
                $own(&self.0 << by)
            }
        }
        /// `⌊self / 2^by⌋`.
        impl Shr<usize> for $own {
            type Output = $own;
            #[inline]
            fn shr(self, by: usize) -> $own {
                $own(self.0 >> by)
            }
        }
        /// `⌊self / 2^by⌋`.
        impl Shr<usize> for &$own {
            type Output = $own;
            #[inline]
            fn shr(self, by: usize) -> $own {
                $own(&self.0 >> by)
            }
        }
    )*};
}
shifts!(Integer Natural);

impl Neg for Integer {
    type Output = Integer;
    #[inline]
    fn neg(self) -> Integer {
        Integer(-self.0)
    }
}

impl Neg for &Integer {
    type Output = Integer;
    #[inline]
    fn neg(self) -> Integer {
        Integer(-&self.0)
    }
}

/// One small operand: no big number is made of it.
macro_rules! small {
    ($own:ident, $small:ty: $($trait:ident $method:ident),*) => {$(
        impl $trait<$small> for $own {
            type Output = $own;
            #[inline]
            fn $method(self, other: $small) -> $own {
                $own(self.0.$method(other))
            }
        }
        impl $trait<$small> for &$own {
            type Output = $own;
            #[inline]
            fn $method(self, other: $small) -> $own {
                $own((&self.0).$method(other))
            }
        }
    )*};
}
small!(Integer, i64: Add add, Sub sub, Mul mul, Div div);
small!(Natural, u64: Add add, Sub sub, Mul mul, Div div);

macro_rules! add_small {
    ($own:ident: $($small:ty)*) => {$(
        impl AddAssign<$small> for $own {
            #[inline]
            fn add_assign(&mut self, other: $small) {
                self.0 += other;
            }
        }
    )*};
}
add_small!(Integer: i64 i128);
add_small!(Natural: u64 u128);

macro_rules! from {
    ($own:ident($big:ident): $($small:ty)*) => {$(
        impl From<$small> for $own {
            #[inline]
            fn from(value: $small) -> $own {
                $own($big::from(value))
            }
        }
    )*};
}
from!(Integer(IBig): bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
from!(Natural(UBig): bool u8 u16 u32 u64 u128 usize);

macro_rules! try_into {
    ($own:ident: $($small:ty)*) => {$(
        impl TryFrom<$own> for $small {
            type Error = OutOfRange;
            #[inline]
            fn try_from(value: $own) -> Result<$small, OutOfRange> {
                <$small>::try_from(&value.0).map_err(|_| OutOfRange)
            }
        }
        impl TryFrom<&$own> for $small {
            type Error = OutOfRange;
            #[inline]
            fn try_from(value: &$own) -> Result<$small, OutOfRange> {
                <$small>::try_from(&value.0).map_err(|_| OutOfRange)
            }
        }
    )*};
}
try_into!(Integer: i32 i64 i128 u32 u64 u128 usize);
try_into!(Natural: i64 i128 u32 u64 u128 usize);

impl From<Natural> for Integer {
    #[inline]
    fn from(value: Natural) -> Integer {
        Integer(IBig::from(value.0))
    }
}

impl TryFrom<Integer> for Natural {
    type Error = OutOfRange;
    #[inline]
    fn try_from(value: Integer) -> Result<Natural, OutOfRange> {
        UBig::try_from(value.0).map(Natural).map_err(|_| OutOfRange)
    }
}
