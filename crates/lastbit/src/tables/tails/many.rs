//! The tail of a sum of many Laplace noises.

use lastbit_exact::{Interval, Rational, Up};

use crate::{Beta, solve};

/// Sizes of Laplace noises in increasing order, and how many there are of each.
pub(super) type Sizes = Vec<(u32, u32)>;

/// Sizes are taken as parts of the largest; λ is below one over it.
const LAMBDAS: i64 = 32;

/// Terms of a Fourier series come in eights.
const MOST_EIGHTS: u32 = 64;

/// Laplace noises with scales that are parts of the largest, which is 1.
pub(super) struct Many {
    /// Scales, and how many noises have each.
    scales: Vec<(Rational, u32)>,
    /// The moments `E e^(λS)`: λ, and `ln(2·E e^(λS))`.
    moments: Vec<(Rational, Interval)>,
}

impl Many {
    /// Noises of these sizes.
    pub fn new(sizes: &[(u32, u32)]) -> Many {
        let most = i64::from(sizes.last().map_or(1, |&(size, _)| size));
        let scale = |&(size, count): &(u32, u32)| (Rational::new(i64::from(size), most), count);
        let scales: Vec<(Rational, u32)> = sizes.iter().map(scale).collect();
        let moment = |step: i64| {
            let lambda = Rational::new(step, LAMBDAS);
            let logarithms = scales.iter().map(|(scale, count)| {
                let place = &lambda * scale;
                let left = &Rational::ONE - &(&place * &place);
                Interval::from_rational(&left).ln() * Interval::point(f64::from(*count))
            });
            let start = Interval::point(2.0).ln();
            let sum = logarithms.fold(start, |sum, logarithm| sum - logarithm);
            (lambda, sum)
        };
        Many {
            moments: (1..LAMBDAS).map(moment).collect(),
            scales,
        }
    }

    /// A `t` with `P(|S| > t) ≤ beta` for the sum S, by its moments: for any λ below 1,
    /// `P(|S| > t) ≤ 2e^(−λt)·E e^(λS) = 2e^(−λt)·Π 1/(1 − λ²aᵢ²)` (Markov's inequality).
    pub fn by_moments(&self, beta: &Beta) -> Up {
        let ln = Interval::from_rational(beta.get()).ln();
        let at = |(lambda, moment): &(Rational, Interval)| {
            ((*moment - ln) / Interval::from_rational(lambda)).upper()
        };
        self.moments.iter().map(at).fold(Up::INFINITY, Up::min)
    }

    /// A bound of `P(|S| ≥ t)` by the same inequality.
    fn beyond(&self, t: Interval) -> Up {
        let at = |(lambda, moment): &(Rational, Interval)| {
            (*moment - Interval::from_rational(lambda) * t)
                .exp()
                .upper()
        };
        self.moments.iter().map(at).fold(Up::INFINITY, Up::min)
    }

    /// A `t` with `P(|S| > t) ≤ beta` by the characteristic function of the sum, if that shows
    /// less than its moments; within about 1 % of the smallest for the β of errors.
    pub fn by_series(&self, beta: &Beta) -> Up {
        let most = self.by_moments(beta);
        let goal = Interval::from_rational(beta.get()).lo();
        let enough = |t: f64| Ok(self.tail(t, goal).get() <= goal);
        let found = solve::near_smallest_where(most.get() / 16.0..=most.get(), 14, enough);
        Up::exact(found.unwrap_or(most.get())).min(most)
    }

    /// A bound of `P(|S| > t)`, t > 0, about as exact as `goal` needs.
    ///
    /// **Proof.** Let q be the square wave of period 16t that is 1 on (0, 8t) and −1 on (−8t, 0).
    /// It is `(4/π)·Σ_{k≥0} sin(u_k·y)/(2k + 1)` with `u_k = (2k + 1)π/(8t)`, and the partial sums
    /// are bounded, so the mean of `q(t − S)` may be taken term by term. S is symmetric, so
    /// `E sin(u(t − S)) = sin(ut)·φ(u)` with its characteristic function `φ(u) = Π 1/(1 + aᵢ²u²)`.
    /// Hence `E q(t − S) = (4/π)·Σ s_k·c_k`, where `c_k = φ(u_k)/(2k + 1)` falls, and
    /// `s_k = sin((2k + 1)π/8)` is a, b, b, a, −a, −b, −b, −a, and so on, with `a = sin π/8` and
    /// `b = sin 3π/8`. From a k that is a multiple of eight, the sums of s are never negative, so
    /// the rest of the series is not negative either (Abel): what is left out makes the mean
    /// smaller.
    ///
    /// Where `q(t − S) = 1` although `S > t`, it is `S ≥ 9t`. So `1 − 2·P(S > t)`, the mean of the
    /// sign of `t − S`, is at least `E q(t − S) − 2·P(S ≥ 9t)`, and
    /// `P(|S| > t) ≤ 1 − E q(t − S) + P(|S| ≥ 9t)`.
    ///
    /// The last term is bounded by moments, and by `P(|S| > t)⁹`: Laplace densities are
    /// log-concave, so are that of S (Prékopa 1973) and, in t, `P(|S| > t)`, which is 1 at 0. ∎
    fn tail(&self, t: f64, goal: f64) -> Up {
        let pi = Interval::point(core::f64::consts::PI)
            .hull(Interval::point(core::f64::consts::PI.next_up()));
        let unit = pi / (Interval::point(8.0) * Interval::point(t));
        let one = Interval::point(1.0);
        let squares: Vec<(Interval, i32)> = self
            .scales
            .iter()
            .map(|(scale, count)| {
                let place = Interval::from_rational(scale) * unit;
                (place * place, i32::try_from(*count).unwrap_or(i32::MAX))
            })
            .collect();
        let term = |k: u32| {
            let odd = Interval::point(f64::from(2 * k + 1));
            let product = squares.iter().fold(odd, |product, &(square, count)| {
                product * (one + odd * odd * square).powi(count)
            });
            one / product
        };
        let [two, four] = [2.0, 4.0].map(Interval::point);
        // Twice the sines of π/8 and of 3π/8.
        let (a, b) = ((two - two.sqrt()).sqrt(), (two + two.sqrt()).sqrt());
        let mut sum = Interval::point(0.0);
        for eight in 0..MOST_EIGHTS {
            let c = [0, 1, 2, 3, 4, 5, 6, 7].map(|place| term(8 * eight + place));
            sum = sum + a * (c[0] + c[3] - c[4] - c[7]) + b * (c[1] + c[2] - c[5] - c[6]);
            if c[7].hi() < goal / 4096.0 {
                break;
            }
        }
        let mean = four / pi * sum / two;
        let within = (one - mean).upper().max(Up::ZERO);
        let beyond = self.beyond(Interval::point(9.0) * Interval::point(t));
        // Each is a bound if the one before is.
        (0..3).fold(within + beyond, |bound, _| {
            let cube = bound * bound * bound;
            within + beyond.min(cube * cube * cube)
        })
    }
}
