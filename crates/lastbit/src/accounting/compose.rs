//! Many losses, one after another.

use lastbit_exact::Up;

use super::loss_distribution::{LossDistribution, LossGrid};
use super::transform::Rounding;

/// A law and how many releases it is the loss of.
struct Sum {
    law: LossDistribution,
    releases: u64,
}

impl Sum {
    /// The loss of both; tails of at most `cut` for each release are cut off.
    fn and(&self, other: &Sum, cut: f64) -> Sum {
        let mut law = if core::ptr::eq(self, other) {
            self.law.product(&self.law)
        } else {
            product(&self.law, &other.law)
        };
        let releases = self.releases + other.releases;
        law.trim(Up::exact(cut * releases as f64));
        Sum { law, releases }
    }
}

/// A law with more points is slow.
const LONG: usize = 1 << 14;

/// The loss of `count` releases with the same law, by squaring.
///
/// Each time there are 16 times as many releases in a long law its step is doubled, if it bounds
/// from above: the spread adds to the loss of all of them at once, a quarter of what the finer grid
/// added to the sixteen, and the law has half the points.
pub(super) fn repeated(law: &LossDistribution, count: u64, cut: f64) -> LossDistribution {
    let mut square = Sum {
        law: law.clone(),
        releases: 1,
    };
    let mut sum: Option<Sum> = None;
    let mut rest = count;
    while rest > 0 {
        if rest & 1 == 1 {
            sum = Some(match sum.take() {
                None => Sum {
                    law: square.law.clone(),
                    releases: square.releases,
                },
                Some(sum) => sum.and(&square, cut),
            });
        }
        rest >>= 1;
        if rest > 0 {
            square = square.and(&square, cut);
            let is_long = square.law.len() > LONG && law.grid().side == Rounding::Up;
            if is_long && square.releases.ilog2().is_multiple_of(4) {
                square.law = square.law.coarsen();
            }
        }
    }
    sum.map_or_else(|| LossDistribution::zero(law.grid()), |sum| sum.law)
}

/// The loss of both, on the coarser of their grids: steps are the same but for a power of two.
pub(super) fn product(one: &LossDistribution, other: &LossDistribution) -> LossDistribution {
    last_of_product(one, other, |_| usize::MAX)
}

/// The same, with the masses of its last points alone: as many as `count` says for the last point
/// and the grid of the product.
pub(super) fn last_of_product(
    one: &LossDistribution,
    other: &LossDistribution,
    count: impl Fn((i64, LossGrid)) -> usize,
) -> LossDistribution {
    let step = one.grid().step.max(other.grid().step);
    let coarse = |law: &LossDistribution| {
        let mut law = law.clone();
        while law.grid().step < step {
            law = law.coarsen();
        }
        law
    };
    let last = |one: &LossDistribution, other: &LossDistribution| {
        one.last_of_product(other, count((one.last() + other.last(), one.grid())))
    };
    if one.grid() == other.grid() {
        last(one, other)
    } else {
        last(&coarse(one), &coarse(other))
    }
}
