//! `Dyadic`: ring laws against `Rational`, order, grids, and conversion to and from f64 against the
//! hardware.

use lastbit_exact::{Dyadic, Integer, Rational, Rounding};
use proptest::prelude::*;

fn dyadic() -> impl Strategy<Value = Dyadic> {
    (
        prop::collection::vec(any::<u64>(), 0..4),
        any::<bool>(),
        -300i64..300,
        0u32..64,
    )
        .prop_map(|(words, negative, exponent, cut)| {
            let magnitude = words.into_iter().fold(Integer::ZERO, |acc, word| {
                (acc << 64) + Integer::from(word >> cut)
            });
            Dyadic::new(if negative { -magnitude } else { magnitude }, exponent)
        })
}

/// Finite f64 of all sizes, subnormals as often as not.
fn finite() -> impl Strategy<Value = f64> {
    any::<(u64, bool)>().prop_map(|(bits, subnormal)| {
        let bits = if subnormal {
            bits & !(0x7ff << 52)
        } else {
            bits
        };
        let value = f64::from_bits(bits);
        if value.is_finite() { value } else { 1.0 / 3.0 }
    })
}

fn exact(value: f64) -> Dyadic {
    Dyadic::try_from(value).unwrap()
}

fn rational(value: &Dyadic) -> Rational {
    Rational::from(value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_ring_is_that_of_the_rationals(x in dyadic(), y in dyadic(), z in dyadic()) {
        let (a, b) = (rational(&x), rational(&y));
        prop_assert_eq!(rational(&(&x + &y)), &a + &b);
        prop_assert_eq!(rational(&(&x - &y)), &a - &b);
        prop_assert_eq!(rational(&(&x * &y)), &a * &b);
        prop_assert_eq!(rational(&-&x), -&a);
        prop_assert_eq!(rational(&x.abs()), a.abs());
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(&(&x + &y) + &z, &x + &(&y + &z));
        prop_assert_eq!(&x * &(&y + &z), &(&x * &y) + &(&x * &z));
        prop_assert_eq!(&x - &x, Dyadic::ZERO);
        prop_assert_eq!(a.to_dyadic(), Some(x));
    }

    #[test]
    fn representation_is_canonical(x in dyadic(), zeros in 0usize..200) {
        let shifted = Dyadic::new(x.mantissa() << zeros, x.exponent() - zeros as i64);
        prop_assert_eq!(&shifted, &x);
        prop_assert_eq!((shifted.mantissa(), shifted.exponent()), (x.mantissa(), x.exponent()));
    }

    /// `floor_in ≤ x/2^e < floor_in + 1`, and its kin.
    #[test]
    fn grid_counts_obey_their_inequalities(x in dyadic(), exponent in -350i64..350) {
        let steps = rational(&x).times_power_of_two(-exponent);
        let (floor, ceil, round) =
            (x.floor_in(exponent), x.ceil_in(exponent), x.round_in(exponent));
        prop_assert_eq!(&floor, &steps.floor());
        prop_assert_eq!(&ceil, &steps.ceil());
        prop_assert_eq!(&round, &steps.round_ties_up());
        let half = Rational::new(1, 2);
        let off = &Rational::from(round) - &steps;
        prop_assert!(-&half < off && off <= half);
    }

    /// `2^floor_log2 ≤ |x| < 2^(floor_log2 + 1)`.
    #[test]
    fn floor_log2_brackets(x in dyadic()) {
        match x.floor_log2() {
            None => prop_assert!(x.is_zero()),
            Some(e) => {
                prop_assert!(Dyadic::power_of_two(e) <= x.abs());
                prop_assert!(x.abs() < Dyadic::power_of_two(e + 1));
            }
        }
    }

    /// The contract of `Dyadic::round`, direction by direction.
    #[test]
    fn rounding_obeys_its_inequalities(x in dyadic(), precision in 1usize..120) {
        let [nearest, up, down, zero] = Rounding::ALL.map(|r| x.round(precision, r));
        prop_assert!(down <= x && x <= up);
        prop_assert_eq!(&zero, if x.is_negative() { &up } else { &down });
        prop_assert!(nearest == up || nearest == down);
        prop_assert!((&nearest - &x).abs() <= (&up - &down).times_power_of_two(-1));
        for result in [&nearest, &up, &down] {
            let bits = result.floor_log2().map_or(0, |top| top - result.exponent() + 1);
            prop_assert!(bits <= precision as i64);
        }
        if let Some(top) = x.floor_log2() {
            prop_assert!(&up - &down <= Dyadic::power_of_two(top + 1 - precision as i64));
        }
        let gap = &up - &down;
        if !gap.is_zero() && &up - &x == &x - &down {
            // A tie: an even multiple of the gap.
            prop_assert!(nearest.exponent() > gap.exponent());
        }
    }

    #[test]
    fn f64_goes_in_and_out_unchanged(x in finite()) {
        for rounding in Rounding::ALL {
            let back = exact(x).to_f64(rounding);
            prop_assert_eq!(back, x);
            prop_assert!(x != 0.0 || back.is_sign_positive());
        }
    }

    /// The hardware adds and multiplies to nearest even; so does an exact result converted.
    #[test]
    fn nearest_is_that_of_the_hardware(x in finite(), y in finite(), shift in -1100i64..1100) {
        let near = f64::from_bits((x.to_bits() & !0u64 >> 12) | (y.to_bits() & !(!0u64 >> 12)));
        prop_assert_eq!((&exact(x) + &exact(y)).to_f64(Rounding::NearestEven), x + y);
        prop_assert_eq!((&exact(x) * &exact(y)).to_f64(Rounding::NearestEven), x * y);
        prop_assert_eq!((&exact(near) + &exact(y)).to_f64(Rounding::NearestEven), near + y);
        // A product by a power of two rounds once, also into the subnormals and over the top.
        let power = Dyadic::power_of_two(shift).to_f64(Rounding::NearestEven);
        if power.is_normal() {
            prop_assert_eq!(
                exact(x).times_power_of_two(shift).to_f64(Rounding::NearestEven),
                x * power
            );
        }
    }

    /// `Down ≤ x ≤ Up`, and no f64 lies strictly between.
    #[test]
    fn directed_conversions_bracket(x in dyadic(), shift in -1500i64..1500) {
        let x = x.times_power_of_two(shift);
        let [nearest, up, down, zero] = Rounding::ALL.map(|r| x.to_f64(r));
        prop_assert!(down == f64::NEG_INFINITY || exact(down) <= x);
        prop_assert!(up == f64::INFINITY || exact(up) >= x);
        prop_assert!(up == down || down.next_up() == up);
        if up == down {
            prop_assert_eq!(exact(up), x.clone());
        }
        prop_assert_eq!(zero, if x.is_negative() { up } else { down });
        prop_assert!(nearest == up || nearest == down);
        if up != down && up.is_finite() && down.is_finite() {
            let (above, below) = (&exact(up) - &x, &x - &exact(down));
            if above < below {
                prop_assert_eq!(nearest, up);
            } else if below < above {
                prop_assert_eq!(nearest, down);
            } else {
                prop_assert_eq!(nearest.to_bits() % 2, 0);
            }
        }
        for result in [nearest, up, down, zero] {
            prop_assert!(result != 0.0 || result.is_sign_positive());
        }
    }
}

#[test]
fn ties_on_a_grid_go_up_for_both_signs() {
    // Erratum 1: −0.5 → 0 and −2.5 → −2, in steps of any power of two.
    for (halves, steps) in [(-1, 0), (-5, -2), (-3, -1), (1, 1), (3, 2), (5, 3)] {
        for exponent in [-1100, -3, 0, 40] {
            let x = Dyadic::new(halves, exponent - 1);
            assert_eq!(x.round_in(exponent), Integer::from(steps));
        }
        // A hair below the tie goes down.
        let below = &Dyadic::new(halves, -1) - &Dyadic::power_of_two(-200);
        assert_eq!(below.round_in(0), Integer::from(steps - 1));
    }
}

#[test]
fn overflow_and_underflow_follow_ieee() {
    let [nearest, up, down, zero] = Rounding::ALL;
    let huge = Dyadic::power_of_two(1024);
    assert_eq!(huge.to_f64(nearest), f64::INFINITY);
    assert_eq!(huge.to_f64(up), f64::INFINITY);
    assert_eq!(huge.to_f64(down), f64::MAX);
    assert_eq!(huge.to_f64(zero), f64::MAX);
    assert_eq!((-&huge).to_f64(up), -f64::MAX);
    assert_eq!((-&huge).to_f64(down), f64::NEG_INFINITY);
    // Nearest turns to infinity at the midpoint MAX + 2^970.
    let midpoint = &exact(f64::MAX) + &Dyadic::power_of_two(970);
    let hair = Dyadic::power_of_two(-2000);
    assert_eq!(midpoint.to_f64(nearest), f64::INFINITY);
    assert_eq!((&midpoint - &hair).to_f64(nearest), f64::MAX);
    assert_eq!((&midpoint - &hair).to_f64(up), f64::INFINITY);
    // And to zero at half the smallest number.
    let half = Dyadic::power_of_two(-1075);
    assert_eq!(half.to_f64(nearest), 0.0);
    assert_eq!((&half + &hair).to_f64(nearest), 5e-324);
    assert_eq!((-&half).to_f64(down), -5e-324);
    assert!((-&half).to_f64(up).is_sign_positive());
    // The largest subnormal and the smallest normal number are neighbours.
    let between = &exact(f64::MIN_POSITIVE) - &half;
    assert_eq!(between.to_f64(down), f64::MIN_POSITIVE.next_down());
    assert_eq!(between.to_f64(up), f64::MIN_POSITIVE);
    assert_eq!(between.to_f64(nearest), f64::MIN_POSITIVE);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(Dyadic::try_from(value).is_err());
    }
}

#[test]
fn far_exponents_compare_and_convert_without_their_bits() {
    let far = 1_000_000_000_000_000;
    let (large, small) = (Dyadic::new(3, far), Dyadic::new(7, -far));
    assert!(large > small && -&large < small && -&small > -&large);
    assert!(large < Dyadic::new(1, far + 2) && large > Dyadic::new(1, far + 1));
    assert!(Dyadic::ZERO < small && Dyadic::ZERO > -&small);
    assert_eq!((&large * &small).exponent(), 0);
    assert_eq!(large.to_f64(Rounding::Down), f64::MAX);
    assert_eq!(small.to_f64(Rounding::Up), 5e-324);
    assert_eq!(small.floor_in(0), Integer::ZERO);
    assert_eq!((-&small).floor_in(0), Integer::from(-1));
    assert_eq!(small.ceil_in(0), Integer::ONE);
    assert_eq!(small.round_in(0), Integer::ZERO);
    assert_eq!((-&small).round_in(0), Integer::ZERO);
    assert_eq!(Dyadic::ZERO.floor_in(-far), Integer::ZERO);
    assert_eq!(small.round(2, Rounding::Up), Dyadic::new(1, 3 - far));
}

#[test]
#[should_panic(expected = "beyond ±2^61")]
fn an_exponent_out_of_range_is_refused() {
    let large = Dyadic::power_of_two(1 << 61);
    let _ = &large * &large;
}
