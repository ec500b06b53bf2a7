//! Programs of the library: certified, or refused where the proof fails, with a counterexample.

use lastbit_exact::{Rational, Rounding};
use lastbit_verify::certificate::{Factor, Finding, Gap, Premise, check, prove_program, search};
use lastbit_verify::language::{WellFormed, library, parse};
use lastbit_verify::semantics::Instance;

fn instance(text: &str, parameters: &[(&str, &str)]) -> Instance {
    let values = parameters
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.parse().unwrap()))
        .collect();
    Instance::new(WellFormed::new(parse(text).unwrap()).unwrap(), &values).unwrap()
}

fn shipped(name: &str) -> Instance {
    instance(library(name).unwrap(), &[])
}

fn refused(name: &str, precision: u32) -> (Gap, Option<Finding>) {
    let instance = shipped(name);
    let gap = prove_program(&instance, precision).unwrap_err();
    let found = search(&instance, Some(gap.premise), &Rational::ONE);
    (gap, found)
}

fn assert_infinite(name: &str, premise: Premise, line: u32) {
    let (gap, found) = refused(name, 53);
    assert_eq!((gap.premise, gap.at.line), (premise, line), "{name}: {gap}");
    let found = found.unwrap();
    assert!(
        found.loss.is_infinite() && found.is_counterexample(),
        "{name}: {found:?}"
    );
    let distance = Rational::from(&(&found.value - &found.neighbour).abs());
    assert!(distance <= Rational::ONE, "{name}: {found:?}");
}

#[test]
fn the_shipped_program_and_its_variants_are_certified() {
    for (name, clamped, assumption) in [
        ("snapping", true, false),
        ("snapping_by_division", true, false),
        ("snapping_scaled", true, false),
        ("snapping_without_inner_clamp", false, true),
    ] {
        let program = instance(library(name).unwrap(), &[("epsilon", "0.7")]);
        for precision in [53, 118] {
            let (claim, certificate) = prove_program(&program, precision).unwrap();
            assert_eq!(claim.clamped, clamped);
            let accepted = check(&certificate).unwrap();
            assert_eq!(accepted.claim.query_within.is_some(), assumption);
            let loss = accepted.certified.to_f64(Rounding::Up);
            assert!((0.7..0.7 + 1e-10).contains(&loss), "{name}: {loss}");
        }
    }
}

#[test]
fn division_of_the_input_adds_to_the_sensitivity() {
    let text = library("snapping_scaled").unwrap();
    let exact = instance(text, &[("Delta", "2")]);
    let rounded = instance(text, &[("Delta", "3")]);
    let epsilon = |program| {
        let (claim, certificate) = prove_program(program, 53).unwrap();
        assert!(matches!(claim.input[..], [Factor::Over(_)]));
        check(&certificate).unwrap().epsilon
    };
    assert_eq!(epsilon(&exact), Rational::ONE);
    // 2ηB more, B = 1024.
    let error = Rational::ONE.times_power_of_two(11 - 53);
    assert_eq!(epsilon(&rounded), &Rational::ONE + &error);
}

#[test]
fn erratum_15_an_unclamped_input_beyond_the_bound_is_told_apart() {
    let program = shipped("snapping_without_inner_clamp");
    let found = search(&program, Some(Premise::InnerClamp), &Rational::ONE).unwrap();
    assert!(found.loss.is_infinite(), "{found:?}");
    assert!(Rational::from(&found.value) > found.bound.unwrap());
}

#[test]
fn naive_laplace_fails_for_want_of_a_grid() {
    assert_infinite("naive_laplace", Premise::Grid, 7);
}

#[test]
fn a_fine_grid_fails_at_the_grid() {
    let (gap, found) = refused("broken_fine_grid", 53);
    assert_eq!(gap.premise, Premise::Grid);
    assert!(found.unwrap().loss.is_infinite());
}

#[test]
fn a_missing_outer_clamp_fails_at_the_result() {
    assert_infinite("broken_missing_outer_clamp", Premise::OuterClamp, 10);
}

#[test]
fn a_missing_sign_fails_at_the_noise() {
    assert_infinite("broken_no_sign", Premise::Noise, 7);
}

#[test]
fn erratum_4_a_short_uniform_fails_where_it_is_drawn() {
    let (gap, found) = refused("broken_short_uniform", 16);
    assert_eq!((gap.premise, gap.at.line), (Premise::FullUniform, 5));
    let found = found.unwrap();
    assert!(found.loss > 1.07 && found.allowed < 1.003, "{found:?}");
}

#[test]
fn erratum_13_a_truncated_exponent_fails_where_it_is_drawn() {
    assert_infinite("broken_underflow", Premise::UnboundedExponent, 6);
}

#[test]
fn a_sign_of_zero_fails_at_the_rounding() {
    let (gap, found) = refused("broken_signed_zero", 53);
    assert_eq!(gap.premise, Premise::PositiveZero);
    // Not a violation by itself: the sign is a function of the noisy sum. The proof does not cover
    // half cells.
    assert!(found.unwrap().loss.is_finite());
}

#[test]
fn half_the_noise_is_certified_at_twice_the_loss_and_refuted_at_the_claim() {
    let program = shipped("broken_half_noise");
    let (_, certificate) = prove_program(&program, 53).unwrap();
    let accepted = check(&certificate).unwrap();
    assert_eq!(accepted.epsilon, Rational::from(2i64));
    let found = search(&program, None, &Rational::ONE).unwrap();
    assert!(found.is_counterexample() && found.loss > 1.9, "{found:?}");
}

#[test]
fn sound_programs_yield_no_counterexample() {
    for name in ["snapping", "snapping_by_division", "snapping_scaled"] {
        let found = search(&shipped(name), None, &Rational::ONE).unwrap();
        assert!(!found.is_counterexample(), "{name}: {found:?}");
        assert!(found.loss > 0.99, "the search is not idle");
    }
}

#[test]
fn real_programs_are_not_floating_ones() {
    let gap = prove_program(&shipped("ideal_snapping"), 53).unwrap_err();
    assert_eq!(gap.premise, Premise::Noise);
}
