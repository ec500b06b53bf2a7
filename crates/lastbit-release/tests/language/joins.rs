//! Private tables joined by the unit's key: what rows get, what is refused, and what neighbours
//! move.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use lastbit_exact::Rational;
use lastbit_release::account::price;
use lastbit_release::engine::query::Aggregated;
use lastbit_release::engine::{Options, TableEngine, answer};
use lastbit_release::plan::Plan;
use lastbit_release::release::{Released, release};
use lastbit_release::statistic::{exact_numbers, query};
use lastbit_testing::Cases;

const JOIN: &str = "[[source.join]]\nfiles = \"people.csv\"\ncolumns = [\"age\", \"sex\"]\n";

/// A plan about visits, whose patients have an age and a sex in another table.
fn plan(join: &str, change: bool) -> String {
    let relation = if change { "change-one" } else { "add-remove" };
    format!(
        "[source]\nfiles = \"visits.csv\"\nwhere = \"cost > 0\"\n{join}[privacy]\n\
         neighbours = \"{relation}\"\nunit = \"patient\"\nmost_rows = 2\nmost_groups = 2\n\
         [budget]\nepsilon = 10\n\
         [columns.age]\nlower = 0\nupper = 100\nmissing_codes = [999]\n\
         [columns.cost]\nlower = 0\nupper = 50\ngrid = -1\n\
         [columns.sex]\ncategories = [\"f\", \"m\", \"?\"]\nother = \"?\"\n\
         [columns.old]\nas = \"case when number(age) >= 65 then 'old' else 'young' end\"\n\
         categories = [\"old\", \"young\"]\n\
         [[statistics]]\nname = \"sex\"\nkind = \"count\"\nby = \"sex\"\nloss = 0.1\n\
         [[statistics]]\nname = \"age\"\nkind = \"sum\"\nof = \"age\"\nloss = 0.1\n\
         [[statistics]]\nname = \"cost\"\nkind = \"sum\"\nof = \"cost\"\nby = [\"old\", \"sex\"]\n\
         loss = 0.1\n\
         [[statistics]]\nname = \"women\"\nkind = \"count\"\nwhere = \"sex = 'f'\"\nloss = 0.1\n\
         {}",
        MORE.concat()
    )
}

/// What else is asked of joined columns: weights, shares, products, units and what is left out.
const MORE: [&str; 10] = [
    "[[statistics]]\nname = \"weighted mean\"\nkind = \"mean\"\nof = \"cost\"\nweights = \"age\"\n\
     by = \"sex\"\nloss = 0.1\n",
    "[[statistics]]\nname = \"weighted sum\"\nkind = \"sum\"\nof = \"cost\"\nweights = \"age\"\n\
     loss = 0.1\n",
    "[[statistics]]\nname = \"share\"\nkind = \"share\"\nof = \"sex\"\nby = \"old\"\nloss = 0.1\n",
    "[[statistics]]\nname = \"condition\"\nkind = \"share\"\nof = \"number(age) > number(cost)\"\n\
     by = \"sex\"\nloss = 0.1\n",
    "[[statistics]]\nname = \"regression\"\nkind = \"regression\"\nof = \"cost\"\non = \"age\"\n\
     by = \"sex\"\nloss = 0.1\n",
    "[[statistics]]\nname = \"correlation\"\nkind = \"correlation\"\nof = [\"age\", \"cost\"]\n\
     loss = 0.1\n",
    "[[statistics]]\nname = \"units\"\nkind = \"units\"\nby = [\"sex\", \"old\"]\nloss = 0.1\n",
    "[[statistics]]\nname = \"top\"\nkind = \"top\"\nof = \"sex\"\nmost = 1\nloss = 0.1\n",
    "[[statistics]]\nname = \"ages\"\nkind = \"left-out\"\nof = \"age\"\nby = \"sex\"\n\
     loss = 0.1\n",
    "[[statistics]]\nname = \"limits\"\nkind = \"left-out\"\nlimits_by = \"sex\"\nloss = 0.1\n",
];

fn numbers(directory: &Path, text: &str, visits: &str, people: &str) -> Vec<Vec<Rational>> {
    fs::write(directory.join("visits.csv"), visits).unwrap();
    fs::write(directory.join("people.csv"), people).unwrap();
    let plan = Plan::parse_in(text, directory).unwrap();
    let prices = price(&plan).unwrap();
    let (query, slots) = query(&plan, [3; 32]);
    let answer = answer(&query, &Options::default()).unwrap();
    let priced = prices.statistics.iter().zip(&slots);
    priced
        .map(|(price, slot)| exact_numbers(&price.chain, slot, &answer).unwrap().concat())
        .collect()
}

#[test]
fn rows_get_the_cells_of_their_unit() {
    let directory = tempfile::tempdir().unwrap();
    // Patient 3 has no row in the other table, 4 an age that says it is missing, and 5 no visit.
    // Units are compared by value.
    let visits = "patient,cost\n1,10\n1.0,20\n2,5\n3,7\n4,1\n,9\n2,-4\n";
    let people = "patient,age,sex\n1,70,f\n2,30,m\n4,999,f\n5,99,f\n,50,m\n";
    let found = numbers(directory.path(), &plan(JOIN, false), visits, people);
    let of =
        |numbers: &[i64]| -> Vec<Rational> { numbers.iter().map(|n| Rational::from(*n)).collect() };
    assert_eq!(found[0], of(&[3, 1, 1]));
    assert_eq!(found[1], of(&[70 + 70 + 30]));
    // By old and young, each f, m and ?.
    assert_eq!(found[2], of(&[30, 0, 0, 1, 5, 7]));
    assert_eq!(found[3], of(&[3]));
}

#[test]
fn one_row_of_a_unit_is_chosen_whatever_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let visits = "patient,cost\na,10\nb,10\n";
    let rows = ["a,20,f", "a,40,m", "a,60,?", "b,30,m", "b,30,m"];
    let mut found = Vec::new();
    for start in 0..rows.len() {
        let mut people = "patient,age,sex\n".to_owned();
        for row in rows.iter().cycle().skip(start).take(rows.len()) {
            writeln!(people, "{row}").unwrap();
        }
        found.push(numbers(
            directory.path(),
            &plan(JOIN, false),
            visits,
            &people,
        ));
    }
    assert!(found.iter().all(|other| *other == found[0]));
    // One whole row: the age and the sex go together.
    let ages = &found[0][1][0] - &Rational::from(30i64);
    let sexes: Vec<i64> = [(20i64, [1, 1, 0]), (40, [0, 2, 0]), (60, [0, 1, 1])]
        .iter()
        .find(|(age, _)| ages == Rational::from(*age))
        .unwrap()
        .1
        .to_vec();
    let sexes: Vec<Rational> = sexes.into_iter().map(Rational::from).collect();
    assert_eq!(found[0][0], sexes);
}

type Tables = (Vec<[&'static str; 2]>, Vec<[&'static str; 3]>);

fn visit(cases: &mut Cases) -> [&'static str; 2] {
    [
        cases.pick(&["ada", "bob", "7", "7.0", ""]),
        cases.pick(&["3", "49.5", "1e9", "-1", ""]),
    ]
}

fn person(cases: &mut Cases) -> [&'static str; 3] {
    [
        cases.pick(&["ada", "bob", "7", "cid", ""]),
        cases.pick(&["0", "64", "80", "1e9", "999", "NaN", ""]),
        cases.pick(&["f", "m", "x", ""]),
    ]
}

fn tables(cases: &mut Cases) -> Tables {
    (
        (0..7).map(|_| visit(cases)).collect(),
        (0..4).map(|_| person(cases)).collect(),
    )
}

/// All rows of one unit in both tables go, or are replaced.
fn neighbour(cases: &mut Cases, (visits, people): &Tables, change: bool) -> Tables {
    let unit = cases.pick(&["ada", "bob", "7"]);
    let is_unit = |cell: &str| cell == unit || unit == "7" && cell == "7.0";
    let mut other: Tables = (visits.clone(), people.clone());
    other.0.retain(|row| !is_unit(row[0]));
    other.1.retain(|row| !is_unit(row[0]));
    if change {
        for _ in 0..cases.below(4) {
            other.0.push([unit, visit(cases)[1]]);
        }
        for _ in 0..cases.below(3) {
            let [_, age, sex] = person(cases);
            other.1.push([unit, age, sex]);
        }
    }
    other
}

fn csv<const N: usize>(header: &str, rows: &[[&str; N]]) -> String {
    rows.iter().fold(format!("{header}\n"), |text, row| {
        text + &row.join(",") + "\n"
    })
}

/// A statistic that moves by more than `factor` times its norms, of tables that `see` makes numbers
/// of.
fn violation(
    (a, b): (&[Vec<Rational>], &[Vec<Rational>]),
    plan: &Plan,
    factor: &Rational,
) -> Option<String> {
    let prices = price(plan).unwrap();
    let statistics = prices.statistics.iter().enumerate();
    let found = statistics.map(|(index, price)| {
        let changes = a[index].iter().zip(&b[index]).map(|(x, y)| x - y);
        let (l1, l2) = changes.fold((Rational::ZERO, Rational::ZERO), |(l1, l2), change| {
            (&l1 + &change.abs(), &l2 + &(&change * &change))
        });
        let norms = &price.norms;
        (l1 > &norms.l1 * factor || l2 > &norms.l2_squared * factor)
            .then(|| plan.statistics[index].name.clone())
    });
    found.flatten().next()
}

#[test]
fn no_neighbour_moves_a_joined_statistic_by_more_than_its_map() {
    let directory = tempfile::tempdir().unwrap();
    let (mut cases, mut caught) = (Cases(31), false);
    for change in [false, true] {
        let text = plan(JOIN, change);
        let parsed = Plan::parse_in(&text, directory.path()).unwrap();
        let see = |(visits, people): &Tables| {
            let (visits, people) = (csv("patient,cost", visits), csv("patient,age,sex", people));
            numbers(directory.path(), &text, &visits, &people)
        };
        for _ in 0..60 {
            let tables = tables(&mut cases);
            let other = neighbour(&mut cases, &tables, change);
            let (a, b) = (see(&tables), see(&other));
            let found = violation((&a, &b), &parsed, &Rational::ONE);
            assert_eq!(found, None, "{tables:?}\n{other:?}");
            caught |= violation((&a, &b), &parsed, &Rational::new(1, 2)).is_some();
        }
    }
    assert!(caught, "a map that claims half is not caught");
}

/// A join that gives rows without a partner the cells of somebody else.
#[test]
fn a_join_that_borrows_from_others_is_caught() {
    let directory = tempfile::tempdir().unwrap();
    let mut cases = Cases(32);
    let text = plan("", false);
    let parsed = Plan::parse_in(&text, directory.path()).unwrap();
    let see = |(visits, people): &Tables| {
        let rows = visits.iter().map(|[patient, cost]| {
            let own = people.iter().find(|row| row[0] == *patient);
            let [_, age, sex] = own.or(people.first()).copied().unwrap_or([""; 3]);
            [*patient, *cost, age, sex]
        });
        let rows: Vec<[&str; 4]> = rows.collect();
        numbers(
            directory.path(),
            &text,
            &csv("patient,cost,age,sex", &rows),
            "",
        )
    };
    let caught = (0..200).any(|_| {
        let tables = tables(&mut cases);
        let other = neighbour(&mut cases, &tables, false);
        let (a, b) = (see(&tables), see(&other));
        violation((&a, &b), &parsed, &Rational::ONE).is_some()
    });
    assert!(caught);
}

#[test]
fn the_fingerprint_covers_both_tables() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("visits.csv"), "patient,cost\n1,10\n2,5\n").unwrap();
    fs::write(path.join("people.csv"), "patient,age,sex\n1,70,f\n").unwrap();
    let plan = Plan::parse_in(
        &plan(JOIN, false).replace("epsilon = 1", "epsilon = 10"),
        path,
    )
    .unwrap();
    let run = || {
        let engine = TableEngine::default();
        release(&plan, &path.join("ledger"), &engine, Arc::new(|_, _| {})).unwrap()
    };
    let first = run();
    assert!(matches!(first, Released::New(_)));
    assert!(matches!(run(), Released::Stored { .. }));
    let about = &first.report().statistics[1].about;
    assert!(
        about.contains(&"`age` is joined by `patient`, from one row of each".to_owned()),
        "{about:?}"
    );
    fs::write(path.join("people.csv"), "patient,age,sex\n1,71,f\n").unwrap();
    assert!(matches!(run(), Released::New(_)));
}

#[test]
fn other_joins_are_refused_with_the_reason() {
    let refused = |text: String| Plan::parse(&text).unwrap_err().to_string();
    let text = plan(JOIN, false);
    let by_row = text.replace("unit = \"patient\"\nmost_rows = 2\nmost_groups = 2\n", "");
    assert!(refused(by_row).contains("name it with `unit`"));
    let other_key = JOIN.replace("columns", "key = \"ward\"\ncolumns");
    assert!(refused(plan(&other_key, false)).contains("rows of many people"));
    let own = JOIN.replace("\"age\", ", "\"patient\", ");
    assert!(refused(plan(&own, false)).contains("other than `patient`"));
    let twice = format!("{JOIN}{JOIN}");
    assert!(refused(plan(&twice, false)).contains("two tables give a column `age`"));
    let derived = text.replace(
        "[columns.sex]",
        "[columns.patient]\nas = \"lower(id)\"\ncategories = [\"a\"]\n[columns.sex]",
    );
    assert!(refused(derived).contains("is computed"));
}

/// A plan that was changed by hand has no price, and the steward can look at what is joined.
#[test]
fn joins_by_another_key_have_no_price() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("visits.csv"), "patient,cost\n1,10\n").unwrap();
    fs::write(
        directory.path().join("people.csv"),
        "patient,age,sex\n1,70,f\n",
    )
    .unwrap();
    let mut plan = Plan::parse_in(&plan(JOIN, false), directory.path()).unwrap();
    let engine = TableEngine::default();
    let seen = lastbit_release::inspect::inspect_not_private(&plan, &engine, Arc::new(|_, _| {}));
    assert_eq!(seen.unwrap().rows, 1);
    plan.derive.joins[0].key = "ward".to_owned();
    assert!(
        price(&plan)
            .unwrap_err()
            .to_string()
            .contains("of the unit alone")
    );
}

#[test]
fn a_joined_table_lacks_no_column_that_is_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("visits.csv"), "patient,cost\n1,10\n").unwrap();
    fs::write(directory.path().join("people.csv"), "patient,age\n1,70\n").unwrap();
    let plan = Plan::parse_in(&plan(JOIN, false), directory.path()).unwrap();
    let (query, slots) = query(&plan, [3; 32]);
    let error = lastbit_release::engine::check(&query)
        .unwrap_err()
        .to_string();
    assert!(error.contains("sex"), "{error}");
    fs::write(
        directory.path().join("people.csv"),
        "patient,sex,age\n1,f,70\n",
    )
    .unwrap();
    lastbit_release::engine::check(&query).unwrap();
    let answer = answer(&query, &Options::default()).unwrap();
    assert_eq!(
        answer.tables[slots[3].table][0].values,
        [Aggregated::Rows(1)]
    );
}
