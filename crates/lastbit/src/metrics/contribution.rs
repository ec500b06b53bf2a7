use core::cmp::Ordering;
use core::fmt;

use lastbit_exact::Rational;

use super::{Metric, Norms};
use crate::domains::{AtomDomain, Domain, MapDomain, Number};
use crate::{Distance, Error, MetricSpace};

/// In how many keys two maps differ, and by how much in each at most; a key that a map lacks counts
/// as zero.
///
/// What one person adds to counts by group when each contributes to at most Δ0 groups, at most Δ∞
/// to each.
///
/// ```
/// use lastbit::MetricSpace;
/// use lastbit::domains::{AtomDomain, MapDomain};
/// use lastbit::metrics::{Contribution, ContributionDistance};
/// use std::collections::BTreeMap;
/// let counts = MapDomain::new(AtomDomain::<String>::new(), AtomDomain::<i64>::new());
/// let left = BTreeMap::from([("north".to_string(), 3), ("south".to_string(), 5)]);
/// let right = BTreeMap::from([
///     ("north".to_string(), 2),
///     ("south".to_string(), 5),
///     ("west".to_string(), 3),
/// ]);
/// let distance = counts.distance(&ContributionDistance, &left, &right)?;
/// assert_eq!(distance, Contribution::new(2, 3i64.into())?);
/// assert_eq!(distance.to_string(), "2 keys by at most 3");
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContributionDistance;

impl Metric for ContributionDistance {
    type Distance = Contribution;
}

impl fmt::Display for ContributionDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("contribution distance")
    }
}

/// The distance of [`ContributionDistance`]: at most `keys` keys differ, each by at most `each`.
///
/// The order is partial: one is below another if it is in both numbers.
///
/// ```
/// use lastbit::metrics::Contribution;
/// let contribution = |keys, each: i64| Contribution::new(keys, each.into());
/// assert!(contribution(1, 2)? < contribution(3, 2)?);
/// assert_eq!(contribution(1, 5)?.partial_cmp(&contribution(3, 2)?), None);
/// assert!(contribution(1, -1).unwrap_err().is_distance());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    keys: u64,
    each: Rational,
}

impl Contribution {
    /// Both numbers zero or more.
    pub fn new(keys: u64, each: Rational) -> Result<Contribution, Error> {
        let contribution = Contribution { keys, each };
        contribution.check()?;
        Ok(contribution)
    }

    /// Δ0: in how many keys.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// Δ∞: how much in each at most.
    pub fn each(&self) -> &Rational {
        &self.each
    }

    /// How far all values together move at most: `L1 = Δ0·Δ∞` and `L2² = Δ0·Δ∞²`.
    ///
    /// ```
    /// use lastbit::metrics::Contribution;
    /// let norms = Contribution::new(2, 3i64.into())?.norms();
    /// assert_eq!((norms.l1, norms.l2_squared), (6i64.into(), 18i64.into()));
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn norms(&self) -> Norms {
        let l1 = &Rational::from(self.keys) * &self.each;
        Norms {
            l2_squared: &l1 * &self.each,
            l1,
        }
    }
}

impl Distance for Contribution {
    fn check(&self) -> Result<(), Error> {
        self.each.check()
    }
}

impl PartialOrd for Contribution {
    fn partial_cmp(&self, other: &Contribution) -> Option<Ordering> {
        match (self.keys.cmp(&other.keys), self.each.cmp(&other.each)) {
            (Ordering::Equal, order) | (order, Ordering::Equal) => Some(order),
            (a, b) if a == b => Some(a),
            _ => None,
        }
    }
}

impl fmt::Display for Contribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} keys by at most {}", self.keys, self.each)
    }
}

impl<K: Domain<Carrier: Ord>, T: Number> MetricSpace<ContributionDistance>
    for MapDomain<K, AtomDomain<T>>
{
    fn check_space(&self, metric: &ContributionDistance) -> Result<(), Error> {
        if self.value().is_regular() {
            return Ok(());
        }
        Err(Error::space(format!(
            "{metric} is not defined on {self}: a null or an infinity is at no distance from a \
             number; clamp and replace the nulls first"
        )))
    }

    fn distance(
        &self,
        metric: &ContributionDistance,
        left: &Self::Carrier,
        right: &Self::Carrier,
    ) -> Result<Contribution, Error> {
        let number = |value: Option<&T>| match value {
            None => Ok(Rational::ZERO),
            Some(value) => value.to_rational().ok_or_else(|| {
                Error::unbounded(format!(
                    "{metric} is not defined at NaN and infinities; clamp the values and replace \
                     the nulls first"
                ))
            }),
        };
        let only_right = right.keys().filter(|key| !left.contains_key(key));
        let (mut keys, mut each) = (0, Rational::ZERO);
        for key in left.keys().chain(only_right) {
            let difference = (number(left.get(key))? - number(right.get(key))?).abs();
            keys += u64::from(!difference.is_zero());
            each = each.max(difference);
        }
        Ok(Contribution { keys, each })
    }
}
