use std::sync::LazyLock;

use lastbit_exact::{Down, Interval, Natural, Up};

use super::checks::{bounded, loss};
use super::order::dyadic;
use super::series::{Alternating, factorial, tangent_numbers};
use crate::Error;

/// Bounded range η → zCDP: the smaller of [`bounded_range_to_zcdp_tight`] and
/// [`bounded_range_to_zcdp_classical`].
///
/// ```
/// use lastbit::conversions::{bounded_range_to_zcdp, pure_to_zcdp};
/// use lastbit::Up;
/// let eta = Up::exact(2.0); // an exponential mechanism at ε = 2
/// let rho = bounded_range_to_zcdp(eta)?;
/// assert!(rho.get() < 0.5); // η²/8
/// assert!(rho < pure_to_zcdp(eta)?); // what it would cost if it were merely 2-DP: 1.523…
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn bounded_range_to_zcdp(eta: Up) -> Result<Up, Error> {
    let tight = bounded_range_to_zcdp_tight(eta)?;
    // η²/8 overflows for η > 1e154, where the tight bound does not.
    Ok(bounded_range_to_zcdp_classical(eta).map_or(tight, |classical| classical.min(tight)))
}

/// Bounded range η → zCDP by the classical bound: `ρ ≥ η²/8`, the smallest such f64 (an error where
/// η² overflows).
///
/// **Proof.** The loss Z under P lies in an interval of length η, and `E[e^-Z] = 1` as P and Q have
/// equal supports. Hoeffding's lemma at −1 gives `0 = ln E[e^-Z] ≤ −E[Z] + η²/8`, so `E[Z] ≤ η²/8`;
/// at `t = α − 1 > 0` it gives
/// `(α−1)·D_α = ln E[e^(tZ)] ≤ t·E[Z] + t²η²/8 ≤ t(t+1)·η²/8 = α(α−1)·η²/8`, for every order
/// `α > 1`. ∎
///
/// ```
/// use lastbit::conversions::bounded_range_to_zcdp_classical;
/// use lastbit::Up;
/// assert_eq!(bounded_range_to_zcdp_classical(Up::exact(2.0))?.get(), 0.5);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn bounded_range_to_zcdp_classical(eta: Up) -> Result<Up, Error> {
    loss("eta", eta)?;
    // Dividing by 8 is exact, or among subnormals ceil(ceil(x)/8) = ceil(x/8): one rounding in all.
    bounded(eta * eta / Down::exact(8.0))
}

/// Bounded range η → zCDP by the tight bound: `ρ ≥ x − 1 − ln x` for `x = η/(e^η − 1)`, at most one
/// double above the smallest such f64.
///
/// **Proof.** The density `dP/dQ` lies in `[e^a, e^(a+η)]` for some a. As `x^α` is convex,
/// `E_Q[(dP/dQ)^α]` is largest when it takes only those two values. Their laws form a family with
/// one parameter r, and with `f(s) = ln cosh(ηs/2)` and `t = α − 1`
///
/// `D_α/α = ((f(r+t) − f(r))/t − (f(r) − f(r−1)))/(t+1) = f[r−1, r, r+t]`,
///
/// a divided difference. Let `m(t)` be its largest value over r. Where it is attained the
/// derivative in r vanishes: `A + B + C = 0` for the third differences A, B, C of f on
/// `r−1, r, r+t` with the first, second or third point doubled; and `m′(t) = C`. Each is a mean of
/// `f‴` over a B-spline, and the three B-splines have increasing likelihood ratios: given its
/// position, the Dirichlet weights `W₁, W₂, W₃` of the points satisfy that `E W₂/E W₁` and
/// `E W₃/E W₂` do not fall. As `f‴` is positive left of 0 and negative right of it, `C > 0` would
/// imply `B > 0` and `A > 0`, so `C ≤ 0` and m does not rise. Therefore `D_α/α ≤ m(0+)`, the
/// largest Kullback–Leibler divergence in the family. If the atom of smaller loss has mass q under
/// P, that divergence is `ln(1 + q(e^η − 1)) − qη`, which is largest where `1 + q(e^η − 1) = 1/x`:
/// its value there is `x − 1 − ln x`. No smaller ρ will do, since that law is η-bounded. The bound
/// grows with η. ∎ (Harrison and Manurangsi, 2026.)
///
/// `bounded_range_zcdp_tight` in `proofs/BoundedRange.v` proves the bound in another way, checked
/// by Coq: `D_α` of the worst law and `αρ` are 0 at `η = 0`, and the first grows no faster with η,
/// by the convexity of `(η/2)·coth(η/2)`.
///
/// ```
/// use lastbit::conversions::bounded_range_to_zcdp_tight;
/// use lastbit::Up;
/// let rho = bounded_range_to_zcdp_tight(Up::exact(10.0))?;
/// assert!(rho.get() > 6.6 && rho.get() < 6.7); // η²/8 is 12.5
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn bounded_range_to_zcdp_tight(eta: Up) -> Result<Up, Error> {
    let value = loss("eta", eta)?;
    if value <= 4.0 {
        let eta = dyadic(value);
        let square = &eta * &eta;
        return Ok(SERIES.times(
            &square.times_power_of_two(-3),
            &square.times_power_of_two(-5),
        ));
    }
    // x − 1 − ln x = (η − 1 − ln η) + (x + ln(1 − e^-η)): the first bracket is above 1.6, the
    // second below 0.06.
    let eta = Interval::point(value);
    let x = eta / eta.exp_m1();
    let first = eta - Interval::ONE - eta.ln();
    let rho = first + (x + (-(-eta).exp()).ln_1p());
    bounded(rho.upper())
}

/// `x − 1 − ln x = (η²/8)·A(η²/32)` for `η ≤ 4`. With `u = η/2` the left side is
/// `(u·coth u − 1) + ln(sinh u/u)`, whose series are `Σ ∓4^n·|B_2n|·u^(2n)/(2n)!` and the same with
/// each term divided by 2n; and `4^n·|B_2n| = 2n·T_n/(4^n − 1)`. The terms at `u = 2` fall by at
/// least 2/5 each.
static SERIES: LazyLock<Alternating> = LazyLock::new(|| {
    let tangents = tangent_numbers(64);
    Alternating::new(|n| {
        // The factor 2 is 1/c_0, and 8^n is (u²/(η²/32))^n.
        let m = n + 1;
        let numerator = (&tangents[n] * Natural::from(2 * m + 1)) << (3 * n + 1);
        let denominator = ((Natural::ONE << (2 * m)) - Natural::ONE) * factorial(2 * m);
        (numerator, denominator)
    })
});
