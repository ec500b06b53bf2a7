//! Many quantiles at once: monotone answers, the rank error that is offered, the loss that is
//! charged.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::selection::{
    QuantilesMethod, QuantilesSelection, quantiles, quantiles_by, quantiles_by_zcdp, quantiles_law,
    quantiles_offers, rank_of,
};
use lastbit::{Epsilon, Error, Share};
use lastbit_exact::{Rational, Rounding};

const METHODS: [QuantilesMethod; 2] = [QuantilesMethod::Split, QuantilesMethod::Bisection];

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn evenly(k: i64) -> Vec<Share> {
    let share = |i| Share::new(Rational::new(i, k + 1)).unwrap();
    (1..=k).map(share).collect()
}

/// How many data points lie between the answer and the rank.
fn rank_error(sorted: &[u64], rank: u64, answer: u64) -> u64 {
    let below = sorted.partition_point(|&x| x < answer) as u64;
    let at_most = sorted.partition_point(|&x| x <= answer) as u64;
    rank.saturating_sub(at_most)
        .max((below + 1).saturating_sub(rank))
}

/// Each of the 12 releases is outside its bound with probability at most 5e-11.
#[test]
fn rank_errors_are_within_what_is_offered() {
    let count = 20_000;
    let spread: Vec<u64> = (0..count as u64).map(|i| (i * i) << 24).collect();
    // Four values only: without telling ties apart no rows would be left above the largest.
    let tied: Vec<u64> = (0..count as u64).map(|i| i / 5000 * 1_000_003).collect();
    let single = vec![7u64; count];
    let beta = "5e-11".parse().unwrap();
    for rows in [&spread, &tied, &single] {
        for (method, k) in METHODS.into_iter().flat_map(|m| [(m, 3), (m, 24)]) {
            let domain = VectorDomain::new(AtomDomain::<u64>::new()).with_size(count);
            let wanted = evenly(k);
            let offers = quantiles_offers(1 << 64, count, &wanted, &epsilon("2"), &beta).unwrap();
            let offer = offers.iter().find(|offer| offer.method == method).unwrap();
            let selection = quantiles_by(domain, &wanted, &epsilon("2"), method).unwrap();
            let answers = selection.invoke(rows).unwrap();
            assert!(answers.is_sorted() && answers.len() == wanted.len());
            for (quantile, &answer) in wanted.iter().zip(&answers) {
                let rank = rank_of(quantile, count).unwrap();
                let error = rank_error(rows, rank, answer);
                assert!(
                    error as f64 <= offer.rank_error.get(),
                    "{method:?} {quantile}: {error} above {offer:?}"
                );
            }
        }
    }
}

#[test]
fn answers_ascend_with_the_quantile_even_where_noise_is_large() {
    let domain = || VectorDomain::new(AtomDomain::bounded(-3i64, 40).unwrap()).with_size(7);
    let rows = vec![-3, 0, 0, 0, 5, 5, 40];
    // In any order, and some more than once.
    let wanted = ["1", "0.5", "0", "0.5", "0.9", "0.1", "0.3", "0.51"];
    let wanted = wanted.map(|text| text.parse::<Share>().unwrap());
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&i, &j| wanted[i].cmp(&wanted[j]));
    for method in METHODS {
        let selection = quantiles_by(domain(), &wanted, &epsilon("0.01"), method).unwrap();
        for _ in 0..500 {
            let answers = selection.invoke(&rows).unwrap();
            assert!(order.windows(2).all(|w| answers[w[0]] <= answers[w[1]]));
            assert_eq!(answers[1], answers[3], "one quantile, one answer");
            assert!(answers.iter().all(|x| (-3..=40).contains(x)));
        }
    }
}

#[test]
fn the_cheaper_way_depends_on_how_many_are_asked_for() {
    let best = |k| {
        quantiles_offers(
            1 << 64,
            100_000,
            &evenly(k),
            &epsilon("1"),
            &"0.05".parse().unwrap(),
        )
        .unwrap()[0]
    };
    assert_eq!(best(1).method, QuantilesMethod::Split);
    assert_eq!(best(63).method, QuantilesMethod::Bisection);
    let (few, many) = (best(63).rank_error.get(), best(255).rank_error.get());
    assert!(
        many < 2.0 * few,
        "{many} against {few}: grows like log² and not like k"
    );
}

#[test]
fn one_budget_is_charged_whatever_the_number() {
    let domain = || VectorDomain::new(AtomDomain::<f64>::new()).with_size(1000);
    for method in METHODS {
        for k in [1, 7, 20] {
            let selection = quantiles_by(domain(), &evenly(k), &epsilon("0.3"), method).unwrap();
            assert!((selection.map(&1).unwrap().get() - 0.3).abs() < 1e-15);
            assert!((selection.map(&4).unwrap().get() - 1.2).abs() < 1e-15);
            assert_eq!(selection.map(&0).unwrap().get(), 0.0);
            let rho = quantiles_by_zcdp(domain(), &evenly(k), &epsilon("0.3"), method).unwrap();
            let selections = match method {
                QuantilesMethod::Split => k as f64,
                QuantilesMethod::Bisection => ((k + 1) as f64).log2().ceil(),
            };
            let classical = 0.3 * 0.3 / selections / 8.0;
            let rho = rho.map(&1).unwrap().get();
            assert!(
                rho <= classical * (1.0 + 1e-12) && rho > 0.99 * classical,
                "{rho}"
            );
        }
    }
}

#[test]
fn bad_requests_are_refused_with_the_remedy() {
    let text = |refused: Result<QuantilesSelection<f64>, Error>| refused.unwrap_err().to_string();
    let numbers = || VectorDomain::new(AtomDomain::<f64>::new());
    let of = |domain, wanted: &[Share]| quantiles(domain, wanted, &epsilon("1"));
    assert_eq!(
        text(of(numbers().with_size(3), &[])),
        "no quantile was asked for; give at least 1"
    );
    assert_eq!(
        "-0.5".parse::<Share>().unwrap_err().to_string(),
        "a quantile must be between 0 and 1, got -0.5; the median is 1/2"
    );
    assert!(text(of(numbers(), &evenly(2))).contains("size"));
    assert!(text(of(numbers().with_size(0), &evenly(2))).contains("no data points"));
    assert!(text(of(numbers().with_size(usize::MAX), &evenly(2))).contains("too many rows"));
    let nullable = VectorDomain::new(AtomDomain::<f64>::new().nullable()).with_size(3);
    assert!(text(of(nullable, &evenly(2))).contains("NaN or infinities"));
    let selection = of(numbers().with_size(3), &evenly(2)).unwrap();
    assert!(
        selection
            .invoke(&vec![1.0])
            .unwrap_err()
            .is_outside_domain()
    );
}

/// The law by runs is that of all points one by one, from the definition: all rows over six points.
#[test]
fn the_law_of_each_selection_is_the_one_written_down() {
    let least = -2i64;
    let element = AtomDomain::bounded(least, 3).unwrap();
    let quantiles = ["0.9", "0.1", "0.5"].map(|share| share.parse().unwrap());
    for count in 1..=4u32 {
        for code in 0..6u64.pow(count) {
            let places: Vec<u64> = (0..count).map(|i| code / 6u64.pow(i) % 6).collect();
            let rows: Vec<i64> = places.iter().map(|&place| least + place as i64).collect();
            let mut sorted = places;
            sorted.sort_unstable();
            let mut ranks: Vec<u64> = quantiles
                .iter()
                .map(|quantile| rank_of(quantile, count as usize).unwrap())
                .collect();
            ranks.sort_unstable();
            ranks.dedup();
            let laws = quantiles_law(&element, &quantiles, &epsilon("3"), &rows, 60).unwrap();
            assert!(laws.iter().map(|law| law.rank).eq(ranks.iter().copied()));
            for law in laws {
                let weight = |point: u64| {
                    let error = rank_error(&sorted, law.rank, point) as f64;
                    (-3.0 * error / (2.0 * ranks.len() as f64)).exp()
                };
                let total: f64 = (0..6).map(weight).sum();
                let mut next = least;
                for run in &law.runs {
                    assert_eq!(
                        (run.first, run.points),
                        (next, (run.last - next + 1) as u128)
                    );
                    let points = (run.first - least) as u64..=(run.last - least) as u64;
                    for point in points.clone() {
                        assert_eq!(rank_error(&sorted, law.rank, point), run.rank_error);
                    }
                    let wanted = points.map(weight).sum::<f64>() / total;
                    let (low, high) = (run.probability.lo(), run.probability.hi());
                    assert!(
                        low.to_f64(Rounding::Down) <= wanted * (1.0 + 1e-14),
                        "{rows:?}"
                    );
                    assert!(
                        high.to_f64(Rounding::Up) >= wanted * (1.0 - 1e-14),
                        "{rows:?}"
                    );
                    let width = (high - low).to_f64(Rounding::Up);
                    assert!(width <= wanted * 1e-15, "{rows:?}");
                    next = run.last + 1;
                }
                assert_eq!(next, 4, "{rows:?}");
            }
        }
    }
    let outside = quantiles_law(&element, &quantiles, &epsilon("1"), &[4], 60).unwrap_err();
    assert!(outside.is_outside_domain() && !outside.to_string().contains("is 4"));
    assert!(quantiles_law(&element, &quantiles, &epsilon("1"), &[], 60).is_err());
}
