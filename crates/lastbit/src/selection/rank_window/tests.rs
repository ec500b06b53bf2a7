//! A window changes the time and not the law.

use super::*;
use lastbit_noise::enumerate::{Prefix, masses};
use proptest::prelude::*;

/// A selection that looks at these ranks first.
fn selection(epsilon: &str, quality: RankQuality, size: u128, window: Range<usize>) -> RankWindow {
    let mechanism = Exponential::new(&epsilon.parse().unwrap(), &"1".parse().unwrap());
    RankWindow {
        mechanism,
        quality,
        first: 0,
        size,
        window: Some(window),
    }
}

/// The start and the length of the run that is drawn, and whether the window was enough.
fn choose(
    selection: &RankWindow,
    rows: &[u64],
    bits: &mut Prefix,
) -> Result<(u128, u128, bool), Error> {
    let known = selection.known(rows, selection.window.clone().unwrap())?;
    let window = Window::new(&selection.mechanism, &known.runs, &known.tails)?;
    let chosen = window.choose(|| Ok(runs_of(&selection.whole(rows)?)), bits)?;
    Ok((chosen.start, chosen.length, chosen.in_window))
}

/// The qualities of every rank, with every margin, for the rows.
fn selections(rows: &[u64], size: u128, epsilon: &str) -> Vec<RankWindow> {
    let count = rows.len();
    let ranks = (1..=count as u64).map(|rank| RankQuality::Quantile { count, rank });
    ranks
        .chain([RankQuality::InteriorPoint { count }])
        .flat_map(|quality| {
            (1..=count + 1).map(move |margin| (quality, quality.ranks_within(margin)))
        })
        .map(|(quality, window)| selection(epsilon, quality, size, window))
        .collect()
}

fn rows() -> impl Strategy<Value = (Vec<u64>, u128)> {
    (1u64..40).prop_flat_map(|size| {
        let rows = proptest::collection::vec(0..size, 1..8);
        (rows, Just(u128::from(size)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_known_is_part_of_the_whole((rows, size) in rows()) {
        for selection in selections(&rows, size, "1") {
            let ranks = selection.window.clone().unwrap();
            let known = selection.known(&rows, ranks.clone()).unwrap();
            let whole = selection.whole(&rows).unwrap();
            let [before, after] = known.tails;
            // Whole runs of the whole function, in order.
            let end = size - after.length;
            let inside: Vec<_> =
                whole.runs().filter(|run| run.start >= before.length && run.start < end).collect();
            prop_assert_eq!(known.runs.len(), inside.len());
            let mut start = before.length;
            for (known, run) in known.runs.iter().zip(&inside) {
                prop_assert_eq!(
                    (start, known.length, known.score),
                    (run.start, run.length, run.value)
                );
                start += known.length;
            }
            prop_assert_eq!(start, end);
            // The rest is no better than its bound, and worse than the best by the margin.
            for run in whole.runs().filter(|run| run.start < before.length) {
                prop_assert!(run.value <= before.score && before.score < whole.maximum());
            }
            for run in whole.runs().filter(|run| run.start >= end) {
                prop_assert!(run.value <= after.score && after.score < whole.maximum());
            }
            let largest = known.runs.iter().map(|run| run.score).max();
            prop_assert_eq!(largest, Some(whole.maximum()));
            prop_assert!(before.length == 0 || ranks.start > 0);
            prop_assert!(after.length == 0 || ranks.end < rows.len());
        }
    }

    /// The same bits give the same run, wherever the draw is decided.
    #[test]
    fn the_window_and_the_whole_agree((rows, size) in rows(), words in any::<[u64; 3]>()) {
        for selection in selections(&rows, size, "1.5") {
            let bits = || Prefix::of_words(words, words[0]);
            let (start, length, _) = choose(&selection, &rows, &mut bits()).unwrap();
            let whole = selection.whole(&rows).unwrap();
            let runs = runs_of(&whole);
            let choice = selection.mechanism.over_runs(&runs).unwrap();
            let run = whole.run(choice.draw(&mut bits()).unwrap());
            prop_assert_eq!((start, length), (run.start, run.length));
        }
    }
}

/// Windows so small that the rest weighs much: draws are decided in the window and beyond it, and
/// the law is the closed form.
#[test]
fn the_law_of_the_bits_is_the_closed_form() {
    let mut decided = [0usize; 2];
    for (rows, size) in [
        (vec![3u64, 9, 9, 1, 30], 32),
        (vec![0, 0, 5, 6, 6, 6], 7),
        (vec![7; 4], 20),
    ] {
        for selection in selections(&rows, size, "2").iter().step_by(3) {
            let whole = selection.whole(&rows).unwrap();
            let runs = runs_of(&whole);
            let law = selection.mechanism.over_runs(&runs).unwrap().law(90);
            let masses = masses(70, |bits| {
                choose(selection, &rows, bits).map(|(start, _, in_window)| {
                    decided[usize::from(in_window)] += 1;
                    start
                })
            });
            for (run, law) in whole.runs().zip(&law) {
                let mass = masses.of(&run.start);
                assert!(
                    mass.lo <= *law.hi() && *law.lo() <= mass.hi,
                    "{rows:?} in {size}: {run:?} has {mass:?} and should have {law:?}"
                );
                let width = &mass.hi - &mass.lo;
                assert!(width <= lastbit_exact::Dyadic::power_of_two(-68));
            }
        }
    }
    assert!(decided[0] > 3000 && decided[1] > 3000, "{decided:?}");
}

#[test]
fn the_window_for_many_rows_is_public_and_leaves_little_outside() {
    let count = 1_000_000;
    let quality = RankQuality::Quantile {
        count,
        rank: 250_000,
    };
    let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
    let selection = RankWindow::new(mechanism.clone(), quality, (0, 1 << 64), count);
    // 2·0.7·(64 + 64) = 179.2 ranks on either side.
    assert_eq!(selection.window, Some(249_820..250_179));
    // 2^64 places at this loss of quality weigh at most 2^-64.
    let tail = lastbit_exact::exp_enclosure(&lastbit_exact::Dyadic::from(-90), 60);
    assert!(*tail.hi() <= lastbit_exact::Dyadic::power_of_two(-128));
    // Few rows, or a window of most of them, are sorted.
    let few = RankWindow::new(
        mechanism,
        RankQuality::InteriorPoint { count: 300 },
        (0, 2),
        300,
    );
    assert_eq!(few.window, None);
    let flat = Exponential::new(&"0.0001".parse().unwrap(), &"1".parse().unwrap());
    assert_eq!(
        RankWindow::new(flat, quality, (0, 1 << 64), count).window,
        None
    );
}

/// Rows of many shapes by way of the window, beside their sorted selves.
#[test]
fn many_rows_are_selected_from_as_if_they_were_sorted() {
    let count = 20_000;
    let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let shapes: [Vec<u64>; 4] = [
        (0..count).map(spread).collect(),
        (0..count).map(|i| spread(i) >> 50).collect(),
        vec![u64::MAX; count as usize],
        (0..count).rev().collect(),
    ];
    for rows in shapes {
        let count = rows.len();
        for quality in [
            RankQuality::Quantile { count, rank: 1 },
            RankQuality::Quantile {
                count,
                rank: 15_000,
            },
            RankQuality::InteriorPoint { count },
        ] {
            let mechanism = Exponential::new(&"1".parse().unwrap(), &"1".parse().unwrap());
            let selection = RankWindow::new(mechanism, quality, (0, 1 << 64), count);
            assert!(selection.window.is_some());
            let whole = selection.whole(&rows).unwrap();
            for word in [1 << 60, 1 << 63, 0xb504_f333_f9de_6484, u64::MAX >> 1] {
                let bits = || Prefix::of_words([word, 12_345], word);
                let place = selection.draw(&rows, &mut bits()).unwrap();
                let expected = draw_point(&whole, &selection.mechanism, &mut bits()).unwrap();
                assert_eq!(place, expected, "{quality:?}");
            }
        }
    }
}
