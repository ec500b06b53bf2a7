use lastbit_exact::Rational;

use super::super::compose::repeated;
use super::super::curve::Curve;
use super::super::pair::Pair;
use super::*;

/// Randomized response at ε = 1/8, 100 times, on a grid that holds its losses, in units of
/// 2^-59, and the profile at ε = 12.25: of the answers, 100 or 99 are true, so
/// `δ = p^100(1 − e^-0.25) + 100·p^99(1−p)·0` with `p = 1/(1 + e^-0.125)`.
fn profile(planted: bool) -> (Interval, Interval) {
    let pair = Pair::pure(&Rational::new(1, 8)).unwrap();
    let grid = LossGrid {
        step: 0.125,
        primes: 2,
        side: Rounding::Up,
    };
    let mut law = LossDistribution::new(&*pair.orders[0], grid, (-0.125, 0.125));
    if planted {
        // A law from above whose products are rounded down.
        law.grid.side = Rounding::Down;
    }
    let all = repeated(&law, 100, 0.0);
    // ln p = −ln(1 + e^-0.125).
    let p = Interval::ONE / (Interval::ONE + Interval::point(-0.125).exp());
    let exact = p.powi(100) * -Interval::point(-0.25).exp_m1();
    (Curve::new(&all).delta(Interval::point(12.25)), exact)
}

#[test]
fn a_bound_from_above_is_above_and_a_planted_rounding_error_is_found() {
    let (sound, exact) = profile(false);
    // About 10^-28: far below the unit, so that every rounding shows.
    assert!(exact.hi() < 1e-25 && sound.hi() >= exact.hi());
    let (wrong, _) = profile(true);
    assert!(wrong.hi() < exact.lo(), "{wrong:?} {exact:?}");
}

#[test]
fn a_coarser_grid_bounds_from_above_and_keeps_the_mass() {
    let pair = Pair::laplace(&Rational::ONE).unwrap();
    let grid = LossGrid {
        step: 1.0 / 64.0,
        primes: 3,
        side: Rounding::Up,
    };
    let law = LossDistribution::new(&*pair.orders[0], grid, (-1.0, 1.0));
    let coarse = law.coarsen();
    let sum = |law: &LossDistribution| {
        law.masses
            .iter()
            .fold(law.infinite, |sum, mass| sum + *mass)
    };
    assert_eq!(sum(&law), sum(&coarse));
    let (fine, coarse) = (Curve::new(&law), Curve::new(&coarse));
    for i in -70..70 {
        let z = Interval::point(f64::from(i) / 64.0);
        assert!(coarse.delta(z).hi() >= fine.delta(z).lo());
        assert!(fine.delta(z).hi() >= pair.orders[0].profile(z).lo());
    }
}
