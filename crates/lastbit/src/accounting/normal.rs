//! The normal tail on many points: enclosures of Mills' ratio from a table, about ten nanoseconds
//! each.

mod tails;

use std::sync::OnceLock;

use lastbit_exact::Interval;

use tails::TAILS;

/// Nodes are this many to a unit.
const PER_UNIT: i64 = 32;
/// The table ends here.
const LAST: f64 = 38.0;
/// Above the tail from there on, which is below 2.9e-316.
const BEYOND: f64 = 1e-315;
/// The table begins here; below, the tail is one less the other tail.
const FIRST: f64 = -1.0;
/// Terms of a node's series.
const TERMS: usize = 16;
/// A node serves points up to three steps to its left.
const FARTHEST: f64 = 3.0 / PER_UNIT as f64;
/// Above `Σ_(n ≥ 16) c_n t^n` for `t ≤ 3/32`, and below `2^-60` of every ratio in the table, the
/// least of which is above 1/39.
///
/// As `−x_0·s ≤ s ≤ 1 + s²/4`, `c_n ≤ e·∫ (s^n/n!)·e^(−s²/4) ds = e·2^n·Γ((n+1)/2)/n!`: below
/// 1.3e-4 at n = 16, and falling; and `(3/32)^16 < 3.6e-17`.
const REST: f64 = 1e-20;

/// Mills' ratio near one node: `R(x_0 − t) = Σ c_n t^n`, every `c_n` positive.
struct Node {
    coefficients: [f64; TERMS],
    /// What rounding the coefficients costs at most: of the ratio for `t ≤ 3/32`, and of its first
    /// derivative's part.
    error: f64,
    difference_error: f64,
}

/// `R(x) = Q(x)/φ(x)` around `x_0 = i/32`.
///
/// `c_n = ∫_0^∞ (s^n/n!)·e^(−x_0·s − s²/2) ds` are the coefficients, as
/// `R(x) = ∫ e^(−xs − s²/2) ds`; integration by parts gives `c_1 = 1 − x_0·c_0` and
/// `(n+1)·c_(n+1) = c_(n−1) − x_0·c_n`.
fn node(i: i64) -> &'static Node {
    const COUNT: usize = ((LAST - FIRST) as i64 * PER_UNIT) as usize + 1;
    static NODES: [OnceLock<Node>; COUNT] = [const { OnceLock::new() }; COUNT];
    let first = FIRST as i64 * PER_UNIT;
    NODES[(i - first) as usize].get_or_init(|| {
        let x = i as f64 / PER_UNIT as f64;
        let tail = tail_at(i);
        let x = Interval::point(x);
        let mut list = [Interval::ZERO; TERMS];
        list[0] = tail / density(x);
        list[1] = Interval::ONE - x * list[0];
        for n in 1..TERMS - 1 {
            let next = (list[n - 1] - x * list[n]) / Interval::point((n + 1) as f64);
            // All are positive, which the recurrence no longer knows when rounding has eaten them.
            list[n + 1] = next.max(Interval::ZERO);
        }
        let (mut error, mut difference_error, mut power) = (0.0, 0.0, 1.0);
        for (n, c) in list.iter().enumerate() {
            error += c.width().get() * power;
            if n > 0 {
                difference_error += c.width().get() * n as f64 * power / FARTHEST;
            }
            power *= FARTHEST;
        }
        // A little more for the rounding of these sums themselves.
        Node {
            coefficients: list.map(Interval::midpoint),
            error: error * 1.01 + REST,
            difference_error: difference_error * 1.01 + 1e3 * REST,
        }
    })
}

/// Where the slow enclosure of a node, [`gaussian_mass`](lastbit_noise::gaussian_mass), ends one
/// double lower than it could. Kept, so that plans cost what they cost when nodes were computed.
///
/// **Bound.** `TAILS[i − 1] ≤ P(N > i/32) < TAILS[i − 1].next_up()`, so that these two are an
/// enclosure, and one that is wider on a side holds all the more. The tests compare every node with
/// the slow enclosure, and these with MPFR.
const WIDER_BELOW: [i64; 5] = [262, 278, 283, 302, 316];
/// Where it ends one double higher.
const WIDER_ABOVE: [i64; 3] = [315, 322, 326];

/// `P(N > i/32)`, from a table: to compute it takes longer than to price a plan.
fn tail_at(i: i64) -> Interval {
    match i {
        0 => Interval::point(0.5),
        1.. => {
            let (mut least, mut most) = (TAILS[i as usize - 1], TAILS[i as usize - 1].next_up());
            if WIDER_BELOW.contains(&i) {
                least = least.next_down();
            }
            if WIDER_ABOVE.contains(&i) {
                most = most.next_up();
            }
            ends(least, most)
        }
        _ => Interval::ONE - tail_at(-i),
    }
}

/// Twice the relative rounding error of a series of positive terms by Horner's rule, and of `t`.
const ROUNDING: f64 = 1e-14;

/// The node at or to the right of x.
fn node_of(x: f64) -> (&'static Node, f64) {
    let i = (x * PER_UNIT as f64).ceil() as i64;
    (node(i), i as f64 / PER_UNIT as f64)
}

/// `R(x)` for `−1 ≤ x ≤ 38`.
fn mills(x: f64) -> Interval {
    let (node, place) = node_of(x);
    let t = place - x;
    let value = node
        .coefficients
        .iter()
        .rev()
        .fold(0.0, |sum, c| sum * t + c);
    around(value, value * ROUNDING + node.error)
}

/// `φ(x)`.
pub(super) fn density(x: Interval) -> Interval {
    let scale = 0.398_942_280_401_432_7_f64;
    // The literal is the double nearest to 1/√(2π).
    let scale = ends(scale.next_down(), scale.next_up());
    (-(x * x) / Interval::point(2.0)).exp() * scale
}

/// `P(N > x)`, to about `2^-40` of itself while it is a normal double.
pub(super) fn tail(x: Interval) -> Interval {
    if x.hi() < FIRST {
        return Interval::ONE - tail(-x);
    }
    if x.lo() < FIRST {
        return tail(ends(x.lo(), FIRST.next_down())).hull(tail(ends(FIRST, x.hi())));
    }
    if x.lo() >= LAST {
        return ends(0.0, BEYOND);
    }
    let far = Interval::point(x.hi().min(LAST));
    let near = Interval::point(x.lo());
    let (low, high) = (
        density(far) * mills(far.lo()),
        density(near) * mills(near.lo()),
    );
    let least = if x.hi() > LAST { 0.0 } else { low.lo() };
    ends(least.max(0.0), high.hi())
}

/// `P(N > a) − e^(b²/2 − a²/2)·P(N > b) = φ(a)(R(a) − R(b))` for `b = a + μ`, `μ > 0` and `b > −a`,
/// to about `2^-36` of itself.
///
/// The caller gives both ends and their distance, each enclosed.
pub(super) fn excess(a: Interval, b: Interval, mu: Interval) -> Interval {
    if a.lo() >= LAST {
        return ends(0.0, BEYOND);
    }
    if a.hi() < FIRST {
        // 1 − φ(a)(R(−a) + R(b)); b > −a > 1.
        let others = tail(-a) + density(a) * ratio(b);
        return (Interval::ONE - others).max(Interval::ZERO);
    }
    let difference = if mu.hi() <= 1.0 / PER_UNIT as f64 && b.hi() <= LAST && a.lo() >= FIRST {
        divided(a, b) * mu
    } else if a.lo() >= FIRST {
        ratio(a) - ratio(b)
    } else {
        let others = tail(-a) + density(a) * ratio(b);
        return (Interval::ONE - others).max(Interval::ZERO);
    };
    density(a) * difference.max(Interval::ZERO)
}

/// `R(x)` for `x ≥ −1`; it falls with x.
fn ratio(x: Interval) -> Interval {
    let most = if x.lo() >= LAST {
        far(x.lo()).hi()
    } else {
        mills(x.lo().max(FIRST)).hi()
    };
    let least = if x.hi() > LAST {
        far(x.hi()).lo()
    } else {
        mills(x.hi().max(FIRST)).lo()
    };
    ends(least, most)
}

/// `R(x)` beyond the table, by Laplace's continued fraction `1/(x + 1/(x + 2/(x + …)))`: for
/// positive x its convergents are above and below in turn. Two of them are within `10^-12` here.
fn far(x: f64) -> Interval {
    if x > 1e100 {
        return ends(0.0, 1e-100);
    }
    let x = Interval::point(x);
    let convergent = |terms: u32| {
        let level = |rest, n| x + Interval::point(f64::from(n)) / rest;
        Interval::ONE / (1..=terms).rev().fold(x, level)
    };
    convergent(6).hull(convergent(7))
}

/// `(R(a) − R(b))/(b − a)` for ends at most 1/32 apart; it falls when either end rises.
fn divided(a: Interval, b: Interval) -> Interval {
    let at = |a: f64, b: f64| {
        let (node, place) = node_of(b);
        let (far, near) = (place - a, place - b);
        // Σ c_n (far^n − near^n)/(far − near), every term positive.
        let (mut sum, mut quotient, mut power) = (0.0, 1.0, 1.0);
        for c in &node.coefficients[1..] {
            sum += c * quotient;
            power *= near;
            quotient = quotient * far + power;
        }
        around(sum, sum * ROUNDING + node.difference_error)
    };
    ends(at(a.hi(), b.hi()).lo(), at(a.lo(), b.lo()).hi())
}

fn around(value: f64, error: f64) -> Interval {
    let low = (value - error).next_down().max(0.0);
    ends(low, (value + error).next_up())
}

fn ends(lo: f64, hi: f64) -> Interval {
    Interval::new(lo, hi).unwrap_or(Interval::WHOLE)
}

#[cfg(test)]
mod tests;
