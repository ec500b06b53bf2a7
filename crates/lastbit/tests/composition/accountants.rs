//! What is charged, what is refused, and what an error costs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lastbit::composition::{
    Account, Budgeted, Composable, Declared, Filter, Interactive, Odometer, Queryable, adaptive,
    filtered,
};
use lastbit::domains::AtomDomain;
use lastbit::measures::{
    Approximate, EpsilonDelta, MaxDivergence, RenyiCurve, RenyiDivergence,
    ZeroConcentratedDivergence,
};
use lastbit::metrics::DiscreteDistance;
use lastbit::{Error, Measurement, PrivacyMap};
use lastbit_exact::{Rational, Rounding, Up};
use lastbit_noise::entropy::{Entropy, EntropyError};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::exact;

type Bits = AtomDomain<bool>;
type Release<T> = Measurement<Bits, DiscreteDistance, MaxDivergence, T>;

/// A release of loss 1 that draws some words and then does `end`.
fn release<T: 'static>(
    words: usize,
    end: impl Fn() -> Result<T, Error> + Send + Sync + 'static,
) -> Release<T> {
    Measurement::new(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        move |_, entropy| {
            entropy.fill(&mut vec![0; words])?;
            end()
        },
        PrivacyMap::new(|_| Ok(Up::ONE)),
    )
    .unwrap()
}

fn failing(words: usize) -> Release<u8> {
    release(words, || {
        Err(Error::other("the release failed; try another"))
    })
}

/// A source that has some words, and then fails.
struct Finite(usize);

impl Entropy for Finite {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        self.0 = self
            .0
            .checked_sub(words.len())
            .ok_or_else(EntropyError::exhausted)?;
        words.fill(0);
        Ok(())
    }
}

fn filter(budget: f64) -> Queryable<Bits, DiscreteDistance, Filter<MaxDivergence>> {
    let budget = Up::exact(budget);
    filtered(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        1,
        budget,
    )
    .unwrap()
    .invoke(&true)
    .unwrap()
}

fn odometer() -> Queryable<Bits, DiscreteDistance, Odometer<MaxDivergence>> {
    let odometer = Odometer::new(MaxDivergence).unwrap();
    Queryable::new(AtomDomain::new(), DiscreteDistance, true, 1, odometer).unwrap()
}

fn declared(losses: usize) -> Queryable<Bits, DiscreteDistance, Declared<MaxDivergence>> {
    let losses = vec![Up::ONE; losses];
    adaptive(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        1,
        losses,
    )
    .unwrap()
    .invoke(&true)
    .unwrap()
}

#[test]
fn a_release_that_fails_costs_its_whole_loss() {
    let (mut filter, mut odometer, mut declared) = (filter(1.0), odometer(), declared(1));
    assert!(filter.ask(&failing(1)).unwrap_err().is_failed());
    assert!(odometer.ask(&failing(1)).unwrap_err().is_failed());
    assert!(declared.ask(&failing(1)).unwrap_err().is_failed());
    assert_eq!(filter.account().spent().unwrap(), Up::ONE);
    assert_eq!(odometer.account().spent().unwrap(), Up::ONE);
    assert_eq!(declared.account().releases_left(), 0);
    assert!(filter.ask(&release(1, || Ok(7))).unwrap_err().is_budget());
    assert!(
        declared
            .ask(&release(1, || Ok(7)))
            .unwrap_err()
            .is_composition()
    );
    // Also when the source fails at the second word.
    let two = Measurement::new(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        |_, entropy: &mut dyn Entropy| Ok(entropy.word()? ^ entropy.word()?),
        PrivacyMap::new(|_| Ok(Up::ONE)),
    )
    .unwrap();
    assert!(
        odometer
            .ask_with(&two, &mut Finite(1))
            .unwrap_err()
            .is_failed()
    );
    assert_eq!(odometer.account().spent().unwrap().get(), 2.0);
}

#[test]
fn a_release_that_panics_stays_charged() {
    let mut filter = filter(1.0);
    let panicking = release::<u8>(1, || panic!("in the release"));
    let outcome = catch_unwind(AssertUnwindSafe(|| filter.ask(&panicking)));
    assert!(outcome.is_err());
    assert_eq!(filter.account().spent().unwrap(), Up::ONE);
    assert!(filter.ask(&release(1, || Ok(7))).unwrap_err().is_budget());
}

#[test]
fn refusals_do_not_touch_the_data_or_the_budget() {
    let mut filter = filter(1.5);
    filter.ask(&release(1, || Ok(0))).unwrap();
    let reached = release(0, || -> Result<u8, Error> {
        panic!("a refused release was run")
    });
    let error = filter.ask(&reached).unwrap_err();
    assert_eq!(
        error.to_string(),
        "over budget: requested 1, remaining 0.5, difference 0.5; ask for less, or raise the budget"
    );
    assert_eq!(filter.account().spent().unwrap(), Up::ONE);
    assert_eq!(filter.account().remaining().unwrap().get(), 0.5);
    // A map that fails, or says nothing, is no loss.
    for loss in [Up::INFINITY, Up::exact(-1.0)] {
        let map = PrivacyMap::new(move |_| Ok(loss));
        let bad = release(0, || Ok(0))
            .with_map(DiscreteDistance, MaxDivergence, map)
            .unwrap();
        assert!(filter.ask(&bad).is_err());
    }
    assert_eq!(filter.account().spent().unwrap(), Up::ONE);
}

#[test]
fn a_refusal_states_the_excess_of_each_part() {
    let pair = |epsilon, delta| EpsilonDelta::new(Up::exact(epsilon), Up::exact(delta)).unwrap();
    let mut filter = Filter::new(Approximate(MaxDivergence), pair(1.0, 0.25)).unwrap();
    for (requested, excess) in [
        ((1.5, 0.125), "(0.5, 0)"),
        ((0.5, 0.75), "(0, 0.5)"),
        ((2.0, 0.5), "(1, 0.25)"),
    ] {
        let requested = pair(requested.0, requested.1);
        let expected = format!(
            "over budget: requested {requested}, remaining (1, 0.25), difference {excess}; ask \
             for less, or raise the budget"
        );
        assert_eq!(filter.charge(&requested).unwrap_err().to_string(), expected);
    }
}

#[test]
fn nothing_remains_of_a_budget_that_is_exceeded() {
    let mut spent = Default::default();
    for _ in 0..3 {
        MaxDivergence.add(&mut spent, &Up::exact(f64::MAX)).unwrap();
    }
    assert!(
        MaxDivergence
            .remaining(&Up::ONE, &spent)
            .unwrap_err()
            .is_distance()
    );
}

#[test]
fn a_composition_says_nothing_beyond_its_distance() {
    let composition = filtered(
        AtomDomain::<bool>::new(),
        DiscreteDistance,
        MaxDivergence,
        1,
        Up::ONE,
    )
    .unwrap();
    assert_eq!(composition.map(&0).unwrap(), Up::ONE);
    let error = composition.map(&2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the losses were set for distances up to 1, and say nothing at 2; build the composition \
         for the larger distance"
    );
    assert!(!composition.check(&2, &Up::exact(100.0)).unwrap());
}

#[test]
fn a_queryable_does_not_show_its_data() {
    let text = "secret-person";
    let odometer = Odometer::new(MaxDivergence).unwrap();
    let data = text.to_string();
    let queryable = Queryable::new(
        AtomDomain::<String>::new(),
        DiscreteDistance,
        data,
        1,
        odometer,
    )
    .unwrap();
    assert!(!format!("{queryable:?}").contains(text));
    let outside = AtomDomain::bounded(0_i64, 5).unwrap();
    let odometer = Odometer::new(MaxDivergence).unwrap();
    let error = Queryable::new(outside, DiscreteDistance, 77, 1, odometer).unwrap_err();
    assert!(error.is_outside_domain() && !error.to_string().contains("77"));
}

#[test]
fn a_release_over_another_domain_is_refused() {
    type Numbers = Interactive<AtomDomain<i64>, DiscreteDistance, Filter<MaxDivergence>>;
    let bounded = AtomDomain::bounded(0_i64, 5).unwrap();
    let composition: Numbers =
        filtered(bounded, DiscreteDistance, MaxDivergence, 1, Up::ONE).unwrap();
    let map = PrivacyMap::new(|_| Ok(Up::ONE));
    let other = Measurement::new(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        |&x: &i64, _| Ok(x),
        map,
    )
    .unwrap();
    assert!(
        composition
            .invoke(&3)
            .unwrap()
            .ask(&other)
            .unwrap_err()
            .is_composition()
    );
}

#[test]
fn a_rényi_odometer_adds_at_every_order() {
    let mut odometer = Odometer::new(RenyiDivergence).unwrap();
    for rho in [0.5, 0.25] {
        odometer
            .charge(&RenyiCurve::new(move |order| Ok(order * Up::exact(rho))))
            .unwrap();
    }
    let spent = odometer.spent().unwrap();
    assert_eq!(spent.epsilon(Up::exact(2.0)).unwrap().get(), 1.5);
    assert_eq!(spent.epsilon(Up::exact(4.0)).unwrap().get(), 3.0);
}

#[test]
fn ten_doubles_above_a_tenth_do_not_fit_in_one_and_their_sum_does() {
    let tenth = Up::from_rational(&Rational::new(1, 10));
    let mut filter = Filter::new(ZeroConcentratedDivergence, Up::ONE).unwrap();
    for _ in 0..9 {
        filter.charge(&tenth).unwrap();
    }
    assert!(filter.charge(&tenth).unwrap_err().is_budget());
    let mut filter = Filter::new(
        ZeroConcentratedDivergence,
        Up::ONE + Up::exact(f64::EPSILON),
    )
    .unwrap();
    for _ in 0..10 {
        filter.charge(&tenth).unwrap();
    }
}

fn loss() -> impl Strategy<Value = f64> {
    (0u64..1 << 52, -12i32..0)
        .prop_map(|(bits, exponent)| (1.0 + bits as f64 / 2f64.powi(52)) * 2f64.powi(exponent))
}

proptest! {
    #[test]
    fn a_filter_accepts_exactly_what_fits(losses in vec(loss(), 1..40), budget in loss()) {
        let mut filter = Filter::new(MaxDivergence, Up::exact(budget)).unwrap();
        let budget = exact(Up::exact(budget));
        let mut spent = Rational::ZERO;
        for loss in losses.into_iter().map(Up::exact) {
            let with = &spent + &exact(loss);
            let accepted = filter.charge(&loss);
            prop_assert_eq!(accepted.is_ok(), with <= budget);
            if accepted.is_ok() {
                spent = with;
            }
            prop_assert_eq!(filter.spent().unwrap().get(), spent.to_f64(Rounding::Up));
            let rest = &budget - &spent;
            prop_assert_eq!(filter.remaining().unwrap().get(), rest.to_f64(Rounding::Down));
        }
        // What remains is accepted, and the next double is not.
        let rest = filter.remaining().unwrap();
        prop_assert!(filter.clone().charge(&Up::exact(rest.get().next_up())).is_err());
        filter.charge(&rest).unwrap();
    }

    #[test]
    fn neither_part_of_a_budget_is_exceeded(
        losses in vec((loss(), loss()), 1..40),
        budget in (loss(), loss()),
    ) {
        let pair =
            |(epsilon, delta)| EpsilonDelta::new(Up::exact(epsilon), Up::exact(delta)).unwrap();
        let budget = pair(budget);
        let mut filter = Filter::new(Approximate(MaxDivergence), budget.clone()).unwrap();
        let (mut epsilon, mut delta) = (Rational::ZERO, Rational::ZERO);
        for loss in losses.into_iter().map(pair) {
            let with = (&epsilon + &exact(*loss.loss()), &delta + &exact(loss.delta()));
            let fits = with.0 <= exact(*budget.loss()) && with.1 <= exact(budget.delta());
            prop_assert_eq!(filter.charge(&loss).is_ok(), fits);
            if fits {
                (epsilon, delta) = with;
            }
        }
        let spent = filter.spent().unwrap();
        prop_assert_eq!(spent.loss().get(), epsilon.to_f64(Rounding::Up));
        prop_assert_eq!(spent.delta().get(), delta.to_f64(Rounding::Up));
    }
}
