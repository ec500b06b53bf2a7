//! `lastbit mechanism quantiles law` against all points of a domain so small that they can be
//! walked through: the twelve least doubles, by their bits.

use serde_json::Value;

use crate::support;

const POINTS: u64 = 12;

/// Between the last of the points and the next double.
const UPPER: &str = "5.5e-323";

fn law(rows: &[u64], at: &str, epsilon: &str) -> Value {
    let line = |&row: &u64| format!("{:e}\n", f64::from_bits(row));
    let lines: String = rows.iter().map(line).collect();
    let arguments = [
        "mechanism quantiles law --values - --lower 0 --json --upper",
        UPPER,
        "--at",
        at,
        "--epsilon",
        epsilon,
    ];
    let arguments = arguments.join(" ");
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let done = support::run_with(&arguments, &lines).succeeded();
    serde_json::from_str(&done.out).unwrap()
}

/// How many rows lie between a point and the row of a rank.
fn rank_error(rows: &[u64], rank: usize, point: u64) -> usize {
    let below = rows.iter().filter(|&&row| row < point).count();
    let at_most = rows.iter().filter(|&&row| row <= point).count();
    rank.saturating_sub(at_most)
        .max((below + 1).saturating_sub(rank))
}

#[test]
fn the_law_of_each_selection_is_that_of_its_points() {
    for (rows, at, ranks, epsilon) in [
        (&[3, 3, 4, 9][..], "0.5", &[2][..], 1.0),
        (&[11, 0, 11, 0, 5], "0.75,0.25", &[2, 4], 4.0),
        (&[7], "0.1,0.9", &[1], 0.5),
        (&[2, 3, 5, 7, 10], "0.2,0.4,0.41", &[1, 2, 3], 30.0),
        (&[0, 0, 0], "1", &[3], 2.0),
    ] {
        let law = law(rows, at, &epsilon.to_string());
        let asked = law["selections"].as_array().unwrap();
        assert_eq!(law["rows"], rows.len());
        assert_eq!(asked.len(), ranks.len(), "{rows:?}");
        for (selection, &rank) in asked.iter().zip(ranks) {
            assert_eq!(selection["rank"], rank);
            let weight = |point| {
                let error = rank_error(rows, rank, point) as f64;
                (-epsilon / ranks.len() as f64 / 2.0 * error).exp()
            };
            let total: f64 = (0..POINTS).map(weight).sum();
            let mut next = 0;
            for run in selection["runs"].as_array().unwrap() {
                let number = |name: &str| run[name].as_f64().unwrap();
                let [first, last] = ["first", "last"].map(|name| number(name).to_bits());
                assert_eq!(
                    (first, run["points"].as_u64()),
                    (next, Some(last - first + 1))
                );
                for point in first..=last {
                    assert_eq!(run["rank_error"], rank_error(rows, rank, point), "{rows:?}");
                }
                let wanted: f64 = (first..=last).map(weight).sum::<f64>() / total;
                let (low, high) = (number("low"), number("high"));
                assert!(low <= wanted * (1.0 + 1e-14), "{rows:?}: {run}");
                assert!(high >= wanted * (1.0 - 1e-14), "{rows:?}: {run}");
                assert!(high - low <= wanted * 1e-15, "{rows:?}: {run}");
                next = last + 1;
            }
            assert_eq!(next, POINTS, "{rows:?}");
        }
    }
}

#[test]
fn what_has_no_law_of_its_own_is_refused() {
    let rows: String = (0..100_000).map(|row| format!("{row}\n")).collect();
    let at: Vec<String> = (1..64).map(|i| format!("{i}/64")).collect();
    let at = at.join(",");
    let arguments = [
        "mechanism",
        "quantiles",
        "law",
        "--values",
        "-",
        "--at",
        &at,
        "--lower",
        "0",
        "--upper",
        "1e6",
        "--epsilon",
        "1",
    ];
    support::run_with(&arguments, &rows).refused("found by bisection");
}
