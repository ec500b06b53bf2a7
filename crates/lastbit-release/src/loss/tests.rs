use super::*;

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

#[test]
fn what_remains_is_exact() {
    let budget = Loss::pure(number("1")).unwrap();
    let mut spent = Loss::zero(LossMeasure::Pure);
    for _ in 0..10 {
        assert!(spent.fits(&budget));
        let tenth = Loss::pure(number("0.1")).unwrap();
        spent = spent.plus(&tenth).unwrap();
    }
    assert_eq!(spent, budget);
    let third = Loss::pure(Rational::new(1, 3)).unwrap();
    assert_eq!(budget.minus(&third).to_string(), "ε = 2/3");
    assert_eq!(third.minus(&budget).to_string(), "ε = 0");
}

#[test]
fn losses_compose_in_their_measure_and_in_no_other() {
    let loss = |measure| Loss {
        measure,
        main: number("0.1"),
        delta: number("0"),
    };
    let all = [
        LossMeasure::Pure,
        LossMeasure::Zcdp,
        LossMeasure::Approximate,
        LossMeasure::ApproximateZcdp,
        LossMeasure::ApproximateGaussian,
    ];
    for measure in all {
        let both = loss(measure).plus(&loss(measure)).unwrap();
        assert_eq!((both.measure, both.main), (measure, number("0.2")));
        for other in all.into_iter().filter(|other| *other != measure) {
            let refused = loss(measure).plus(&loss(other)).unwrap_err();
            assert_eq!(refused, LossError::Measures(measure, other));
        }
        let below = Loss {
            main: number("-1"),
            ..loss(measure)
        };
        let refused = loss(measure).plus(&below).unwrap_err();
        assert!(matches!(refused, LossError::Composition(_)), "{refused}");
    }
}

#[test]
fn both_parts_must_fit() {
    let limit = Loss::approximate(number("1"), number("1e-6")).unwrap();
    let fits = |e, d| {
        Loss::approximate(number(e), number(d))
            .unwrap()
            .fits(&limit)
    };
    assert!(fits("1", "1e-6"));
    assert!(!fits("0", "1.0000000001e-6"));
    assert!(!fits("1.0000000001", "0"));
    assert!(!Loss::pure(number("0.5")).unwrap().fits(&limit));
}

#[test]
fn numbers_that_are_no_loss_are_refused_with_the_reason() {
    let error = |loss: Result<Loss, LossError>| loss.unwrap_err().to_string();
    assert_eq!(
        error(Loss::pure(number("-1"))),
        "ε must not be negative, got -1"
    );
    assert_eq!(
        error(Loss::zcdp(number("-0.5"))),
        "ρ must not be negative, got -0.5"
    );
    assert_eq!(
        error(Loss::approximate(number("1"), number("1.5"))),
        "δ must be between 0 and 1, got 1.5"
    );
    assert!(error(Loss::new(LossMeasure::Zcdp, number("1"), number("1e-9"))).contains("has no δ"),);
}

#[test]
fn only_pure_and_approximate_state_each_other() {
    let pure = Loss::pure(number("1")).unwrap();
    let stated = pure.stated_in(LossMeasure::Approximate).unwrap();
    assert_eq!(stated.to_string(), "ε = 1, δ = 0");
    assert_eq!(stated.stated_in(LossMeasure::Pure).unwrap(), pure);
    assert_eq!(pure.stated_in(LossMeasure::Zcdp), None);
    let approximate = Loss::approximate(number("1"), number("1e-9")).unwrap();
    assert_eq!(approximate.stated_in(LossMeasure::Pure), None);
}

#[test]
fn small_decimals_have_an_exponent_and_read_back() {
    for text in [
        "0", "7", "0.3", "0.000001", "1e-7", "2.5e-8", "-1e-12", "1/3", "1e-300",
    ] {
        let value = number(text);
        assert_eq!(number(&decimal(&value)), value);
    }
    assert_eq!(decimal(&number("0.000001")), "0.000001");
    assert_eq!(decimal(&number("0.0000001")), "1e-7");
    assert_eq!(decimal(&number("-0.0000000012")), "-1.2e-9");
}
