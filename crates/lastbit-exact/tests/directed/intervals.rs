//! `Interval`: it contains the result for every number inside, and its ends are the tightest.

use lastbit_exact::{BoundError, Down, Dyadic, Interval, Rational, Up};
use proptest::prelude::*;

use super::cases::{exact, finite, is_largest_below, is_smallest_above, pair};

fn interval() -> impl Strategy<Value = Interval> {
    pair().prop_map(|(x, y)| Interval::new(x.min(y), x.max(y)).expect("ordered"))
}

/// The ends and the middle, as rationals.
fn samples(x: Interval) -> [Rational; 3] {
    [exact(x.lo()), exact(x.midpoint()), exact(x.hi())]
}

fn corners(
    x: Interval,
    y: Interval,
    f: impl Fn(&Rational, &Rational) -> Rational,
) -> Vec<Rational> {
    let (x, y) = (samples(x), samples(y));
    x.iter()
        .flat_map(|x| y.iter().map(|y| f(x, y)).collect::<Vec<_>>())
        .collect()
}

/// The ends are the tightest f64s around the values.
fn is_tight(result: Interval, values: &[Rational]) -> bool {
    let (least, most) = (
        values.iter().min().expect("some"),
        values.iter().max().expect("some"),
    );
    is_largest_below(result.lo(), least) && is_smallest_above(result.hi(), most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn sums_differences_and_products_are_tight(x in interval(), y in interval()) {
        prop_assert!(is_tight(x + y, &corners(x, y, |x, y| x + y)));
        prop_assert!(is_tight(x - y, &corners(x, y, |x, y| x - y)));
        prop_assert!(is_tight(x * y, &corners(x, y, |x, y| x * y)));
    }

    #[test]
    fn quotients_are_tight(x in interval(), y in interval()) {
        if y.contains(0.0) {
            prop_assert_eq!(x / y, Interval::WHOLE);
        } else {
            prop_assert!(is_tight(x / y, &corners(x, y, |x, y| x / y)));
        }
    }

    #[test]
    fn points_multiply_and_divide_with_every_sign((x, y) in pair()) {
        let (a, b) = (Interval::point(x), Interval::point(y));
        prop_assert!(is_tight(a * b, &[&exact(x) * &exact(y)]));
        if y != 0.0 {
            prop_assert!(is_tight(a / b, &[&exact(x) / &exact(y)]));
        }
    }

    #[test]
    fn sets_behave_as_sets(x in interval(), y in interval(), value in finite()) {
        let hull = x.hull(y);
        prop_assert!(hull.contains(x.lo()) && hull.contains(y.hi()));
        prop_assert_eq!(x.contains(value), x.contains_rational(&exact(value)));
        let both = x.intersect(y).is_some_and(|both| both.contains(value));
        prop_assert_eq!(both, x.contains(value) && y.contains(value));
        prop_assert!(x.contains(x.midpoint()));
        let width = &exact(x.hi()) - &exact(x.lo());
        prop_assert!(is_smallest_above(x.width().get(), &width));
        let magnitudes: Vec<_> = samples(x).iter().map(Rational::abs).collect();
        if x.contains(0.0) {
            prop_assert_eq!(x.abs().lo(), 0.0);
        } else {
            prop_assert!(is_tight(x.abs(), &magnitudes));
        }
        prop_assert!(is_tight(-x, &samples(x).map(|x| -x)));
        prop_assert!(is_tight(x.min(y), &corners(x, y, |x, y| x.min(y).clone())));
        prop_assert!(is_tight(x.max(y), &corners(x, y, |x, y| x.max(y).clone())));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn powers_contain_the_powers_of_every_number_inside(x in interval(), n in -9i32..10) {
        let power = x.powi(n);
        for value in samples(x) {
            let value = (0..n.unsigned_abs()).fold(Rational::ONE, |power, _| &power * &value);
            let value = if n < 0 { value.recip() } else { Some(value) };
            prop_assert!(value.is_none_or(|value| power.contains_rational(&value)));
        }
    }

    #[test]
    fn monotone_functions_take_their_ends_from_the_bounds(x in interval()) {
        prop_assert_eq!((x.exp().lower(), x.exp().upper()), (x.lower().exp(), x.upper().exp()));
        prop_assert_eq!(
            (x.exp_m1().lower(), x.exp_m1().upper()),
            (x.lower().exp_m1(), x.upper().exp_m1())
        );
        prop_assert_eq!((x.ln().lower(), x.ln().upper()), (x.lower().ln(), x.upper().ln()));
        prop_assert_eq!(
            (x.ln_1p().lower(), x.ln_1p().upper()),
            (x.lower().ln_1p(), x.upper().ln_1p())
        );
        if x.hi() >= 0.0 {
            prop_assert_eq!(
                (x.sqrt().lower(), x.sqrt().upper()),
                (x.lower().sqrt(), x.upper().sqrt())
            );
        }
    }
}

#[test]
fn infinite_ends_follow_the_reals() {
    let half_line = Interval::new(1.0, f64::INFINITY).unwrap();
    let negative = Interval::new(f64::NEG_INFINITY, -1.0).unwrap();
    let ends = |x: Interval| (x.lo(), x.hi());
    assert_eq!(half_line + negative, Interval::WHOLE);
    assert_eq!(ends(half_line - negative), (2.0, f64::INFINITY));
    assert_eq!(ends(half_line * negative), (f64::NEG_INFINITY, -1.0));
    assert_eq!(ends(negative * negative), (1.0, f64::INFINITY));
    assert_eq!(half_line * Interval::ZERO, Interval::ZERO);
    assert_eq!(Interval::WHOLE * Interval::ZERO, Interval::ZERO);
    assert_eq!(Interval::WHOLE * half_line, Interval::WHOLE);
    assert_eq!(ends(Interval::ONE / half_line), (0.0, 1.0));
    assert_eq!(ends(Interval::ONE / negative), (-1.0, 0.0));
    assert_eq!(ends(half_line / half_line), (0.0, f64::INFINITY));
    assert_eq!(Interval::ZERO / half_line, Interval::ZERO);
    assert_eq!(Interval::ONE / Interval::ZERO, Interval::WHOLE);
    assert_eq!(ends(half_line.powi(-2)), (0.0, 1.0));
    assert_eq!(ends(negative.powi(2)), (1.0, f64::INFINITY));
    assert_eq!(ends(negative.powi(3)), (f64::NEG_INFINITY, -1.0));
    assert_eq!(ends(Interval::WHOLE.powi(2)), (0.0, f64::INFINITY));
    assert_eq!(ends(Interval::WHOLE.exp()), (0.0, f64::INFINITY));
    assert_eq!(ends(Interval::WHOLE.exp_m1()), (-1.0, f64::INFINITY));
    assert_eq!(Interval::WHOLE.ln(), Interval::WHOLE);
    assert_eq!(negative.ln(), Interval::WHOLE);
    assert_eq!(negative.sqrt(), Interval::WHOLE);
    assert_eq!(ends(Interval::new(-1.0, 4.0).unwrap().sqrt()), (0.0, 2.0));
    assert_eq!(Interval::WHOLE.width(), Up::INFINITY);
    assert_eq!(half_line.intersect(negative), None);
    assert_eq!(half_line.hull(negative), Interval::WHOLE);
    for x in [half_line, negative, Interval::WHOLE] {
        assert!(x.contains(x.midpoint()) && x.midpoint().is_finite());
    }
    assert!(half_line.contains_rational(&Rational::ONE.times_power_of_two(5000)));
    assert!(!half_line.contains_rational(&Rational::ZERO));
}

#[test]
fn an_interval_has_ordered_real_ends() {
    assert_eq!(Interval::new(f64::NAN, 1.0), Err(BoundError::NotANumber));
    assert_eq!(
        Interval::new(f64::INFINITY, f64::INFINITY),
        Err(BoundError::LowerAboveAllReals)
    );
    assert_eq!(
        Interval::new(f64::NEG_INFINITY, f64::NEG_INFINITY),
        Err(BoundError::UpperBelowAllReals)
    );
    let reversed = Interval::new(5.0, 2.0).unwrap_err();
    assert_eq!(
        reversed.to_string(),
        "interval [5, 2]: lower is above upper; swap them?"
    );
    assert!(!Interval::WHOLE.contains(f64::NAN));
}

#[test]
fn constructors_are_tight() {
    let third = Rational::new(1, 3);
    let x = Interval::from_rational(&third);
    assert!(x.contains_rational(&third) && x.hi() == x.lo().next_up());
    let fine = Dyadic::power_of_two(-2000);
    assert_eq!(
        Interval::from_dyadic(&fine),
        Interval::new(0.0, f64::from_bits(1)).unwrap()
    );
    assert_eq!(Interval::from(7), Interval::point(7.0));
    assert_eq!(
        (x.lower(), x.upper()),
        (Down::from_rational(&third), Up::from_rational(&third))
    );
    assert_eq!(
        format!("{x:.3} {:?}", Interval::ONE),
        "[0.333, 0.334] [1, 1]"
    );
}

#[test]
fn negative_powers_are_tight_where_the_power_overflows_and_where_it_does_not() {
    let bases = [
        1.5,
        3.0,
        0.1,
        7.25,
        1e3,
        1e-3,
        1e100,
        1e-100,
        1e200,
        1e-200,
        1e308,
        1e-308,
        5e-324,
        f64::MAX,
        2.0,
        0.5,
    ];
    for base in bases {
        for n in [1u32, 2, 3, 4, 5, 7, 10, 21] {
            let exact = Rational::try_from(base).unwrap();
            let power = (0..n).fold(Rational::ONE, |power, _| &power * &exact);
            let inverse = &Rational::ONE / &power;
            for sign in [1.0, -1.0] {
                let odd = sign < 0.0 && n % 2 == 1;
                let wanted = if odd { -&inverse } else { inverse.clone() };
                let found = Interval::point(sign * base).powi(-(n as i32));
                assert!(found.contains_rational(&wanted), "{base:e}^-{n}: {found}");
                let (lo, hi) = (
                    wanted.to_f64(lastbit_exact::Rounding::Down),
                    wanted.to_f64(lastbit_exact::Rounding::Up),
                );
                assert!(found.lo() >= lo.next_down(), "{base:e}^-{n}: {found}");
                assert!(found.hi() <= hi.next_up(), "{base:e}^-{n}: {found}");
            }
        }
    }
    // Exponents of the largest size end at once.
    assert_eq!(Interval::point(1e300).powi(i32::MIN).lo(), 0.0);
    assert_eq!(Interval::point(1e-300).powi(i32::MIN).hi(), f64::INFINITY);
    let wide = Interval::new(2.0, f64::INFINITY).unwrap().powi(-3);
    assert_eq!((wide.lo(), wide.hi()), (0.0, 0.125));
    assert_eq!(Interval::new(-1.0, 1.0).unwrap().powi(-1), Interval::WHOLE);
}
