//! Functions of texts.

use std::cmp::Ordering;

use hashbrown::HashSet;

use super::Rows;
use super::cells::{Cells, Column, Scalar, TextRows, Texts, truth};
use super::truth::compare_order;
use crate::engine::EngineError;
use crate::engine::files::cells::number;
use crate::expression::MOST_TEXT;
use crate::expression::calendar::{read_date, read_timestamp};
use crate::expression::{Comparison, Function, Node, Piece, Type};
use crate::value::{Value, value};

/// Lists of texts up to this long are compared one by one.
const MOST_COMPARED: usize = 8;

impl Rows<'_> {
    /// Calls `see` with each text, without keeping those of a column.
    fn each_text(&self, node: &Node, mut see: impl FnMut(Option<&str>)) -> Result<(), EngineError> {
        match node {
            Node::Column { name, .. } => {
                let mut digits = String::new();
                self.texts(name, |cell| match cell {
                    Value::Missing => see(None),
                    Value::Text(text) => see(Some(text)),
                    Value::Whole(number) => {
                        use core::fmt::Write;
                        digits.clear();
                        // Writing to a string does not fail.
                        let _ = write!(digits, "{number}");
                        see(Some(&digits));
                    }
                })
            }
            _ => {
                let texts = self.text(node)?;
                (0..self.count()).for_each(|row| see(texts.get(row)));
                Ok(())
            }
        }
    }

    /// Calls `see` with the value of each text.
    fn each_value(
        &self,
        node: &Node,
        mut see: impl FnMut(Option<Value>),
    ) -> Result<(), EngineError> {
        match node {
            Node::Column { name, .. } => self.texts(name, |cell| {
                see((cell != Value::Missing).then_some(cell));
            }),
            _ => {
                let texts = self.text(node)?;
                let mut buffer = String::new();
                for row in 0..self.count() {
                    see(texts.get(row).map(|text| value(text, &mut buffer)));
                }
                Ok(())
            }
        }
    }

    /// A function of each text.
    fn map_text<T: Scalar>(
        &self,
        node: &Node,
        f: impl Fn(&str) -> T,
    ) -> Result<Cells<'_, T>, EngineError> {
        let mut cells = Vec::with_capacity(self.count());
        self.each_text(node, |text| cells.push(text.map_or(T::NULL, &f)))?;
        Ok(Cells::owned(cells))
    }

    /// The texts of a node of texts.
    pub(super) fn text(&self, node: &Node) -> Result<Texts, EngineError> {
        match node {
            Node::Column { .. } => {
                let mut rows = TextRows::new(self.count());
                self.each_text(node, |text| rows.push(text))?;
                Ok(Texts::Many(rows))
            }
            _ => match self.column_of(node)? {
                Column::Text(texts) => Ok(texts),
                _ => Err(EngineError::Engine("a text was expected".into())),
            },
        }
    }

    /// A value as a text.
    pub(super) fn to_text(&self, node: &Node) -> Result<Texts, EngineError> {
        use core::fmt::Write;
        let mut rows = TextRows::new(self.count());
        let column = self.column_of(node)?;
        for row in 0..self.count() {
            // Writing to a string does not fail.
            rows.push_with(|text| match &column {
                Column::Number(cells) => {
                    let number = cells.get(row);
                    let whole = number.trunc() == number && number.abs() <= 9_007_199_254_740_992.0;
                    whole && write!(text, "{}", number as i64).is_ok()
                }
                Column::Boolean(cells) => {
                    let cell = cells.get(row);
                    !cell.is_null() && write!(text, "{}", cell == truth(true)).is_ok()
                }
                Column::Date(cells) => {
                    let day = cells.get(row);
                    !day.is_null() && write!(text, "{}", super::Day(day)).is_ok()
                }
                Column::Timestamp(cells) => {
                    let time = cells.get(row);
                    !time.is_null() && write!(text, "{}", super::Time(time)).is_ok()
                }
                Column::Text(texts) => match texts.get(row) {
                    Some(cell) => {
                        text.push_str(cell);
                        true
                    }
                    None => false,
                },
            });
        }
        Ok(Texts::Many(rows))
    }

    /// A text as another type.
    pub(super) fn of_text(&self, node: &Node, to: Type) -> Result<Column<'_>, EngineError> {
        Ok(match to {
            Type::Number => Column::Number(self.map_text(node, |text| number(Some(text)))?),
            Type::Date => Column::Date(
                self.map_text(node, |text| read_date(text.trim()).unwrap_or(i32::NULL))?,
            ),
            Type::Timestamp => Column::Timestamp(self.map_text(node, |text| {
                read_timestamp(text.trim()).unwrap_or(i64::NULL)
            })?),
            Type::Boolean => {
                let mut truths = Vec::with_capacity(self.count());
                self.each_value(node, |cell| {
                    truths.push(cell.map_or(u8::NULL, super::read::read_truth));
                })?;
                Column::Boolean(Cells::owned(truths))
            }
            Type::Text => Column::Text(self.text(node)?),
        })
    }

    /// Compares two texts by value.
    pub(super) fn compare_texts(
        &self,
        comparison: Comparison,
        left: &Node,
        right: &Node,
    ) -> Result<Cells<'_, u8>, EngineError> {
        let holds = |left: Value, right: Value| {
            let order = match (left, right) {
                (Value::Text(left), Value::Text(right)) => left.cmp(right),
                // Equal texts never need another order.
                _ if left == right => Ordering::Equal,
                _ => left.to_text().cmp(&right.to_text()),
            };
            truth(compare_order(comparison, order))
        };
        let mut truths = Vec::with_capacity(self.count());
        if let Node::Text(right) = right {
            let mut buffer = String::new();
            let right = value(right, &mut buffer);
            // The usual case, without an order.
            let equal = match comparison {
                Comparison::Equal => Some(true),
                Comparison::NotEqual => Some(false),
                _ => None,
            };
            self.each_value(left, |left| {
                truths.push(match (left, equal) {
                    (None, _) => u8::NULL,
                    (Some(left), Some(equal)) => truth((left == right) == equal),
                    (Some(left), None) => holds(left, right),
                });
            })?;
        } else {
            let right = self.text(right)?;
            let (mut row, mut buffer) = (0, String::new());
            self.each_value(left, |left| {
                let right = right.get(row).map(|text| value(text, &mut buffer));
                truths.push(match (left, right) {
                    (Some(left), Some(right)) => holds(left, right),
                    _ => u8::NULL,
                });
                row += 1;
            })?;
        }
        Ok(Cells::owned(truths))
    }

    /// Whether a text has the same value as one of some texts.
    pub(super) fn in_texts(
        &self,
        node: &Node,
        list: &[&str],
    ) -> Result<Cells<'_, u8>, EngineError> {
        let (mut whole, mut texts) = (Vec::new(), Vec::new());
        for text in list {
            match value(text, &mut String::new()) {
                Value::Whole(number) => whole.push(number),
                other => texts.push(other.to_text()),
            }
        }
        let mut truths = Vec::with_capacity(self.count());
        // A few are compared sooner than one is hashed.
        if list.len() <= MOST_COMPARED {
            self.each_value(node, |cell| {
                truths.push(match cell {
                    None => u8::NULL,
                    Some(Value::Whole(number)) => truth(whole.contains(&number)),
                    Some(Value::Text(text)) => truth(texts.iter().any(|other| other == text)),
                    Some(Value::Missing) => truth(texts.iter().any(String::is_empty)),
                });
            })?;
            return Ok(Cells::owned(truths));
        }
        let whole: HashSet<i64> = whole.into_iter().collect();
        let texts: HashSet<String> = texts.into_iter().collect();
        self.each_value(node, |cell| {
            truths.push(match cell {
                None => u8::NULL,
                Some(Value::Whole(number)) => truth(whole.contains(&number)),
                Some(Value::Text(text)) => truth(texts.contains(text)),
                Some(Value::Missing) => truth(texts.contains("")),
            });
        })?;
        Ok(Cells::owned(truths))
    }

    pub(super) fn like(
        &self,
        node: &Node,
        pattern: &[Piece],
    ) -> Result<Cells<'_, u8>, EngineError> {
        self.map_text(node, |text| truth(is_like(text, pattern)))
    }

    pub(super) fn is_null_text(&self, node: &Node) -> Result<Cells<'_, u8>, EngineError> {
        if let Node::Column { name, .. } = node {
            return self.missing(name).map(Cells::owned);
        }
        let texts = self.text(node)?;
        let is_null = |row| truth(texts.get(row).is_none());
        Ok(Cells::owned((0..self.count()).map(is_null).collect()))
    }

    pub(super) fn text_function(
        &self,
        function: Function,
        arguments: &[Node],
    ) -> Result<Column<'_>, EngineError> {
        let mut rows = TextRows::new(self.count());
        match (function, arguments) {
            (Function::Upper, [text]) => self.each_text(text, |text| {
                rows.push_with(|to| {
                    to.extend(
                        text.into_iter()
                            .flat_map(str::chars)
                            .map(|c| c.to_ascii_uppercase()),
                    );
                    text.is_some()
                });
            })?,
            (Function::Lower, [text]) => self.each_text(text, |text| {
                rows.push_with(|to| {
                    to.extend(
                        text.into_iter()
                            .flat_map(str::chars)
                            .map(|c| c.to_ascii_lowercase()),
                    );
                    text.is_some()
                });
            })?,
            (Function::Trim, [text]) => {
                self.each_text(text, |text| rows.push(text.map(str::trim)))?;
            }
            (Function::Length, [text]) => {
                return Ok(Column::Number(
                    self.map_text(text, |text| text.chars().count() as f64)?,
                ));
            }
            (Function::StartsWith, [text, start]) => {
                let start = self.text(start)?;
                let (mut row, mut truths) = (0, Vec::with_capacity(self.count()));
                self.each_text(text, |text| {
                    truths.push(match (text, start.get(row)) {
                        (Some(text), Some(start)) => truth(text.starts_with(start)),
                        _ => u8::NULL,
                    });
                    row += 1;
                })?;
                return Ok(Column::Boolean(Cells::owned(truths)));
            }
            (Function::Substr, [text, from, rest @ ..]) => {
                let from = self.number(from)?;
                let count = match rest {
                    [count, ..] => self.number(count)?,
                    [] => Cells::One(f64::INFINITY),
                };
                let mut row = 0;
                self.each_text(text, |text| {
                    rows.push(text.and_then(|text| substr(text, from.get(row), count.get(row))));
                    row += 1;
                })?;
            }
            (Function::Concat, parts) => {
                let parts: Vec<Texts> = parts
                    .iter()
                    .map(|part| self.text(part))
                    .collect::<Result<_, _>>()?;
                for row in 0..self.count() {
                    let length = parts
                        .iter()
                        .map(|part| part.get(row).map(str::len))
                        .try_fold(0usize, |sum, length| Some(sum.saturating_add(length?)));
                    rows.push_with(|to| {
                        let fits = length.is_some_and(|length| length <= MOST_TEXT);
                        if fits {
                            to.extend(parts.iter().filter_map(|part| part.get(row)));
                        }
                        fits
                    });
                }
            }
            _ => return Err(EngineError::Engine("no function of texts".into())),
        }
        Ok(Column::Text(Texts::Many(rows)))
    }
}

/// `count` characters from the place `from` on, counted from one.
fn substr(text: &str, from: f64, count: f64) -> Option<&str> {
    // NaN is none of these.
    let is_place = from >= 1.0 && from.trunc() == from;
    let is_count = count >= 0.0 && (count.trunc() == count);
    if !is_place || !is_count {
        return None;
    }
    // Numbers beyond 64 bits become the largest.
    let place = |skipped: f64| {
        text.char_indices()
            .nth(skipped as usize)
            .map_or(text.len(), |(place, _)| place)
    };
    let start = place(from - 1.0);
    let rest = &text[start..];
    let end = rest
        .char_indices()
        .nth(count as usize)
        .map_or(rest.len(), |(place, _)| place);
    Some(&rest[..end])
}

/// Whether all of a text matches the pattern. Each run between two `%` takes its first match, which
/// leaves the most for those after it.
fn is_like(text: &str, pattern: &[Piece]) -> bool {
    let (mut rest, mut pieces) = (text, pattern);
    // The pieces after the last `%`, and where they were tried.
    let mut again: Option<(&[Piece], &str)> = None;
    loop {
        let matched = match pieces {
            [] if rest.is_empty() => return true,
            [] => None,
            [Piece::Any] => return true,
            [Piece::Any, after @ ..] => {
                again = Some((after, rest));
                Some((after, rest))
            }
            [Piece::One, after @ ..] => {
                let mut characters = rest.chars();
                characters.next().map(|_| (after, characters.as_str()))
            }
            [Piece::Text(start), after @ ..] => {
                rest.strip_prefix(start.as_str()).map(|rest| (after, rest))
            }
        };
        (pieces, rest) = match (matched, again) {
            (Some(next), _) => next,
            (None, Some((after, tried))) => {
                let mut characters = tried.chars();
                if characters.next().is_none() {
                    return false;
                }
                again = Some((after, characters.as_str()));
                (after, characters.as_str())
            }
            (None, None) => return false,
        };
    }
}
