//! From text to a plan.

use std::path::Path;

use lastbit::Confidence;
use lastbit_exact::Rational;
use toml::de::DeTable;

use super::parse_columns::{Read, column, declarations};
use super::parse_database::database;
use super::parse_lookups::{joins, lookups};
use super::parse_statistics::{Before, statistics};
use super::reader::{Table, Value};
use super::{Accountant, FileFormat, Files, Neighbours, Plan, PlanError, Source, Unit, check};
use crate::consistent::find;
use crate::expression::{Expression, ExpressionError};
use crate::loss::{Loss, LossMeasure};
use crate::schema::Derive;
use lastbit::accounting::Currency;

/// A plan with the statistics of a text that has only statistics.
pub fn with_statistics(plan: &Plan, text: &str) -> Result<Plan, PlanError> {
    let document = DeTable::parse(text).map_err(|error| not_toml(text, &error))?;
    let root = Table::root(text, &document);
    let before = Before {
        confidence: &plan.confidence,
        measure: plan.budget.measure,
        columns: &plan.columns,
        derived: &plan.derive.columns,
        unit: &plan.unit,
        neighbours: plan.neighbours,
        is_filtered: plan.derive.filter.is_some(),
    };
    let (statistics, places) = statistics(&root, before)?;
    root.finish()?;
    let mut plan = Plan {
        statistics,
        // What adds up is told by the places of the plan's own statistics.
        families: vec![],
        apart: vec![],
        ..plan.clone()
    };
    check::check(&plan, &places)?;
    plan.count_groups_of_units();
    Ok(plan)
}

fn not_toml(text: &str, error: &toml::de::Error) -> PlanError {
    let message = format!("not TOML: {}", error.message().trim());
    match error.span() {
        Some(span) => PlanError::at(text, span.start, message),
        None => PlanError::new(message),
    }
}

pub fn plan(text: &str, base: &Path) -> Result<Plan, PlanError> {
    let document = DeTable::parse(text).map_err(|error| not_toml(text, &error))?;
    let root = Table::root(text, &document);
    let title = root.get("title").map(|title| title.string()).transpose()?;
    let confidence = match root.get("confidence") {
        None => Rational::new(19, 20),
        Some(value) => value.fraction()?,
    };
    let confidence = Confidence::new(confidence).map_err(|error| root.error(error.to_string()))?;
    let publish_fingerprint = match root.get("publish_fingerprint") {
        None => false,
        Some(value) => value.boolean()?,
    };
    let expected_rows = root
        .get("expected_rows")
        .map(|value| value.count())
        .transpose()?;
    let consistent = root.get("consistent");
    let is_consistent = match &consistent {
        None => false,
        Some(value) => value.boolean()?,
    };
    let table = section(&root, "source")?;
    let columns = root.table("columns")?.map(|table| table.entries());
    let columns = columns.unwrap_or_default();
    let declared = declarations(&columns)?;
    let condition = |text: &str| Expression::condition_with(text, &declared);
    let filter = table
        .get("where")
        .map(|value| expression(&value, condition))
        .transpose()?;
    let (looked_up, joined) = (table.get("lookup"), table.get("join"));
    let source = source(&table, base)?;
    let lookups = lookups(looked_up, &source)?;
    let (neighbours, unit) = privacy(&section(&root, "privacy")?)?;
    let joins = match joined {
        None => vec![],
        Some(list) => {
            let looked_up = table.get("lookup");
            let joins = joins(&list, &source, &unit, &lookups, looked_up.as_ref())?;
            let in_database = |source: &Source| source.database().is_some();
            if in_database(&source) || joins.iter().any(|join| in_database(&join.source)) {
                return Err(list.error(
                    "private tables are joined from files only; leave out [[source.join]], or \
                     export the tables of the database to files",
                ));
            }
            joins
        }
    };
    let Budget {
        budget,
        currency,
        thresholds,
        spend,
        part,
        composes,
    } = budget(&root)?;
    let accountant = root
        .get("accountant")
        .map(|value| accountant(&value, budget.measure))
        .transpose()?;
    let read: Vec<Read> = columns
        .iter()
        .map(|(name, value)| column(name, value, &declared))
        .collect::<Result<_, _>>()?;
    let mut derive = Derive {
        joins,
        lookups,
        filter,
        ..Derive::default()
    };
    let mut columns = Vec::with_capacity(read.len());
    for Read {
        column,
        derived,
        codes,
    } in read
    {
        let name = || column.name.clone();
        derive
            .columns
            .extend(derived.map(|derived| (name(), derived)));
        if !codes.is_empty() {
            derive.codes.push((name(), codes));
        }
        columns.push(column);
    }
    let before = Before {
        confidence: &confidence,
        measure: budget.measure,
        columns: &columns,
        derived: &derive.columns,
        unit: &unit,
        neighbours,
        is_filtered: derive.filter.is_some(),
    };
    let (statistics, places) = statistics(&root, before)?;
    root.finish()?;
    let mut plan = Plan {
        title: title.unwrap_or("Untitled").to_owned(),
        source,
        derive,
        neighbours,
        unit,
        budget,
        currency,
        thresholds,
        spend,
        part,
        composes,
        accountant,
        confidence,
        publish_fingerprint,
        expected_rows,
        columns,
        statistics,
        families: vec![],
        apart: vec![],
    };
    check::check(&plan, &places)?;
    check::check_joins(&plan)?;
    plan.count_groups_of_units();
    if let (true, Some(value)) = (is_consistent, consistent) {
        (plan.families, plan.apart) = find(&plan);
        if plan.families.is_empty() {
            let why = match plan.apart.is_empty() {
                true => "no two of them count or add the same".to_owned(),
                false => plan.apart[..plan.apart.len().min(3)].join("; "),
            };
            return Err(value.error(format!(
                "no statistics are made to add up: {why}; leave out `consistent`"
            )));
        }
    }
    Ok(plan)
}

fn section<'a>(root: &Table<'a>, key: &'static str) -> Result<Table<'a>, PlanError> {
    root.table(key)?
        .ok_or_else(|| PlanError::new(format!("the plan lacks [{key}]; see docs/plan.md")))
}

pub fn source(table: &Table<'_>, base: &Path) -> Result<Source, PlanError> {
    if let Some(address) = table.get("database") {
        return database(table, &address, base);
    }
    // How a name ends tells the format, in small letters or large.
    let lower = |path: &str| path.to_ascii_lowercase();
    let files = table.need("files", "files = \"table.csv\"")?;
    let paths = files.strings()?;
    if paths.is_empty() || paths.iter().any(String::is_empty) {
        return Err(files.error("`files` in [source] names no file; give at least one"));
    }
    let gzip = match table.get("gzip") {
        Some(value) => value.boolean()?,
        None => paths.iter().all(|path| lower(path).ends_with(".gz")),
    };
    #[derive(Clone, Copy, PartialEq)]
    enum Format {
        Csv,
        Parquet,
        Json,
    }
    let format = match table.get("format") {
        Some(value) => value.word(&[
            ("csv", Format::Csv),
            ("parquet", Format::Parquet),
            ("json", Format::Json),
        ])?,
        None => {
            let first = lower(&paths[0]);
            let stem = first.strip_suffix(".gz").unwrap_or(&first);
            match stem.rsplit_once('.').map(|(_, suffix)| suffix) {
                Some("csv" | "tsv") => Format::Csv,
                Some("parquet") => Format::Parquet,
                Some("json" | "ndjson" | "jsonl") => Format::Json,
                _ => {
                    return Err(files.error(format!(
                        "the name `{}` does not tell how the file is written; add format = \
                         \"csv\", \"parquet\" or \"json\"",
                        paths[0]
                    )));
                }
            }
        }
    };
    let character = |key: &'static str, default: u8| match table.get(key) {
        None => Ok(default),
        Some(value) => match value.string()?.as_bytes() {
            [byte] if byte.is_ascii() && format == Format::Csv => Ok(*byte),
            _ if format != Format::Csv => Err(value.error(format!(
                "`{key}` is for files of format \"csv\"; leave it out"
            ))),
            _ => Err(value.error(format!("`{key}` in [source] must be one ASCII character"))),
        },
    };
    let tabs = lower(&paths[0]).trim_end_matches(".gz").ends_with(".tsv");
    let delimiter = character("delimiter", if tabs { b'\t' } else { b',' })?;
    let quote = character("quote", b'"')?;
    table.finish()?;
    let format = match format {
        Format::Csv => FileFormat::Csv {
            delimiter,
            quote,
            gzip,
        },
        Format::Parquet if gzip => {
            return Err(
                files.error("Parquet files hold their own compression; leave out gzip and `.gz`")
            );
        }
        Format::Parquet => FileFormat::Parquet,
        Format::Json => FileFormat::Json { gzip },
    };
    Ok(Source::Files(Files {
        paths,
        base: base.to_owned(),
        format,
    }))
}

fn privacy(table: &Table<'_>) -> Result<(Neighbours, Unit), PlanError> {
    let change_one = table
        .need("neighbours", "neighbours = \"add-remove\"")?
        .word(&[("add-remove", false), ("change-one", true)])?;
    let count = |key| table.get(key).map(|value| value.count()).transpose();
    let rows = count("rows")?;
    let (most_rows, most_groups) = (count("most_rows")?, count("most_groups")?);
    let unit = match table.get("unit") {
        None => Unit::Row,
        Some(name) => Unit::Column {
            name: name.string()?.to_owned(),
            most_rows: most_rows.ok_or_else(|| {
                table.error(
                    "[privacy] lacks `most_rows`, the most rows of one unit that count in a group; \
                     add, for example, most_rows = 4",
                )
            })?,
            most_groups: most_groups.unwrap_or(1),
        },
    };
    if unit == Unit::Row && (most_rows.is_some() || most_groups.is_some()) {
        return Err(table.error(
            "`most_rows` and `most_groups` are for a unit with several rows; name its column with \
             `unit`, or leave them out",
        ));
    }
    let neighbours = match (change_one, rows, &unit) {
        (false, None, _) => Neighbours::AddRemove,
        (false, Some(_), _) => {
            return Err(table.error(
                "`rows` is public only under neighbours = \"change-one\"; for a guess use \
                 `expected_rows`",
            ));
        }
        (true, None, Unit::Row) => {
            return Err(table.error(
                "under neighbours = \"change-one\" the number of rows is public; add `rows`, or \
                 use neighbours = \"add-remove\"",
            ));
        }
        (true, Some(_), Unit::Column { .. }) => {
            return Err(table.error(
                "with a `unit` column a unit that changes may change the number of rows; leave out \
                 `rows`",
            ));
        }
        (true, rows, _) => Neighbours::ChangeOne { rows },
    };
    table.finish()?;
    Ok((neighbours, unit))
}

/// What may be spent, and how releases compose.
struct Budget {
    budget: Loss,
    currency: Option<Currency>,
    thresholds: Option<Rational>,
    spend: Loss,
    part: Option<Rational>,
    composes: bool,
}

fn budget(root: &Table<'_>) -> Result<Budget, PlanError> {
    let table = section(root, "budget")?;
    let currency = table.get("currency");
    let currency = currency
        .map(|value| value.word(&[("zcdp", Currency::Zcdp), ("gaussian", Currency::Gaussian)]))
        .transpose()?;
    let thresholds = table.get("thresholds").map(|v| v.fraction()).transpose()?;
    let budget = loss(&table)?;
    let composes = currency.is_some() || thresholds.is_some();
    if composes && budget.measure != LossMeasure::Approximate {
        return Err(table.error(
            "`currency` and `thresholds` say how releases add up under a budget of `epsilon` and \
             `delta`; add `delta`, or leave them out",
        ));
    }
    if thresholds
        .as_ref()
        .is_some_and(|part| *part >= budget.delta)
    {
        return Err(table.error("`thresholds` must be below `delta`: the rest is for noise"));
    }
    let all = |spend, part, composes| Budget {
        budget: budget.clone(),
        currency,
        thresholds: thresholds.clone(),
        spend,
        part,
        composes,
    };
    let Some(table) = root.table("spend")? else {
        return Ok(all(budget.clone(), None, false));
    };
    let stated = table.get("composes");
    let composes = stated.as_ref().map(|v| v.boolean()).transpose()?;
    if let (Some(value), true) = (&stated, budget.measure != LossMeasure::Approximate) {
        return Err(value.error(
            "`composes` is for budgets of `epsilon` and `delta`: losses in one number add up \
             anyway; leave it out",
        ));
    }
    if let Some(value) = table.get("part") {
        let part = value.positive()?;
        table.finish()?;
        if let (Some(value), Some(false)) = (&stated, composes) {
            return Err(value.error("a `part` of the budget composes; leave out `composes`"));
        }
        if part > Rational::ONE {
            return Err(value.error("`part` is a part of the budget, so it is at most 1"));
        }
        let spend = Loss {
            measure: budget.measure,
            main: &budget.main * &part,
            delta: &budget.delta * &part,
        };
        let composes = budget.measure == LossMeasure::Approximate;
        return Ok(all(spend, Some(part), composes));
    }
    let spend = loss(&table)?;
    if spend.measure != budget.measure {
        return Err(table.error(other_keys(spend.measure, budget.measure)));
    }
    if spend.main > budget.main || spend.delta > budget.delta {
        return Err(
            table.error("[spend] is more than [budget]; lower it, or raise the budget of the data")
        );
    }
    Ok(all(spend, None, composes.unwrap_or(false)))
}

/// What [spend] has too little or too much, beside a budget in another measure.
fn other_keys(spend: LossMeasure, budget: LossMeasure) -> String {
    let keys = |measure| match measure {
        LossMeasure::Pure => "`epsilon`",
        LossMeasure::Zcdp => "`rho`",
        _ => "`epsilon` and `delta`",
    };
    match (spend, budget) {
        (LossMeasure::Pure, LossMeasure::Approximate) => {
            "[spend] lacks `delta`; add it, or write part = \
            \"1/4\" for a quarter of [budget]"
                .to_owned()
        }
        (LossMeasure::Approximate, LossMeasure::Pure) => {
            "[spend] has `delta`, and [budget] has none; leave it out".to_owned()
        }
        _ => format!(
            "[spend] has {}, and [budget] has {}; write the same, or part = \"1/4\" for a quarter \
             of it",
            keys(spend),
            keys(budget)
        ),
    }
}

fn loss(table: &Table<'_>) -> Result<Loss, PlanError> {
    let epsilon = table.get("epsilon").map(|v| v.positive()).transpose()?;
    let rho = table.get("rho").map(|v| v.positive()).transpose()?;
    let delta = table.get("delta").map(|v| v.fraction()).transpose()?;
    table.finish()?;
    let name = table.name();
    let (measure, main) = match (epsilon, rho, &delta) {
        (Some(epsilon), None, None) => (LossMeasure::Pure, epsilon),
        (Some(epsilon), None, Some(_)) => (LossMeasure::Approximate, epsilon),
        (None, Some(rho), None) => (LossMeasure::Zcdp, rho),
        _ => {
            return Err(table.error(format!(
                "{name} must have `epsilon`, or `rho`, or `epsilon` and `delta`"
            )));
        }
    };
    Ok(Loss {
        measure,
        main,
        delta: delta.unwrap_or(Rational::ZERO),
    })
}

fn accountant(value: &Value<'_>, measure: LossMeasure) -> Result<Accountant, PlanError> {
    let accountant = value.word(&Accountant::ALL.map(|one| (one.name(), one)))?;
    let remedy = match (accountant, measure) {
        (Accountant::Pure | Accountant::Zcdp, LossMeasure::Approximate)
        | (Accountant::Pure, LossMeasure::Pure)
        | (Accountant::Zcdp, LossMeasure::Zcdp) => return Ok(accountant),
        (_, LossMeasure::Pure) => {
            "a budget of `epsilon` alone is counted by \"pure\"; add `delta` to the budget"
        }
        (Accountant::Optimal, LossMeasure::Zcdp) => {
            "\"optimal\" needs a budget of `epsilon` and `delta`"
        }
        (_, LossMeasure::Zcdp) => "a budget of `rho` is counted by \"zcdp\"",
        _ => return Ok(accountant),
    };
    Err(value.error(remedy))
}

/// An expression in a plan. Its errors give the place in the plan; if the text is written with
/// escapes, the place within the text.
pub fn expression(
    value: &Value<'_>,
    read: impl FnOnce(&str) -> Result<Expression, ExpressionError>,
) -> Result<Expression, PlanError> {
    let text = value.string()?;
    read(text).map_err(|error| {
        let lines = text.split_inclusive('\n');
        let before: usize = lines.take(error.line() as usize - 1).map(str::len).sum();
        let line = &text[before.min(text.len())..];
        let characters = line.chars().take(error.column() as usize - 1);
        let at = before + characters.map(char::len_utf8).sum::<usize>();
        match value.error_within(at, error.message()) {
            Some(error) => error,
            None => value.error(error.to_string()),
        }
    })
}

/// The first text that occurs twice.
pub fn first_twice(texts: &[String]) -> Option<&String> {
    let mut seen = std::collections::BTreeSet::new();
    texts.iter().find(|text| !seen.insert(*text))
}
