use core::fmt;

use lastbit_exact::{Natural, Rational, Up};

use super::domain::unknown;
use super::{AnswerDomain, Reach, ReachDistance, UnitDistance};
use crate::accounting::FixedLosses;
use crate::conversions::bounded_range_to_zcdp;
use crate::domains::Domain;
use crate::measures::{Exact, MaxDivergence, ZeroConcentratedDivergence};
use crate::mechanisms::exponential::{Exponential, Run};
use crate::mechanisms::flat_concave::{Method, loss_of_quality};
use crate::{
    Beta, Epsilon, Error, Measurement, MetricSpace, PrivacyMap, Sensitivity, Share, StabilityMap,
    Transformation,
};

/// More rows than 2^40 in a group are refused, and ranks farther off.
pub const LOG2_MOST_ROWS: u32 = 40;

/// The denominator of a share is at most 2^20, so that scores of so many rows fit into 62 bits.
const LOG2_MOST_PARTS: u32 = 20;

/// The offsets that occur in each group and how often: increasing, at most `last`, and at most 2^40
/// rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffsetsDomain {
    last: u64,
}

/// The offsets of one group and how many rows have each.
pub type Offsets = Vec<(u64, u64)>;

impl fmt::Display for OffsetsDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "counted offsets up to {} by group", self.last)
    }
}

impl Domain for OffsetsDomain {
    type Carrier = Vec<Offsets>;

    fn contains(&self, groups: &Vec<Offsets>) -> bool {
        groups.iter().fold(true, |all, offsets| {
            let rows = offsets
                .iter()
                .fold(0u64, |rows, (_, count)| rows.saturating_add(*count));
            all & offsets.is_sorted_by(|a, b| a.0 < b.0)
                & offsets
                    .last()
                    .is_none_or(|(offset, _)| *offset <= self.last)
                & (rows <= 1 << LOG2_MOST_ROWS)
        })
    }

    fn same(&self, left: &Vec<Offsets>, right: &Vec<Offsets>) -> bool {
        left == right
    }
}

impl MetricSpace<ReachDistance> for OffsetsDomain {
    fn check_space(&self, _: &ReachDistance) -> Result<(), Error> {
        Ok(())
    }

    fn distance(
        &self,
        metric: &ReachDistance,
        _: &Vec<Offsets>,
        _: &Vec<Offsets>,
    ) -> Result<Reach, Error> {
        Err(unknown(metric))
    }
}

/// The offsets of all groups, up to `last`: each row has one, in its own group only.
pub fn offsets<A: Clone + Send + Sync + 'static>(
    last: u64,
    offsets: impl Fn(&A) -> Result<Vec<Offsets>, Error> + Send + Sync + 'static,
) -> Result<Transformation<AnswerDomain<A>, ReachDistance, OffsetsDomain, ReachDistance>, Error> {
    Transformation::new(
        AnswerDomain::new(),
        ReachDistance,
        OffsetsDomain { last },
        ReachDistance,
        offsets,
        StabilityMap::identity(),
    )
}

/// Which rank a selection aims at: that of a quantile, or one beyond it by some rows, for the end
/// of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aim {
    /// The quantile.
    Value,
    /// So many rows below it.
    Lower(u64),
    /// So many rows above it.
    Upper(u64),
}

impl Aim {
    /// Rows to add to the rank of the quantile.
    fn shift(self) -> i128 {
        match self {
            Aim::Value => 0,
            Aim::Lower(rows) => -i128::from(rows),
            Aim::Upper(rows) => i128::from(rows),
        }
    }
}

/// A selection of one offset a group, whose rank is near the one that is aimed at, by the
/// exponential mechanism over `0..=last`.
#[derive(Clone, Debug)]
pub struct RankSelection {
    last: u64,
    share: Share,
    /// The share as a fraction p/q: 0 ≤ p ≤ q ≤ 2^20.
    parts: [i64; 2],
    /// How many groups there are, if that is public.
    groups: Option<u64>,
    /// Whether every row counts, in the one group, and changes.
    whole: bool,
    /// The bounded range of the selection in one group, for neighbours at `calibrated`.
    epsilon: Epsilon,
    calibrated: Rational,
}

/// Selections at an exact ε.
pub type RanksPure = Measurement<OffsetsDomain, ReachDistance, Exact<MaxDivergence>, Vec<u64>>;
/// Selections at an exact ρ.
pub type RanksZcdp =
    Measurement<OffsetsDomain, ReachDistance, Exact<ZeroConcentratedDivergence>, Vec<u64>>;

impl RankSelection {
    /// At `share` of the rows, with the bounded range `epsilon` in each group for neighbours within
    /// `reach`. `whole` says that every row counts, in the one group: then a changed row stays in
    /// it.
    ///
    /// The denominator of the share is at most 2^20.
    pub fn new(
        last: u64,
        share: &Share,
        groups: Option<u64>,
        whole: bool,
        epsilon: &Epsilon,
        reach: Reach,
    ) -> Result<RankSelection, Error> {
        let parts = parts(share.get()).ok_or_else(|| {
            Error::other(format!(
                "a quantile is at a share from 0 to 1 of at most 2^{LOG2_MOST_PARTS} parts, got \
                 {share}"
            ))
        })?;
        let one = Reach { units: 1, ..reach };
        Ok(RankSelection {
            last,
            share: share.clone(),
            parts,
            groups,
            whole,
            epsilon: epsilon.clone(),
            calibrated: moved(share.get(), whole, one)?,
        })
    }

    /// The bounded range of the selection in one group.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// How many selections of this bounded range one unit takes part in, at most: one a group.
    pub fn of_unit(groups: Option<u64>, reach: Reach) -> u64 {
        reach.within(groups).limits.groups()
    }

    /// How far one unit moves the distance of a rank in a group.
    pub fn sensitivity(&self) -> &Rational {
        &self.calibrated
    }

    /// `P(distance of the rank ≥ t) ≤ beta`.
    pub fn rank_error(&self, beta: &Beta) -> Result<Up, Error> {
        let size = u128::from(self.last) + 1;
        let unit = loss_of_quality(size, &Method::Exponential, &self.epsilon, beta)?;
        Ok(unit * Up::from_rational(&self.calibrated))
    }

    /// How many rows beyond the quantile the ends of an interval aim: by the error of their rank,
    /// at half of the probability `beta`, and by one row more, for the definitions of a quantile
    /// that lie between two rows.
    pub fn margin(&self, beta: &Beta) -> Result<u64, Error> {
        let rank = self.rank_error(&beta.part(1, 2))?;
        rank.to_rational()
            .and_then(|rank| u64::try_from(rank.ceil()).ok())
            .filter(|&rank| rank < 1 << LOG2_MOST_ROWS)
            .map(|rank| rank + 1)
            .ok_or_else(|| {
                Error::other(format!(
                    "the interval of the quantile at {} would hold all rows; spend more on it, or \
                     ask for no interval",
                    self.share
                ))
            })
    }

    /// The selection in every group, with its loss in ε: a bounded range of η is a pure loss of η,
    /// and a unit takes part in the selections of its groups.
    pub fn pure(&self, aim: Aim) -> Result<RanksPure, Error> {
        let selection = self.clone();
        self.selections(
            aim,
            Exact(MaxDivergence),
            PrivacyMap::new(move |reach: &Reach| {
                let groups = Rational::from(RankSelection::of_unit(selection.groups, *reach));
                Ok(&groups * &selection.range(*reach)?)
            }),
        )
    }

    /// The selection in every group, with its loss in ρ, by [`bounded_range_to_zcdp`].
    pub fn zcdp(&self, aim: Aim) -> Result<RanksZcdp, Error> {
        let selection = self.clone();
        self.selections(
            aim,
            Exact(ZeroConcentratedDivergence),
            PrivacyMap::new(move |reach: &Reach| {
                let groups = Rational::from(RankSelection::of_unit(selection.groups, *reach));
                let range = selection.range(*reach)?;
                if range.is_zero() {
                    return Ok(Rational::ZERO);
                }
                let rho = bounded_range_to_zcdp(Up::from_rational(&range))?;
                Ok(&groups * &crate::finite("rho", rho.get())?)
            }),
        )
    }

    /// The selection in every group by its law: so many selections of bounded range. A unit that
    /// moves between groups takes part in twice as many at half the range, which together have the
    /// bounded range of so many.
    pub fn losses(&self, reach: &Reach) -> Result<FixedLosses, Error> {
        let groups = RankSelection::of_unit(self.groups, *reach);
        Ok(FixedLosses::bounded_range(self.range(*reach)?, groups))
    }

    /// The bounded range of the selection in one group. Both losses are convex in it and zero at
    /// zero, so that units that share their groups are the worst case.
    fn range(&self, reach: Reach) -> Result<Rational, Error> {
        let one = Reach { units: 1, ..reach };
        let moved = moved(self.share.get(), self.whole, one)? * Rational::from(reach.units);
        Ok(self.epsilon.get() * &(moved / self.calibrated.clone()))
    }

    fn selections<M: crate::measures::Measure>(
        &self,
        aim: Aim,
        measure: M,
        map: PrivacyMap<ReachDistance, M>,
    ) -> Result<Measurement<OffsetsDomain, ReachDistance, M, Vec<u64>>, Error> {
        if aim.shift().unsigned_abs() > 1 << LOG2_MOST_ROWS {
            return Err(Error::other("a rank beyond 2^40 rows is aimed at"));
        }
        // Scores are whole numbers: distances times the denominator of the share.
        let [_, scale] = self.parts;
        let sensitivity = Sensitivity::new(&self.calibrated * &Rational::from(scale))?;
        let mechanism = Exponential::new(&self.epsilon, &sensitivity);
        let selection = self.clone();
        Measurement::new(
            OffsetsDomain { last: self.last },
            ReachDistance,
            measure,
            move |groups: &Vec<Offsets>, mut entropy| {
                groups
                    .iter()
                    .map(|offsets| {
                        let RankCandidates { runs, starts, .. } =
                            selection.candidates(offsets, aim);
                        let (run, place) = mechanism.draw_place(&runs, &mut entropy)?;
                        // A place is below the length of its run, and a run ends at `last`.
                        Ok(starts[run] + place as u64)
                    })
                    .collect()
            },
            map,
        )
    }
}

/// How far one unit moves the distance of a rank from the quantile at `share`, in one group; if
/// neighbours differ in more groups than the unit's limit, the losses of all together are at most
/// those of so many groups that move by this much.
///
/// **Proof.** The distance is
/// `max(0, s·above − (1 − s)·(n − above), (1 − s)·below − s·(n − below))`: a row that comes or goes
/// moves it by at most `a = max(s, 1 − s)`, and one that is exchanged for another by at most
/// `s + (1 − s) = 1 ≤ 2a`. So a unit that is added moves g groups by `m·a`. One that changes moves
/// a group that it stays in by at most m, and one that it leaves or enters by at most `m·a`; a loss
/// that is convex in the distance, and zero at zero, is at most that of one group at `2m·a`. ∎
fn moved(share: &Rational, whole: bool, reach: Reach) -> Result<Rational, Error> {
    let rows = Rational::from(reach.limits.rows());
    let most = share.clone().max(&Rational::ONE - share);
    match (reach.metric, whole) {
        (UnitDistance::Changed, true) if reach.limits == super::Limits::ONE_ROW => {
            Ok(Rational::ONE)
        }
        (_, true) => Err(Error::space(
            "a quantile of a public number of rows needs rows that change, each a unit of its own",
        )),
        (UnitDistance::Added, false) => Ok(&rows * &most),
        (UnitDistance::Changed, false) => Ok(&(&rows + &rows) * &most),
    }
}

/// All offsets of a group, by their scores.
#[doc(hidden)]
#[derive(Debug)]
pub struct RankCandidates {
    /// Runs of equal score.
    pub runs: Vec<Run<i64>>,
    /// Where each begins.
    pub starts: Vec<u64>,
    /// Scores are distances of ranks times this.
    pub scale: i64,
}

/// A share as p/q, if q is at most 2^20.
fn parts(share: &Rational) -> Option<[i64; 2]> {
    if share.denominator() > Natural::ONE << LOG2_MOST_PARTS as usize {
        return None;
    }
    let p = i64::try_from(share.numerator()).ok()?;
    Some([p, i64::try_from(share.denominator()).ok()?])
}

impl RankSelection {
    /// Runs of offsets of equal score: `−q` times the distance of their rank from
    /// `r = s·n + shift`, for `s = p/q`, which is `max(0, r − (n − above), below − r)`.
    ///
    /// If the lower end of an interval aims below all rows, the first offset is as good an end as
    /// any, and if the upper end aims above all rows the last one is: its distance to that side
    /// does not count. So some offset always has the distance 0 (if `0 ≤ r ≤ n` a row's, and else
    /// such an end), and one unit moves the distances by no more than without the shift, which is
    /// public.
    #[doc(hidden)]
    pub fn candidates(&self, offsets: &Offsets, aim: Aim) -> RankCandidates {
        // q ≤ 2^20 and 0 ≤ p ≤ q; n and the shift are at most 2^40: all scores are below 2^62.
        let last = self.last;
        let [p, q] = self.parts.map(i128::from);
        let count: u64 = offsets.iter().map(|(_, count)| count).sum();
        let rank = p * i128::from(count) + q * aim.shift();
        let score = |offset: u64, below: u64, at_most: u64| {
            let too_low = match aim {
                Aim::Upper(_) if offset == last => 0,
                _ => rank - q * i128::from(at_most),
            };
            let too_high = match aim {
                Aim::Lower(_) if offset == 0 => 0,
                _ => q * i128::from(below) - rank,
            };
            -(too_low.max(too_high).max(0) as i64)
        };
        let (mut runs, mut starts) = (Vec::new(), Vec::new());
        let mut push = |start: u64, end: u64, below: u64, at_most: u64| {
            if start < end {
                starts.push(start);
                runs.push(Run {
                    length: u128::from(end - start),
                    score: score(start, below, at_most),
                });
            }
        };
        // The first and the last offset are runs of their own.
        let mut ends = Vec::new();
        ends.extend((offsets.first().map(|row| row.0) != Some(0)).then_some((0, 0)));
        ends.extend_from_slice(offsets);
        ends.extend((ends.last().map(|row| row.0) != Some(last)).then_some((last, 0)));
        let (mut next, mut below) = (0, 0);
        for (offset, count) in ends {
            push(next, offset, below, below);
            push(offset, offset + 1, below, below + count);
            (next, below) = (offset + 1, below + count);
        }
        RankCandidates {
            runs,
            starts,
            scale: self.parts[1],
        }
    }
}
