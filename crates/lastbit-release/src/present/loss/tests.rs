use serde_json::json;

use super::*;

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

/// Every way to write a loss, and the loss.
fn written() -> Vec<(Loss, Value)> {
    let third = Rational::new(1, 3);
    let delta = number("1e-9");
    let mut all = Vec::new();
    for (measure, delta) in [
        (LossMeasure::Pure, Rational::ZERO),
        (LossMeasure::Zcdp, Rational::ZERO),
        (LossMeasure::Approximate, delta.clone()),
        (LossMeasure::ApproximateZcdp, delta.clone()),
        (LossMeasure::ApproximateGaussian, delta),
    ] {
        let loss = Loss::new(measure, third.clone(), delta).unwrap();
        all.push((loss.clone(), ledger_loss_json(&loss, Rounding::Up)));
        all.push((loss.clone(), price_loss_json(&loss)));
        all.push((loss.clone(), slider_loss_json(&loss)));
    }
    let (pure, zcdp) = (Loss::pure(third.clone()), Loss::zcdp(third.clone()));
    all.push((
        pure.unwrap(),
        statistic_loss_json(LossUnit::Epsilon, &third),
    ));
    all.push((zcdp.unwrap(), statistic_loss_json(LossUnit::Rho, &third)));
    all
}

#[test]
fn every_loss_has_one_shape_and_its_doubles_are_at_or_above_what_is_exact() {
    for (loss, written) in written() {
        let text = |key: &str| written[key].as_str().unwrap().to_owned();
        assert_eq!(text("symbol"), loss.measure.symbol());
        assert!([loss.measure.name(), loss.measure.symbol()].contains(&&*text("measure")));
        for (value, exact, part) in [
            ("value", "exact_value", &loss.main),
            ("delta_value", "exact_delta", &loss.delta),
        ] {
            assert_eq!(&number(&text(exact)), part, "{written}");
            let printed = number(&written[value].to_string());
            assert!(printed >= *part, "{written}");
            let next = part + &(part * &Rational::new(1, 1u64 << 40));
            assert!(printed <= next, "{written}");
        }
    }
}

#[test]
fn what_is_left_is_rounded_down() {
    let loss = Loss::pure(Rational::new(2, 3)).unwrap();
    let value = &ledger_loss_json(&loss, Rounding::Down)["value"];
    assert!(Rational::try_from(value.as_f64().unwrap()).unwrap() < loss.main);
}

#[test]
fn names_that_programs_read_stay() {
    let loss = Loss::approximate(number("0.25"), number("1e-9")).unwrap();
    let ledger = ledger_loss_json(&loss, Rounding::Up);
    assert_eq!(
        (&ledger["epsilon"], &ledger["delta"]),
        (&json!(0.25), &json!(1e-9))
    );
    assert_eq!(ledger["exact"], json!({"epsilon": "0.25", "delta": "1e-9"}));
    let loss_of_rho = Loss::zcdp(number("0.5")).unwrap();
    let ledger = ledger_loss_json(&loss_of_rho, Rounding::Up);
    assert_eq!(ledger["rho"], 0.5);
    assert_eq!(ledger["exact"], json!({"rho": "0.5"}));
    assert!(ledger.get("delta").is_none());

    let price = price_loss_json(&loss);
    assert_eq!(
        (&price["exact"], &price["value"]),
        (&json!("0.25"), &json!(0.25))
    );
    assert_eq!(price["delta"], "0.000000001");
    assert_eq!(price_loss_json(&loss_of_rho)["delta"], "0");

    let statistic = statistic_loss_json(LossUnit::Rho, &number("0.5"));
    let names = ["measure", "exact", "value"].map(|key| statistic[key].clone());
    assert_eq!(names, [json!("ρ"), json!("0.5"), json!(0.5)]);

    let slider = slider_loss_json(&loss);
    let names = ["words", "key", "symbol", "main", "about", "delta"].map(|key| slider[key].clone());
    let expected = json!(["ε = 0.25, δ = 1e-9", "epsilon", "ε", "0.25", 0.25, "1e-9"]);
    assert_eq!(json!(names), expected);
    assert_eq!(slider_loss_json(&loss_of_rho)["delta"], Value::Null);
    assert_eq!(slider_loss_json(&loss_of_rho)["key"], "rho");
}
