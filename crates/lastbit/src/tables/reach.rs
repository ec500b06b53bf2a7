use core::cmp::Ordering;
use core::fmt;

use lastbit_exact::Rational;

use super::domain::unknown;
use super::{AnswerDomain, TableDomain, UnitDistance};
use crate::metrics::Metric;
use crate::{Distance, Error, MetricSpace, StabilityMap, Transformation};

/// What a scan keeps of a unit: at most `rows` rows in each of at most `groups` groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    rows: u64,
    groups: u64,
}

impl Limits {
    /// Every row is a unit of its own.
    pub const ONE_ROW: Limits = Limits { rows: 1, groups: 1 };

    /// Both at least 1.
    pub fn new(rows: u64, groups: u64) -> Result<Limits, Error> {
        if rows == 0 || groups == 0 {
            return Err(Error::space(
                "a unit counts with at least one row in at least one group; raise the limit to 1",
            ));
        }
        Ok(Limits { rows, groups })
    }

    /// The most rows of a unit that count in a group.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The most groups in which a unit counts.
    pub fn groups(&self) -> u64 {
        self.groups
    }
}

/// How far apart two bounded tables are: by units, each with limited rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachDistance;

impl Metric for ReachDistance {
    type Distance = Reach;
}

impl fmt::Display for ReachDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bounded units")
    }
}

/// The distance of [`ReachDistance`]: what differs are the rows of `units` units, each of which
/// counts within the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// How many units.
    pub units: u64,
    /// What counts of each.
    pub limits: Limits,
    /// Whether they come and go, or change.
    pub metric: UnitDistance,
}

impl Reach {
    /// The same where there are only so many groups.
    pub fn within(self, there: Option<u64>) -> Reach {
        let groups = there.map_or(self.limits.groups, |there| self.limits.groups.min(there));
        Reach {
            limits: Limits {
                groups,
                ..self.limits
            },
            ..self
        }
    }

    /// The most groups in which one unit makes a difference: one that changes leaves some and
    /// enters others.
    pub fn groups_changed(self) -> Rational {
        let groups = Rational::from(self.limits.groups);
        match self.metric {
            UnitDistance::Added => groups,
            UnitDistance::Changed => &groups + &groups,
        }
    }
}

impl Distance for Reach {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Reaches of the same kind of difference are ordered by all their numbers.
impl PartialOrd for Reach {
    fn partial_cmp(&self, other: &Reach) -> Option<Ordering> {
        if self.metric != other.metric {
            return None;
        }
        let orders = [
            self.units.cmp(&other.units),
            self.limits.rows.cmp(&other.limits.rows),
            self.limits.groups.cmp(&other.limits.groups),
        ];
        let has = |order| orders.contains(&order);
        match (has(Ordering::Less), has(Ordering::Greater)) {
            (true, true) => None,
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (false, false) => Some(Ordering::Equal),
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}, each with at most {} rows in each of at most {} groups",
            self.units, self.metric, self.limits.rows, self.limits.groups
        )
    }
}

impl<A: Clone + Send + Sync + 'static> MetricSpace<ReachDistance> for AnswerDomain<A> {
    fn check_space(&self, _: &ReachDistance) -> Result<(), Error> {
        Ok(())
    }

    /// An error: sums do not tell which rows they are of.
    fn distance(&self, metric: &ReachDistance, _: &A, _: &A) -> Result<Reach, Error> {
        Err(unknown(metric))
    }
}

/// A scan that keeps a unit's rows by the unit's own rows alone, within the limits.
///
/// **Proof.** What is kept of a unit is a function of that unit's rows and of public numbers (a
/// keyed hash chooses), so it is the same in two tables that agree on the unit. Tables that differ
/// in d units so differ, after the scan, in the kept rows of these d units, and each has at most
/// `rows` rows in each of at most `groups` groups. ∎
///
/// That `read` keeps rows in this way is for the engine to see to; tests compare its answers on
/// neighbours with the chain's map.
pub fn scan<T, A>(
    metric: UnitDistance,
    limits: Limits,
    read: impl Fn(&T) -> Result<A, Error> + Send + Sync + 'static,
) -> Result<Transformation<TableDomain<T>, UnitDistance, AnswerDomain<A>, ReachDistance>, Error>
where
    T: Clone + Send + Sync + 'static,
    A: Clone + Send + Sync + 'static,
{
    Transformation::new(
        TableDomain::new(),
        metric,
        AnswerDomain::new(),
        ReachDistance,
        read,
        StabilityMap::new(move |&units| {
            Ok(Reach {
                units,
                limits,
                metric,
            })
        }),
    )
}
