//! `ln_enclosure` and `exp_enclosure`: width as promised, nested at all precisions, inverse to each
//! other.

use lastbit_exact::{Dyadic, Integer, Rounding, exp_enclosure, ln_enclosure};
use proptest::prelude::*;

fn meet(a: &lastbit_exact::Enclosure, b: &lastbit_exact::Enclosure) -> bool {
    a.lo() <= b.hi() && b.lo() <= a.hi()
}

/// Numbers of 1 to 300 bits, near 1 and far from it.
fn positive() -> impl Strategy<Value = Dyadic> {
    let mantissa = prop::collection::vec(any::<u64>(), 1..5);
    let wide = (mantissa.clone(), -400i64..400).prop_map(|(words, exponent)| {
        let mantissa = words
            .into_iter()
            .fold(Integer::ONE, |acc, word| (acc << 64) + Integer::from(word));
        Dyadic::new(mantissa, exponent)
    });
    let near_one = (mantissa, 1i64..300, any::<bool>()).prop_map(|(words, gap, below)| {
        let length = 64 * words.len() as i64;
        let fraction = words
            .into_iter()
            .fold(Integer::ZERO, |acc, word| (acc << 64) + Integer::from(word));
        let difference = Dyadic::new(fraction, -length - gap);
        if below {
            &Dyadic::ONE - &difference
        } else {
            &Dyadic::ONE + &difference
        }
    });
    prop_oneof![wide, near_one]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// `lo ≤ ln x ≤ hi`: the enclosure at 700 bits meets that at fewer, and each is as narrow as
    /// promised.
    #[test]
    fn ln_is_narrow_and_consistent(x in positive(), bits in 0u32..600) {
        let coarse = ln_enclosure(&x, bits);
        let fine = ln_enclosure(&x, 700);
        prop_assert!(coarse.width() <= Dyadic::power_of_two(-i64::from(bits)));
        prop_assert!(fine.width() <= Dyadic::power_of_two(-700));
        prop_assert!(meet(&coarse, &fine));
    }

    /// `hi − lo ≤ 2^-bits lo`, and precisions agree.
    #[test]
    fn exp_is_narrow_and_consistent(
        x in positive(),
        negative: bool,
        scale in -60i64..39,
        bits in 0u32..600,
    ) {
        let x = x.times_power_of_two(scale - x.floor_log2().unwrap());
        let x = if negative { -&x } else { x };
        let coarse = exp_enclosure(&x, bits);
        let fine = exp_enclosure(&x, 700);
        prop_assert!(coarse.width() <= coarse.lo().times_power_of_two(-i64::from(bits)));
        prop_assert!(fine.width() <= fine.lo().times_power_of_two(-700));
        prop_assert!(meet(&coarse, &fine));
    }

    /// `ln(exp x)` and `exp(ln x)` enclose `x`: two unrelated series agree.
    #[test]
    fn exp_and_ln_are_inverse(x in positive(), bits in 1u32..500) {
        let logarithm = ln_enclosure(&x, bits);
        prop_assert!(exp_enclosure(logarithm.lo(), bits).lo() <= &x);
        prop_assert!(exp_enclosure(logarithm.hi(), bits).hi() >= &x);
        // And not merely because they are wide: e^hi − e^lo is at most a few 2^-bits of x.
        let spread =
            exp_enclosure(logarithm.hi(), bits).hi() - exp_enclosure(logarithm.lo(), bits).lo();
        prop_assert!(spread <= x.times_power_of_two(4 - i64::from(bits)));
    }

    /// `ln(xy) = ln x + ln y`.
    #[test]
    fn ln_turns_products_into_sums(x in positive(), y in positive(), bits in 1u32..400) {
        let (a, b, c) =
            (ln_enclosure(&x, bits), ln_enclosure(&y, bits), ln_enclosure(&(&x * &y), bits));
        prop_assert!(&(a.lo() + b.lo()) <= c.hi());
        prop_assert!(&(a.hi() + b.hi()) >= c.lo());
    }
}

#[test]
fn values_known_in_f64() {
    for (x, ln) in [
        (2.0, core::f64::consts::LN_2),
        (10.0, core::f64::consts::LN_10),
        (0.5, -core::f64::consts::LN_2),
    ] {
        let enclosure = ln_enclosure(&Dyadic::try_from(x).unwrap(), 80);
        assert_eq!(enclosure.lo().to_f64(Rounding::NearestEven), ln);
        assert_eq!(enclosure.hi().to_f64(Rounding::NearestEven), ln);
    }
    let e = exp_enclosure(&Dyadic::ONE, 80);
    assert_eq!(e.lo().to_f64(Rounding::NearestEven), core::f64::consts::E);
}

#[test]
fn exact_and_extreme_arguments() {
    assert_eq!(ln_enclosure(&Dyadic::ONE, 10).width(), Dyadic::ZERO);
    assert_eq!(*exp_enclosure(&Dyadic::ZERO, 10).lo(), Dyadic::ONE);
    let huge = ln_enclosure(&Dyadic::power_of_two(1_000_000_000_000), 100);
    let ln_2 = ln_enclosure(&Dyadic::from(2), 200);
    assert!(huge.width() <= Dyadic::power_of_two(-100));
    assert!(huge.lo() <= &(ln_2.hi() * &Dyadic::from(1_000_000_000_000)));
    assert!(huge.hi() >= &(ln_2.lo() * &Dyadic::from(1_000_000_000_000)));
    let tiny = exp_enclosure(&Dyadic::power_of_two(-1_000_000_000_000), 100);
    assert!(tiny.contains(&Dyadic::ONE));
    let vanishing = exp_enclosure(&-&Dyadic::power_of_two(70), 100);
    assert_eq!(*vanishing.lo(), Dyadic::ZERO);
    assert_eq!(*vanishing.hi(), Dyadic::power_of_two(-(1 << 40)));
    let large = exp_enclosure(&Dyadic::from((1 << 40) - 1), 64);
    assert!(large.width() <= large.lo().times_power_of_two(-64));
}

#[test]
#[should_panic(expected = "ln needs a positive number")]
fn ln_of_zero_is_refused() {
    ln_enclosure(&Dyadic::ZERO, 10);
}

#[test]
fn thousands_of_bits_agree_with_fewer() {
    let x = Dyadic::new(12345, -12);
    let fine = ln_enclosure(&x, 20_000);
    assert!(fine.width() <= Dyadic::power_of_two(-20_000));
    assert!(meet(&fine, &ln_enclosure(&x, 3000)));
    let fine = exp_enclosure(&x, 20_000);
    assert!(fine.width() <= fine.lo().times_power_of_two(-20_000));
    assert!(meet(&fine, &exp_enclosure(&x, 3000)));
}
