//! Ledgers that compose: what is charged, what is refused, and which terms are fixed.

use lastbit::conversions::zcdp_to_approximate_epsilon;
use lastbit_exact::{Down, Rational, Up};
use lastbit_release::account::price;
use lastbit_release::ledger::{Currency, Ledger, LedgerError, Outcome, Terms, check};
use lastbit_release::left::price_at;
use lastbit_release::loss::{Loss, LossMeasure};
use lastbit_release::plan::Plan;

use super::support::{approximate, number, place, request, rho, taken};

#[test]
fn what_composes_is_refused_in_three_lines_in_its_own_currency() {
    let (_directory, path) = place();
    let budget = approximate("2", "1e-7");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    let limit = ledger.account().composed.clone().unwrap().limit;
    assert_eq!(limit.delta, number("1e-8"));
    // About (√(ln(1/δ) + ε) − √ln(1/δ))², and a little more by the best Rényi order.
    assert!(
        limit.main > number("0.07") && limit.main < number("0.08"),
        "{limit}"
    );
    for step in 0..10 {
        let tenth = Loss::new(limit.measure, &limit.main / &number("10"), number("1e-9"));
        let tenth = tenth.unwrap();
        assert_eq!(ledger.account().admits(&tenth), 10 - step);
        taken(&mut ledger, &step.to_string(), tenth);
    }
    let account = ledger.account().clone();
    assert!(account.remaining().main.is_zero() && account.remaining().delta.is_zero());
    assert_eq!(account.epsilon_left(), Some(Rational::ZERO));
    let spent = account.epsilon_spent().unwrap();
    assert!(spent <= number("2") && spent > number("1.999"), "{spent}");
    let error = ledger
        .reserve(&request("more", rho("0.01", "0")))
        .unwrap_err();
    let text = error.to_string();
    assert!(error.is_refused());
    assert!(
        text.contains("\n  requested:  ρ = 0.01\n  remaining:  ρ = 0\n  difference: ρ = 0.01\n"),
        "{text}"
    );
    // The budget that it names is enough, and little more.
    let epsilon = text.split("--epsilon ").nth(1).unwrap();
    let epsilon = epsilon.split(' ').next().unwrap();
    assert!(
        number(epsilon) > number("2.1") && number(epsilon) < number("2.2"),
        "{epsilon}"
    );
    ledger
        .set_budget(&approximate(epsilon, "1e-7"), "")
        .unwrap();
    taken(&mut ledger, "more", rho("0.01", "0"));
    // δ of thresholds takes more δ in all.
    let error = ledger
        .reserve(&request("keys", rho("0", "1e-8")))
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("difference: ρ = 0, δ = 1e-8 of thresholds"),
        "{text}"
    );
    assert!(text.contains("--delta 1.1e-7 --thresholds 2e-8`"), "{text}");
    let terms = Terms {
        currency: Currency::Zcdp,
        thresholds: number("2e-8"),
    };
    let raised = approximate(epsilon, "1.1e-7");
    ledger.set_terms(&raised, |_| Some(terms), "").unwrap();
    taken(&mut ledger, "keys", rho("0", "1e-8"));
    assert!(check(&path, &[]).unwrap().passed());
}

fn plan(spend: &str) -> Plan {
    let text = format!(
        "[source]\nfiles = \"t.csv\"\n[privacy]\nneighbours = \"add-remove\"\n\
         [budget]\nepsilon = 2\ndelta = 1e-7\n{spend}\n\
         [columns.sex]\ncategories = [\"f\", \"m\"]\n\
         [[statistics]]\nname = \"people\"\nkind = \"count\"\nby = \"sex\"\n\
         [[statistics]]\nname = \"all\"\nkind = \"count\"\n"
    );
    Plan::parse(&text).unwrap()
}

#[test]
fn a_plan_is_priced_against_the_ledger_that_charges_it() {
    let (_directory, path) = place();
    let stated = plan("[spend]\nepsilon = 0.2\ndelta = 1e-8");
    let (prices, left) = price_at(&stated, &path).unwrap();
    assert_eq!(left.ledger, None);
    assert_eq!(prices.loss.measure, LossMeasure::Approximate);
    assert_eq!(prices.loss, price(&stated).unwrap().loss);
    let mut ledger = Ledger::open(&path, &stated.budget).unwrap();
    let limit = ledger.account().composed.clone().unwrap().limit;
    let (_, left) = price_at(&stated, &path).unwrap();
    assert_eq!((left.ledger.as_deref(), left.more), (Some(&*path), 10));
    taken(
        &mut ledger,
        "other",
        Loss::new(
            limit.measure,
            limit.main.times_power_of_two(-1),
            Rational::ZERO,
        )
        .unwrap(),
    );
    // Once something composed, so does this.
    let (prices, left) = price_at(&stated, &path).unwrap();
    assert_eq!(prices.loss.measure, LossMeasure::ApproximateZcdp);
    assert_eq!(left.left.main, limit.main.times_power_of_two(-1));
    assert!(left.more > 10, "{left:?}");
    std::fs::write(&path, "no ledger").unwrap();
    assert!(price_at(&stated, &path).is_err());
}

#[test]
fn a_release_of_epsilon_and_delta_composes_if_its_plan_says_so() {
    let (_directory, path) = place();
    let plainly = plan("[spend]\nepsilon = 0.2\ndelta = 1e-8");
    let composed = plan("[spend]\nepsilon = 0.2\ndelta = 1e-8\ncomposes = true");
    let (by_sums, left) = price_at(&plainly, &path).unwrap();
    assert_eq!(
        (by_sums.loss.measure, left.more),
        (LossMeasure::Approximate, 10)
    );
    let (prices, left) = price_at(&composed, &path).unwrap();
    assert_eq!(prices.loss.measure, LossMeasure::ApproximateZcdp);
    // Many more fit, though each is private to the same ε and δ by itself.
    assert!(left.more > 50, "{left:?}");
    let epsilon = zcdp_to_approximate_epsilon(
        Up::from_rational(&prices.loss.main),
        Down::from_rational(&number("1e-8")),
    );
    assert!(epsilon.unwrap().get() <= 0.2);
    // A release that takes everything is not followed by another.
    let all = plan("[spend]\nepsilon = 2\ndelta = 1e-7\ncomposes = true");
    let loss = price(&all).unwrap().loss;
    assert_eq!(loss.measure, LossMeasure::Approximate);
    assert_eq!(loss.main, all.budget.main);
    for (budget, spend, says) in [
        (
            "epsilon = 2",
            "epsilon = 1\ncomposes = true",
            "add up anyway",
        ),
        (
            "epsilon = 2\ndelta = 1e-7",
            "part = 0.1\ncomposes = false",
            "composes; leave",
        ),
    ] {
        let text = format!(
            "[source]\nfiles = \"t.csv\"\n[privacy]\nneighbours = \"add-remove\"\n\
             [budget]\n{budget}\n[spend]\n{spend}\n\
             [[statistics]]\nname = \"all\"\nkind = \"count\"\n"
        );
        let error = Plan::parse(&text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn a_release_that_takes_everything_closes_the_ledger_and_others_keep_it_open() {
    let (_directory, path) = place();
    let budget = approximate("1", "1e-6");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    let mut other = Ledger::open(&path, &budget).unwrap();
    taken(&mut ledger, "whole", budget.clone());
    for loss in [
        rho("1e-9", "0"),
        rho("0", "1e-12"),
        approximate("1e-9", "0"),
    ] {
        let error = other.reserve(&request("a", loss)).unwrap_err();
        assert!(error.is_refused(), "{error}");
    }
    // Raised, what is new composes with nothing of the old.
    other.set_budget(&approximate("2", "2e-6"), "more").unwrap();
    let own = other.account().composed.clone().unwrap();
    assert_eq!(own.limit, own.terms.limit(&approximate("1", "1e-6")));
    taken(&mut other, "a", rho("0.001", "0"));
    // From then on nothing is taken plainly.
    let error = ledger
        .reserve(&request("b", approximate("0.1", "1e-7")))
        .unwrap_err();
    assert!(matches!(error, LedgerError::Composes { .. }), "{error}");
    // What was stored is found in whatever way it was priced.
    let again = ledger.reserve(&request("whole", rho("0.01", "0"))).unwrap();
    assert!(matches!(again, Outcome::Stored(_)));
    assert!(check(&path, &[]).unwrap().passed());
}

#[test]
fn terms_are_fixed_once_something_was_released() {
    let (_directory, path) = place();
    let budget = approximate("1", "1e-6");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    let terms = |currency, thresholds: &str| Terms {
        currency,
        thresholds: number(thresholds),
    };
    // Before, anything goes that leaves something.
    let gaussian = terms(Currency::Gaussian, "0");
    ledger
        .set_terms(&budget, |_| Some(gaussian.clone()), "")
        .unwrap();
    let error = ledger
        .reserve(&request("a", rho("0.001", "0")))
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::MeasureDiffers { .. }),
        "{error}"
    );
    let squared = Loss::new(
        LossMeasure::ApproximateGaussian,
        number("0.01"),
        Rational::ZERO,
    )
    .unwrap();
    assert_eq!(ledger.account().admits(&squared), 5);
    let all = terms(Currency::Zcdp, "1e-6");
    let error = ledger.set_terms(&budget, |_| Some(all), "").unwrap_err();
    assert!(error.to_string().contains("leave nothing"), "{error}");
    let zcdp = terms(Currency::Zcdp, "5e-7");
    ledger
        .set_terms(&budget, |_| Some(zcdp.clone()), "")
        .unwrap();
    taken(&mut ledger, "a", rho("0.001", "0"));
    let head = ledger.head().1.to_owned();
    // Erratum 17: who has seen a result may not move δ between noise and thresholds, nor change the
    // currency.
    for (budget, other) in [
        (budget.clone(), terms(Currency::Gaussian, "5e-7")),
        (budget.clone(), terms(Currency::Zcdp, "4e-7")),
        (budget.clone(), terms(Currency::Zcdp, "6e-7")),
        (approximate("1", "1.05e-6"), terms(Currency::Zcdp, "6e-7")),
    ] {
        let error = ledger.set_terms(&budget, |_| Some(other), "").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("fixed once something was released"),
            "{error}"
        );
    }
    assert_eq!(ledger.head().1, head);
    let error = ledger
        .set_budget(&approximate("0.01", "1e-6"), "")
        .unwrap_err();
    assert!(error.to_string().contains("is already spent"), "{error}");
    // More of both is no trade; less of one than some budget had, and more of the other, is.
    let raised = approximate("1", "2e-6");
    let more = terms(Currency::Zcdp, "6e-7");
    ledger.set_terms(&raised, |_| Some(more), "").unwrap();
    let error = ledger
        .set_budget(&approximate("0.9", "2e-6"), "")
        .unwrap_err();
    assert!(error.to_string().contains("trades ε for δ"), "{error}");
    ledger.set_budget(&approximate("1.5", "2e-6"), "").unwrap();
    ledger.set_budget(&approximate("1.2", "2e-6"), "").unwrap();
    assert!(check(&path, &[]).unwrap().passed());
}

/// A budget that is changed after results were seen is a promise too.
#[test]
fn a_budget_trades_no_epsilon_for_delta_once_something_was_released() {
    for first in [approximate("0.5", "1e-7"), rho("0.001", "0")] {
        let (_directory, path) = place();
        let budget = approximate("1", "1e-6");
        let mut ledger = Ledger::open(&path, &budget).unwrap();
        // Before, anything goes.
        ledger.set_budget(&approximate("2", "5e-7"), "").unwrap();
        ledger.set_budget(&budget, "").unwrap();
        taken(&mut ledger, "a", first);
        let head = ledger.head().1.to_owned();
        for other in [approximate("0.9", "2e-6"), approximate("2", "9e-7")] {
            let error = ledger.set_budget(&other, "").unwrap_err();
            assert!(matches!(error, LedgerError::TermsRefused { .. }), "{error}");
            assert!(error.to_string().contains("trades ε for δ"), "{error}");
        }
        assert_eq!(ledger.head().1, head);
        ledger.set_budget(&approximate("2", "2e-6"), "").unwrap();
        // Between two of those that were in force.
        ledger.set_budget(&approximate("1.5", "1e-6"), "").unwrap();
        assert!(
            ledger
                .set_budget(&approximate("0.9", "1.5e-6"), "")
                .is_err()
        );
        drop(ledger);
        // What was in force is known from the file.
        let mut ledger = Ledger::open_existing(&path).unwrap();
        assert!(
            ledger
                .set_budget(&approximate("0.9", "1.5e-6"), "")
                .is_err()
        );
        assert!(check(&path, &[]).unwrap().passed());
    }
}
