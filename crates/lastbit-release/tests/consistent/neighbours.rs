//! Through written files: what is tied truly adds up, and no neighbour moves it by more than is
//! claimed.

use std::fmt::Write as _;
use std::fs;

use lastbit_exact::Rational;
use lastbit_release::account::{Prices, price};
use lastbit_release::consistent::Family;
use lastbit_release::engine::{Options, answer};
use lastbit_release::plan::Plan;
use lastbit_release::statistic::{exact_numbers, query};
use lastbit_testing::Cases;

type Row = [&'static str; 5];

fn row(cases: &mut Cases) -> Row {
    [
        cases.pick(&["ada", "bob", "cid", "dan", ""]),
        cases.pick(&["a", "b", "c", "d", ""]),
        cases.pick(&["f", "m", "x", ""]),
        cases.pick(&["-5", "10", "40", "79", "1e9", "NaN", "", "old"]),
        cases.pick(&["-99", "3.25", "7", "1e9", "", "NaN"]),
    ]
}

/// A plan; `other` is what columns count as that are not listed.
fn plan(change: bool, by_person: bool, groups: u64, other: bool) -> String {
    let relation = if change { "change-one" } else { "add-remove" };
    let mut text = format!(
        "consistent = true\n[source]\nfiles = \"x.csv\"\n[privacy]\nneighbours = \"{relation}\"\n"
    );
    match (change, by_person) {
        (_, true) => {
            text += &format!("unit = \"person\"\nmost_rows = 2\nmost_groups = {groups}\n");
        }
        (true, false) => text += "rows = 9\n",
        (false, false) => {}
    }
    let [ward, sex, age] = match other {
        true => ["other = \"c\"", "other = \"m\"", "missing = 50"],
        false => ["", "", ""],
    };
    text += &format!(
        "[budget]\nepsilon = 1\ndelta = 1e-6\n\
         [columns.ward]\ncategories = [\"a\", \"b\", \"c\"]\n{ward}\n\
         [columns.sex]\ncategories = [\"f\", \"m\"]\n{sex}\n\
         [columns.age]\nedges = [0, 40, 80]\n{age}\n\
         [columns.pay]\nlower = -2\nupper = 8\ngrid = -2\n"
    );
    let mut statistic = |kind: &str, more: &str, by: &str| {
        let words = format!("{kind} {more} by {by}").replace('"', "'");
        text += &format!(
            "[[statistics]]\nname = \"{words}\"\nkind = \"{kind}\"\n{more}\nby = {by}\nloss = \
             0.01\n"
        );
    };
    for (kind, more) in [("count", ""), ("units", ""), ("sum", "of = \"pay\"")] {
        let counts_rows = kind != "sum";
        for by in [
            "[\"sex\", \"ward\", \"age\"]",
            "[\"ward\", \"sex\"]",
            "[\"age\"]",
            "[]",
        ] {
            if !(by == "[]" && counts_rows && change && !by_person) {
                statistic(kind, more, by);
            }
        }
    }
    if !by_person {
        statistic("histogram", "of = \"age\"", "[\"ward\"]");
        statistic("histogram", "of = \"sex\"", "[]");
    }
    text
}

struct Setting {
    directory: tempfile::TempDir,
    plan: Plan,
    prices: Prices,
}

impl Setting {
    fn new(text: &str) -> Setting {
        let directory = tempfile::tempdir().unwrap();
        let plan = Plan::parse_in(text, directory.path()).unwrap();
        let prices = price(&plan).unwrap();
        Setting {
            directory,
            plan,
            prices,
        }
    }

    /// The exact numbers of each statistic.
    fn numbers(&self, rows: &[Row]) -> Vec<Vec<Rational>> {
        let mut csv = "person,ward,sex,age,pay\n".to_owned();
        for row in rows {
            writeln!(csv, "{}", row.join(",")).unwrap();
        }
        fs::write(self.directory.path().join("x.csv"), csv).unwrap();
        let (query, slots) = query(&self.plan, [7; 32]);
        let answer = answer(&query, &Options::default()).unwrap();
        let prices = self.prices.statistics.iter().zip(&slots);
        prices
            .map(|(price, slot)| exact_numbers(&price.chain, slot, &answer).unwrap().concat())
            .collect()
    }

    /// A family whose exact numbers do not add up.
    fn broken(&self, rows: &[Row]) -> Option<String> {
        let numbers = self.numbers(rows);
        self.plan.families.iter().find_map(|family| {
            let first = family.members[0].statistic;
            let tied = self.prices.statistics[first].tied.as_ref().unwrap();
            let of_members = family.members.iter().map(|m| numbers[m.statistic].clone());
            let exact: Vec<Vec<Rational>> = of_members.collect();
            let made = tied.projection.apply(&exact);
            (made != exact).then(|| self.plan.statistics[first].name.clone())
        })
    }

    /// A statistic whose numbers move by more than `factor` times its norms.
    fn violation(&self, a: &[Row], b: &[Row], factor: &Rational) -> Option<String> {
        let (a, b) = (self.numbers(a), self.numbers(b));
        let statistics = self.prices.statistics.iter().enumerate();
        statistics
            .filter(|(_, price)| price.tied.is_some())
            .find_map(|(index, price)| {
                let changes = a[index].iter().zip(&b[index]).map(|(x, y)| x - y);
                let (l1, l2) = changes
                    .fold((Rational::ZERO, Rational::ZERO), |(l1, l2), change| {
                        (&l1 + &change.abs(), &l2 + &(&change * &change))
                    });
                let norms = &price.norms;
                (l1 > &norms.l1 * factor || l2 > &norms.l2_squared * factor)
                    .then(|| self.plan.statistics[index].name.clone())
            })
    }
}

fn neighbour(cases: &mut Cases, rows: &[Row], change: bool, by_person: bool) -> Vec<Row> {
    let at = cases.below(rows.len() as u64) as usize;
    let mut neighbour = rows.to_vec();
    match (by_person, change) {
        (true, _) => {
            let person = rows[at][0];
            neighbour.retain(|row| row[0] != person || person.is_empty());
            if change && !person.is_empty() {
                for _ in 0..1 + cases.below(5) {
                    let [_, rest @ ..] = row(cases);
                    neighbour.push([person, rest[0], rest[1], rest[2], rest[3]]);
                }
            }
        }
        (false, true) => neighbour[at] = row(cases),
        (false, false) => {
            neighbour.remove(at);
        }
    }
    neighbour
}

fn settings() -> Vec<(bool, bool, Setting)> {
    let mut all = Vec::new();
    for change in [false, true] {
        for (by_person, groups) in [(false, 1), (true, 1), (true, 3)] {
            let setting = Setting::new(&plan(change, by_person, groups, true));
            assert!(!setting.plan.families.is_empty());
            all.push((change, by_person, setting));
        }
    }
    all
}

fn table(cases: &mut Cases) -> Vec<Row> {
    (0..9).map(|_| row(cases)).collect()
}

#[test]
fn tied_statistics_add_up_on_every_table() {
    let mut cases = Cases(21);
    let settings = settings();
    for _ in 0..60 {
        let rows = table(&mut cases);
        for (_, _, setting) in &settings {
            assert_eq!(setting.broken(&rows), None, "{rows:?}");
        }
    }
}

#[test]
fn no_neighbour_moves_a_tied_statistic_by_more_than_its_map() {
    let mut cases = Cases(22);
    let settings = settings();
    for _ in 0..60 {
        let rows = table(&mut cases);
        for (change, by_person, setting) in &settings {
            let other = neighbour(&mut cases, &rows, *change, *by_person);
            let found = setting.violation(&rows, &other, &Rational::ONE);
            assert_eq!(found, None, "{rows:?}\n{other:?}");
        }
    }
}

#[test]
fn a_map_of_margins_that_claims_half_is_caught() {
    let mut cases = Cases(23);
    let half = Rational::new(1, 2);
    for (change, by_person, setting) in settings() {
        let caught = (0..200).any(|_| {
            let rows = table(&mut cases);
            let other = neighbour(&mut cases, &rows, change, by_person);
            setting.violation(&rows, &other, &half).is_some()
        });
        assert!(caught, "{change} {by_person}");
    }
}

/// Tables that are tied although rows are missing from some of them.
#[test]
fn rows_that_are_not_in_all_groups_are_caught() {
    let tied = Setting::new(&plan(false, false, 1, true));
    let apart = plan(false, false, 1, false).replace("consistent = true\n", "");
    let mut planted = Setting::new(&apart);
    planted.plan.families = tied.plan.families.clone();
    planted.prices = price(&planted.plan).unwrap();
    let mut cases = Cases(24);
    assert!((0..20).any(|_| planted.broken(&table(&mut cases)).is_some()));
}

/// Margins for which the limits chose rows of their own.
#[test]
fn margins_with_limits_of_their_own_are_caught() {
    let mut planted = Setting::new(&plan(false, true, 3, true));
    for family in &mut planted.plan.families {
        *family = Family {
            finest: None,
            ..family.clone()
        };
    }
    planted.prices = price(&planted.plan).unwrap();
    let mut cases = Cases(25);
    assert!((0..20).any(|_| planted.broken(&table(&mut cases)).is_some()));
}
