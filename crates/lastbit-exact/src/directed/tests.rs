//! The tables re-derived, and the counted errors of the kernels measured, by exact arithmetic.

use lastbit_testing::Cases;

use super::tables::{EXP2, LN2, LN2_OVER_128, RECIPROCALS};
use super::{exp, fixed, ln_1p, ops, power};
use crate::{Dyadic, Integer, Natural, Rational, Rounding, exp_enclosure, ln_enclosure};

/// Whether `value = floor(x · 2^scale)` for the x enclosed by `ln_enclosure`.
fn is_floor_of_ln(value: i128, x: &Dyadic, scale: i64) -> bool {
    let ln = ln_enclosure(x, 160);
    let (lo, hi) = (ln.lo().floor_in(-scale), ln.hi().floor_in(-scale));
    lo == Integer::from(value) && lo == hi
}

#[test]
fn logarithm_constants_are_floors() {
    let two = Dyadic::from(2);
    assert!(is_floor_of_ln(LN2, &two, 112));
    assert!(is_floor_of_ln(LN2_OVER_128, &two, 103 - 7));
}

#[test]
fn powers_of_two_are_floors_of_roots() {
    for (j, &entry) in EXP2.iter().enumerate() {
        // entry ≤ 2^(j/128)·2^71 < entry + 1, raised to the power 128.
        let exact = Natural::ONE << (j + 71 * 128);
        assert!(Natural::from(entry).pow(128) <= exact, "{j}");
        assert!(Natural::from(entry + 1).pow(128) > exact, "{j}");
    }
}

#[test]
fn reciprocals_reduce_below_the_stated_bound_and_their_logarithms_are_floors() {
    for (j, &(c, minus_ln)) in RECIPROCALS.iter().enumerate() {
        let inverse = Rational::new(c, 1 << 16).recip().expect("not zero");
        // −ln(c/2^16) = 16·ln 2 − ln c, in enclosures of 160 bits.
        let (ln2, ln_c) = (
            ln_enclosure(&Dyadic::from(2), 160),
            ln_enclosure(&Dyadic::from(i64::from(c)), 160),
        );
        let lo = &ln2.lo().times_power_of_two(4) - ln_c.hi();
        let hi = &ln2.hi().times_power_of_two(4) - ln_c.lo();
        assert_eq!(lo.floor_in(-80), Integer::from(minus_ln), "{j}");
        assert_eq!(hi.floor_in(-80), Integer::from(minus_ln), "{j}");
        // |m·c/2^16 − 1| < 2^-7.9 at both ends of the part; 0.0041862 < 2^-7.9.
        let bound = Rational::new(41862, 10_000_000);
        for end in [j, j + 1] {
            let m = Rational::new(128 + end as i64, 128);
            assert!((&(&m / &inverse) - &Rational::ONE).abs() < bound, "{j}");
        }
    }
}

/// A random f64 of either sign with a uniform exponent in `range`.
fn spread(next: &mut impl FnMut() -> u64, range: core::ops::Range<i64>) -> f64 {
    let word = next();
    let exponent = range.start + (next() % (range.end - range.start) as u64) as i64;
    f64::from_bits(((exponent + 1023) as u64) << 52 | word >> 12 | word << 63)
}

#[test]
fn scaled_exp_errs_by_less_than_its_bound() {
    let mut cases = Cases(1);
    let mut next = || cases.next();
    for _ in 0..20_000 {
        let x = spread(&mut next, -54..10);
        if x.abs() > 746.0 {
            continue;
        }
        let (value, k) = exp::scaled_exp(x);
        let exact = exp_enclosure(&Dyadic::try_from(x).expect("finite"), 120);
        let bound = Dyadic::from(exp::ERROR as i64);
        let value = Dyadic::new(Integer::from(value), 0);
        assert!(
            exact.lo().times_power_of_two(71 - k) > &value - &bound,
            "{x:e}"
        );
        assert!(
            exact.hi().times_power_of_two(71 - k) < &value + &bound,
            "{x:e}"
        );
    }
}

#[test]
fn scaled_ln_errs_by_less_than_its_bound() {
    let mut cases = Cases(2);
    let mut next = || cases.next();
    for _ in 0..20_000 {
        let y = u128::from(next() >> (next() % 64)) + 1;
        let q = (next() % 2000) as i64 - 1060;
        let value = ln_1p::scaled_ln(y, q);
        let exact = ln_enclosure(&Dyadic::new(Integer::from(y), q), 120);
        let bound = Dyadic::from(ln_1p::ERROR as i64);
        let value = Dyadic::new(Integer::from(value), 0);
        assert!(
            exact.lo().times_power_of_two(80) > &value - &bound,
            "{y}·2^{q}"
        );
        assert!(
            exact.hi().times_power_of_two(80) < &value + &bound,
            "{y}·2^{q}"
        );
    }
}

#[test]
fn a_truncated_power_errs_by_less_than_its_bound() {
    let mut cases = Cases(5);
    let mut next = || cases.next();
    for n in (1..200).chain([1000, 1023]) {
        let x = spread(&mut next, -3..3).abs();
        let p = power::truncated_power(x, n);
        let base = Dyadic::try_from(x).expect("finite");
        let exact = (0..n).fold(Dyadic::ONE, |power, _| &power * &base);
        let below = Dyadic::new(Integer::from(p.significand), p.exponent);
        let slack = Dyadic::new(4 * i64::from(n), p.exponent);
        assert!(below <= exact && exact < &below + &slack, "{x:e}^{n}");
        assert_eq!(p.exact, below == exact, "{x:e}^{n}");
    }
}

#[test]
fn fixed_point_rounds_as_dyadics_do() {
    let mut cases = Cases(3);
    let mut next = || cases.next();
    for _ in 0..50_000 {
        let wide = u128::from(next()) << 64 | u128::from(next());
        let magnitude = wide >> (next() % 128);
        let exponent = match next() % 4 {
            0 => (next() % 2400) as i64 - 1300,
            1 => (next() % 300) as i64 - 1224,
            2 => (next() % 200) as i64 + 850,
            _ => (next() % 128) as i64 - 128,
        };
        let exact = Dyadic::new(Integer::from(magnitude), exponent);
        let up = fixed::to_f64::<true>(magnitude, exponent);
        let down = fixed::to_f64::<false>(magnitude, exponent);
        assert_eq!(up.to_bits(), exact.to_f64(Rounding::Up).to_bits());
        assert_eq!(down.to_bits(), exact.to_f64(Rounding::Down).to_bits());
    }
}

#[test]
fn signed_products_and_quotients_round_as_rationals_do() {
    let mut cases = Cases(4);
    let mut next = || cases.next();
    for _ in 0..50_000 {
        // Sums of exponents from far below the subnormals to far above the largest number.
        let (a, b) = (
            spread(&mut next, -1023..1024),
            spread(&mut next, -1023..1024),
        );
        let (x, y) = (
            Rational::try_from(a).expect("finite"),
            Rational::try_from(b).expect("finite"),
        );
        let product = &x * &y;
        assert_eq!(ops::mul::<true>(a, b), product.to_f64(Rounding::Up));
        assert_eq!(ops::mul::<false>(a, b), product.to_f64(Rounding::Down));
        if b != 0.0 {
            let quotient = &x / &y;
            assert_eq!(ops::div::<true>(a, b), quotient.to_f64(Rounding::Up));
            assert_eq!(ops::div::<false>(a, b), quotient.to_f64(Rounding::Down));
        }
    }
}
