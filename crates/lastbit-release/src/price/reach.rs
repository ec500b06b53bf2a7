//! How far one unit moves exact sums.

use lastbit_exact::Rational;

use crate::plan::{Neighbours, Plan, Statistic};
use crate::query::Unit;

/// What one unit can do to a statistic in all its groups: at most `rows` rows in each of at most `groups` groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The most rows of a unit that count in a group.
    pub rows: u64,
    /// The most groups in which a unit counts.
    pub groups: u64,
    /// Whether neighbours have a unit replaced, and not added.
    pub replaced: bool,
}

/// A bound on how far two neighbours are apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// Σ|change|, over all numbers of all groups.
    pub l1: Rational,
    /// Σ change².
    pub l2_squared: Rational,
}

impl Reach {
    /// Of a statistic.
    pub fn new(plan: &Plan, statistic: &Statistic) -> Reach {
        let (rows, groups) = match &plan.unit {
            Unit::Row => (1, 1),
            Unit::Column {
                most_rows,
                most_groups,
                ..
            } => (*most_rows, *most_groups),
        };
        let groups = match plan.public_groups(statistic) {
            Some(there) => groups.min(there),
            None => groups,
        };
        Reach {
            rows,
            groups,
            replaced: matches!(plan.neighbours, Neighbours::ChangeOne { .. }),
        }
    }

    /// The most groups in which neighbours differ: a replaced unit leaves some and enters others.
    pub fn groups_changed(self) -> Rational {
        times(self.groups, if self.replaced { 2 } else { 1 })
    }

    /// Of sums to which every row adds nonnegative numbers, in its own group only, of a sum of 1: counts, bins of a histogram, and the
    /// shares of a row in the moments of an unknown number of rows.
    ///
    /// **Proof.** In each of its groups a unit adds a nonnegative vector v of L1 norm at most m, so of L2 norm at most m. Added, it
    /// moves g groups: `L1 ≤ g·m`, `L2² ≤ g·m²`. Replaced by v', the distance in a group is `‖v − v'‖₁ ≤ ‖v‖₁ + ‖v'‖₁`
    /// and, as `v·v' ≥ 0`, `‖v − v'‖² ≤ ‖v‖² + ‖v'‖²`; both have at most g groups, so that both bounds double. ∎
    pub fn of_shares(self) -> Sensitivity {
        let rows = Rational::from(self.rows);
        let groups = self.groups_changed();
        Sensitivity {
            l1: &groups * &rows,
            l2_squared: &groups * &(&rows * &rows),
        }
    }

    /// Of sums to which every row adds a number from `lower` to `upper`, or nothing.
    ///
    /// **Proof.** A unit adds to each of its groups a number of magnitude at most `m·a`, `a = max(|lower|, |upper|)`. Added, it moves g
    /// groups by that. Replaced, a group that it leaves or enters moves by at most `m·a`, and one where it stays by at most
    /// `m·w`, `w = max(upper, 0) − min(lower, 0) ≤ 2a`. With it staying in o of g groups, `L1 ≤ o·mw + 2(g − o)·ma ≤ 2g·ma`, and
    /// `L2² ≤ o·(mw)² + 2(g − o)·(ma)²`, which is largest at an end of o. ∎
    pub fn of_sums(self, lower: &Rational, upper: &Rational) -> Sensitivity {
        let square = |x: &Rational| x * x;
        let rows = Rational::from(self.rows);
        let groups = Rational::from(self.groups);
        let most = &rows * &lower.abs().max(upper.abs());
        let width = &rows * &(upper.max(&Rational::ZERO) - lower.min(&Rational::ZERO));
        let l2_squared = if self.replaced {
            &groups * &square(&width).max(square(&most).scale(1))
        } else {
            &groups * &square(&most)
        };
        Sensitivity {
            l1: &self.groups_changed() * &most,
            l2_squared,
        }
    }

    /// Of the distance of a rank from the quantile at `share`, in one group; if neighbours differ in more groups than `groups`, the
    /// losses of all together are at most those of `groups` groups that move by this much.
    ///
    /// **Proof.** The distance is `max(0, s·above − (1 − s)·(n − above), (1 − s)·below − s·(n − below))`: a row that comes or goes moves
    /// it by at most `a = max(s, 1 − s)`, and one that is exchanged for another by at most `s + (1 − s) = 1 ≤ 2a`. So a unit that is
    /// added moves g groups by `m·a`. One that is replaced moves some of g groups where it stays by m, or for each of those two groups by
    /// `m·a`; a loss that is convex in the distance, and zero at zero, is at most that of one group at `2m·a`. ∎
    pub fn of_ranks(self, share: &Rational) -> Rational {
        let most = share.max(&(&Rational::ONE - share)).clone();
        &times(self.rows, if self.replaced { 2 } else { 1 }) * &most
    }
}

impl Sensitivity {
    /// Of one number that neighbours move by at most this much.
    pub fn of_number(most: Rational) -> Sensitivity {
        Sensitivity {
            l2_squared: &most * &most,
            l1: most,
        }
    }
}

fn times(count: u64, by: u64) -> Rational {
    &Rational::from(count) * &Rational::from(by)
}
