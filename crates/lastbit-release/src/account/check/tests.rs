//! Wrong shares and wrong charges, planted under every accountant.

use lastbit::tables::Tails;
use lastbit_exact::Rational;

use crate::account::item::Way;
use crate::account::pricer::{Assignment, Pricer};
use crate::account::sharing::Joins;
use crate::account::{Charging, Price, PriceError};
use crate::plan::{Accountant, Plan};
use crate::statistic::Errors;

/// A plan with this accountant, budget and statistics.
fn plan(accountant: &str, budget: &str, statistics: &[&str]) -> Plan {
    let mut text = format!(
        r#"
accountant = "{accountant}"
expected_rows = 5000
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
unit = "person"
most_rows = 2
most_groups = 3
[budget]
{budget}
[columns.town]
discover = true
[columns.x]
lower = -3
upper = 10
"#
    );
    for (index, statistic) in statistics.iter().enumerate() {
        text += &format!("[[statistics]]\nname = \"s{index}\"\n{statistic}\n");
    }
    Plan::parse(&text).unwrap()
}

const COUNT: &str = "kind = \"count\"";
const TOWNS: &str = "kind = \"count\"\nby = [\"town\"]";
const SUM: &str = "kind = \"sum\"\nof = \"x\"";
const HEAVY: &str = "kind = \"mean\"\nof = \"x\"\nweight = 3";
const MEDIAN: &str = "kind = \"quantiles\"\nof = \"x\"";
const PRODUCTS: &str = "kind = \"correlation\"\nof = [\"x\", \"y\"]";
const SECOND: &str = "[columns.y]\nlower = 0\nupper = 1\n";

/// Every accountant, in every measure that it can be charged in.
fn plans() -> Vec<(Accountant, Plan)> {
    let both = "epsilon = 1\ndelta = 1e-6";
    let part = "epsilon = 1\ndelta = 1e-6\n[spend]\npart = \"1/4\"";
    let gaussian = "epsilon = 1\ndelta = 1e-6\ncurrency = \"gaussian\"\n[spend]\npart = \"1/4\"";
    let products = format!("rho = 0.1\n{SECOND}");
    vec![
        (
            Accountant::Pure,
            plan("pure", "epsilon = 1", &[SUM, HEAVY, MEDIAN]),
        ),
        (Accountant::Pure, plan("pure", both, &[TOWNS, SUM, HEAVY])),
        (
            Accountant::Zcdp,
            plan("zcdp", "rho = 0.1", &[SUM, HEAVY, MEDIAN]),
        ),
        (Accountant::Zcdp, plan("zcdp", &products, &[SUM, PRODUCTS])),
        (
            Accountant::Zcdp,
            plan("zcdp", both, &[TOWNS, SUM, HEAVY, MEDIAN]),
        ),
        (
            Accountant::Optimal,
            plan("optimal", both, &[TOWNS, SUM, MEDIAN, COUNT]),
        ),
        (
            Accountant::Gaussian,
            plan("gaussian", both, &[TOWNS, SUM, HEAVY]),
        ),
        (
            Accountant::Pld,
            plan("pld", both, &[TOWNS, SUM, HEAVY, MEDIAN]),
        ),
        (
            Accountant::Zcdp,
            plan("zcdp", part, &[TOWNS, SUM, HEAVY, MEDIAN]),
        ),
        (
            Accountant::Gaussian,
            plan("gaussian", gaussian, &[TOWNS, SUM, HEAVY]),
        ),
    ]
}

/// Calls a test with the pricer of each plan, what it assigns, and the prices.
fn each(test: impl Fn(&Pricer<'_>, Accountant, &Assignment, Vec<Price>)) {
    for (accountant, plan) in plans() {
        let charging = Charging::new(&plan, None);
        let (tails, beta) = (Tails::default(), plan.confidence.beta());
        let errors = Errors {
            tails: &tails,
            beta: &beta,
        };
        let apart = Pricer::new(&plan, &charging, errors).unwrap();
        let pricer = apart.sharing(Joins::new(&plan, &apart.items).chosen(&plan));
        let assignment = pricer.assign(accountant).unwrap();
        let prices = pricer.prices(&assignment).unwrap();
        test(&pricer, accountant, &assignment, prices);
    }
}

fn is_refused(outcome: Result<(), PriceError>) -> bool {
    match outcome {
        Ok(()) => false,
        Err(PriceError::Library(why)) => why.contains("more than its price"),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn prices_cover_the_composition_of_their_chains_and_hardly_more() {
    each(|pricer, accountant, assignment, prices| {
        let loss = &assignment.loss;
        pricer.check(accountant, loss, &prices).unwrap();
        let mut less = loss.clone();
        less.main = &loss.main * &Rational::new(999, 1000);
        let outcome = pricer.check(accountant, &less, &prices);
        assert!(is_refused(outcome), "{accountant:?} {less}");
        if prices.iter().any(|price| price.threshold.is_some()) {
            // A tenth is more than the grid of counts leaves over.
            let mut less = loss.clone();
            less.delta = &loss.delta * &Rational::new(1, 10);
            let outcome = pricer.check(accountant, &less, &prices);
            assert!(is_refused(outcome), "{accountant:?} {less}");
        }
    });
}

/// The noise of a larger share, in place of one's own.
fn with_more(pricer: &Pricer<'_>, accountant: Accountant, place: usize, price: &mut Price) {
    let item = &pricer.items[place];
    let way = Way::of(accountant);
    let more = &price.loss * &Rational::new(11, 10);
    let mechanism = item.mechanism(way, &more, pricer.errors).unwrap();
    price.mechanism = item.aimed(mechanism, pricer.errors).unwrap();
    if let Some(threshold) = &mut price.threshold {
        *threshold = item.threshold(&price.mechanism, &threshold.delta).unwrap();
    }
    price.loss = more;
}

#[test]
fn a_share_that_is_too_large_is_refused() {
    each(|pricer, accountant, assignment, prices| {
        for place in 0..prices.len() {
            if prices[place].shared.is_some() {
                continue;
            }
            let mut wrong = prices.clone();
            with_more(pricer, accountant, place, &mut wrong[place]);
            let outcome = pricer.check(accountant, &assignment.loss, &wrong);
            assert!(is_refused(outcome), "{accountant:?}, statistic {place}");
        }
    });
}

#[test]
fn a_chain_above_its_own_price_is_refused() {
    each(|pricer, accountant, assignment, prices| {
        // Enough for all together, so that only the price of one is wrong.
        let mut plenty = assignment.loss.clone();
        plenty.main = &plenty.main * &Rational::from(2i64);
        for place in 0..prices.len() {
            if prices[place].shared.is_some() {
                continue;
            }
            let mut wrong = prices.clone();
            with_more(pricer, accountant, place, &mut wrong[place]);
            wrong[place].loss = prices[place].loss.clone();
            let outcome = pricer.check(accountant, &plenty, &wrong);
            assert!(is_refused(outcome), "{accountant:?}, statistic {place}");
            let Some(threshold) = &prices[place].threshold else {
                continue;
            };
            let mut wrong = prices.clone();
            let lower = wrong[place].threshold.as_mut().unwrap();
            lower.least = &threshold.least - &Rational::from(3i64);
            let outcome = pricer.check(accountant, &plenty, &wrong);
            assert!(is_refused(outcome), "{accountant:?}, threshold {place}");
        }
    });
}
