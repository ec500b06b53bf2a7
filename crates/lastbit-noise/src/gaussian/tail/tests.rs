use super::super::quantile::upper_quantiles;
use super::*;
use lastbit_exact::Rational;

/// Arguments, and tails to 60 digits by MPFR.
fn vectors() -> impl Iterator<Item = (Rational, Rational)> {
    include_str!("../../../tests/data/gaussian_tail.txt")
        .lines()
        .map(|line| {
            let (x, tail) = line.split_once(' ').unwrap();
            (x.parse().unwrap(), tail.parse().unwrap())
        })
}

/// Whether some number within 1e-58 of `value`, relatively, is in the enclosure.
fn holds(enclosure: &Enclosure, value: &Rational) -> bool {
    let slack = value * &"1e-58".parse().unwrap();
    Rational::from(enclosure.lo()) <= value + &slack
        && value - &slack <= Rational::from(enclosure.hi())
}

#[test]
fn tails_agree_with_mpfr_at_all_precisions() {
    for (x, tail) in vectors() {
        for bits in [1, 20, 60, 150, 190, 700] {
            // x is 1/3 or a decimal, in general no dyadic.
            let down = x.round(bits as usize + 250, Rounding::Down);
            let up = x.round(bits as usize + 250, Rounding::Up);
            let most = Normal::at(&down, bits).tail;
            let least = Normal::at(&up, bits).tail;
            assert!(is_narrow(&most, bits), "{x} at {bits}");
            let both = between(least.lo().clone(), most.hi().clone());
            assert!(holds(&both, &tail), "{x} at {bits}: {both:?}");
        }
    }
}

#[test]
fn series_and_continued_fraction_agree_where_both_are_quick() {
    for eighths in 4..80 {
        let x = Dyadic::new(eighths, -3);
        let near = x.to_f64(Rounding::Up);
        let series = by_series(&x, near, 80);
        // Far more terms than needed near zero.
        let fraction = by_continued_fraction(&x, near, 80, 2);
        for (a, b) in [
            (&series.tail, &fraction.tail),
            (&series.density, &fraction.density),
        ] {
            assert!(a.lo() <= b.hi() && b.lo() <= a.hi(), "{near}");
            assert!(is_narrow(a, 70), "{near}");
        }
        assert!(is_narrow(&fraction.tail, 40), "{near}");
    }
}

#[test]
fn a_short_fraction_and_a_long_one_enclose_the_same_number() {
    // Nested, since each further term starts inside the interval that the shorter fraction starts
    // from.
    let x = Dyadic::new(9, -1);
    let mut widths = vec![];
    let exact = Normal::at(&x, 300).tail;
    for bits in [5, 10, 20, 40, 80, 160] {
        let tail = by_continued_fraction(&x, 4.5, bits, 1).tail;
        assert!(tail.lo() <= exact.lo() && exact.hi() <= tail.hi());
        widths.push(tail.width());
    }
    assert!(widths.is_sorted_by(|a, b| a > b));
}

#[test]
fn the_density_at_zero_is_one_over_the_root_of_two_pi() {
    let digits = "0.398942280401432677939946059934381868475858631164934657665925";
    let low: Rational = digits.parse().unwrap();
    let high = &low + &"1e-60".parse().unwrap();
    for bits in [10, 100, 190, 400, 1000] {
        let phi = density(&Dyadic::ZERO, bits);
        assert!(is_narrow(&phi, bits));
        assert!(Rational::from(phi.lo()) <= high && low <= Rational::from(phi.hi()));
    }
}

#[test]
fn the_root_of_two_pi_is_enclosed() {
    let digits = "2.5066282746310005024157652848110452530069867406099383166299235763422936546078\
        41974946595838378057266116009972665203879644";
    let low: Rational = digits.parse().unwrap();
    let high = &low + &"1e-120".parse().unwrap();
    for bits in [20, 50, 100, 200, 340, 350] {
        let root = compute_sqrt_two_pi(bits);
        assert!(root.width() <= Dyadic::power_of_two(-i64::from(bits)));
        assert!(Rational::from(root.lo()) <= low && high <= Rational::from(root.hi()));
    }
}

#[test]
fn a_point_beyond_every_precision_has_almost_no_tail() {
    for x in [Dyadic::from(FARTHEST), Dyadic::power_of_two(5000)] {
        let normal = Normal::at(&x, 100);
        assert!(normal.tail.lo().is_zero() && *normal.tail.hi() < Dyadic::power_of_two(-1 << 38));
    }
    // Just below it the enclosures are as narrow as ever.
    let x = &Dyadic::from(FARTHEST) - &Dyadic::ONE;
    assert!(is_narrow(&Normal::at(&x, 100).tail, 100));
}

#[test]
fn quantiles_invert_tails() {
    for (x, tail) in vectors() {
        if tail.is_zero() || x.is_zero() {
            continue;
        }
        // 60 digits of the tail, cut and raised, give bounds of x.
        let slack = &tail * &"1e-58".parse().unwrap();
        let least = (&tail - &slack).round(300, Rounding::Down);
        let most = (&tail + &slack).round(300, Rounding::Up);
        for bits in [10, 60, 150] {
            let z = upper_quantiles(&least, &most.clone().min(Dyadic::power_of_two(-1)), bits);
            assert!(
                Rational::from(z.lo()) <= x && x <= Rational::from(z.hi()),
                "{x}"
            );
            assert!(z.width() <= Dyadic::power_of_two(-i64::from(bits)), "{x}");
        }
    }
}

#[test]
fn the_median_and_extreme_tails_have_quantiles() {
    let half = Dyadic::power_of_two(-1);
    let median = upper_quantiles(&half, &half, 100);
    assert!(median.contains(&Dyadic::ZERO));
    // One unit below the median: z ≈ √(2π)·2^-200.
    let z = upper_quantiles(&half, &half, 300);
    assert!(z.width() <= Dyadic::power_of_two(-300));
    let p = &half - &Dyadic::power_of_two(-200);
    let z = upper_quantiles(&p, &p, 300);
    assert_eq!(z.lo().floor_log2(), Some(-199));
    // 2^-60000: z = 288.3….
    let p = Dyadic::power_of_two(-60000);
    let z = upper_quantiles(&p, &p, 60);
    assert!((288.3..288.4).contains(&z.lo().to_f64(Rounding::Down)));
}

#[test]
fn quantiles_of_tails_far_apart_are_enclosed_together() {
    for (least, most) in [(-40, -2), (-3, -1), (-1000, -900), (-200, -1)] {
        let (least, most) = (Dyadic::power_of_two(least), Dyadic::power_of_two(most));
        let both = upper_quantiles(&least, &most, 40);
        for p in [least, most] {
            let one = upper_quantiles(&p, &p, 40);
            assert!(both.lo() <= one.lo() || one.lo().is_zero());
            assert!(one.hi() <= both.hi());
        }
    }
}
