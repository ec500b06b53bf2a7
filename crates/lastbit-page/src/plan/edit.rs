//! What a form changes in the text of a plan: the value that it names, and nothing else.

use lastbit_release::plan::FILL_IN;
use serde::Deserialize;
use toml_edit::{
    Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value, value,
};

use super::fields::Step;
use super::form::{Of, of, plain, shown};
use crate::line_ends;

/// The longest value of a field, in bytes.
const MOST_VALUE: usize = 1 << 18;

/// A change that a form asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Sets a field; an empty value takes the key out.
    Set {
        /// Which.
        path: Vec<Step>,
        /// As the field shows it.
        value: String,
    },
    /// What a statistic may cost, in place of what it had.
    #[serde(rename = "share")]
    Allowance {
        /// Which statistic.
        index: usize,
        /// `weight`, `loss` or `error`.
        by: By,
        /// How much.
        value: String,
    },
    /// Adds a column to fill in.
    AddColumn {
        /// Its name in the file.
        name: String,
        /// Whether its cells are numbers.
        numbers: bool,
    },
    /// Adds a count.
    AddStatistic {
        /// Its name.
        name: String,
    },
    /// Takes a column or a statistic out.
    Remove {
        /// Which.
        path: Vec<Step>,
    },
}

/// How a statistic's cost is said.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A share of what others leave.
    Weight,
    /// A loss.
    Loss,
    /// An error.
    Error,
}

/// The text after some operations. All else in it stays as it is: order, comments, spaces, keys
/// that no form has.
pub fn edited(text: &str, operations: &[Operation]) -> Result<String, String> {
    if operations.is_empty() {
        return Ok(text.to_owned());
    }
    let mut document: DocumentMut = text
        .parse()
        .map_err(|_| "the text is not TOML; correct it before you use the form".to_owned())?;
    for operation in operations {
        apply(&mut document, operation)?;
    }
    Ok(line_ends::kept(text, &document.to_string()))
}

fn apply(document: &mut DocumentMut, operation: &Operation) -> Result<(), String> {
    match operation {
        Operation::Set { path, value } => set(document, path, value),
        Operation::Allowance { index, by, value } => {
            let statistic = [Step::Key("statistics".into()), Step::Index(*index)];
            let table = table_at(document.as_item_mut(), &statistic)?;
            let key = match by {
                By::Weight => "weight",
                By::Loss => "loss",
                By::Error => "error",
            };
            for other in ["weight", "loss", "error"] {
                if other != key {
                    table.remove(other);
                }
            }
            if *by != By::Error {
                table.remove("confidence");
            }
            // A weight of 1 is what a statistic has anyway.
            if *by == By::Weight && value.trim() == "1" && table.get(key).is_none() {
                return Ok(());
            }
            put(table, key, number(value));
            Ok(())
        }
        Operation::AddColumn { name, numbers } => add_column(document, name, *numbers),
        Operation::AddStatistic { name } => add_statistic(document, name),
        Operation::Remove { path } => match path.as_slice() {
            [Step::Key(columns), Step::Key(name)] if columns == "columns" => {
                let columns = table_at(document.as_item_mut(), &path[..1])?;
                columns.remove(name);
                Ok(())
            }
            [Step::Key(list), Step::Index(index)] if list == "statistics" => {
                match document.get_mut("statistics") {
                    Some(Item::ArrayOfTables(tables)) if *index < tables.len() => {
                        tables.remove(*index);
                        Ok(())
                    }
                    Some(Item::Value(Value::Array(array))) if *index < array.len() => {
                        array.remove(*index);
                        Ok(())
                    }
                    _ => Err(GONE.to_owned()),
                }
            }
            _ => Err(GONE.to_owned()),
        },
    }
}

const GONE: &str = "the text has no such place any more";

fn set(document: &mut DocumentMut, path: &[Step], text: &str) -> Result<(), String> {
    let of = of(path).ok_or(GONE)?;
    let Some((Step::Key(key), tables)) = path.split_last() else {
        return Err(GONE.to_owned());
    };
    if text.len() > MOST_VALUE {
        return Err("this is longer than a field takes".to_owned());
    }
    if let [Step::Key(section)] = tables
        && document.get(section).is_none()
        && !text.trim().is_empty()
    {
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        // Beside the section that it belongs to.
        let after = (section == "spend")
            .then(|| document.get("budget")?.as_table()?.position())
            .flatten();
        table.set_position(after);
        document.insert(section, Item::Table(table));
    }
    let table = match table_at(document.as_item_mut(), tables) {
        Ok(table) => table,
        Err(_) if text.trim().is_empty() => return Ok(()),
        Err(error) => return Err(error),
    };
    let trimmed = text.trim();
    let kept = table.get(key).and_then(|item| shown("", item, of));
    let is_no = of == Of::Flag && trimmed == "false";
    if trimmed.is_empty() || (is_no && kept.as_deref() != Some(trimmed)) {
        table.remove(key);
        // An empty section says nothing, and some must not be empty.
        if let ([Step::Key(section)], true) = (tables, table.is_empty())
            && section == "spend"
        {
            document.remove(section);
        }
        return Ok(());
    }
    // What a field shows already stays as it is written.
    if kept.is_some_and(|kept| kept == text || kept == trimmed) {
        return Ok(());
    }
    let before = table.get(key).and_then(Item::as_value).cloned();
    let new = match of {
        Of::Text => Value::from(text),
        Of::Choice(_) => Value::from(trimmed),
        Of::Number => number(trimmed),
        Of::Flag => Value::from(true),
        // What is neither, the plan refuses.
        Of::Answer => trimmed
            .parse::<bool>()
            .map_or_else(|_| Value::from(trimmed), Value::from),
        Of::Names | Of::Numbers if trimmed.starts_with('[') => written_list(trimmed)
            .ok_or("write the items with commas between them, and without brackets and quotes")?,
        Of::Names => list(before.as_ref(), trimmed.split(','), |item| item.into()),
        Of::Numbers => list(before.as_ref(), trimmed.split(','), number),
        Of::Lines => lines(before.as_ref(), trimmed)?,
    };
    put(table, key, new);
    Ok(())
}

/// Puts a value in the place of another one, whose comment stays.
fn put(table: &mut dyn TableLike, key: &str, mut new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            table.insert(key, value(new));
        }
    }
}

/// A number or a date as it is written, and else a text: what that means, or that it means nothing,
/// is for the plan to say.
fn number(text: &str) -> Value {
    let text = text.trim();
    match text.parse::<Value>() {
        Ok(value @ (Value::Integer(_) | Value::Float(_) | Value::Datetime(_))) => value,
        _ => Value::from(text),
    }
}

/// One item as itself if it was so before, else a list. Items that were there stay as they were
/// written.
fn list<'a>(
    before: Option<&Value>,
    items: impl Iterator<Item = &'a str>,
    new: impl Fn(&str) -> Value,
) -> Value {
    let items: Vec<&str> = items
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .collect();
    let was_list = before.is_some_and(Value::is_array);
    if let ([one], false) = (items.as_slice(), was_list) {
        return new(one);
    }
    let old: Vec<&Value> = before
        .and_then(Value::as_array)
        .map(|array| array.iter().collect())
        .unwrap_or_default();
    let mut array = Array::new();
    for (index, item) in items.iter().enumerate() {
        let kept = old
            .iter()
            .find(|old| plain("", old).as_deref() == Some(item));
        let mut value = kept.map_or_else(|| new(item), |kept| (*kept).clone());
        // Spaces belong to places, comments and line breaks to items.
        if !decorated(&value) {
            value
                .decor_mut()
                .set_prefix(if index == 0 { "" } else { " " });
            value.decor_mut().set_suffix("");
        }
        array.push_formatted(value);
    }
    Value::Array(array)
}

fn decorated(value: &Value) -> bool {
    let decor = value.decor();
    [decor.prefix(), decor.suffix()]
        .into_iter()
        .flatten()
        .filter_map(|raw| raw.as_str())
        .any(|raw| raw.contains(['#', '\n']))
}

/// Categories, each on a line, or a list as TOML has it. Always a list; numbers stay numbers.
fn lines(before: Option<&Value>, text: &str) -> Result<Value, String> {
    if let Some(list) = written_list(text) {
        return Ok(list);
    }
    let empty = Value::Array(Array::new());
    let before = before.filter(|value| value.is_array()).unwrap_or(&empty);
    let had = |line: &str| {
        let mut items = before.as_array().into_iter().flat_map(Array::iter);
        items.any(|item| plain("", item).as_deref() == Some(line))
    };
    let bracket = |line: &&str| line.starts_with('[') && !had(line);
    if text.lines().map(str::trim).any(|line| bracket(&line)) {
        return Err(
            "write one category a line, without brackets and quotes; one that begins with a \
             bracket is written in the text"
                .to_owned(),
        );
    }
    Ok(list(Some(before), text.lines(), |item| item.into()))
}

/// A list of texts or numbers that is written as in TOML.
fn written_list(text: &str) -> Option<Value> {
    let value: Value = text.parse().ok()?;
    let array = value.as_array()?;
    let mut fresh = Array::new();
    for item in array {
        // Without the comments and line breaks of where it came from.
        fresh.push(match item {
            Value::Array(_) | Value::InlineTable(_) | Value::Boolean(_) => return None,
            item => item.clone().decorated("", ""),
        });
    }
    fresh.fmt();
    (!fresh.is_empty()).then_some(Value::Array(fresh))
}

fn add_column(document: &mut DocumentMut, name: &str, numbers: bool) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("name the column as the file does".to_owned());
    }
    if document.get("columns").is_none() {
        let mut columns = Table::new();
        columns.set_implicit(true);
        document.insert("columns", Item::Table(columns));
    }
    let columns = table_at(document.as_item_mut(), &[Step::Key("columns".into())])?;
    if columns.contains_key(name) {
        return Err("the plan has this column already".to_owned());
    }
    let mut column = Table::new();
    column.decor_mut().set_prefix("\n");
    if numbers {
        column.insert(
            "lower",
            value(format!("{FILL_IN}: the least that can be, such as 0")),
        );
        column.insert(
            "upper",
            value(format!("{FILL_IN}: the most that can be, such as 120")),
        );
    } else {
        column.insert(
            "categories",
            value(format!("{FILL_IN}: all of them, one a line")),
        );
    }
    columns.insert(name, Item::Table(column));
    Ok(())
}

fn add_statistic(document: &mut DocumentMut, name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("give the statistic a name".to_owned());
    }
    let list = document
        .entry("statistics")
        .or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    match list {
        Item::ArrayOfTables(tables) => {
            let mut table = Table::new();
            table.decor_mut().set_prefix("\n");
            table.insert("name", value(name));
            table.insert("kind", value("count"));
            tables.push(table);
            Ok(())
        }
        Item::Value(Value::Array(array)) => {
            let mut table = InlineTable::new();
            table.insert("name", name.into());
            table.insert("kind", "count".into());
            array.push(table);
            Ok(())
        }
        _ => Err(GONE.to_owned()),
    }
}

fn table_at<'a>(root: &'a mut Item, path: &[Step]) -> Result<&'a mut dyn TableLike, String> {
    let mut item = root;
    for step in path {
        item = match step {
            Step::Key(key) => item
                .as_table_like_mut()
                .and_then(|table| table.get_mut(key)),
            Step::Index(index) => item.get_mut(*index),
        }
        .ok_or(GONE)?;
    }
    item.as_table_like_mut().ok_or_else(|| GONE.to_owned())
}
