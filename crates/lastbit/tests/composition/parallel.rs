//! Parallel composition against the exact laws of all small data sets, under both neighbour
//! relations.

use lastbit::composition::parallel;
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::measures::{Approximate, EpsilonDelta, MaxDivergence, RangeDivergence};
use lastbit::metrics::{ChangeOneDistance, SymmetricDistance};
use lastbit::{Measurement, MetricSpace, PrivacyMap};
use lastbit_exact::{Rational, Up};
use lastbit_noise::{bernoulli, uniform_u64_below};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::{Law, bounds, exact, largest_ratio, law, reaches};

type Rows = VectorDomain<AtomDomain<u64>>;
type Release = Measurement<Rows, SymmetricDistance, MaxDivergence, u64>;

fn rows() -> Rows {
    VectorDomain::new(AtomDomain::new())
}

/// A count from 0 to 3 with noise that halves with each step, cut off at the ends: ratios `2^d`.
fn count() -> Release {
    Measurement::new(
        rows(),
        SymmetricDistance,
        MaxDivergence,
        |rows, mut entropy| {
            let count = rows.len().min(3) as u32;
            // In 24ths: 8·2^-|out − count|, and twice that at the ends.
            let mass = |out: u32| {
                let inside = 8 >> out.abs_diff(count);
                if out == 0 || out == 3 {
                    2 * inside
                } else {
                    inside
                }
            };
            let mut left = uniform_u64_below(24, &mut entropy)?;
            for out in 0..3 {
                if left < mass(out) {
                    return Ok(u64::from(out));
                }
                left -= mass(out);
            }
            Ok(3)
        },
        PrivacyMap::new(|&d_in| Ok(Up::exact(2.0).ln() * Up::from_rational(&Rational::from(d_in)))),
    )
    .unwrap()
}

/// Whether there is any row, told truly with probability 3/4: ratios of 3 at any distance.
fn any() -> Release {
    let truth = Rational::new(3, 4);
    Measurement::new(
        rows(),
        SymmetricDistance,
        MaxDivergence,
        move |rows, mut entropy| {
            Ok(u64::from(
                rows.is_empty() != bernoulli(&truth, &mut entropy)?,
            ))
        },
        PrivacyMap::new(|&d_in| {
            Ok(if d_in == 0 {
                Up::ZERO
            } else {
                Up::exact(3.0).ln()
            })
        }),
    )
    .unwrap()
}

/// Every multiset of at most three of the rows 0, 1, 2, 3; rows go to the part of their parity, but
/// 3 to none.
fn data_sets() -> Vec<Vec<u64>> {
    let mut sets = vec![vec![]];
    for size in 1..=3 {
        let smaller: Vec<Vec<u64>> = sets
            .iter()
            .filter(|set| set.len() + 1 == size)
            .cloned()
            .collect();
        for set in smaller {
            let least = set.last().copied().unwrap_or(0);
            sets.extend((least..4).map(|row| [&set[..], &[row]].concat()));
        }
    }
    assert_eq!(sets.len(), 1 + 4 + 10 + 20);
    sets
}

fn part_of(row: &u64) -> Option<usize> {
    match row {
        3 => None,
        row => Some((row % 2) as usize),
    }
}

#[test]
fn the_count_has_the_law_it_should_have() {
    for size in 0..=4usize {
        let law = law(24, |words| count().invoke_with(&vec![0; size], words));
        let other = super::support::law(24, |words| count().invoke_with(&vec![0; size + 1], words));
        let expected = if size < 3 { 2i64 } else { 1 };
        assert_eq!(largest_ratio(&law, &other), Rational::from(expected));
    }
}

#[test]
fn all_small_data_sets_stay_within_the_loss_under_both_relations() {
    let releases = || vec![count(), any()];
    let added = parallel(rows(), SymmetricDistance, part_of, releases()).unwrap();
    let changed = parallel(rows().with_size(3), ChangeOneDistance, part_of, releases()).unwrap();
    let sets = data_sets();
    let laws: Vec<Law<Vec<u64>>> = sets
        .iter()
        .map(|set| law(24, |words| added.invoke_with(set, words)))
        .collect();

    // The largest ratio found at each distance, by symmetric difference and by rows changed.
    let mut by_added = vec![Rational::ONE; 7];
    let mut by_changed = vec![Rational::ONE; 4];
    for (x, p) in sets.iter().zip(&laws) {
        for (y, q) in sets.iter().zip(&laws) {
            let ratio = largest_ratio(p, q);
            let distance = rows().distance(&SymmetricDistance, x, y).unwrap() as usize;
            by_added[distance] = ratio.clone().max(by_added[distance].clone());
            if x.len() == 3 && y.len() == 3 {
                by_changed[distance / 2] = ratio.max(by_changed[distance / 2].clone());
            }
        }
    }
    for (distance, ratio) in by_added.iter().enumerate().skip(1) {
        assert!(
            bounds(added.map(&(distance as u64)).unwrap(), ratio),
            "added {distance}: {ratio}"
        );
    }
    for (distance, ratio) in by_changed.iter().enumerate().skip(1) {
        assert!(
            bounds(changed.map(&(distance as u64)).unwrap(), ratio),
            "changed {distance}: {ratio}"
        );
    }
    // One row added: the larger loss, ln 3. One row changed: it may leave one part and enter the
    // other, ln 2 + ln 3.
    assert_eq!(
        (&by_added[1], &by_changed[1]),
        (&Rational::from(3i64), &Rational::from(6i64))
    );
    assert!(reaches(added.map(&1).unwrap(), &by_added[1]));
    assert!(reaches(added.map(&2).unwrap(), &by_added[2]));
    assert!(reaches(changed.map(&1).unwrap(), &by_changed[1]));
    // The largest single loss would not be enough under change-one distance, not even that of two
    // rows in one part.
    assert!(!bounds(count().map(&2).unwrap(), &by_changed[1]));
}

#[test]
fn a_release_over_the_same_rows_in_any_order_sees_the_same_parts() {
    let both = parallel(rows(), SymmetricDistance, part_of, vec![count(), any()]).unwrap();
    let one = law(24, |words| both.invoke_with(&vec![0, 1, 2], words));
    let other = law(24, |words| both.invoke_with(&vec![2, 0, 1], words));
    assert_eq!(one, other);
}

/// A part whose loss at distance d is the d-th of a table.
fn table(losses: Vec<f64>) -> Release {
    let map = PrivacyMap::new(move |&d_in| {
        let at = (d_in as usize).min(losses.len());
        Ok(if at == 0 {
            Up::ZERO
        } else {
            Up::exact(losses[at - 1])
        })
    });
    Measurement::new(rows(), SymmetricDistance, MaxDivergence, |_, _| Ok(0), map).unwrap()
}

/// The largest exact sum over all ways to divide `rows` among the parts.
fn brute_force(tables: &[Vec<f64>], rows: usize) -> Rational {
    let Some((first, rest)) = tables.split_first() else {
        return Rational::ZERO;
    };
    let with = |here: usize| {
        let loss = if here == 0 { 0.0 } else { first[here - 1] };
        Rational::try_from(loss).unwrap() + brute_force(rest, rows - here)
    };
    (0..=rows).map(with).max().unwrap()
}

proptest! {
    #[test]
    fn the_loss_is_the_largest_sum_over_all_divisions(
        tables in vec(vec(0.0f64..1.0, 4), 1..5),
        distance in 1u64..=4,
    ) {
        // Maps do not fall.
        let tables: Vec<Vec<f64>> = tables
            .into_iter()
            .map(|mut table| {
                table.sort_by(f64::total_cmp);
                table
            })
            .collect();
        let releases = || tables.iter().cloned().map(table).collect();
        let added = parallel(rows(), SymmetricDistance, |_| Some(0), releases()).unwrap();
        let exactly = brute_force(&tables, distance as usize);
        let loss = exact(added.map(&distance).unwrap());
        prop_assert!(loss >= exactly);
        // At most three additions, each rounded up.
        prop_assert!(
            loss <= &exactly * &(&Rational::ONE + &Rational::new(4, 1).times_power_of_two(-52))
        );
        if distance <= 2 {
            let changed =
                parallel(rows().with_size(9), ChangeOneDistance, |_| Some(0), releases()).unwrap();
            prop_assert_eq!(changed.map(&distance).unwrap(), added.map(&(2 * distance)).unwrap());
        }
    }
}

#[test]
fn large_distances_are_bounded_quickly() {
    let linear = || count();
    // One part: its own loss. Two: at most twice that.
    let one = parallel(rows(), SymmetricDistance, |_| Some(0), vec![linear()]).unwrap();
    assert_eq!(
        one.map(&1_000_000).unwrap(),
        linear().map(&1_000_000).unwrap()
    );
    let two = parallel(
        rows(),
        SymmetricDistance,
        |_| Some(0),
        vec![linear(), linear()],
    )
    .unwrap();
    let twice = linear().map(&1_000_000).unwrap() * Up::from(2);
    assert_eq!(two.map(&1_000_000).unwrap(), twice);
    // No step down where the quick bound takes over.
    let losses: Vec<Up> = (720..730).map(|d| two.map(&d).unwrap()).collect();
    assert!(losses.windows(2).all(|pair| pair[0] <= pair[1]));
    // Many parts at distance 1 are still priced exactly.
    let many = parallel(
        rows(),
        SymmetricDistance,
        |_| Some(0),
        vec![linear(); 100_000],
    )
    .unwrap();
    assert_eq!(many.map(&1).unwrap(), linear().map(&1).unwrap());
    assert!(
        parallel(
            rows().with_size(3),
            ChangeOneDistance,
            |_| Some(0),
            vec![linear()]
        )
        .unwrap()
        .map(&u64::MAX)
        .unwrap_err()
        .is_distance()
    );
}

#[test]
fn other_measures_take_their_largest_parts() {
    let pair = |epsilon, delta| {
        let loss = EpsilonDelta::new(Up::exact(epsilon), Up::exact(delta)).unwrap();
        let map = PrivacyMap::new(move |_| Ok(loss.clone()));
        Measurement::new(
            rows(),
            SymmetricDistance,
            Approximate(MaxDivergence),
            |_, _| Ok(()),
            map,
        )
        .unwrap()
    };
    let releases = || vec![pair(1.0, 0.125), pair(0.5, 0.25)];
    let added = parallel(rows(), SymmetricDistance, |_| None, releases()).unwrap();
    // Neither loss is the larger one; together they are below the larger of each part.
    assert_eq!(
        added.map(&1).unwrap(),
        EpsilonDelta::new(Up::ONE, Up::exact(0.25)).unwrap()
    );
    let changed = parallel(rows().with_size(2), ChangeOneDistance, |_| None, releases()).unwrap();
    assert_eq!(
        changed.map(&1).unwrap(),
        EpsilonDelta::new(Up::exact(1.5), Up::exact(0.375)).unwrap()
    );

    let ranged = count().cast(RangeDivergence, |&epsilon| Ok(epsilon * Up::from(2)));
    let both = parallel(
        rows(),
        SymmetricDistance,
        part_of,
        vec![ranged.clone(), ranged.clone()],
    )
    .unwrap();
    assert_eq!(both.map(&1).unwrap(), ranged.map(&1).unwrap());
}

#[test]
fn parts_of_other_domains_are_refused() {
    let none: Vec<Release> = vec![];
    let error = parallel(rows(), SymmetricDistance, part_of, none).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no part to release from; give one release for each part"
    );
    let bounded = VectorDomain::new(AtomDomain::bounded(0, 3).unwrap());
    let error = parallel(bounded, SymmetricDistance, part_of, vec![count()]).unwrap_err();
    assert!(error.is_composition());
    let unsized_whole = parallel(rows(), ChangeOneDistance, part_of, vec![count()]);
    assert!(unsized_whole.unwrap_err().is_space());
}
