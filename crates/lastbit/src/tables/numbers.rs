use std::sync::Arc;

use lastbit_exact::Rational;

use super::noise::NumbersDomain;
use super::{AnswerDomain, Reach, ReachDistance, UnitDistance};
use crate::domains::{AtomDomain, VectorDomain};
use crate::metrics::{Norms, NormsDistance};
use crate::statistics::Extent;
use crate::{Error, StabilityMap, Transformation};

/// From an answer to the numbers of all its groups.
pub type ToNumbers<A> =
    Transformation<AnswerDomain<A>, ReachDistance, NumbersDomain, NormsDistance>;

/// Sums to which every row adds nonnegative numbers, in its own group only, of a sum of at most 1:
/// counts, bins of a histogram, and the shares of a row in the moments of an unknown number of
/// rows. `groups` is how many groups there are, if that is public.
///
/// **Proof.** In each of its groups a unit adds a nonnegative vector v of L1 norm at most m, so of
/// L2 norm at most m. Added, it moves g groups: `L1 ≤ g·m`, `L2² ≤ g·m²`. Changed to v', the
/// distance in a group is `‖v − v'‖₁ ≤ ‖v‖₁ + ‖v'‖₁` and, as `v·v' ≥ 0`,
/// `‖v − v'‖² ≤ ‖v‖² + ‖v'‖²`; both have at most g groups, so that both bounds double. Several
/// units: the triangle inequality. ∎
pub fn shares<A: Clone + Send + Sync + 'static>(
    groups: Option<u64>,
    numbers: impl Fn(&A) -> Result<Vec<Rational>, Error> + Send + Sync + 'static,
) -> Result<ToNumbers<A>, Error> {
    to_numbers(numbers, move |reach| {
        let reach = reach.within(groups);
        let rows = Rational::from(reach.limits.rows());
        let groups = reach.groups_changed();
        Ok(Norms {
            l1: &groups * &rows,
            l2_squared: &groups * &(&rows * &rows),
        })
    })
}

/// Sums to which every row adds a number from `lower` to `upper`, or nothing, in its own group
/// only. `groups` as for [`shares`].
///
/// **Proof.** A unit adds to each of its groups a number of magnitude at most `m·a`,
/// `a = max(|lower|, |upper|)`. Added, it moves g groups by that. Changed, it moves a group that it
/// leaves or enters by at most `m·a`, and one that it stays in by at most `m·w`,
/// `w = max(upper, 0) − min(lower, 0) ≤ 2a`. With it staying in o of g groups,
/// `L1 ≤ o·mw + 2(g − o)·ma ≤ 2g·ma`, and `L2² ≤ o·(mw)² + 2(g − o)·(ma)²`, which is largest at an
/// end of o. Several units: the triangle inequality. ∎
pub fn sums<A: Clone + Send + Sync + 'static>(
    groups: Option<u64>,
    (lower, upper): (Rational, Rational),
    numbers: impl Fn(&A) -> Result<Vec<Rational>, Error> + Send + Sync + 'static,
) -> Result<ToNumbers<A>, Error> {
    let square = |x: &Rational| x * x;
    to_numbers(numbers, move |reach| {
        let reach = reach.within(groups);
        let rows = Rational::from(reach.limits.rows());
        let groups = Rational::from(reach.limits.groups());
        let most = &rows * &lower.abs().max(upper.abs());
        let width =
            &rows * &(upper.clone().max(Rational::ZERO) - lower.clone().min(Rational::ZERO));
        let l2_squared = match reach.metric {
            UnitDistance::Added => &groups * &square(&most),
            UnitDistance::Changed => {
                let twice = &square(&most) + &square(&most);
                &groups * &square(&width).max(twice)
            }
        };
        Ok(Norms {
            l1: &reach.groups_changed() * &most,
            l2_squared,
        })
    })
}

/// Sums to which every row adds a vector of L1 norm at most `l1` and of squared L2 norm at most
/// `l2_squared`, in its own group only. `groups` as for [`shares`].
///
/// **Proof.** In each of its groups a unit adds a vector of L1 norm at most `m·l1` and of L2 norm
/// at most `m·√l2_squared`. Added, it moves g groups by that. Changed, it moves a group that it
/// stays in by at most twice that, and of one that it leaves and one that it enters each by that:
/// `L1 ≤ 2g·m·l1` and `L2² ≤ 4g·m²·l2_squared`, as `4 ≥ 2`. Several units: the triangle inequality.
/// ∎
pub fn vectors<A: Clone + Send + Sync + 'static>(
    groups: Option<u64>,
    each: Norms,
    numbers: impl Fn(&A) -> Result<Vec<Rational>, Error> + Send + Sync + 'static,
) -> Result<ToNumbers<A>, Error> {
    to_numbers(numbers, move |reach| {
        let reach = reach.within(groups);
        let rows = Rational::from(reach.limits.rows());
        let groups = Rational::from(reach.limits.groups());
        let squared = &groups * &(&(&rows * &rows) * &each.l2_squared);
        Ok(Norms {
            l1: &reach.groups_changed() * &(&rows * &each.l1),
            l2_squared: match reach.metric {
                UnitDistance::Added => squared,
                UnitDistance::Changed => squared.times_power_of_two(2),
            },
        })
    })
}

/// Sums to which every unit adds nonnegative numbers of a sum of at most 1, whatever its rows:
/// shares of units. `groups` is how many groups there are, if that is public; it must be one.
///
/// **Proof.** What a unit adds is a function of its own rows, so tables that differ in d units
/// differ in what these d units add. It is a nonnegative vector of L1 norm at most 1, so of L2 norm
/// at most 1, and is added once, as there is one group. That is [`shares`] of a unit with one row
/// in one group, whatever the limits of the scan are. ∎
pub fn units<A: Clone + Send + Sync + 'static>(
    groups: Option<u64>,
    numbers: impl Fn(&A) -> Result<Vec<Rational>, Error> + Send + Sync + 'static,
) -> Result<ToNumbers<A>, Error> {
    if groups != Some(1) {
        return Err(Error::space(
            "a unit counts once among all units; leave out the groups",
        ));
    }
    to_numbers(numbers, |reach| {
        let once = Rational::from(match reach.metric {
            UnitDistance::Added => 1u64,
            UnitDistance::Changed => 2,
        });
        Ok(Norms {
            l1: once.clone(),
            l2_squared: once,
        })
    })
}

/// One number over a public number of rows, every one of which counts and is a unit of its own: a
/// changed row moves it by the sensitivity of [`statistics`](crate::statistics) under change-one
/// neighbours.
pub fn moved<A: Clone + Send + Sync + 'static>(
    extent: &Extent,
    number: impl Fn(&A) -> Result<Rational, Error> + Send + Sync + 'static,
) -> Result<ToNumbers<A>, Error> {
    let norms = Norms::of_number(extent.sensitivity().clone());
    to_numbers(
        move |answer| Ok(vec![number(answer)?]),
        move |reach| {
            let one = (reach.limits.rows(), reach.limits.groups()) == (1, 1);
            if reach.metric == UnitDistance::Changed && one {
                return Ok(norms.clone());
            }
            Err(Error::space(
                "a statistic of a public number of rows needs rows that change, each a unit of \
                 its own",
            ))
        },
    )
}

/// Sums of numbers, such as the margins of a table: the number i is added to the sum `places[i]`.
///
/// **Proof.** A sum moves by at most the sum of what its numbers move by in magnitude, so that the
/// L1 distance does not grow, and the squared L2 distance of the sums is at most the square of
/// that. And the square of a sum of k numbers is at most k times the sum of their squares. ∎
pub fn added(
    places: Arc<[usize]>,
) -> Result<Transformation<NumbersDomain, NormsDistance, NumbersDomain, NormsDistance>, Error> {
    let count = places.iter().max().map_or(0, |&last| last + 1);
    let mut terms = vec![0u64; count];
    for &place in &*places {
        terms[place] += 1;
    }
    let most = Rational::from(terms.into_iter().max().unwrap_or(0));
    let domain = || VectorDomain::new(AtomDomain::new());
    Transformation::new(
        domain(),
        NormsDistance,
        domain(),
        NormsDistance,
        move |numbers: &Vec<Rational>| {
            let mut sums = vec![Rational::ZERO; count];
            for (number, &place) in numbers.iter().zip(&*places) {
                sums[place] = &sums[place] + number;
            }
            Ok(sums)
        },
        StabilityMap::new(move |norms: &Norms| {
            Ok(Norms {
                l2_squared: (&norms.l1 * &norms.l1).min(&most * &norms.l2_squared),
                l1: norms.l1.clone(),
            })
        }),
    )
}

/// `of_one` bounds what one unit does.
fn to_numbers<A: Clone + Send + Sync + 'static>(
    numbers: impl Fn(&A) -> Result<Vec<Rational>, Error> + Send + Sync + 'static,
    of_one: impl Fn(Reach) -> Result<Norms, Error> + Send + Sync + 'static,
) -> Result<ToNumbers<A>, Error> {
    Transformation::new(
        AnswerDomain::new(),
        ReachDistance,
        VectorDomain::new(AtomDomain::new()),
        NormsDistance,
        numbers,
        StabilityMap::new(move |reach: &Reach| Ok(of_one(*reach)?.times(reach.units))),
    )
}
