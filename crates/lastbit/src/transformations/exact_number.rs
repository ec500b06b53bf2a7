use lastbit_exact::{Integer, Rational};

use crate::domains::Number;
use crate::sealed::Sealed;

/// A number whose sums are exact: integers, and rationals.
///
/// Floats are not: their sums depend on the order of the rows and move further than the ideal
/// sensitivity. So this does not compile; [`round_to_grid`](super::round_to_grid) makes integers of
/// them.
///
/// ```compile_fail
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::SymmetricDistance;
/// let rows = VectorDomain::new(AtomDomain::bounded(0.0, 1.0).unwrap());
/// lastbit::transformations::sum(rows, SymmetricDistance);
/// ```
///
/// ```
/// use lastbit::transformations::ExactNumber;
/// assert_eq!(i64::total(&[i64::MAX, i64::MAX, 1]).to_string(), "18446744073709551615");
/// ```
#[diagnostic::on_unimplemented(
    message = "sums of `{Self}` are not exact",
    note = "round the rows to a grid first: `round_to_grid`, or the form of the statistic that \
        ends in `_on_grid`"
)]
pub trait ExactNumber: Number + Sealed {
    /// What a sum is.
    type Sum: Number;

    /// The exact sum.
    fn total(rows: &[Self]) -> Self::Sum;

    /// The exact sum of `x_i · y_i` over the shorter length.
    fn product_total(x: &[Self], y: &[Self]) -> Self::Sum;

    /// The exact value.
    fn exact(&self) -> Rational;
}

macro_rules! machine_integer {
    ($type:ty) => {
        impl ExactNumber for $type {
            type Sum = Integer;

            fn total(rows: &[$type]) -> Integer {
                // A vector has fewer than 2^63 rows of less than 2^64: below 2^127.
                Integer::from(rows.iter().map(|&row| i128::from(row)).sum::<i128>())
            }

            fn product_total(x: &[$type], y: &[$type]) -> Integer {
                let (mut high, mut low) = (Integer::ZERO, 0u128);
                let mut carried = 0i128;
                for (&x, &y) in x.iter().zip(y) {
                    // |x·y| < 2^128 may not fit i128, so the halves of y are multiplied on their
                    // own.
                    let (x, y) = (i128::from(x), i128::from(y));
                    let (upper, lower) = (y >> 32, y & 0xffff_ffff);
                    let part = x * lower; // below 2^96 in size, as is x·upper
                    // In units of 2^32, and below 2^126 + 2^97 in size.
                    carried += x * upper + (part >> 32);
                    low += (part & 0xffff_ffff) as u128; // below 2^32 each, 2^95 in all
                    if carried.unsigned_abs() >= 1 << 126 {
                        high += Integer::from(core::mem::take(&mut carried));
                    }
                }
                ((high + Integer::from(carried)) << 32) + Integer::from(low)
            }

            fn exact(&self) -> Rational {
                Rational::from(*self)
            }
        }
    };
}
machine_integer!(i64);
machine_integer!(u64);

macro_rules! big_number {
    ($type:ty, $zero:expr) => {
        impl ExactNumber for $type {
            type Sum = $type;

            fn total(rows: &[$type]) -> $type {
                rows.iter().fold($zero, |sum, row| &sum + row)
            }

            fn product_total(x: &[$type], y: &[$type]) -> $type {
                let pairs = x.iter().zip(y);
                pairs.fold($zero, |sum, (x, y)| &sum + &(x * y))
            }

            fn exact(&self) -> Rational {
                Rational::from(self.clone())
            }
        }
    };
}
big_number!(Integer, Integer::ZERO);
big_number!(Rational, Rational::ZERO);

/// `(n·Σxy − Σx·Σy)/(n(n−1))`, the sample covariance, for `n ≥ 2` rows.
pub(super) fn sample_covariance<T: ExactNumber>(x: &[T], y: &[T]) -> Rational {
    let n = Rational::new(x.len(), 1);
    let (x_sum, y_sum) = (value(&T::total(x)), value(&T::total(y)));
    let spread = &n * &value(&T::product_total(x, y)) - x_sum * y_sum;
    spread / (&n * &(&n - &Rational::ONE))
}

/// The value of an exact sum.
pub(super) fn value(sum: &impl Number) -> Rational {
    sum.to_rational()
        .expect("sums of integers and rationals are finite")
}
