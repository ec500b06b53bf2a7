//! Statements about programs and their rounding errors that look right and are not.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_exact::{Dyadic, Enclosure, Format, Natural, Rational};
use lastbit_noise::UStar;
use lastbit_verify::language::{Checked, WellFormed, library, parse};
use lastbit_verify::semantics::{Boxes, Inputs, Instance};

fn instance(text: &str, values: &[(&str, i64)]) -> Instance {
    let values = values
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Rational::from(*value)))
        .collect();
    let program = WellFormed::new(parse(text).unwrap()).unwrap();
    Instance::new(program, &values).unwrap()
}

/// The rule as printed: the lower end divided by 1 + η and the upper end multiplied, whatever their
/// signs.
fn printed_rule(exact: &Dyadic, format: Format) -> Option<Enclosure> {
    let factor = &Dyadic::ONE + &format.unit_roundoff();
    let wide = Format::new(200).unwrap();
    let lo = wide
        .div(exact, &factor, lastbit_exact::Rounding::Down)
        .unwrap();
    let hi = wide.mul(exact, &factor, lastbit_exact::Rounding::Up);
    Enclosure::new(lo, hi)
}

#[test]
fn erratum_14_widening_follows_the_sign() {
    let format = Format::new(4).unwrap();
    for operator in ["(+)", "(-)", "(*)", "(/)"] {
        let program = instance(&format!("a <- laplace(1)\nreturn f {operator} a"), &[]);
        let (mut inside, mut outside_printed) = (0, 0);
        for f in -15..=15i64 {
            for a in (-15..=15i64).filter(|a| *a != 0) {
                let inputs = Inputs::new(Dyadic::from(f)).with("a", Dyadic::from(a));
                let value = program.floating(format, &inputs).unwrap().result.number;
                let judgement = program.judge(format, &Boxes::from(&inputs)).unwrap();
                assert!(
                    judgement.result.enclosure.contains(&value),
                    "{f} {operator} {a}"
                );
                inside += 1;
                let exact = program.real(&inputs, 100).unwrap();
                // For a negative result the printed ends are in the wrong order: nothing is between
                // them.
                let printed = printed_rule(exact.lo(), format);
                outside_printed += u32::from(!printed.is_some_and(|e| e.contains(&value)));
                assert!(!exact.lo().is_negative() || printed_rule(exact.lo(), format).is_none());
            }
        }
        assert_eq!(inside, 31 * 30);
        assert!(outside_printed > 300, "{operator}: {outside_printed}");
    }
}

#[test]
fn erratum_14_the_logarithm_of_a_uniform_is_negative() {
    // ln(u)(1+η) is the lower end and ln(u)/(1+η) the upper one.
    let program = instance("u <- unif\nreturn ln~(u)", &[]);
    let format = Format::new(5).unwrap();
    let u = Dyadic::new(3, -4);
    let inputs = Inputs::new(Dyadic::ZERO).with("u", u);
    let exact = program.real(&inputs, 100).unwrap();
    let judgement = program.judge(format, &Boxes::from(&inputs)).unwrap();
    let [lo, hi] = [
        judgement.result.enclosure.lo(),
        judgement.result.enclosure.hi(),
    ];
    let eta = format.unit_roundoff();
    let near = |x: &Dyadic, y: &Dyadic| (x - y).abs() < Dyadic::power_of_two(-60);
    let factor = &Dyadic::ONE + &eta;
    assert!(near(lo, &(exact.lo() * &factor)));
    assert!(near(&(hi * &factor), exact.hi()));
    assert!(lo < exact.lo() && exact.hi() < hi && hi.is_negative());
}

#[test]
fn erratum_14_the_noise_is_divided_by_epsilon() {
    // `ln(u) ⊕ ε` as printed is no scale of noise: at ε = 4 the two are −ln(2)/4 and 4 − ln(2).
    let program = instance(library("snapping_by_division").unwrap(), &[("epsilon", 4)]);
    let inputs = Inputs::new(Dyadic::ZERO)
        .with("u", Dyadic::new(1, -1))
        .with("s", Dyadic::ONE);
    let run = program.floating(Format::BINARY64, &inputs).unwrap();
    let y = run.variables["y"]
        .number
        .to_f64(lastbit_exact::Rounding::NearestEven);
    assert_eq!(y, -std::f64::consts::LN_2 / 4.0);
}

/// The probability of each output of a program that draws u and s, from every U* of these
/// exponents.
fn law(
    program: &Instance,
    precision: u32,
    f: i64,
    exponents: impl Iterator<Item = u64>,
) -> BTreeMap<Dyadic, Dyadic> {
    let format = Format::new(precision).unwrap();
    let mut law = BTreeMap::new();
    for exponent in exponents {
        for mantissa in 0..1u32 << (precision - 1) {
            let u = UStar::new(Natural::from(mantissa), exponent, precision);
            for sign in [-1, 1] {
                let inputs = Inputs::new(Dyadic::from(f))
                    .with("u", u.value())
                    .with("s", Dyadic::from(sign));
                let output = program.floating(format, &inputs).unwrap().result.number;
                let mass = law.entry(output).or_insert(Dyadic::ZERO);
                *mass = &*mass + &u.probability().times_power_of_two(-1);
            }
        }
    }
    law
}

#[test]
fn erratum_15_the_theorem_needs_a_clamped_query() {
    // p = 8, λ = Λ = 2, B = 6, |f − f'| = 2 = λ. Beyond |z| = 512 the numbers of 8 bits are 4
    // apart, so 512 ⊕ z is never −2, and 510 ⊕ z is never −4: an output that one of two neighbours
    // cannot have.
    let values = [("lambda", 2), ("B", 6)];
    // Above 2^-12 is what happens at |f| ≤ B; between 2^-380 and 2^-355, |z| goes from 492 to 528.
    let exponents = || (1..=12).chain(355..=380);
    let outputs = |name: &str, f: i64| -> BTreeSet<Dyadic> {
        let program = instance(library(name).unwrap(), &values);
        law(&program, 8, f, exponents()).into_keys().collect()
    };
    let without = "snapping_without_inner_clamp";
    let [at_512, at_510] = [outputs(without, 512), outputs(without, 510)];
    assert!(!at_512.contains(&Dyadic::from(-2)) && at_510.contains(&Dyadic::from(-2)));
    assert!(at_512.contains(&Dyadic::from(-4)) && !at_510.contains(&Dyadic::from(-4)));
    // Clamped first, every output is possible for both.
    let all: BTreeSet<Dyadic> = (-3..=3).map(|k| Dyadic::from(2 * k)).collect();
    assert_eq!(outputs("snapping", 512), all);
    assert_eq!(outputs("snapping", 510), all);
    // And where |f| ≤ B the missing clamp changes nothing.
    let programs = [without, "snapping"].map(|name| instance(library(name).unwrap(), &values));
    assert_eq!(
        law(&programs[0], 8, 6, 1..=20),
        law(&programs[1], 8, 6, 1..=20)
    );
}

#[test]
fn erratum_15_the_checker_tells_of_an_unclamped_query() {
    let text = library("snapping_without_inner_clamp").unwrap();
    let checked = Checked::new(parse(text).unwrap()).unwrap();
    let told = checked.unclamped_query().unwrap();
    assert_eq!(
        told.to_string(),
        "8:7: the query is not clamped before noise is added; the bound on the loss holds only \
         where what is added to the noise lies in [-B, B]: clamp it to B"
    );
    let shipped = Checked::new(parse(library("snapping").unwrap()).unwrap()).unwrap();
    assert_eq!(shipped.unclamped_query(), None);
}
