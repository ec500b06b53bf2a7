//! Ledgers that compose: what an analyst who chooses as they go can reach, what is refused, and how
//! old ledgers move on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use lastbit::conversions::{pure_to_zcdp, zcdp_to_approximate_epsilon};
use lastbit_exact::{Down, Rational, Up};
use lastbit_release::account::price;
use lastbit_release::ledger::{
    Account, Currency, Event, Ledger, LedgerError, Limit, Outcome, Request, Terms, check,
};
use lastbit_release::left::price_at;
use lastbit_release::loss::{Loss, Measure};
use lastbit_release::plan::Plan;
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

fn approximate(epsilon: &str, delta: &str) -> Loss {
    Loss::approximate(number(epsilon), number(delta)).unwrap()
}

fn rho(amount: &str, delta: &str) -> Loss {
    Loss::new(Measure::ApproximateZcdp, number(amount), number(delta)).unwrap()
}

fn request(plan: &str, loss: Loss) -> Request {
    Request {
        plan: plan.into(),
        data: "data".into(),
        loss,
        description: format!("the release of {plan}"),
    }
}

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ledger");
    (directory, path)
}

fn taken(ledger: &mut Ledger, plan: &str, loss: Loss) {
    match ledger.reserve(&request(plan, loss)).unwrap() {
        Outcome::Reserved(reserved) => ledger.settle(reserved, "{}").unwrap(),
        Outcome::Stored(stored) => panic!("stored: {stored:?}"),
    }
}

/// What an analyst may ask for, one after another.
struct Offer {
    kind: Kind,
    /// What the ledger is charged.
    loss: Loss,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Randomized response, of a loss of so many units.
    Response(usize),
    /// An event of this probability that tells everything.
    Threshold(f64),
}

/// An ε has this many units.
const UNITS: usize = 8;
/// The units of the loudest response.
const LOUDEST: usize = 4;
/// Strategies have at most so many releases.
const MOST: usize = 10;

fn reserve(loss: &Loss) -> Event {
    Event::Reserve {
        loss: loss.clone(),
        plan: String::new(),
        data: String::new(),
        description: String::new(),
    }
}

/// The account after an offer, if the ledger's rule takes it.
fn after(account: &Account, loss: &Loss) -> Option<Account> {
    (account.admits(loss) > 0).then(|| {
        let plain = loss.measure == account.budget.measure;
        let own = account.composed.as_ref().filter(|_| plain);
        let limit = own.map(|own| {
            let left = account.budget.minus(&account.spent.plus(loss).unwrap());
            Limit::new(&own.terms, &left)
        });
        let mut next = account.clone();
        next.add(&reserve(loss), limit.as_ref()).unwrap();
        next
    })
}

/// An analyst who chooses from a menu after each answer, as long as a rule takes it. What a rule
/// does next depends on how often each offer was taken, and not on their order.
struct Analyst<'a, A> {
    rule: &'a dyn Fn(&A, &Offer) -> Option<A>,
    menu: &'a [Offer],
    epsilon: f64,
    /// The most releases.
    most: usize,
    /// After so many of each offer: the largest δ that is still reached, by the loss so far.
    known: HashMap<Vec<usize>, Rc<Vec<f64>>>,
}

impl<A> Analyst<'_, A> {
    /// The largest δ at ε of all strategies from here on, by the loss so far in units, of which
    /// the middle is 0.
    fn reached(&mut self, account: &A, asked: &[usize]) -> Rc<Vec<f64>> {
        if let Some(known) = self.known.get(asked) {
            return Rc::clone(known);
        }
        let unit = self.epsilon / UNITS as f64;
        let middle = LOUDEST * self.most;
        let stop = |loss: usize| {
            let beyond = loss as f64 - (middle + UNITS) as f64;
            (1.0 - (-unit * beyond).exp()).max(0.0)
        };
        let mut best: Vec<f64> = (0..=2 * middle).map(stop).collect();
        let so_far: usize = asked.iter().sum();
        for (index, offer) in self.menu.iter().enumerate() {
            if so_far == self.most {
                break;
            }
            let Some(account) = (self.rule)(account, offer) else {
                continue;
            };
            let mut more = asked.to_vec();
            more[index] += 1;
            let then = self.reached(&account, &more);
            // So far no loss is farther from 0.
            let farthest = LOUDEST * so_far;
            for loss in middle - farthest..=middle + farthest {
                let value = match offer.kind {
                    Kind::Response(units) => {
                        let truth = 1.0 / (1.0 + (-unit * units as f64).exp());
                        truth * then[loss + units] + (1.0 - truth) * then[loss - units]
                    }
                    Kind::Threshold(delta) => delta + (1.0 - delta) * then[loss],
                };
                best[loss] = best[loss].max(value);
            }
        }
        let best = Rc::new(best);
        self.known.insert(asked.to_vec(), Rc::clone(&best));
        best
    }
}

/// The largest δ at ε that an analyst reaches with so many releases: by trying everything.
fn best_attack<A>(
    start: &A,
    rule: &dyn Fn(&A, &Offer) -> Option<A>,
    menu: &[Offer],
    epsilon: f64,
    most: usize,
) -> f64 {
    let mut analyst = Analyst {
        rule,
        menu,
        epsilon,
        most,
        known: HashMap::new(),
    };
    let reached = analyst.reached(start, &vec![0; menu.len()]);
    reached[LOUDEST * most]
}

fn zcdp(each: f64) -> Loss {
    let rho = pure_to_zcdp(Up::exact(each)).unwrap();
    let rho = Rational::try_from(rho.get()).unwrap();
    Loss::new(Measure::ApproximateZcdp, rho, Rational::ZERO).unwrap()
}

fn exact(x: f64) -> Rational {
    Rational::try_from(x).unwrap()
}

/// Responses of several losses and thresholds of several δ, in both ways that a ledger takes them.
fn menu(epsilon: f64, delta: f64) -> Vec<Offer> {
    let mut menu = Vec::new();
    for units in [1, 2, LOUDEST] {
        let each = epsilon * units as f64 / UNITS as f64;
        for loss in [
            zcdp(each),
            Loss::approximate(exact(each), Rational::ZERO).unwrap(),
        ] {
            let kind = Kind::Response(units);
            menu.push(Offer { kind, loss });
        }
    }
    for part in [0.125, 1.0] {
        let each = part * delta;
        for measure in [Measure::ApproximateZcdp, Measure::Approximate] {
            menu.push(Offer {
                kind: Kind::Threshold(each),
                loss: Loss::new(measure, Rational::ZERO, exact(each)).unwrap(),
            });
        }
    }
    menu
}

/// Budgets at which strategies can be tried: with a smaller δ they need more releases.
const BUDGETS: [(f64, f64); 6] = [
    (1.0, 0.2),
    (0.5, 0.1),
    (0.25, 0.05),
    (2.0, 0.1),
    (2.0, 0.01),
    (1.0, 0.01),
];

fn thresholds(delta: f64) -> Terms {
    Terms {
        currency: Currency::Zcdp,
        thresholds: exact(0.125 * delta),
    }
}

#[test]
fn no_adaptive_analyst_exceeds_the_rule_of_a_ledger() {
    for (epsilon, delta) in BUDGETS {
        let budget = Loss::approximate(exact(epsilon), exact(delta)).unwrap();
        let account = Account::new(&budget, Some(&Limit::new(&thresholds(delta), &budget)));
        let rule = |account: &Account, offer: &Offer| after(account, &offer.loss);
        let menu = menu(epsilon, delta);
        let reached = best_attack(&account.unwrap(), &rule, &menu, epsilon, MOST);
        assert!(reached <= delta, "{reached} of {delta}");
        assert!(reached > 0.9 * delta, "{reached} of {delta}");
    }
}

/// Planted: a ledger that adds up what is taken plainly and what composes apart from each other,
/// each up to the whole budget.
#[test]
fn two_sums_apart_are_exceeded_by_an_adaptive_analyst() {
    for (epsilon, delta) in BUDGETS {
        let budget = Loss::approximate(exact(epsilon), exact(delta)).unwrap();
        let limit = thresholds(delta).limit(&budget);
        let rule = |(plain, composed): &(Loss, Loss), offer: &Offer| {
            let loss = &offer.loss;
            let (sum, limit) = match loss.measure {
                Measure::Approximate => (plain.plus(loss).unwrap(), &budget),
                _ => (composed.plus(loss).unwrap(), &limit),
            };
            sum.fits(limit).then(|| match loss.measure {
                Measure::Approximate => (sum, composed.clone()),
                _ => (plain.clone(), sum),
            })
        };
        let nothing = (
            Loss::zero(Measure::Approximate),
            Loss::zero(Measure::ApproximateZcdp),
        );
        let reached = best_attack(&nothing, &rule, &menu(epsilon, delta), epsilon, MOST);
        assert!(reached > delta, "missed: {reached} of {delta}");
    }
}

/// Planted: a ledger that keeps both sums of every release, and takes it if either fits. Who has
/// seen a large loss goes on by the one, who has seen a small loss by the other.
#[test]
fn the_better_of_two_sums_is_exceeded_by_an_adaptive_analyst() {
    for (epsilon, delta) in BUDGETS {
        let budget = Loss::approximate(exact(epsilon), exact(delta)).unwrap();
        let limit = thresholds(delta).limit(&budget);
        let unit = epsilon / UNITS as f64;
        let rule = |(plain, composed): &(Loss, Loss), offer: &Offer| {
            let (pure, rho) = match offer.kind {
                Kind::Response(units) => {
                    let each = unit * units as f64;
                    (exact(each), zcdp(each).main)
                }
                Kind::Threshold(_) => (Rational::ZERO, Rational::ZERO),
            };
            let each = |measure, main| Loss::new(measure, main, offer.loss.delta.clone()).unwrap();
            let plain = plain.plus(&each(Measure::Approximate, pure)).unwrap();
            let composed = composed.plus(&each(Measure::ApproximateZcdp, rho)).unwrap();
            (plain.fits(&budget) || composed.fits(&limit)).then_some((plain, composed))
        };
        // Both ways of an offer are the same here.
        let mut menu = menu(epsilon, delta);
        menu.retain(|offer| offer.loss.measure == Measure::Approximate);
        let nothing = (
            Loss::zero(Measure::Approximate),
            Loss::zero(Measure::ApproximateZcdp),
        );
        let reached = best_attack(&nothing, &rule, &menu, epsilon, MOST);
        assert!(reached > delta, "missed: {reached} of {delta}");
    }
}

/// Planted: a ledger that takes a release if all so far, had they been fixed beforehand, are
/// within the budget. That is the tightest bound for fixed losses, and no filter.
#[test]
fn a_bound_for_fixed_losses_is_exceeded_by_an_adaptive_analyst() {
    for (epsilon, delta) in BUDGETS {
        let unit = epsilon / UNITS as f64;
        let middle = LOUDEST * MOST;
        // The law of the loss of all, and the chance that no threshold told everything.
        let rule = |(law, quiet): &(Vec<f64>, f64), offer: &Offer| {
            let (mut law, mut quiet) = (law.clone(), *quiet);
            match offer.kind {
                Kind::Response(units) => {
                    let truth = 1.0 / (1.0 + (-unit * units as f64).exp());
                    let before = law.clone();
                    let at = |place: Option<usize>| {
                        let place = place.and_then(|place| before.get(place));
                        place.copied().unwrap_or(0.0)
                    };
                    for (loss, mass) in law.iter_mut().enumerate() {
                        *mass = truth * at(loss.checked_sub(units))
                            + (1.0 - truth) * at(Some(loss + units));
                    }
                }
                Kind::Threshold(each) => quiet *= 1.0 - each,
            }
            let beyond = |(loss, mass): (usize, &f64)| {
                let over = loss as f64 - (middle + UNITS) as f64;
                mass * (1.0 - (-unit * over).exp()).max(0.0)
            };
            let all: f64 = law.iter().enumerate().map(beyond).sum();
            (1.0 - quiet + quiet * all <= delta).then_some((law, quiet))
        };
        let mut menu = menu(epsilon, delta);
        menu.retain(|offer| offer.loss.measure == Measure::Approximate);
        let mut nothing = vec![0.0; 2 * middle + 1];
        nothing[middle] = 1.0;
        let reached = best_attack(&(nothing, 1.0), &rule, &menu, epsilon, MOST);
        assert!(reached > 1.1 * delta, "missed: {reached} of {delta}");
    }
}

/// Planted: a ledger without a δ set aside for thresholds, which takes a release if the conversion
/// of Σρ at the δ that thresholds left is within ε. Erratum 17, for sums of ρ.
#[test]
fn erratum_17_a_delta_shared_by_rho_and_thresholds_is_exceeded_by_an_adaptive_analyst() {
    for (epsilon, delta) in [(2.0, 0.1), (1.0, 0.01)] {
        // By how many eighths thresholds have taken.
        let limits: Vec<Rational> = (0..8)
            .map(|eighths| {
                let left = exact(delta * (1.0 - f64::from(eighths) / 8.0));
                let left = Loss::approximate(exact(epsilon), left).unwrap();
                let terms = Terms {
                    currency: Currency::Zcdp,
                    thresholds: Rational::ZERO,
                };
                terms.limit(&left).main
            })
            .collect();
        let rule = |(rho, eighths): &(Rational, usize), offer: &Offer| {
            let (rho, eighths) = match offer.kind {
                Kind::Response(_) => (rho + &offer.loss.main, *eighths),
                Kind::Threshold(_) => (rho.clone(), eighths + 1),
            };
            let limit = limits.get(eighths).cloned().unwrap_or(Rational::ZERO);
            (rho <= limit && eighths <= 8).then_some((rho, eighths))
        };
        let mut menu = menu(epsilon, delta);
        menu.retain(|offer| match offer.kind {
            Kind::Response(units) => units < LOUDEST,
            Kind::Threshold(each) => each < delta,
        });
        menu.retain(|offer| offer.loss.measure == Measure::ApproximateZcdp);
        let reached = best_attack(&(Rational::ZERO, 0), &rule, &menu, epsilon, 14);
        assert!(reached > 1.02 * delta, "missed: {reached} of {delta}");
    }
}

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
    assert!(text.contains("difference: ρ = 0, δ = 1e-8"), "{text}");
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
    assert_eq!(prices.loss.measure, Measure::Approximate);
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
    assert_eq!(prices.loss.measure, Measure::ApproximateZcdp);
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
        (Measure::Approximate, 10)
    );
    let (prices, left) = price_at(&composed, &path).unwrap();
    assert_eq!(prices.loss.measure, Measure::ApproximateZcdp);
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
    assert_eq!(loss.measure, Measure::Approximate);
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
    let squared = Loss::new(Measure::ApproximateGaussian, number("0.01"), Rational::ZERO).unwrap();
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

const COLUMNS: &str =
    "previous row time kind measure main delta plan data description reserve report";

/// A ledger as the versions before wrote it: format 1, a budget and one release that is settled.
fn old_ledger(path: &Path) {
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "application_id", 0x4c42_4c47)
        .unwrap();
    db.pragma_update(None, "user_version", 1).unwrap();
    for statement in [
        "CREATE TABLE entries (row INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, \
         measure TEXT, main TEXT, delta TEXT, plan TEXT, data TEXT, description TEXT, reserve \
         INTEGER, report TEXT, previous TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
        "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), entries INTEGER NOT NULL, \
         hash TEXT NOT NULL) STRICT",
        "CREATE TRIGGER entries_are_final BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, \
         'entries of a ledger are final'); END",
        "CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries \
         of a ledger stay'); END",
        "CREATE TRIGGER entries_follow BEFORE INSERT ON entries WHEN NEW.row <> (SELECT entries + \
         1 FROM head) BEGIN SELECT RAISE(ABORT, 'entries of a ledger follow each other'); END",
        "CREATE TRIGGER head_stays BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'the head of a \
         ledger stays'); END",
        "INSERT INTO head VALUES (1, 0, '')",
    ] {
        db.execute(statement, []).unwrap();
    }
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let identity = "ab".repeat(32);
    let data = hex(&Sha256::digest(format!(
        "lastbit-ledger-data\n{identity}\ndata"
    )));
    let mut previous = identity;
    for row in 1..=3 {
        let column = |name: &str| -> Option<String> {
            let text = |text: &str| Some(text.to_owned());
            match (name, row) {
                ("previous", _) => Some(previous.clone()),
                ("row", _) => Some(row.to_string()),
                ("time", _) => text("2026-03-01T09:30:00.000Z"),
                ("kind", _) => text(["budget", "reserve", "settle"][row - 1]),
                ("measure", 1 | 2) => text("approximate"),
                ("main", 1) => text("2"),
                ("delta", 1) => text("0.0000001"),
                ("main", 2) => text("0.5"),
                ("delta", 2) => text("0.00000001"),
                ("plan", 2) => text("a"),
                ("data", 2) => Some(data.clone()),
                ("description", 1) => text("first budget"),
                ("description", 2) => text("the release of a"),
                ("reserve", 3) => text("2"),
                ("report", 3) => text("{\"a\":1}"),
                _ => None,
            }
        };
        let mut canonical = "lastbit-ledger-1\n".to_owned();
        for name in COLUMNS.split(' ') {
            canonical += &match column(name) {
                Some(value) => format!("{name}={}:{value}\n", value.len()),
                None => format!("{name}=-\n"),
            };
        }
        let hash = hex(&Sha256::digest(&canonical));
        let value = |name: &str| column(name);
        db.execute(
            "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            rusqlite::params![
                row as i64,
                value("time"),
                value("kind"),
                value("measure"),
                value("main"),
                value("delta"),
                value("plan"),
                value("data"),
                value("description"),
                value("reserve").map(|row| row.parse::<i64>().unwrap()),
                value("report"),
                previous.clone(),
                hash,
            ],
        )
        .unwrap();
        db.execute(
            "UPDATE head SET entries = ?1, hash = ?2",
            rusqlite::params![row as i64, hash],
        )
        .unwrap();
        previous = hash;
    }
}

fn version(path: &Path) -> i64 {
    let db = Connection::open(path).unwrap();
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap()
}

#[test]
fn old_ledgers_keep_their_sums_until_they_are_told_to_compose() {
    let (_directory, path) = place();
    old_ledger(&path);
    let budget = approximate("2", "1e-7");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    // Open in two processes at once, of which one does not move it on.
    let mut other = Ledger::open(&path, &budget).unwrap();
    assert_eq!(ledger.account().remaining(), approximate("1.5", "9e-8"));
    assert_eq!(ledger.account().composed, None);
    let stored = ledger
        .reserve(&request("a", approximate("2", "0")))
        .unwrap();
    assert!(matches!(stored, Outcome::Stored(stored) if stored.report == "{\"a\":1}"));
    taken(&mut ledger, "b", approximate("0.5", "1e-8"));
    let error = ledger
        .reserve(&request("c", rho("0.001", "0")))
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::MeasureDiffers { .. }),
        "{error}"
    );
    let error = ledger
        .reserve(&request("c", approximate("1.1", "0")))
        .unwrap_err();
    assert!(
        error.to_string().contains("remaining:  ε = 1, δ = 8e-8"),
        "{error}"
    );
    assert_eq!(version(&path), 1);
    // What is left composes from here on.
    let terms = Terms {
        currency: Currency::Zcdp,
        thresholds: number("1e-8"),
    };
    ledger
        .set_terms(&budget, |_| Some(terms.clone()), "compose")
        .unwrap();
    assert_eq!(version(&path), 2);
    let limit = terms.limit(&approximate("1", "8e-8"));
    let mut quarter = rho("0", "0");
    quarter.main = &limit.main / &number("4");
    taken(&mut other, "c", quarter.clone());
    assert_eq!(other.account().admits(&quarter), 3);
    taken(&mut ledger, "d", quarter.clone());
    let mut last = quarter;
    last.main = last.main.times_power_of_two(1);
    taken(&mut other, "e", last);
    assert!(
        ledger
            .reserve(&request("f", rho("1e-9", "0")))
            .unwrap_err()
            .is_refused()
    );
    let found = check(&path, &[]).unwrap();
    assert!(found.passed(), "{:?}", found.faults);
    let stored = other.reserve(&request("a", approximate("2", "0"))).unwrap();
    assert!(matches!(stored, Outcome::Stored(_)));
}

/// The first entry that only the new format can hold makes it one, in one transaction.
#[test]
fn a_ledger_that_cannot_be_moved_on_stays_as_it_was() {
    let (_directory, path) = place();
    old_ledger(&path);
    let mut ledger = Ledger::open_existing(&path).unwrap();
    let usual = Terms::usual(&approximate("0.4", "1e-7"));
    let error = ledger
        .set_terms(&approximate("0.4", "1e-7"), |_| usual, "")
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::BudgetBelowSpent { .. }),
        "{error}"
    );
    drop(ledger);
    assert_eq!(version(&path), 1);
    assert_eq!(Ledger::view(&path).unwrap().head().0, 3);
}

/// Appends a budget to a ledger as somebody could who can write the file, with all hashes right.
fn append_budget(path: &Path, [main, delta, currency, thresholds, most]: [&str; 5]) {
    let db = Connection::open(path).unwrap();
    let (entries, head): (i64, String) = db
        .query_row("SELECT entries, hash FROM head", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let row = (entries + 1).to_string();
    let given = [
        ("previous", head.as_str()),
        ("row", &row),
        ("time", "2099-01-01T00:00:00.000Z"),
        ("kind", "budget"),
        ("measure", "approximate"),
        ("main", main),
        ("delta", delta),
        ("description", "x"),
        ("currency", currency),
        ("thresholds", thresholds),
        ("most", most),
    ];
    let mut canonical = "lastbit-ledger-2\n".to_owned();
    for name in format!("{COLUMNS} currency thresholds most").split(' ') {
        canonical += &match given.iter().find(|(given, _)| *given == name) {
            Some((_, value)) => format!("{name}={}:{value}\n", value.len()),
            None => format!("{name}=-\n"),
        };
    }
    let hash = Sha256::digest(&canonical);
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
    let values: Vec<String> = given
        .iter()
        .map(|(_, value)| format!("'{value}'"))
        .collect();
    let (names, values) = (names.join(", "), values.join(", "));
    let insert = format!("INSERT INTO entries ({names}, hash) VALUES ({values}, '{hash}')");
    db.execute(&insert, []).unwrap();
    db.execute(
        "UPDATE head SET entries = ?1, hash = ?2",
        rusqlite::params![entries + 1, hash],
    )
    .unwrap();
}

/// Budgets that an adaptive analyst could profit by, forged into the end of a ledger.
#[test]
fn the_documented_python_program_and_the_check_find_terms_that_changed_after_a_release() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ledger.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let program = guide.split("```python\n").nth(1).unwrap();
    let program = program.split("```").next().unwrap();
    let cases = [
        (
            ["2", "0.0000001", "gaussian", "0.00000001", "0.16"],
            Err("changes the currency after a release"),
            "the currency is fixed",
        ),
        (
            ["2", "0.0000001", "zcdp", "0.00000009", "0.06"],
            Err("moves δ between noise and thresholds"),
            "it moves δ between noise and thresholds",
        ),
        (
            ["3", "0.00000009", "zcdp", "0.00000001", "0.15"],
            Ok("trades ε for δ"),
            "trades ε for δ",
        ),
    ];
    for (terms, by_program, by_check) in cases {
        let (_directory, path) = place();
        let mut ledger = Ledger::open(&path, &approximate("2", "1e-7")).unwrap();
        taken(&mut ledger, "a", rho("0.001", "0"));
        drop(ledger);
        append_budget(&path, terms);
        let output = std::process::Command::new("python3")
            .args(["-c", program])
            .arg(&path)
            .output()
            .expect("python3 runs");
        let said = String::from_utf8_lossy(&output.stdout);
        let wrong = String::from_utf8_lossy(&output.stderr);
        match by_program {
            Ok(note) => assert!(
                output.status.success() && said.contains(note),
                "{said}{wrong}"
            ),
            Err(why) => assert!(!output.status.success() && wrong.contains(why), "{wrong}"),
        }
        let found = check(&path, &[]).unwrap();
        assert_eq!(found.passed(), by_program.is_ok(), "{found:?}");
        let faults = found.faults.iter().map(|fault| fault.what.clone());
        let words: Vec<String> = faults.chain(found.notes).collect();
        assert!(
            words.iter().any(|text| text.contains(by_check)),
            "{words:?}"
        );
    }
}

/// The program of `docs/ledger.md` follows ledgers that compose, and finds a limit that is too
/// large.
#[test]
fn the_documented_python_program_follows_what_composes() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ledger.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let program = guide.split("```python\n").nth(1).unwrap();
    let program = program.split("```").next().unwrap();
    let run = |path: &Path| {
        let output = std::process::Command::new("python3")
            .args(["-c", program])
            .arg(path)
            .output()
            .expect("python3 runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), said, wrong)
    };
    for currency in [Currency::Zcdp, Currency::Gaussian] {
        let (_directory, path) = place();
        old_ledger(&path);
        let mut ledger = Ledger::open_existing(&path).unwrap();
        let terms = Terms {
            currency,
            thresholds: number("1e-8"),
        };
        let budget = approximate("2", "1e-7");
        ledger
            .set_terms(&budget, |_| Some(terms.clone()), "")
            .unwrap();
        let tenth = Loss::new(terms.measure(), number("0.001"), number("1e-9")).unwrap();
        taken(&mut ledger, "b", tenth);
        let (fine, said, wrong) = run(&path);
        assert!(fine, "{wrong}");
        assert!(
            said.starts_with("6 entries, approximate 1/2 of 2 spent, "),
            "{said}"
        );
        assert!(said.contains(" 1/1000 of "), "{said}");
        // A limit above what is private, written as if by this program.
        let entries = ledger.entries().unwrap();
        let most = &entries[3].limit.as_ref().unwrap().most;
        let more = (most * &number("1.01")).to_string();
        drop(ledger);
        let db = Connection::open(&path).unwrap();
        let triggers: Vec<(String, String)> = db
            .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        for (name, _) in &triggers {
            db.execute(&format!("DROP TRIGGER {name}"), []).unwrap();
        }
        let mut previous = String::new();
        for row in 4..=6 {
            let names: Vec<String> = format!("{COLUMNS} currency thresholds most")
                .split(' ')
                .map(str::to_owned)
                .collect();
            if row == 4 {
                db.execute("UPDATE entries SET most = ?1 WHERE row = 4", [&more])
                    .unwrap();
            } else {
                db.execute(
                    "UPDATE entries SET previous = ?1 WHERE row = ?2",
                    rusqlite::params![previous, row],
                )
                .unwrap();
            }
            let column = |name: &str| -> Option<String> {
                let text = format!("SELECT CAST({name} AS TEXT) FROM entries WHERE row = {row}");
                db.query_row(&text, [], |row| row.get(0)).unwrap()
            };
            let limited = column("most").is_some();
            let mut canonical = format!("lastbit-ledger-{}\n", 1 + i32::from(limited));
            for name in &names[..if limited { 15 } else { 12 }] {
                canonical += &match column(name) {
                    Some(value) => format!("{name}={}:{value}\n", value.len()),
                    None => format!("{name}=-\n"),
                };
            }
            let hash = Sha256::digest(&canonical);
            previous = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            db.execute(
                "UPDATE entries SET hash = ?1 WHERE row = ?2",
                rusqlite::params![previous, row],
            )
            .unwrap();
        }
        db.execute("UPDATE head SET hash = ?1", [&previous])
            .unwrap();
        for (_, create) in &triggers {
            db.execute(create, []).unwrap();
        }
        drop(db);
        let (fine, _, wrong) = run(&path);
        assert!(
            !fine && wrong.contains("row 4 allows more than is private"),
            "{wrong}"
        );
        let error = Ledger::view(&path).unwrap_err();
        assert!(matches!(error, LedgerError::Altered { .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains("is the most that is known to be private"),
            "{error}"
        );
    }
}
