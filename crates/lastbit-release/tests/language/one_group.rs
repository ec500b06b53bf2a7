//! A unit is in one group of keys that have one value for each unit: the price knows it, engines
//! enforce it, and it leaves out nothing.

use std::fs;

use lastbit_exact::Rational;
use lastbit_release::account::{Prices, price};
use lastbit_release::engine::query::{Answer, Query};
use lastbit_release::engine::{Options, answer};
use lastbit_release::plan::Plan;
use lastbit_release::present::about;
use lastbit_release::statistic::{exact_numbers, query};
use lastbit_testing::Cases;

const JOIN: &str = "[[source.join]]\nfiles = \"people.csv\"\ncolumns = [\"age\", \"sex\"]\n";

/// Visits, whose patients have an age and a sex in another table, and whose sex has a colour in a
/// public one.
fn plan(join: &str, relation: &str, most_groups: u64) -> String {
    let mut text = format!(
        "[source]\nfiles = \"visits.csv\"\n{join}[privacy]\nneighbours = \"{relation}\"\n\
         unit = \"patient\"\nmost_rows = 2\nmost_groups = {most_groups}\n\
         [budget]\nepsilon = 1\ndelta = 1e-6\n\
         [columns.age]\nedges = [0, 30, 65, 100]\nmissing_codes = [999]\n\
         [columns.cost]\nlower = 0\nupper = 50\ngrid = -1\n\
         [columns.sex]\ncategories = [\"f\", \"m\", \"?\"]\nother = \"?\"\n\
         [columns.ward]\ncategories = [\"a\", \"b\", \"c\", \"d\"]\n\
         [columns.word]\nas = \"concat(sex, text(age))\"\ndiscover = true\n\
         [columns.old]\nas = \"case when number(age) >= 65 then 'old' else 'young' end\"\n\
         categories = [\"old\", \"young\"]\n\
         [columns.both]\nas = \"concat(sex, ward)\"\ncategories = [\"fa\", \"mb\"]\n"
    );
    for (name, kind, of, by) in STATISTICS {
        let of = match of.is_empty() {
            true => String::new(),
            false => format!("of = \"{of}\"\n"),
        };
        text += &format!(
            "[[statistics]]\nname = \"{name}\"\nkind = \"{kind}\"\n{of}by = {by}\nloss = 0.01\n"
        );
    }
    text
}

const STATISTICS: &[(&str, &str, &str, &str)] = &[
    ("sex", "count", "", "[\"sex\"]"),
    ("age", "count", "", "[\"age\"]"),
    ("cost", "sum", "cost", "[\"old\", \"sex\"]"),
    ("mean", "mean", "cost", "[\"sex\", \"age\"]"),
    ("ages", "quantiles", "age", "[\"sex\"]"),
    ("people", "units", "", "[\"sex\"]"),
    ("words", "count", "", "[\"word\"]"),
    ("sex and ward", "count", "", "[\"sex\", \"ward\"]"),
    ("ward", "count", "", "[\"ward\"]"),
    ("both", "count", "", "[\"both\"]"),
];

/// In how many groups a unit is at most.
fn groups(text: &str) -> Vec<u64> {
    let plan = Plan::parse(text).unwrap();
    let each = plan.statistics.iter().map(|one| {
        let (_, most) = plan.limits(one).unwrap();
        plan.public_groups(one).map_or(most, |all| all.min(most))
    });
    each.collect()
}

#[test]
fn keys_of_the_unit_make_one_group() {
    for relation in ["add-remove", "change-one"] {
        // A column of a visit, or computed from one, has as many groups as the plan allows.
        let joined = groups(&plan(JOIN, relation, 9));
        assert_eq!(joined, [1, 1, 1, 1, 1, 1, 1, 4, 4, 2], "{relation}");
        let few = groups(&plan(JOIN, relation, 3));
        assert_eq!(few, [1, 1, 1, 1, 1, 1, 1, 3, 3, 2]);
        // The same columns in the table of visits have any number of values for a patient.
        let own = groups(&plan("", relation, 9));
        assert_eq!(own, [3, 3, 6, 9, 3, 3, 9, 9, 4, 2]);
    }
}

/// The whole price is that of `most_groups = 1`, to the last digit, and every report says why.
#[test]
fn the_price_is_that_of_one_group() {
    let of = |most_groups| {
        let text = plan(JOIN, "add-remove", most_groups);
        let until = text
            .find("[[statistics]]\nname = \"sex and ward\"")
            .unwrap();
        let plan = Plan::parse(&text[..until]).unwrap();
        let prices = price(&plan).unwrap();
        let each = prices.statistics.iter();
        let each: Vec<String> = each
            .map(|one| format!("{:?} {:?} {:?}", one.mechanism, one.threshold, one.error))
            .collect();
        (each, plan)
    };
    let ((one, _), (nine, plan)) = (of(1), of(9));
    assert_eq!(one, nine);
    let prices = price(&plan).unwrap();
    let about = about(&plan, &plan.statistics[2], &prices.statistics[2]);
    let expected = "at most 2 rows of each `patient`, which has one `old` and one `sex`, except";
    assert!(about[0].starts_with(expected), "{about:?}");
}

/// A public table may be looked up by the unit, or by what is joined by it.
#[test]
fn what_is_looked_up_by_the_unit_is_of_the_unit() {
    let directory = tempfile::tempdir().unwrap();
    let table = |key: &str| format!("{key},region\n1,north\n2,south\n");
    fs::write(directory.path().join("schools.csv"), table("school")).unwrap();
    fs::write(directory.path().join("towns.csv"), table("town")).unwrap();
    let most_groups = |lookup: &str, key: &str| {
        let text = format!(
            "[source]\nfiles = \"pupils.csv\"\n{lookup}[privacy]\nneighbours = \"add-remove\"\n\
             unit = \"school\"\nmost_rows = 9\nmost_groups = 2\n[budget]\nepsilon = 1\n\
             {key}[columns.region]\ncategories = [\"north\", \"south\"]\n\
             [[statistics]]\nname = \"pupils\"\nkind = \"count\"\nby = \"region\"\n"
        );
        let plan = Plan::parse_in(&text, directory.path()).unwrap();
        plan.limits(&plan.statistics[0]).unwrap().1
    };
    let by = |key: &str| {
        format!(
            "[[source.lookup]]\nfile = \"{key}s.csv\"\nkey = \"{key}\"\ncolumns = [\"region\"]\n"
        )
    };
    assert_eq!(most_groups(&by("school"), ""), 1);
    // A pupil's town is not the school's.
    assert_eq!(most_groups(&by("town"), ""), 2);
    let join = "[[source.join]]\nfiles = \"places.csv\"\ncolumns = [\"town\"]\n";
    assert_eq!(most_groups(&format!("{join}{}", by("town")), ""), 1);
    // A computed unit hides the column that the table is looked up by.
    let computed = "[columns.school]\nas = \"lower(name)\"\ndiscover = true\n";
    assert_eq!(most_groups(&by("school"), computed), 2);
}

type Tables = (Vec<[&'static str; 3]>, Vec<[&'static str; 3]>);

fn visit(cases: &mut Cases) -> [&'static str; 3] {
    [
        cases.pick(&["ada", "bob", "7", "7.0", ""]),
        cases.pick(&["3", "49.5", "1e9", "-1", ""]),
        cases.pick(&["a", "b", "c", "d", "e", ""]),
    ]
}

fn person(cases: &mut Cases) -> [&'static str; 3] {
    [
        cases.pick(&["ada", "bob", "7", "+7", "cid", ""]),
        cases.pick(&["0", "64", "80", "1e9", "999", "NaN", ""]),
        cases.pick(&["f", "m", "x", ""]),
    ]
}

/// All rows of one unit in both tables go, or are replaced.
fn neighbour(cases: &mut Cases, (visits, people): &Tables, change: bool) -> Tables {
    let unit = cases.pick(&["ada", "bob", "7"]);
    let is_unit = |cell: &str| cell == unit || unit == "7" && cell.trim_matches('+') == "7";
    let is_unit = |cell: &str| is_unit(cell.trim_end_matches(".0"));
    let mut other: Tables = (visits.clone(), people.clone());
    other.0.retain(|row| !is_unit(row[0]));
    other.1.retain(|row| !is_unit(row[0]));
    if change {
        for _ in 0..cases.below(5) {
            let [_, cost, ward] = visit(cases);
            other.0.push([unit, cost, ward]);
        }
        for _ in 0..cases.below(3) {
            let [_, age, sex] = person(cases);
            other.1.push([unit, age, sex]);
        }
    }
    other
}

fn csv<const N: usize>(header: &str, rows: impl IntoIterator<Item = [&'static str; N]>) -> String {
    let rows = rows.into_iter();
    rows.fold(format!("{header}\n"), |text, row| {
        text + &row.join(",") + "\n"
    })
}

/// What is asked about written files.
struct Asked {
    directory: tempfile::TempDir,
    plan: Plan,
    prices: Prices,
    query: Query,
    /// Whether the visits of a patient take turns in the rows of that patient: two values for a
    /// unit.
    is_faulty: bool,
}

impl Asked {
    fn new(relation: &str, is_faulty: bool) -> Asked {
        let directory = tempfile::tempdir().unwrap();
        let text = plan(JOIN, relation, 9);
        let plan = Plan::parse_in(&text, directory.path()).unwrap();
        let (mut query, _) = query(&plan, [3; 32]);
        if is_faulty {
            // The columns are in the table of visits.
            query.derive.joins.clear();
        }
        Asked {
            directory,
            prices: price(&plan).unwrap(),
            plan,
            query,
            is_faulty,
        }
    }

    fn answer(&self, (visits, people): &Tables) -> Answer {
        let directory = self.directory.path();
        let each = visits.iter().copied();
        let text = match self.is_faulty {
            false => csv("patient,cost,ward", each),
            true => {
                let rows = each.enumerate().map(|(place, [patient, cost, ward])| {
                    let own: Vec<_> = people.iter().filter(|row| row[0] == patient).collect();
                    let before = visits[..place].iter().filter(|row| row[0] == patient);
                    let one = own.get(before.count().checked_rem(own.len()).unwrap_or(0));
                    let [_, age, sex] = one.map_or([""; 3], |row| **row);
                    [patient, cost, ward, age, sex]
                });
                csv("patient,cost,ward,age,sex", rows)
            }
        };
        fs::write(directory.join("visits.csv"), text).unwrap();
        let people = csv("patient,age,sex", people.iter().copied());
        fs::write(directory.join("people.csv"), people).unwrap();
        answer(&self.query, &Options::default()).unwrap()
    }

    /// The names of statistics whose public groups move by more than their maps say.
    fn moved(&self, a: &Answer, b: &Answer) -> Vec<String> {
        let (_, slots) = query(&self.plan, [3; 32]);
        let prices = &self.prices.statistics;
        let mut wrong = Vec::new();
        for ((price, slot), one) in prices.iter().zip(&slots).zip(&self.plan.statistics) {
            if price.chain.groups.is_none() {
                continue;
            }
            let numbers = |answer| exact_numbers(&price.chain, slot, answer).unwrap().concat();
            let changes = numbers(a).into_iter().zip(numbers(b)).map(|(x, y)| &x - &y);
            let (mut l1, mut l2) = (Rational::ZERO, Rational::ZERO);
            for change in changes {
                l1 = &l1 + &change.abs();
                l2 = &l2 + &(&change * &change);
            }
            if l1 > price.norms.l1 || l2 > price.norms.l2_squared {
                wrong.push(one.name.clone());
            }
        }
        wrong
    }
}

/// Runs a check on random pairs of tables that differ in one unit.
fn on_neighbours(seed: u64, change: bool, mut check: impl FnMut(&Tables, &Tables)) {
    let mut cases = Cases(seed);
    for _ in 0..60 {
        let visits = (0..9).map(|_| visit(&mut cases)).collect();
        let people = (0..6).map(|_| person(&mut cases)).collect();
        let tables = (visits, people);
        check(&tables, &neighbour(&mut cases, &tables, change));
    }
}

/// Nothing moves by more than the maps say, and nothing is left out for it: without any limit of
/// groups the answers are the same where all keys are of the unit.
#[test]
fn no_neighbour_moves_more_than_one_group() {
    for (relation, change) in [("add-remove", false), ("change-one", true)] {
        let asked = Asked::new(relation, false);
        let mut free = Asked::new(relation, false);
        for table in &mut free.query.tables {
            table.scope.most_groups = Some(1000);
        }
        on_neighbours(41, change, |tables, other| {
            let (a, b) = (asked.answer(tables), asked.answer(other));
            let wrong = asked.moved(&a, &b);
            assert!(wrong.is_empty(), "{wrong:?}: {tables:?}\n{other:?}");
            let without = free.answer(tables);
            for (place, table) in a.tables.iter().enumerate() {
                let is_of_unit = asked.query.tables[place].scope.most_groups == Some(1);
                if is_of_unit {
                    assert_eq!(*table, without.tables[place], "{tables:?}");
                }
            }
        });
    }
}

/// A join that gives a unit two values moves no more than the maps say either, because engines keep
/// one group of a unit. Without that limit the fault shows.
#[test]
fn a_unit_with_two_values_is_kept_to_one_group() {
    for (relation, change) in [("add-remove", false), ("change-one", true)] {
        let faulty = Asked::new(relation, true);
        let mut free = Asked::new(relation, true);
        for table in &mut free.query.tables {
            table.scope.most_groups = Some(9);
        }
        let mut caught = Vec::new();
        on_neighbours(42, change, |tables, other| {
            let wrong = faulty.moved(&faulty.answer(tables), &faulty.answer(other));
            assert!(wrong.is_empty(), "{wrong:?}: {tables:?}\n{other:?}");
            caught.extend(free.moved(&free.answer(tables), &free.answer(other)));
        });
        // Under changes few random tables reach a bound.
        let kinds: &[&str] = match change {
            false => &["sex", "age", "cost", "mean", "people"],
            true => &["sex", "people"],
        };
        for name in kinds {
            assert!(
                caught.iter().any(|other| other == name),
                "{relation}: {name}"
            );
        }
    }
}
