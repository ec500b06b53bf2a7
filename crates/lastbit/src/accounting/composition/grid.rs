//! The grid of a composition: which points, which unit of mass.

use std::sync::Arc;

use lastbit_exact::Interval;

use super::super::compose;
use super::super::loss_distribution::{LossDistribution, LossGrid};
use super::super::pair::Law;
use super::super::transform::{MOST_PRIMES, Rounding, unit_bits};

/// What a grid is chosen by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// Releases in all.
    pub(super) count: u64,
    /// The smallest δ to be tight for.
    pub(super) smallest: f64,
    /// Points at least.
    pub(super) points: f64,
}

impl Tuning {
    /// What is cut off tails for each release.
    pub(super) fn cut(self) -> f64 {
        self.smallest / CUT / self.count.max(1) as f64
    }
}

/// Of the smallest δ, so much is cut off tails at each product.
const CUT: f64 = 1e7;

/// A law and how often it comes.
#[derive(Debug)]
pub(super) struct Repeated {
    pub(super) law: Arc<dyn Law>,
    pub(super) count: u64,
    /// Where its mass is, but for what is cut off.
    reach: (f64, f64),
    pub(super) variance: f64,
}

impl Repeated {
    pub(super) fn new(law: Arc<dyn Law>, count: u64, cut: f64) -> Repeated {
        let reach = reach(&*law, cut);
        let coarse = LossGrid {
            step: rounded((reach.1 - reach.0) / 512.0, false),
            primes: 2,
            side: Rounding::Up,
        };
        let variance = LossDistribution::new(&*law, coarse, reach).variance();
        Repeated {
            law,
            count,
            reach,
            variance,
        }
    }

    /// The loss of all of its releases, on a grid.
    pub(super) fn on(&self, grid: LossGrid, cut: f64) -> LossDistribution {
        let one = LossDistribution::new(&*self.law, grid, self.reach);
        compose::repeated(&one, self.count, cut)
    }
}

/// A grid on which the product has a few thousand points for each release's square root, and a
/// quarter million at most.
///
/// Spreading Y to the nearest points adds at most step²/4 to the variance of each release's loss.
/// With n points on the range R of the sum that is `count·R²/(4n²)`; for `n = 1600·√count` and a
/// range of 20 standard deviations less than 10^-4 of the sum's variance.
#[expect(
    clippy::disallowed_methods,
    reason = "which grid to take: any is sound, a worse one is less tight"
)]
pub(super) fn grid(laws: &[Repeated], tuning: Tuning, side: Rounding) -> LossGrid {
    let Tuning {
        count,
        smallest,
        points: fewest,
    } = tuning;
    let deviations = (2.0 * (1.0 / smallest).ln()).sqrt() + 2.0;
    let width = |law: &Repeated| law.reach.1 - law.reach.0;
    let sum: f64 = laws.iter().map(|law| law.count as f64 * width(law)).sum();
    let widest = laws.iter().map(width).fold(0.0, f64::max);
    let variance: f64 = laws.iter().map(|law| law.count as f64 * law.variance).sum();
    let range = (2.0 * deviations * variance.sqrt()).max(widest).min(sum);
    let points = (1600.0 * (count as f64).sqrt()).clamp(fewest, 262_144.0);
    let step = (range / points).max(1e-9);
    // The atoms of the law that varies most lie on points, or just inside of them.
    let heaviest = laws
        .iter()
        .max_by(|a, b| (a.count as f64 * a.variance).total_cmp(&(b.count as f64 * b.variance)));
    let atom = heaviest
        .and_then(|law| law.law.atom())
        .filter(|z| *z > step);
    let step = atom.map_or(step, |z| z / (z / step).round());
    let needed = (1.0 / smallest).log2() + points.log2() + (count.max(1) as f64).log2() + 20.0;
    let primes = (2..MOST_PRIMES)
        .find(|primes| unit_bits(*primes) as f64 >= needed)
        .unwrap_or(MOST_PRIMES);
    // From below an atom must lie above its point, not on it.
    let step = match side {
        Rounding::Up => rounded(step, true),
        Rounding::Down => rounded(step * (1.0 - 1e-7), false),
    };
    LossGrid { step, primes, side }
}

/// A positive number of 26 bits next to x, at or above it or at or below.
fn rounded(x: f64, up: bool) -> f64 {
    let cut = f64::from_bits(x.max(1e-300).to_bits() & !((1 << 27) - 1));
    if up && cut < x {
        f64::from_bits(cut.to_bits() + (1 << 27))
    } else {
        cut
    }
}

/// Losses between which all but about `cut` of the mass lies. A guess: what is beyond is accounted
/// for.
fn reach(law: &dyn Law, cut: f64) -> (f64, f64) {
    let at = |z: f64| Interval::point(z);
    let infinite = law.infinite().hi();
    let high = |z: f64| law.profile(at(z)).hi() <= infinite * (1.0 + 1e-12) + cut;
    let low = |z: f64| law.tails(at(-z)).p.lo() >= 1.0 - 1e-12;
    (-first(low), first(high))
}

/// About the first z at which the condition holds.
fn first(holds: impl Fn(f64) -> bool) -> f64 {
    let mut high = 2f64.powi(-40);
    while !holds(high) && high < 1e6 {
        high *= 2.0;
    }
    let mut low = high / 2.0;
    for _ in 0..25 {
        let middle = (low + high) / 2.0;
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
