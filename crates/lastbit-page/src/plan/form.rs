//! The form of a plan: fields that are read from its text.

use std::borrow::Cow;

use lastbit_release::plan::{Accountant, FILL_IN};
use lastbit_release::statistic::WORDS;
use serde_json::{Value, json};
use toml_edit::{Item, TableLike};

use super::fields::{Read, Step};
use super::object;

/// How a field is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// Text.
    Text,
    /// A number, or a date.
    Number,
    /// One or more names, with commas between them.
    Names,
    /// Numbers, with commas between them.
    Numbers,
    /// Texts, each on a line.
    Lines,
    /// Yes, or no, as which it counts if it is not there.
    Flag,
    /// Yes or no, or neither, which is not the same as no.
    Answer,
    /// One of some words.
    Choice(&'static [&'static str]),
}

/// A field of a table: its key, its label, how it is written, and what it means.
type Spec = (&'static str, &'static str, Of, &'static str);

const PLAN: &[Spec] = &[
    ("title", "Title", Of::Text, "what the report is called"),
    (
        "confidence",
        "Confidence",
        Of::Number,
        "the probability with which each stated error holds; 0.95 if empty",
    ),
    (
        "accountant",
        "Accountant",
        Of::Choice(&Accountant::NAMES),
        "how losses are added; if empty, the one under which errors are smallest",
    ),
    (
        "expected_rows",
        "Expected rows",
        Of::Number,
        "a guess of the rows in a group, for errors that depend on it; never data",
    ),
];

const SOURCE: &[Spec] = &[
    (
        "files",
        "Files",
        Of::Names,
        "tables in this directory, with commas between them",
    ),
    (
        "where",
        "Only rows where",
        Of::Text,
        "a condition; other rows are as if they were not there",
    ),
];

const PRIVACY: &[Spec] = &[
    (
        "neighbours",
        "Neighbours",
        Of::Choice(&["add-remove", "change-one"]),
        "add-remove: the loss bounds what the presence of one unit changes; change-one: what its \
         contents change",
    ),
    (
        "unit",
        "Unit",
        Of::Text,
        "the column that says who; empty if every row is a different person",
    ),
    (
        "most_rows",
        "Most rows",
        Of::Number,
        "the most rows of a unit that count in a group; more are left out",
    ),
    (
        "most_groups",
        "Most groups",
        Of::Number,
        "the most groups of a statistic in which a unit counts; 1 if empty",
    ),
    (
        "rows",
        "Rows",
        Of::Number,
        "under change-one, where each row is a unit: how many rows there are, which is public",
    ),
];

const LOSS: &[Spec] = &[
    ("epsilon", "ε", Of::Number, "the loss"),
    ("delta", "δ", Of::Number, "beside ε, or empty"),
    ("rho", "ρ", Of::Number, "in place of ε and δ"),
];

const SPEND: &[Spec] = &[
    ("epsilon", "ε", Of::Number, "the loss"),
    ("delta", "δ", Of::Number, "beside ε, or empty"),
    ("rho", "ρ", Of::Number, "in place of ε and δ"),
    (
        "part",
        "Part",
        Of::Number,
        "in place of all these: a part of the budget, such as 0.1",
    ),
    (
        "composes",
        "Composes",
        Of::Flag,
        "beside ε and δ: the ledger adds up the noise of the release, not its ε and δ",
    ),
];

const COLUMN: &[Spec] = &[
    (
        "lower",
        "Lower bound",
        Of::Number,
        "of numbers: cells below count as this",
    ),
    (
        "upper",
        "Upper bound",
        Of::Number,
        "of numbers: cells above count as this",
    ),
    (
        "edges",
        "Edges",
        Of::Numbers,
        "of bins, increasing; the outermost are the bounds",
    ),
    (
        "missing",
        "Missing",
        Of::Number,
        "drop, or the number that an empty cell counts as",
    ),
    ("unit", "Measured in", Of::Text, "such as years"),
    (
        "typical",
        "Typical",
        Of::Number,
        "a typical magnitude, for relative errors; a guess",
    ),
    (
        "categories",
        "Categories, one a line",
        Of::Lines,
        "of texts: the public list; one a line, without quotes",
    ),
    (
        "other",
        "Other",
        Of::Text,
        "the category that missing or unlisted texts count as; empty leaves them out",
    ),
    (
        "discover",
        "Discover",
        Of::Flag,
        "values are not public: only those that many share are published; takes a δ",
    ),
];

const STATISTIC: &[Spec] = &[
    ("name", "Name", Of::Text, "what it is called in the report"),
    ("kind", "Kind", Of::Choice(&WORDS), "what is published"),
    (
        "of",
        "Of",
        Of::Names,
        "a column; two for a covariance or correlation; a condition for a share",
    ),
    ("by", "By", Of::Names, "columns to group by"),
    (
        "limits_by",
        "Limits by",
        Of::Names,
        "for left-out: the `by` of the statistics that it is about; empty for those without groups",
    ),
    (
        "on",
        "On",
        Of::Names,
        "for a regression: the columns that explain the other",
    ),
    (
        "weights",
        "Weights",
        Of::Text,
        "for means and sums: the column of weights; empty if all rows count alike",
    ),
    ("at", "At", Of::Numbers, "of quantiles: shares from 0 to 1"),
    (
        "interval",
        "Interval",
        Of::Answer,
        "of quantiles: whether an interval around each value is published too; true if empty",
    ),
    (
        "most",
        "Most",
        Of::Number,
        "for top: how many of the most frequent values",
    ),
    (
        "most_rows",
        "Most rows",
        Of::Number,
        "of a unit in a group, for this statistic alone",
    ),
    (
        "most_groups",
        "Most groups",
        Of::Number,
        "in which a unit counts, for this statistic alone",
    ),
    (
        "expected_rows",
        "Expected rows",
        Of::Number,
        "a guess of the rows in a group",
    ),
    (
        "where",
        "Only rows where",
        Of::Text,
        "a condition, for this statistic alone",
    ),
];

/// Keys of a plan that are tables, each with a section of its own.
const TABLES: [&str; 6] = [
    "source",
    "privacy",
    "budget",
    "spend",
    "columns",
    "statistics",
];

/// Keys of a statistic that its lock and slider show.
const SHARE: [&str; 3] = ["weight", "loss", "error"];

/// How the field of a key is written, by the table that it is in.
pub fn of(path: &[Step]) -> Option<Of> {
    let (Step::Key(key), tables) = path.split_last()? else {
        return None;
    };
    let specs = match tables {
        [] => PLAN,
        [Step::Key(table)] => match table.as_str() {
            "source" => SOURCE,
            "privacy" => PRIVACY,
            "budget" => LOSS,
            "spend" => SPEND,
            _ => return None,
        },
        [Step::Key(table), _] => match table.as_str() {
            "columns" => COLUMN,
            "statistics" if SHARE.contains(&key.as_str()) => return Some(Of::Number),
            "statistics" => STATISTIC,
            _ => return None,
        },
        _ => return None,
    };
    specs.iter().find(|(own, ..)| own == key).map(|spec| spec.2)
}

/// The form of a text; `null` if it is no TOML.
pub fn form(read: &Read<'_>) -> Value {
    let Some(root) = read.root() else {
        return Value::Null;
    };
    let text = read.text;
    let section = |title: &str, path, specs, table: Option<&dyn TableLike>, elsewhere: &[&str]| {
        section(text, title, path, specs, table, elsewhere)
    };
    let key = |key: &str| Step::Key(key.to_owned());
    let part = |title: &str, name: &str, specs| {
        let table = root.get(name).and_then(Item::as_table_like);
        section(title, vec![key(name)], specs, table, &[])
    };
    let columns = root.get("columns").and_then(Item::as_table_like);
    let columns: Vec<Value> = columns
        .iter()
        .flat_map(|columns| columns.iter())
        .map(|(name, column)| {
            let path = vec![key("columns"), key(name)];
            section(name, path, COLUMN, column.as_table_like(), &[])
        })
        .collect();
    let mut statistics = Vec::new();
    if let Some(list) = root.get("statistics") {
        while let Some(item) = list.get(statistics.len()) {
            let path = vec![key("statistics"), Step::Index(statistics.len())];
            let table = item.as_table_like();
            let name = table.and_then(|table| table.get("name")?.as_str());
            let mut one = section(name.unwrap_or("statistic"), path, STATISTIC, table, &SHARE);
            one["share"] = share(text, table);
            statistics.push(one);
        }
    }
    let sections = vec![
        section("Plan", vec![], PLAN, Some(root), &TABLES),
        part("Source", "source", SOURCE),
        part("Privacy", "privacy", PRIVACY),
        part("Budget of the data, for all releases", "budget", LOSS),
        part("What this release may spend", "spend", SPEND),
    ];
    object([
        ("sections", Value::Array(sections)),
        ("columns", Value::Array(columns)),
        ("statistics", Value::Array(statistics)),
    ])
}

/// A table as fields; keys that have none are named, so that nobody thinks they are gone.
fn section(
    text: &str,
    title: &str,
    path: Vec<Step>,
    specs: &[Spec],
    table: Option<&dyn TableLike>,
    elsewhere: &[&str],
) -> Value {
    let fields: Vec<Value> = specs
        .iter()
        .map(|(key, label, of, help)| {
            let mut path = path.clone();
            path.push(Step::Key((*key).to_owned()));
            let item = table.and_then(|table| table.get(key));
            let unfilled = item
                .and_then(Item::as_str)
                .is_some_and(|text| text.starts_with(FILL_IN));
            let shown = match unfilled {
                true => Some(Some(String::new())),
                false => item.map(|item| shown(text, item, *of)),
            };
            let written = match of {
                Of::Text | Of::Number | Of::Names | Of::Numbers => "line",
                Of::Lines => "lines",
                Of::Flag => "flag",
                Of::Answer | Of::Choice(_) => "choice",
            };
            let choices = match of {
                Of::Answer => json!(["true", "false"]),
                Of::Choice(words) => Value::from(*words),
                _ => Value::Null,
            };
            // What the field cannot hold is changed in the text.
            let is_fixed = shown.as_ref().is_some_and(Option::is_none);
            object([
                ("path", path.iter().map(Step::json).collect()),
                ("label", Value::from(*label)),
                ("help", Value::from(*help)),
                ("of", Value::from(written)),
                ("choices", choices),
                ("fixed", Value::from(is_fixed)),
                ("unfilled", Value::from(unfilled)),
                ("value", Value::from(shown.flatten().unwrap_or_default())),
            ])
        })
        .collect();
    let known = |key: &str| elsewhere.contains(&key) || specs.iter().any(|spec| spec.0 == key);
    let more: Vec<&str> = table
        .iter()
        .flat_map(|table| table.iter())
        .map(|(key, _)| key)
        .filter(|key| !known(key))
        .collect();
    object([
        ("title", Value::from(title)),
        ("path", path.iter().map(Step::json).collect()),
        ("fields", Value::Array(fields)),
        ("more", Value::from(more)),
    ])
}

/// What a statistic may cost.
fn share(text: &str, table: Option<&dyn TableLike>) -> Value {
    let given = SHARE.into_iter().find_map(|key| {
        let value = table?.get(key)?.as_value()?;
        Some((key, plain(text, value)?))
    });
    let (by, value) = given.unwrap_or(("weight", "1".to_owned()));
    json!({ "by": by, "value": value })
}

/// A value of a text as its field shows it; `None` if it cannot.
pub fn shown(text: &str, item: &Item, of: Of) -> Option<String> {
    let value = item.as_value()?;
    let plain = |value| plain(text, value);
    let Some(array) = value.as_array() else {
        let text = plain(value)?;
        let one_line = !text.contains(['\n', '\r']);
        let single = match of {
            // One item of a list may stand alone, unless it would be read as several.
            Of::Names | Of::Numbers => is_item(&text),
            _ => true,
        };
        // A word such as "months" is not a list of one category.
        let list = of == Of::Lines;
        return (one_line && single && !list).then_some(text);
    };
    let items: Vec<String> = array.iter().map(plain).collect::<Option<_>>()?;
    match of {
        Of::Names | Of::Numbers if items.iter().all(|item| is_item(item)) => Some(items.join(", ")),
        Of::Lines
            if items.iter().all(|item| {
                !item.is_empty() && item.trim() == item && !item.contains(['\n', '\r'])
            }) =>
        {
            Some(items.join("\n"))
        }
        _ => None,
    }
}

/// Whether a text can stand between commas.
fn is_item(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.contains([',', '\n', '\r'])
}

/// A value that is no list or table, as it is written in a text, but for the quotes around it. A
/// value that can be changed knows how it is written, and has no place in a text.
pub fn plain(text: &str, value: &toml_edit::Value) -> Option<String> {
    let written = |own: Cow<'_, str>| {
        let written = value.span().and_then(|span| text.get(span));
        written.unwrap_or(&own).trim().to_owned()
    };
    match value {
        toml_edit::Value::String(text) => Some(text.value().clone()),
        toml_edit::Value::Array(_) | toml_edit::Value::InlineTable(_) => None,
        toml_edit::Value::Integer(number) => Some(written(number.display_repr())),
        toml_edit::Value::Float(number) => Some(written(number.display_repr())),
        toml_edit::Value::Boolean(truth) => Some(truth.value().to_string()),
        toml_edit::Value::Datetime(time) => Some(time.value().to_string()),
    }
}
