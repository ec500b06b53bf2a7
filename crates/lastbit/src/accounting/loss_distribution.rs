//! Losses on a grid, with whole numbers of a small unit for masses.

use lastbit_exact::{Down, Interval, Up};

use super::mass::Mass;
use super::pair::Law;
use super::transform::{Rounding, convolve_last, unit_bits};

/// A law of the loss on the points `k·step`, that bounds another from above or from below.
///
/// **Order.** Write `Y = e^-Z` for a loss Z, and say that one law of Y is *below* another if
/// `E[g(Y)]` is no larger for every g that is convex, falls and is not negative. As
/// `max(0, 1 − e^z·y)` is such a g, the profile of the lower law is no larger. If `Y_2` is
/// independent and fixed, then `E[g(y·Y_2)]` is again such a function of y: so the order holds for
/// products of independent Y, which is composition. A law gets larger (in this order) when mass is
/// added, when a loss is raised, and when a Y is spread to two values with the same mean; smaller
/// when mass is dropped, when a loss is lowered, and when two values of Y are merged to their mean.
/// All that is done here is one of these. ∎
#[derive(Clone, Debug)]
pub(super) struct LossDistribution {
    /// The first point is `first·step`.
    first: i64,
    masses: Vec<Mass>,
    /// The mass of an infinite loss.
    infinite: Mass,
    grid: LossGrid,
}

/// What all laws of one composition share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LossGrid {
    /// The distance of points: of at most 26 bits, so that its multiples up to `2^26` are doubles.
    pub(super) step: f64,
    /// How many primes a product is computed with, and with it the unit.
    pub(super) primes: usize,
    /// Whether the law bounds from above or from below.
    pub(super) side: Rounding,
}

impl LossGrid {
    /// Bits of the unit of mass.
    pub(super) fn bits(&self) -> usize {
        unit_bits(self.primes)
    }

    fn point(&self, k: i64) -> f64 {
        k as f64 * self.step
    }
}

/// Points at most on either side, so that a product's transform is within the order of the roots.
const MOST_POINTS: i64 = 1 << 22;

/// Points of a product at most.
const LONGEST: usize = 1 << 24;

impl LossDistribution {
    /// The law of a loss on a grid: from above or from below, as the grid says. What is beyond
    /// `reach` is moved to its ends, or to infinity.
    pub(super) fn new(law: &dyn Law, grid: LossGrid, reach: (f64, f64)) -> LossDistribution {
        let index = |z: f64| (z / grid.step).clamp(-(MOST_POINTS as f64), MOST_POINTS as f64);
        let first = index(reach.0).floor() as i64;
        let last = (index(reach.1).ceil() as i64).max(first + 1);
        match grid.side {
            Rounding::Up => above(law, grid, first, last),
            Rounding::Down => below(law, grid, first, last),
        }
    }

    /// The law of a loss that is always 0.
    pub(super) fn zero(grid: LossGrid) -> LossDistribution {
        LossDistribution {
            first: 0,
            masses: vec![Mass::whole(grid.bits())],
            infinite: Mass::ZERO,
            grid,
        }
    }

    /// The law above all others, or below them.
    fn unbounded(grid: LossGrid) -> LossDistribution {
        let mut law = LossDistribution::zero(grid);
        law.masses[0] = Mass::ZERO;
        if grid.side == Rounding::Up {
            law.infinite = Mass::whole(grid.bits());
        }
        law
    }

    /// The loss of both, one after the other.
    pub(super) fn product(&self, other: &LossDistribution) -> LossDistribution {
        self.last_of_product(other, usize::MAX)
    }

    /// The loss of both, with masses at its last `count` points alone, if it has more.
    pub(super) fn last_of_product(
        &self,
        other: &LossDistribution,
        count: usize,
    ) -> LossDistribution {
        debug_assert_eq!(self.grid, other.grid);
        let bits = self.grid.bits();
        let up = self.grid.side == Rounding::Up;
        // Infinite if either is: ∞_1·(all of 2) + (finite of 1)·∞_2.
        let finite = |law: &LossDistribution| law.masses.iter().fold(Mass::ZERO, |a, b| a + *b);
        let (own, of_other) = (finite(self), finite(other));
        let all = of_other + other.infinite;
        let limit = Mass::whole(bits) + Mass::whole(bits);
        let points = self.masses.len() + other.masses.len() - 1;
        if points >= LONGEST || all >= limit || own >= limit {
            // Too long, or rounding has doubled the mass and products would leave their modulus.
            // Sound, and of no use.
            return LossDistribution::unbounded(self.grid);
        }
        let infinite = self.infinite.times(all, bits, up) + own.times(other.infinite, bits, up);
        let masses = convolve_last(
            &self.masses,
            &other.masses,
            count,
            self.grid.primes,
            self.grid.side,
        );
        LossDistribution {
            first: self.first + other.first + (points - masses.len()) as i64,
            masses,
            infinite,
            grid: self.grid,
        }
    }

    /// Cuts tails of at most `cut` off either end. From above, the mass of the upper tail becomes
    /// that of an infinite loss, and the lower tail is raised to what is left; from below, the
    /// upper tail is lowered to what is left, and the lower is dropped.
    pub(super) fn trim(&mut self, cut: Up) {
        self.trim_above(cut);
        let cut = Mass::below(Down::exact(cut.get()), self.grid.bits());
        let most = self.masses.len() - 1;
        let (mut tail, mut dropped) = (Mass::ZERO, 0);
        while dropped < most {
            let next = tail + self.masses[dropped];
            if next > cut {
                break;
            }
            (tail, dropped) = (next, dropped + 1);
        }
        self.masses.drain(..dropped);
        self.first += dropped as i64;
        if self.grid.side == Rounding::Up {
            self.masses[0] += tail;
        }
    }

    /// Cuts a tail of at most `cut` off the upper end alone.
    pub(super) fn trim_above(&mut self, cut: Up) {
        let cut = Mass::below(Down::exact(cut.get()), self.grid.bits());
        let most = self.masses.len() - 1;
        let (mut tail, mut dropped) = (Mass::ZERO, 0);
        while dropped < most {
            let next = tail + self.masses[most - dropped];
            if next > cut {
                break;
            }
            (tail, dropped) = (next, dropped + 1);
        }
        self.masses.truncate(most + 1 - dropped);
        if self.grid.side == Rounding::Up {
            self.infinite += tail;
        } else if let Some(last) = self.masses.last_mut() {
            *last += tail;
        }
    }

    /// The law on a grid of twice the step, for a law from above: the mass of every other point
    /// goes to its two neighbours.
    ///
    /// **Proof.** The share `λ = 1/(1 + e^step)` of the lower neighbour keeps the mean of Y, as
    /// `λ·e^step + (1−λ)·e^-step = 1`: a spread. Less of it, as it is rounded, raises losses. ∎
    pub(super) fn coarsen(&self) -> LossDistribution {
        debug_assert_eq!(self.grid.side, Rounding::Up);
        let odds = (Interval::ONE + Interval::point(self.grid.step).exp()).upper();
        let lower = (Down::ONE / odds).get();
        // Below 1/2, so that the product is below 2^63, and exact.
        let share = (lower * 2f64.powi(64)) as u64;
        let last = self.first + self.masses.len() as i64 - 1;
        let first = self.first.div_euclid(2);
        let mut masses = vec![Mass::ZERO; (last.div_euclid(2) - first + 2) as usize];
        for (i, mass) in self.masses.iter().enumerate() {
            let k = self.first + i as i64;
            let place = (k.div_euclid(2) - first) as usize;
            if k.rem_euclid(2) == 0 {
                masses[place] += *mass;
            } else {
                let down = mass.share(share);
                masses[place] += down;
                masses[place + 1] += mass.minus(down);
            }
        }
        LossDistribution {
            first,
            masses,
            infinite: self.infinite,
            grid: LossGrid {
                step: 2.0 * self.grid.step,
                ..self.grid
            },
        }
    }

    /// Points from the last to the first, as multiples of the step, each with its mass.
    pub(super) fn descending(&self) -> impl Iterator<Item = (i64, Mass)> {
        let last = self.last();
        let masses = self.masses.iter().rev().enumerate();
        masses.map(move |(i, mass)| (last - i as i64, *mass))
    }

    /// The last point, as a multiple of the step.
    pub(super) fn last(&self) -> i64 {
        self.first + self.masses.len() as i64 - 1
    }

    /// How many points there are.
    pub(super) fn len(&self) -> usize {
        self.masses.len()
    }

    /// The mass of an infinite loss.
    pub(super) fn infinite(&self) -> Mass {
        self.infinite
    }

    /// What the law shares with others.
    pub(super) fn grid(&self) -> LossGrid {
        self.grid
    }

    /// The variance of the finite part, about: to choose a grid by.
    pub(super) fn variance(&self) -> f64 {
        let bits = self.grid.bits();
        let (mut sum, mut mean, mut square) = (0.0, 0.0, 0.0);
        for (k, mass) in self.descending() {
            let z = self.grid.point(k);
            let p = mass.upper(bits).get();
            sum += p;
            mean += p * z;
            square += p * z * z;
        }
        let mean = mean / sum;
        (square / sum - mean * mean).max(0.0)
    }
}

/// The law on the grid whose profile is at every point at least that of `law`, and no more but for
/// rounding.
///
/// **Proof.** A law on the grid has a profile that is linear in `x = e^z` between points. If at
/// every point it is at least the profile of `law`, which is convex in x, it is so everywhere
/// between. Beyond the last point the infinite mass, at least δ there, is enough; before the first
/// the line to the whole mass, at `x = 0`, is. From the last point down, with `A` and
/// `C = Σ m_j·e^(z_k − z_j)` the masses of the points above, the profile at point k is `f = A − C`;
/// a mass m at point k makes it `f + (1−r)(C + m)` at `k − 1`, `r = e^-step`. So the smallest m
/// that reaches `δ(z_(k−1))` is chosen, and f and C are rounded down. This is the order's spreading
/// of Y to the two nearest points, and so the least law above (Doroshenko, Ghazi, Kamath, Kumar and
/// Manurangsi, 2022). ∎
fn above(law: &dyn Law, grid: LossGrid, first: i64, last: i64) -> LossDistribution {
    let bits = grid.bits();
    let ratio = (-Interval::point(grid.step)).exp().lower();
    let fall = (-(-Interval::point(grid.step)).exp_m1()).lower();
    let profiles = law.profile_on(grid.step, first..=last);
    let profile = |k: i64| {
        let delta = profiles[(k - first) as usize];
        delta.upper().max(Up::ZERO).min(Up::ONE)
    };
    let infinite = profile(last);
    let mut reached = Down::exact(infinite.get());
    let mut discounted = Down::ZERO;
    let infinite = Mass::above(infinite, bits);
    let mut sum = infinite;
    let mut masses = Vec::with_capacity((last - first + 1) as usize);
    for k in (first + 1..=last).rev() {
        let needed = ((profile(k - 1) - reached) / fall - discounted).max(Up::ZERO);
        if needed > Up::ONE {
            // No law has so much mass: the step is too small for the digits of the profile.
            return LossDistribution::unbounded(grid);
        }
        let mass = Mass::above(needed, bits);
        sum += mass;
        masses.push(mass);
        let all = discounted + Down::exact(needed.get());
        reached += fall * all;
        discounted = ratio * all;
    }
    let whole = Mass::whole(bits);
    masses.push(if sum < whole {
        whole.minus(sum)
    } else {
        Mass::ZERO
    });
    masses.reverse();
    LossDistribution {
        first,
        masses,
        infinite,
        grid,
    }
}

/// A law on the grid below `law`.
///
/// **Proof.** All outcomes with losses from halfway below a point to halfway above are merged, to
/// masses p and q. If `p ≥ e^z·q` the merged loss is at least z, and is lowered to it. If not, some
/// mass w that was put on a point `z' > z` is merged with it too: `p + w ≥ e^z(q + w·e^-z')` if
/// `w(1 − e^(z−z')) ≥ e^z·q − p`. If there is not so much, losses above z are lowered to it, and
/// the others merged with those around the next point below. What is above the last bound is
/// lowered to the last point, what is below the first is dropped. Tails, not masses, are rounded
/// down, so that errors do not add up. ∎
///
/// A merged loss falls short of its point by the order of step², so that w is of the order of the
/// step: what is lost is of second order.
fn below(law: &dyn Law, grid: LossGrid, first: i64, last: i64) -> LossDistribution {
    let bits = grid.bits();
    let tails = |k: i64| law.tails(Interval::point(grid.point(k) - grid.step / 2.0));
    let infinite = Mass::below(law.infinite().lower(), bits);
    let mut above = tails(last + 1);
    let mut reached = Mass::below(above.p.lower(), bits).max(infinite);
    // The last point also gets everything above its bound.
    let mut higher = infinite;
    let mut masses: Vec<Mass> = Vec::with_capacity((last - first + 1) as usize);
    let mut donor: Option<Donor> = None;
    for k in (first..=last).rev() {
        let here = tails(k);
        let (p, q) = (here.p - above.p, here.q - above.q);
        let z = Interval::point(grid.point(k));
        let short = (z.exp() * q - p).upper().max(Up::ZERO);
        let lent = match &mut donor {
            _ if short == Up::ZERO => Some(Mass::ZERO),
            Some(donor) => donor.lend(short, z, grid, &mut masses, last),
            None => None,
        };
        if let Some(lent) = lent {
            reached = reached.max(Mass::below(here.p.lower(), bits));
            masses.push(reached.minus(higher) + lent);
            above = here;
            if p.lo() > 0.0 {
                donor = Some(Donor {
                    place: k,
                    left: p.lower(),
                });
            }
        } else {
            // Losses above the point are lowered to it; the others wait to be merged with those
            // around the next.
            let there = law.tails(z);
            let left = (there.p - above.p).lower();
            reached = reached.max(Mass::below(there.p.lower(), bits));
            masses.push(reached.minus(higher));
            above = there;
            if left > Down::ZERO {
                donor = Some(Donor { place: k, left });
            }
        }
        higher = reached;
    }
    masses.reverse();
    LossDistribution {
        first,
        masses,
        infinite,
        grid,
    }
}

/// A point with mass that may be merged with outcomes of less loss.
struct Donor {
    place: i64,
    /// At most what its outcomes have under P.
    left: Down,
}

impl Donor {
    /// Takes from the donor what lifts a merged loss to z; `None` if it has too little.
    fn lend(
        &mut self,
        short: Up,
        z: Interval,
        grid: LossGrid,
        masses: &mut [Mass],
        last: i64,
    ) -> Option<Mass> {
        let distance = Interval::point(grid.point(self.place)) - z;
        let gain = -(-distance).exp_m1();
        let lent = Mass::above(short / gain.lower(), grid.bits());
        let left = self.left - lent.upper(grid.bits());
        // Masses are pushed from the last point down.
        let own = &mut masses[(last - self.place) as usize];
        if left <= Down::ZERO || *own < lent {
            return None;
        }
        self.left = left;
        *own = own.minus(lent);
        Some(lent)
    }
}

#[cfg(test)]
mod tests;
