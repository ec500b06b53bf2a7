//! What the shipped programs compute.

use std::collections::BTreeMap;

use lastbit::mechanisms::snapping::{FloatParameters, FormatArithmetic, noisy};
use lastbit_exact::{Dyadic, Enclosure, Format, Natural, Rational, Rounding};
use lastbit_noise::UStar;
use lastbit_verify::language::{Checked, Direction, LIBRARY, WellFormed, library, parse};
use lastbit_verify::semantics::{
    Boxes, InputError, Inputs, Instance, InstanceError, JudgementRecord,
};

fn checked(text: &str) -> Checked {
    Checked::new(parse(text).unwrap()).unwrap()
}

fn instance(text: &str) -> Instance {
    Instance::new(checked(text), &BTreeMap::new()).unwrap()
}

fn inputs(f: Dyadic, u: Dyadic, sign: i64) -> Inputs {
    Inputs::new(f).with("u", u).with("s", Dyadic::from(sign))
}

#[test]
fn the_floating_snapping_program_is_the_shipped_function() {
    for (precision, lambda) in [
        (8, Dyadic::ONE),
        (8, Dyadic::new(3, -1)),
        (11, Dyadic::new(5, -2)),
    ] {
        let format = Format::new(precision).unwrap();
        let bound = Dyadic::from(20);
        let values: BTreeMap<String, Rational> = [
            ("lambda".to_owned(), Rational::from(&lambda)),
            ("B".to_owned(), Rational::from(&bound)),
        ]
        .into();
        let program = Instance::new(checked(library("snapping").unwrap()), &values).unwrap();
        let grid_exponent = Rational::from(&lambda).ceil_log2().unwrap();
        let parameters = FloatParameters {
            scale: lambda.clone(),
            grid_exponent,
            bound,
        };
        for f in [
            Dyadic::ZERO,
            Dyadic::new(-11, -2),
            Dyadic::new(27, -1),
            Dyadic::from(-40),
        ] {
            for exponent in [1, 2, 3, 4, 6, 9, 15, 25, 40] {
                for mantissa in (0..1u32 << (precision - 1)).step_by(3) {
                    let u = UStar::new(Natural::from(mantissa), exponent, precision);
                    for negative in [false, true] {
                        let arithmetic = FormatArithmetic(format);
                        let shipped = noisy(&arithmetic, &f, negative, &u, &parameters);
                        let sign = if negative { -1 } else { 1 };
                        let run = program.floating(format, &inputs(f.clone(), u.value(), sign));
                        assert_eq!(run.unwrap().result.number, shipped);
                    }
                }
            }
        }
    }
}

#[test]
fn the_output_moves_as_the_analysis_says() {
    let format = Format::new(5).unwrap();
    for (name, text) in LIBRARY {
        let checked = checked(text);
        if checked.program().distribution("u").is_none() {
            continue;
        }
        let program = Instance::new(checked.clone(), &BTreeMap::new()).unwrap();
        for motion in checked.motions() {
            let mut inputs = Inputs::new(Dyadic::new(21, -3));
            for (sign, negative) in &motion.signs {
                inputs = inputs.with(sign, Dyadic::from(if *negative { -1 } else { 1 }));
            }
            let mut last: Option<Dyadic> = None;
            for exponent in (1..=12u64).rev() {
                for mantissa in 0..16u32 {
                    let u = UStar::new(Natural::from(mantissa), exponent, 5).value();
                    let inputs = inputs.clone().with("u", u);
                    let value = match program.floating(format, &inputs) {
                        Ok(run) => run.result.number,
                        // A program over the reals has no floating value; its real one is enclosed
                        // narrowly.
                        Err(_) => program.real(&inputs, 60).unwrap().lo().clone(),
                    };
                    if let Some(last) = &last {
                        match motion.samples["u"] {
                            Direction::Increasing => assert!(value >= *last, "{name}"),
                            Direction::Decreasing => assert!(value <= *last, "{name}"),
                            other => panic!("{name}: {other:?}"),
                        }
                    }
                    last = Some(value);
                }
            }
        }
    }
}

#[test]
fn a_short_grid_a_tie_and_a_signed_zero() {
    let value = |options: &str, f: Dyadic| {
        let program = instance(&format!("return round(f, 2{options})"));
        program
            .floating(Format::BINARY64, &Inputs::new(f))
            .unwrap()
            .result
    };
    let number = |options: &str, f: i64| value(options, Dyadic::from(f)).number;
    let ties = [-5, -3, -1, 1, 3, 5];
    assert_eq!(
        ties.map(|f| number("", f)),
        [-4, -2, 0, 2, 4, 6].map(Dyadic::from)
    );
    assert_eq!(
        ties.map(|f| number(", ties: even", f)),
        [-4, -4, 0, 0, 4, 4].map(Dyadic::from)
    );
    assert_eq!(
        ties.map(|f| number(", ties: away", f)),
        [-6, -4, -2, 2, 4, 6].map(Dyadic::from)
    );
    let small = Dyadic::new(-1, -3);
    assert!(!value("", small.clone()).negative_zero);
    assert!(value(", zero: signed", small.clone()).negative_zero);
    assert!(!value(", zero: signed", -&small).negative_zero);
    // IEEE's rules carry the sign on: −0 + 0 = 0, −0 · 2 = −0, clamp(−0) = −0.
    for (text, negative) in [
        ("z = round(f, 2, zero: signed)\nreturn z (+) 0", false),
        ("z = round(f, 2, zero: signed)\nreturn z (+) z", true),
        ("z = round(f, 2, zero: signed)\nreturn z (*) 2", true),
        ("z = round(f, 2, zero: signed)\nreturn -z", false),
        ("z = round(f, 2, zero: signed)\nreturn clamp(z, 1)", true),
        ("return 1 (-) 1", false),
    ] {
        let run = instance(text)
            .floating(Format::BINARY64, &Inputs::new(small.clone()))
            .unwrap();
        assert!(run.result.number.is_zero());
        assert_eq!(run.result.negative_zero, negative, "{text}");
    }
}

#[test]
fn the_real_value_is_enclosed_as_narrowly_as_asked() {
    let program =
        instance("parameters lambda = 1/3\nu <- unif; s <- sign\nreturn f + s * lambda * ln(u)");
    let inputs = inputs(Dyadic::from(7), Dyadic::new(1, -1), 1);
    let mut last: Option<Enclosure> = None;
    for bits in [10, 60, 200, 900] {
        let value = program.real(&inputs, bits).unwrap();
        assert!(value.width() <= Dyadic::new(7, -i64::from(bits)));
        if let Some(last) = last {
            assert!(last.lo() <= value.lo() && value.hi() <= last.hi());
        }
        last = Some(value);
    }
    let nearest = 7.0 - std::f64::consts::LN_2 / 3.0;
    let value = last.unwrap().lo().to_f64(Rounding::NearestEven);
    assert!((value - nearest).abs() < 1e-14);
    // A tie of the grid that no precision decides: one cell wide, and still right.
    let tie = instance("return round(f / 3 * 3, 2)");
    let value = tie.real(&Inputs::new(Dyadic::ONE), 50).unwrap();
    assert_eq!((value.lo(), value.hi()), (&Dyadic::ZERO, &Dyadic::from(2)));
}

#[test]
fn fl_rounds_the_real_value_once() {
    let format = Format::new(5).unwrap();
    let value = |text: &str, f: Dyadic| {
        instance(text)
            .floating(format, &Inputs::new(f))
            .unwrap()
            .result
            .number
    };
    // 17/16 squared is 289/256: 1.0010 0001 in binary. Less 9/8 it is 1/256, which a rounded
    // product loses.
    let f = Dyadic::new(17, -4);
    assert_eq!(
        value("return fl(f * f - 1.125)", f.clone()),
        Dyadic::power_of_two(-8)
    );
    assert_eq!(value("return f (*) f (-) 1.125", f), Dyadic::ZERO);
    // (1/3)·3 is 1 exactly, which enclosures alone would never decide.
    assert_eq!(
        value("third = 1 / 3\nreturn fl(third * 3)", Dyadic::ZERO),
        Dyadic::ONE
    );
    assert_eq!(
        value("return fl(ln(2) / ln(2) + f)", Dyadic::new(1, -9)),
        Dyadic::ONE
    );
    // Inside fl the query is what it is; outside it is a number of the format.
    let long = Dyadic::new(0b100001, 0);
    assert_eq!(value("return fl(f - 32)", long.clone()), Dyadic::ONE);
    assert_eq!(value("return f (-) 32", long), Dyadic::ZERO);
}

#[test]
fn signs_and_powers_of_two_do_not_widen() {
    let widths = |text: &str| {
        let boxes = Boxes::from(&inputs(Dyadic::from(3), Dyadic::new(5, -3), -1));
        let program = instance(text);
        let judgement = program.judge(Format::new(8).unwrap(), &boxes).unwrap();
        judgement.result.enclosure.width()
    };
    let samples = "u <- unif; s <- sign\n";
    for exact in [
        "s (*) f",
        "f (*) 4",
        "f (/) 0.5",
        "-f",
        "clamp(f, 2)",
        "round(f, 0.5)",
        "f (*) -s",
    ] {
        assert!(
            widths(&format!("{samples}return {exact}")).is_zero(),
            "{exact}"
        );
    }
    for rounded in ["f (*) 3", "f (/) 5", "f (+) u", "fl(f)", "ln~(u)"] {
        assert!(
            widths(&format!("{samples}return {rounded}")).is_positive(),
            "{rounded}"
        );
    }
}

#[test]
fn a_derivation_is_text_latex_and_data() {
    let program = instance("u <- unif; s <- sign\ny = ln~(u)\nreturn clamp(f, 2) (+) s (*) y");
    let boxes = Boxes::from(&inputs(Dyadic::from(3), Dyadic::new(1, -1), -1));
    let judgement = program.judge(Format::new(5).unwrap(), &boxes).unwrap();
    assert_eq!(
        judgement.to_string(),
        "\
y =
  ln(u) ⇓ ln~(u), [-0.7148080299524436, -0.6721427205429772]   (ln)
    u ⇓ u, [0.5, 0.5]   (sample)
return
  clamp(f, 2) + s * y ⇓ clamp(f, 2) (+) s (*) y, [2.5911686987083415, 2.799645780888458]   (add)
    clamp(f, 2) ⇓ clamp(f, 2), [2, 2]   (clamp)
      f ⇓ f, [3, 3]   (query)
    s * y ⇓ s (*) y, [0.6721427205429772, 0.7148080299524436]   (scale)
      s ⇓ s, [-1, -1]   (sample)
      y ⇓ y, [-0.7148080299524436, -0.6721427205429772]   (var)
"
    );
    let record = judgement.record();
    let json = serde_json::to_string(&record).unwrap();
    assert_eq!(
        serde_json::from_str::<JudgementRecord>(&json).unwrap(),
        record
    );
    assert_eq!(record.result.premises[0].lo, "1*2^1");
    let latex = judgement.latex();
    assert!(
        latex.contains(r"\mathsf{clamp}_{2}\left(f\right) \oplus s \otimes y"),
        "{latex}"
    );
    assert!(latex.contains(r"\inferrule*[right=ln]"), "{latex}");
    assert_eq!(latex.matches('{').count(), latex.matches('}').count());
    assert!(
        program
            .program()
            .latex()
            .starts_with(r"u \stackrel{\$}{\leftarrow} \mathsf{unif};\ ")
    );
}

#[test]
fn wrong_parameters_and_inputs_are_refused() {
    let text = "parameters lambda, Lambda = lambda, B = 2 - lambda\nu <- unif; s <- sign\n\
        return clamp(round(f, Lambda), B)";
    let make = |values: &[(&str, &str)]| {
        let values = values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.parse().unwrap()))
            .collect();
        Instance::new(checked(text), &values)
    };
    let error = |values: &[(&str, &str)]| make(values).unwrap_err().to_string();
    assert_eq!(
        error(&[]),
        "the parameter `lambda` has no value; set it, or declare a default: `lambda = 1`"
    );
    assert_eq!(
        error(&[("x", "1")]),
        "the program has no parameter `x`; it has lambda, Lambda, B"
    );
    assert_eq!(
        error(&[("lambda", "-1")]),
        "the parameter `lambda` must be positive, got -1"
    );
    assert_eq!(
        error(&[("lambda", "3")]),
        "the parameter `B` must be positive, got -1"
    );
    assert_eq!(
        error(&[("lambda", "0.3")]),
        "3:23: the grid 0.3 is not a power of two; round it up with ceil2, or give a power of two"
    );
    assert!(matches!(
        make(&[("lambda", "-1")]),
        Err(InstanceError::NotPositive { .. })
    ));
    let program = make(&[("lambda", "1")]).unwrap();
    let run = |inputs: &Inputs| program.floating(Format::BINARY64, inputs).unwrap_err();
    let half = Dyadic::new(1, -1);
    let zero = || Inputs::new(Dyadic::ZERO);
    assert_eq!(run(&zero()), InputError::Missing("u".to_owned()));
    assert_eq!(
        run(&inputs(Dyadic::ZERO, Dyadic::ONE, 1)),
        InputError::Uniform("u".to_owned())
    );
    assert_eq!(
        run(&inputs(Dyadic::ZERO, half.clone(), 2)),
        InputError::Sign("s".to_owned())
    );
    let extra = inputs(Dyadic::ZERO, half.clone(), 1).with("t", half.clone());
    assert_eq!(run(&extra), InputError::Unknown("t".to_owned()));
    let huge = inputs(Dyadic::power_of_two(1 << 50), half, 1);
    assert_eq!(run(&huge), InputError::Size("f".to_owned()));
}

#[test]
fn an_interval_with_zero_does_not_divide() {
    let program = WellFormed::new(parse("x = f (-) 1\nreturn 2 (/) x").unwrap()).unwrap();
    let program = Instance::new(program, &BTreeMap::new()).unwrap();
    let boxes = Boxes::new(Enclosure::new(Dyadic::ZERO, Dyadic::from(2)).unwrap());
    let error = program.judge(Format::BINARY64, &boxes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2:10: the interval of the divisor `x` holds zero; narrow the intervals of the inputs, or \
         divide by what keeps off zero"
    );
    let at_one = program.floating(Format::BINARY64, &Inputs::new(Dyadic::ONE));
    assert!(matches!(at_one, Err(InputError::Evaluation(_))));
    let off = Boxes::new(Enclosure::new(Dyadic::from(2), Dyadic::from(3)).unwrap());
    assert!(program.judge(Format::BINARY64, &off).is_ok());
}

#[test]
fn numbers_that_grow_without_bound_are_an_error_and_not_a_crash() {
    let squares: String = (1..80)
        .map(|i| format!("x{i} = x{} (*) x{}\n", i - 1, i - 1))
        .collect();
    let text = format!("x0 = f (*) 1\n{squares}return x79");
    let program = WellFormed::new(parse(&text).unwrap()).unwrap();
    let program = Instance::new(program, &BTreeMap::new()).unwrap();
    let three = Inputs::new(Dyadic::from(3));
    assert!(program.floating(Format::BINARY64, &three).is_err());
    assert!(
        program
            .judge(Format::BINARY64, &Boxes::from(&three))
            .is_err()
    );
    assert!(program.real(&three, 50).is_err());
    // The same in real variables, rounded at the end; and in parameters.
    let real = format!(
        "{}return fl(x79)",
        text.replace("return x79", "").replace("(*)", "*")
    );
    let program = WellFormed::new(parse(&real).unwrap()).unwrap();
    let program = Instance::new(program, &BTreeMap::new()).unwrap();
    assert!(program.floating(Format::BINARY64, &three).is_err());
    let parameters: String = (1..80)
        .map(|i| format!("parameters q{i} = q{} * q{}\n", i - 1, i - 1))
        .collect();
    let text = format!("parameters q0 = 3\n{parameters}return f");
    let error = Instance::new(checked(&text), &BTreeMap::new()).unwrap_err();
    assert!(
        error.to_string().contains("takes more than 65536 bits"),
        "{error}"
    );
}
