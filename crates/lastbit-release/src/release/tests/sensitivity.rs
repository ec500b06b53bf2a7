//! No neighbour moves the numbers under the noise, or the ranks of a selection, by more than the
//! map of the chain says.
//!
//! The chains are those of a release: each has its scan, and [`numbers_chain`] and [`rows_by_key`]
//! are what follows it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lastbit::MetricSpace;
use lastbit::metrics::{Contribution, Norms};
use lastbit::tables::{Aim, Limits, RankSelection, UnitDistance, scan};
use lastbit_exact::Rational;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::memory::{Memory, Row};
use crate::account::{Price, Prices, price};
use crate::plan::{Neighbours, Plan, Statistic};
use crate::query::{Aggregated, Answer, GroupKey, Query};
use crate::schema::Unit;
use crate::statistic::{Method, Pick, Scan, Slot, TableScan, numbers_chain, query, rows_by_key};

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
        if by_person {
            text += &format!(
                "[[statistics]]\nname = \"left-out by {name}\"\nkind = \"left-out\"\n\
                 limits_by = {by}\n"
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

/// A plan with its price and query.
struct Setting {
    plan: Plan,
    prices: Prices,
    query: Query,
    slots: Vec<Slot>,
}

/// One statistic of a setting.
struct One<'a> {
    statistic: &'a Statistic,
    price: &'a Price,
    slot: Slot,
}

impl Setting {
    fn new(plan: Plan) -> Setting {
        let prices = price(&plan).unwrap();
        let (query, slots) = query(&plan, [3; 32]);
        Setting {
            plan,
            prices,
            query,
            slots,
        }
    }

    fn each(&self) -> impl Iterator<Item = One<'_>> {
        let places = self.plan.statistics.iter().zip(&self.prices.statistics);
        places
            .zip(&self.slots)
            .map(|((statistic, price), slot)| One {
                statistic,
                price,
                slot: slot.clone(),
            })
    }

    fn answer(&self, rows: &[Row]) -> Arc<Answer> {
        Arc::new(Memory::new(rows.to_vec()).answer(&self.query))
    }

    /// A table that scans to the answer about these rows.
    fn scan(&self, rows: &[Row]) -> Scan {
        let answer = self.answer(rows);
        Arc::new(move || Ok(Arc::clone(&answer)))
    }
}

impl One<'_> {
    /// All groups; if they are discovered, those of either answer.
    fn pick(&self, a: &Answer, b: &Answer) -> Pick {
        match self.price.chain.groups {
            Some(_) => Pick::All,
            None => {
                let keys = [a, b].map(|answer| &answer.tables[self.slot.table]);
                let keys = keys.into_iter().flatten().map(|group| group.key.clone());
                Pick::Only(Arc::new(keys.collect()))
            }
        }
    }

    /// The true distance of the numbers of two tables, and the bound of the chain's map for so many
    /// units.
    fn norms(&self, table: &TableScan, [a, b]: [&Scan; 2], units: u64) -> Option<(Norms, Norms)> {
        if let Method::Selection(_) = self.statistic.kind.method() {
            return None;
        }
        let pick = self.pick(&a().unwrap(), &b().unwrap());
        let numbers = numbers_chain(&self.price.chain, &self.slot, pick).unwrap();
        let chain = (table.clone() >> numbers).unwrap();
        let (one, other) = (chain.invoke(a).unwrap(), chain.invoke(b).unwrap());
        let metric = chain.output_metric();
        let found = chain.output_domain().distance(metric, &one, &other);
        Some((found.unwrap(), chain.map(&units).unwrap()))
    }

    /// The same for rows of keys under a threshold.
    fn keys(&self, table: &TableScan, [a, b]: [&Scan; 2], units: u64) -> Option<[Contribution; 2]> {
        self.price.threshold.as_ref()?;
        let chain = (table.clone() >> rows_by_key(&self.slot).unwrap()).unwrap();
        let (one, other) = (chain.invoke(a).unwrap(), chain.invoke(b).unwrap());
        let metric = chain.output_metric();
        let found = chain.output_domain().distance(metric, &one, &other);
        Some([found.unwrap(), chain.map(&units).unwrap()])
    }

    /// For each share and aim: the largest move of a rank distance in each group, summed over the
    /// groups, and the selection's bound for so many units.
    fn ranks(&self, a: &Answer, b: &Answer, units: u64) -> Vec<(Rational, Rational)> {
        let Method::Selection(selected) = self.statistic.kind.method() else {
            return vec![];
        };
        let mut all = Vec::new();
        let reach = self.price.chain.reach;
        let groups = reach.within(self.price.chain.groups).limits.groups();
        for (index, share) in selected.shares().iter().enumerate() {
            let margin = self.price.margins().get(index).copied();
            assert_eq!(margin.is_some(), selected.has_interval());
            let selection =
                selected.selection(share, self.price.chain.groups, &"1".parse().unwrap(), reach);
            let selection = selection.unwrap();
            let most = selection.sensitivity() * &Rational::from(groups * units);
            // A margin near the number of rows, and one beyond it.
            let ends = [Some(2), margin].into_iter().flatten();
            let ends = ends.flat_map(|rows| [Aim::Lower(rows), Aim::Upper(rows)]);
            for aim in ends.chain([Aim::Value]) {
                let keys: BTreeSet<&GroupKey> = [a, b]
                    .into_iter()
                    .flat_map(|answer| &answer.tables[self.slot.table])
                    .map(|group| &group.key)
                    .collect();
                let moved = keys.into_iter().fold(Rational::ZERO, |sum, key| {
                    let of = |answer| self.distances(&selection, answer, key, aim);
                    let changes = of(a).into_iter().zip(of(b)).map(|(a, b)| (a - b).abs());
                    &sum + &changes.max().unwrap_or(Rational::ZERO)
                });
                all.push((moved, most.clone()));
            }
        }
        all
    }

    /// The distance of the rank of every offset in a group. A group that is not there has no rows.
    fn distances(
        &self,
        selection: &RankSelection,
        answer: &Answer,
        key: &GroupKey,
        aim: Aim,
    ) -> Vec<Rational> {
        let mut groups = answer.tables[self.slot.table].iter();
        let group = groups.find(|group| group.key == *key);
        let offsets = match group.map(|group| &group.values[self.slot.values[0]]) {
            Some(Aggregated::Offsets(offsets)) => offsets.clone(),
            Some(_) => panic!("offsets"),
            None => vec![],
        };
        let found = selection.candidates(&offsets, aim);
        let scale = Rational::from(found.scale);
        let each = |run: &lastbit::mechanisms::exponential::Run<i64>| {
            vec![&Rational::from(run.score) / &scale; run.length as usize]
        };
        found.runs.iter().flat_map(each).collect()
    }
}

/// A neighbour: all rows of a person are removed or replaced under the same name, or one row is
/// removed or replaced.
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

/// The four neighbour relations: whether units change, and whether they are people.
const RELATIONS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

/// Whether a distance is at most another; false if they cannot be compared.
fn is_within<T: PartialOrd>(found: &T, most: &T) -> bool {
    found <= most
}

/// What exceeds its bound between two tables that differ in so many units, with the chains of the
/// release, or with another scan in place of theirs.
fn wrong(
    setting: &Setting,
    other: Option<&TableScan>,
    [a, b]: [Scan; 2],
    units: u64,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for one in setting.each() {
        let name = &one.statistic.name;
        let table = other.unwrap_or(&one.price.chain.table);
        if let Some((found, most)) = one.norms(table, [&a, &b], units)
            && !is_within(&found, &most)
        {
            wrong.push(format!("{name}: {found} above {most}"));
        }
        if let Some([found, most]) = one.keys(table, [&a, &b], units)
            && !is_within(&found, &most)
        {
            wrong.push(format!("{name}: {found:?} above {most:?}"));
        }
    }
    wrong
}

/// Tables, other rows, whether missing cells drop their rows, and where neighbours differ.
type Case = (Vec<Row>, Vec<Row>, bool, usize);

/// Runs a check on random pairs of tables that differ in one unit and in two; the generator has a
/// fixed seed.
fn on_neighbours(
    cases: u32,
    check: impl Fn(&Setting, [&[Row]; 2], u64) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases,
        // Seeded, so a case that fails repeats itself.
        failure_persistence: None,
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
    let run = |(rows, other, drop, at): Case| {
        for (change_one, by_person) in RELATIONS {
            let next = |rows: &[Row], at: usize| {
                let at = at.checked_rem(rows.len())?;
                neighbour(rows, &other, change_one, by_person, at)
            };
            let Some(one) = next(&rows, at) else {
                continue;
            };
            let mut settings = settings.borrow_mut();
            let setting = settings
                .entry((change_one, by_person, drop, rows.len()))
                .or_insert_with(|| Setting::new(plan(change_one, by_person, drop, rows.len())));
            check(setting, [&rows, &one], 1)?;
            if let Some(two) = next(&one, at + 1) {
                check(setting, [&rows, &two], 2)?;
            }
        }
        Ok(())
    };
    runner.run(&tables, run).unwrap();
}

#[test]
fn no_neighbour_moves_what_is_published_by_more_than_the_map_of_its_chain() {
    // About 10,000 pairs of neighbours, and as many that differ in two units, each with every
    // statistic.
    on_neighbours(2_500, |setting, tables, units| {
        let wrong = wrong(setting, None, tables.map(|rows| setting.scan(rows)), units);
        prop_assert!(wrong.is_empty(), "{wrong:?}");
        let [a, b] = tables.map(|rows| setting.answer(rows));
        for one in setting.each() {
            for (moved, most) in one.ranks(&a, &b, units) {
                let name = &one.statistic.name;
                prop_assert!(moved <= most, "{name}: {moved} above {most}");
            }
        }
        Ok(())
    });
}

/// The same check finds a scan that claims too little: half of the rows, half of the groups, or
/// units that only come and go.
#[test]
fn a_scan_that_claims_too_little_is_caught() {
    let planted = |metric, rows, groups| {
        let limits = Limits::new(rows, groups).unwrap();
        scan(metric, limits, |scan: &Scan| scan()).unwrap()
    };
    // The kinds whose numbers random tables move as far as their maps allow. Under changes, a sum
    // reaches its bound only for a person who moves from one bound to the other and to other
    // groups.
    let all = [
        "count",
        "histogram",
        "mean",
        "variance",
        "covariance",
        "sum",
    ];
    let but_sums = &all[..5];
    // What is told of a unit does not depend on its limits, so that only the metric matters.
    let changed = [but_sums, &["left-out"]].concat();
    for (what, change_one, false_table, kinds) in [
        ("rows", false, planted(UnitDistance::Added, 1, 2), &all[..]),
        ("groups", false, planted(UnitDistance::Added, 2, 1), &all),
        ("rows", true, planted(UnitDistance::Changed, 1, 2), but_sums),
        (
            "groups",
            true,
            planted(UnitDistance::Changed, 2, 1),
            but_sums,
        ),
        ("metric", true, planted(UnitDistance::Added, 2, 2), &changed),
    ] {
        let found = RefCell::new(BTreeSet::new());
        on_neighbours(300, |setting, tables, units| {
            let is_change = setting.plan.neighbours != Neighbours::AddRemove;
            if setting.plan.unit != Unit::Row && is_change == change_one {
                let scans = tables.map(|rows| setting.scan(rows));
                let wrong = wrong(setting, Some(&false_table), scans, units);
                let kind = |text: &String| text.split(' ').next().unwrap().to_owned();
                found.borrow_mut().extend(wrong.iter().map(kind));
            }
            Ok(())
        });
        let found = found.into_inner();
        for kind in kinds {
            assert!(found.contains(*kind), "{what} {change_one}: only {found:?}");
        }
    }
}

/// The same check finds units of which something is told twice, and no other statistic.
#[test]
fn a_unit_that_is_told_of_twice_is_caught() {
    let twice = |scan: Scan| -> Scan {
        let mut answer = (*scan().unwrap()).clone();
        let groups = answer.tables.iter_mut().flatten();
        for value in groups.flat_map(|group| &mut group.values) {
            if let Aggregated::Kept {
                units,
                cut,
                left_out,
            } = value
            {
                (*units, *cut) = (*units * 2, *cut * 2);
                *left_out = left_out.clone() + left_out.clone();
            }
        }
        let answer = Arc::new(answer);
        Arc::new(move || Ok(Arc::clone(&answer)))
    };
    for change_one in [false, true] {
        let found = RefCell::new(BTreeSet::new());
        on_neighbours(100, |setting, tables, units| {
            let is_change = setting.plan.neighbours != Neighbours::AddRemove;
            if setting.plan.unit != Unit::Row && is_change == change_one {
                let scans = tables.map(|rows| twice(setting.scan(rows)));
                let wrong = wrong(setting, None, scans, units);
                let name = |text: &String| text.split(':').next().unwrap().to_owned();
                found.borrow_mut().extend(wrong.iter().map(name));
            }
            Ok(())
        });
        let all = ["all", "town", "ward", "x and ward"].map(|by| format!("left-out by {by}"));
        assert!(found.into_inner().into_iter().eq(all), "{change_one}");
    }
}

/// Some pair of neighbours reaches each of these bounds, so none is larger than it must be.
#[test]
fn a_person_reaches_the_map_of_the_chain() {
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
    for (name, rows) in [
        ("count by ward", &rows[..]),
        ("sum by ward", &rows),
        ("mean by ward", &rows),
        ("variance by ward", &rows),
        ("histogram by ward", &rows),
        // Nothing is left out, so that all of the unit is one of three numbers.
        ("left-out by ward", &rows[..1]),
    ] {
        let one = setting.each().find(|one| one.statistic.name == name);
        let one = one.unwrap();
        let (a, b) = (setting.scan(rows), setting.scan(&[]));
        let table = &one.price.chain.table;
        let (found, most) = one.norms(table, [&a, &b], 1).unwrap();
        assert_eq!(found, most, "{name}");
        // The noise was calibrated to it.
        assert_eq!(most, one.price.norms, "{name}");
    }
}
