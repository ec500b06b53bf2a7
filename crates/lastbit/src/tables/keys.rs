use std::collections::BTreeMap;

use lastbit_exact::Rational;

use super::noise::Counts;
use super::{AnswerDomain, KeyDomain, Reach, ReachDistance};
use crate::domains::{AtomDomain, MapDomain};
use crate::metrics::{Contribution, ContributionDistance};
use crate::{Error, StabilityMap, Transformation};

/// How many rows each key has that occurs in the data.
///
/// **Proof.** A unit counts with at most m rows in each of at most g groups. Added, it moves g keys
/// by m; changed, it leaves g and enters g. Of d units, at most d times as many keys move, by at
/// most d times as much. ∎
pub fn counts<A, K>(
    counts: impl Fn(&A) -> Result<BTreeMap<K, u64>, Error> + Send + Sync + 'static,
) -> Result<Transformation<AnswerDomain<A>, ReachDistance, Counts<K>, ContributionDistance>, Error>
where
    A: Clone + Send + Sync + 'static,
    K: Clone + Ord + Send + Sync + 'static,
{
    Transformation::new(
        AnswerDomain::new(),
        ReachDistance,
        MapDomain::new(KeyDomain::new(), AtomDomain::new()),
        ContributionDistance,
        counts,
        StabilityMap::new(|reach: &Reach| {
            let units = Rational::from(reach.units);
            let keys = (&reach.groups_changed() * &units).ceil();
            let keys = u64::try_from(keys).map_err(|_| {
                Error::unbounded(
                    "a unit counts in more groups than can be counted; lower the limit",
                )
            })?;
            Contribution::new(keys, &Rational::from(reach.limits.rows()) * &units)
        }),
    )
}
