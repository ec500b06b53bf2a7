//! The maps of all stages from a table to numbers, beside every pair of small neighbouring tables.

use std::collections::{BTreeMap, BTreeSet};

use lastbit::metrics::{Contribution, Norms};
use lastbit::statistics::{self, Neighbours};
use lastbit::tables::{
    Aim, AnswerDomain, Limits, NumbersDomain, Products, RankSelection, Reach, ReachDistance,
    TableDomain, UnitDistance, counts, moved, products, scan, shares, sums, units,
};
use lastbit::{Bounds, Error, MetricSpace, Share, Transformation};
use lastbit_exact::Rational;

/// A row: whose, in which of three groups, and a number from −1 to 2.
type Row = (u8, usize, i64);
type Table = Vec<Row>;
type Kept = Vec<(usize, i64)>;

const GROUPS: usize = 3;
const NUMBERS: [i64; 3] = [-1, 0, 2];

/// Of each unit the first groups, and in each the smallest numbers.
fn kept(table: &Table, rows: usize, groups: usize) -> Kept {
    let mut units: BTreeMap<u8, BTreeMap<usize, Vec<i64>>> = BTreeMap::new();
    for &(unit, group, number) in table {
        let theirs = units.entry(unit).or_default();
        theirs.entry(group).or_default().push(number);
    }
    let mut kept = Vec::new();
    for theirs in units.into_values() {
        for (group, mut numbers) in theirs.into_iter().take(groups) {
            numbers.sort_unstable();
            kept.extend(numbers.into_iter().take(rows).map(|number| (group, number)));
        }
    }
    kept
}

type Scan = Transformation<TableDomain<Table>, UnitDistance, AnswerDomain<Kept>, ReachDistance>;

fn bounded(metric: UnitDistance, limits: Limits) -> Scan {
    let (rows, groups) = (limits.rows() as usize, limits.groups() as usize);
    scan(metric, limits, move |table| Ok(kept(table, rows, groups))).unwrap()
}

/// Everything that a unit can have: up to three rows.
fn of_a_unit() -> Vec<Vec<(usize, i64)>> {
    let cells: Vec<(usize, i64)> = (0..GROUPS)
        .flat_map(|group| NUMBERS.map(|number| (group, number)))
        .collect();
    let mut all = vec![vec![]];
    for (i, &a) in cells.iter().enumerate() {
        all.push(vec![a]);
        for (j, &b) in cells.iter().enumerate().take(i + 1) {
            all.push(vec![a, b]);
            all.extend(cells[..=j].iter().map(|&c| vec![a, b, c]));
        }
    }
    all
}

/// Two neighbours by the metric: the same unit with some rows and with none, or with other rows;
/// another unit is the same in both.
fn neighbours(metric: UnitDistance) -> Vec<[Table; 2]> {
    let mut pairs = Vec::new();
    let tables = of_a_unit();
    let with = |rows: &[(usize, i64)]| -> Table {
        let other = [(9, 0, 2), (9, 1, -1)];
        let rows = rows.iter().map(|&(group, number)| (1, group, number));
        rows.chain(other).collect()
    };
    for a in &tables {
        match metric {
            UnitDistance::Added => pairs.push([with(a), with(&[])]),
            UnitDistance::Changed => {
                // Every eleventh is enough for a test, and all are met by one or the other.
                let others = tables.iter().skip(pairs.len() % 11).step_by(11);
                pairs.extend(others.map(|b| [with(a), with(b)]));
            }
        }
    }
    pairs
}

/// Every relation, and some limits.
fn settings() -> Vec<(UnitDistance, Limits)> {
    let mut all = Vec::new();
    for metric in [UnitDistance::Added, UnitDistance::Changed] {
        for (rows, groups) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 3)] {
            all.push((metric, Limits::new(rows, groups).unwrap()));
        }
    }
    all
}

/// The numbers of each group, in order.
fn by_group(
    each: usize,
    of_row: impl Fn(i64) -> Vec<Rational> + Send + Sync + 'static,
) -> impl Fn(&Kept) -> Result<Vec<Rational>, Error> + Send + Sync + 'static {
    move |kept| {
        let mut numbers = vec![Rational::ZERO; GROUPS * each];
        for &(group, number) in kept {
            for (place, share) in of_row(number).iter().enumerate() {
                let sum = &mut numbers[group * each + place];
                *sum = &*sum + share;
            }
        }
        Ok(numbers)
    }
}

/// The place of a number between its bounds, as shares of a sum of 1.
fn two_shares(number: i64) -> Vec<Rational> {
    let place = Rational::new(number + 1, 3);
    vec![&Rational::ONE - &place, place]
}

/// Checks the map against all neighbours, and says which of its two bounds some pair meets.
fn check(
    (metric, limits): (UnitDistance, Limits),
    stage: Transformation<
        AnswerDomain<Kept>,
        ReachDistance,
        NumbersDomain,
        lastbit::metrics::NormsDistance,
    >,
) -> [bool; 2] {
    let chain = (bounded(metric, limits) >> stage).unwrap();
    let map = chain.map(&1).unwrap();
    let mut most = Norms::default();
    for [a, b] in neighbours(metric) {
        let (one, other) = (chain.invoke(&a).unwrap(), chain.invoke(&b).unwrap());
        let found = chain
            .output_domain()
            .distance(chain.output_metric(), &one, &other);
        let found = found.unwrap();
        assert!(found <= map, "{found} above {map}: {a:?} {b:?}");
        most.l1 = most.l1.max(found.l1);
        most.l2_squared = most.l2_squared.max(found.l2_squared);
    }
    // Of several units, the triangle inequality.
    let twice = Rational::from(2i64);
    assert_eq!(chain.map(&2).unwrap().l1, &map.l1 * &twice);
    assert_eq!(
        chain.map(&2).unwrap().l2_squared,
        &map.l2_squared * &(&twice * &twice)
    );
    [most.l1 == map.l1, most.l2_squared == map.l2_squared]
}

#[test]
fn shares_move_by_no_more_than_their_map_and_some_by_as_much() {
    for (metric, limits) in settings() {
        let stage = || shares(Some(GROUPS as u64), by_group(2, two_shares)).unwrap();
        let met = check((metric, limits), stage());
        // A unit of three rows cannot fill more of its limits; one that changes to other groups
        // needs twice as many groups.
        let rows = limits.rows() * limits.groups();
        let groups = match metric {
            UnitDistance::Added => limits.groups(),
            UnitDistance::Changed => 2 * limits.groups(),
        };
        if rows <= 3 && groups <= GROUPS as u64 {
            assert_eq!(met, [true, true], "{metric} {limits:?}");
        }
    }
}

#[test]
fn sums_move_by_no_more_than_their_map_and_some_by_as_much() {
    let bounds = (Rational::from(-1i64), Rational::from(2i64));
    for (metric, limits) in settings() {
        let of_row = |number| vec![Rational::from(number)];
        let stage = sums(Some(GROUPS as u64), bounds.clone(), by_group(1, of_row)).unwrap();
        let met = check((metric, limits), stage);
        if metric == UnitDistance::Added && limits.rows() * limits.groups() <= 3 {
            assert_eq!(met, [true, true], "{limits:?}");
        }
    }
}

/// Two columns of a row: the places of its number and of the square of its number, from 0 to 1.
fn places(number: i64) -> [Rational; 2] {
    [
        Rational::new(number + 1, 3),
        Rational::new(number * number, 4),
    ]
}

/// The numbers of each group, from the sums over its rows as an engine has them.
fn centred(of: &Products, kept: &Kept) -> Result<Vec<Rational>, Error> {
    let mut all = Vec::new();
    for group in 0..GROUPS {
        let rows: Vec<[Rational; 2]> = kept
            .iter()
            .filter(|(of, _)| *of == group)
            .map(|&(_, number)| places(number))
            .collect();
        let sum = |of_row: &dyn Fn(&[Rational; 2]) -> Rational| {
            rows.iter()
                .fold(Rational::ZERO, |sum, row| &sum + &of_row(row))
        };
        let each = [sum(&|row| row[0].clone()), sum(&|row| row[1].clone())];
        let count = Rational::from(rows.len() as u64);
        all.extend(of.centred(&count, &each, |i, j| sum(&|row| &row[i] * &row[j]))?);
    }
    Ok(all)
}

#[test]
fn products_are_the_sums_of_what_their_rows_add() {
    let of = Products::new(2, vec![(0, 0), (0, 1)]).unwrap();
    let kept: Kept = vec![(0, -1), (0, 2), (0, 2), (1, 0), (1, -1)];
    let mut expected = vec![Rational::ZERO; GROUPS * of.count()];
    for &(group, number) in &kept {
        let a = places(number).map(|t| &t.times_power_of_two(1) - &Rational::ONE);
        let half = |x: &Rational| x.times_power_of_two(-1);
        let row = [
            half(&Rational::ONE),
            half(&a[0]),
            half(&a[1]),
            &a[0] * &a[0],
            &a[0] * &a[1],
        ];
        for (place, number) in row.iter().enumerate() {
            let sum = &mut expected[group * of.count() + place];
            *sum = &*sum + number;
        }
    }
    assert_eq!(centred(&of, &kept).unwrap(), expected);
    assert_eq!((of.of_column(1), of.of_pair(1, 0)), (2, Some(4)));
    assert_eq!(of.of_pair(1, 1), None);
    for bad in [vec![(1, 0)], vec![(0, 2)], vec![(0, 1), (0, 1)]] {
        assert!(Products::new(2, bad).is_err());
    }
}

#[test]
fn products_move_by_no_more_than_their_map_and_some_by_as_much() {
    let of = Products::new(2, vec![(0, 0), (0, 1), (1, 1)]).unwrap();
    for (metric, limits) in settings() {
        let numbers = {
            let of = of.clone();
            move |kept: &Kept| centred(&of, kept)
        };
        let stage = products(Some(GROUPS as u64), &of, numbers).unwrap();
        let met = check((metric, limits), stage);
        // A unit whose rows are all the number 2 has its cells at their upper bounds.
        if metric == UnitDistance::Added && limits.rows() * limits.groups() <= 3 {
            assert_eq!(met, [true, true], "{limits:?}");
        }
    }
}

#[test]
fn rows_of_keys_move_by_no_more_than_their_map_and_some_by_as_much() {
    for (metric, limits) in settings() {
        let by_key = counts(|kept: &Kept| {
            let mut rows = BTreeMap::new();
            for (group, _) in kept {
                *rows.entry(*group).or_insert(0u64) += 1;
            }
            Ok(rows)
        });
        let chain = (bounded(metric, limits) >> by_key.unwrap()).unwrap();
        let map = chain.map(&1).unwrap();
        let (mut keys, mut each) = (0, Rational::ZERO);
        for [a, b] in neighbours(metric) {
            let (one, other) = (chain.invoke(&a).unwrap(), chain.invoke(&b).unwrap());
            let found = chain
                .output_domain()
                .distance(chain.output_metric(), &one, &other);
            let found: Contribution = found.unwrap();
            assert!(found <= map, "{found:?} above {map:?}: {a:?} {b:?}");
            keys = keys.max(found.keys());
            each = each.max(found.each().clone());
        }
        assert_eq!(each, *map.each(), "{metric} {limits:?}");
        assert_eq!(keys, map.keys().min(GROUPS as u64), "{metric} {limits:?}");
    }
}

#[test]
fn a_mean_of_a_public_number_of_rows_moves_by_no_more_than_its_map() {
    let bounds = Bounds::parse("-1", "2").unwrap();
    let statistic = statistics::mean(&bounds, Neighbours::change_one(3).unwrap()).unwrap();
    let stage = || {
        moved(&statistic, |kept: &Kept| {
            let sum = kept.iter().fold(0, |sum, (_, number)| sum + number);
            Ok(Rational::new(sum, 3))
        })
        .unwrap()
    };
    let chain = (bounded(UnitDistance::Changed, Limits::ONE_ROW) >> stage()).unwrap();
    let map = chain.map(&1).unwrap();
    let mut most = Rational::ZERO;
    for numbers in 0..81 {
        let number = |place: u32| NUMBERS[numbers / 3usize.pow(place) % 3];
        let table = |last| vec![(0, 0, number(0)), (1, 0, number(1)), (2, 0, last)];
        let (a, b) = (table(number(2)), table(number(3)));
        let (one, other) = (chain.invoke(&a).unwrap(), chain.invoke(&b).unwrap());
        let found = chain
            .output_domain()
            .distance(chain.output_metric(), &one, &other);
        let found = found.unwrap();
        assert!(found <= map, "{found} above {map}");
        most = most.max(found.l1);
    }
    assert_eq!(most, map.l1);
    // Rows that come and go, or several of a unit, have no such map.
    for (metric, limits) in [
        (UnitDistance::Added, Limits::ONE_ROW),
        (UnitDistance::Changed, Limits::new(2, 1).unwrap()),
    ] {
        let chain = (bounded(metric, limits) >> stage()).unwrap();
        assert!(chain.map(&1).is_err(), "{metric}");
    }
}

#[test]
fn ranks_move_by_no_more_than_the_selection_says() {
    let last = 3;
    let distances = |kept: &Kept, group: usize, selection: &RankSelection, aim: Aim| {
        let mut offsets = BTreeMap::new();
        for (_, number) in kept.iter().filter(|row| row.0 == group) {
            *offsets.entry((number + 1) as u64).or_insert(0) += 1;
        }
        let found = selection.candidates(&offsets.into_iter().collect(), aim);
        let scale = Rational::from(found.scale);
        let runs = found.runs.iter();
        runs.flat_map(|run| vec![&Rational::from(run.score) / &scale; run.length as usize])
            .collect::<Vec<Rational>>()
    };
    for (metric, limits) in settings() {
        for share in ["0", "1/3", "1/2", "1"] {
            let share: Share = share.parse().unwrap();
            let reach = Reach {
                units: 1,
                limits,
                metric,
            };
            let groups = Some(GROUPS as u64);
            let epsilon = "1".parse().unwrap();
            let selection =
                RankSelection::new(last, &share, groups, false, &epsilon, reach).unwrap();
            let all = Rational::from(reach.within(groups).limits.groups());
            let map = selection.sensitivity() * &all;
            for aim in [Aim::Value, Aim::Lower(1), Aim::Upper(1)] {
                for [a, b] in neighbours(metric) {
                    let (rows, groups) = (limits.rows() as usize, limits.groups() as usize);
                    let (one, other) = (kept(&a, rows, groups), kept(&b, rows, groups));
                    let touched: BTreeSet<usize> = (0..GROUPS).collect();
                    let found = touched.iter().fold(Rational::ZERO, |sum, &group| {
                        let a = distances(&one, group, &selection, aim);
                        let b = distances(&other, group, &selection, aim);
                        let most = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).max();
                        &sum + &most.unwrap_or(Rational::ZERO)
                    });
                    assert!(found <= map, "{found} above {map}: {a:?} {b:?} at {share}");
                }
            }
        }
    }
}

/// Of each unit: how many rows it has, and how many the limits keep.
type Told = Vec<(u64, u64)>;

/// Whether every pair of neighbours is within the map of what is told of units, so many times each;
/// and whether some pair meets it.
fn told(metric: UnitDistance, limits: Limits, times: usize) -> [bool; 2] {
    let (rows, groups) = (limits.rows() as usize, limits.groups() as usize);
    let scan = scan(
        metric,
        limits,
        move |table: &Table| -> Result<Told, Error> {
            let whose: BTreeSet<u8> = table.iter().map(|row| row.0).collect();
            let of = |unit: u8| -> (u64, u64) {
                let own: Table = table.iter().filter(|row| row.0 == unit).copied().collect();
                (own.len() as u64, kept(&own, rows, groups).len() as u64)
            };
            Ok(whose.into_iter().map(of).collect())
        },
    );
    let stage = units(Some(1), move |told: &Told| {
        let mut sums = vec![Rational::ZERO; 3];
        for &(rows, kept) in told {
            let left_out = Rational::new(rows - kept, rows);
            let cut = Rational::from(u64::from(kept < rows));
            let adds = [&cut - &left_out, left_out, &Rational::ONE - &cut];
            for _ in 0..times {
                for (sum, more) in sums.iter_mut().zip(&adds) {
                    *sum = &*sum + more;
                }
            }
        }
        Ok(sums)
    });
    let chain = (scan.unwrap() >> stage.unwrap()).unwrap();
    let map = chain.map(&1).unwrap();
    let (mut is_within, mut is_met) = (true, false);
    for [a, b] in neighbours(metric) {
        let (one, other) = (chain.invoke(&a).unwrap(), chain.invoke(&b).unwrap());
        let metric = chain.output_metric();
        let found = chain.output_domain().distance(metric, &one, &other);
        let found = found.unwrap();
        is_within &= found <= map;
        is_met |= found == map;
    }
    [is_within, is_met]
}

#[test]
fn what_is_told_of_units_moves_as_far_as_one_row_whatever_the_limits() {
    for (metric, limits) in settings() {
        let [is_within, is_met] = told(metric, limits, 1);
        // One that changes moves all of a row only if nothing, or all, is left out of it.
        let meets = metric == UnitDistance::Added;
        assert!(is_within && (is_met || !meets), "{metric} {limits:?}");
        // The same check finds units that are told of twice.
        let [is_within, _] = told(metric, limits, 2);
        assert!(!is_within, "{metric} {limits:?}");
    }
    for groups in [None, Some(0), Some(2)] {
        assert!(units(groups, |_: &Told| Ok(vec![])).is_err(), "{groups:?}");
    }
}
