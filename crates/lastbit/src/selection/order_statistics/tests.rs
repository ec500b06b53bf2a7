use super::*;
use proptest::prelude::*;

/// The same from sorted rows.
fn reference(rows: &[u64], ranks: Range<usize>) -> Middle {
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    let (low, high) = (sorted[ranks.start], sorted[ranks.end - 1]);
    let inside: Vec<u64> = sorted
        .iter()
        .copied()
        .filter(|x| (low..=high).contains(x))
        .collect();
    Middle {
        below: sorted.partition_point(|&x| x < low),
        points: inside
            .chunk_by(|a, b| a == b)
            .map(|equal| (equal[0], equal.len()))
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_middle_is_that_of_the_sorted_rows(
        rows in proptest::collection::vec(any::<u64>(), 1..60),
        bits in 1u32..=64,
        first in 0u64..1000,
        cut in any::<(u16, u16)>(),
    ) {
        let places: Vec<u64> =
            rows.iter().map(|row| (row >> (64 - bits)).min(u64::MAX - first)).collect();
        let rows: Vec<u64> = places.iter().map(|place| place + first).collect();
        let start = cut.0 as usize % rows.len();
        let end = start + 1 + cut.1 as usize % (rows.len() - start);
        prop_assert_eq!(middle(&rows, first, bits, start..end), reference(&places, start..end));
    }
}

#[test]
fn floats_and_single_points_are_placed() {
    let rows = [3.5f64, -0.0, -7.0, 0.0, 3.5];
    let first = f64::MIN.key();
    let found = middle(&rows, first, 64, 1..4);
    assert_eq!(found.below, 1);
    let points: Vec<(f64, usize)> = found
        .points
        .iter()
        .map(|&(place, n)| (f64::from_key(place + first), n))
        .collect();
    assert_eq!(points, [(0.0, 2), (3.5, 2)]);
    let one = middle(&[9u64; 5], 9, 0, 2..3);
    assert_eq!((one.below, one.points), (0, vec![(0, 5)]));
}
