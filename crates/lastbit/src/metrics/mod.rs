//! How far apart two data sets, or two values computed from them, are.
//!
//! Distances between data sets count rows; rows have no order, so a permutation is at distance
//! zero. Distances between numbers are exact rationals, except the Euclidean, which is rounded up.

mod contribution;
mod norms;

use core::fmt::{self, Debug, Display};

use lastbit_exact::{Rational, Up};

pub use contribution::{Contribution, ContributionDistance};
pub use norms::{Norms, NormsDistance};

use crate::Distance;

/// A way to measure distance on some domains; which ones, [`MetricSpace`](crate::MetricSpace) says.
///
/// ```
/// use lastbit::metrics::{Metric, SymmetricDistance};
/// fn of_one_person<M: Metric<Distance = u64>>(_: M) -> u64 {
///     1
/// }
/// assert_eq!(of_one_person(SymmetricDistance), 1);
/// ```
pub trait Metric: Clone + PartialEq + Debug + Display + Send + Sync + 'static {
    /// An exact number, or one rounded up.
    type Distance: Distance;
}

macro_rules! metric {
    ($(#[$doc:meta])* $name:ident, $distance:ty, $text:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl Metric for $name {
            type Distance = $distance;
        }

        impl Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($text)
            }
        }
    };
}

metric!(
    /// How many rows must be added or removed: `|x Δ y|` of two multisets of rows. One person's
    /// row: 1.
    ///
    /// Between data sets of one public size it is even: a row changed is one removed and one
    /// added, 2. An odd distance on such a domain costs as much as the even one above it.
    ///
    /// ```
    /// # use lastbit::{
    /// #     MetricSpace,
    /// #     domains::{AtomDomain, VectorDomain},
    /// #     metrics::SymmetricDistance,
    /// # };
    /// # use lastbit::Rational;
    /// let rows = VectorDomain::new(AtomDomain::<i64>::new());
    /// // without 1 and one 2, with 3
    /// assert_eq!(rows.distance(&SymmetricDistance, &vec![1, 2, 2], &vec![2, 3])?, 3);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    SymmetricDistance, u64, "symmetric distance"
);
metric!(
    /// How many rows must be changed: `|x Δ y|/2` of two multisets of the same, public size. One
    /// person's row: 1.
    ///
    /// ```
    /// # use lastbit::{
    /// #     MetricSpace,
    /// #     domains::{AtomDomain, VectorDomain},
    /// #     metrics::ChangeOneDistance,
    /// # };
    /// # use lastbit::Rational;
    /// let rows = VectorDomain::new(AtomDomain::<i64>::new()).with_size(3);
    /// // one 2 became 3
    /// assert_eq!(rows.distance(&ChangeOneDistance, &vec![1, 2, 2], &vec![2, 3, 1])?, 1);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    ChangeOneDistance, u64, "change-one distance"
);
metric!(
    /// `|x − y|` of two numbers.
    ///
    /// ```
    /// # use lastbit::{
    /// #     MetricSpace,
    /// #     domains::{AtomDomain, VectorDomain},
    /// #     metrics::AbsoluteDistance,
    /// # };
    /// # use lastbit::Rational;
    /// let number = AtomDomain::<f64>::new();
    /// assert_eq!(
    ///     number.distance(&AbsoluteDistance, &-0.5, &1e300)?
    ///         - Rational::try_from(1e300).unwrap(),
    ///     Rational::new(1, 2)
    /// );
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    AbsoluteDistance, Rational, "absolute distance"
);
metric!(
    /// `Σ |x_i − y_i|`; a key that a map lacks counts as zero.
    ///
    /// ```
    /// # use lastbit::{MetricSpace, domains::{AtomDomain, VectorDomain}, metrics::L1Distance};
    /// # use lastbit::Rational;
    /// let counts = VectorDomain::new(AtomDomain::<u64>::new());
    /// assert_eq!(counts.distance(&L1Distance, &vec![0, 4], &vec![3, 0])?, Rational::from(7_i64));
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    L1Distance, Rational, "L1 distance"
);
metric!(
    /// `√Σ (x_i − y_i)²`, rounded up; a key that a map lacks counts as zero.
    ///
    /// ```
    /// # use lastbit::{MetricSpace, domains::{AtomDomain, VectorDomain}, metrics::L2Distance};
    /// # use lastbit::Rational;
    /// let counts = VectorDomain::new(AtomDomain::<u64>::new());
    /// assert_eq!(counts.distance(&L2Distance, &vec![0, 4], &vec![3, 0])?.get(), 5.0);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    L2Distance, Up, "L2 distance"
);
metric!(
    /// `max |x_i − y_i|`; a key that a map lacks counts as zero.
    ///
    /// ```
    /// # use lastbit::{
    /// #     MetricSpace,
    /// #     domains::{AtomDomain, VectorDomain},
    /// #     metrics::LInfDistance,
    /// # };
    /// # use lastbit::Rational;
    /// let counts = VectorDomain::new(AtomDomain::<u64>::new());
    /// assert_eq!(
    ///     counts.distance(&LInfDistance, &vec![0, 4], &vec![3, 0])?,
    ///     Rational::from(4_i64)
    /// );
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    LInfDistance, Rational, "L∞ distance"
);
metric!(
    /// `max (x_i − y_i) − min (x_i − y_i)`: zero if all entries move by the same amount. What
    /// selection by scores depends on.
    ///
    /// ```
    /// # use lastbit::{
    /// #     MetricSpace,
    /// #     domains::{AtomDomain, VectorDomain},
    /// #     metrics::RangeDistance,
    /// # };
    /// # use lastbit::Rational;
    /// let scores = VectorDomain::new(AtomDomain::<i64>::new());
    /// assert_eq!(
    ///     scores.distance(&RangeDistance, &vec![0, 4], &vec![3, 0])?,
    ///     Rational::from(7_i64)
    /// );
    /// assert_eq!(scores.distance(&RangeDistance, &vec![0, 4], &vec![1, 5])?, Rational::ZERO);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    RangeDistance, Rational, "range distance"
);
metric!(
    /// 0 if equal and 1 if not.
    ///
    /// ```
    /// # use lastbit::{
    /// #     MetricSpace,
    /// #     domains::{AtomDomain, VectorDomain},
    /// #     metrics::DiscreteDistance,
    /// # };
    /// # use lastbit::Rational;
    /// let answer = AtomDomain::<String>::new();
    /// assert_eq!(answer.distance(&DiscreteDistance, &"yes".to_string(), &"no".to_string())?, 1);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    DiscreteDistance, u64, "discrete distance"
);
