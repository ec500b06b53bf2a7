use core::fmt::Display;

use lastbit_exact::{Rational, Up};

use crate::Error;
use crate::domains::{AtomDomain, Domain, FrameDomain, MapDomain, Number, VectorDomain};
use crate::metrics::{
    AbsoluteDistance, ChangeOneDistance, DiscreteDistance, L1Distance, L2Distance, LInfDistance,
    Metric, Norms, NormsDistance, RangeDistance, SymmetricDistance,
};

/// A domain on which a metric is a metric. Implemented only for pairs that make sense, so that a
/// wrong pair does not compile.
///
/// ```
/// use lastbit::MetricSpace;
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::{ChangeOneDistance, SymmetricDistance};
///
/// let rows = VectorDomain::new(AtomDomain::<i64>::new());
/// assert_eq!(rows.distance(&SymmetricDistance, &vec![1, 2, 3], &vec![3, 1])?, 1);
/// // What a type cannot say is checked when something is built on the space.
/// assert!(rows.check_space(&ChangeOneDistance).unwrap_err().is_space()); // the size is not public
/// assert!(rows.with_size(3).check_space(&ChangeOneDistance).is_ok());
/// # Ok::<(), lastbit::Error>(())
/// ```
///
/// Adding and removing rows means nothing for a single number:
///
/// ```compile_fail,E0277
/// # use lastbit::{
/// #     Measurement, domains::AtomDomain, measures::MaxDivergence, metrics::SymmetricDistance,
/// # };
/// fn publish(_: Measurement<AtomDomain<i64>, SymmetricDistance, MaxDivergence, i64>) {}
/// ```
/// and neither does a difference of texts:
/// ```compile_fail,E0277
/// # use lastbit::{
/// #     Measurement, domains::AtomDomain, measures::MaxDivergence, metrics::AbsoluteDistance,
/// # };
/// fn publish(_: Measurement<AtomDomain<String>, AbsoluteDistance, MaxDivergence, i64>) {}
/// ```
/// where an absolute distance of numbers does:
/// ```
/// # use lastbit::{
/// #     Measurement, domains::AtomDomain, measures::MaxDivergence, metrics::AbsoluteDistance,
/// # };
/// fn publish(_: Measurement<AtomDomain<i64>, AbsoluteDistance, MaxDivergence, i64>) {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{M}` is not a metric on `{Self}`",
    label = "this domain and this metric do not make a metric space",
    note = "row metrics belong to vectors and frames, absolute distance to one number, L1, L2, L∞ \
        and range distance to vectors of numbers"
)]
pub trait MetricSpace<M: Metric>: Domain {
    /// Refuses what the types let through: a size that is not public, values without a difference.
    fn check_space(&self, metric: &M) -> Result<(), Error>;

    /// The distance of two values of the domain; an error if it is infinite.
    ///
    /// For tests and audits: the data-dependent truth that a stability map bounds.
    fn distance(
        &self,
        metric: &M,
        left: &Self::Carrier,
        right: &Self::Carrier,
    ) -> Result<M::Distance, Error>;
}

impl<D: Domain> MetricSpace<DiscreteDistance> for D {
    fn check_space(&self, _: &DiscreteDistance) -> Result<(), Error> {
        Ok(())
    }

    fn distance(
        &self,
        _: &DiscreteDistance,
        left: &D::Carrier,
        right: &D::Carrier,
    ) -> Result<u64, Error> {
        Ok(u64::from(!self.same(left, right)))
    }
}

impl<D: Domain> MetricSpace<SymmetricDistance> for VectorDomain<D> {
    fn check_space(&self, _: &SymmetricDistance) -> Result<(), Error> {
        Ok(())
    }

    fn distance(
        &self,
        _: &SymmetricDistance,
        left: &Vec<D::Carrier>,
        right: &Vec<D::Carrier>,
    ) -> Result<u64, Error> {
        let same = |i: usize, j: usize| self.element().same(&left[i], &right[j]);
        Ok(symmetric_difference(left.len(), right.len(), same))
    }
}

impl<D: Domain> MetricSpace<ChangeOneDistance> for VectorDomain<D> {
    fn check_space(&self, metric: &ChangeOneDistance) -> Result<(), Error> {
        public_size(self.size(), metric)
    }

    fn distance(
        &self,
        metric: &ChangeOneDistance,
        left: &Vec<D::Carrier>,
        right: &Vec<D::Carrier>,
    ) -> Result<u64, Error> {
        same_size(left.len(), right.len(), metric)?;
        Ok(self.distance(&SymmetricDistance, left, right)? / 2)
    }
}

impl MetricSpace<SymmetricDistance> for FrameDomain {
    fn check_space(&self, _: &SymmetricDistance) -> Result<(), Error> {
        Ok(())
    }

    fn distance(
        &self,
        _: &SymmetricDistance,
        left: &Self::Carrier,
        right: &Self::Carrier,
    ) -> Result<u64, Error> {
        let same = |i: usize, j: usize| left.same_row(i, right, j);
        Ok(symmetric_difference(left.rows(), right.rows(), same))
    }
}

impl MetricSpace<ChangeOneDistance> for FrameDomain {
    fn check_space(&self, metric: &ChangeOneDistance) -> Result<(), Error> {
        public_size(self.size(), metric)
    }

    fn distance(
        &self,
        metric: &ChangeOneDistance,
        left: &Self::Carrier,
        right: &Self::Carrier,
    ) -> Result<u64, Error> {
        same_size(left.rows(), right.rows(), metric)?;
        Ok(self.distance(&SymmetricDistance, left, right)? / 2)
    }
}

impl<T: Number> MetricSpace<AbsoluteDistance> for AtomDomain<T> {
    fn check_space(&self, metric: &AbsoluteDistance) -> Result<(), Error> {
        regular(self, metric)
    }

    fn distance(&self, metric: &AbsoluteDistance, left: &T, right: &T) -> Result<Rational, Error> {
        Ok(difference(metric, left, right)?.abs())
    }
}

/// The coordinatewise differences of two values; what every norm is a function of.
trait Differences: Domain {
    fn regular(&self, metric: &impl Display) -> Result<(), Error>;
    fn differences(
        &self,
        metric: &impl Display,
        left: &Self::Carrier,
        right: &Self::Carrier,
    ) -> Result<Vec<Rational>, Error>;
}

impl<T: Number> Differences for VectorDomain<AtomDomain<T>> {
    fn regular(&self, metric: &impl Display) -> Result<(), Error> {
        regular(self.element(), metric)
    }

    fn differences(
        &self,
        metric: &impl Display,
        left: &Vec<T>,
        right: &Vec<T>,
    ) -> Result<Vec<Rational>, Error> {
        same_size(left.len(), right.len(), metric)?;
        let pairs = left.iter().zip(right);
        pairs.map(|(x, y)| difference(metric, x, y)).collect()
    }
}

impl<DK: Domain, T: Number> Differences for MapDomain<DK, AtomDomain<T>>
where
    DK::Carrier: Ord,
{
    fn regular(&self, metric: &impl Display) -> Result<(), Error> {
        regular(self.value(), metric)
    }

    fn differences(
        &self,
        metric: &impl Display,
        left: &Self::Carrier,
        right: &Self::Carrier,
    ) -> Result<Vec<Rational>, Error> {
        let both = left.iter().map(|(key, x)| match right.get(key) {
            Some(y) => difference(metric, x, y),
            None => rational(metric, x),
        });
        let only_right = right.iter().filter(|(key, _)| !left.contains_key(key));
        both.chain(only_right.map(|(_, y)| Ok(-rational(metric, y)?)))
            .collect()
    }
}

macro_rules! norm {
    ($metric:ident, $distance:ty, $norm:expr; $([$($generics:tt)*] $domain:ty),*) => {
        $(impl<$($generics)*> MetricSpace<$metric> for $domain {
            fn check_space(&self, metric: &$metric) -> Result<(), Error> {
                self.regular(metric)
            }

            fn distance(
                &self,
                metric: &$metric,
                left: &Self::Carrier,
                right: &Self::Carrier,
            ) -> Result<$distance, Error> {
                let norm: fn(&[Rational]) -> $distance = $norm;
                Ok(norm(&self.differences(metric, left, right)?))
            }
        })*
    };
}
macro_rules! norm_of_maps_too {
    ($metric:ident, $distance:ty, $norm:expr) => {
        norm!(
            $metric, $distance, $norm;
            [T: Number] VectorDomain<AtomDomain<T>>,
            [K: Domain<Carrier: Ord>, T: Number] MapDomain<K, AtomDomain<T>>
        );
    };
}
norm_of_maps_too!(L1Distance, Rational, l1);
norm_of_maps_too!(L2Distance, Up, l2);
norm_of_maps_too!(LInfDistance, Rational, l_inf);
norm_of_maps_too!(NormsDistance, Norms, norms);
norm!(RangeDistance, Rational, range; [T: Number] VectorDomain<AtomDomain<T>>);

fn l1(differences: &[Rational]) -> Rational {
    let sizes = differences.iter().map(Rational::abs);
    sizes.fold(Rational::ZERO, |sum, size| sum + size)
}

/// The smallest f64 at or above the root.
fn l2(differences: &[Rational]) -> Up {
    let squares = differences.iter().map(|d| d * d);
    let sum = squares.fold(Rational::ZERO, |sum, square| sum + square);
    let above = Up::from_rational(&sum).sqrt();
    // Two roundings may overshoot by one f64; the one below is the answer if its square is still
    // enough.
    let below = above.get().next_down();
    match Rational::try_from(below) {
        Ok(root) if below >= 0.0 && &root * &root >= sum => Up::from_rational(&root),
        _ => above,
    }
}

fn norms(differences: &[Rational]) -> Norms {
    let squares = differences.iter().map(|d| d * d);
    Norms {
        l1: l1(differences),
        l2_squared: squares.fold(Rational::ZERO, |sum, square| sum + square),
    }
}

fn l_inf(differences: &[Rational]) -> Rational {
    let sizes = differences.iter().map(Rational::abs);
    sizes.max().unwrap_or(Rational::ZERO)
}

fn range(differences: &[Rational]) -> Rational {
    match (differences.iter().max(), differences.iter().min()) {
        (Some(most), Some(least)) => most - least,
        _ => Rational::ZERO,
    }
}

fn difference<T: Number>(metric: &impl Display, left: &T, right: &T) -> Result<Rational, Error> {
    Ok(rational(metric, left)? - rational(metric, right)?)
}

fn rational<T: Number>(metric: &impl Display, value: &T) -> Result<Rational, Error> {
    value.to_rational().ok_or_else(|| {
        Error::unbounded(format!(
            "{metric} is not defined at NaN and infinities; clamp the values and replace the \
             nulls first"
        ))
    })
}

fn regular<T: Number>(domain: &AtomDomain<T>, metric: &impl Display) -> Result<(), Error> {
    if domain.is_regular() {
        return Ok(());
    }
    Err(Error::space(format!(
        "{metric} is not defined on {domain}: a null or an infinity is at no distance from a \
         number; clamp and replace the nulls first"
    )))
}

fn public_size(size: Option<usize>, metric: &impl Display) -> Result<(), Error> {
    match size {
        Some(_) => Ok(()),
        None => Err(Error::space(format!(
            "{metric} needs a public number of rows; give the domain a size, or use symmetric \
             distance"
        ))),
    }
}

fn same_size(left: usize, right: usize, metric: &impl Display) -> Result<(), Error> {
    if left == right {
        return Ok(());
    }
    Err(Error::unbounded(format!(
        "{metric} is not defined between {left} and {right} entries; give both the same size"
    )))
}

/// How many of `left` and `right` rows have no partner in the other multiset.
fn symmetric_difference(left: usize, right: usize, same: impl Fn(usize, usize) -> bool) -> u64 {
    let mut free: Vec<usize> = (0..right).collect();
    let mut alone = 0;
    for i in 0..left {
        match free.iter().position(|&j| same(i, j)) {
            Some(at) => {
                free.swap_remove(at);
            }
            None => alone += 1,
        }
    }
    alone + free.len() as u64
}
