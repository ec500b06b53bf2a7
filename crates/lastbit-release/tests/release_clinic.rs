//! The examples, end to end: every exact integer is that of an independent computation in Python, and what is released is those.
#![cfg(feature = "datafusion")]

use std::path::{Path, PathBuf};
use std::process::Command;

use lastbit_exact::{IBig, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, EntropyError};
use lastbit_release::engine::{Options, answer};
use lastbit_release::ledger::Ledger;
use lastbit_release::plan::{Kind, Plan};
use lastbit_release::price::{Form, Moment, Prices, price};
use lastbit_release::query::{
    Aggregate, Answer, Bins, Categories, Exact, Key, KeyValue, Missing, Numeric, Query, Unit,
};
use lastbit_release::release::{Released, Slot, TableEngine, query, release, release_with};
use lastbit_release::report::Report;
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

fn numeric(x: &Numeric) -> Value {
    let exponent = x.grid.exponent();
    let steps =
        |bound: &Rational| i64::try_from(bound.scale(-i64::from(exponent)).floor()).unwrap();
    json!({
        "column": x.column,
        "exponent": exponent,
        "lower": steps(x.grid.bounds().lower()),
        "upper": steps(x.grid.bounds().upper()),
        "missing": match x.missing {
            Missing::Drop => Value::Null,
            Missing::Value(value) => json!(value.to_string()),
        },
    })
}

fn bins(bins: &Bins) -> Value {
    json!({ "bins": { "numeric": numeric(&bins.numeric), "edges": bins.edges } })
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
        Aggregate::Moments(x) => json!({ "moments": numeric(x) }),
        Aggregate::Products(x, y) => json!({ "products": [numeric(x), numeric(y)] }),
        Aggregate::Bins(b) => bins(b),
        Aggregate::Categories(c) => categories(c),
        Aggregate::Offsets(x) => json!({ "offsets": numeric(x) }),
    };
    json!({
        "file": query.source.base.join(&query.source.paths[0]),
        "hash_key": query.hash_key.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "unit": match &query.unit {
            Unit::Row => Value::Null,
            Unit::Column { name, most_rows, most_groups } => {
                json!({ "column": name, "most_rows": most_rows, "most_groups": most_groups })
            }
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
    let value = |exact: &Exact| match exact {
        Exact::Rows(rows) => format!("rows {rows}"),
        Exact::Moments { rows, sum, squares } => format!("moments {rows} {sum} {squares}"),
        Exact::Products {
            rows,
            sum_x,
            sum_y,
            products,
        } => format!("products {rows} {sum_x} {sum_y} {products}"),
        Exact::Counts(counts) => format!("counts {}", join(counts)),
        Exact::Offsets(offsets) => {
            let texts: Vec<String> = offsets.iter().map(|(x, n)| format!("{x}:{n}")).collect();
            format!("offsets {}", texts.join(","))
        }
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

/// The plan and its exact answer, which is Python's.
fn checked(name: &str) -> Example {
    let plan = Plan::read(&example(name).join("plan.toml")).unwrap();
    let prices = price(&plan).unwrap();
    let (query, slots) = query(&plan, &prices).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("query.json");
    std::fs::write(&path, spec(&query).to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/release_reference.py");
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

/// Laplace noise next to zero, and Gaussian noise at its median.
struct Quiet;

impl Entropy for Quiet {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        words.fill(u64::MAX >> 1);
        Ok(())
    }
}

/// The statistic of a group by its definition; `None` for histograms and quantiles.
fn definition(form: &Form, exact: &Exact) -> Option<f64> {
    let double = |x: Rational| x.to_f64(Rounding::NearestEven);
    let integer = |x: u64| IBig::from(x);
    Some(match (form, exact) {
        (Form::Counts { .. }, Exact::Rows(rows)) => *rows as f64,
        (Form::Sum { x, .. }, Exact::Moments { rows, sum, .. }) => {
            let sum = Rational::from(sum.clone()).scale(i64::from(x.grid.exponent()));
            double(&Rational::from(*rows) * &x.lower() + sum)
        }
        (Form::Shared { moment } | Form::Fixed { moment, .. }, exact) => match (moment, exact) {
            (Moment::Mean(x), Exact::Moments { rows, sum, .. }) => {
                double(x.value(&Rational::new(sum.clone(), integer(*rows))))
            }
            (Moment::Variance(x), Exact::Moments { rows, sum, squares }) => {
                let n = integer(*rows);
                let spread = &n * squares - sum * sum;
                double(
                    Rational::new(spread, &n * (&n - IBig::ONE))
                        .scale(2 * i64::from(x.grid.exponent())),
                )
            }
            (
                Moment::Covariance(x, y),
                Exact::Products {
                    rows,
                    sum_x,
                    sum_y,
                    products,
                },
            ) => {
                let n = integer(*rows);
                let spread = &n * products - sum_x * sum_y;
                let by = i64::from(x.grid.exponent()) + i64::from(y.grid.exponent());
                double(Rational::new(spread, &n * (&n - IBig::ONE)).scale(by))
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// Every published number is the exact one of its group, up to the digits that it is written with.
fn compare(example: &Example, report: &Report) {
    for (index, statistic) in example.plan.statistics.iter().enumerate() {
        let (price, slot) = (&example.prices.statistics[index], example.slots[index]);
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
                let Exact::Rows(rows) = count.values[threshold.2] else {
                    panic!("rows")
                };
                if Rational::from(rows) < threshold.0 {
                    continue;
                }
            }
            let exact = &group.values[slot.value];
            match (&statistic.kind, exact) {
                (Kind::Histogram(_), Exact::Counts(counts)) => {
                    for count in counts {
                        assert_eq!(cells.next().unwrap().value, Some(count.to_string()));
                    }
                }
                (Kind::Quantiles { at, .. }, Exact::Offsets(offsets)) => {
                    for share in at {
                        check_rank(price, cells.next().unwrap(), offsets, share);
                    }
                }
                _ => {
                    let cell = cells.next().unwrap();
                    let value: f64 = cell.value.as_ref().unwrap().parse().unwrap();
                    let error: f64 = cell.error.as_ref().unwrap().parse().unwrap();
                    let expected = definition(&price.form, exact).unwrap();
                    let near = if let Form::Counts { .. } = price.form {
                        0.0
                    } else {
                        error / 50.0
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

/// Of discovered groups: the threshold, the groups of the table that is counted, and which of their values is the count.
fn counted(
    example: &Example,
    index: usize,
) -> Option<(Rational, &[lastbit_release::query::Group], usize)> {
    let statistic = &example.plan.statistics[index];
    if !example.plan.is_discovered(statistic) {
        return None;
    }
    let count = example
        .plan
        .statistics
        .iter()
        .position(|other| other.kind == Kind::Count && other.by == statistic.by)?;
    let slot = example.slots[count];
    let least = example.prices.statistics[count]
        .threshold
        .as_ref()?
        .least
        .clone();
    Some((least, &example.answer.tables[slot.table], slot.value))
}

/// The rank of a published quantile is within its error of the share of the rows.
fn check_rank(
    price: &lastbit_release::price::Price,
    cell: &lastbit_release::report::Cell,
    offsets: &[(u64, u64)],
    share: &Rational,
) {
    let Form::Quantiles { x, .. } = &price.form else {
        panic!("quantiles")
    };
    let value: Rational = cell.value.as_ref().unwrap().parse().unwrap();
    let error: f64 = cell.error.as_ref().unwrap().parse().unwrap();
    let place = (&value - &x.lower())
        .scale(-i64::from(x.grid.exponent()))
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
