//! Every cast against mpmath at 60 digits over more than 12 decades of input: never below the exact
//! value, and no further above it than its documentation says.

use lastbit::Error;
use lastbit::conversions::*;
use lastbit::measures::EpsilonDelta;
use lastbit_exact::{Down, Rational, Rounding, Up};

const VECTORS: &str = include_str!("../data/conversions.txt");

/// The arguments of a vector, read exactly.
struct Arguments<'a>(&'a [&'a str]);

impl Arguments<'_> {
    fn up(&self, index: usize) -> Up {
        Up::exact(self.0[index].parse().unwrap())
    }

    fn down(&self, index: usize) -> Down {
        Down::exact(self.0[index].parse().unwrap())
    }
}

/// Checks every vector of a cast: the result is at or beyond the exact value in its direction, and
/// at most `tolerance` doubles beyond the best such double.
fn check(
    cast: &str,
    rounding: Rounding,
    tolerance: u64,
    convert: impl Fn(Arguments) -> Result<f64, Error>,
) {
    let (mut count, mut worst) = (0, 0);
    for line in VECTORS.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] != cast {
            continue;
        }
        let (value, arguments) = words[1..].split_last().unwrap();
        let result = convert(Arguments(arguments)).unwrap();
        let best = value.parse::<Rational>().unwrap().to_f64(rounding);
        let (below, above) = match rounding {
            Rounding::Down => (result, best),
            _ => (best, result),
        };
        assert!(
            below <= above,
            "{line}: {result:e} is on the wrong side of {best:e}"
        );
        worst = worst.max(above.to_bits() - below.to_bits());
        count += 1;
    }
    assert!(count >= 60, "{cast}: only {count} vectors");
    assert!(
        worst <= tolerance,
        "{cast}: {worst} doubles beyond the best bound"
    );
}

fn check_up(cast: &str, tolerance: u64, convert: impl Fn(Arguments) -> Result<Up, Error>) {
    check(cast, Rounding::Up, tolerance, |arguments| {
        convert(arguments).map(Up::get)
    });
}

#[test]
fn pure_to_zcdp_is_conservative_within_2_ulp() {
    check_up("pure_to_zcdp", 1, |x| pure_to_zcdp(x.up(0)));
}

#[test]
fn laplace_to_zcdp_is_conservative_within_2_ulp() {
    check_up("laplace_to_zcdp", 1, |x| laplace_to_zcdp(x.up(0)));
}

#[test]
fn bounded_range_to_zcdp_is_conservative_within_2_ulp() {
    check_up("range_to_zcdp", 1, |x| bounded_range_to_zcdp_tight(x.up(0)));
    check_up("range_to_zcdp", 1, |x| bounded_range_to_zcdp(x.up(0)));
}

#[test]
fn the_classical_bound_of_bounded_range_is_the_smallest_double() {
    for line in VECTORS.lines().filter(|line| line.starts_with("range")) {
        let eta: f64 = line.split(' ').nth(1).unwrap().parse().unwrap();
        let exact = Rational::try_from(eta).unwrap();
        let best = (&exact * &exact)
            .times_power_of_two(-3)
            .to_f64(Rounding::Up);
        match bounded_range_to_zcdp_classical(Up::exact(eta)) {
            Ok(rho) => assert_eq!(rho.get(), best, "{eta:e}"),
            Err(error) => assert!(error.is_unbounded() && eta > 1e154, "{eta:e}: {error}"),
        }
    }
}

#[test]
fn zcdp_to_approximate_is_conservative_within_1_ulp_of_the_best_order() {
    check_up("zcdp_epsilon", 0, |x| {
        zcdp_to_approximate_epsilon(x.up(0), x.down(1))
    });
    check_up("zcdp_delta", 0, |x| {
        zcdp_to_approximate_delta(x.up(0), x.down(1))
    });
}

#[test]
fn zcdp_for_approximate_is_conservative_within_1_ulp_of_the_best_order() {
    check("zcdp_for", Rounding::Down, 0, |x| {
        zcdp_for_approximate(x.down(0), x.down(1)).map(Down::get)
    });
}

#[test]
fn renyi_to_approximate_is_conservative_within_1_ulp() {
    check_up("renyi_delta", 0, |x| {
        renyi_order_to_delta(x.up(0), x.up(1), x.down(2))
    });
    check_up("renyi_epsilon", 0, |x| {
        renyi_order_to_epsilon(x.up(0), x.up(1), x.down(2))
    });
}

#[test]
fn renyi_curves_are_conservative_within_2_ulp() {
    check_up("pure_to_renyi", 1, |x| {
        pure_to_renyi(x.up(0))?.epsilon(x.up(1))
    });
    check_up("laplace_to_renyi", 1, |x| {
        laplace_to_renyi(x.up(0))?.epsilon(x.up(1))
    });
    check_up("range_to_renyi", 1, |x| {
        bounded_range_to_renyi(x.up(0))?.epsilon(x.up(1))
    });
}

#[test]
fn optimal_composition_is_conservative_and_close() {
    let mut count = 0;
    for line in VECTORS.lines().filter(|line| line.starts_with("optimal")) {
        let words: Vec<&str> = line.split(' ').collect();
        let releases: u64 = words[1].parse().unwrap();
        let arguments = Arguments(&words[2..4]);
        let found = optimal_composition(arguments.up(0), releases, arguments.down(1)).unwrap();
        let exact: Rational = words[4].parse().unwrap();
        let found = Rational::try_from(found.get()).unwrap();
        assert!(found >= exact, "{line}: {found}");
        let error = Up::from_rational(&(&found - &exact)).get();
        let size = Up::from_rational(&exact).get();
        assert!(error <= 1e-13 * (1.0 + size), "{line}: off by {error:e}");
        count += 1;
    }
    assert!(count >= 200, "{count}");
}

#[test]
fn approximate_to_profile_is_conservative_within_6_ulp() {
    check_up("profile", 5, |x| {
        let loss = EpsilonDelta::new(x.up(0), x.up(1))?;
        approximate_to_profile(&loss)?.delta(x.down(2))
    });
}
