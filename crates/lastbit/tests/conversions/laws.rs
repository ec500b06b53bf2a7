//! The casts against the definitions of the measures, on finite laws with exact probabilities;
//! every comparison is between enclosures, so what passes is proved for the laws tried.

use lastbit::conversions::*;
use lastbit_exact::{Down, Interval, Rational, Up};
use proptest::prelude::*;

/// Orders above 1, from next to 1 to far beyond it.
fn orders() -> Vec<Rational> {
    [
        "1.000001", "1.001", "1.1", "1.5", "1.9", "2", "2.5", "3", "5", "10", "32", "100", "1000",
    ]
    .iter()
    .map(|text| text.parse().unwrap())
    .collect()
}

fn law(weights: &[u32]) -> Vec<Rational> {
    let sum: i64 = weights.iter().map(|&w| i64::from(w)).sum();
    weights
        .iter()
        .map(|&w| Rational::new(i64::from(w), sum))
        .collect()
}

fn pair(p: &[u32], q: &[u32]) -> FinitePair {
    FinitePair::new(law(p), law(q)).unwrap()
}

/// `D_α ≤ αρ` at every order above, as enclosures prove it.
fn satisfies_zcdp(pair: &FinitePair, rho: Up) -> Result<(), TestCaseError> {
    for order in orders() {
        let renyi = pair.renyi_divergence(&order).unwrap().unwrap();
        let bound = Interval::from_rational(&order) * Interval::point(rho.get());
        prop_assert!(
            renyi.hi() <= bound.lo(),
            "order {}: {} is above {}",
            order,
            renyi,
            bound
        );
    }
    Ok(())
}

/// Weights of two laws of one size, all positive.
fn two_laws() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    (2usize..7, 0u32..12).prop_flat_map(|(size, spread)| {
        let weights = prop::collection::vec(1u32..=1 << spread, size);
        (weights.clone(), weights)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn laws_close_in_range_divergence_satisfy_both_zcdp_bounds((p, q) in two_laws()) {
        prop_assume!(law(&p) != law(&q));
        let pair = pair(&p, &q);
        let eta = pair.range_divergence().unwrap().upper();
        satisfies_zcdp(&pair, bounded_range_to_zcdp_tight(eta).unwrap())?;
        satisfies_zcdp(&pair, bounded_range_to_zcdp_classical(eta).unwrap())?;
    }

    #[test]
    fn laws_close_in_max_divergence_satisfy_the_zcdp_bound((p, q) in two_laws()) {
        prop_assume!(law(&p) != law(&q));
        let pair = pair(&p, &q);
        let epsilon = pair.max_divergence().unwrap().upper();
        satisfies_zcdp(&pair, pure_to_zcdp(epsilon).unwrap())?;
    }

    #[test]
    fn range_and_max_divergence_bound_each_other((p, q) in two_laws()) {
        let pair = pair(&p, &q);
        let (epsilon, eta) = (pair.max_divergence().unwrap(), pair.range_divergence().unwrap());
        prop_assert!(epsilon.lo() <= bounded_range_to_pure(eta.upper()).unwrap().get());
        prop_assert!(eta.lo() <= pure_to_bounded_range(epsilon.upper()).unwrap().get());
    }

    #[test]
    fn delta_of_a_law_is_below_every_cast_that_bounds_it(
        (p, q) in two_laws(),
        fraction in 0u32..=8,
    ) {
        prop_assume!(law(&p) != law(&q));
        let pair = pair(&p, &q);
        let epsilon = pair.max_divergence().unwrap().upper();
        let at = Rational::try_from(epsilon.get() * f64::from(fraction) / 8.0).unwrap();
        let at_f64 = Down::from_rational(&at);
        let delta = pair.delta(&at).unwrap();
        let pure = approximate_to_profile(&pure_to_approximate(epsilon).unwrap()).unwrap();
        prop_assert!(delta.lo() <= pure.delta(at_f64).unwrap().get());
        let zcdp = zcdp_to_approximate_delta(pure_to_zcdp(epsilon).unwrap(), at_f64).unwrap();
        prop_assert!(delta.lo() <= zcdp.get());
        for order in orders() {
            let order_up = Up::from_rational(&order);
            let exact = Rational::try_from(order_up.get()).unwrap();
            let renyi = pair.renyi_divergence(&exact).unwrap().unwrap();
            let bound = renyi_order_to_delta(order_up, renyi.upper(), at_f64).unwrap();
            prop_assert!(delta.lo() <= bound.get(), "order {order}");
        }
    }
}

/// The two laws on two outcomes whose loss has the range `ln ratio`, the outcome of smaller loss
/// with probability `share` under P.
fn two_points(ratio: &Rational, share: &Rational) -> FinitePair {
    // Q/P is s on one outcome and s·ratio on the other; the masses of Q add up to 1.
    let rest = &Rational::ONE - share;
    let s = &Rational::ONE / &(&rest + &(ratio * share));
    let q = vec![&s * &rest, &(&s * ratio) * share];
    FinitePair::new(vec![rest, share.clone()], q).unwrap()
}

#[test]
fn a_two_point_family_attains_the_tight_bound_as_the_order_falls_to_one() {
    let order: Rational = "1.000000000001".parse().unwrap();
    for ratio in ["1.000001", "1.01", "1.5", "3", "20", "1e4", "1e9", "1e40"] {
        let ratio: Rational = ratio.parse().unwrap();
        // The share of largest divergence, 1 + q(R − 1) = (R − 1)/ln R, to 15 digits or so: it is
        // stationary.
        let r = Interval::from_rational(&(&ratio - &Rational::ONE)).midpoint();
        let best = (1.0 / r.ln_1p() - 1.0 / r).clamp(0.0, 1.0);
        let pair = two_points(&ratio, &Rational::try_from(best).unwrap());
        let eta = pair.range_divergence().unwrap();
        let rho = bounded_range_to_zcdp_tight(eta.upper()).unwrap();
        let reached =
            pair.renyi_divergence(&order).unwrap().unwrap() / Interval::from_rational(&order);
        assert!(
            reached.lo() <= rho.get(),
            "{ratio}: {reached} is above {rho}"
        );
        assert!(
            reached.lo() >= rho.get() * (1.0 - 1e-9),
            "{ratio}: {reached} is far below {rho}"
        );
        // So nothing smaller would do, and the classical bound is larger by what it gives away.
        let classical = bounded_range_to_zcdp_classical(eta.upper()).unwrap();
        assert!(rho <= classical, "{ratio}");
    }
}

#[test]
fn randomized_response_attains_the_pure_bound_as_the_order_falls_to_one() {
    let order: Rational = "1.000000000001".parse().unwrap();
    for odds in [1_000_001i64, 1_010_000, 1_500_000, 3_000_000, 1_000_000_000] {
        let sum = odds + 1_000_000;
        let (truth, lie) = (Rational::new(odds, sum), Rational::new(1_000_000, sum));
        let pair = FinitePair::new(vec![truth.clone(), lie.clone()], vec![lie, truth]).unwrap();
        let rho = pure_to_zcdp(pair.max_divergence().unwrap().upper()).unwrap();
        let reached =
            pair.renyi_divergence(&order).unwrap().unwrap() / Interval::from_rational(&order);
        assert!(
            reached.lo() <= rho.get() && reached.lo() >= rho.get() * (1.0 - 1e-9),
            "{odds}"
        );
    }
}

#[test]
fn laplace_noise_satisfies_its_zcdp_bound_and_nearly_attains_it() {
    // (α−1)·D_α = ln((α·e^((α−1)ε) + (α−1)·e^(−αε))/(2α−1)), from the density of Laplace noise.
    let renyi = |order: f64, epsilon: f64| {
        let (order, epsilon) = (Interval::point(order), Interval::point(epsilon));
        let tau = order - Interval::ONE;
        let sum = order * (tau * epsilon).exp() + tau * (-(order * epsilon)).exp();
        (sum / (order + tau)).ln() / tau
    };
    for epsilon in [0.1, 0.5, 1.0, 3.0, 10.0, 40.0] {
        let rho = laplace_to_zcdp(Up::exact(epsilon)).unwrap();
        for order in [1.01, 1.1, 1.5, 2.0, 4.0, 16.0] {
            let bound = Interval::point(order) * Interval::point(rho.get());
            assert!(
                renyi(order, epsilon).hi() <= bound.lo(),
                "ε {epsilon}, α {order}"
            );
        }
        let near_one = renyi(1.0 + 1e-5, epsilon);
        assert!(near_one.lo() >= rho.get() * (1.0 - 1e-3), "ε {epsilon}");
        // A release that is merely ε-private may need more.
        assert!(
            pure_to_zcdp(Up::exact(epsilon)).unwrap() > rho,
            "ε {epsilon}"
        );
    }
}

/// The pair on which supports differ: certainty against a fair coin.
fn certainty_and_coin() -> FinitePair {
    let half = Rational::new(1, 2);
    FinitePair::new(
        vec![Rational::ONE, Rational::ZERO],
        vec![half.clone(), half],
    )
    .unwrap()
}

#[test]
fn erratum_10_range_divergence_takes_both_orderings_and_equal_supports() {
    // From certainty's side there is one outcome, one loss (ln 2), and so a range of 0; from the
    // coin's side an outcome has infinite loss. A definition over one ordering would call these
    // laws 0-close, hence equal.
    let pair = certainty_and_coin();
    assert_eq!(pair.range_divergence(), None);
    assert_eq!(pair.max_divergence(), None);
    // What the one-sided range of 0 would claim: ρ = 0, so no divergence at all. It is ln 2 in the
    // order that is finite, and any event tells the laws apart with advantage 1/2.
    let claimed = bounded_range_to_zcdp(Up::ZERO).unwrap();
    assert_eq!(claimed.get(), 0.0);
    assert_eq!(pair.delta(&Rational::ZERO).unwrap(), Interval::point(0.5));
    assert!(pair.delta(&Rational::new(20, 1)).unwrap().lo() > 0.49);
    // The lemma E[e^-Z] = 1 fails on it too: the mass of Q on P's support is 1/2. With equal
    // supports it holds: it is the mass of Q. And with equal supports both orderings have the same
    // range.
    let near = FinitePair::new(law(&[999, 1]), law(&[500, 500])).unwrap();
    let swapped = FinitePair::new(law(&[500, 500]), law(&[999, 1])).unwrap();
    assert_eq!(near.range_divergence(), swapped.range_divergence());
    assert!(near.range_divergence().is_some());
}

#[test]
fn erratum_10_zcdp_is_a_condition_on_every_order_above_one() {
    // Randomized response: D_α/α falls with α, so that orders above 2 alone, which is what
    // E[e^(αZ)] ≤ e^(α(α+1)ρ) for α > 1 looks at, would allow a smaller ρ than zCDP does.
    let pair = pair(&[9, 1], &[1, 9]);
    let per_order = |order: &str| {
        let order: Rational = order.parse().unwrap();
        pair.renyi_divergence(&order).unwrap().unwrap() / Interval::from_rational(&order)
    };
    let above_two = per_order("2").upper();
    for order in orders() {
        if order >= Rational::new(2, 1) {
            let renyi = pair.renyi_divergence(&order).unwrap().unwrap();
            assert!(
                renyi.hi()
                    <= (Interval::from_rational(&order) * Interval::point(above_two.get())).hi()
            );
        }
    }
    for order in ["1.000001", "1.1", "1.5", "1.9"] {
        assert!(per_order(order).lo() > above_two.get(), "order {order}");
    }
    // The cast is the bound for all orders, and so is not below any of them.
    let rho = pure_to_zcdp(pair.max_divergence().unwrap().upper()).unwrap();
    assert!(rho > above_two);
    satisfies_zcdp(&pair, rho).unwrap();
    assert!(satisfies_zcdp(&pair, above_two).is_err());
}
