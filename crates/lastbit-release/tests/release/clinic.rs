//! The examples, end to end: every exact integer is that of an independent computation in Python,
//! and what is released is those.
#![cfg(feature = "engine")]

use std::path::{Path, PathBuf};
use std::process::Command;

use lastbit::statistics::Grid;
use lastbit_exact::{Integer, Rational, Rounding};
use lastbit_release::account::{Prices, price};
use lastbit_release::engine::query::{Aggregate, Aggregated, Answer, Key, KeyValue, Query};
use lastbit_release::engine::{Options, TableEngine, answer};
use lastbit_release::ledger::Ledger;
use lastbit_release::plan::{Categories, Missing, Numbers, Plan, Unit};
use lastbit_release::present::Report;
use lastbit_release::release::{Identity, Released, release, release_with};
use lastbit_release::statistic::{Kind, Slot, query};
use lastbit_testing::Quiet;
use serde_json::{Value, json};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name)
}

/// What Python prints; the standard library is all that it needs.
fn python(arguments: &[&Path]) -> String {
    let output = Command::new("python3")
        .args(arguments)
        .output()
        .expect("this test runs python3: install Python 3.8 or later");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn numeric(x: &Numbers, grid: &Grid) -> Value {
    let exponent = grid.exponent().get();
    let steps =
        |bound: &Rational| i64::try_from(bound.times_power_of_two(-exponent).floor()).unwrap();
    json!({
        "column": x.column,
        "exponent": exponent,
        "lower": steps(grid.bounds().lower()),
        "upper": steps(grid.bounds().upper()),
        "missing": missing(x),
    })
}

fn missing(x: &Numbers) -> Value {
    match &x.missing {
        Missing::Drop => Value::Null,
        Missing::Value(value) => digits(value),
    }
}

/// Debug prints enough digits for the same double.
fn digits(value: &Rational) -> Value {
    json!(format!("{:?}", value.to_f64(Rounding::NearestEven)))
}

fn bins(x: &Numbers) -> Value {
    let edges = x.edges.as_ref().unwrap();
    let inner: Vec<Value> = edges[1..edges.len() - 1].iter().map(digits).collect();
    json!({ "bins": { "column": x.column, "inner": inner, "missing": missing(x) } })
}

fn categories(c: &Categories) -> Value {
    json!({ "categories": { "column": c.column, "names": c.names, "other": c.other } })
}

fn spec(query: &Query) -> Value {
    let key = |key: &Key| match key {
        Key::Categories(c) => categories(c),
        Key::Bins(b) => bins(b),
        Key::Discovered { column } => json!({ "discovered": column }),
    };
    let aggregate = |aggregate: &Aggregate| match aggregate {
        Aggregate::Rows => json!({ "rows": true }),
        Aggregate::Sum(x) => json!({ "sum": numeric(x, &x.fine) }),
        Aggregate::Moments(x) => json!({ "moments": numeric(x, &x.grid) }),
        Aggregate::Products(x, y) => {
            json!({ "products": [numeric(x, &x.grid), numeric(y, &y.grid)] })
        }
        Aggregate::Bins(b) => bins(b),
        Aggregate::Categories(c) => categories(c),
        Aggregate::Offsets(x) => json!({ "offsets": numeric(x, &x.grid) }),
        other => unreachable!("the examples have no {other:?}"),
    };
    let files = query.source.files().unwrap();
    json!({
        "file": files.base.join(&files.paths[0]),
        "hash_key": query.hash_key.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "unit": match &query.unit {
            Unit::Row => Value::Null,
            Unit::Column { name, most_rows, most_groups } => {
                json!({ "column": name, "most_rows": most_rows, "most_groups": most_groups })
            }
            other => unreachable!("the examples have no {other:?}"),
        },
        "tables": query.tables.iter().map(|table| json!({
            "keys": table.keys.iter().map(key).collect::<Vec<_>>(),
            "aggregates": table.aggregates.iter().map(aggregate).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

/// As the Python program prints it.
fn lines(answer: &Answer) -> Vec<String> {
    let join = |counts: &[u64]| {
        let texts: Vec<String> = counts.iter().map(u64::to_string).collect();
        texts.join(",")
    };
    let value = |exact: &Aggregated| match exact {
        Aggregated::Rows(rows) => format!("rows {rows}"),
        Aggregated::Sum { rows, sum } => format!("sum {rows} {sum}"),
        Aggregated::Moments { rows, sum, squares } => format!("moments {rows} {sum} {squares}"),
        Aggregated::Products {
            rows,
            sum_x,
            sum_y,
            products,
        } => format!("products {rows} {sum_x} {sum_y} {products}"),
        Aggregated::Counts(counts) => format!("counts {}", join(counts)),
        Aggregated::Offsets(offsets) => {
            let texts: Vec<String> = offsets.iter().map(|(x, n)| format!("{x}:{n}")).collect();
            format!("offsets {}", texts.join(","))
        }
        other => unreachable!("the examples have no {other:?}"),
    };
    let mut lines = vec![format!("rows {}", answer.rows)];
    for (index, groups) in answer.tables.iter().enumerate() {
        for group in groups {
            let key: Vec<String> = group
                .key
                .iter()
                .map(|part| match part {
                    KeyValue::Public(index) => index.to_string(),
                    KeyValue::Discovered(text) => json!(text).to_string(),
                })
                .collect();
            let values: Vec<String> = group.values.iter().map(value).collect();
            lines.push(format!(
                "{index} [{}] {}",
                key.join(", "),
                values.join("; ")
            ));
        }
    }
    lines.sort();
    lines
}

struct Example {
    plan: Plan,
    prices: Prices,
    slots: Vec<Slot>,
    answer: Answer,
}

/// The plan of an example and its exact answer, which is Python's.
fn checked(name: &str) -> Example {
    checked_plan(Plan::read(&example(name).join("plan.toml")).unwrap())
}

fn checked_plan(plan: Plan) -> Example {
    let prices = price(&plan).unwrap();
    let (query, slots) = query(&plan, Identity::new(&plan, &prices).hash());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("query.json");
    std::fs::write(&path, spec(&query).to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/release/reference.py");
    let printed = python(&[&script, &path]);
    let mut expected: Vec<String> = printed.lines().map(str::to_owned).collect();
    expected.sort();
    let answer = answer(&query, &Options::default()).unwrap();
    let found = lines(&answer);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    Example {
        plan,
        prices,
        slots,
        answer,
    }
}

/// A column of numbers that a statistic is of.
fn column<'a>(plan: &'a Plan, kind: &dyn Kind, place: usize) -> &'a Numbers {
    plan.column(kind.of()[place])
        .unwrap()
        .kind
        .numbers()
        .unwrap()
}

/// The statistic of a group by its definition; `None` for histograms and quantiles.
fn definition(plan: &Plan, kind: &dyn Kind, exact: &Aggregated) -> Option<f64> {
    let double = |x: Rational| x.to_f64(Rounding::NearestEven);
    let integer = |x: u64| Integer::from(x);
    let x = |place: usize| column(plan, kind, place);
    let exponent = |place: usize| i64::from(x(place).grid.exponent());
    Some(match (kind.word(), exact) {
        ("count", Aggregated::Rows(rows)) => *rows as f64,
        ("sum", Aggregated::Sum { rows, sum }) => {
            let fine = &x(0).fine;
            let sum = Rational::from(sum.clone()).times_power_of_two(i64::from(fine.exponent()));
            double(&Rational::from(*rows) * fine.bounds().lower() + sum)
        }
        ("mean", Aggregated::Moments { rows, sum, .. }) => {
            let mean = Rational::new(sum.clone(), integer(*rows)).times_power_of_two(exponent(0));
            double(x(0).grid.bounds().lower() + &mean)
        }
        ("variance", Aggregated::Moments { rows, sum, squares }) => {
            let n = integer(*rows);
            let spread = &n * squares - sum * sum;
            double(
                Rational::new(spread, &n * (&n - Integer::ONE)).times_power_of_two(2 * exponent(0)),
            )
        }
        (
            "covariance",
            Aggregated::Products {
                rows,
                sum_x,
                sum_y,
                products,
            },
        ) => {
            let n = integer(*rows);
            let spread = &n * products - sum_x * sum_y;
            let by = exponent(0) + exponent(1);
            double(Rational::new(spread, &n * (&n - Integer::ONE)).times_power_of_two(by))
        }
        _ => return None,
    })
}

/// Every published number is the exact one of its group, up to the digits that it is written with.
fn compare(example: &Example, report: &Report) {
    for (index, statistic) in example.plan.statistics.iter().enumerate() {
        let slot = &example.slots[index];
        let published = &report.statistics[index];
        assert!(!published.cells.is_empty(), "{}", statistic.name);
        let groups = &example.answer.tables[slot.table];
        let mut cells = published.cells.iter();
        for group in groups {
            if let Some(threshold) = counted(example, index) {
                // Without noise a group is published if its exact count reaches the threshold.
                let count = threshold
                    .1
                    .iter()
                    .find(|other| other.key == group.key)
                    .unwrap();
                let Aggregated::Rows(rows) = count.values[threshold.2] else {
                    panic!("rows")
                };
                if Rational::from(rows) < threshold.0 {
                    continue;
                }
            }
            let exact = &group.values[slot.values[0]];
            match (statistic.kind.word(), exact) {
                ("histogram", Aggregated::Counts(counts)) => {
                    for count in counts {
                        assert_eq!(cells.next().unwrap().value, Some(count.to_string()));
                    }
                }
                ("quantiles", Aggregated::Offsets(offsets)) => {
                    let x = column(&example.plan, &*statistic.kind, 0);
                    for (_, share) in statistic.kind.parameters() {
                        let share = share.parse().unwrap();
                        check_rank(x, cells.next().unwrap(), offsets, &share);
                    }
                }
                _ => {
                    let cell = cells.next().unwrap();
                    let value: f64 = cell.value.as_ref().unwrap().parse().unwrap();
                    let error: f64 = cell.error.as_ref().unwrap().parse().unwrap();
                    let expected = definition(&example.plan, &*statistic.kind, exact).unwrap();
                    let near = match statistic.kind.word() {
                        "count" => 0.0,
                        _ => error / 50.0,
                    };
                    assert!(
                        (value - expected).abs() <= near,
                        "{}: {value} {expected} ± {error}",
                        statistic.name
                    );
                }
            }
        }
        assert!(cells.next().is_none(), "{}", statistic.name);
    }
}

/// Of discovered groups: the threshold, the groups of the table that is counted, and which of their
/// values is the count.
fn counted(
    example: &Example,
    index: usize,
) -> Option<(Rational, &[lastbit_release::engine::query::Group], usize)> {
    let statistic = &example.plan.statistics[index];
    if !example.plan.is_discovered(statistic) {
        return None;
    }
    let count = example
        .plan
        .statistics
        .iter()
        .position(|other| other.kind.word() == "count" && other.by == statistic.by)?;
    let slot = &example.slots[count];
    let least = example.prices.statistics[count]
        .threshold
        .as_ref()?
        .least
        .clone();
    Some((least, &example.answer.tables[slot.table], slot.values[0]))
}

/// The rank of a published quantile is within its error of the share of the rows.
fn check_rank(
    x: &Numbers,
    cell: &lastbit_release::present::Cell,
    offsets: &[(u64, u64)],
    share: &Rational,
) {
    let value: Rational = cell.value.as_ref().unwrap().parse().unwrap();
    let error: f64 = cell.error.as_ref().unwrap().parse().unwrap();
    let place = (&value - x.grid.bounds().lower())
        .times_power_of_two(-i64::from(x.grid.exponent()))
        .round_ties_up();
    let place = u64::try_from(place).unwrap();
    let below: u64 = offsets.iter().filter(|o| o.0 < place).map(|o| o.1).sum();
    let at_most: u64 = offsets.iter().filter(|o| o.0 <= place).map(|o| o.1).sum();
    let all: u64 = offsets.iter().map(|o| o.1).sum();
    let target = share.to_f64(Rounding::NearestEven) * all as f64;
    assert!(
        below as f64 - error <= target && target <= at_most as f64 + error,
        "{value} at {share}"
    );
}

#[test]
fn the_clinic_is_what_python_computes() {
    let example = checked("clinic");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let engine = TableEngine::default();
    let released = release_with(&example.plan, &path, &engine, &mut Quiet).unwrap();
    compare(&example, released.report());
    // Again it is free, and with noise it is another file's budget.
    let again = release_with(&example.plan, &path, &engine, &mut Quiet).unwrap();
    assert!(matches!(again, Released::Stored { .. }));
    assert_eq!(again.report(), released.report());
    let ledger = Ledger::view(&path).unwrap();
    assert_eq!(ledger.account().spent, example.prices.loss);
}

/// The clinic with other limits of a patient.
fn clinic_of_at_most(rows: u64, groups: u64) -> Plan {
    let mut plan = Plan::read(&example("clinic").join("plan.toml")).unwrap();
    plan.unit = Unit::Column {
        name: "patient".into(),
        most_rows: rows,
        most_groups: groups,
    };
    plan
}

#[test]
fn which_rows_of_a_patient_count_is_what_python_computes() {
    let bounded = checked_plan(clinic_of_at_most(2, 1));
    let all = checked("clinic");
    // The limits leave rows out, so that what was compared is the choice.
    let visits = |example: &Example| example.answer.tables[example.slots[0].table].clone();
    assert_ne!(visits(&bounded), visits(&all));
}

#[test]
fn the_clinics_limits_leave_nothing_out_that_a_reader_would_count() {
    let example = checked("clinic");
    let identity = Identity::new(&example.plan, &example.prices);
    let (mut unlimited, _) = query(&example.plan, identity.hash());
    unlimited.unit = clinic_of_at_most(1_000_000, 1_000_000).unit;
    let unlimited = answer(&unlimited, &Options::default()).unwrap();
    assert_eq!(example.answer, unlimited);
    // The totals of the file, by nothing but reading it.
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("totals.py");
    std::fs::write(
        &script,
        "import csv, decimal, gzip, io, sys\n\
         rows = list(csv.DictReader(io.TextIOWrapper(gzip.open(sys.argv[1]), 'utf-8')))\n\
         costs = [decimal.Decimal(r['cost']) for r in rows if r['cost'] not in ('', 'pending')]\n\
         print(len(rows), sum(costs))\n",
    )
    .unwrap();
    let printed = python(&[&script, &self::example("clinic").join("visits.csv.gz")]);
    let (rows, cost) = printed.trim().split_once(' ').unwrap();
    let total = |name: &str| -> f64 {
        let mut statistics = example.plan.statistics.iter();
        let place = statistics.position(|one| one.name == name).unwrap();
        let slot = &example.slots[place];
        let kind = &*example.plan.statistics[place].kind;
        let groups = example.answer.tables[slot.table].iter();
        groups
            .map(|group| match &group.values[slot.values[0]] {
                Aggregated::Counts(counts) => counts.iter().sum::<u64>() as f64,
                exact => definition(&example.plan, kind, exact).unwrap(),
            })
            .sum()
    };
    let rows: f64 = rows.parse().unwrap();
    for name in [
        "visits",
        "visits by ward",
        "visits by town",
        "triage by ward",
    ] {
        assert_eq!(total(name), rows, "{name}");
    }
    // But for the rounding of rows to their grid.
    let cost: f64 = cost.parse().unwrap();
    assert!((total("cost billed so far") - cost).abs() < 0.5);
}

#[test]
fn the_census_is_what_python_computes() {
    let example = checked("census");
    let directory = tempfile::tempdir().unwrap();
    let engine = TableEngine::default();
    let released = release_with(
        &example.plan,
        &directory.path().join("quiet"),
        &engine,
        &mut Quiet,
    )
    .unwrap();
    compare(&example, released.report());
    // With real noise, through the way that the command takes.
    let noisy = release(
        &example.plan,
        &directory.path().join("noisy"),
        &engine,
        std::sync::Arc::new(|_, _| {}),
    )
    .unwrap();
    assert_ne!(noisy.report().statistics, released.report().statistics);
}

#[test]
fn a_missing_file_or_column_costs_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(example("census").join("plan.toml")).unwrap();
    let ledger = directory.path().join("ledger");
    let engine = TableEngine::default();
    let missing = Plan::parse_in(&text, directory.path()).unwrap();
    let error = release_with(&missing, &ledger, &engine, &mut Quiet).unwrap_err();
    assert!(
        error.spent().is_none() && error.to_string().contains("people.csv"),
        "{error}"
    );
    let wrong = Plan::parse_in(&text.replace("income", "incme"), &example("census")).unwrap();
    let error = release_with(&wrong, &ledger, &engine, &mut Quiet).unwrap_err();
    assert!(
        error.spent().is_none() && error.to_string().contains("incme"),
        "{error}"
    );
    assert!(!ledger.exists());
}

#[test]
fn the_generators_make_the_data_that_are_here() {
    let directory = tempfile::tempdir().unwrap();
    let made = directory.path().join("visits.csv.gz");
    python(&[&example("clinic").join("make.py"), &made]);
    // The rows, whatever way they are packed.
    let compare = directory.path().join("compare.py");
    std::fs::write(
        &compare,
        "import gzip, sys\nassert gzip.open(sys.argv[1]).read() == gzip.open(sys.argv[2]).read()\n",
    )
    .unwrap();
    python(&[&compare, &made, &example("clinic").join("visits.csv.gz")]);
}
