use core::fmt::{Debug, Display};

use lastbit_exact::{Rational, Up};

use crate::Error;

/// How far apart two data sets, or two laws, are at most: an exact number or an upper bound, zero
/// or more, and finite.
///
/// Implemented for exact types (`u64`, [`Rational`]) and for bounds that round up ([`Up`] and what
/// is made of it), and for nothing that rounds down or to nearest. A map to or from such a type
/// does not compile.
///
/// ```compile_fail,E0277
/// fn is_distance<D: lastbit::Distance>() {}
/// is_distance::<f64>(); // rounds to nearest
/// ```
/// ```compile_fail,E0277
/// fn is_distance<D: lastbit::Distance>() {}
/// is_distance::<lastbit::Down>();
/// ```
///
/// Every distance that enters or leaves a map of this crate is checked.
///
/// ```
/// use lastbit::Distance;
/// use lastbit::{Rational, Up};
/// assert!(Up::ZERO.check().is_ok());
/// assert!(Up::INFINITY.check().unwrap_err().is_unbounded());
/// assert!(Rational::new(-1, 2).check().unwrap_err().is_distance());
/// ```
pub trait Distance: Clone + Debug + Display + Send + Sync + 'static {
    /// Refuses what is negative (`is_distance`) or says nothing because it is infinite
    /// (`is_unbounded`).
    fn check(&self) -> Result<(), Error>;
}

impl Distance for u64 {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Distance for Rational {
    fn check(&self) -> Result<(), Error> {
        if self.is_negative() {
            Err(negative(self))
        } else {
            Ok(())
        }
    }
}

impl Distance for Up {
    #[inline]
    fn check(&self) -> Result<(), Error> {
        if self.get() < 0.0 {
            Err(negative(self))
        } else if !self.is_finite() {
            Err(Error::unbounded(
                "the distance has no finite bound; use a smaller distance, or a larger noise scale",
            ))
        } else {
            Ok(())
        }
    }
}

#[cold]
fn negative(value: &impl Display) -> Error {
    Error::distance(format!(
        "a distance must be zero or more, got {value}; distances measure how far apart two things \
         are"
    ))
}
