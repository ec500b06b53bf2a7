//! Bad input gives a typed error that names the remedy; extreme input works or gives one; nothing
//! panics.

use lastbit::mechanisms::snapping::{
    Arithmetic, Bound, Builder, GridRule, Snapping, SnappingError,
};
use lastbit::{Accuracy, Bounds, Confidence, Epsilon, Gamma, ParameterError, Sensitivity};
use lastbit_exact::Rational;
use lastbit_noise::entropy::System;
use lastbit_noise::enumerate::Prefix;

const FLOATS: [Arithmetic; 2] = [Arithmetic::Binary64, Arithmetic::Multi];
const ALL: [Arithmetic; 3] = [Arithmetic::Exact, Arithmetic::Binary64, Arithmetic::Multi];

fn builder(lower: &str, upper: &str, sensitivity: &str) -> Builder {
    Snapping::builder(
        Bounds::parse(lower, upper).unwrap(),
        sensitivity.parse().unwrap(),
    )
}

fn unit() -> Builder {
    builder("0", "100", "1")
}

#[test]
fn parameters_refuse_what_they_cannot_hold() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(
            Epsilon::try_from(bad),
            Err(ParameterError::NotFinite { .. })
        ));
        assert!(matches!(
            Sensitivity::try_from(bad),
            Err(ParameterError::NotFinite { .. })
        ));
        assert!(matches!(
            Bounds::from_f64(bad, 1.0),
            Err(ParameterError::NotFinite { .. })
        ));
        assert!(matches!(
            Bounds::from_f64(0.0, bad),
            Err(ParameterError::NotFinite { .. })
        ));
    }
    for bad in [0.0, -0.0, -1.0, -5e-324] {
        assert!(matches!(
            Epsilon::try_from(bad),
            Err(ParameterError::NotPositive { .. })
        ));
        assert!(matches!(
            Sensitivity::try_from(bad),
            Err(ParameterError::NotPositive { .. })
        ));
        assert!(matches!(
            Accuracy::try_from(bad),
            Err(ParameterError::NotPositive { .. })
        ));
        assert!(matches!(
            Confidence::try_from(bad),
            Err(ParameterError::NotAProbability { .. })
        ));
        assert!(matches!(
            Gamma::try_from(bad),
            Err(ParameterError::NotAProbability { .. })
        ));
    }
    for bad in [1.5, f64::MAX] {
        assert!(matches!(
            Confidence::try_from(bad),
            Err(ParameterError::NotAProbability { .. })
        ));
        assert!(matches!(
            Gamma::try_from(bad),
            Err(ParameterError::NotAProbability { .. })
        ));
    }
    assert!(Confidence::try_from(1.0).is_err());
    assert!(Gamma::try_from(1.0).is_ok(), "γ is in (0, 1]");
    assert_eq!(
        Bounds::parse("5", "2").unwrap_err().to_string(),
        "bounds [5, 2]: lower is above upper; swap them?"
    );
    assert_eq!(
        Epsilon::try_from(-1.0).unwrap_err().to_string(),
        "epsilon must be positive, got -1"
    );
    for text in ["", "nan", "inf", "1e", "0x10", "1,5", "1e999999"] {
        assert!(text.parse::<Epsilon>().is_err(), "{text}");
    }
}

#[test]
fn values_that_are_not_finite_are_refused_and_nothing_is_drawn() {
    for arithmetic in ALL {
        let mechanism = unit()
            .epsilon("1".parse().unwrap())
            .arithmetic(arithmetic)
            .build()
            .unwrap();
        let mut entropy = Prefix::of_words([], 0x5555_5555_5555_5555);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = mechanism.draw(bad, &mut entropy).unwrap_err();
            assert!(matches!(
                error,
                SnappingError::ValueNotFinite { index: 0, .. }
            ));
            let mut outputs = [7.0; 3];
            let error = mechanism
                .draw_slice(&[1.0, bad, 2.0], &mut outputs, &mut entropy)
                .unwrap_err();
            assert!(matches!(
                error,
                SnappingError::ValueNotFinite { index: 1, .. }
            ));
            assert_eq!(outputs, [7.0; 3]);
        }
        assert_eq!(entropy.words_read(), 0);
        let error = mechanism
            .draw_slice(&[1.0], &mut [], &mut entropy)
            .unwrap_err();
        assert!(matches!(
            error,
            SnappingError::LengthMismatch {
                values: 1,
                outputs: 0
            }
        ));
        assert!(mechanism.draw_slice(&[], &mut [], &mut entropy).is_ok());
    }
}

#[test]
fn no_entropy_is_an_error_and_not_an_output() {
    for arithmetic in ALL {
        let mechanism = unit()
            .epsilon("1".parse().unwrap())
            .arithmetic(arithmetic)
            .build()
            .unwrap();
        // All zeros: U has no end of leading zeros, and the stream ends before one is found.
        let mut entropy = Prefix::of_words([], 0);
        let error = mechanism.draw(1.0, &mut entropy).unwrap_err();
        assert!(matches!(error, SnappingError::Entropy(_)), "{error}");
    }
}

#[test]
fn a_mechanism_without_a_loss_is_refused() {
    assert_eq!(unit().build().unwrap_err(), SnappingError::NoLoss);
}

#[test]
fn float_modes_name_the_limit_that_failed() {
    let bound = |text: &str| Bound::Value(text.parse().unwrap());
    for arithmetic in FLOATS {
        let build = |builder: Builder| builder.arithmetic(arithmetic).build();
        let one = || unit().epsilon("1".parse().unwrap());
        assert!(matches!(
            build(one().bound(Bound::Infinite)),
            Err(SnappingError::InfiniteBound { .. })
        ));
        assert!(matches!(
            build(one().grid(GridRule::fixed(-3).unwrap())),
            Err(SnappingError::FineGrid { .. })
        ));
        assert!(matches!(
            build(
                builder("-1", "1", "10")
                    .epsilon("1".parse().unwrap())
                    .bound(bound("2"))
            ),
            Err(SnappingError::BoundNotAboveScale { .. })
        ));
        assert!(matches!(
            build(one().bound(bound("49"))),
            Err(SnappingError::BoundBelowHalfWidth { .. })
        ));
        assert!(matches!(
            build(one().bound(bound("0"))),
            Err(SnappingError::Parameter(_))
        ));
    }
    let binary64 = |builder: Builder| builder.arithmetic(Arithmetic::Binary64).build();
    let error = binary64(unit().epsilon("2e-16".parse().unwrap())).unwrap_err();
    assert!(matches!(error, SnappingError::EpsilonBelowRoundoff { .. }));
    assert!(
        error.to_string().contains("use exact arithmetic"),
        "{error}"
    );
    let error = binary64(unit().epsilon("1".parse().unwrap()).bound(bound("1e15"))).unwrap_err();
    assert!(
        matches!(error, SnappingError::BoundBeyondPrecision { .. }),
        "{error}"
    );
    // Values that would underflow when they are counted in steps: bounds that are doubles, and
    // bounds that are not.
    let narrow = |bounds: Bounds| {
        binary64(
            Snapping::builder(bounds, "1".parse().unwrap())
                .epsilon("1".parse().unwrap())
                .bound(bound("100")),
        )
    };
    let tiny = 2f64.powi(-1001);
    assert!(narrow(Bounds::from_f64(-2.0 * tiny, 2.0 * tiny).unwrap()).is_ok());
    assert!(narrow(Bounds::parse("-1e-300", "1e-300").unwrap()).is_ok());
    for bounds in [
        Bounds::from_f64(-tiny, tiny),
        Bounds::parse("-1e-305", "1e-305"),
    ] {
        let error = narrow(bounds.unwrap()).unwrap_err();
        assert!(
            matches!(error, SnappingError::BoundsUnderflow { .. }),
            "{error}"
        );
    }
    // Bounds of no width leave one value.
    assert!(narrow(Bounds::parse("5", "5").unwrap()).is_ok());
    // A loss that binary64 cannot carry is no trouble for multi, up to a point.
    let multi = |text: &str| {
        unit()
            .epsilon(text.parse().unwrap())
            .arithmetic(Arithmetic::Multi)
            .build()
    };
    assert!(multi("1e-40").unwrap().precision().unwrap() > 118);
    assert!(matches!(
        multi("1e-330"),
        Err(SnappingError::PrecisionTooLarge { .. } | SnappingError::Utility(_))
    ));
}

/// A premise of `release64_rounded` in `proofs/Release64.v`, which asks for 2^58: whatever is
/// accepted has bounds within 2^53 steps of zero.
#[test]
fn binary64_bounds_are_within_2_to_the_53_steps_of_zero() {
    let (mut accepted, mut refused) = (0, 0);
    for size in 0..70 {
        for loss in ["1", "1000", "1000000", "1000000000"] {
            let upper = Rational::ONE.times_power_of_two(size);
            let lower = &upper - &"0.3".parse::<Rational>().unwrap();
            let bounds = Bounds::new(lower, upper.clone()).unwrap();
            let built = Snapping::builder(bounds, "0.1".parse().unwrap())
                .epsilon(loss.parse().unwrap())
                .arithmetic(Arithmetic::Binary64)
                .build();
            let Ok(snapping) = built else {
                refused += 1;
                continue;
            };
            accepted += 1;
            let steps = upper.times_power_of_two(-snapping.grid_exponent().get());
            let most = Rational::ONE.times_power_of_two(53);
            assert!(steps <= most, "2^{size}, {loss}");
        }
    }
    assert!(accepted > 40 && refused > 10, "{accepted} {refused}");
}

#[test]
fn grids_that_overflow_or_that_doubles_cannot_carry_are_refused() {
    let fine = |exponent| {
        unit()
            .epsilon("1".parse().unwrap())
            .grid(GridRule::fixed(exponent).unwrap())
            .build()
    };
    for exponent in [5000, i64::MAX, -5000, i64::MIN] {
        assert!(GridRule::fixed(exponent).is_err(), "{exponent}");
    }
    for exponent in [1024, 1100, -1075, -1100] {
        assert!(
            matches!(fine(exponent), Err(SnappingError::GridOutOfRange { .. })),
            "{exponent}"
        );
    }
    let Err(SnappingError::GridTooFine { coarsest, .. }) = fine(-60) else {
        panic!("too fine a grid is refused");
    };
    assert!(fine(coarsest).is_ok() && fine(coarsest - 1).is_err());
    // A coarse one is only useless.
    assert!(fine(900).is_ok());
}

#[test]
fn accuracy_targets_that_cannot_be_met_are_refused() {
    let confidence: Confidence = "0.95".parse().unwrap();
    let error = unit()
        .accuracy("0.001".parse().unwrap(), confidence.clone())
        .grid(GridRule::fixed(0).unwrap())
        .build()
        .unwrap_err();
    assert!(matches!(error, SnappingError::Utility(_)), "{error}");
    assert!(
        unit()
            .accuracy("1e-320".parse().unwrap(), confidence)
            .build()
            .is_err()
    );
}

/// Every combination of extreme numbers either builds and releases numbers within its bounds, or is
/// refused with a text.
#[test]
fn extreme_numbers_work_or_give_an_error() {
    let sizes = [
        "5e-324", "1e-310", "2.3e-308", "1e-100", "1", "1e100", "1e300", "1.7e308",
    ];
    let mut entropy = System::default();
    let (mut built, mut refused) = (0, 0);
    for lower in ["0", "-1.7e308", "-1", "1e-320", "1e307"] {
        for upper in sizes {
            for sensitivity in sizes {
                for epsilon in ["1e-300", "1e-10", "1", "100", "1e300"] {
                    let Ok(bounds) = Bounds::parse(lower, upper) else {
                        continue;
                    };
                    for arithmetic in ALL {
                        let mechanism =
                            Snapping::builder(bounds.clone(), sensitivity.parse().unwrap())
                                .epsilon(epsilon.parse().unwrap())
                                .arithmetic(arithmetic)
                                .build();
                        let Ok(mechanism) = mechanism else {
                            refused += 1;
                            assert!(!mechanism.unwrap_err().to_string().is_empty());
                            continue;
                        };
                        built += 1;
                        for value in [0.0, -0.0, f64::MAX, -f64::MAX, 5e-324, 1.0] {
                            let output = mechanism.draw(value, &mut entropy).unwrap();
                            assert!(output.is_finite());
                            let reach = mechanism.bound().unwrap();
                            let distance = (&Rational::try_from(output).unwrap()
                                - &mechanism.bounds().centre())
                                .abs();
                            // One rounding of the centre and one of the sum, gradual underflow
                            // included.
                            let slack = &(&mechanism.bounds().centre().abs() + reach)
                                .times_power_of_two(-51)
                                + &Rational::ONE.times_power_of_two(-1073);
                            assert!(distance <= reach + &slack, "{mechanism:?}: {output:e}");
                        }
                    }
                }
            }
        }
    }
    assert!(
        built > 200 && refused > 200,
        "{built} built, {refused} refused"
    );
}

#[test]
fn degenerate_bounds_still_draw() {
    let mechanism = builder("3", "3", "1")
        .epsilon("1".parse().unwrap())
        .build()
        .unwrap();
    assert!(
        mechanism
            .draw(1e9, &mut System::default())
            .unwrap()
            .is_finite()
    );
    let infinite = builder("-1", "1", "1")
        .epsilon("1".parse().unwrap())
        .bound(Bound::Infinite)
        .build()
        .unwrap();
    // 70 zeros: −ln U ≈ 49.
    let mut entropy = Prefix::of_words([0, 1 << 57], 0x5555_5555_5555_5555);
    assert!(infinite.draw(0.0, &mut entropy).unwrap() > 40.0);
}

#[test]
fn erratum_3_the_centre_is_the_middle_of_the_bounds() {
    let bounds = Bounds::parse("1000", "2000").unwrap();
    assert_eq!(bounds.centre().to_string(), "1500");
    assert_eq!(bounds.half_width().to_string(), "500");
    let mechanism = Snapping::builder(bounds, "1".parse().unwrap())
        .epsilon("1".parse().unwrap())
        .bound(Bound::Value("500".parse().unwrap()))
        .build()
        .unwrap();
    let law = mechanism.law(&"1500".parse().unwrap()).unwrap();
    let ends = law.points().map(|point| mechanism.publish(&point.value));
    let (low, high) = ends.fold((f64::MAX, f64::MIN), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    assert_eq!((low, high), (1000.0, 2000.0));
}

#[test]
fn erratum_13_every_output_can_be_reached() {
    // λ = 1, B = 1000: a uniform that underflows at 2^-1074 gives noise of at most 745, so from
    // −1000 nothing above −255.
    let largest_with_underflow = -(5e-324f64.ln());
    assert!(largest_with_underflow < 745.0);
    for arithmetic in ALL {
        let mechanism = builder("-1000", "1000", "1")
            .epsilon("1".parse().unwrap())
            .bound(Bound::Value("1001".parse().unwrap()))
            .arithmetic(arithmetic)
            .build()
            .unwrap();
        // Some stream with about 2000 leading zeros in U takes −1000 beyond what underflow allows,
        // with either sign.
        let reached = [0u64, 1 << 63]
            .into_iter()
            .map(|sign| {
                let mut words = vec![0u64; 32];
                words[0] = sign;
                words.push(1);
                let mut entropy = Prefix::of_words(words, 0x5555_5555_5555_5555);
                mechanism.draw(-1000.0, &mut entropy).unwrap()
            })
            .fold(f64::MIN, f64::max);
        assert!(reached > 0.0, "{arithmetic:?} reaches only {reached}");
    }
}
