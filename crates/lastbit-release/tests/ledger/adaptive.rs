//! What an analyst who chooses as they go can reach under the rule of a ledger, and under rules
//! that only look sound.

use std::collections::HashMap;
use std::rc::Rc;

use lastbit::conversions::pure_to_zcdp;
use lastbit_exact::{Rational, Up};
use lastbit_release::ledger::{Account, Currency, Event, Limit, Terms};
use lastbit_release::loss::{Loss, LossMeasure};

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
    Loss::new(LossMeasure::ApproximateZcdp, rho, Rational::ZERO).unwrap()
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
        for measure in [LossMeasure::ApproximateZcdp, LossMeasure::Approximate] {
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
                LossMeasure::Approximate => (plain.plus(loss).unwrap(), &budget),
                _ => (composed.plus(loss).unwrap(), &limit),
            };
            sum.fits(limit).then(|| match loss.measure {
                LossMeasure::Approximate => (sum, composed.clone()),
                _ => (plain.clone(), sum),
            })
        };
        let nothing = (
            Loss::zero(LossMeasure::Approximate),
            Loss::zero(LossMeasure::ApproximateZcdp),
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
            let plain = plain.plus(&each(LossMeasure::Approximate, pure)).unwrap();
            let composed = composed
                .plus(&each(LossMeasure::ApproximateZcdp, rho))
                .unwrap();
            (plain.fits(&budget) || composed.fits(&limit)).then_some((plain, composed))
        };
        // Both ways of an offer are the same here.
        let mut menu = menu(epsilon, delta);
        menu.retain(|offer| offer.loss.measure == LossMeasure::Approximate);
        let nothing = (
            Loss::zero(LossMeasure::Approximate),
            Loss::zero(LossMeasure::ApproximateZcdp),
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
        menu.retain(|offer| offer.loss.measure == LossMeasure::Approximate);
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
        menu.retain(|offer| offer.loss.measure == LossMeasure::ApproximateZcdp);
        let reached = best_attack(&(Rational::ZERO, 0), &rule, &menu, epsilon, 14);
        assert!(reached > 1.02 * delta, "missed: {reached} of {delta}");
    }
}
