//! Probabilities of the normal distribution against MPFR: enclosed, and to 12 digits everywhere.

use lastbit_exact::{Integer, Interval, Rational};
use lastbit_noise::{Gaussian, gaussian_mass};

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The value to 60 digits is in the interval, up to its last digit, and the interval is narrow.
fn check(found: Interval, value: &str, line: &str) {
    let value = number(value);
    let slack = &value * &number("1e-58");
    let ends = [found.lo(), found.hi()].map(|end| Rational::try_from(end).unwrap());
    assert!(
        ends[0] <= &value + &slack && &value - &slack <= ends[1],
        "{line}: {found}"
    );
    if value >= number("2.3e-308") {
        let width = &ends[1] - &ends[0];
        assert!(
            width <= value.times_power_of_two(-48),
            "{line}: {found} is wide"
        );
    }
}

#[test]
fn masses_agree_with_mpfr() {
    let end = |text: &str| (!text.ends_with("inf")).then(|| number(text));
    for line in include_str!("../data/gaussian_mass.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [a, b, value] = fields[..] else {
            panic!("{line}")
        };
        let (a, b) = (end(a), end(b));
        check(gaussian_mass(a.as_ref(), b.as_ref()), value, line);
        // The mirror image.
        let (a, b) = (a.map(|a| -a), b.map(|b| -b));
        check(gaussian_mass(b.as_ref(), a.as_ref()), value, line);
    }
}

#[test]
fn cells_agree_with_mpfr() {
    for line in include_str!("../data/gaussian_cells.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [variance, grid, location, cell, mass, cumulative] = fields[..] else {
            panic!("{line}")
        };
        let noise =
            Gaussian::with_variance(&number(variance), grid.parse::<i64>().unwrap()).unwrap();
        let cell = number(cell).floor();
        let location = number(location);
        check(noise.cell_probability(&location, &cell), mass, line);
        check(
            noise.cumulative_probability(&location, &cell),
            cumulative,
            line,
        );
    }
}

#[test]
fn probabilities_below_every_double_are_enclosed_by_zero_and_the_smallest() {
    let smallest = f64::from_bits(1);
    for x in ["39.5", "1e6", "1e300", "1e4000"].map(number) {
        for found in [
            gaussian_mass(Some(&x), None),
            gaussian_mass(None, Some(&-&x)),
            gaussian_mass(Some(&x), Some(&(&x + &Rational::ONE))),
        ] {
            assert_eq!((found.lo(), found.hi()), (0.0, smallest));
        }
        let all = gaussian_mass(Some(&-&x), Some(&x));
        assert!(all.contains(1.0) && all.width().get() <= 1e-15);
        assert!(gaussian_mass(None, Some(&x)).contains(1.0));
    }
    assert_eq!(gaussian_mass(None, None), Interval::ONE);
}

#[test]
fn no_mass_lies_between_ends_that_meet_or_cross() {
    let (a, b) = (number("0.5"), number("2"));
    assert_eq!(gaussian_mass(Some(&a), Some(&a)), Interval::ZERO);
    assert_eq!(gaussian_mass(Some(&b), Some(&a)), Interval::ZERO);
}

#[test]
fn cells_add_up_to_the_cumulative_probability() {
    for variance in ["1", "2", "0.3", "40"] {
        let noise = Gaussian::with_variance(&number(variance), 0).unwrap();
        let location = number("1/3");
        let mut sum = noise.cumulative_probability(&location, &Integer::from(-11));
        for cell in (-10..=10).map(Integer::from) {
            sum = sum + noise.cell_probability(&location, &cell);
            let cumulative = noise.cumulative_probability(&location, &cell);
            assert!(sum.intersect(cumulative).is_some(), "{variance} at {cell}");
            assert!(sum.width().get() < 1e-12);
        }
    }
}
