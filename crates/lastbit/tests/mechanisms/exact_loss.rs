//! The loss that each mechanism has, from the exact law of its own function, against the loss that
//! its map states.

use lastbit::Bounds;
use lastbit::MetricSpace;
use lastbit::conversions::pure_to_zcdp;
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::snapping::{Arithmetic, Bound, GridRule, Snapping};
use lastbit::mechanisms::{NoisyNumber, Scale, Variance, gaussian, laplace, laplace_zcdp};
use lastbit::metrics::AbsoluteDistance;
use lastbit_exact::{Integer, Interval, Rational, Up};
use lastbit_noise::enumerate::Prefix;
use lastbit_noise::{Gaussian, Laplace};
use lastbit_testing::Words;

use super::laws::*;

const DEPTH: u32 = 44;

/// Doubles ordered as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Double(f64);
impl Eq for Double {}
impl Ord for Double {
    fn cmp(&self, other: &Double) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl PartialOrd for Double {
    fn partial_cmp(&self, other: &Double) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The loss of Laplace noise between two values is at most what the map states, and reaches it.
fn laplace_is_tight<T>(scale: &str, grid: i64, left: T, right: T)
where
    T: NoisyNumber<Output: Ord>,
{
    let noise = laplace(AtomDomain::<T>::new(), &scale.parse().unwrap(), grid).unwrap();
    let laws = [&left, &right].map(|value| laplace_law(&noise, value, DEPTH));
    let loss = max_divergence(&laws[0], &laws[1]);
    let distance = noise
        .input_domain()
        .distance(&AbsoluteDistance, &left, &right);
    let stated = noise.map(&distance.unwrap()).unwrap().get();
    assert!(loss <= stated * (1.0 + 1e-12), "{loss} > {stated}");
    assert!(
        loss >= stated * (1.0 - 1e-6),
        "{loss} is far below {stated}"
    );
}

#[test]
fn laplace_on_integers_loses_exactly_what_it_states() {
    laplace_is_tight::<i64>("1", 0, 5, 6);
    laplace_is_tight::<i64>("3/2", 0, -1, 1);
    laplace_is_tight::<i64>("0.3", 0, 0, 1);
    laplace_is_tight::<i64>("2", 2, 1, 2); // halfway between two points of the grid
    laplace_is_tight::<i64>("4", 1, i64::MAX / 1024, i64::MAX / 1024 - 3); // beyond the first tier
    laplace_is_tight::<u64>("2", 0, 0, 1);
    laplace_is_tight::<Integer>("5/3", 0, Integer::from(7), Integer::from(10));
}

#[test]
fn laplace_on_grids_loses_exactly_what_it_states() {
    laplace_is_tight("1/3", -2, number("0.3"), number("0.7"));
    laplace_is_tight("1", -3, number("1/3"), number("-1/7"));
    laplace_is_tight("0.7", 0, number("0.5"), number("1"));
    laplace_is_tight("2", 4, number("8"), number("7.5"));
}

#[test]
fn laplace_on_doubles_loses_exactly_what_it_states() {
    let noise = laplace(AtomDomain::<f64>::new(), &"0.7".parse().unwrap(), -1).unwrap();
    let law = |value: f64| {
        signed_law(DEPTH, |entropy| {
            noise.invoke_with(&value, entropy).map(Double)
        })
    };
    let loss = max_divergence(&law(0.2), &law(0.9));
    let distance = number("0.9") - number("0.2");
    let stated = noise.map(&distance).unwrap().get();
    assert!((loss - stated).abs() <= 1e-6, "{loss} {stated}");
}

#[test]
fn the_law_of_a_measurement_is_that_of_its_noise() {
    let noise = laplace(AtomDomain::<Rational>::new(), &"0.6".parse().unwrap(), -1).unwrap();
    let sampler = Laplace::new(&number("0.6"), -1).unwrap();
    let value = number("0.3");
    for (output, (lo, hi)) in laplace_law(&noise, &value, DEPTH) {
        let closed = sampler.cell_probability(&value, &output.times_power_of_two(1).floor());
        assert!(Rational::from(lo) <= Rational::try_from(closed.hi()).unwrap());
        assert!(Rational::from(hi) >= Rational::try_from(closed.lo()).unwrap());
    }
    let noise = gaussian(AtomDomain::<i64>::new(), &"2".parse().unwrap(), 0).unwrap();
    let sampler = Gaussian::with_variance(&number("2"), 0).unwrap();
    let law = monotone_law(30, |entropy| noise.invoke_with(&3, entropy));
    assert!(law.len() >= 13);
    for (output, (lo, hi)) in law {
        let closed = sampler.cell_probability(&number("3"), &Integer::from(output));
        assert!(Rational::from(lo) <= Rational::try_from(closed.hi()).unwrap());
        assert!(Rational::from(hi) >= Rational::try_from(closed.lo()).unwrap());
    }
}

/// `ln Σ P^α Q^(1−α)/(α − 1)` of two laws, with the widest rounding; what lies outside the cells is
/// too little to matter.
fn renyi(order: f64, laws: impl Iterator<Item = [Interval; 2]>) -> f64 {
    let terms = laws.map(|[p, q]| (order * p.hi().ln() + (1.0 - order) * q.lo().ln()).exp());
    terms.sum::<f64>().ln() / (order - 1.0)
}

const ORDERS: [f64; 6] = [1.0001, 1.5, 2.0, 4.0, 10.0, 32.0];

#[test]
fn gaussian_noise_keeps_its_rho_at_every_order_and_reaches_it_on_a_fine_grid() {
    for (variance, grid, d_in, least) in [
        ("4", 0, "1", 0.97),
        ("4", -2, "1", 0.998),
        ("2", 0, "1", 0.9),
        ("9", -1, "2.5", 0.99),
        ("0.25", 1, "0.5", 0.0),
    ] {
        let noise = gaussian(
            AtomDomain::<Rational>::new(),
            &variance.parse().unwrap(),
            grid,
        )
        .unwrap();
        let rho = noise.map(&number(d_in)).unwrap().get();
        let sampler = Gaussian::with_variance(&number(variance), grid).unwrap();
        let sigma = variance.parse::<f64>().unwrap().sqrt();
        // As far as P and Q are normal doubles, and P^α Q^(1−α) is at its largest αd from the
        // centre.
        let reach = (30.0 * sigma * 2f64.powi(-grid)) as i64;
        let laws: Vec<[Interval; 2]> = (-reach..=reach)
            .map(|cell| {
                [number("0.3"), number("0.3") + number(d_in)]
                    .map(|value| sampler.cell_probability(&value, &Integer::from(cell)))
            })
            .collect();
        for order in ORDERS {
            let both = [[0, 1], [1, 0]]
                .map(|[p, q]| renyi(order, laws.iter().map(|law| [law[p], law[q]])));
            let divergence = both[0].max(both[1]);
            assert!(
                divergence <= order * rho + 1e-9,
                "{variance} {grid} {order}: {divergence}"
            );
            assert!(
                divergence >= order * rho * least - 1e-9,
                "{variance} {grid} {order}: {divergence}"
            );
        }
    }
}

#[test]
fn laplace_zcdp_holds_at_every_order_and_is_less_than_what_pure_loss_gives() {
    for (scale, grid, d_in) in [("1", -4, 1i64), ("1", 0, 1), ("0.5", -3, 1), ("3", 0, 2)] {
        let noise =
            laplace_zcdp(AtomDomain::<Rational>::new(), &scale.parse().unwrap(), grid).unwrap();
        let rho = noise.map(&Rational::from(d_in)).unwrap();
        let epsilon = laplace(AtomDomain::<Rational>::new(), &scale.parse().unwrap(), grid)
            .and_then(|noise| noise.map(&Rational::from(d_in)))
            .unwrap();
        assert!(rho < pure_to_zcdp(epsilon).unwrap());
        let sampler = Laplace::new(&number(scale), grid).unwrap();
        let laws: Vec<[Interval; 2]> = (-600..=600)
            .map(|cell| {
                [0, d_in].map(|value| {
                    sampler.cell_probability(&Rational::from(value), &Integer::from(cell))
                })
            })
            .collect();
        for order in ORDERS {
            let divergence = renyi(order, laws.iter().copied());
            assert!(
                divergence <= order * rho.get() + 1e-9,
                "{scale} {grid} {order}"
            );
        }
        if grid < 0 {
            // Nearly reached as the order tends to 1.
            assert!(renyi(1.0001, laws.iter().copied()) >= 0.98 * rho.get());
        }
    }
}

#[test]
fn snapping_loses_what_it_states_at_every_distance() {
    let build = |arithmetic, grid| {
        Snapping::builder(Bounds::parse("0", "8").unwrap(), "1".parse().unwrap())
            .epsilon("1/2".parse().unwrap())
            .arithmetic(arithmetic)
            .bound(Bound::Value(number("24")))
            .grid(grid)
            .build()
            .unwrap()
    };
    for grid in [GridRule::Snapped, GridRule::fixed(-1).unwrap()] {
        let snapping = build(Arithmetic::Exact, grid)
            .measurement(AtomDomain::<Rational>::new())
            .unwrap();
        let law = |value: &str| {
            let value = number(value);
            signed_law(DEPTH, |entropy| {
                snapping.invoke_with(&value, entropy).map(Double)
            })
        };
        for (left, right) in [("3", "4"), ("3", "3.5"), ("1", "7"), ("-5", "12")] {
            let loss = max_divergence(&law(left), &law(right));
            let stated = snapping.map(&(number(right) - number(left))).unwrap().get();
            assert!(
                (loss - stated).abs() <= 1e-6,
                "{left} {right}: {loss} {stated}"
            );
        }
        // Clamped inputs are never farther apart than the bounds.
        assert_eq!(snapping.map(&number("1000")).unwrap().get(), 4.0);
        assert_eq!(snapping.map(&Rational::ZERO).unwrap(), Up::ZERO);
    }
    for arithmetic in [Arithmetic::Binary64, Arithmetic::Multi] {
        let snapping = build(arithmetic, GridRule::Snapped);
        let measurement = snapping.measurement(AtomDomain::<f64>::new()).unwrap();
        let at = |d: &str| measurement.map(&number(d)).unwrap().get();
        assert!(at("1") <= 0.5 && at("1") >= 0.5 - 1e-12);
        assert!(at("2") <= 1.0 && at("0.5") >= 0.25 && at("0.5") <= 0.25 + 1e-12);
        assert_eq!(at("0"), 0.0);
        assert!(measurement.invoke(&3.0).unwrap().abs() <= 30.0);
        assert!(snapping.measurement_zcdp(AtomDomain::<f64>::new()).is_err());
    }
}

#[test]
fn a_vector_of_snapped_numbers_is_each_number_on_its_own() {
    let build = |arithmetic| {
        Snapping::builder(Bounds::parse("0", "8").unwrap(), "1".parse().unwrap())
            .epsilon("1/2".parse().unwrap())
            .bound(Bound::Value(number("24")))
            .arithmetic(arithmetic)
            .build()
            .unwrap()
    };
    let domain = || VectorDomain::new(AtomDomain::<f64>::new());
    let snapping = build(Arithmetic::Exact);
    let vector = snapping.measurement_vector(domain()).unwrap();
    let values = vec![3.0, -1.5, 7.75, 100.0];
    // Independent words, independent noise; so losses add, up to d/λ for an L1 distance of d.
    let words: Vec<u64> = (1..=4u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let alone: Vec<f64> = values
        .iter()
        .zip(&words)
        .map(|(value, word)| {
            let mut entropy = Prefix::of_words([*word], 0);
            snapping.draw(*value, &mut entropy).unwrap()
        })
        .collect();
    let mut entropy = Prefix::of_words(words, 0);
    assert_eq!(vector.invoke_with(&values, &mut entropy).unwrap(), alone);
    assert_eq!(vector.map(&number("3")).unwrap().get(), 1.5);
    assert_eq!(vector.map(&Rational::ZERO).unwrap(), Up::ZERO);
    assert!(vector.invoke(&vec![]).unwrap().is_empty());
    assert!(
        vector
            .invoke(&vec![1.0, f64::NAN])
            .unwrap_err()
            .is_outside_domain()
    );
    for arithmetic in [Arithmetic::Binary64, Arithmetic::Multi] {
        let refused = build(arithmetic).measurement_vector(domain()).unwrap_err();
        assert!(
            refused.to_string().contains("use exact arithmetic"),
            "{refused}"
        );
    }
}

#[test]
fn a_vector_has_independent_noise_in_each_entry() {
    // Entry i takes word i and nothing else: independent words, independent noise. 150 entries are
    // two blocks and a half.
    let values: Vec<f64> = (0..150).map(|i| f64::from(i) * 0.37 - 20.0).collect();
    let integers: Vec<i64> = (0..150).map(|i| i * i - 700).collect();
    let (scale, variance): (Scale, Variance) = ("2.5".parse().unwrap(), "3".parse().unwrap());
    for start in 0..50 {
        macro_rules! agree {
            ($noise:ident, $parameter:expr, $type:ty, $values:expr, $grid:expr) => {
                let scalar = $noise(AtomDomain::<$type>::new(), $parameter, $grid).unwrap();
                let vector = $noise(
                    VectorDomain::new(AtomDomain::<$type>::new()),
                    $parameter,
                    $grid,
                )
                .unwrap();
                let mut words = Words::walk(150, start);
                let outputs = vector.invoke_with($values, &mut words).unwrap();
                assert_eq!(words.read, 150);
                for (i, (value, output)) in $values.iter().zip(&outputs).enumerate() {
                    let mut words = Words::walk(150, start);
                    words.read = i;
                    assert_eq!(scalar.invoke_with(value, &mut words).unwrap(), *output);
                }
            };
        }
        agree!(laplace, &scale, f64, &values, -6);
        agree!(gaussian, &variance, f64, &values, -6);
        agree!(laplace, &scale, i64, &integers, 0);
        agree!(gaussian, &variance, i64, &integers, 3);
    }
}

#[test]
fn parameters_for_a_loss_are_the_smallest_that_meet_it() {
    let less = Rational::ONE - Rational::ONE.times_power_of_two(-45);
    for (sensitivity, loss) in [("1", "0.1"), ("0.3", "7/3"), ("100", "1e-9"), ("1/7", "20")] {
        let (distance, bound) = (number(sensitivity), Up::from_rational(&number(loss)));
        let delta = sensitivity.parse().unwrap();

        let scale = Scale::for_epsilon(&delta, &loss.parse().unwrap());
        let meets = |scale: &Scale| {
            let noise = laplace(AtomDomain::<f64>::new(), scale, 0).unwrap();
            noise.check(&distance, &bound).unwrap()
        };
        assert!(meets(&scale) && !meets(&Scale::new(scale.get() * &less).unwrap()));
        // The search over doubles finds the double next to it.
        let build = |s: f64| laplace(AtomDomain::<f64>::new(), &Scale::try_from(s)?, 0);
        let found = lastbit::solve::smallest(1e-9..=1e18, build, &distance, &bound).unwrap();
        let found = Rational::try_from(found).unwrap();
        assert!((found - scale.get().clone()).abs() <= scale.get().times_power_of_two(-51));

        let variance = Variance::for_rho(&delta, &loss.parse().unwrap());
        let meets = |variance: &Variance| {
            let noise = gaussian(AtomDomain::<f64>::new(), variance, 0).unwrap();
            noise.check(&distance, &bound).unwrap()
        };
        assert!(meets(&variance) && !meets(&Variance::new(variance.get() * &less).unwrap()));
    }
}

#[test]
fn vectors_are_charged_by_l1_and_l2() {
    let domain = VectorDomain::new(AtomDomain::<i64>::new());
    let laplace = laplace(domain.clone(), &"2".parse().unwrap(), 0).unwrap();
    assert_eq!(laplace.map(&number("5")).unwrap().get(), 2.5);
    let gaussian = gaussian(domain, &"2".parse().unwrap(), 0).unwrap();
    assert_eq!(gaussian.map(&Up::exact(3.0)).unwrap().get(), 2.25);
    assert!(gaussian.map(&Up::INFINITY).unwrap_err().is_unbounded());
}
