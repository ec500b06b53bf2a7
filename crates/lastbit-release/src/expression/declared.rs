//! Comparisons with columns that a plan declares: a date has no order as a text.

use super::draft::{Draft, Shape};
use super::error::ExpressionError;
use super::node::{Node, Type};
use crate::clean::shown;

/// Columns whose type is declared, as a plan does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations(Vec<(String, Type)>);

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// By whether they are the same.
    Equality,
    /// By their order.
    Order,
}

impl FromIterator<(String, Type)> for Declarations {
    fn from_iter<I: IntoIterator<Item = (String, Type)>>(columns: I) -> Declarations {
        Declarations(columns.into_iter().collect())
    }
}

impl Declarations {
    fn of(&self, draft: &Draft) -> Option<(&str, Type)> {
        let Shape::Column(name) = &draft.shape else {
            return None;
        };
        let (name, kind) = self.0.iter().find(|(other, _)| other == name)?;
        Some((name, *kind))
    }

    /// Refuses to compare values as a type that a bare column among them is declared not to have.
    ///
    /// As texts, a number is still equal to what writes the same number, and codes such as `'NA'`
    /// are looked for that way, so only the order of numbers is refused. What is converted by name,
    /// as in `text(x)`, was meant.
    pub(super) fn check<'a>(
        &self,
        values: impl Iterator<Item = &'a Draft> + Clone,
        kind: Type,
        operation: Operation,
    ) -> Result<(), ExpressionError> {
        for value in values.clone() {
            let Some((name, declared)) = self.of(value) else {
                continue;
            };
            let is_calendar = matches!(declared, Type::Date | Type::Timestamp);
            let is_wrong = match kind {
                Type::Text => is_calendar || operation == Operation::Order,
                Type::Number => is_calendar,
                _ => false,
            };
            if !is_wrong || (declared != Type::Number && !is_calendar) {
                continue;
            }
            let other = values.clone().find_map(|other| match &other.shape {
                Shape::Known(Node::Text(text)) => Some((other.at, text.as_str(), true)),
                Shape::Literal(_, text) => Some((other.at, text.as_str(), false)),
                _ => None,
            });
            let write = match (declared, other) {
                (Type::Number, Some((_, text, _))) if text.trim().parse::<f64>().is_ok() => {
                    text.trim().to_owned()
                }
                (Type::Number, _) => format!("a number, such as {name} < 18"),
                (declared, other) => {
                    let text = other.map_or("", |(_, text, _)| text);
                    literal(declared, text)
                }
            };
            let is = match declared {
                Type::Number => "a number",
                Type::Date => "a date",
                _ => "a time",
            };
            let meant = match kind {
                Type::Text => "text",
                _ => "number",
            };
            let name = shown(name);
            return Err(ExpressionError::new(
                other.map_or(value.at, |(at, ..)| at),
                format!(
                    "`{name}` is {is} in this plan, and here it would be compared as a {meant}: \
                     write {write}, or {meant}({name}) if that is meant"
                ),
            ));
        }
        Ok(())
    }
}

/// A day or a time as an expression writes it: the one that a text says, or else an example.
fn literal(kind: Type, text: &str) -> String {
    let text = text.trim();
    match kind {
        Type::Date => {
            let read = super::day_of(text).or_else(|| super::day_of(&iso(text)?));
            let day = read.and_then(super::show_day);
            format!("date '{}'", day.as_deref().unwrap_or("2024-01-31"))
        }
        _ => {
            let time = super::second_of(text).and_then(super::show_second);
            let time = time.as_deref().unwrap_or("2024-01-31T23:59:59");
            format!("timestamp '{time}'")
        }
    }
}

/// `20160520` as `2016-05-20`, which no other day is written as.
fn iso(text: &str) -> Option<String> {
    let is_digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]))
}
