//! No privacy map is below the real number it stands for. Each test also computes the same in plain
//! f64 and demands that this *is* below for some of the cases: were any operation of `Up` to round
//! to nearest, the test would fail.

use lastbit::domains::AtomDomain;
use lastbit::measures::{
    MaxDivergence, Measure, ProfileCurve, RangeDivergence, ZeroConcentratedDivergence,
};
use lastbit::metrics::{AbsoluteDistance, L2Distance};
use lastbit::{Error, Measurement, PrivacyMap, StabilityMap};
use lastbit_exact::{Down, Dyadic, Enclosure, Rational, Up, exp_enclosure, ln_enclosure};

/// Distances and scales that are not dyadic, so that quotients round.
fn cases() -> impl Iterator<Item = (Rational, Rational)> {
    (1..40_i64).flat_map(|d| (1..40_i64).map(move |s| (Rational::new(d, 7), Rational::new(s, 3))))
}

fn exact(value: f64) -> Rational {
    Rational::try_from(value).unwrap()
}

fn nearest(value: &Rational) -> f64 {
    value.to_f64(lastbit_exact::Rounding::NearestEven)
}

/// Of so many cases, how many the plain computation puts below the truth; the bound itself must
/// never be.
#[derive(Default)]
struct Below {
    plain: usize,
    cases: usize,
}

impl Below {
    /// `truth ≤ bound`, and whether `plain < truth`.
    fn exactly(&mut self, truth: &Rational, bound: Up, plain: f64) {
        assert!(exact(bound.get()) >= *truth, "{bound:?} is below {truth}");
        self.plain += usize::from(exact(plain) < *truth);
        self.cases += 1;
    }

    /// The same for a truth that is known to lie in an enclosure far narrower than an f64.
    fn enclosed(&mut self, truth: &Enclosure, bound: Up, plain: f64) {
        self.exactly(&Rational::from(truth.lo()), bound, plain);
    }

    /// At least a tenth of the plain results must be unsafe, or the cases show nothing.
    fn assert_power(&self) {
        assert!(
            self.plain * 10 >= self.cases,
            "{} of {}",
            self.plain,
            self.cases
        );
    }
}

fn pure(
    map: impl Fn(&Rational) -> Result<Up, Error> + Send + Sync + 'static,
) -> Measurement<AtomDomain<i64>, AbsoluteDistance, MaxDivergence, i64> {
    Measurement::new(
        AtomDomain::new(),
        AbsoluteDistance,
        MaxDivergence,
        |&value, _| Ok(value),
        PrivacyMap::new(map),
    )
    .unwrap()
}

fn eval<M: Measure>(map: &PrivacyMap<AbsoluteDistance, M>, d_in: &Rational) -> M::Distance {
    map.eval(d_in).unwrap()
}

#[test]
fn a_quotient_of_rationals_is_never_below() {
    let mut below = Below::default();
    for (distance, scale) in cases() {
        let truth = &distance / &scale;
        let by = scale.clone();
        let release = pure(move |d_in| Ok(Up::from_rational(&(d_in / &by))));
        let plain = nearest(&distance) / nearest(&scale);
        below.exactly(&truth, release.map(&distance).unwrap(), plain);
    }
    below.assert_power();
}

#[test]
fn a_quotient_of_bounds_is_never_below() {
    let mut below = Below::default();
    for (distance, scale) in cases() {
        let truth = &distance / &scale;
        let by = Down::from_rational(&scale);
        let release = pure(move |d_in| Ok(Up::from_rational(d_in) / by));
        let plain = nearest(&distance) / nearest(&scale);
        below.exactly(&truth, release.map(&distance).unwrap(), plain);
    }
    below.assert_power();
}

#[test]
fn a_sum_of_losses_is_never_below() {
    let mut below = Below::default();
    for (distance, scale) in cases() {
        let ten = Rational::from(10_i64);
        let truth = &ten * &(&distance / &scale);
        let by = scale.clone();
        let release = pure(move |d_in| {
            let loss = Up::from_rational(&(d_in / &by));
            Ok(core::iter::repeat_n(loss, 10).sum())
        });
        let loss = nearest(&(&distance / &scale));
        let plain = core::iter::repeat_n(loss, 10).sum();
        below.exactly(&truth, release.map(&distance).unwrap(), plain);
    }
    below.assert_power();
}

#[test]
fn a_square_through_a_chain_of_maps_is_never_below() {
    let mut below = Below::default();
    for (distance, scale) in cases() {
        // ρ = (d/σ)²/2, with d going through the L2 metric, which rounds.
        let quotient = &distance / &scale;
        let truth = (&quotient * &quotient).times_power_of_two(-1);
        let spread =
            StabilityMap::<AbsoluteDistance, L2Distance>::new(|d| Ok(Up::from_rational(d)));
        let sigma = Down::from_rational(&scale);
        let gaussian = PrivacyMap::<L2Distance, ZeroConcentratedDivergence>::new(move |&d| {
            Ok((d / sigma).powi(2) * Up::exact(0.5))
        });
        let map = spread.then_privacy(&gaussian);
        let plain = (nearest(&distance) / nearest(&scale)).powi(2) * 0.5;
        below.exactly(&truth, eval(&map, &distance), plain);
    }
    below.assert_power();
}

#[test]
fn a_cast_is_never_below() {
    let mut below = Below::default();
    for (distance, scale) in cases() {
        let by = scale.clone();
        let release = pure(move |d_in| Ok(Up::from_rational(&(d_in / &by))));
        let ranged = release.cast(RangeDivergence, |&epsilon| {
            Ok(epsilon * Up::from_rational(&Rational::new(7, 5)))
        });
        let truth = &(&distance / &scale) * &Rational::new(7, 5);
        let plain = nearest(&(&distance / &scale)) * 1.4;
        below.exactly(&truth, ranged.map(&distance).unwrap(), plain);
    }
    below.assert_power();
}

/// Arguments that are f64s, so that one operation alone rounds and no other can make up for it.
#[test]
fn no_operation_alone_is_ever_below() {
    type Operation = (
        &'static str,
        fn(Up) -> Up,
        fn(f64) -> f64,
        fn(&Rational) -> Rational,
    );
    let operations: [Operation; 11] = [
        (
            "+",
            |x| x + Up::exact(0.1),
            |x| x + 0.1,
            |x| x + &exact(0.1),
        ),
        (
            "-",
            |x| x - Down::exact(0.1),
            |x| x - 0.1,
            |x| x - &exact(0.1),
        ),
        (
            "·",
            |x| x * Up::exact(0.1),
            |x| x * 0.1,
            |x| x * &exact(0.1),
        ),
        (
            "/",
            |x| x / Down::exact(0.3),
            |x| x / 0.3,
            |x| x / &exact(0.3),
        ),
        ("x²", |x| x.powi(2), |x| x.powi(2), |x| x * x),
        ("x³", |x| x.powi(3), |x| x.powi(3), |x| &(x * x) * x),
        ("√", Up::sqrt, f64::sqrt, root_below),
        ("exp", Up::exp, f64::exp, |x| {
            Rational::from(exp_enclosure(&dyadic(x), 150).lo())
        }),
        ("exp − 1", Up::exp_m1, f64::exp_m1, |x| {
            Rational::from(exp_enclosure(&dyadic(x), 150).lo()) - Rational::ONE
        }),
        ("ln", Up::ln, f64::ln, |x| {
            Rational::from(ln_enclosure(&dyadic(x), 150).lo())
        }),
        ("ln(1 + x)", Up::ln_1p, f64::ln_1p, |x| {
            Rational::from(ln_enclosure(&dyadic(&(x + &Rational::ONE)), 150).lo())
        }),
    ];
    for (name, operation, plain, truth) in operations {
        let release = pure(move |d_in| Ok(operation(Up::from_rational(d_in))));
        let mut below = Below::default();
        // Above 1, so that every result is a distance, that is zero or more.
        for x in (4..400).map(|n| f64::from(n) / 3.0) {
            let loss = release.map(&exact(x)).unwrap();
            below.exactly(&truth(&exact(x)), loss, plain(x));
        }
        assert!(
            below.plain * 10 >= below.cases,
            "{name}: {} of {}",
            below.plain,
            below.cases
        );
    }
}

fn dyadic(x: &Rational) -> Dyadic {
    x.to_dyadic().unwrap()
}

/// A rational at most `2^-100` below `√x`, for `x < 2^20`.
fn root_below(x: &Rational) -> Rational {
    let (mut lower, mut upper) = (Rational::ZERO, Rational::from(1024_i64));
    for _ in 0..110 {
        let middle = (&lower + &upper).times_power_of_two(-1);
        if &middle * &middle <= *x {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    lower
}

/// Reading a curve at a δ: the ε found is enough by exact enclosures, and at most one f64 above the
/// real one.
#[test]
fn the_epsilon_of_a_profile_is_never_below() {
    let mut below = Below::default();
    for k in 1..300_i64 {
        // δ(ε) = max(0, 3/4 − e^ε/4); so ε(δ) = ln(3 − 4δ), with δ = k/1024 exactly.
        let curve = ProfileCurve::new(|epsilon: Down| {
            Ok((Up::exact(0.75) - epsilon.exp() / Up::from(4)).max(Up::ZERO))
        });
        let delta = k as f64 / 1024.0;
        let epsilon = curve.epsilon(Down::exact(delta)).unwrap();
        let truth = ln_enclosure(&Dyadic::new(3 * 256 - k, -8), 150);
        below.enclosed(&truth, epsilon, (3.0 - 4.0 * delta).ln());
        let slack = 8.0 * f64::EPSILON * epsilon.get().max(0.125);
        let highest = Dyadic::try_from(epsilon.get() - slack).unwrap();
        assert!(highest <= *truth.hi());
    }
    below.assert_power();
}
