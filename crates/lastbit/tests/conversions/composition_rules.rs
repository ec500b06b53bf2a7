//! What rules charge, against the exact law of compositions of finite releases.

use lastbit::conversions::*;
use lastbit_exact::{Down, Rational, Up};

use crate::number;

/// A release with two outcomes: the probability of the first under either law.
#[derive(Clone)]
struct Coin {
    p: Rational,
    q: Rational,
}

impl Coin {
    /// Randomized response with odds `e^ε`.
    fn response(odds: &Rational) -> Coin {
        let p = odds / &(odds + &Rational::ONE);
        let q = &Rational::ONE - &p;
        Coin { p, q }
    }

    /// The two-point release of range `ln ratio` whose second outcome has the given probability
    /// under P.
    fn ranged(ratio: &Rational, share: &Rational) -> Coin {
        let p = &Rational::ONE - share;
        let q = &p / &(&p + &(ratio * share));
        Coin { p, q }
    }

    fn pair(&self) -> FinitePair {
        product(std::slice::from_ref(self))
    }
}

/// The joint law of independent releases.
fn product(coins: &[Coin]) -> FinitePair {
    let (mut p, mut q) = (vec![Rational::ONE], vec![Rational::ONE]);
    for coin in coins {
        let step = |law: &[Rational], first: &Rational| {
            let second = &Rational::ONE - first;
            law.iter()
                .flat_map(|x| [x * first, x * &second])
                .collect::<Vec<_>>()
        };
        (p, q) = (step(&p, &coin.p), step(&q, &coin.q));
    }
    FinitePair::new(p, q).unwrap()
}

/// The plan's releases as `what` knows them, composed: each rule's ε is enough for the exact
/// law at δ.
fn every_price_holds(coins: &[Coin], plan: &Losses, delta: &str) -> Charges {
    let spent = Down::from_rational(&number(delta));
    let prices = plan.charges(spent).unwrap();
    let law = product(coins);
    for price in prices.charges() {
        let Some(epsilon) = price.epsilon else {
            continue;
        };
        let needed = law
            .delta(&Rational::try_from(epsilon.get()).unwrap())
            .unwrap();
        assert!(
            needed.lo() <= spent.get(),
            "{}: at ε {epsilon} the law needs δ {needed}, not {delta}",
            price.rule
        );
    }
    prices
}

#[test]
fn every_rule_covers_randomized_response_and_the_optimal_one_exactly() {
    for odds in ["1.01", "1.5", "3", "20"] {
        let coin = Coin::response(&number(odds));
        let epsilon = coin.pair().max_divergence().unwrap().upper();
        for count in [1usize, 2, 5, 8] {
            let plan = Losses::repeated(LossBound::Pure(epsilon), count as u64).unwrap();
            for delta in ["1e-9", "1e-4", "0.01", "0.2", "0.7"] {
                let coins = vec![coin.clone(); count];
                let prices = every_price_holds(&coins, &plan, delta);
                let optimal = prices.epsilon(CompositionRule::Optimal).unwrap().get();
                let best = prices.best().unwrap().epsilon.unwrap().get();
                assert!(optimal <= best + 1e-13, "{odds}, {count}, {delta}: {best}");
                // A little less ε is not enough: the bound is attained.
                let less = optimal * (1.0 - 1e-9) - 1e-12;
                if less >= 0.0 {
                    let needed = product(&coins).delta(&Rational::try_from(less).unwrap());
                    let delta: f64 = delta.parse().unwrap();
                    assert!(
                        needed.unwrap().lo() > delta,
                        "{odds}, {count}, {delta}: {less}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_rule_covers_bounded_range_releases() {
    for ratio in ["1.1", "3", "50"] {
        let ratio = number(ratio);
        for share in ["0.1", "0.4", "0.5", "0.75", "0.95"] {
            let coin = Coin::ranged(&ratio, &number(share));
            let eta = coin.pair().range_divergence().unwrap().upper();
            for count in [1usize, 3, 6] {
                let plan = Losses::repeated(LossBound::BoundedRange(eta), count as u64).unwrap();
                for delta in ["1e-6", "0.001", "0.1"] {
                    every_price_holds(&vec![coin.clone(); count], &plan, delta);
                }
            }
        }
    }
}

#[test]
fn every_rule_covers_plans_of_unequal_releases() {
    let responses = ["1.2", "2", "5"].map(|odds| Coin::response(&number(odds)));
    let ranged = [("4", "0.3"), ("9", "0.6")]
        .map(|(ratio, share)| Coin::ranged(&number(ratio), &number(share)));
    let pure = |coin: &Coin| LossBound::Pure(coin.pair().max_divergence().unwrap().upper());
    let range =
        |coin: &Coin| LossBound::BoundedRange(coin.pair().range_divergence().unwrap().upper());
    let releases = responses
        .iter()
        .map(|coin| (pure(coin), 2))
        .chain(ranged.iter().map(|coin| (range(coin), 1)));
    let plan = Losses::new(releases).unwrap();
    let mut coins: Vec<Coin> = responses
        .iter()
        .flat_map(|c| [c.clone(), c.clone()])
        .collect();
    coins.extend(ranged);
    for delta in ["1e-9", "1e-3", "0.05", "0.5"] {
        let prices = every_price_holds(&coins, &plan, delta);
        assert_eq!(prices.epsilon(CompositionRule::Optimal), None);
        assert!(prices.epsilon(CompositionRule::Basic).is_some());
    }
}

fn charges(release: LossBound, count: u64, delta: f64) -> Charges {
    Losses::repeated(release, count)
        .unwrap()
        .charges(Down::exact(delta))
        .unwrap()
}

#[test]
fn knowing_more_never_costs_more() {
    for loss in [1e-4, 0.01, 0.1, 1.0, 4.0] {
        for count in [1, 10, 1000, 1_000_000] {
            for delta in [1e-12, 1e-6, 1e-3] {
                let loss = Up::exact(loss);
                let close = |a: Up, b: Up| a.get() <= b.get() * (1.0 + 1e-9) + 1e-12;
                let all = |release| charges(release, count, delta);
                let of = |list: &Charges, rule| list.epsilon(rule).unwrap();
                let pure = all(LossBound::Pure(loss));
                let range = all(LossBound::BoundedRange(loss));
                let laplace = all(LossBound::Laplace(loss));
                use CompositionRule::*;
                for list in [&pure, &range, &laplace] {
                    assert!(close(of(list, Renyi), of(list, Zcdp)));
                    for other in [Basic, Advanced, Zcdp] {
                        assert!(close(of(list, Optimal), of(list, other)), "{other}");
                    }
                    assert_eq!(of(list, Basic), of(&pure, Basic));
                }
                assert!(close(of(&range, BoundedRangeZcdp), of(&range, Zcdp)));
                assert!(close(
                    of(&range, BoundedRangeAdvanced),
                    of(&range, Advanced)
                ));
                assert!(close(of(&range, Renyi), of(&range, BoundedRangeZcdp)));
                assert!(close(of(&laplace, LaplaceZcdp), of(&laplace, Zcdp)));
                assert!(close(of(&laplace, LaplaceAdvanced), of(&laplace, Advanced)));
                assert!(close(of(&laplace, Renyi), of(&laplace, LaplaceZcdp)));
            }
        }
    }
}

#[test]
fn bounded_range_is_worth_knowing() {
    // 100 selections at 0.1: a quarter of the ρ, and half of the ε, of releases that are merely
    // private.
    let list = charges(LossBound::BoundedRange(Up::exact(0.1)), 100, 1e-6);
    let optimal = list.epsilon(CompositionRule::Optimal).unwrap().get();
    let aware = list
        .epsilon(CompositionRule::BoundedRangeZcdp)
        .unwrap()
        .get();
    assert!(aware < 0.55 * optimal, "{aware} against {optimal}");
    assert_eq!(list.best().unwrap().rule, CompositionRule::Renyi);
}

#[test]
fn gaussian_releases_have_no_pure_price() {
    let list = charges(LossBound::Zcdp(Up::exact(0.01)), 10, 1e-6);
    for rule in [
        CompositionRule::Basic,
        CompositionRule::Advanced,
        CompositionRule::Optimal,
    ] {
        assert_eq!(list.epsilon(rule), None);
    }
    let zcdp = list.epsilon(CompositionRule::Zcdp).unwrap().get();
    assert!((zcdp - list.epsilon(CompositionRule::Renyi).unwrap().get()).abs() < 1e-9);
    let none = charges(LossBound::Zcdp(Up::exact(0.01)), 10, 0.0);
    assert_eq!(none.best(), None);
}

#[test]
fn without_delta_only_the_sum_is_left() {
    let list = charges(LossBound::Pure(Up::exact(0.5)), 4, 0.0);
    assert_eq!(list.best().unwrap().rule, CompositionRule::Basic);
    assert_eq!(list.best().unwrap().epsilon, Some(Up::exact(2.0)));
    assert_eq!(list.epsilon(CompositionRule::Zcdp), None);
}

#[test]
fn bad_plans_are_refused_with_a_remedy() {
    let refused = |plan: Result<Losses, lastbit::Error>| plan.unwrap_err().to_string();
    assert_eq!(
        refused(Losses::new([])),
        "the plan has no releases; give at least one"
    );
    assert!(
        refused(Losses::repeated(LossBound::Pure(Up::exact(-1.0)), 1)).contains("zero or more")
    );
    assert!(refused(Losses::repeated(LossBound::Zcdp(Up::INFINITY), 1)).contains("infinite"));
    let plan = Losses::repeated(LossBound::Pure(Up::ONE), 1).unwrap();
    assert!(plan.charges(Down::exact(-0.1)).is_err());
    assert!(plan.charges(Down::exact(1.5)).unwrap_err().is_distance());
    // Too many for the optimal rule, and a sum beyond doubles: no price, no panic.
    let many = charges(LossBound::Pure(Up::exact(0.5)), u64::MAX, 1e-6);
    assert_eq!(many.epsilon(CompositionRule::Optimal), None);
    let huge = charges(LossBound::Pure(Up::exact(1e300)), 1 << 60, 1e-6);
    assert_eq!(huge.best(), None);
}
