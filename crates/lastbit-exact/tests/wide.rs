//! Interval arithmetic of many bits holds the exact results, and is narrow.

use lastbit_exact::{Dyadic, Enclosure, Format, Outward, Rational, Wide};

type Moment = Wide<384>;

fn holds(wide: &Moment, value: &Rational) -> bool {
    Rational::from(wide.lo()) <= *value && *value <= Rational::from(wide.hi())
}

/// Relative width below 2^-bits.
fn is_narrow(wide: &Moment, bits: i64) -> bool {
    (wide.hi() - wide.lo()) <= wide.hi().abs().times_power_of_two(-bits)
}

#[test]
fn operations_hold_the_exact_result_for_all_signs() {
    let values = ["1/3", "-1/3", "22/7", "-1e-40", "1e200", "-5"];
    for a in values.map(|text| text.parse::<Rational>().unwrap()) {
        for b in values.map(|text| text.parse::<Rational>().unwrap()) {
            let (x, y) = (Moment::of(&a), Moment::of(&b));
            assert!(holds(&(&x + &y), &(&a + &b)));
            assert!(holds(&(&x - &y), &(&a - &b)));
            assert!(holds(&(&x * &y), &(&a * &b)));
            assert!(holds(&x.hull(&y), &a) && holds(&x.hull(&y), &b));
            if b.is_positive() {
                assert!(holds(&(&x / &y), &(&a / &b)) && is_narrow(&(&x / &y).abs(), 380));
            }
            assert!(holds(&x.abs(), &a.abs()));
            // An interval of both signs times another.
            let both = Moment::plus_minus(&x);
            for corner in [&a * &b, &-&a * &b] {
                assert!(holds(&(&both * &y), &corner) && holds(&(&y * &both), &corner));
            }
        }
    }
}

#[test]
fn a_root_is_enclosed_and_narrow() {
    for text in [
        "2",
        "1/3",
        "1e-300",
        "1e301",
        "7e-2000",
        "4",
        "0.999999999999999999999",
    ] {
        let x: Rational = text.parse().unwrap();
        let root = Moment::of(&x).sqrt().unwrap();
        let (lo, hi) = (Rational::from(root.lo()), Rational::from(root.hi()));
        assert!(&lo * &lo <= x && x <= &hi * &hi, "{text}");
        assert!(is_narrow(&root, 380), "{text}");
    }
    assert_eq!(Moment::ZERO.sqrt(), Some(Moment::ZERO));
    assert_eq!((-&Moment::ONE).sqrt(), None);
    let around_zero = Moment::plus_minus(&Moment::ONE).sqrt().unwrap();
    assert!(around_zero.lo().is_zero() && *around_zero.hi() >= Dyadic::ONE);
}

#[test]
fn logarithm_and_exponential_undo_each_other() {
    for text in ["1/3", "1e-30", "1e-200", "5000", "2", "1e-116"] {
        let x: Rational = text.parse().unwrap();
        let power = Moment::exp_neg(&x);
        let back = -&power.ln().unwrap();
        assert!(holds(&back, &x), "{text}");
        // ln(1/(1 − y)) at y = 1 − e^-x, taken at both ends.
        let rise = Moment::one_minus_exp_neg(&x);
        assert!(is_narrow(&rise, 380), "{text}");
        if x < Rational::ONE {
            let below = Moment::ln_recip(&(&Rational::ONE - &Rational::from(rise.lo())));
            let above = Moment::ln_recip(&(&Rational::ONE - &Rational::from(rise.hi())));
            assert!(
                Rational::from(below.lo()) <= x && x <= Rational::from(above.hi()),
                "{text}"
            );
            assert!(is_narrow(&above, 380), "{text}");
        }
    }
}

#[test]
fn an_exponential_out_of_reach_is_nearly_zero() {
    let far = Moment::exp_neg(&Rational::from(1i64 << 50));
    assert!(far.lo().is_zero() && *far.hi() == Dyadic::power_of_two(-8192));
    let rise = Moment::one_minus_exp_neg(&Rational::from(1i64 << 50));
    assert!(*rise.hi() == Dyadic::ONE && is_narrow(&rise, 380));
    assert_eq!(Moment::exp_neg(&Rational::ZERO), Moment::ONE);
    assert_eq!(Moment::one_minus_exp_neg(&Rational::ZERO), Moment::ZERO);
    assert_eq!(Moment::ln_recip(&Rational::ONE), Moment::ZERO);
}

#[test]
fn numbers_of_any_sign_and_size_are_enclosed_at_any_precision() {
    let values = ["1/3", "-22/7", "-1e-400", "1e4000", "-7"];
    let values = values.map(|text| text.parse::<Rational>().unwrap());
    for bits in [2, 53, 900, 3000] {
        let by = Outward::new(bits);
        let holds = |x: &Enclosure, value: &Rational| {
            Rational::from(x.lo()) <= *value && *value <= Rational::from(x.hi())
        };
        for (a, x) in values.iter().map(|a| (a, by.rational(a))) {
            for (b, y) in values.iter().map(|b| (b, by.rational(b))) {
                assert!(holds(&by.add(&x, &y), &(a + b)), "{bits}");
                assert!(holds(&by.sub(&x, &y), &(a - b)), "{bits}");
                assert!(holds(&by.mul(&x, &y), &(a * b)), "{bits}");
                assert!(holds(&by.div(&x, &y).unwrap(), &(a / b)), "{bits}");
            }
            let around_zero = x.hull(&-&x);
            assert_eq!(by.div(&x, &around_zero), None);
        }
    }
}

#[test]
fn sums_of_numbers_far_apart_take_no_memory() {
    let by = Outward::new(100);
    let [large, small] = [1 << 60, -(1 << 60)].map(Dyadic::power_of_two);
    let sum = by.add(
        &Enclosure::exact(large.clone()),
        &Enclosure::exact(small.clone()),
    );
    assert!(*sum.lo() == large && *sum.hi() > large);
    assert!(Format::new(100).unwrap().contains(sum.hi()));
}

#[test]
fn exponentials_of_both_signs_multiply_to_one() {
    for bits in [60, 500] {
        let by = Outward::new(bits);
        for text in ["1/3", "700.1", "1e-300", "12345.6"] {
            let x: Rational = text.parse().unwrap();
            let (up, down) = (by.exp(&x), by.exp(&-&x));
            let one = by.mul(&up, &down);
            assert!(one.contains(&Dyadic::ONE), "{text}");
            let narrow = Dyadic::power_of_two(6 - i64::from(bits));
            // Beyond 6000 the exponential of −x is only known to be tiny.
            assert!(text == "12345.6" || one.width() <= narrow, "{text}");
            assert!(up.width() <= &up.hi().abs() * &narrow, "{text}");
        }
    }
}
