use lastbit_exact::{Down, Interval, Up};

use super::checks::{at_least_zero, bounded, loss};
use crate::Error;

/// The most releases of one plan that are composed optimally; a search through the law of their
/// losses takes time √k.
pub const MOST_OPTIMAL_RELEASES: u64 = 1 << 36;

/// The smallest ε' at δ of k releases, each ε-DP and each chosen with the others in sight: no
/// smaller one holds for all such releases. Rounded up, and within `10^-13·(1 + ε' + √k)` of it for
/// `ε ≤ 300`; beyond, it may be the sum `kε`.
///
/// **Proof.** Kairouz, Oh and Viswanath (2015): the adaptive composition of k ε-DP releases is a
/// function of k independent answers by randomized response. Let L be the number of false ones,
/// binomial with `P(false) = 1/(1 + e^ε)` under P, and under Q with truth and falsehood exchanged.
/// Among events the best (Neyman and Pearson) are `L < i`, so (ε', δ) holds if and only if for
/// every i
///
/// `A_i − e^ε'·B_i ≤ δ`,  `A_i = P(L < i)`, `B_i = Q(L < i)`;  hence
/// `ε' = max_i ln((A_i − δ)/B_i)`, or 0 if that is negative.
///
/// With `b_i = Σ_(l<i) P(L = l)·e^(−2(i−l)ε)` the term is `(k − 2i)ε + ln((A_i − δ)/b_i)`. It is
/// evaluated with intervals over a window around the mean. Below the window A is bounded by a
/// geometric series, and terms are left out of b, which only lowers it. From the window's end on,
/// `A ≤ 1` and `B` is at least what it is there. ∎
///
/// ```
/// use lastbit::conversions::optimal_composition;
/// use lastbit::{Down, Up};
/// let epsilon = optimal_composition(Up::exact(0.1), 100, Down::exact(1e-6))?;
/// assert!(epsilon.get() < 4.9); // the sum is 10, and by zCDP it is 5.2
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn optimal_composition(epsilon: Up, releases: u64, delta: Down) -> Result<Up, Error> {
    let value = loss("epsilon", epsilon)?;
    let delta = at_least_zero("delta", delta)?;
    if releases > MOST_OPTIMAL_RELEASES {
        return Err(Error::composition(format!(
            "{releases} releases are too many to compose optimally, at most \
             {MOST_OPTIMAL_RELEASES}; use zCDP"
        )));
    }
    // k < 2^53, so exactly.
    let sum = epsilon * Up::exact(releases as f64);
    if delta == 0.0 || value == 0.0 || releases == 0 {
        return bounded(sum);
    }
    if delta >= 1.0 {
        return Ok(Up::ZERO);
    }
    let window = Window::new(value, releases, delta);
    let epsilon = window.epsilon(value, releases, delta);
    bounded(epsilon.min(sum).max(Up::ZERO))
}

/// The weights of `L = first, first + 1, …`, proportional to its probabilities.
struct Window {
    first: u64,
    weights: Vec<Interval>,
    /// Bounds the weight below the window.
    below: Up,
    /// The weight of everything.
    total: Interval,
}

/// The weight of the mode: far from the largest double, so that sums of 2^40 weights are finite,
/// and such that a weight 2^-1900 times as large is a normal number.
const MODE: Interval = Interval::point(f64::from_bits((1023 + 980) << 52));

impl Window {
    #[expect(
        clippy::disallowed_methods,
        reason = "where the window begins; it grows as far as it must"
    )]
    fn new(epsilon: f64, releases: u64, delta: f64) -> Window {
        let odds = Interval::point(epsilon).exp();
        let mode = ((releases as f64 + 1.0) / (1.0 + epsilon.exp())) as u64;
        let mode = mode.min(releases);
        let count = |n: u64| Interval::point(n as f64);
        // P(l−1)/P(l) = l·e^ε/(k−l+1).
        let down = |l: u64| count(l) / count(releases - l + 1) * odds;
        let up = |l: u64| count(releases - l) / count(l + 1) / odds;
        let smallest = 2f64.powi(-80);

        // Nothing below the last weight kept matters against δ.
        let mut lower = vec![MODE];
        let mut first = mode;
        let mut ratio = Interval::ZERO;
        while first > 0 {
            ratio = down(first);
            let next = lower[lower.len() - 1] * ratio;
            if next.hi() < MODE.lo() * delta * smallest {
                break;
            }
            lower.push(next);
            first -= 1;
        }
        let below = if first == 0 {
            Up::ZERO
        } else {
            geometric(lower[lower.len() - 1], ratio)
        };
        lower.reverse();
        let mut weights = lower;

        let mut last = mode;
        while last < releases {
            ratio = up(last);
            let next = weights[weights.len() - 1] * ratio;
            if next.hi() < MODE.lo() * smallest {
                break;
            }
            weights.push(next);
            last += 1;
        }
        let above = if last == releases {
            Up::ZERO
        } else {
            geometric(weights[weights.len() - 1], ratio)
        };
        let inside = weights.iter().fold(Interval::ZERO, |sum, &w| sum + w);
        let total = inside + hull_up(below) + hull_up(above);
        Window {
            first,
            weights,
            below,
            total,
        }
    }

    /// `max_i (k − 2i)ε + ln((A_i − δ)/b_i)`.
    fn epsilon(&self, epsilon: f64, releases: u64, delta: f64) -> Up {
        let epsilon = Interval::point(epsilon);
        let decay = (-(epsilon + epsilon)).exp();
        let mut below = hull_up(self.below);
        let mut discounted = Interval::ZERO;
        let mut best = Up::ZERO;
        let mut bound = |mass: Up, discounted: Interval, i: u64| {
            let excess = mass - Down::exact(delta);
            if excess.get() <= 0.0 {
                return;
            }
            // |k − 2i| ≤ 2^37.
            let steps = Interval::point(releases as f64 - 2.0 * i as f64);
            let ratio = excess / (discounted / self.total).lower();
            best = best.max((steps * epsilon).upper() + ratio.ln());
        };
        for (offset, &weight) in self.weights.iter().enumerate() {
            let i = self.first + offset as u64 + 1;
            below = below + weight;
            discounted = (discounted + weight) * decay;
            bound((below / self.total).upper().min(Up::ONE), discounted, i);
        }
        let end = self.first + self.weights.len() as u64;
        bound(Up::ONE, discounted, end);
        best
    }
}

/// The sum of weights after `last`, which fall by at least `ratio` each.
fn geometric(last: Interval, ratio: Interval) -> Up {
    let rest = Interval::ONE - ratio;
    if rest.lo() <= 0.0 {
        return Up::INFINITY;
    }
    (last * ratio / rest).upper()
}

/// A number between 0 and a bound.
fn hull_up(bound: Up) -> Interval {
    Interval::between(Down::ZERO, bound).unwrap_or(Interval::WHOLE)
}
