use core::fmt;
use std::collections::BTreeMap;

use super::Domain;

/// Maps from keys to values, such as counts by group. A [`BTreeMap`], so that the order of the keys
/// tells nothing of the data.
///
/// ```
/// use std::collections::BTreeMap;
/// use lastbit::domains::{AtomDomain, Domain, MapDomain};
/// let counts = MapDomain::new(AtomDomain::<String>::new(), AtomDomain::<u64>::new());
/// assert!(counts.contains(&BTreeMap::from([("north".to_string(), 3), ("south".to_string(), 5)])));
/// assert_eq!(counts.to_string(), "maps from text to u64");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MapDomain<DK, DV> {
    key: DK,
    value: DV,
}

impl<DK: Domain, DV: Domain> MapDomain<DK, DV>
where
    DK::Carrier: Ord,
{
    /// Maps with any number of keys.
    pub fn new(key: DK, value: DV) -> MapDomain<DK, DV> {
        MapDomain { key, value }
    }

    /// The domain of each key.
    pub fn key(&self) -> &DK {
        &self.key
    }

    /// The domain of each value.
    pub fn value(&self) -> &DV {
        &self.value
    }
}

impl<DK: Domain, DV: Domain> Domain for MapDomain<DK, DV>
where
    DK::Carrier: Ord,
{
    type Carrier = BTreeMap<DK::Carrier, DV::Carrier>;

    fn contains(&self, map: &Self::Carrier) -> bool {
        map.iter().fold(true, |all, (key, value)| {
            all & self.key.contains(key) & self.value.contains(value)
        })
    }

    fn same(&self, left: &Self::Carrier, right: &Self::Carrier) -> bool {
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|((k, v), (l, w))| self.key.same(k, l) && self.value.same(v, w))
    }
}

impl<DK: Domain, DV: Domain> fmt::Display for MapDomain<DK, DV> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "maps from {} to {}", self.key, self.value)
    }
}
