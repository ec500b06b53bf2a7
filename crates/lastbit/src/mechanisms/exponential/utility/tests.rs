use super::*;
use lastbit_exact::Rounding;

fn number<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn up(enclosure: &Enclosure) -> f64 {
    enclosure.hi().to_f64(Rounding::Up)
}

/// One best score OPT and 1000 bad ones just below `(1 − α)·OPT`, the worst case of the
/// theorem.
fn worst_case(promise: f64, alpha: f64) -> Vec<f64> {
    let mut scores = vec![((1.0 - alpha) * promise).next_down(); 1000];
    scores.push(promise);
    scores
}

#[test]
fn erratum_11_the_flat_concave_theorem_is_false() {
    let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
    let target = Target::new(number("0.5"), number("0.1"));
    // The false threshold (2/(εα))·ln(|R̄|·(1/β − 2) + 1).
    let threshold = 4.0 * 8001f64.ln();
    let scores = worst_case(threshold, 0.5);
    let choice = mechanism.over(&scores).unwrap();
    let bad = choice.bad_probability(target.alpha(), 60).unwrap();
    assert!(bad.lo().to_f64(Rounding::Down) > 0.11109);
    assert!(up(&bad) < 0.11110);

    // At the corrected one, ln(|R̄|·(1/β − 1)), it holds, and nothing is left over.
    let promise = mechanism.promise(&Natural::from(1000u32), &target).unwrap();
    let scores = worst_case(promise.get(), 0.5);
    let bad = mechanism.over(&scores).unwrap();
    let bad = bad.bad_probability(target.alpha(), 60).unwrap();
    assert!(up(&bad) <= 0.1);
    assert!(bad.lo().to_f64(Rounding::Down) > 0.1 - 1e-12);
}

#[test]
fn each_parameter_follows_from_the_other_three() {
    for (bad, alpha, beta) in [
        (1000u32, "0.5", "0.1"),
        (3, "0.01", "0.001"),
        (1 << 30, "0.9", "1e-9"),
    ] {
        let mechanism = Exponential::new(&"0.3".parse().unwrap(), &"2".parse().unwrap());
        let target = Target::new(number(alpha), number(beta));
        let bad = Natural::from(bad);
        let promise = mechanism.promise(&bad, &target).unwrap();
        let promise = Rational::try_from(promise.get()).unwrap();
        let close = |up: Up, exact: &Rational| {
            let exact = exact.to_f64(Rounding::NearestEven);
            assert!((up.get() / exact - 1.0).abs() < 1e-12, "{up} {exact}");
        };
        close(
            mechanism.failure(&bad, target.alpha(), &promise).unwrap(),
            target.beta().get(),
        );
        close(
            mechanism
                .approximation(&bad, target.beta(), &promise)
                .unwrap(),
            target.alpha().get(),
        );
        let solved =
            Exponential::for_target(mechanism.sensitivity(), false, &bad, &target, &promise);
        let solved = solved.unwrap();
        close(
            Up::from_rational(solved.epsilon().get()),
            mechanism.epsilon().get(),
        );
        // The safe side: what was solved meets the target.
        let needed = solved.promise(&bad, &target).unwrap().get();
        assert!(needed <= promise.to_f64(Rounding::Up) * (1.0 + 1e-15));
    }
}

#[test]
fn the_bounds_cross_where_stated() {
    let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
    let [candidates, best, bad] = [1000u32, 4, 500].map(Natural::from);
    let crossing = Exponential::crossing(&candidates, &best, &bad).unwrap();
    assert_eq!(crossing, Some(number("0.5")));
    for (beta, corrected_is_smaller) in [("0.4", false), ("0.6", true)] {
        let target = Target::new(number("0.5"), number(beta));
        let both = mechanism
            .promises(&candidates, &best, &bad, &target)
            .unwrap();
        assert_eq!(both.corrected < both.classical, corrected_is_smaller);
        assert_eq!(both.smaller(), both.corrected.min(both.classical));
    }
    assert!(
        mechanism
            .promises(
                &bad,
                &best,
                &bad,
                &Target::new(number("0.5"), number("0.5"))
            )
            .is_err()
    );
}

#[test]
fn measured_probabilities_stay_below_beta() {
    // Scores of many shapes, with the promise met exactly.
    let mechanism = Exponential::monotone(&"0.5".parse().unwrap(), &"1".parse().unwrap());
    let target = Target::new(number("0.3"), number("0.05"));
    for count in [2usize, 3, 10, 57] {
        let promise = mechanism
            .promise(&Natural::from(count - 1), &target)
            .unwrap()
            .get();
        for shape in 0..6 {
            let part = |i: usize| match shape {
                0 => 0.0,
                1 => 0.699_999,
                2 => i as f64 / count as f64,
                3 => (i * i) as f64 / (count * count) as f64,
                4 => f64::from(i.is_multiple_of(2)) * 0.69,
                _ => (i as f64).sin().abs(),
            };
            let mut scores: Vec<f64> = (0..count - 1).map(|i| part(i) * promise).collect();
            scores.push(promise);
            let choice = mechanism.over(&scores).unwrap();
            let bad = choice.bad_probability(target.alpha(), 60).unwrap();
            assert!(
                Rational::from(bad.hi()) <= *target.beta().get(),
                "{shape} {count}"
            );
        }
    }
}

#[test]
fn bad_parameters_have_remedies() {
    let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
    let bad = Natural::from(10u8);
    let error = mechanism
        .failure(&bad, &number("0.5"), &Rational::ZERO)
        .unwrap_err();
    assert_eq!(error.to_string(), "the promise must be positive, got 0");
    let error = mechanism
        .approximation(&bad, &number("0.1"), &Rational::ONE)
        .unwrap_err();
    assert!(error.is_unsolvable(), "{error}");
    assert!("0".parse::<Alpha>().is_err() && "1".parse::<Beta>().is_err());
}
