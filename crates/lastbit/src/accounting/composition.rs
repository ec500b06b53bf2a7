//! δ(ε) and ε(δ) of many releases, from above and from below.

mod grid;

use std::sync::{Arc, OnceLock};

use lastbit_exact::{Down, Interval, Rational, Up};

use super::compose;
use super::curve::Curve;
use super::gaussian::Gaussian;
use super::loss_distribution::{LossDistribution, LossGrid};
use super::pair::{Law, Pair};
use super::transform::Rounding;
use crate::Error;
use grid::{Repeated, Tuning, grid};

/// Releases whose pairs are fixed beforehand, each made so often: what they cost together.
///
/// Every result is an upper bound *and* a lower bound. The upper holds for all releases that the
/// pairs dominate, also if each is chosen with the results of those before it in sight, as long as
/// the list of pairs does not depend on them. The lower is about certain releases of these kinds,
/// which have the pairs themselves, or, for [bounded ranges](Pair::bounded_range), randomized
/// response: no accounting that holds for the kinds can claim less.
///
/// ```
/// use lastbit::accounting::{Composition, Pair};
/// use lastbit::{Down, Rational};
/// let noise = Pair::laplace(&Rational::new(1, 10))?;
/// let delta = Down::exact(1e-6);
/// let all = Composition::new(&[(noise, 100)], delta)?;
/// let epsilon = all.epsilon(delta)?;
/// assert!(epsilon.hi() < 4.7 && epsilon.width().get() < 1e-3);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Debug)]
pub struct Composition {
    /// The laws of each order in which neighbours differ.
    orders: Vec<Vec<Repeated>>,
    /// The laws of releases that lower bounds are about, if they are others.
    attained: Option<Vec<Laws>>,
    tuning: Tuning,
    upper: Vec<Curve>,
    /// Computed when it is asked for.
    lower: OnceLock<Vec<Curve>>,
    /// At least `δ(0)`, which is at most the sum over the releases.
    total_variation: Up,
}

/// The laws of one order and how often each comes.
type Laws = Vec<(Arc<dyn Law>, u64)>;

/// Releases in all.
const MOST_RELEASES: u64 = 1 << 30;

/// Points at least of a coarse composition.
const COARSE: f64 = 4096.0;

impl Composition {
    /// The composition, computed so that it is tight for δ down to `smallest`; it is sound for
    /// every δ.
    pub fn new(releases: &[(Pair, u64)], smallest: Down) -> Result<Composition, Error> {
        Composition::on_points(releases, smallest, 16_384.0)
    }

    /// The composition on fewer points: as sound, several times as quick for a few releases, and
    /// tight to about 10^-4 of ε.
    pub fn coarse(releases: &[(Pair, u64)], smallest: Down) -> Result<Composition, Error> {
        Composition::on_points(releases, smallest, COARSE)
    }

    /// [`Composition::epsilon_above`] at δ of [`Composition::coarse`], with no more of the last
    /// product than it takes.
    pub(super) fn coarse_epsilon(releases: &[(Pair, u64)], delta: Down) -> Result<Up, Error> {
        let (orders, tuning) = tuned(releases, delta, COARSE)?;
        let each = orders.iter().map(|laws| epsilon_above(laws, tuning, delta));
        Ok(each.fold(Up::ZERO, Up::max))
    }

    fn on_points(
        releases: &[(Pair, u64)],
        smallest: Down,
        points: f64,
    ) -> Result<Composition, Error> {
        let (orders, tuning) = tuned(releases, smallest, points)?;
        let attained = releases.iter().any(|(pair, _)| pair.attained.is_some());
        let attained = attained.then(|| {
            let laws = |order| merged(releases, order, |pair| pair.attained.as_ref());
            (0..orders.len()).map(laws).collect()
        });
        let total_variation = total_variation(releases);
        Ok(Composition {
            upper: curves(&orders, tuning, Rounding::Up),
            lower: OnceLock::new(),
            orders,
            attained,
            tuning,
            total_variation,
        })
    }

    fn lower(&self) -> &[Curve] {
        self.lower.get_or_init(|| match &self.attained {
            Some(laws) => curves(&repeated(laws, self.tuning), self.tuning, Rounding::Down),
            None => curves(&self.orders, self.tuning, Rounding::Down),
        })
    }

    /// The smallest ε at δ, from above alone: half the work of [`Composition::epsilon`].
    pub fn epsilon_above(&self, delta: Down) -> Result<Up, Error> {
        probability("delta", delta.get())?;
        if self.total_variation.get() <= delta.get() {
            return Ok(Up::ZERO);
        }
        let upper = self.upper.iter().map(|curve| curve.epsilon_above(delta));
        Ok(upper.fold(Up::ZERO, Up::max))
    }

    /// The smallest δ at ε, from above alone.
    pub fn delta_above(&self, epsilon: &Rational) -> Result<Up, Error> {
        super::pair::loss("epsilon", epsilon)?;
        let z = Interval::from_rational(epsilon);
        let upper = self.upper.iter().map(|curve| curve.delta(z).upper());
        let upper = upper.fold(Up::ZERO, Up::max).min(self.total_variation);
        Ok(upper.min(Up::ONE))
    }

    /// The smallest δ at ε, between two bounds.
    pub fn delta(&self, epsilon: &Rational) -> Result<Interval, Error> {
        let upper = self.delta_above(epsilon)?;
        let z = Interval::from_rational(epsilon);
        let lower = self.lower().iter().map(|curve| curve.delta(z).lower());
        between(lower.fold(Down::ZERO, Down::max), upper)
    }

    /// The smallest ε at δ, between two bounds; the upper is infinite where no finite ε holds.
    pub fn epsilon(&self, delta: Down) -> Result<Interval, Error> {
        let upper = self.epsilon_above(delta)?;
        between(self.epsilon_below(Up::exact(delta.get())), upper)
    }

    /// At or below the smallest ε at δ.
    pub(super) fn epsilon_below(&self, delta: Up) -> Down {
        let lower = self.lower().iter().map(|curve| curve.epsilon_below(delta));
        lower.fold(Down::ZERO, Down::max)
    }

    /// The law of each order, if all releases together have the loss of one law.
    pub(super) fn alone(&self) -> Option<impl Iterator<Item = &dyn Law>> {
        let alone = |laws: &Vec<Repeated>| matches!(&laws[..], [law] if law.count == 1);
        let laws = self.orders.iter().map(|laws| &*laws[0].law);
        self.orders.iter().all(alone).then_some(laws)
    }

    /// The power of the best test, between two bounds: the probability that it finds a person who
    /// is in the data, if it finds one who is not with probability at most `level`. The upper holds
    /// for every test.
    ///
    /// **Proof.** A test is an event S. With P the law of the data with the person and Q that
    /// without, `P(S) ≤ δ(z) + e^z·Q(S)` for every z, where δ is the profile of this order: the
    /// first of a pair, if its orders differ. The best z is that of some point. ∎
    pub fn power(&self, level: &Rational) -> Result<Interval, Error> {
        let level = Interval::from_rational(level);
        probability("the level of a test", level.lo())?;
        let upper = self.upper.first().map(|curve| curve.power(level).upper());
        let lower = self.lower().first().map(|curve| curve.power(level).lower());
        let beyond = level.upper() + self.total_variation;
        let upper = upper.unwrap_or(Up::ONE).min(beyond).min(Up::ONE);
        // At least as by a guess: accusing that share of all.
        let lower = lower.unwrap_or(Down::ZERO).max(Down::exact(level.lo()));
        between(lower, upper)
    }
}

/// The laws of each order, and what their grids are chosen by.
fn tuned(
    releases: &[(Pair, u64)],
    smallest: Down,
    points: f64,
) -> Result<(Vec<Vec<Repeated>>, Tuning), Error> {
    let smallest = smallest.get();
    if !(SMALLEST_DELTA..=1.0).contains(&smallest) {
        return Err(Error::distance(format!(
            "the smallest delta must be from {SMALLEST_DELTA:e} to 1, got {smallest:e}"
        )));
    }
    releases
        .iter()
        .try_fold(0u64, |sum, (_, count)| sum.checked_add(*count))
        .filter(|count| *count <= MOST_RELEASES)
        .ok_or_else(|| Error::composition("at most 2^30 releases are added up"))?;
    let orders = if releases.iter().any(|(pair, _)| pair.orders.len() == 2) {
        2
    } else {
        1
    };
    let orders: Vec<Laws> = (0..orders)
        .map(|order| merged(releases, order, |_| None))
        .collect();
    let of_order = |laws: &Laws| laws.iter().map(|(_, count)| count).sum();
    let tuning = Tuning {
        count: orders.iter().map(of_order).max().unwrap_or(0),
        smallest,
        points,
    };
    Ok((repeated(&orders, tuning), tuning))
}

fn probability(name: &str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Error::distance(format!(
            "{name} must be a probability from 0 to 1, got {value}"
        )))
    }
}

/// At least the total variation of all together.
///
/// **Proof.** That of a product is at most the sum: replace one factor after the other. It is
/// `δ(0)`, in both orders alike. ∎
fn total_variation(releases: &[(Pair, u64)]) -> Up {
    let mut sum = Up::ZERO;
    for (pair, count) in releases {
        let one = pair.orders.iter().map(|law| law.profile(Interval::ZERO));
        let one = one.fold(Up::ZERO, |most, delta| most.max(delta.upper()));
        // At most 2^30 releases: the count is a double.
        sum += one * Up::exact(*count as f64);
    }
    sum
}

/// The laws of an order and how often each comes, all Gaussian noise as one; others in their place
/// where there are.
fn merged(
    releases: &[(Pair, u64)],
    order: usize,
    others: impl Fn(&Pair) -> Option<&Vec<Arc<dyn Law>>>,
) -> Laws {
    let mut squared: Option<Interval> = None;
    let mut laws = Vec::new();
    for (pair, count) in releases.iter().filter(|(_, count)| *count > 0) {
        let orders = others(pair).unwrap_or(&pair.orders);
        let law = orders.get(order).unwrap_or(&orders[0]);
        match law.mu() {
            // At most 2^30 releases: the count is a double.
            Some(mu) => {
                let more = mu * mu * Interval::point(*count as f64);
                squared = Some(squared.map_or(more, |sum| sum + more));
            }
            None => laws.push((law.clone(), *count)),
        }
    }
    if let Some(squared) = squared {
        laws.push((Arc::new(Gaussian::enclosed(squared.sqrt())), 1));
    }
    laws
}

/// What a grid needs to know of each law.
fn repeated(orders: &[Laws], tuning: Tuning) -> Vec<Vec<Repeated>> {
    let one = |laws: &Laws| {
        let laws = laws.iter();
        laws.map(|(law, count)| Repeated::new(law.clone(), *count, tuning.cut()))
            .collect()
    };
    orders.iter().map(one).collect()
}

/// The profile in each order.
fn curves(orders: &[Vec<Repeated>], tuning: Tuning, side: Rounding) -> Vec<Curve> {
    let orders = orders.iter();
    orders
        .map(|laws| Curve::new(&product(laws, grid(laws, tuning, side), tuning.cut())))
        .collect()
}

pub(super) fn between(lower: Down, upper: Up) -> Result<Interval, Error> {
    Interval::between(lower, upper)
        .map_err(|_| Error::other("the lower bound is above the upper: a defect, please report it"))
}

/// With fewer digits than this even eight primes do not do.
const SMALLEST_DELTA: f64 = 1e-45;

/// The product of all laws.
fn product(laws: &[Repeated], grid: LossGrid, cut: f64) -> LossDistribution {
    let Some((first, others)) = laws.split_first() else {
        return LossDistribution::zero(grid);
    };
    let mut all = first.on(grid, cut);
    for (place, law) in others.iter().enumerate() {
        all = compose::product(&all, &law.on(grid, cut));
        all.trim(trimmed(&laws[..place + 2], cut));
    }
    all
}

/// What is cut off either tail of a product.
fn trimmed(laws: &[Repeated], cut: f64) -> Up {
    let releases: u64 = laws.iter().map(|law| law.count).sum();
    Up::exact(cut * releases as f64)
}

/// At or above the smallest ε at δ, from the product of all laws. Of the last product, losses that
/// are clearly below ε are not needed.
fn epsilon_above(laws: &[Repeated], tuning: Tuning, delta: Down) -> Up {
    let (grid, cut, target) = (grid(laws, tuning, Rounding::Up), tuning.cut(), delta.get());
    if let Some((last, others @ [_, ..])) = laws.split_last() {
        let (others, last) = (product(others, grid, cut), last.on(grid, cut));
        let least = below_epsilon(laws, target);
        let mut part = compose::last_of_product(&others, &last, |(last, grid)| {
            (last as f64 - least / grid.step).max(1.0) as usize
        });
        part.trim_above(trimmed(laws, cut));
        let curve = Curve::until(&part, target);
        // If all of the part is within δ, more is needed. What was cut off above is less than the
        // whole, as mass was left.
        if part.len() > 1 && curve.is_above(target) {
            return curve.epsilon_above(delta);
        }
        let mut whole = compose::product(&others, &last);
        whole.trim(trimmed(laws, cut));
        return Curve::until(&whole, target).epsilon_above(delta);
    }
    Curve::until(&product(laws, grid, cut), target).epsilon_above(delta)
}

/// A loss below the ε at δ, as a rule: of a normal loss of the same variance, and a deviation less.
#[expect(
    clippy::disallowed_methods,
    reason = "where to begin: if it is too much, the whole product is taken"
)]
fn below_epsilon(laws: &[Repeated], delta: f64) -> f64 {
    let variance: f64 = laws.iter().map(|law| law.count as f64 * law.variance).sum();
    let far = (2.0 * (1.0 / delta).ln()).sqrt().max(1.0);
    // About where the normal tail is δ.
    let far = far - (far.ln() + 0.92) / far;
    (variance / 2.0 + variance.sqrt() * (far - 1.0)).max(0.0)
}

#[cfg(test)]
mod tests;
