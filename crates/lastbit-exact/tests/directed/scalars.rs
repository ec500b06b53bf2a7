//! `Up` and `Down`: every contract as an inequality against exact rationals, and its tightness.

use lastbit_exact::{BoundError, Down, Interval, Rational, Up};
use proptest::prelude::*;

use super::cases::{exact, finite, is_largest_below, is_smallest_above, positive};

/// The product of `n` copies of x.
fn rational_power(x: &Rational, n: u32) -> Rational {
    (0..n).fold(Rational::ONE, |power, _| &power * x)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn a_sum_is_the_tightest_bound((x, y) in super::cases::pair()) {
        let sum = &exact(x) + &exact(y);
        prop_assert!(is_smallest_above((Up::exact(x) + Up::exact(y)).get(), &sum));
        prop_assert!(is_largest_below((Down::exact(x) + Down::exact(y)).get(), &sum));
    }

    #[test]
    fn a_difference_is_the_tightest_bound((x, y) in super::cases::pair()) {
        let difference = &exact(x) - &exact(y);
        prop_assert!(is_smallest_above((Up::exact(x) - Down::exact(y)).get(), &difference));
        prop_assert!(is_largest_below((Down::exact(x) - Up::exact(y)).get(), &difference));
    }

    #[test]
    fn a_product_of_non_negatives_is_the_tightest_bound((x, y) in super::cases::pair()) {
        let (x, y) = (x.abs(), y.abs());
        let product = &exact(x) * &exact(y);
        prop_assert!(is_smallest_above((Up::exact(x) * Up::exact(y)).get(), &product));
        prop_assert!(is_largest_below((Down::exact(x) * Down::exact(y)).get(), &product));
    }

    #[test]
    fn a_quotient_of_positives_is_the_tightest_bound((x, y) in super::cases::pair()) {
        let (x, y) = (x.abs(), y.abs());
        // The least positive number in place of zero.
        let y = y.max(f64::from_bits(1));
        let quotient = &exact(x) / &exact(y);
        prop_assert!(is_smallest_above((Up::exact(x) / Down::exact(y)).get(), &quotient));
        prop_assert!(is_largest_below((Down::exact(x) / Up::exact(y)).get(), &quotient));
    }

    #[test]
    fn a_root_is_the_tightest_bound(x in positive()) {
        let (lo, hi) = (Down::exact(x).sqrt().get(), Up::exact(x).sqrt().get());
        let square = |r: f64| &exact(r) * &exact(r);
        prop_assert!(square(hi) >= exact(x) && square(hi.next_down()) < exact(x));
        prop_assert!(square(lo) <= exact(x) && square(lo.next_up()) > exact(x));
    }

    #[test]
    fn bounds_hold_for_every_real_that_they_bound(
        (x, y) in super::cases::pair(),
        (a, b) in super::cases::pair(),
    ) {
        // x ≤ a and y ≤ b, over all signs; the conditions are those of the contracts.
        let (x, a) = (x.min(a), x.max(a));
        let (y, b) = (y.min(b), y.max(b));
        let (u, v) = (exact(x), exact(y));
        let holds = |bound: Up, value: &Rational| {
            Rational::try_from(bound.get()).map_or(true, |bound| *value <= bound)
        };
        let (up_a, up_b) = (Up::exact(a), Up::exact(b));
        prop_assert!(holds(up_a + up_b, &(&u + &v)));
        prop_assert!(holds(up_a - Down::exact(y), &(&u - &exact(b))));
        if x >= 0.0 && y >= 0.0 {
            prop_assert!(holds(up_a * up_b, &(&u * &v)));
        }
        if b > 0.0 {
            // b ≥ y, as a denominator bounded below by y.
            prop_assert!(holds(up_a / Down::exact(y), &(&u / &exact(b))));
        }
        // Mirrored: −x ≥ −a, and so on for every Down.
        let below = |bound: Down, value: &Rational| {
            Rational::try_from(bound.get()).map_or(true, |bound| *value >= bound)
        };
        let (down_x, down_y) = (Down::exact(x), Down::exact(y));
        prop_assert!(below(down_x + down_y, &(&exact(a) + &exact(b))));
        prop_assert!(below(down_x - up_b, &(&exact(a) - &v)));
        prop_assert!(below(down_x * down_y, &(&exact(a) * &exact(b))));
        if y > 0.0 {
            prop_assert!(below(down_x / up_b, &(&exact(a) / &v)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_power_is_at_most_one_f64_from_the_tightest_bound(x in finite(), n in 0u32..24) {
        let power = rational_power(&exact(x), n);
        // For even n an upper bound speaks of non-negative numbers only.
        let (lo, hi) = if x >= 0.0 || n % 2 == 1 {
            (Down::exact(x).powi(n).get(), Up::exact(x).powi(n).get())
        } else {
            let even = Interval::point(x).powi(n as i32);
            (even.lo(), even.hi())
        };
        prop_assert!(is_smallest_above(hi, &power) || is_smallest_above(hi.next_down(), &power));
        prop_assert!(is_largest_below(lo, &power) || is_largest_below(lo.next_up(), &power));
        prop_assert!(hi == lo || hi == lo.next_up() || hi == lo.next_up().next_up());
    }

    #[test]
    fn a_bound_at_most_a_limit_bounds_nothing_above_it(
        (x, y) in super::cases::pair(),
        part in 0i64..4,
    ) {
        // Limits at, beside and between doubles: y and its neighbours, moved by a part of a step.
        let neighbours = [y, y.next_up(), y.next_down(), x];
        for near in neighbours.into_iter().filter(|near| near.is_finite()) {
            let step = exact(f64::from_bits(1)).times_power_of_two(-2);
            let limit = &exact(near) + &(&step * &Rational::from(part - 1));
            prop_assert_eq!(Up::exact(x).is_at_most(&limit), exact(x) <= limit);
            prop_assert_eq!(Down::exact(x).is_at_least(&limit), exact(x) >= limit);
            // A limit that is rounded up passes only where it is a double.
            let rounded = Up::from_rational(&limit);
            let is_double = rounded.to_rational() == Some(limit.clone());
            prop_assert_eq!(rounded.is_at_most(&limit), is_double);
            prop_assert!(!Up::INFINITY.is_at_most(&limit));
            prop_assert!(!Down::NEG_INFINITY.is_at_least(&limit));
        }
        prop_assert_eq!(Up::exact(x).to_rational(), Some(exact(x)));
        prop_assert_eq!(Down::exact(x).to_rational(), Some(exact(x)));
        prop_assert_eq!(Up::INFINITY.to_rational(), None);
    }

    #[test]
    fn order_and_extremes_are_those_of_the_bounds((x, y) in super::cases::pair()) {
        let (a, b) = (Up::exact(x), Up::exact(y));
        prop_assert_eq!(a < b, x < y);
        prop_assert_eq!(a == b, x == y);
        prop_assert_eq!(a.min(b).get(), x.min(y));
        prop_assert_eq!(a.max(b).get(), x.max(y));
        let (a, b) = (Down::exact(x), Down::exact(y));
        prop_assert_eq!(a < b, x < y);
        prop_assert_eq!(a.min(b).get(), x.min(y));
        prop_assert_eq!(a.max(b).get(), x.max(y));
        prop_assert_eq!((-Up::exact(x)).get(), -x);
        prop_assert_eq!((-Down::exact(x)).get(), -x);
    }

    #[test]
    fn decimals_of_a_bound_are_a_bound(x in -1e6f64..1e6, places in 0usize..12) {
        let read = |text: String| text.parse::<Rational>().expect("a decimal");
        let step = rational_power(&Rational::new(1, 10), places as u32);
        let up = read(format!("{:.places$}", Up::exact(x)));
        let down = read(format!("{:.places$}", Down::exact(x)));
        prop_assert!(up >= exact(x) && &up - &step < exact(x));
        prop_assert!(down <= exact(x) && &down + &step > exact(x));
        let shortest = format!("{}", Up::exact(x));
        prop_assert_eq!(shortest.parse::<f64>(), Ok(x));
        prop_assert!(read(shortest) >= exact(x));
    }

    #[test]
    fn exact_constructors_are_tight(
        numerator in any::<i128>(),
        denominator in 1..i128::MAX,
        shift in -1200i64..1200,
    ) {
        let x = Rational::new(numerator, denominator).times_power_of_two(shift);
        prop_assert!(is_smallest_above(Up::from_rational(&x).get(), &x));
        prop_assert!(is_largest_below(Down::from_rational(&x).get(), &x));
        let dyadic = lastbit_exact::Dyadic::new(numerator, shift);
        prop_assert!(is_smallest_above(Up::from_dyadic(&dyadic).get(), &Rational::from(&dyadic)));
        prop_assert!(is_largest_below(Down::from_dyadic(&dyadic).get(), &Rational::from(&dyadic)));
    }
}

#[test]
fn no_operation_rounds_to_nearest() {
    // In each line the nearest f64 is on the wrong side.
    let tiny = 2f64.powi(-60);
    assert_eq!((Up::ONE + Up::exact(tiny)).get(), 1.0 + f64::EPSILON);
    assert_eq!(
        (Down::ONE - Up::exact(tiny)).get(),
        1.0 - f64::EPSILON / 2.0
    );
    assert_eq!((Up::ONE - Down::exact(-tiny)).get(), 1.0 + f64::EPSILON);
    assert_eq!(
        (Down::ONE + Down::exact(-tiny)).get(),
        1.0 - f64::EPSILON / 2.0
    );
    let above = Up::exact(1.0 + f64::EPSILON);
    // (1 + u)² = 1 + 2u + u², nearest 1 + 2u.
    assert_eq!((above * above).get(), 1.0 + 3.0 * f64::EPSILON);
    assert_eq!(above.powi(2).get(), 1.0 + 3.0 * f64::EPSILON);
    // 1/(1 − u/2) = 1 + u/2 + u²/4 + …, nearest 1 + u; down it is 1.
    let below = 1.0 - f64::EPSILON / 2.0;
    assert_eq!((Down::ONE / Up::exact(below)).get(), 1.0);
    assert_eq!(
        (Up::ONE / Down::exact(1.0 + f64::EPSILON)).get(),
        1.0 - f64::EPSILON / 2.0
    );
    // √(1 + u) = 1 + u/2 − …, nearest 1; √(1 − u/2) = 1 − u/4 − …, nearest 1 − u/2 going up to 1.
    assert_eq!(above.sqrt().get(), 1.0 + f64::EPSILON);
    assert_eq!(Up::exact(below).sqrt().get(), 1.0);
    assert_eq!(Down::exact(1.0 + f64::EPSILON).sqrt().get(), 1.0);
    assert!(Up::exact(tiny).exp().get() > 1.0 && Down::exact(-tiny).exp().get() < 1.0);
    assert!(Up::exact(tiny).exp_m1().get() > tiny && Down::exact(tiny).ln_1p().get() < tiny);
    assert!(Up::exact(2.0).ln() > Up::exact(Down::exact(2.0).ln().get()));
}

#[test]
fn overflow_and_underflow_keep_the_bound() {
    let (max, least) = (f64::MAX, f64::from_bits(1));
    let tiny = f64::MIN_POSITIVE;
    assert_eq!(Up::exact(max) + Up::exact(least), Up::INFINITY);
    assert_eq!((Down::exact(max) + Down::exact(max)).get(), max);
    assert_eq!((Up::exact(-max) + Up::exact(-max)).get(), -max);
    assert_eq!(Down::exact(-max) + Down::exact(-least), Down::NEG_INFINITY);
    assert_eq!(Up::exact(max) * Up::exact(1.5), Up::INFINITY);
    assert_eq!((Down::exact(max) * Down::exact(1.5)).get(), max);
    assert_eq!((Up::exact(tiny) * Up::exact(tiny)).get(), least);
    assert_eq!(Down::exact(tiny) * Down::exact(tiny), Down::ZERO);
    assert_eq!((Up::exact(least) / Down::exact(max)).get(), least);
    assert_eq!(Down::exact(least) / Up::exact(max), Down::ZERO);
    assert_eq!(Up::exact(max) / Down::exact(0.5), Up::INFINITY);
    assert_eq!((Down::exact(max) / Up::exact(0.5)).get(), max);
    assert_eq!(Up::exact(3.0).powi(100_000), Up::INFINITY);
    assert_eq!(Down::exact(3.0).powi(u32::MAX).get(), max);
    assert_eq!(Up::exact(0.5).powi(u32::MAX).get(), least);
    assert_eq!(Down::exact(0.5).powi(1075), Down::ZERO);
    assert_eq!(Up::exact(0.5).powi(1074).get(), least);
    assert_eq!(Up::exact(710.0).exp(), Up::INFINITY);
    assert_eq!(Down::exact(max).exp().get(), max);
    assert_eq!(Up::exact(-max).exp().get(), least);
    assert_eq!(Down::exact(-max).exp(), Down::ZERO);
    assert_eq!(Up::exact(max).exp_m1(), Up::INFINITY);
    assert_eq!(Down::exact(710.0).exp_m1().get(), max);
    assert_eq!(Down::exact(-max).exp_m1().get(), -1.0);
    assert_eq!(Up::exact(-max).exp_m1().get(), -1.0 + f64::EPSILON / 2.0);
}

#[test]
fn infinite_bounds_stand_for_reals_of_any_size() {
    let (up, down) = (Up::INFINITY, Down::NEG_INFINITY);
    assert_eq!(up + Up::exact(f64::MIN), up);
    assert_eq!(up - Down::exact(f64::MAX), up);
    assert_eq!(Up::ONE - down, up);
    assert_eq!(up - down, up);
    assert_eq!(down + Down::exact(f64::MAX), down);
    assert_eq!(down - up, down);
    // Zero times a real is zero; there is no real below a negative bound and above zero.
    assert_eq!(up * Up::ZERO, Up::ZERO);
    assert_eq!(up * Up::ONE, up);
    assert_eq!(up * Up::exact(-1.0), up);
    assert_eq!(Up::exact(-2.0) * Up::exact(-3.0), up);
    assert_eq!(Down::exact(-2.0) * Down::exact(3.0), down);
    assert_eq!(Down::exact(-2.0) * Down::ZERO, down);
    assert_eq!(up / Down::ONE, up);
    assert_eq!(Up::ONE / Down::ZERO, up);
    assert_eq!(Up::ZERO / Down::ZERO, up);
    assert_eq!(Up::ONE / down, up);
    assert_eq!(Up::exact(-1.0) / Down::ONE, Up::ZERO);
    assert_eq!(Down::ONE / up, Down::ZERO);
    assert_eq!(Down::ZERO / up, Down::ZERO);
    assert_eq!(Down::exact(-1.0) / Up::ONE, down);
    assert_eq!(Down::ONE / Up::ZERO, down);
    assert_eq!((-up, -down), (down, up));
    assert_eq!((up.sqrt(), up.exp(), up.exp_m1()), (up, up, up));
    assert_eq!((up.ln(), up.ln_1p(), up.powi(3)), (up, up, up));
    assert_eq!((up.powi(0), down.powi(0)), (Up::ONE, Down::ONE));
    assert_eq!((down.exp(), down.sqrt()), (Down::ZERO, Down::ZERO));
    assert_eq!(down.exp_m1().get(), -1.0);
    assert_eq!((down.ln(), down.ln_1p(), down.powi(3)), (down, down, down));
    assert_eq!(down.powi(2), Down::ZERO);
    assert_eq!((up.min(Up::ONE), up.max(Up::ONE)), (Up::ONE, up));
}

#[test]
fn outside_a_domain_a_bound_promises_nothing() {
    assert_eq!(Up::exact(-1.0).sqrt(), Up::INFINITY);
    assert_eq!(Down::exact(-1.0).sqrt(), Down::ZERO);
    assert_eq!(Up::exact(-1.0).ln(), Up::INFINITY);
    assert_eq!(Up::ZERO.ln().get(), f64::MIN);
    assert_eq!(Down::ZERO.ln(), Down::NEG_INFINITY);
    assert_eq!(Up::exact(-2.0).ln_1p(), Up::INFINITY);
    assert_eq!(Up::exact(-1.0).ln_1p().get(), f64::MIN);
    assert_eq!(Down::exact(-1.0).ln_1p(), Down::NEG_INFINITY);
    assert_eq!(Up::exact(-2.0).powi(2), Up::INFINITY);
    assert_eq!(Up::exact(-2.0).powi(3).get(), -8.0);
    assert_eq!(Down::exact(-2.0).powi(2), Down::ZERO);
    assert_eq!(Down::exact(-2.0).powi(3).get(), -8.0);
}

#[test]
fn exact_results_are_not_widened() {
    assert_eq!(Up::ZERO.exp(), Up::ONE);
    assert_eq!(Down::ZERO.exp(), Down::ONE);
    assert_eq!((Up::ONE.ln(), Down::ONE.ln()), (Up::ZERO, Down::ZERO));
    assert_eq!((Up::ZERO.ln_1p(), Up::ZERO.exp_m1()), (Up::ZERO, Up::ZERO));
    assert_eq!(Up::exact(10.0).powi(22), Up::exact(1e22));
    assert_eq!(Up::exact(1.5).powi(32), Up::exact(1.5f64.powi(32)));
    assert_eq!(Up::exact(81.0).sqrt(), Up::exact(9.0));
    assert_eq!(
        [Up::exact(0.5), Up::from(2)].into_iter().sum::<Up>(),
        Up::exact(2.5)
    );
}

#[test]
fn zero_is_positive() {
    let positive = |x: f64| x == 0.0 && x.is_sign_positive();
    assert!(positive(Up::new(-0.0).unwrap().get()) && positive(Down::new(-0.0).unwrap().get()));
    assert!(positive(Up::exact(-0.0).get()) && positive(Down::exact(-0.0).get()));
    assert!(positive((-Up::ZERO).get()) && positive((-Down::ZERO).get()));
    assert!(positive((Up::ONE - Down::ONE).get()) && positive((Down::ONE - Up::ONE).get()));
    let least = f64::from_bits(1);
    // −least·½ rounds up to zero.
    assert!(positive(
        (Interval::point(-least) * Interval::point(0.5)).hi()
    ));
    assert!(positive(
        (Interval::point(-least) / Interval::point(2.0)).hi()
    ));
    assert!(positive((Interval::point(-1.0) * Interval::ZERO).lo()));
    assert!(positive((-Interval::ZERO).lo()) && positive((-Interval::ZERO).hi()));
    assert!(positive(Up::exact(-least).exp_m1().get()));
    assert!(positive(Up::exact(-least).powi(3).get()));
    assert!(positive(Down::exact(least).ln_1p().get()));
}

#[test]
fn a_bound_is_a_number() {
    assert_eq!(Up::new(f64::NAN), Err(BoundError::NotANumber));
    assert_eq!(Down::new(f64::NAN), Err(BoundError::NotANumber));
    assert_eq!(
        Up::new(f64::NEG_INFINITY),
        Err(BoundError::UpperBelowAllReals)
    );
    assert_eq!(
        Down::new(f64::INFINITY),
        Err(BoundError::LowerAboveAllReals)
    );
    assert_eq!(Up::new(f64::INFINITY), Ok(Up::INFINITY));
    assert_eq!(
        format!("{:?} {:?}", Up::exact(0.1), Down::ONE),
        "Up(0.1) Down(1.0)"
    );
    assert_eq!(
        format!("{:>8.2}|{:.0}", Up::exact(1.001), Down::exact(-0.5)),
        "    1.01|-1"
    );
    assert_eq!(format!("{:.2}", Up::INFINITY), "inf");
}
