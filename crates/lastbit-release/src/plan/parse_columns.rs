//! The columns of a plan.

use std::collections::HashMap;
use std::sync::Arc;

use super::parse::expression;
use super::parse_numbers::{numbers, scale};
use super::reader::{Table, Value};
use super::{Categories, Column, ColumnKind, NumberKind, PlanError};
use crate::expression::{Declarations, Expression, Type, quoted};
use crate::value::canonical;

/// The most categories that `from` and `to` list.
const MOST_LISTED: i64 = 10_000;

/// A column, the expression that computes it, and the codes of missing cells.
pub struct Read {
    pub column: Column,
    pub derived: Option<Expression>,
    pub codes: Vec<String>,
}

/// The types of the columns of the files, as [columns] declares them: for the filter of the source
/// and derived columns, which read the cells of files. A column with `as` is none of those.
pub fn declarations(columns: &[(&str, Value<'_>)]) -> Result<Declarations, PlanError> {
    let declared = |(name, value): &(&str, Value<'_>)| -> Result<_, PlanError> {
        let table = value.table(format!("[columns.{name}]"))?;
        let scale = scale(&table)?;
        let bounded = ["lower", "upper", "edges", "every"];
        let bounded = bounded.iter().any(|key| table.get(key).is_some());
        let is_number = bounded || scale != NumberKind::Real;
        let own = is_number && table.get("as").is_none();
        Ok(own.then(|| ((*name).to_owned(), declared_type(scale))))
    };
    let found = columns.iter().map(declared);
    Ok(found
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

/// The types of all columns, as the filters of statistics read them.
pub fn declarations_of(columns: &[Column]) -> Declarations {
    let declared = |column: &Column| match &column.kind {
        ColumnKind::Numbers(numbers) => Some((column.name.clone(), declared_type(numbers.scale))),
        _ => None,
    };
    columns.iter().filter_map(declared).collect()
}

fn declared_type(scale: NumberKind) -> Type {
    match scale {
        NumberKind::Days => Type::Date,
        NumberKind::Seconds => Type::Timestamp,
        _ => Type::Number,
    }
}

/// Reads `[columns.name]`.
pub fn column(name: &str, value: &Value<'_>, declared: &Declarations) -> Result<Read, PlanError> {
    let table = value.table(format!("[columns.{name}]"))?;
    let scale = scale(&table)?;
    let derived = derived(name, &table, scale, declared)?;
    let codes = codes(&table)?;
    let title = match table.get("title") {
        None => None,
        Some(value) => match value.string()? {
            "" => return Err(value.error("`title` is empty; leave it out, or say what to show")),
            title => Some(title.to_owned()),
        },
    };
    let discover = match table.get("discover") {
        None => false,
        Some(value) => value.boolean()?,
    };
    let listed = categories(&table)?;
    let numeric = ["lower", "upper", "edges", "every"].map(|key| table.get(key).is_some());
    let numeric = numeric.contains(&true) || scale != NumberKind::Real;
    if [numeric, listed.is_some(), discover]
        .iter()
        .filter(|&&given| given)
        .count()
        != 1
    {
        return Err(table.error(format!(
            "{} must have either `lower` and `upper`, or `edges`, or `categories`, or discover = \
             true",
            table.name()
        )));
    }
    let (kind, labels) = match listed {
        Some((names, labels)) => {
            let other = other(&table, &names)?;
            let categories = Categories {
                column: name.to_owned(),
                names,
                other,
            };
            (ColumnKind::Categories(Arc::new(categories)), labels)
        }
        None if discover => (ColumnKind::Discovered, None),
        None => {
            let (numbers, labels) = numbers(name, &table, scale)?;
            (ColumnKind::Numbers(Arc::new(numbers)), labels)
        }
    };
    table.finish()?;
    let column = Column {
        name: name.to_owned(),
        title,
        kind,
        labels,
    };
    Ok(Read {
        column,
        derived,
        codes,
    })
}

/// The expression of `as`. For dates and times it also says how cells are read, and on which clock.
fn derived(
    name: &str,
    table: &Table<'_>,
    scale: NumberKind,
    declared: &Declarations,
) -> Result<Option<Expression>, PlanError> {
    let given = table.get("as");
    let written = given
        .as_ref()
        .map(|value| expression(value, |text| Expression::parse_with(text, declared)))
        .transpose()?;
    let offset = table.get("offset");
    if let (Some(offset), false) = (&offset, scale.is_calendar()) {
        return Err(offset.error(
            "`offset` is for date = true or time = true: the clock that timestamps are read on; \
             leave it out",
        ));
    }
    if !scale.is_calendar() {
        return Ok(written);
    }
    let cell = match &given {
        Some(value) => format!("({})", value.string()?),
        None => quoted(name),
    };
    let cell = match &offset {
        None => cell,
        Some(offset) => format!(
            "at_offset({cell}, '{}')",
            offset.string()?.replace('\'', "''")
        ),
    };
    let function = match scale {
        NumberKind::Days => "date",
        _ => "timestamp",
    };
    let place = offset.or(given);
    let read = Expression::parse(&format!("{function}({cell})"));
    read.map(Some).map_err(|error| match place {
        Some(value) => value.error(error.message()),
        None => table.error(error.message()),
    })
}

/// The values of cells that count as missing.
fn codes(table: &Table<'_>) -> Result<Vec<String>, PlanError> {
    let Some(list) = table.get("missing_codes") else {
        return Ok(vec![]);
    };
    if table.get("as").is_some() {
        return Err(list.error(
            "`missing_codes` is for a column of the file; in a derived one write nullif(x, 99), or \
             case when x in (98, 99) then null else x end",
        ));
    }
    let mut codes = Vec::new();
    for item in list.list_or_one()? {
        let code = canonical(&item.plain()?).ok_or_else(|| {
            item.error("an empty cell is missing anyway; leave it out of `missing_codes`")
        })?;
        if codes.contains(&code) {
            return Err(item.error(format!("`missing_codes` lists \"{code}\" twice")));
        }
        codes.push(code);
    }
    // Sorted, because their order in the plan does not matter.
    codes.sort();
    Ok(codes)
}

/// The names of categories, and how each is shown if not by its name.
type Listed = (Vec<String>, Option<Vec<String>>);

fn categories(table: &Table<'_>) -> Result<Option<Listed>, PlanError> {
    let (from, to) = (table.get("from"), table.get("to"));
    let list = table.get("categories");
    let labels = table.get("labels");
    let (names, known) = match (&list, from, to) {
        (None, None, None) => match &labels {
            None => return Ok(None),
            // The labels list the categories.
            Some(labels) => {
                let entries = labels.table("`labels`".to_owned())?.entries();
                (
                    entries.iter().map(|(key, _)| (*key).to_owned()).collect(),
                    None,
                )
            }
        },
        (Some(list), None, None) => match list.string().ok().and_then(calendar) {
            Some((names, labels)) => (names, labels),
            None => {
                let items = list.list_or_one()?;
                let names = items.iter().map(Value::plain).collect::<Result<_, _>>()?;
                (names, None)
            }
        },
        (None, Some(from), Some(to)) => {
            let (first, last) = (i64::from(from.integer()?), i64::from(to.integer()?));
            if last < first || last - first >= MOST_LISTED {
                return Err(to.error(format!(
                    "`to` must be at least `from`, and both list at most {MOST_LISTED} categories; \
                     got {first} to {last}"
                )));
            }
            (
                (first..=last).map(|number| number.to_string()).collect(),
                None,
            )
        }
        (None, Some(one), None) | (None, None, Some(one)) => {
            return Err(one.error(
                "`from` and `to` go together: the categories are the whole numbers between them",
            ));
        }
        (Some(list), ..) => {
            return Err(list.error("`categories` lists them; leave out `from` and `to`"));
        }
    };
    let place = list.as_ref().or(labels.as_ref());
    let fail = |message: String| match place {
        Some(value) => value.error(message),
        None => table.error(message),
    };
    let values = distinct(&names).map_err(&fail)?;
    let Some(labels) = labels else {
        return Ok(Some((names, known)));
    };
    let mut shown = known.unwrap_or_else(|| names.clone());
    for (key, label) in labels.table("`labels`".to_owned())?.entries() {
        let place = canonical(key).and_then(|value| values.get(&value).copied());
        let place = place.ok_or_else(|| {
            label.error(format!(
                "`labels` names \"{key}\", which is none of the categories"
            ))
        })?;
        shown[place] = label.string()?.to_owned();
        if shown[place].trim().is_empty() {
            return Err(label.error(format!("the label of \"{key}\" is empty")));
        }
    }
    if let Some(twice) = super::parse::first_twice(&shown) {
        return Err(labels.error(format!("two categories are shown as \"{twice}\"")));
    }
    Ok(Some((names, Some(shown))))
}

/// The place of each value in the list.
fn distinct(names: &[String]) -> Result<HashMap<String, usize>, String> {
    if names.is_empty() {
        return Err("`categories` names none; list at least one".to_owned());
    }
    let mut values = HashMap::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        let value = canonical(name).ok_or_else(|| {
            "`categories` lists an empty text, but an empty cell is missing; name a category for \
             missing cells with `other`"
                .to_owned()
        })?;
        if let Some(before) = values.insert(value, place) {
            return Err(match &names[before] {
                same if same == name => format!("`categories` lists \"{name}\" twice"),
                other => format!(
                    "`categories` lists \"{other}\" and \"{name}\", which are one value; remove one"
                ),
            });
        }
    }
    Ok(values)
}

/// The category that missing and unlisted cells count as.
fn other(table: &Table<'_>, names: &[String]) -> Result<Option<usize>, PlanError> {
    let Some(other) = table.get("other") else {
        return Ok(None);
    };
    let text = other.plain()?;
    let value = canonical(&text);
    let place = names
        .iter()
        .position(|name| value.is_some() && canonical(name) == value);
    place.map(Some).ok_or_else(|| {
        other.error(format!(
            "`other` is \"{text}\", which is none of the categories; add it to them"
        ))
    })
}

/// The lists that have a name.
fn calendar(word: &str) -> Option<Listed> {
    let numbers = |first: u32, last: u32| (first..=last).map(|n| n.to_string()).collect();
    let texts = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect());
    Some(match word {
        "quarters" => (numbers(1, 4), texts(&["Q1", "Q2", "Q3", "Q4"])),
        "months" => (
            numbers(1, 12),
            texts(&[
                "January",
                "February",
                "March",
                "April",
                "May",
                "June",
                "July",
                "August",
                "September",
                "October",
                "November",
                "December",
            ]),
        ),
        "weeks" => (numbers(1, 53), None),
        "weekdays" => (
            numbers(1, 7),
            texts(&[
                "Monday",
                "Tuesday",
                "Wednesday",
                "Thursday",
                "Friday",
                "Saturday",
                "Sunday",
            ]),
        ),
        "hours" => (numbers(0, 23), None),
        _ => return None,
    })
}
