//! Traits that only this crate implements: a proof rests on each implementation.

use lastbit_exact::{Integer, Rational, Up};

use crate::domains::{Atom, AtomDomain, VectorDomain};

/// A type of this crate, or of numbers that it knows.
pub trait Sealed {}

macro_rules! sealed {
    ($($type:ty),*) => {
        $(impl Sealed for $type {})*
    };
}
sealed!(f64, i64, u64, Integer, Rational, Up);

impl<T: Atom> Sealed for AtomDomain<T> {}
impl<T: Atom> Sealed for VectorDomain<AtomDomain<T>> {}
