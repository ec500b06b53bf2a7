//! The law of the shipped release: what it rests on, and what it agrees with.

use std::collections::BTreeMap;

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{
    Arithmetic, Binary64, Bound, FloatArithmetic, FloatParameters, FormatArithmetic, Snapping,
    noisy,
};
use lastbit_exact::{Dyadic, Format, Natural, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, System};
use lastbit_noise::{SignedUStar64, UStar};
use lastbit_verify::exact::law::{bisected_law, draw_at};
use lastbit_verify::exact::{ExactError, Layout, Pattern, Replay, divergence, exact_law};

fn snapping(arithmetic: Arithmetic, epsilon: &str, bound: &str) -> Snapping {
    Snapping::builder(Bounds::parse("-3", "5").unwrap(), "1".parse().unwrap())
        .epsilon(epsilon.parse().unwrap())
        .bound(Bound::Value(bound.parse().unwrap()))
        .arithmetic(arithmetic)
        .build()
        .unwrap()
}

/// A rank up to exponent 40 (or, seldom, far beyond) with uniform low bits.
fn random_rank(precision: u32, entropy: &mut System) -> Natural {
    let exponent = match entropy.word().unwrap() % 100 {
        0 => 1000 + entropy.word().unwrap() % 300,
        other => 1 + other % 40,
    };
    let mut below = Natural::ZERO;
    for _ in 0..precision.div_ceil(64) {
        below = (below << 64) + Natural::from(entropy.word().unwrap());
    }
    let octave = Natural::ONE << (precision as usize - 1);
    Natural::from(exponent - 1) * &octave + below % octave
}

#[test]
fn replayed_words_draw_the_pattern() {
    let mut entropy = System::default();
    for _ in 0..2_000 {
        let negative = entropy.word().unwrap() & 1 == 1;
        let pattern = Pattern::of_rank(&random_rank(53, &mut entropy), 53);
        let mut words = Replay::new(Layout::Binary64, negative, &pattern);
        let draw = SignedUStar64::draw(&mut words).unwrap();
        assert!(words.is_used_up());
        assert_eq!(
            (draw.negative, draw.exponent, Natural::from(draw.fraction)),
            (negative, pattern.exponent, pattern.mantissa)
        );
        for precision in [65, 118, 129, 200] {
            let pattern = Pattern::of_rank(&random_rank(precision, &mut entropy), precision);
            let mut words = Replay::new(Layout::Multi, negative, &pattern);
            assert_eq!(words.word().unwrap() >> 63 == 1, negative);
            let draw = UStar::draw(precision, &mut words).unwrap();
            assert!(words.is_used_up());
            assert_eq!(draw.value(), pattern.value());
        }
    }
}

#[test]
fn masses_from_a_rank_on_are_sums_of_probabilities() {
    let precision = 5;
    let mut rest = Dyadic::ONE;
    for rank in 0..200u32 {
        let rank = Natural::from(rank);
        assert_eq!(Pattern::mass_from(&rank, precision), rest);
        let pattern = Pattern::of_rank(&rank, precision);
        let u = UStar::new(pattern.mantissa.clone(), pattern.exponent, precision);
        assert_eq!(u.value(), pattern.value());
        rest = &rest - &u.probability();
    }
}

#[test]
fn releases_are_monotone_at_random_neighbouring_patterns() {
    for (arithmetic, draws) in [(Arithmetic::Binary64, 100_000), (Arithmetic::Multi, 2_000)] {
        let mechanism = snapping(arithmetic, "0.7", "40.3");
        let precision = mechanism.precision().unwrap();
        let mut entropy = System::default();
        for i in 0..draws {
            let value = [-3.0, 0.1, 1.0, 4.97, 5.0][i % 5];
            let negative = i % 2 == 1;
            let rank = random_rank(precision, &mut entropy);
            let at = |rank: &Natural| {
                let pattern = Pattern::of_rank(rank, precision);
                draw_at(&mechanism, value, negative, &pattern).unwrap()
            };
            let (here, next) = (at(&rank), at(&(&rank + Natural::ONE)));
            assert!(if negative { here <= next } else { here >= next }, "{rank}");
        }
    }
}

#[test]
fn the_logarithm_and_the_product_are_monotone_where_neighbours_differ_in_the_last_bit() {
    // The only rounding that could break order: outputs of the release are too coarse to see it.
    let mut entropy = System::default();
    for _ in 0..300_000 {
        let rank = random_rank(53, &mut entropy);
        let at = |rank: &Natural| {
            let pattern = Pattern::of_rank(rank, 53);
            let u = SignedUStar64 {
                negative: false,
                fraction: u64::try_from(pattern.mantissa).unwrap(),
                exponent: pattern.exponent,
            };
            Binary64.ln(&u)
        };
        let (here, next) = (at(&rank), at(&(&rank + Natural::ONE)));
        assert!(here >= next, "rank {rank}: {here:e} then {next:e}");
        assert!(Binary64.multiply(&0.7, &here) >= Binary64.multiply(&0.7, &next));
    }
}

/// `noisy` at a few bits as a function of a pattern.
fn few_bits<'a>(
    precision: u32,
    value: &'a Dyadic,
    parameters: &'a FloatParameters<Dyadic>,
) -> impl Fn(bool, &Pattern) -> f64 + 'a {
    let arithmetic = FormatArithmetic(Format::new(precision).unwrap());
    move |negative, pattern| {
        let u = UStar::new(pattern.mantissa.clone(), pattern.exponent, precision);
        noisy(&arithmetic, value, negative, &u, parameters).to_f64(Rounding::NearestEven)
    }
}

#[test]
fn at_few_bits_every_neighbour_is_in_order_and_bisection_finds_the_enumerated_law() {
    for (precision, scale, bound, value) in [
        (6, Dyadic::ONE, Dyadic::from(6), Dyadic::new(5, -1)),
        (
            7,
            Dyadic::new(5, -2),
            Dyadic::new(29, -1),
            Dyadic::new(-25, -2),
        ),
        (8, Dyadic::new(3, -2), Dyadic::new(9, 0), Dyadic::new(9, 0)),
    ] {
        let grid_exponent = Rational::from(&scale).ceil_log2().unwrap();
        let ends = [-&bound, bound.clone()].map(|x| x.to_f64(Rounding::NearestEven));
        let parameters = FloatParameters {
            scale,
            grid_exponent,
            bound,
        };
        let output = few_bits(precision, &value, &parameters);
        let last_exponent = 60;
        let mut law: BTreeMap<u64, Dyadic> = BTreeMap::new();
        for negative in [false, true] {
            let mut before = None;
            let ranks = Pattern::last_rank(last_exponent, precision);
            for rank in 0..=u64::try_from(ranks).unwrap() {
                let pattern = Pattern::of_rank(&Natural::from(rank), precision);
                let here = output(negative, &pattern);
                if let Some(before) = before {
                    assert!(if negative {
                        before <= here
                    } else {
                        before >= here
                    });
                }
                before = Some(here);
                let u = UStar::new(pattern.mantissa.clone(), pattern.exponent, precision);
                let mass = law.entry(here.to_bits()).or_insert(Dyadic::ZERO);
                *mass = &*mass + &u.probability().times_power_of_two(-1);
            }
            let end = ends[usize::from(negative)];
            assert_eq!(before, Some(end), "enumerate further");
            let mass = law.get_mut(&end.to_bits()).unwrap();
            *mass = &*mass + &Dyadic::power_of_two(-(last_exponent as i64) - 1);
        }
        let bisected = bisected_law(precision, ends, |s, p| Ok(output(s, p))).unwrap();
        assert_eq!(bisected.masses().len(), law.len());
        for mass in bisected.masses() {
            assert_eq!(mass.probability, law[&mass.output.to_bits()]);
        }
    }
}

#[test]
fn a_function_that_is_not_monotone_is_refused() {
    let output = |negative: bool, pattern: &Pattern| {
        let noise = pattern.exponent.min(9) as f64;
        let turned = if pattern.exponent == 4 { 8.0 } else { noise };
        Ok(if negative { turned } else { -turned })
    };
    let refused = bisected_law(10, [-9.0, 9.0], output);
    assert!(matches!(refused, Err(ExactError::NotMonotone { .. })));
}

#[test]
fn erratum_13_a_uniform_that_underflows_never_reaches_the_end() {
    // U* cut at 2^-1074, as a double is: outputs beyond 745λ cannot occur.
    let output = |negative: bool, pattern: &Pattern| {
        let noise = (pattern.exponent.min(1074) as f64 * core::f64::consts::LN_2)
            .round()
            .min(2000.0);
        Ok(if negative { noise } else { -noise })
    };
    let refused = bisected_law(53, [-2000.0, 2000.0], output);
    assert_eq!(refused, Err(ExactError::EndNotReached { end: -2000.0 }));
    // The shipped code reaches them.
    let wide = snapping(Arithmetic::Binary64, "1", "2000");
    let law = exact_law(&wide, -3.0).unwrap();
    let last = law.masses().last().unwrap();
    assert_eq!(last.output, 2001.0);
    assert!(last.probability.is_positive() && last.probability < Dyadic::power_of_two(-2800));
}

#[test]
fn the_law_sums_to_one_and_lies_in_the_law_of_the_theory() {
    for (arithmetic, epsilon, bound) in [
        (Arithmetic::Binary64, "1", "16"),
        (Arithmetic::Binary64, "0.3", "200.7"),
        (Arithmetic::Multi, "0.7", "12.5"),
    ] {
        let mechanism = snapping(arithmetic, epsilon, bound);
        for value in [-3.0, 0.25, 1.0, 4.9] {
            let law = exact_law(&mechanism, value).unwrap();
            let total = law
                .masses()
                .iter()
                .fold(Dyadic::ZERO, |sum, m| &sum + &m.probability);
            assert_eq!(total, Dyadic::ONE);
            let theory = mechanism.law(&Rational::try_from(value).unwrap()).unwrap();
            let points: Vec<_> = theory.points().collect();
            assert_eq!(points.len(), law.masses().len());
            for (point, mass) in points.iter().zip(law.masses()) {
                assert_eq!(mechanism.publish(&point.value), mass.output);
                let exact = Rational::from(&mass.probability);
                assert!(
                    point.probability.contains_rational(&exact),
                    "{mass:?} {point:?}"
                );
            }
        }
    }
}

#[test]
fn what_cannot_be_bisected_is_refused_with_a_remedy() {
    let exact = Snapping::builder(Bounds::parse("0", "1").unwrap(), "1".parse().unwrap())
        .epsilon("1".parse().unwrap())
        .build()
        .unwrap();
    assert_eq!(exact_law(&exact, 0.0), Err(ExactError::ExactArithmetic));
    let wide = snapping(Arithmetic::Binary64, "1", "1000000");
    let refused = exact_law(&wide, 0.0).unwrap_err();
    assert!(
        refused.to_string().contains("choose a smaller bound"),
        "{refused}"
    );
    let mechanism = snapping(Arithmetic::Binary64, "1", "16");
    assert!(matches!(
        exact_law(&mechanism, f64::NAN),
        Err(ExactError::Release(_))
    ));
}

#[test]
fn values_beyond_the_bounds_have_the_law_of_the_bound() {
    let mechanism = snapping(Arithmetic::Binary64, "1", "16");
    let [far, at] = [1e300, 5.0].map(|value| exact_law(&mechanism, value).unwrap());
    assert_eq!(far, at);
    assert_eq!(divergence(&far, &at).loss().hi(), 0.0);
}
