//! Traits that only this crate implements: a proof rests on each implementation.

use lastbit_exact::{Integer, Rational, Up};

use crate::domains::{Atom, AtomDomain, Domain, FrameDomain, VectorDomain};
use crate::measures::{
    Approximate, Exact, GaussianDivergence, MaxDivergence, RangeDivergence, RenyiDivergence,
    ZeroConcentratedDivergence,
};

/// A type of this crate, or of values that it knows.
pub trait Sealed {}

macro_rules! sealed {
    ($($type:ty),*) => {
        $(impl Sealed for $type {})*
    };
}
sealed!(f64, f32, i64, i32, u64, bool, String, Integer, Rational, Up);
sealed!(
    MaxDivergence,
    RangeDivergence,
    RenyiDivergence,
    GaussianDivergence,
    ZeroConcentratedDivergence
);
sealed!(FrameDomain);

impl<T: Atom> Sealed for AtomDomain<T> {}
impl<D: Domain> Sealed for VectorDomain<D> {}
impl<M> Sealed for Approximate<M> {}
impl<M> Sealed for Exact<M> {}
