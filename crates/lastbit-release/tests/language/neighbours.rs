//! One unit moves the integers that reach the mechanisms by no more than is claimed, from bytes of
//! files on, whatever the plan makes of rows and cells; and a fault in that is found.

use std::collections::BTreeMap;
use std::fs;

use lastbit_exact::Rational;
use lastbit_release::account::{Prices, price};
use lastbit_release::engine::query::{Aggregated, Group, KeyValue, Query};
use lastbit_release::engine::{Options, answer};
use lastbit_release::plan::{Plan, Scope};
use lastbit_release::statistic::{Method, Slot, exact_numbers, query};
use lastbit_testing::Cases;
use tempfile::TempDir;

const COLUMNS: [&str; 7] = ["who", "x", "y", "code", "day", "ward", "town"];

type Row = [&'static str; 7];

fn row(cases: &mut Cases) -> Row {
    [
        cases.pick(&["ada", "bob", "cid", "7", "7.0", ""]),
        cases.pick(&[
            "-1", "-5", "0.6", "2", "3", "9e9", "NaN", "inf", "", "99", "99.0", "two",
        ]),
        cases.pick(&["-2", "-7", "0", "1", "8", "0.0", ""]),
        cases.pick(&["1", "1.0", "2", "?", "9", ""]),
        cases.pick(&[
            "2024-01-31",
            "2024-02-01T00:30:00Z",
            "2024-12-31",
            "1999-01-01",
            "soon",
            "",
        ]),
        cases.pick(&["a", "b", "c", "d", ""]),
        cases.pick(&["oslo", "rome", "kyiv", ""]),
    ]
}

/// Filters of the source and of statistics, derived columns, codes, labels, whole numbers, dates, a
/// look-up, and limits of statistics.
fn plan(directory: &TempDir, change_one: bool, by_person: bool, rows: usize) -> Plan {
    let neighbours = if change_one {
        "change-one"
    } else {
        "add-remove"
    };
    let unit = match (by_person, change_one) {
        (true, _) => "unit = \"who\"\nmost_rows = 2\nmost_groups = 2".to_owned(),
        (false, true) => format!("rows = {rows}"),
        (false, false) => String::new(),
    };
    let mut text = format!(
        r#"
[source]
files = "t.csv"
where = "y is not null and y <> 8"
[[source.lookup]]
file = "wards.csv"
key = "ward"
columns = ["part"]
[privacy]
neighbours = "{neighbours}"
{unit}
[budget]
epsilon = 1
delta = 1e-6
[columns.x]
edges = [-1, 0.7, 3]
grid = -2
missing_codes = [99]
[columns.n]
as = "y * 2 - 1"
integer = true
lower = -3
upper = 2
missing = 1
[columns.ratio]
as = "x / y"
lower = -2
upper = 2
grid = -3
[columns.code]
labels = {{ 1 = "one", 2 = "two", 9 = "other" }}
missing_codes = ["?"]
other = 9
[columns.day]
date = true
offset = "-01:00"
lower = 2024-01-01
upper = 2024-12-31
every = "quarter"
[columns.month]
as = "month(day)"
categories = "months"
[columns.part]
categories = ["n", "s"]
[columns.town]
discover = true
"#
    );
    let mut put = |name: &str, body: &str, limits: &str| {
        let limits = if by_person { limits } else { "" };
        text += &format!("[[statistics]]\nname = \"{name}\"\n{body}\n{limits}\n");
    };
    put(
        "count",
        "kind = \"count\"\nwhere = \"x > 0\"",
        "most_rows = 1",
    );
    put(
        "grouped",
        "kind = \"count\"\nby = [\"code\", \"day\"]",
        "most_rows = 3\nmost_groups = 1",
    );
    put(
        "sum",
        "kind = \"sum\"\nof = \"n\"\nwhere = \"ratio < 1 or month = 2\"",
        "most_rows = 3",
    );
    put(
        "sum by code",
        "kind = \"sum\"\nof = \"n\"\nby = \"code\"",
        "most_groups = 3",
    );
    put(
        "mean",
        "kind = \"mean\"\nof = \"x\"\nby = \"part\"\nwhere = \"n >= -2\"",
        "most_groups = 1",
    );
    put(
        "ratio",
        "kind = \"variance\"\nof = \"ratio\"\nby = \"month\"",
        "most_rows = 1\nmost_groups = 3",
    );
    put(
        "dates",
        "kind = \"mean\"\nof = \"day\"\nwhere = \"day > date '2024-02-01'\"",
        "most_rows = 4",
    );
    put("both", "kind = \"covariance\"\nof = [\"x\", \"n\"]", "");
    put(
        "parts",
        "kind = \"histogram\"\nof = \"part\"\nby = \"code\"",
        "most_rows = 1",
    );
    put(
        "towns",
        "kind = \"count\"\nby = \"town\"\nwhere = \"code = 1\"",
        "most_groups = 1",
    );
    put(
        "by town",
        "kind = \"mean\"\nof = \"x\"\nby = \"town\"\nwhere = \"code = 1\"",
        "most_groups = 1",
    );
    put(
        "median day",
        "kind = \"quantiles\"\nof = \"day\"\nby = \"part\"\nwhere = \"month(day) <> 2\"",
        "most_rows = 3\nmost_groups = 1",
    );
    fs::write(
        directory.path().join("wards.csv"),
        "ward,part\na,n\nb,s\nc,\n",
    )
    .unwrap();
    Plan::parse_in(&text, directory.path()).unwrap()
}

/// A plan with its price and query.
struct Setting {
    plan: Plan,
    prices: Prices,
    query: Query,
    slots: Vec<Slot>,
}

type Numbers = BTreeMap<Vec<KeyValue>, Vec<Rational>>;

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

    /// All numbers of each statistic, by group, through a written file.
    fn numbers(&self, directory: &TempDir, rows: &[Row], threads: usize) -> Vec<Numbers> {
        let mut text = COLUMNS.join(",") + "\n";
        rows.iter().for_each(|row| text += &(row.join(",") + "\n"));
        fs::write(directory.path().join("t.csv"), text).unwrap();
        let options = Options {
            threads,
            memory: 1 << 22,
        };
        let answer = answer(&self.query, &options).unwrap();
        let of = self.prices.statistics.iter().zip(&self.slots);
        of.map(|(price, slot)| {
            let groups = &answer.tables[slot.table];
            // Of quantiles, how many rows each offset has: their ranks count these.
            if let Method::Selection(_) = price.chain.kind().method() {
                return groups.iter().flat_map(|g| offsets(g, slot)).collect();
            }
            let numbers = exact_numbers(&price.chain, slot, &answer).unwrap();
            let keys = groups.iter().map(|group| group.key.to_vec());
            keys.zip(numbers).collect()
        })
        .collect()
    }

    /// What moves farther than its price says.
    fn too_far(&self, a: &[Numbers], b: &[Numbers]) -> Vec<String> {
        let mut found = Vec::new();
        for (index, price) in self.prices.statistics.iter().enumerate() {
            let mut moved: BTreeMap<(&[KeyValue], usize), Rational> = BTreeMap::new();
            for (sign, numbers) in [(Rational::ONE, &a[index]), (-Rational::ONE, &b[index])] {
                for (key, numbers) in numbers {
                    for (place, number) in numbers.iter().enumerate() {
                        let sum = moved.entry((key, place)).or_insert(Rational::ZERO);
                        *sum = &*sum + &(&sign * number);
                    }
                }
            }
            let (mut l1, mut l2) = (Rational::ZERO, Rational::ZERO);
            for change in moved.values() {
                l1 = &l1 + &change.abs();
                l2 = &l2 + &(change * change);
            }
            let bound = &price.norms;
            if l1 > bound.l1 || l2 > bound.l2_squared {
                found.push(self.plan.statistics[index].name.clone());
            }
        }
        found
    }
}

fn offsets(group: &Group, slot: &Slot) -> Vec<(Vec<KeyValue>, Vec<Rational>)> {
    let Aggregated::Offsets(offsets) = &group.values[slot.values[0]] else {
        panic!("offsets");
    };
    let one = |(offset, rows): &(u64, u64)| {
        let mut key = group.key.to_vec();
        key.push(KeyValue::Public(*offset as usize));
        (key, vec![Rational::from(*rows)])
    };
    offsets.iter().map(one).collect()
}

/// Rows in which a unit is other or not there; `None` if the row that was chosen has no unit.
fn neighbour(
    rows: &[Row],
    cases: &mut Cases,
    change_one: bool,
    by_person: bool,
) -> Option<Vec<Row>> {
    let at = cases.below(rows.len() as u64) as usize;
    let mut other = rows.to_vec();
    if !by_person {
        match change_one {
            true => other[at] = row(cases),
            false => drop(other.remove(at)),
        }
        return Some(other);
    }
    let who = rows[at][0];
    if who.is_empty() {
        return None;
    }
    // `7` and `7.0` are one person.
    let is_same = |name: &str| name == who || [name, who].iter().all(|name| name.starts_with('7'));
    other.retain(|row| !is_same(row[0]));
    if change_one {
        for _ in 0..cases.below(5) {
            let mut row = row(cases);
            row[0] = who;
            other.push(row);
        }
    }
    Some(other)
}

/// Names of statistics that moved too far in some pair of neighbours, after `fault` had its way
/// with the query and with each table.
fn search(
    pairs: u64,
    seed: u64,
    by_person: bool,
    plant: impl Fn(&mut Query),
    fault: impl Fn(&[Row]) -> Vec<Row>,
) -> Vec<String> {
    let directory = TempDir::new().unwrap();
    let mut cases = Cases(seed);
    let mut settings: BTreeMap<(bool, usize), Setting> = BTreeMap::new();
    let mut found = Vec::new();
    for pair in 0..pairs {
        let change_one = pair % 2 == 1;
        let count = 2 + cases.below(7) as usize;
        let rows: Vec<Row> = (0..count).map(|_| row(&mut cases)).collect();
        let Some(other) = neighbour(&rows, &mut cases, change_one, by_person) else {
            continue;
        };
        let setting = settings.entry((change_one, count)).or_insert_with(|| {
            let mut setting = Setting::new(plan(&directory, change_one, by_person, count));
            plant(&mut setting.query);
            setting
        });
        let threads = 1 + cases.below(2) as usize;
        let a = setting.numbers(&directory, &fault(&rows), threads);
        let b = setting.numbers(&directory, &fault(&other), threads);
        for name in setting.too_far(&a, &b) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

#[test]
fn no_neighbour_moves_a_number_farther_than_its_price_says() {
    for by_person in [false, true] {
        let found = search(1_500, 41, by_person, |_| {}, <[Row]>::to_vec);
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn a_filter_that_looks_at_other_rows_is_found() {
    // Rows count only if no row of the file has a smaller x.
    let looks_around = |rows: &[Row]| {
        let number = |row: &Row| row[1].parse::<f64>().unwrap_or(0.0);
        let least = rows.iter().map(number).fold(f64::INFINITY, f64::min);
        let rows = rows.iter().filter(|row| number(row) <= least);
        rows.copied().collect()
    };
    for by_person in [false, true] {
        let found = search(400, 42, by_person, |_| {}, looks_around);
        assert!(!found.is_empty());
    }
}

#[test]
fn limits_of_a_statistic_that_the_engine_forgets_are_found() {
    let forget = |query: &mut Query| {
        for table in &mut query.tables {
            table.scope = Scope {
                filter: table.scope.filter.clone(),
                most_rows: Some(4),
                ..Scope::default()
            };
        }
    };
    let found = search(400, 43, true, forget, <[Row]>::to_vec);
    assert!(found.contains(&"count".to_owned()), "{found:?}");
}

/// Rows that do not pass take part in the choice and count nothing: another answer, which is not
/// what the plan says, but as near.
#[test]
fn a_filter_after_the_limits_moves_no_more_than_one_before() {
    let directory = TempDir::new().unwrap();
    let text = "[source]\nfiles = \"t.csv\"\n\
        [privacy]\nneighbours = \"add-remove\"\nunit = \"who\"\nmost_rows = 1\n\
        [budget]\nepsilon = 1\n\
        [columns.passes]\nas = \"x > 0\"\ncategories = [true]\n\
        [[statistics]]\nname = \"before\"\nkind = \"count\"\nwhere = \"x > 0\"\n\
        [[statistics]]\nname = \"after\"\nkind = \"histogram\"\nof = \"passes\"";
    let setting = Setting::new(Plan::parse_in(text, directory.path()).unwrap());
    let mut cases = Cases(44);
    let mut different = 0;
    for _ in 0..400 {
        let rows: Vec<Row> = (0..6).map(|_| row(&mut cases)).collect();
        let Some(other) = neighbour(&rows, &mut cases, false, true) else {
            continue;
        };
        let a = setting.numbers(&directory, &rows, 1);
        let b = setting.numbers(&directory, &other, 1);
        assert!(setting.too_far(&a, &b).is_empty());
        different += usize::from(a[0] != a[1]);
    }
    assert!(different > 20, "{different}");
}

/// A filter is as if the file had been written without the rows that do not pass, and limits as if
/// the plan had them.
#[test]
fn a_statistic_with_a_scope_is_that_of_a_plan_of_its_own() {
    let directory = TempDir::new().unwrap();
    let mut cases = Cases(45);
    let text = |privacy: &str, source: &str, scope: &str| {
        format!(
            "[source]\nfiles = \"t.csv\"\n{source}\n[privacy]\nneighbours = \"add-remove\"\nunit \
             = \"who\"\n{privacy}\n[budget]\nepsilon = 1\n[columns.x]\nlower = -1\nupper = \
             3\ngrid = -2\n[columns.ward]\ncategories = [\"a\", \"b\", \
             \"c\"]\n[[statistics]]\nname = \"s\"\nkind = \"mean\"\nof = \"x\"\nby = \
             \"ward\"\n{scope}"
        )
    };
    let own = text(
        "most_rows = 7\nmost_groups = 3",
        "",
        "where = \"y < 1\"\nmost_rows = 1\nmost_groups = 2",
    );
    let whole = text("most_rows = 1\nmost_groups = 2", "where = \"y < 1\"", "");
    let settings =
        [own, whole].map(|text| Setting::new(Plan::parse_in(&text, directory.path()).unwrap()));
    let mut changed = 0;
    for _ in 0..200 {
        let rows: Vec<Row> = (0..12).map(|_| row(&mut cases)).collect();
        let [own, whole] = settings
            .each_ref()
            .map(|setting| setting.numbers(&directory, &rows, 1));
        assert_eq!(own, whole);
        let passed: Vec<Row> = rows
            .iter()
            .filter(|row| row[2].parse::<f64>().is_ok_and(|y| y < 1.0))
            .copied()
            .collect();
        assert_eq!(settings[0].numbers(&directory, &passed, 1), own);
        changed += usize::from(passed.len() < rows.len());
    }
    assert!(changed > 100);
    let [own, whole] = settings.map(|setting| setting.prices.statistics[0].norms.clone());
    assert_eq!(own.l1, whole.l1);
}
