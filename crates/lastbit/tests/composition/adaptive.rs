//! Exact laws of everything that an analyst can see, for every way to choose the next release.

use lastbit::composition::{Account, Composable, Odometer, Queryable, adaptive, filtered};
use lastbit::domains::AtomDomain;
use lastbit::measures::{
    Approximate, EpsilonDelta, MaxDivergence, RangeDivergence, ZeroConcentratedDivergence,
};
use lastbit::metrics::DiscreteDistance;
use lastbit::{Error, Measurement, PrivacyMap};
use lastbit_exact::{Rational, Up};
use lastbit_noise::bernoulli;
use lastbit_noise::entropy::Entropy;

use super::support::{
    Answer, Law, answer, bounds, hockey_stick, largest_ratio, law, randomized_response, reaches,
    renyi_moment,
};

/// What an analyst sees in one round: an answer, or that the release was refused.
type Seen = Vec<Option<bool>>;

/// Which of two releases to ask for next, by what was seen: one bit for each beginning.
struct Analyst(u64);

const ROUNDS: usize = 3;
/// Beginnings of length 0, 1 and 2.
const BEGINNINGS: u32 = 1 + 2 + 4;

impl Analyst {
    /// Whether a release is refused follows from the answers before it, so a refusal has the place
    /// of a no: it never stands beside one, and tells an analyst nothing new.
    fn choice(&self, seen: &Seen) -> usize {
        let place = seen.iter().fold(0, |place, &one| {
            2 * place + 1 + usize::from(one.unwrap_or(false))
        });
        (self.0 >> place & 1) as usize
    }
}

fn transcript<A, M>(
    queryable: &mut Queryable<AtomDomain<bool>, DiscreteDistance, A>,
    releases: &[Answer<M>; 2],
    analyst: &Analyst,
    words: &mut dyn Entropy,
) -> Result<Seen, Error>
where
    A: Account<Measure = M>,
    M: Composable,
{
    let mut seen = Seen::new();
    for _ in 0..ROUNDS {
        match queryable.ask_with(&releases[analyst.choice(&seen)], words) {
            Ok(answer) => seen.push(Some(answer)),
            Err(error) if error.is_budget() => seen.push(None),
            Err(error) => return Err(error),
        }
    }
    Ok(seen)
}

/// The laws of what an analyst sees for both truths.
fn laws(run: impl Fn(bool, &mut dyn Entropy) -> Result<Seen, Error>) -> [Law<Seen>; 2] {
    [false, true].map(|truth| law(6, |words| run(truth, words)))
}

/// Every analyst who does not toss coins; one who does is a mixture of these.
fn analysts() -> impl Iterator<Item = Analyst> {
    (0..1u64 << BEGINNINGS).map(Analyst)
}

#[test]
fn every_adaptive_analyst_stays_within_a_pure_budget() {
    // Truth with probability 2/3 and 5/6: ratios 2 and 5.
    let releases = [Rational::new(2, 3), Rational::new(5, 6)].map(randomized_response);
    let [two, five] = [2.0, 5.0].map(|ratio| Up::exact(ratio).ln());
    for budget in [five, two + five, five + five, two + two + five] {
        let composition = filtered(
            AtomDomain::new(),
            DiscreteDistance,
            MaxDivergence,
            1,
            budget,
        )
        .unwrap();
        let claimed = composition.map(&1).unwrap();
        let mut largest = Rational::ONE;
        for analyst in analysts() {
            let [p, q] = laws(|truth, words| {
                transcript(&mut composition.invoke(&truth)?, &releases, &analyst, words)
            });
            let ratio = largest_ratio(&p, &q);
            assert!(bounds(claimed, &ratio), "{ratio} at {claimed}");
            largest = largest.max(ratio);
        }
        assert!(reaches(claimed, &largest), "{largest} at {claimed}");
    }
}

#[test]
fn every_adaptive_analyst_stays_within_declared_losses() {
    let releases = [Rational::new(2, 3), Rational::new(5, 6)].map(randomized_response);
    let [two, five] = [2.0, 5.0].map(|ratio| Up::exact(ratio).ln());
    let losses = vec![two, five, two];
    let composition = adaptive(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        1,
        losses,
    )
    .unwrap();
    let claimed = composition.map(&1).unwrap();
    let mut largest = Rational::ONE;
    for analyst in analysts() {
        let [p, q] = laws(|truth, words| {
            transcript(&mut composition.invoke(&truth)?, &releases, &analyst, words)
        });
        let ratio = largest_ratio(&p, &q);
        assert!(bounds(claimed, &ratio));
        largest = largest.max(ratio);
    }
    assert!(reaches(claimed, &largest));
}

#[test]
fn every_adaptive_analyst_stays_within_a_zero_concentrated_budget() {
    // ε²/2 bounds ρ of a pure loss ε.
    let rho = |ratio: f64| {
        let epsilon = Up::exact(ratio).ln();
        epsilon * epsilon * Up::exact(0.5)
    };
    let (two, five) = (rho(2.0), rho(5.0));
    let releases = [
        answer(ZeroConcentratedDivergence, Rational::new(2, 3), two),
        answer(ZeroConcentratedDivergence, Rational::new(5, 6), five),
    ];
    for budget in [five, two + five] {
        let measure = ZeroConcentratedDivergence;
        let composition =
            filtered(AtomDomain::new(), DiscreteDistance, measure, 1, budget).unwrap();
        for analyst in analysts() {
            let [p, q] = laws(|truth, words| {
                transcript(&mut composition.invoke(&truth)?, &releases, &analyst, words)
            });
            for order in 2..6u32 {
                // E_Q[(P/Q)^α] ≤ e^((α−1)αρ)
                let exponent = budget * Up::from(order * (order - 1));
                assert!(bounds(exponent, &renyi_moment(&p, &q, order)));
            }
        }
    }
}

/// Shows the truth with probability δ, and randomized response otherwise.
fn leaky(
    truth: Rational,
    delta: Rational,
) -> Measurement<AtomDomain<bool>, DiscreteDistance, Approximate, u8> {
    let ratio = &truth / &(&Rational::ONE - &truth);
    let loss =
        EpsilonDelta::new(Up::from_rational(&ratio).ln(), Up::from_rational(&delta)).unwrap();
    Measurement::new(
        AtomDomain::new(),
        DiscreteDistance,
        Approximate(MaxDivergence),
        move |&value, mut entropy| {
            let shown = 2 * u8::from(bernoulli(&delta, &mut entropy)?);
            let lie = shown == 0 && !bernoulli(&truth, &mut entropy)?;
            Ok(shown + u8::from(value != lie))
        },
        PrivacyMap::new(move |_| Ok(loss.clone())),
    )
    .unwrap()
}

#[test]
fn an_adaptive_sequence_stays_within_epsilon_and_delta() {
    let releases = [
        leaky(Rational::new(2, 3), Rational::new(1, 6)),
        leaky(Rational::new(5, 6), Rational::new(1, 3)),
    ];
    for choices in 0..16u32 {
        let budget = Approximate(MaxDivergence);
        let losses = [0, 1].map(|i| releases[i].map(&1).unwrap());
        let first = (choices & 1) as usize;
        let total = EpsilonDelta::new(
            *losses[0].loss() + *losses[1].loss(),
            losses[0].delta() + losses[1].delta(),
        )
        .unwrap();
        let composition = filtered(
            AtomDomain::new(),
            DiscreteDistance,
            budget,
            1,
            total.clone(),
        )
        .unwrap();
        let [p, q] = [false, true].map(|truth| {
            law(6, |words| {
                let mut queryable = composition.invoke(&truth)?;
                let seen = queryable.ask_with(&releases[first], words)?;
                // The second choice looks at whether the first answer was shown, and what it was.
                let second = (choices >> (1 + seen % 3) & 1) as usize;
                match queryable.ask_with(&releases[second], words) {
                    Ok(answer) => Ok((seen, Some(answer))),
                    Err(error) if error.is_budget() => Ok((seen, None)),
                    Err(error) => Err(error),
                }
            })
        });
        let delta = hockey_stick(&p, &q, *total.loss());
        assert!(
            delta <= super::support::exact(total.delta()),
            "{choices}: {delta}"
        );
    }
}

#[test]
fn answers_of_several_queryables_may_be_interleaved() {
    let releases = [Rational::new(2, 3), Rational::new(5, 6)].map(randomized_response);
    let [two, five] = [2.0, 5.0].map(|ratio| Up::exact(ratio).ln());
    // A queryable as the answer of a queryable: its whole loss is paid when it is made.
    let child = adaptive(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        1,
        vec![two, five],
    )
    .unwrap();
    let budget = child.map(&1).unwrap() + five;
    let parent = filtered(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        1,
        budget,
    )
    .unwrap();
    let mut largest = Rational::ONE;
    for choices in 0..8 {
        let choice = |i: u32| (choices >> i & 1) as usize;
        let [p, q] = [false, true].map(|truth| {
            law(6, |words| {
                let mut parent = parent.invoke(&truth)?;
                let mut child = parent.ask_with(&child, words)?;
                let one = child.ask_with(&releases[0], words)?;
                let two = parent.ask_with(&releases[choice(u32::from(one))], words)?;
                let three = child.ask_with(&releases[choice(1 + u32::from(two))], words)?;
                assert!(
                    parent
                        .ask_with(&releases[1], words)
                        .unwrap_err()
                        .is_budget()
                );
                Ok((one, two, three))
            })
        });
        let ratio = largest_ratio(&p, &q);
        assert!(bounds(budget, &ratio));
        largest = largest.max(ratio);
    }
    assert!(reaches(budget, &largest));
}

#[test]
fn bounded_range_refuses_adaptive_composition_and_names_the_cast() {
    let space = || (AtomDomain::<bool>::new(), DiscreteDistance);
    let (domain, metric) = space();
    let declared = adaptive(domain, metric, RangeDivergence, 1, vec![Up::ONE]).unwrap_err();
    let (domain, metric) = space();
    let filter = filtered(domain, metric, RangeDivergence, 1, Up::ONE).unwrap_err();
    let odometer = Odometer::new(RangeDivergence).unwrap_err();
    let with_delta = Odometer::new(Approximate(RangeDivergence)).unwrap_err();
    for error in [declared, filter, odometer, with_delta] {
        assert!(error.is_composition());
        assert_eq!(
            error.to_string(),
            "range divergence (η) adds up only over releases fixed in advance; cast each release \
             with to_zcdp (bounded_range_to_zcdp) or to_pure (bounded_range_to_pure), and compose \
             those"
        );
    }
}

#[test]
fn bounded_ranges_do_not_add_up_adaptively() {
    // Laws on {0, 1} for two data sets, each with losses in an interval of length ln 3.
    let ranged = |p: (i64, i64), q: (i64, i64)| {
        let loss = |p: i64, q: i64| Rational::new(p, 4) / Rational::new(q, 4);
        (loss(p.0, q.0), loss(p.1, q.1))
    };
    let first = ranged((3, 1), (2, 2)); // 3/2 and 1/2
    let up = ranged((2, 2), (3, 1)); // 2/3 and 2
    let range = |(a, b): &(Rational, Rational)| a.max(b) / a.min(b);
    assert!(
        [&first, &up]
            .map(range)
            .iter()
            .all(|r| *r == Rational::from(3i64))
    );
    // After the answer with the larger loss ask for `up`, whose losses reach ln 2; after the other
    // for `first`, down to ln 1/2.
    let most = &first.0 * &up.1;
    let least = &first.1 * &first.1;
    assert_eq!(&most / &least, Rational::from(12i64)); // 12 > 3·3
}

#[test]
fn bounded_range_composes_adaptively_after_its_casts() {
    // Randomized response with ratios 2 and 1/2 has a range of ln 4, and 5 and 1/5 one of ln 25.
    let ranged = |truth, range: f64| answer(RangeDivergence, truth, Up::exact(range).ln());
    let releases = [
        ranged(Rational::new(2, 3), 4.0),
        ranged(Rational::new(5, 6), 25.0),
    ];
    let zcdp = [releases[0].to_zcdp(), releases[1].to_zcdp()];
    let pure = [releases[0].to_pure(), releases[1].to_pure()];
    let rho = zcdp[1].map(&1).unwrap() + zcdp[0].map(&1).unwrap();
    let epsilon = pure[1].map(&1).unwrap() + pure[0].map(&1).unwrap();
    let measure = ZeroConcentratedDivergence;
    let by_zcdp = filtered(AtomDomain::new(), DiscreteDistance, measure, 1, rho).unwrap();
    let by_pure = filtered(
        AtomDomain::new(),
        DiscreteDistance,
        MaxDivergence,
        1,
        epsilon,
    )
    .unwrap();
    for analyst in analysts() {
        let [p, q] =
            laws(|truth, words| transcript(&mut by_zcdp.invoke(&truth)?, &zcdp, &analyst, words));
        for order in 2..6u32 {
            let exponent = rho * Up::from(order * (order - 1));
            assert!(bounds(exponent, &renyi_moment(&p, &q, order)));
        }
        let [p, q] =
            laws(|truth, words| transcript(&mut by_pure.invoke(&truth)?, &pure, &analyst, words));
        assert!(bounds(epsilon, &largest_ratio(&p, &q)));
    }
}
