//! No neighbour moves the numbers that noise is added to by more than the price says.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use lastbit_exact::Rational;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::memory::{Memory, Row};
use crate::plan::Plan;
use crate::price::{Form, Prices, price};
use crate::query::{Exact, KeyValue, Query};
use crate::release::exact::numbers;
use crate::release::noise::candidates;
use crate::release::{Slot, query};

/// Every statistic, grouped and not, under one of the neighbour relations and units.
fn plan(change_one: bool, by_person: bool, drop: bool, rows: usize) -> Plan {
    let privacy = match (change_one, by_person) {
        (false, false) => "neighbours = \"add-remove\"".to_owned(),
        (true, false) => format!("neighbours = \"change-one\"\nrows = {rows}"),
        (false, true) => {
            "neighbours = \"add-remove\"\nunit = \"person\"\nmost_rows = 2\nmost_groups = 2"
                .to_owned()
        }
        (true, true) => {
            "neighbours = \"change-one\"\nunit = \"person\"\nmost_rows = 2\nmost_groups = 2"
                .to_owned()
        }
    };
    let (x, y) = if drop {
        ("\"drop\"", "\"drop\"")
    } else {
        ("1", "-1.5")
    };
    let mut text = format!(
        r#"
[source]
files = "x.csv"
[privacy]
{privacy}
[budget]
epsilon = 1
delta = 1e-6
[columns.x]
edges = [-1, 0.7, 3]
missing = {x}
grid = -2
[columns.y]
lower = -2
upper = 1.3
missing = {y}
grid = -1
[columns.ward]
categories = ["a", "b", "c"]
[columns.town]
discover = true
"#
    );
    for (by, name) in [
        ("[]", "all"),
        ("[\"ward\"]", "ward"),
        ("[\"x\", \"ward\"]", "x and ward"),
        ("[\"town\"]", "town"),
    ] {
        for (kind, of) in [
            ("count", ""),
            ("sum", "of = \"y\""),
            ("mean", "of = \"x\""),
            ("variance", "of = \"x\""),
            ("covariance", "of = [\"x\", \"y\"]"),
            ("histogram", "of = \"x\""),
            ("quantiles", "of = \"y\"\nat = [0, 0.25, 0.5, 1]"),
        ] {
            if kind == "count" && by == "[]" && change_one && !by_person {
                continue;
            }
            text += &format!(
                "[[statistics]]\nname = \"{kind} by {name}\"\nkind = \"{kind}\"\n{of}\nby = {by}\n"
            );
        }
    }
    Plan::parse(&text).unwrap()
}

fn row() -> impl Strategy<Value = Row> {
    let cell = |column, texts: &'static [&'static str]| {
        prop::sample::select(texts).prop_map(move |text| (column, text.to_owned()))
    };
    (
        cell("person", &["ada", "bob", "cid", ""]),
        cell(
            "x",
            &[
                "-1", "-5", "0.6", "0.7", "3", "9e9", "NaN", "inf", "", "two",
            ],
        ),
        cell("y", &["-2", "-7", "0", "1.3", "8", "nan", ""]),
        cell("ward", &["a", "b", "c", "d", ""]),
        cell("town", &["oslo", "rome", "kyiv", ""]),
    )
        .prop_map(|(person, x, y, ward, town)| {
            [person, x, y, ward, town]
                .into_iter()
                .filter(|(_, text)| !text.is_empty())
                .collect()
        })
}

/// The numbers of a group.
type Numbers = (Vec<KeyValue>, Vec<Rational>);
/// Which statistic, the group, and at each share the distance of each candidate.
type Distances = (usize, Vec<KeyValue>, Vec<Vec<Rational>>);

/// A plan with its price and query.
struct Setting {
    plan: Plan,
    prices: Prices,
    query: Query,
    slots: Vec<Slot>,
}

impl Setting {
    fn new(plan: Plan) -> Setting {
        let prices = price(&plan).unwrap();
        let (query, slots) = query(&plan, &prices).unwrap();
        Setting {
            plan,
            prices,
            query,
            slots,
        }
    }

    /// All numbers of each statistic, by group.
    fn vectors(&self, rows: &[Row]) -> Vec<Vec<Numbers>> {
        let answer = Memory::new(rows.to_vec()).answer(&self.query);
        self.prices
            .statistics
            .iter()
            .zip(&self.slots)
            .map(|(price, slot)| {
                let numbers = |exact: &Exact| match (&price.form, exact) {
                    (Form::Quantiles { .. }, _) => vec![],
                    (form, exact) => numbers(form, exact).unwrap(),
                };
                answer.tables[slot.table]
                    .iter()
                    .map(|group| (group.key.clone(), numbers(&group.values[slot.value])))
                    .collect()
            })
            .collect()
    }

    /// For each statistic of quantiles and each group, the distances of all candidates at each share.
    fn distances(&self, rows: &[Row]) -> Vec<Distances> {
        let answer = Memory::new(rows.to_vec()).answer(&self.query);
        let mut all = Vec::new();
        for (index, (price, slot)) in self.prices.statistics.iter().zip(&self.slots).enumerate() {
            let Form::Quantiles { x, at, .. } = &price.form else {
                continue;
            };
            for group in &answer.tables[slot.table] {
                let Exact::Offsets(offsets) = &group.values[slot.value] else {
                    panic!("offsets");
                };
                let of_share = |share: &Rational| {
                    let found = candidates(offsets, x.count, share).unwrap();
                    let scores = found.runs.iter().flat_map(|run| {
                        let score = Rational::from(run.score) / found.scale.clone();
                        vec![score; run.length as usize]
                    });
                    scores.collect()
                };
                all.push((index, group.key.clone(), at.iter().map(of_share).collect()));
            }
        }
        all
    }
}

/// Σ|change| and Σ change², a group that is not there being zero.
fn distance(a: &[Numbers], b: &[Numbers]) -> (Rational, Rational) {
    let mut all = std::collections::BTreeMap::new();
    for (sign, groups) in [(Rational::ONE, a), (-Rational::ONE, b)] {
        for (key, numbers) in groups {
            let sum = all
                .entry(key)
                .or_insert_with(|| vec![Rational::ZERO; numbers.len()]);
            for (sum, number) in sum.iter_mut().zip(numbers) {
                *sum = &*sum + &(&sign * number);
            }
        }
    }
    all.values()
        .flatten()
        .fold((Rational::ZERO, Rational::ZERO), |(l1, l2), change| {
            (&l1 + &change.abs(), &l2 + &(change * change))
        })
}

/// Two neighbours: all rows of a person go or are replaced under the same name, or one row is.
fn neighbour(
    rows: &[Row],
    other: &[Row],
    change_one: bool,
    by_person: bool,
    at: usize,
) -> Option<Vec<Row>> {
    let mut neighbour = rows.to_vec();
    if by_person {
        let person = rows[at].get("person")?.clone();
        neighbour.retain(|row| row.get("person") != Some(&person));
        if change_one {
            neighbour.extend(other.iter().cloned().map(|mut row| {
                row.insert("person", person.clone());
                row
            }));
        }
    } else if change_one {
        neighbour[at] = other[0].clone();
    } else {
        neighbour.remove(at);
    }
    Some(neighbour)
}

#[test]
fn no_neighbour_moves_what_is_published_by_more_than_the_sensitivity() {
    // 10,000 pairs of neighbours, each with every statistic; the generator has a fixed seed.
    let config = Config {
        cases: 2_500,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let tables = (
        prop::collection::vec(row(), 2..7),
        prop::collection::vec(row(), 1..4),
        any::<bool>(),
        0usize..6,
    );
    let settings = RefCell::new(BTreeMap::new());
    runner
        .run(&tables, |(rows, other, drop, at)| {
            for (change_one, by_person) in
                [(false, false), (true, false), (false, true), (true, true)]
            {
                let at = at % rows.len();
                let Some(neighbour) = neighbour(&rows, &other, change_one, by_person, at) else {
                    continue;
                };
                let mut settings = settings.borrow_mut();
                let setting = settings
                    .entry((change_one, by_person, drop, rows.len()))
                    .or_insert_with(|| Setting::new(plan(change_one, by_person, drop, rows.len())));
                let (a, b) = (setting.vectors(&rows), setting.vectors(&neighbour));
                for (index, price) in setting.prices.statistics.iter().enumerate() {
                    let (l1, l2) = distance(&a[index], &b[index]);
                    let name = &setting.plan.statistics[index].name;
                    let bound = &price.sensitivity;
                    prop_assert!(l1 <= bound.l1, "{name}: L1 {l1} above {}", bound.l1);
                    prop_assert!(
                        l2 <= bound.l2_squared,
                        "{name}: L2² {l2} above {}",
                        bound.l2_squared
                    );
                }
                check_ranks(setting, &rows, &neighbour)?;
            }
            Ok(())
        })
        .unwrap();
}

/// Over all groups, the largest move of a distance adds up to at most the sensitivity times the number of groups.
fn check_ranks(setting: &Setting, rows: &[Row], neighbour: &[Row]) -> Result<(), TestCaseError> {
    let (a, b) = (setting.distances(rows), setting.distances(neighbour));
    for (index, price) in setting.prices.statistics.iter().enumerate() {
        let Form::Quantiles { at, .. } = &price.form else {
            continue;
        };
        for (place, share) in at.iter().enumerate() {
            let mut moved = Rational::ZERO;
            let keys: BTreeSet<_> = a
                .iter()
                .chain(&b)
                .filter(|g| g.0 == index)
                .map(|g| &g.1)
                .collect();
            for key in keys {
                let of = |groups: &[Distances]| {
                    groups
                        .iter()
                        .find(|g| g.0 == index && g.1 == *key)
                        .map(|g| g.2[place].clone())
                };
                // A group that is not there has no rows, and all distances zero.
                let some = of(&a).or(of(&b)).unwrap_or_default();
                let zero = vec![Rational::ZERO; some.len()];
                let (a, b) = (of(&a).unwrap_or(zero.clone()), of(&b).unwrap_or(zero));
                let most = a
                    .iter()
                    .zip(&b)
                    .map(|(a, b)| (a - b).abs())
                    .max()
                    .unwrap_or(Rational::ZERO);
                moved = &moved + &most;
            }
            let bound = &price.form.rank_sensitivity(price.reach, share)
                * &Rational::from(price.reach.groups);
            let name = &setting.plan.statistics[index].name;
            prop_assert!(moved <= bound, "{name} at {share}: {moved} above {bound}");
        }
    }
    Ok(())
}

/// Bounds are met by some pair of neighbours, so that none of these is larger than it must be.
#[test]
fn a_person_reaches_the_sensitivity() {
    let person = |ward: &str| -> Row {
        [
            ("person", "ada"),
            ("town", "oslo"),
            ("ward", ward),
            ("y", "-2"),
            ("x", "-1"),
        ]
        .into_iter()
        .map(|(column, text)| (column, text.to_owned()))
        .collect()
    };
    let rows: Vec<Row> = ["a", "a", "b", "b", "c"]
        .iter()
        .map(|ward| person(ward))
        .collect();
    let setting = Setting::new(plan(false, true, true, 0));
    let (a, b) = (setting.vectors(&rows), setting.vectors(&[]));
    for name in [
        "count by ward",
        "sum by ward",
        "mean by ward",
        "variance by ward",
        "histogram by ward",
    ] {
        let index = setting
            .plan
            .statistics
            .iter()
            .position(|s| s.name == name)
            .unwrap();
        let (l1, l2) = distance(&a[index], &b[index]);
        let sensitivity = &setting.prices.statistics[index].sensitivity;
        assert_eq!(
            (&l1, &l2),
            (&sensitivity.l1, &sensitivity.l2_squared),
            "{name}"
        );
    }
}
