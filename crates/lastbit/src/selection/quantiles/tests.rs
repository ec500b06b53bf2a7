//! The exact law of the shipped tree: every outcome of every selection is walked through, with its
//! probability enclosed.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use lastbit_exact::Interval;

use super::*;

/// What was selected for each rank, ascending, with its probability.
type Law = BTreeMap<Vec<u128>, Interval>;

/// `(run, offset)` and its probability.
type Outcome = ((usize, u128), Interval);

/// The outcomes of one selection, by the closed form `exp(rate·score)/Σ`.
fn closed_form(runs: &[Run<i64>], mechanism: &Exponential) -> Vec<Outcome> {
    let most = runs.iter().map(|run| run.score).max().unwrap();
    let weight = |score: i64| {
        Interval::from_rational(&(mechanism.rate() * &Rational::from(score - most))).exp()
    };
    let weights: Vec<Outcome> = (0..)
        .zip(runs)
        .flat_map(|(i, run)| {
            let weight = weight(run.score);
            (0..run.length).map(move |at| ((i, at), weight))
        })
        .collect();
    let total = weights.iter().fold(Interval::ZERO, |sum, w| sum + w.1);
    weights.into_iter().map(|(at, w)| (at, w / total)).collect()
}

/// The law of the answers.
fn law(way: &QuantilesDraw, ranks: &Ranks, sorted: &[u64]) -> Law {
    walk(|mut choose| way.draw(ranks, sorted, &mut choose))
}

/// The law of everything that is selected: of cuts, which tell more than answers.
fn transcripts(way: &QuantilesDraw, ranks: &Ranks, sorted: &[u64]) -> Law {
    match way {
        QuantilesDraw::Split { .. } => law(way, ranks, sorted),
        QuantilesDraw::Bisection { tree, places } => {
            let told_apart = told_apart(sorted, ranks.rows as u128);
            walk(|mut choose| tree.draw(&told_apart, *places, &mut choose))
        }
    }
}

type Choose<'a> = &'a mut dyn FnMut(&[Run<i64>], &Exponential) -> Result<(usize, u128), Error>;

/// Every path through the selections.
fn walk(mut select: impl FnMut(Choose<'_>) -> Result<Vec<u128>, Error>) -> Law {
    let mut law = Law::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    // The laws of selections met before, by the path that leads to them.
    let mut met: HashMap<Vec<(usize, usize)>, Rc<Vec<Outcome>>> = HashMap::new();
    loop {
        let (mut depth, mut probability) = (0, Interval::ONE);
        let selected = select(&mut |runs, mechanism| {
            let prefix = path[..depth].to_vec();
            let outcomes = met.entry(prefix);
            let outcomes =
                Rc::clone(outcomes.or_insert_with(|| closed_form(runs, mechanism).into()));
            if depth == path.len() {
                path.push((0, outcomes.len()));
            }
            let (outcome, p) = outcomes[path[depth].0];
            depth += 1;
            probability = probability * p;
            Ok(outcome)
        });
        let place = law.entry(selected.unwrap()).or_insert(Interval::ZERO);
        *place = *place + probability;
        loop {
            match path.pop() {
                Some((choice, count)) if choice + 1 < count => {
                    path.push((choice + 1, count));
                    break;
                }
                Some(_) => {}
                None => return law,
            }
        }
    }
}

/// All sorted data sets of `count` points below `size`.
fn data_sets(size: u64, count: usize) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .iter()
            .flat_map(|data: &Vec<u64>| {
                let least = data.last().copied().unwrap_or(0);
                (least..size).map(move |x| [data.as_slice(), &[x]].concat())
            })
            .collect();
    }
    all
}

fn are_neighbours(left: &[u64], right: &[u64]) -> bool {
    let mut rest = right.to_vec();
    let common = left.iter().filter(|x| {
        let at = rest.iter().position(|y| y == *x);
        at.map(|at| rest.swap_remove(at)).is_some()
    });
    common.count() + 1 >= left.len()
}

/// The largest loss between neighbours: upper bounds of `ln(P/Q)` in both orders.
fn largest_loss(laws: &[(Vec<u64>, Law)]) -> f64 {
    let mut most = 0.0f64;
    for (x, p) in laws {
        for (_, q) in laws.iter().filter(|(y, _)| x != y && are_neighbours(x, y)) {
            assert!(p.keys().eq(q.keys()), "equal supports");
            for (p, q) in p.values().zip(q.values()) {
                most = most.max((*p / *q).ln().hi());
            }
        }
    }
    most
}

fn share(numerator: i64, denominator: i64) -> Share {
    Share::new(Rational::new(numerator, denominator)).unwrap()
}

fn evenly(k: i64) -> Vec<Share> {
    (1..=k).map(|i| share(i, k + 1)).collect()
}

fn laws(
    size: u64,
    rows: usize,
    quantiles: &[Share],
    epsilon: &str,
    method: QuantilesMethod,
) -> Vec<(Vec<u64>, Law)> {
    let ranks = Ranks::new(rows, quantiles).unwrap();
    let way = QuantilesDraw::new(&ranks, size.into(), &epsilon.parse().unwrap(), method).unwrap();
    let sets = data_sets(size, rows).into_iter();
    sets.map(|data| {
        let law = law(&way, &ranks, &data);
        (data, law)
    })
    .collect()
}

#[test]
fn no_two_neighbours_lose_more_than_epsilon() {
    let skew = [share(1, 10), share(1, 2)];
    for (size, rows, quantiles, method) in [
        (3, 3, evenly(3), QuantilesMethod::Bisection),
        (2, 5, evenly(3), QuantilesMethod::Bisection),
        (4, 4, skew.to_vec(), QuantilesMethod::Bisection),
        (9, 4, evenly(1), QuantilesMethod::Bisection),
        (4, 3, evenly(3), QuantilesMethod::Split),
        (5, 4, skew.to_vec(), QuantilesMethod::Split),
    ] {
        for epsilon in ["1", "8"] {
            let ranks = Ranks::new(rows, &quantiles).unwrap();
            let way =
                QuantilesDraw::new(&ranks, size.into(), &epsilon.parse().unwrap(), method).unwrap();
            let sets = data_sets(size, rows).into_iter();
            let both: Vec<_> = sets
                .map(|data| {
                    let laws = (law(&way, &ranks, &data), transcripts(&way, &ranks, &data));
                    (data, laws)
                })
                .collect();
            for (data, (law, _)) in &both {
                let total = law.values().fold(Interval::ZERO, |sum, &p| sum + p);
                assert!(
                    total.contains(1.0) && total.width().get() < 1e-10,
                    "{data:?}"
                );
                assert!(law.keys().all(|answers| answers.is_sorted()), "{data:?}");
            }
            let (answers, transcripts): (Vec<_>, Vec<_>) = both
                .into_iter()
                .map(|(data, (law, transcripts))| ((data.clone(), law), (data, transcripts)))
                .unzip();
            let claimed = epsilon.parse::<f64>().unwrap();
            let (lost, selected) = (largest_loss(&answers), largest_loss(&transcripts));
            let what = format!("{method:?} {quantiles:?} over {size}");
            assert!(selected <= claimed, "{what}: {selected} above {claimed}");
            assert!(lost <= selected + 1e-9, "{what}: answers tell more");
            // The check has something to see.
            assert!(selected > 0.25 * claimed, "{what}: {selected} of {claimed}");
        }
    }
}

/// A changed row is a removal and an addition. Were a node charged the whole loss of its level for
/// either of the two, the claim would be broken.
#[test]
fn a_level_pays_for_a_removal_and_an_addition() {
    let (size, rows) = (400u128, 6);
    let ranks = Ranks::new(rows, &evenly(1)).unwrap();
    // The target is 2 1/2 rows: cuts in the narrow gap, of 2 rows and then 1, get worse, and in the
    // wide one, of 4 and then 3, better.
    let neighbours = [[0, 0, 1, 1, 399, 399], [0, 1, 1, 399, 399, 399]];
    let lost = |epsilon: &str| {
        let epsilon = epsilon.parse().unwrap();
        let way = QuantilesDraw::new(&ranks, size, &epsilon, QuantilesMethod::Bisection).unwrap();
        let laws = neighbours.map(|data| (data.to_vec(), transcripts(&way, &ranks, &data)));
        largest_loss(&laws)
    };
    let (right, wrong) = (lost("2"), lost("4"));
    assert!(right <= 2.0, "{right}");
    assert!(wrong > 2.5, "{wrong}");
}

/// The definition of [`quantiles`] for three quantiles of three rows, written out for one data set.
#[test]
fn the_law_of_bisection_is_the_one_written_down() {
    let (rows, size, epsilon) = (3u128, 3u128, 2.0);
    let data = [0u64, 2, 2];
    let ranks = Ranks::new(3, &evenly(3)).unwrap();
    // Ranks 1, 2, 3: targets 1/2, 3/2, 5/2 of 3.
    assert_eq!(ranks.distinct, [1, 2, 3]);
    let places: [u128; 3] = [0, 6, 7];
    let softmax = |cuts: core::ops::RangeInclusive<u128>, part: &[u128], fraction: f64| {
        let score = |c: u128| {
            let below = part.iter().filter(|&&p| p < c).count() as f64;
            -(below - fraction * part.len() as f64).abs()
        };
        // ε/h at twice the sensitivity of adding and of removing.
        let rate = epsilon / 2.0 / (4.0 * fraction.max(1.0 - fraction));
        let weights: Vec<(u128, f64)> = cuts.map(|c| (c, (rate * score(c)).exp())).collect();
        let total: f64 = weights.iter().map(|w| w.1).sum();
        weights.into_iter().map(move |(c, w)| (c, w / total))
    };
    let mut expected: BTreeMap<Vec<u128>, f64> = BTreeMap::new();
    for (middle, p) in softmax(0..=rows * size, &places, 0.5) {
        let (below, above): (Vec<u128>, Vec<u128>) = places.iter().partition(|&&p| p < middle);
        for (low, q) in softmax(0..=middle, &below, 1.0 / 3.0) {
            for (high, r) in softmax(middle..=rows * size, &above, 2.0 / 3.0) {
                let answers = [low, middle, high].map(|cut| cut.saturating_sub(1) / rows);
                *expected.entry(answers.to_vec()).or_insert(0.0) += p * q * r;
            }
        }
    }
    let way =
        QuantilesDraw::new(&ranks, 3, &"2".parse().unwrap(), QuantilesMethod::Bisection).unwrap();
    let law = law(&way, &ranks, &data);
    assert_eq!(law.len(), expected.len());
    for (answers, p) in law {
        let wanted = expected[&answers];
        assert!((p.midpoint() / wanted - 1.0).abs() < 1e-12, "{answers:?}");
    }
}

/// Every bound on P(some rank error above it) holds exactly, over all small data sets.
#[test]
fn rank_errors_keep_their_bound() {
    let rank_error = |sorted: &[u64], rank: u64, answer: u128| {
        let at_most = sorted.iter().filter(|&&x| u128::from(x) <= answer).count() as i64;
        let below = sorted.iter().filter(|&&x| u128::from(x) < answer).count() as i64;
        (rank as i64 - at_most).max(below + 1 - rank as i64).max(0)
    };
    let beta = "1/4".parse().unwrap();
    for method in [QuantilesMethod::Bisection, QuantilesMethod::Split] {
        for (size, rows, epsilon) in [(2u64, 6usize, "40"), (3, 4, "25"), (3, 4, "12")] {
            let quantiles = evenly(3);
            let ranks = Ranks::new(rows, &quantiles).unwrap();
            let epsilon_ = epsilon.parse().unwrap();
            let offers = quantiles_offers(size.into(), rows, &quantiles, &epsilon_, &beta).unwrap();
            let offer = offers.iter().find(|offer| offer.method == method).unwrap();
            let bound = offer.rank_error.get();
            for (data, law) in laws(size, rows, &quantiles, epsilon, method) {
                let bad = law.iter().filter(|(answers, _)| {
                    let errors = answers.iter().zip(&ranks.distinct);
                    errors
                        .map(|(&x, &m)| rank_error(&data, m, x))
                        .max()
                        .unwrap() as f64
                        > bound
                });
                let bad = bad.fold(Interval::ZERO, |sum, (_, &p)| sum + p);
                assert!(
                    bad.lo() <= 0.25,
                    "{method:?} {data:?} {epsilon}: {bad:?} above {bound}"
                );
            }
        }
    }
}
