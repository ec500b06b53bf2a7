//! Range and sensitivity of every statistic against all small data sets: attained, and never
//! exceeded.

use lastbit::Bounds;
use lastbit::statistics::{Extent, Neighbours, count, covariance, mean, row_count, sum, variance};
use lastbit_exact::Rational;

use crate::number;

/// Bounds of every combination of signs, and of width zero.
const BOUNDS: [(&str, &str); 6] = [
    ("0", "1"),
    ("-3/2", "5/3"),
    ("2", "7"),
    ("-7", "-2"),
    ("-4", "0"),
    ("1.1", "1.1"),
];

/// Data sets have at most this many rows.
const MOST_ROWS: usize = 6;

fn bounds((lower, upper): (&str, &str)) -> Bounds {
    Bounds::parse(lower, upper).unwrap()
}

/// Both ends, the middle, and two points that are not symmetric about it.
fn values(bounds: &Bounds) -> Vec<Rational> {
    let width = bounds.upper() - bounds.lower();
    let mut values: Vec<Rational> = ["0", "1/7", "1/2", "3/5", "1"]
        .iter()
        .map(|part| bounds.lower() + &(&width * &number(part)))
        .collect();
    values.dedup();
    values
}

/// All multisets of a size, as lists: the statistics do not look at the order.
fn multisets<V: Clone>(values: &[V], size: usize) -> Vec<Vec<V>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, value) in values.iter().enumerate() {
        for mut rest in multisets(&values[index..], size - 1) {
            rest.push(value.clone());
            all.push(rest);
        }
    }
    all
}

/// What enumeration finds: the ends of the range and the largest L1 distance of neighbours.
struct Found {
    lower: Rational,
    upper: Rational,
    sensitivity: Rational,
}

/// Enumerates all data sets over `values` that the neighbour relation allows, up to `MOST_ROWS`
/// rows.
fn enumerate<V: Clone>(
    values: &[V],
    neighbours: Neighbours,
    statistic: impl Fn(&[V]) -> Vec<Rational>,
) -> Found {
    let mut answers = Vec::new();
    let mut sensitivity = Rational::ZERO;
    let mut compare = |one: &[Rational], other: &[Rational]| {
        let distance = one
            .iter()
            .zip(other)
            .fold(Rational::ZERO, |sum, (a, b)| &sum + &(a - b).abs());
        if distance > sensitivity {
            sensitivity = distance;
        }
    };
    let with = |shared: &[V], row: &V| {
        let mut rows = shared.to_vec();
        rows.push(row.clone());
        statistic(&rows)
    };
    match neighbours {
        Neighbours::ChangeOne { rows } => {
            for shared in multisets(values, rows.get() as usize - 1) {
                let of_each: Vec<_> = values.iter().map(|row| with(&shared, row)).collect();
                for one in &of_each {
                    for other in &of_each {
                        compare(one, other);
                    }
                }
                answers.extend(of_each.into_iter().flatten());
            }
        }
        Neighbours::AddRemove { .. } => {
            let most = neighbours.most_rows().map_or(MOST_ROWS, |n| n as usize);
            for size in neighbours.least_rows() as usize..most {
                for shared in multisets(values, size) {
                    let without = statistic(&shared);
                    for row in values {
                        let more = with(&shared, row);
                        compare(&without, &more);
                        answers.extend(more);
                    }
                    answers.extend(without);
                }
            }
        }
    }
    Found {
        lower: answers.iter().min().unwrap().clone(),
        upper: answers.iter().max().unwrap().clone(),
        sensitivity,
    }
}

/// The stated range and sensitivity are those found: neither exceeded nor larger than needed.
fn assert_tight<V: Clone>(
    name: &str,
    stated: &Extent,
    values: &[V],
    neighbours: Neighbours,
    statistic: impl Fn(&[V]) -> Vec<Rational>,
) {
    let found = enumerate(values, neighbours, statistic);
    let context = format!("{name}, {neighbours:?}");
    assert_eq!(
        stated.sensitivity(),
        &found.sensitivity,
        "sensitivity of {context}"
    );
    assert_eq!(
        stated.range().lower(),
        Some(&found.lower),
        "range of {context}"
    );
    if let Some(upper) = stated.range().upper() {
        assert_eq!(upper, &found.upper, "range of {context}");
    } else {
        assert_eq!(neighbours.most_rows(), None, "range of {context}");
    }
}

fn change_one(least: u64) -> impl Iterator<Item = Neighbours> {
    (least..=MOST_ROWS as u64).map(|rows| Neighbours::change_one(rows).unwrap())
}

/// Promises from `least` rows on, with an upper limit so that every range is bounded.
fn add_remove(least: u64) -> impl Iterator<Item = Neighbours> {
    (least..MOST_ROWS as u64)
        .map(|at_least| Neighbours::add_remove_between(at_least, Some(MOST_ROWS as u64)).unwrap())
}

fn both(least: u64) -> impl Iterator<Item = Neighbours> {
    change_one(least.max(1)).chain(add_remove(least))
}

#[test]
fn mean_is_tight() {
    for bounds in BOUNDS.map(bounds) {
        for neighbours in both(1) {
            let stated = mean(&bounds, neighbours).unwrap();
            assert_tight("mean", &stated, &values(&bounds), neighbours, |rows| {
                vec![super::reference::mean(rows)]
            });
        }
    }
}

#[test]
fn variance_is_tight() {
    for bounds in BOUNDS.map(bounds) {
        for neighbours in both(2) {
            let stated = variance(&bounds, neighbours).unwrap();
            assert_tight("variance", &stated, &values(&bounds), neighbours, |rows| {
                vec![super::reference::variance(rows)]
            });
        }
    }
}

/// The pairs of a few values of each column, both ends among them.
fn pairs(x: &Bounds, y: &Bounds) -> Vec<(Rational, Rational)> {
    let y_values = [y.lower().clone(), y.centre(), y.upper().clone()];
    [x.lower(), &values(x)[1], x.upper()]
        .into_iter()
        .flat_map(|x| y_values.iter().map(|y| (x.clone(), y.clone())))
        .collect()
}

fn covariance_of_pairs(rows: &[(Rational, Rational)]) -> Vec<Rational> {
    let (x, y): (Vec<_>, Vec<_>) = rows.iter().cloned().unzip();
    vec![super::reference::covariance(&x, &y)]
}

#[test]
fn covariance_is_tight() {
    let (x, y) = (bounds(("-3/2", "5/3")), bounds(("2", "7")));
    for neighbours in both(2) {
        let stated = covariance(&x, &y, neighbours).unwrap();
        assert_tight(
            "covariance",
            &stated,
            &pairs(&x, &y),
            neighbours,
            covariance_of_pairs,
        );
    }
}

#[test]
fn sum_is_tight() {
    for bounds in BOUNDS.map(bounds) {
        for neighbours in both(0) {
            let stated = sum(&bounds, neighbours);
            assert_tight("sum", &stated, &values(&bounds), neighbours, |rows| {
                vec![super::reference::sum(rows)]
            });
        }
    }
}

#[test]
fn count_and_row_count_are_tight() {
    for neighbours in both(0) {
        assert_tight(
            "count",
            &count(neighbours),
            &[false, true],
            neighbours,
            |rows| {
                vec![Rational::from(
                    rows.iter().filter(|&&row| row).count() as u64
                )]
            },
        );
        assert_tight(
            "row count",
            &row_count(neighbours),
            &[()],
            neighbours,
            |rows| vec![Rational::from(rows.len() as u64)],
        );
    }
}

#[test]
fn erratum_8_variance_for_odd_n() {
    let unit = bounds(("0", "1"));
    for (rows, largest) in [(3, "1/3"), (5, "3/10"), (7, "2/7")] {
        let neighbours = Neighbours::change_one(rows).unwrap();
        let stated = variance(&unit, neighbours).unwrap();
        assert_eq!(stated.range().upper(), Some(&number(largest)));
        // As many rows at each end as an odd number allows, against one row in the middle.
        let rows_of = |ends: u64, middle: &str| {
            let mut all = vec![Rational::ZERO; ends as usize];
            all.extend(vec![Rational::ONE; (rows - 1 - ends) as usize]);
            all.push(number(middle));
            super::reference::variance(&all)
        };
        assert_eq!(rows_of(rows / 2, "1"), number(largest));
        assert_eq!(rows_of(rows / 2, "1/2"), number("1/4"));
        assert!(number(largest) > number("1/4"));
    }
}

#[test]
fn erratum_8_covariance_for_odd_n() {
    let (x, y) = (bounds(("0", "1")), bounds(("0", "3")));
    for rows in [3, 5] {
        let neighbours = Neighbours::change_one(rows).unwrap();
        let stated = covariance(&x, &y, neighbours).unwrap();
        let found = enumerate(&pairs(&x, &y), neighbours, covariance_of_pairs);
        assert_eq!(stated.range().upper(), Some(&found.upper));
        assert_eq!(stated.range().lower(), Some(&found.lower));
        // A quarter of (b−a)(d−c) would be exceeded on both sides.
        assert!(found.upper > number("3/4") && found.lower < number("-3/4"));
    }
}

#[test]
fn an_open_range_has_no_bounds_and_says_what_to_do() {
    let stated = sum(&bounds(("-1", "2")), Neighbours::add_remove());
    assert_eq!(stated.range().to_string(), "(−∞, ∞)");
    assert_eq!(
        stated.bounds().unwrap_err().to_string(),
        "the range (−∞, ∞) is not bounded; state the largest number of rows, or choose bounds and \
         clamp the value to them (clamping never adds sensitivity)"
    );
    let limited = Neighbours::add_remove_between(0, Some(10)).unwrap();
    assert_eq!(
        sum(&bounds(("-1", "2")), limited).bounds(),
        Ok(bounds(("-10", "20")))
    );
}

#[test]
fn errors_name_the_remedy() {
    let unit = bounds(("0", "1"));
    let one = Neighbours::change_one(1).unwrap();
    assert_eq!(
        Neighbours::change_one(0).unwrap_err().to_string(),
        "change-one neighbours need at least 1 row, got 0; if the number of rows is not public \
         use add/remove"
    );
    assert_eq!(
        variance(&unit, one).unwrap_err().to_string(),
        "a sample variance needs at least 2 rows, and there is 1 row; add rows, or choose another \
         statistic"
    );
    assert!(covariance(&unit, &unit, one).is_err());
    assert_eq!(
        mean(&unit, Neighbours::add_remove())
            .unwrap_err()
            .to_string(),
        "a mean needs at least 1 row, and a data set may have 0; promise at least 1 if that is \
         public knowledge, use change-one if the number of rows is public, or release sums and \
         counts and divide"
    );
    assert_eq!(
        Neighbours::add_remove_between(5, Some(5))
            .unwrap_err()
            .to_string(),
        "at least 5 and at most 5 rows leave no two data sets that differ by one row; raise the \
         upper limit, or use change-one if the number of rows is public"
    );
}

#[test]
fn the_largest_numbers_of_rows_do_not_overflow() {
    let unit = bounds(("0", "1"));
    let neighbours = Neighbours::add_remove_between(u64::MAX, None).unwrap();
    let two_64 = Rational::new(lastbit_exact::Integer::ONE << 64, 1);
    assert_eq!(
        mean(&unit, neighbours).unwrap().sensitivity(),
        &two_64.recip().unwrap()
    );
    let stated = variance(&unit, Neighbours::change_one(u64::MAX).unwrap()).unwrap();
    assert!(stated.range().upper().unwrap() > &number("1/4"));
}
