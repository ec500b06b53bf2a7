//! How far one unit may move the integers of an answer.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_exact::Integer;
use lastbit_release::engine::query::{Aggregated, Answer};

/// The steps from bound to bound of `cost` and of `age` in the common query, and of `cost` where it
/// is summed: 9 is the farther bound, so that steps are of 2^-47.
const COST_STEPS: i64 = 40;
const FINE_COST_STEPS: i64 = 10 << 47;
const AGE_STEPS: i64 = 100;

/// The integers of an aggregate, by name, with how much one row may move each of them, and all of
/// them together.
fn integers(value: &Aggregated) -> (BTreeMap<String, Integer>, BTreeMap<&'static str, i64>) {
    let mut all = BTreeMap::new();
    let mut claims = BTreeMap::new();
    let mut put = |family: &'static str, which: u64, number: Integer, claim: i64| {
        all.insert(format!("{family} {which}"), number);
        claims.insert(family, claim);
    };
    match value {
        Aggregated::Rows(rows) => put("rows", 0, Integer::from(*rows), 1),
        Aggregated::Sum { rows, sum } => {
            put("rows", 0, Integer::from(*rows), 1);
            put("sum", 0, sum.clone(), FINE_COST_STEPS);
        }
        Aggregated::Moments { rows, sum, squares } => {
            put("rows", 0, Integer::from(*rows), 1);
            put("sum", 0, sum.clone(), COST_STEPS);
            put("squares", 0, squares.clone(), COST_STEPS * COST_STEPS);
        }
        Aggregated::Products {
            rows,
            sum_x,
            sum_y,
            products,
        } => {
            put("rows", 0, Integer::from(*rows), 1);
            put("sum x", 0, sum_x.clone(), COST_STEPS);
            put("sum y", 0, sum_y.clone(), AGE_STEPS);
            put("products", 0, products.clone(), COST_STEPS * AGE_STEPS);
        }
        Aggregated::Counts(counts) => {
            for (bin, count) in (0..).zip(counts) {
                put("counts", bin, Integer::from(*count), 1);
            }
        }
        Aggregated::Kept { .. } | Aggregated::Gram { .. } => {
            unreachable!("no such aggregate is asked for here")
        }
        Aggregated::Offsets(offsets) => {
            put("offsets", u64::MAX, Integer::ZERO, 1);
            for (offset, count) in offsets {
                put("offsets", *offset, Integer::from(*count), 1);
            }
        }
    }
    (all, claims)
}

/// Asserts that the tables differ in at most `units · most_groups` groups; that in each group the
/// L1 distance of every family of integers is at most `units · most_rows` times the claim for one
/// row; and, for `units = 1`, that all go the same way.
pub fn assert_near(one: &Answer, other: &Answer, units: u64, most_rows: u64, most_groups: u64) {
    for (mine, theirs) in one.tables.iter().zip(&other.tables) {
        let keys: BTreeSet<_> = mine.iter().chain(theirs).map(|group| &group.key).collect();
        let mut touched = 0;
        for key in keys {
            let find = |groups: &[_]| -> Option<Vec<Aggregated>> {
                let mut found = groups
                    .iter()
                    .filter(|group: &&lastbit_release::engine::query::Group| group.key == *key);
                found.next().map(|group| group.values.clone())
            };
            let (mine, theirs) = (find(mine), find(theirs));
            let most = mine.as_ref().or(theirs.as_ref()).map_or(0, Vec::len);
            let mut moved = mine.is_some() != theirs.is_some();
            for place in 0..most {
                let read = |values: &Option<Vec<Aggregated>>| {
                    values.as_ref().map(|values| integers(&values[place]))
                };
                let (a, b) = (read(&mine), read(&theirs));
                let claims = a.as_ref().or(b.as_ref()).unwrap().1.clone();
                let (a, b) = (a.unwrap_or_default().0, b.unwrap_or_default().0);
                let mut ways = BTreeSet::new();
                for (family, claim) in claims {
                    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
                    let mut distance = Integer::ZERO;
                    for name in names {
                        if name.rsplit_once(' ').unwrap().0 != family {
                            continue;
                        }
                        let get = |of: &BTreeMap<String, Integer>| {
                            of.get(name).cloned().unwrap_or(Integer::ZERO)
                        };
                        let difference = get(&a) - get(&b);
                        if difference > Integer::ZERO {
                            ways.insert(true);
                            distance += difference;
                        } else if difference < Integer::ZERO {
                            ways.insert(false);
                            distance -= difference;
                        }
                    }
                    moved |= distance > Integer::ZERO;
                    assert!(
                        distance <= Integer::from(units * most_rows) * Integer::from(claim),
                        "{family} in {key:?} moved by {distance}"
                    );
                }
                assert!(
                    units > 1 || ways.len() <= 1,
                    "one unit only adds, in {key:?}"
                );
            }
            touched += u64::from(moved);
        }
        assert!(
            touched <= units * most_groups,
            "{touched} groups moved, and {most_groups} are claimed for each of {units} units"
        );
    }
}
