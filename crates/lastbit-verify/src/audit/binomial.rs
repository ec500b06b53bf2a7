//! Clopper–Pearson bounds, rounded to the safe side.
//!
//! The tail of a binomial is its first term times a sum of falling ratios. The term is enclosed
//! through logarithms of factorials, the sum is cut where a geometric series bounds the rest, so
//! the tail is bounded from above by a proof, and bisection keeps only probabilities for which the
//! proof succeeds.

use lastbit_exact::{Down, Interval, Up};

/// A probability that the true one is at least, with confidence `1 − beta`: the largest found `p`
/// with `P(Bin(n, p) ≥ k) ≤ beta`.
///
/// Contract: for every true probability, the chance over k that the result exceeds it is at most
/// `beta`.
///
/// ```
/// use lastbit_verify::audit::binomial::{lower_bound, upper_bound};
/// let [low, high] = [lower_bound(8, 10, 0.025).get(), upper_bound(8, 10, 0.025).get()];
/// assert!((low - 0.44390).abs() < 1e-5 && (high - 0.97479).abs() < 1e-5);
/// ```
///
/// # Panics
/// If `successes > trials`, or `beta` is not in (0, 1/2].
pub fn lower_bound(successes: u64, trials: u64, beta: f64) -> Down {
    check(successes, trials, beta);
    if successes == 0 {
        return Down::ZERO;
    }
    // At the share itself the tail is about one half. Invariant: proved at `low`, not proved at
    // `high`.
    let (mut low, mut high) = (0.0, successes as f64 / trials as f64);
    if proved(successes, trials, high, beta) {
        return Down::exact(high);
    }
    // 2^-50 of the result is far below what any number of draws resolves.
    while high - low > high * 2f64.powi(-50) && high > f64::MIN_POSITIVE {
        let middle = if low == 0.0 && high > 1e-300 {
            // The scale is not known yet: halve the exponent's distance rather than the number.
            high * 0.5
        } else {
            low + (high - low) * 0.5
        };
        if proved(successes, trials, middle, beta) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Down::exact(low)
}

/// A probability that the true one is at most, with confidence `1 − beta`.
///
/// # Panics
/// If `successes > trials`, or `beta` is not in (0, 1/2].
pub fn upper_bound(successes: u64, trials: u64, beta: f64) -> Up {
    check(successes, trials, beta);
    Up::ONE - lower_bound(trials - successes, trials, beta)
}

/// An upper bound of `P(Bin(n, p) ≥ k)`.
pub fn tail_at_least(successes: u64, trials: u64, probability: f64) -> Up {
    let (k, n, p) = (successes, trials, Interval::point(probability));
    if k == 0 || probability >= 1.0 || k > n {
        return if k > n { Up::ZERO } else { Up::ONE };
    }
    if probability <= 0.0 {
        return Up::ZERO;
    }
    let one = Interval::point(1.0);
    let odds = p / (one - p);
    let count = |x: u64| Interval::point(x as f64);
    let first = ln_choose(n, k) + count(k) * p.ln() + count(n - k) * (-p).ln_1p();
    // Terms t_i/t_k: the ratio (n − i)/(i + 1)·odds falls with i.
    let mut sum = Up::ONE;
    let mut term = Up::ONE;
    for i in k..n {
        let ratio = (count(n - i) / count(i + 1) * odds).upper();
        if ratio >= Up::ONE {
            // Below the mean: nothing to prove.
            return Up::ONE;
        }
        term = term * ratio;
        // All terms after this one together: less than term·ratio/(1 − ratio).
        let left = Down::ONE - ratio;
        let rest = term * ratio / left;
        if rest.get() <= sum.get() * 1e-12 {
            sum = sum + term + rest;
            break;
        }
        sum += term;
    }
    (first.upper().exp() * sum).min(Up::ONE)
}

fn proved(successes: u64, trials: u64, probability: f64, beta: f64) -> bool {
    tail_at_least(successes, trials, probability).get() <= beta
}

fn check(successes: u64, trials: u64, beta: f64) {
    assert!(
        successes <= trials,
        "{successes} successes in {trials} trials"
    );
    assert!(trials < 1 << 53, "more trials than a double counts");
    assert!(
        beta > 0.0 && beta <= 0.5,
        "beta must be in (0, 1/2], got {beta}"
    );
}

/// `ln C(n, k)`, enclosed.
fn ln_choose(n: u64, k: u64) -> Interval {
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// `ln n!`: exactly enclosed up to 18!, which a double holds; beyond, Stirling's series, which
/// every partial sum of envelops.
fn ln_factorial(n: u64) -> Interval {
    if n <= 18 {
        return Interval::point((2..=n).product::<u64>() as f64).ln();
    }
    let x = Interval::point(n as f64);
    let tau = Interval::new(core::f64::consts::TAU, core::f64::consts::TAU.next_up())
        .expect("2π lies between two neighbouring doubles");
    let half = Interval::point(0.5);
    let over = |c: f64, power: i32| Interval::point(1.0) / (Interval::point(c) * x.powi(power));
    let stirling = x * x.ln() - x + half * (tau * x).ln();
    // ln n! is above the sum with the even number of terms and below that with the odd number.
    let below = stirling + over(12.0, 1) - over(360.0, 3);
    let above = below + over(1260.0, 5);
    below.hull(above)
}
