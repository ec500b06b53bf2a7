//! No neighbour moves the numbers of a kind by more than the map of its chain, through written
//! files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use lastbit_exact::Rational;
use lastbit_release::account::{Prices, price};
use lastbit_release::engine::query::Answer;
use lastbit_release::engine::{Options, answer};
use lastbit_release::plan::Plan;
use lastbit_release::statistic::{Method, exact_numbers, query};
use lastbit_testing::Cases;

/// A cell of a table.
type Row = [&'static str; 6];

const COLUMNS: &str = "person,x,y,w,ward,town";

fn row(cases: &mut Cases) -> Row {
    [
        cases.pick(&["ada", "bob", "cid", ""]),
        cases.pick(&[
            "-1", "-5", "0.6", "0.7", "3", "9e9", "NaN", "inf", "", "two",
        ]),
        cases.pick(&["-2", "-7", "0", "1.3", "8", "nan", ""]),
        cases.pick(&["0", "0.5", "4", "1e9", "-3", ""]),
        cases.pick(&["a", "b", "c", "d", ""]),
        cases.pick(&["oslo", "rome", "kyiv", ""]),
    ]
}

const KINDS: &[(&str, &str)] = &[
    ("share", "of = \"ward\""),
    ("share", "of = \"x\""),
    ("share", "of = \"number(x) > number(y)\""),
    ("mean", "of = \"x\"\nweights = \"w\""),
    ("sum", "of = \"y\"\nweights = \"w\""),
    ("sum", "of = \"x\"\nweights = \"w\""),
    ("correlation", "of = [\"x\", \"y\"]"),
    ("regression", "of = \"y\"\non = [\"x\", \"w\"]"),
    ("top", "of = \"ward\"\nmost = 2"),
    ("bounds", "of = \"y\""),
    ("left-out", "of = \"x\""),
    ("left-out", "of = \"ward\""),
    ("left-out", "of = \"town\""),
    ("units", ""),
    ("left-out", "limits_by = [\"x\", \"ward\"]"),
    ("left-out", "limits_by = [\"town\"]"),
    ("left-out", "most_rows = 1\nmost_groups = 1"),
];

fn plan(privacy: &str, drop: bool, kinds: &[(&str, &str)]) -> String {
    let missing = |value: &str| match drop {
        true => "\"drop\"".to_owned(),
        false => value.to_owned(),
    };
    let mut text = format!(
        "[source]\nfiles = \"x.csv\"\n[privacy]\n{privacy}\n[budget]\nepsilon = 1\ndelta = 1e-6\n\
         [columns.x]\nedges = [-1, 0.7, 3]\nmissing = {}\ngrid = -2\n\
         [columns.y]\nlower = -2\nupper = 1.3\nmissing = {}\ngrid = -1\n\
         [columns.w]\nlower = 0\nupper = 4\nmissing = {}\ngrid = -1\n\
         [columns.ward]\ncategories = [\"a\", \"b\", \"c\"]\n[columns.town]\ndiscover = true\n",
        missing("1"),
        missing("-1.5"),
        missing("2"),
    );
    let by = [
        ("[]", "all"),
        ("[\"ward\"]", "ward"),
        ("[\"x\", \"ward\"]", "x and ward"),
        ("[\"town\"]", "town"),
    ];
    for (by, name) in by {
        if name == "town" {
            text += &format!("[[statistics]]\nname = \"count\"\nkind = \"count\"\nby = {by}\n");
        }
        for (place, (kind, of)) in kinds.iter().enumerate() {
            // A public number of rows is not counted.
            if *kind == "units" && by == "[]" && privacy.contains("\nrows = ") {
                continue;
            }
            let of_units = *kind == "left-out" && !of.starts_with("of");
            if of_units && (by != "[]" || !privacy.contains("unit")) {
                continue;
            }
            let by = if of_units {
                String::new()
            } else {
                format!("by = {by}")
            };
            // Losses keep every statistic apart, so that each has its own map.
            text += &format!(
                "[[statistics]]\nname = \"{place} {kind} by {name}\"\nkind = \
                 \"{kind}\"\n{of}\n{by}\nloss = 0.001\n"
            );
        }
    }
    text
}

/// A plan with its prices, over a file that is written anew for each table.
struct Setting {
    directory: tempfile::TempDir,
    plan: Plan,
    prices: Prices,
}

type Numbers = BTreeMap<String, Vec<Rational>>;

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

    fn answer(&self, rows: &[Row]) -> Answer {
        let mut csv = format!("{COLUMNS}\n");
        for row in rows {
            writeln!(csv, "{}", row.join(",")).unwrap();
        }
        fs::write(self.directory.path().join("x.csv"), csv).unwrap();
        let (query, _) = query(&self.plan, [7; 32]);
        answer(&query, &Options::default()).unwrap()
    }

    /// The numbers of each statistic, by group.
    fn numbers(&self, rows: &[Row]) -> Vec<Numbers> {
        let answer = self.answer(rows);
        let (_, slots) = query(&self.plan, [7; 32]);
        let prices = self.prices.statistics.iter().zip(&slots);
        prices
            .map(|(price, slot)| {
                let numbers = exact_numbers(&price.chain, slot, &answer).unwrap();
                let groups = answer.tables[slot.table].iter();
                let keys = groups.map(|group| format!("{:?}", group.key));
                keys.zip(numbers).collect()
            })
            .collect()
    }

    /// The first statistic whose numbers move by more than `factor` times its norms, with what it
    /// moved by.
    fn violation(&self, a: &[Row], b: &[Row], factor: &Rational) -> Option<String> {
        let (a, b) = (self.numbers(a), self.numbers(b));
        for (index, price) in self.prices.statistics.iter().enumerate() {
            if !matches!(price.chain.kind().method(), Method::Noise(_)) {
                continue;
            }
            let (l1, l2) = distance(&a[index], &b[index]);
            let norms = &price.norms;
            if l1 > &norms.l1 * factor || l2 > &norms.l2_squared * factor {
                let name = &self.plan.statistics[index].name;
                return Some(format!("{name}: L1 {l1}, L2² {l2}; claimed {norms}"));
            }
        }
        None
    }
}

/// Σ|change| and Σ change², a group that is not there being zero.
fn distance(a: &Numbers, b: &Numbers) -> (Rational, Rational) {
    let mut changes: BTreeMap<(&String, usize), Rational> = BTreeMap::new();
    for (sign, groups) in [(1i64, a), (-1, b)] {
        for (key, numbers) in groups {
            for (place, number) in numbers.iter().enumerate() {
                let sum = changes.entry((key, place)).or_insert(Rational::ZERO);
                *sum = &*sum + &(&Rational::from(sign) * number);
            }
        }
    }
    changes
        .values()
        .fold((Rational::ZERO, Rational::ZERO), |(l1, l2), change| {
            (&l1 + &change.abs(), &l2 + &(change * change))
        })
}

/// Two neighbours: all rows of a person go or are replaced, or one row is.
fn neighbour(cases: &mut Cases, rows: &[Row], change: bool, by_person: bool) -> Option<Vec<Row>> {
    let at = cases.below(rows.len() as u64) as usize;
    let other: Vec<Row> = (0..1 + cases.below(3)).map(|_| row(cases)).collect();
    let mut neighbour = rows.to_vec();
    match (by_person, change) {
        (true, _) => {
            let person = rows[at][0];
            if person.is_empty() {
                return None;
            }
            neighbour.retain(|row| row[0] != person);
            if change {
                neighbour.extend(other.iter().map(|row| {
                    let mut row = *row;
                    row[0] = person;
                    row
                }));
            }
        }
        (false, true) => neighbour[at] = other[0],
        (false, false) => {
            neighbour.remove(at);
        }
    }
    Some(neighbour)
}

fn settings(rows: usize, kinds: &[(&str, &str)]) -> Vec<(bool, bool, Setting)> {
    let mut all = Vec::new();
    for change in [false, true] {
        for by_person in [false, true] {
            let relation = if change { "change-one" } else { "add-remove" };
            let mut privacy = format!("neighbours = \"{relation}\"\n");
            match (change, by_person) {
                (_, true) => privacy += "unit = \"person\"\nmost_rows = 2\nmost_groups = 2\n",
                (true, false) => privacy += &format!("rows = {rows}\n"),
                (false, false) => {}
            }
            for drop in [false, true] {
                all.push((
                    change,
                    by_person,
                    Setting::new(&plan(&privacy, drop, kinds)),
                ));
            }
        }
    }
    all
}

#[test]
fn no_neighbour_moves_a_kind_by_more_than_its_map() {
    let mut cases = Cases(12);
    let rows = 6;
    let settings = settings(rows, KINDS);
    for _ in 0..150 {
        let table: Vec<Row> = (0..rows).map(|_| row(&mut cases)).collect();
        for (change, by_person, setting) in &settings {
            let Some(other) = neighbour(&mut cases, &table, *change, *by_person) else {
                continue;
            };
            let found = setting.violation(&table, &other, &Rational::ONE);
            assert_eq!(found, None, "{table:?}\n{other:?}");
        }
    }
}

#[test]
fn a_map_that_claims_too_little_is_caught() {
    // Some neighbour exceeds a third of what is claimed, for every kind.
    let third = Rational::new(1, 3);
    for kind in KINDS {
        let mut cases = Cases(5);
        let settings = settings(6, &[*kind]);
        let caught = (0..400).any(|_| {
            let table: Vec<Row> = (0..6).map(|_| row(&mut cases)).collect();
            settings.iter().any(|(change, by_person, setting)| {
                let other = neighbour(&mut cases, &table, *change, *by_person);
                let other = other.unwrap_or_else(|| table.clone());
                setting
                    .violation(&table, &other, &third)
                    .is_some_and(|words| words.contains(kind.0))
            })
        });
        assert!(caught, "{kind:?}");
    }
}
