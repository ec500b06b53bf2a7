use core::cmp::Ordering;
use core::fmt;

use lastbit_exact::Rational;

use super::Metric;
use crate::{Distance, Error};

/// `Σ |x_i − y_i|` and `Σ (x_i − y_i)²` together, both exact; a key that a map lacks counts as
/// zero.
///
/// Laplace noise is measured in the first and Gaussian noise in the second, so that a choice
/// between them can be made after the numbers are known, and no root is rounded.
///
/// ```
/// use lastbit::MetricSpace;
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::NormsDistance;
/// let counts = VectorDomain::new(AtomDomain::<u64>::new());
/// let distance = counts.distance(&NormsDistance, &vec![0, 4], &vec![3, 0])?;
/// assert_eq!(distance.to_string(), "L1 = 7, L2² = 25");
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NormsDistance;

impl Metric for NormsDistance {
    type Distance = Norms;
}

impl fmt::Display for NormsDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("L1 and squared L2 distance")
    }
}

/// The distance of [`NormsDistance`].
///
/// The order is partial: one is below another if it is in both numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Norms {
    /// Σ|change|.
    pub l1: Rational,
    /// Σ change².
    pub l2_squared: Rational,
}

impl Norms {
    /// Of one number that moves by at most this much.
    pub fn of_number(most: Rational) -> Norms {
        Norms {
            l2_squared: &most * &most,
            l1: most,
        }
    }

    /// Both norms with their names, for writers.
    pub fn named(&self) -> [(&'static str, &Rational); 2] {
        [("l1", &self.l1), ("l2_squared", &self.l2_squared)]
    }

    /// Of so many steps, each of at most these norms, by the triangle inequality.
    pub fn times(&self, steps: u64) -> Norms {
        let steps = Rational::from(steps);
        Norms {
            l1: &self.l1 * &steps,
            l2_squared: &self.l2_squared * &(&steps * &steps),
        }
    }
}

impl Distance for Norms {
    fn check(&self) -> Result<(), Error> {
        self.l1.check()?;
        self.l2_squared.check()
    }
}

impl PartialOrd for Norms {
    fn partial_cmp(&self, other: &Norms) -> Option<Ordering> {
        let order = (
            self.l1.cmp(&other.l1),
            self.l2_squared.cmp(&other.l2_squared),
        );
        match order {
            (Ordering::Equal, order) | (order, Ordering::Equal) => Some(order),
            (a, b) if a == b => Some(a),
            _ => None,
        }
    }
}

impl fmt::Display for Norms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L1 = {}, L2² = {}", self.l1, self.l2_squared)
    }
}
