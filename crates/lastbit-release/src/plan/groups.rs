//! In how many groups of a statistic a unit can be.

use super::{Plan, Statistic, Unit};
use crate::consistent::find;

impl Plan {
    /// The most rows of a unit that count in a group of a statistic, and the most groups in which
    /// it counts; `None` if every row is a unit.
    ///
    /// `most_groups` of the plan, or fewer if a unit cannot be in so many: where a key has one
    /// value in all rows of a unit ([`Derive::is_of_unit`](super::Derive::is_of_unit)), its groups
    /// differ in the other keys alone, so there are at most as many as those make. By sex, which
    /// is joined by the patient, a patient is in one group; by sex and quarter, in at most four.
    ///
    /// Engines are told these limits, and a loss counts with the same
    /// (`statistic::Scanned`).
    pub fn limits(&self, statistic: &Statistic) -> Option<(u64, u64)> {
        let (rows, groups) = statistic.scope.limits(&self.unit)?;
        let most = statistic.groups_of_unit.unwrap_or(groups);
        Some((rows, groups.min(most)))
    }

    /// Finds out for each statistic in how many groups a unit can be.
    pub(super) fn count_groups_of_units(&mut self) {
        let found: Vec<Option<u64>> = (self.statistics.iter())
            .map(|statistic| {
                let by = statistic.kind.limited_by().unwrap_or(&statistic.by);
                self.groups_of_unit(by)
            })
            .collect();
        for (statistic, most) in self.statistics.iter_mut().zip(found) {
            statistic.groups_of_unit = most;
        }
    }

    /// The number of groups that the keys make which can vary within a unit; `None` unless these
    /// are public and some other key is fixed by the unit.
    fn groups_of_unit(&self, by: &[String]) -> Option<u64> {
        let Unit::Column { name: unit, .. } = &self.unit else {
            return None;
        };
        let (of_unit, own): (Vec<_>, Vec<_>) =
            (by.iter()).partition(|key| self.derive.is_of_unit(key, unit));
        if of_unit.is_empty() {
            return None;
        }
        own.iter().try_fold(1u64, |groups, key| {
            groups.checked_mul(self.column(key)?.kind.values()?)
        })
    }

    /// The plan as it was priced before 0.2.0, with `most_groups` as it is written, if that
    /// makes a difference.
    pub(crate) fn with_written_limits(&self) -> Option<Plan> {
        let is_lower = |one: &Statistic| self.limits(one) != one.scope.limits(&self.unit);
        if !self.statistics.iter().any(is_lower) {
            return None;
        }
        let mut plan = self.clone();
        for statistic in &mut plan.statistics {
            statistic.groups_of_unit = None;
        }
        if !(plan.families.is_empty() && plan.apart.is_empty()) {
            (plan.families, plan.apart) = find(&plan);
        }
        Some(plan)
    }
}
