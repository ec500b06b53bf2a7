use core::cmp::Ordering;
use core::fmt::{self, Debug, Display};

use lastbit_exact::{Integer, Rational};

use super::Domain;
use crate::{Bounds, Error};

/// A type of single values: integers, floats, exact rationals, truth values, text.
///
/// ```
/// use lastbit::domains::Atom;
/// assert!(f64::NAN.is_null() && f64::NAN.same(&-f64::NAN));
/// assert!(!0.0.same(&-0.0)); // a sign of zero tells two records apart
/// ```
pub trait Atom: Clone + Debug + Display + Send + Sync + 'static {
    /// The name in messages.
    const NAME: &'static str;

    /// A number or other proper value: not NaN, not infinite.
    fn is_regular(&self) -> bool {
        true
    }

    /// Stands for a missing value: NaN.
    fn is_null(&self) -> bool {
        false
    }

    /// Equal to the last bit; all nulls are the same.
    fn same(&self, other: &Self) -> bool;
}

/// An [`Atom`] whose regular values are ordered, so that they can have bounds.
///
/// ```
/// use lastbit::domains::Ordered;
/// assert!(3_u64.is_within(&0, &3) && !f64::NAN.is_within(&0.0, &1.0));
/// ```
pub trait Ordered: Atom {
    /// The order of two regular values.
    fn compare(&self, other: &Self) -> Ordering;

    /// `lower ≤ self ≤ upper`; false for a null.
    fn is_within(&self, lower: &Self, upper: &Self) -> bool {
        self.compare(lower).is_ge() & self.compare(upper).is_le()
    }
}

/// An [`Ordered`] atom that is a number, known exactly.
///
/// ```
/// use lastbit::domains::Number;
/// use lastbit::Rational;
/// assert_eq!(0.75.to_rational(), Some(Rational::new(3, 4)));
/// assert_eq!(f64::INFINITY.to_rational(), None);
/// ```
pub trait Number: Ordered {
    /// The exact value; `None` for NaN and infinities.
    fn to_rational(&self) -> Option<Rational>;
}

macro_rules! exact_number {
    ($type:ty, $name:literal) => {
        exact_atom!($type, $name);
        impl Ordered for $type {
            fn compare(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }
        }
        impl Number for $type {
            fn to_rational(&self) -> Option<Rational> {
                Some(Rational::from(self.clone()))
            }
        }
    };
}
macro_rules! exact_atom {
    ($type:ty, $name:literal) => {
        impl Atom for $type {
            const NAME: &'static str = $name;
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    };
}
exact_number!(i64, "i64");
exact_number!(u64, "u64");
exact_number!(Integer, "integers");
exact_number!(Rational, "rationals");
exact_atom!(bool, "truth values");
exact_atom!(String, "text");

impl Atom for f64 {
    const NAME: &'static str = "f64";

    #[inline]
    fn is_regular(&self) -> bool {
        self.is_finite()
    }

    #[inline]
    fn is_null(&self) -> bool {
        self.is_nan()
    }

    fn same(&self, other: &f64) -> bool {
        self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
    }
}

impl Ordered for f64 {
    fn compare(&self, other: &f64) -> Ordering {
        // Regular values are not NaN, and -0.0 equals 0.0.
        self.partial_cmp(other).unwrap_or(Ordering::Equal)
    }

    #[inline]
    fn is_within(&self, lower: &f64, upper: &f64) -> bool {
        (lower <= self) & (self <= upper)
    }
}

impl Number for f64 {
    fn to_rational(&self) -> Option<Rational> {
        Rational::try_from(*self).ok()
    }
}

/// Single values of one type, within bounds if given.
///
/// Floats are finite unless the domain says otherwise: [`AtomDomain::nullable`] admits NaN as the
/// missing value, [`AtomDomain::with_infinities`] admits ±∞, and both are part of the domain's
/// identity.
///
/// ```
/// use lastbit::domains::{AtomDomain, Domain};
/// let measured = AtomDomain::<f64>::new();
/// assert!(
///     measured.contains(&1e300)
///         && !measured.contains(&f64::NAN)
///         && !measured.contains(&f64::INFINITY)
/// );
/// assert!(measured.clone().nullable().contains(&f64::NAN));
/// assert_ne!(measured, measured.clone().nullable());
///
/// let share = AtomDomain::bounded(0.0, 1.0)?;
/// assert!(share.contains(&0.5) && !share.contains(&1.5));
/// assert_eq!(
///     AtomDomain::bounded(5_i64, 2).unwrap_err().to_string(),
///     "bounds [5, 2]: lower is above upper; swap them?"
/// );
/// # Ok::<(), lastbit::Error>(())
/// ```
///
/// Text has no bounds, and integers have no null (see [`OptionDomain`](super::OptionDomain)):
///
/// ```compile_fail,E0277
/// # use lastbit::domains::AtomDomain;
/// AtomDomain::bounded("a".to_string(), "z".to_string());
/// ```
/// ```compile_fail,E0599
/// # use lastbit::domains::AtomDomain;
/// AtomDomain::<i64>::new().nullable();
/// ```
#[derive(Clone, Debug)]
pub struct AtomDomain<T: Atom> {
    bounds: Option<AtomBounds<T>>,
    nullable: bool,
    infinities: bool,
}

#[derive(Clone, Debug)]
struct AtomBounds<T> {
    lower: T,
    upper: T,
    // Kept beside the bounds, so that membership needs no order on T; over a slice, so that the
    // call is not paid by row.
    within: fn(&[T], &T, &T, bool) -> bool,
}

impl<T: Atom> AtomDomain<T> {
    /// Every regular value.
    pub fn new() -> AtomDomain<T> {
        AtomDomain {
            bounds: None,
            nullable: false,
            infinities: false,
        }
    }

    /// The bounds, if there are any.
    pub fn bounds(&self) -> Option<(&T, &T)> {
        self.bounds
            .as_ref()
            .map(|bounds| (&bounds.lower, &bounds.upper))
    }

    /// Whether a value may be missing.
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// Whether a value may be infinite.
    pub fn has_infinities(&self) -> bool {
        self.infinities
    }

    /// Whether every value is regular: not missing and not infinite.
    pub fn is_regular(&self) -> bool {
        !self.nullable && !self.infinities
    }

    /// The same values, and missing ones if `other` has them.
    pub(crate) fn with_nulls_of(mut self, other: &AtomDomain<T>) -> AtomDomain<T> {
        self.nullable = other.nullable;
        self
    }

    /// The same domain without missing and infinite values.
    pub fn regular(mut self) -> AtomDomain<T> {
        (self.nullable, self.infinities) = (false, false);
        self
    }
}

impl<T: Ordered> AtomDomain<T> {
    /// The values from `lower` to `upper`; both regular, `lower ≤ upper`.
    pub fn bounded(lower: T, upper: T) -> Result<AtomDomain<T>, Error> {
        if !lower.is_regular() || !upper.is_regular() {
            return Err(Error::space(format!(
                "bounds [{lower}, {upper}] must be finite numbers; leave the bounds out if there \
                 are none"
            )));
        }
        if lower.compare(&upper).is_gt() {
            return Err(Error::space(format!(
                "bounds [{lower}, {upper}]: lower is above upper; swap them?"
            )));
        }
        Ok(AtomDomain {
            bounds: Some(AtomBounds {
                lower,
                upper,
                within: all_within,
            }),
            nullable: false,
            infinities: false,
        })
    }
}

impl AtomDomain<f64> {
    /// Also NaN, which stands for a missing value.
    pub fn nullable(mut self) -> AtomDomain<f64> {
        self.nullable = true;
        self
    }

    /// Also ±∞; without effect on a domain with bounds, which holds none.
    pub fn with_infinities(mut self) -> AtomDomain<f64> {
        self.infinities = self.bounds.is_none();
        self
    }
}

/// Without branches, so that the time does not depend on the values and the loop runs at the speed
/// of memory.
fn all_within<T: Ordered>(values: &[T], lower: &T, upper: &T, nullable: bool) -> bool {
    values.iter().fold(true, |all, value| {
        all & (value.is_within(lower, upper) | (nullable & value.is_null()))
    })
}

impl From<&Bounds> for AtomDomain<Rational> {
    /// The rationals within the bounds.
    fn from(bounds: &Bounds) -> AtomDomain<Rational> {
        let (lower, upper) = (bounds.lower().clone(), bounds.upper().clone());
        AtomDomain::bounded(lower, upper).expect("Bounds holds lower ≤ upper")
    }
}

impl<T: Atom> Default for AtomDomain<T> {
    fn default() -> AtomDomain<T> {
        AtomDomain::new()
    }
}

impl<T: Atom> PartialEq for AtomDomain<T> {
    fn eq(&self, other: &AtomDomain<T>) -> bool {
        let same_bounds = match (self.bounds(), other.bounds()) {
            (Some((a, b)), Some((c, d))) => a.same(c) && b.same(d),
            (None, None) => true,
            _ => false,
        };
        same_bounds && self.nullable == other.nullable && self.infinities == other.infinities
    }
}

impl<T: Atom> Domain for AtomDomain<T> {
    type Carrier = T;

    #[inline]
    fn contains(&self, value: &T) -> bool {
        self.contains_all(core::slice::from_ref(value))
    }

    fn contains_all(&self, values: &[T]) -> bool {
        if let Some(bounds) = &self.bounds {
            return (bounds.within)(values, &bounds.lower, &bounds.upper, self.nullable);
        }
        values.iter().fold(true, |all, value| {
            let null = value.is_null();
            all & (value.is_regular() | (null & self.nullable) | (!null & self.infinities))
        })
    }

    fn same(&self, left: &T, right: &T) -> bool {
        left.same(right)
    }
}

impl<T: Atom> Display for AtomDomain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::NAME)?;
        if let Some((lower, upper)) = self.bounds() {
            write!(f, " in [{lower}, {upper}]")?;
        }
        match (self.infinities, self.nullable) {
            (true, true) => f.write_str(" with infinities and nulls"),
            (true, false) => f.write_str(" with infinities"),
            (false, true) => f.write_str(" with nulls"),
            (false, false) => Ok(()),
        }
    }
}
