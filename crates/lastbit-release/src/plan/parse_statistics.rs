//! The statistics of a plan.

use lastbit::Confidence;
use lastbit_exact::Rational;

use super::parse::{expression, first_twice};
use super::parse_columns::declarations_of;
use super::reader::{Table, Value};
use super::{Allowance, Column, Neighbours, PlanError, Scope, Statistic, Unit};
use crate::expression::Expression;
use crate::loss::LossMeasure;
use crate::statistic::{KINDS, Reading};

/// What a plan says before its statistics.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    pub confidence: &'a Confidence,
    pub measure: LossMeasure,
    pub columns: &'a [Column],
    pub derived: &'a [(String, Expression)],
    pub unit: &'a Unit,
    pub neighbours: Neighbours,
    /// Whether a filter decides which rows count, so that their number is not public.
    pub is_filtered: bool,
}

/// The statistics, and the place of each.
pub fn statistics<'a>(
    root: &Table<'a>,
    before: Before<'_>,
) -> Result<(Vec<Statistic>, Vec<Value<'a>>), PlanError> {
    let list = root.need("statistics", "a table [[statistics]]")?.list()?;
    if list.is_empty() {
        return Err(root.error("the plan has no statistics; add a table [[statistics]]"));
    }
    let statistics: Vec<Statistic> = list
        .iter()
        .enumerate()
        .map(|(index, value)| statistic(index, value, before))
        .collect::<Result<_, _>>()?;
    let names: Vec<String> = statistics.iter().map(|s| s.name.clone()).collect();
    if let Some(twice) = first_twice(&names) {
        let place = names.iter().rposition(|name| name == twice).unwrap_or(0);
        return Err(list[place].error(format!(
            "two statistics are called \"{twice}\"; give one of them another name"
        )));
    }
    Ok((statistics, list))
}

/// What others call a kind, and how it is written here.
fn other_word(word: &str) -> Option<(&str, &'static str)> {
    let ours = match word {
        "median" => "kind = \"quantiles\" and at = [0.5]",
        "percentile" | "percentiles" | "quantile" => "kind = \"quantiles\" and at = [0.25, 0.5]",
        "average" | "avg" => "kind = \"mean\"",
        "total" => "kind = \"sum\"",
        "proportion" | "percentage" | "ratio" => "kind = \"share\"",
        "std" | "stddev" | "deviation" => "kind = \"variance\", the square of the deviation",
        "people" | "persons" | "distinct" => "kind = \"units\"",
        _ => return None,
    };
    Some((word, ours))
}

fn statistic(index: usize, value: &Value<'_>, before: Before<'_>) -> Result<Statistic, PlanError> {
    let unnamed = value.table(format!("statistic {}", index + 1))?;
    let name = unnamed
        .need("name", "name = \"mean age\"")?
        .string()?
        .to_owned();
    if name.is_empty() {
        return Err(unnamed.error(format!("{} has an empty name", unnamed.name())));
    }
    let table = value.table(format!("statistic \"{name}\""))?;
    table.get("name");
    let kinds: Vec<_> = KINDS
        .iter()
        .map(|word| (word.text(), word.read()))
        .collect();
    let kind = table.need("kind", "kind = \"mean\"")?;
    if let Some((word, ours)) = kind.string().ok().and_then(other_word) {
        return Err(kind.error(format!("there is no kind \"{word}\" here; write {ours}")));
    }
    let read = kind.word(&kinds)?;
    let by = match table.get("by") {
        None => vec![],
        Some(value) => {
            let by = value.strings()?;
            if let Some(twice) = first_twice(&by) {
                return Err(value.error(format!("`by` lists `{twice}` twice")));
            }
            by
        }
    };
    let mut scope = scope(&table, before)?;
    let is_filtered = before.is_filtered || scope.filter.is_some();
    let rows = match (before.neighbours, before.unit) {
        (Neighbours::ChangeOne { rows }, Unit::Row) if by.is_empty() && !is_filtered => rows,
        _ => None,
    };
    let kind = read(&Reading {
        table: &table,
        columns: before.columns,
        derived: before.derived,
        unit: before.unit,
        rows,
    })?;
    if let (Some(own), Some((most_rows, _))) =
        (kind.most_rows(), Scope::default().limits(before.unit))
    {
        scope.most_rows = (own != most_rows).then_some(own);
    }
    let mut by = by;
    for key in kind.keys() {
        if by.iter().any(|other| other == key) {
            return Err(table.error(format!(
                "{} is both of `{key}` and by it; leave it out of `by`",
                table.name()
            )));
        }
        by.push(key.to_owned());
    }
    let allowance = allowance(&table, before.confidence, before.measure)?;
    let expected_rows = table
        .get("expected_rows")
        .map(|value| value.count())
        .transpose()?;
    table.finish()?;
    Ok(Statistic {
        name,
        kind,
        by,
        scope,
        allowance,
        expected_rows,
        groups_of_unit: None,
    })
}

/// The rows that a statistic describes. A limit equal to the plan's is not one of its own.
fn scope(table: &Table<'_>, before: Before<'_>) -> Result<Scope, PlanError> {
    let unit = before.unit;
    let declared = declarations_of(before.columns);
    let condition = |text: &str| Expression::condition_with(text, &declared);
    let filter = table
        .get("where")
        .map(|value| expression(&value, condition))
        .transpose()?;
    let limit = |key, of_plan: fn(&Unit) -> Option<u64>| -> Result<Option<u64>, PlanError> {
        let Some(value) = table.get(key) else {
            return Ok(None);
        };
        let own = value.count()?;
        match of_plan(unit) {
            Some(limit) => Ok((own != limit).then_some(own)),
            None => Err(value.error(format!(
                "`{key}` is for a unit with several rows; name its column with `unit` in \
                 [privacy], or leave it out"
            ))),
        }
    };
    let most_rows = |unit: &Unit| Some(Scope::default().limits(unit)?.0);
    let most_groups = |unit: &Unit| Some(Scope::default().limits(unit)?.1);
    Ok(Scope {
        filter,
        most_rows: limit("most_rows", most_rows)?,
        most_groups: limit("most_groups", most_groups)?,
    })
}

fn allowance(
    table: &Table<'_>,
    confidence: &Confidence,
    measure: LossMeasure,
) -> Result<Allowance, PlanError> {
    let loss = table.get("loss");
    let weight = table.get("weight");
    let error = table.get("error");
    let own = table.get("confidence");
    if let (Some(own), None) = (&own, &error) {
        return Err(own.error(
            "`confidence` of a statistic belongs to an `error` target; add one, or leave it out",
        ));
    }
    match (loss, weight, error) {
        (None, None, None) => Ok(Allowance::Weight(Rational::ONE)),
        (Some(loss), None, None) => Ok(Allowance::Loss(loss.positive().map_err(|error| {
            let name = if measure == LossMeasure::Zcdp {
                "ρ"
            } else {
                "ε"
            };
            loss.error(format!("{} ({name})", error.message()))
        })?)),
        (None, Some(weight), None) => Ok(Allowance::Weight(weight.positive()?)),
        (None, None, Some(error)) => Ok(Allowance::Error {
            target: error.positive()?,
            confidence: match own {
                None => confidence.clone(),
                Some(own) => Confidence::new(own.fraction()?)
                    .map_err(|error| own.error(error.to_string()))?,
            },
        }),
        _ => Err(table.error(format!(
            "{} has more than one of `loss`, `weight` and `error`; keep one",
            table.name()
        ))),
    }
}
