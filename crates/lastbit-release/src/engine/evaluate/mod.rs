//! The value of an expression for each row of a batch.
//!
//! Every node is evaluated for all rows at once, and no node can fail on the contents of a cell:
//! what has no value is null. Memory is a few values per row and node.

mod cells;
mod chosen;
mod read;
mod text;
mod truth;

use std::borrow::Cow;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::BooleanBuffer;

use cells::{Cells, Column, Scalar, TRUE, Texts, zip};
pub(crate) use read::Rows;

use super::EngineError;
use crate::expression::calendar::{DAY, HOUR, civil, trunc, valid_day, valid_time, week, weekday};
use crate::expression::print::{Day, Time};
use crate::expression::{ArithmeticOperator, CalendarUnit, Expression, Function, Node, Type};

impl Expression {
    /// The value of each row: doubles, booleans, dates, microseconds without a zone or texts. The
    /// batch has the [`columns`] that it reads, by name.
    ///
    /// Fails only if a column is missing, or has a type that holds no such values.
    ///
    /// [`columns`]: Expression::columns
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef, EngineError> {
        self.evaluate_rows(&Rows::new(batch))
    }

    pub(crate) fn evaluate_rows(&self, rows: &Rows) -> Result<ArrayRef, EngineError> {
        rows.column_of(self.node())?.into_array(rows.count())
    }

    /// The rows for which a condition is true; `None` if all are.
    pub(crate) fn selects(&self, rows: &Rows) -> Result<Option<BooleanBuffer>, EngineError> {
        let truths = rows.truth(self.node())?;
        let count = rows.count();
        Ok(match truths {
            Cells::One(TRUE) => None,
            Cells::One(_) => Some(BooleanBuffer::new_unset(count)),
            Cells::Many(truths) => {
                let all = truths.iter().all(|truth| *truth == TRUE);
                (!all).then(|| BooleanBuffer::collect_bool(count, |row| truths[row] == TRUE))
            }
        })
    }
}

/// A result that is not finite is null.
fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { f64::NAN }
}

impl Rows<'_> {
    fn column_of(&self, node: &Node) -> Result<Column<'_>, EngineError> {
        Ok(match node.kind() {
            Type::Number => Column::Number(self.number(node)?),
            Type::Boolean => Column::Boolean(self.truth(node)?),
            Type::Date => Column::Date(self.date(node)?),
            Type::Timestamp => Column::Timestamp(self.time(node)?),
            Type::Text => Column::Text(match node {
                Node::Null(_) => Texts::One(None),
                Node::Text(text) => Texts::One(Some(text.clone())),
                Node::Column { .. } => self.text(node)?,
                Node::Convert { value, .. } => self.to_text(value)?,
                Node::Call {
                    function,
                    arguments,
                } => return self.text_function(*function, arguments),
                _ => self.chosen_text(node)?,
            }),
        })
    }

    fn number(&self, node: &Node) -> Result<Cells<'_, f64>, EngineError> {
        Ok(match node {
            Node::Number(number) => Cells::One(*number),
            Node::Column { name, .. } => Cells::Many(Cow::Borrowed(self.numbers(name)?)),
            Node::Negate(value) => self.number(value)?.map(|x| finite(-x)),
            Node::Arithmetic {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                match operator {
                    ArithmeticOperator::Add => zip(&left, &right, |x: f64, y: f64| finite(x + y)),
                    ArithmeticOperator::Subtract => {
                        zip(&left, &right, |x: f64, y: f64| finite(x - y))
                    }
                    ArithmeticOperator::Multiply => {
                        zip(&left, &right, |x: f64, y: f64| finite(x * y))
                    }
                    ArithmeticOperator::Divide => zip(&left, &right, |x: f64, y: f64| {
                        // 5 / ∞ is 0: both are numbers. Nothing is divided by 0.
                        finite(x / y)
                    }),
                    ArithmeticOperator::Remainder => {
                        zip(&left, &right, |x: f64, y: f64| finite(x % y))
                    }
                }
            }
            Node::Difference { to, from } if to.kind() == Type::Date => zip(
                &self.date(to)?,
                &self.date(from)?,
                |to: i32, from: i32| match to.is_null() || from.is_null() {
                    true => f64::NULL,
                    false => f64::from(to - from),
                },
            ),
            Node::Difference { to, from } => zip(
                &self.time(to)?,
                &self.time(from)?,
                |to: i64, from: i64| match to.is_null() || from.is_null() {
                    true => f64::NULL,
                    false => (to - from) as f64 / 1e6,
                },
            ),
            Node::Convert { value, .. } => match value.kind() {
                Type::Number => self.number(value)?,
                Type::Text => match self.of_text(value, Type::Number)? {
                    Column::Number(cells) => cells,
                    _ => Cells::One(f64::NULL),
                },
                Type::Boolean => self
                    .truth(value)?
                    .map_some(|truth| f64::from(u8::from(truth == TRUE))),
                Type::Date => self.date(value)?.map_some(f64::from),
                Type::Timestamp => self.time(value)?.map_some(|time| time as f64 / 1e6),
            },
            Node::Call {
                function,
                arguments,
            } => self.number_function(*function, arguments)?,
            _ => self.chosen(node, Rows::number)?,
        })
    }

    fn number_function(
        &self,
        function: Function,
        arguments: &[Node],
    ) -> Result<Cells<'_, f64>, EngineError> {
        let [argument, ..] = arguments else {
            return Err(EngineError::Engine("a function without arguments".into()));
        };
        let number = |f: fn(f64) -> f64| Ok(self.number(argument)?.map(|x| finite(f(x))));
        match function {
            Function::Abs => Ok(self.number(argument)?.map(|x| finite(x.abs()))),
            Function::Floor => number(f64::floor),
            Function::Ceil => number(f64::ceil),
            Function::Round => number(f64::round),
            Function::Trunc => number(f64::trunc),
            Function::Sqrt => Ok(self.number(argument)?.map(|x| finite(x.sqrt()))),
            Function::Hour => Ok(self
                .time(argument)?
                .map_some(|time| (time.rem_euclid(DAY) / HOUR) as f64)),
            Function::Year => Ok(self.date(argument)?.map_some(|day| f64::from(civil(day).0))),
            Function::Quarter => Ok(self
                .date(argument)?
                .map_some(|day| f64::from((civil(day).1 + 2) / 3))),
            Function::Month => Ok(self.date(argument)?.map_some(|day| f64::from(civil(day).1))),
            Function::Day => Ok(self.date(argument)?.map_some(|day| f64::from(civil(day).2))),
            Function::Week => Ok(self.date(argument)?.map_some(|day| f64::from(week(day)))),
            Function::Weekday => Ok(self.date(argument)?.map_some(|day| f64::from(weekday(day)))),
            _ => match self.text_function(function, arguments)? {
                Column::Number(cells) => Ok(cells),
                _ => Err(EngineError::Engine("a number was expected".into())),
            },
        }
    }

    fn date(&self, node: &Node) -> Result<Cells<'_, i32>, EngineError> {
        Ok(match node {
            Node::Date(day) => Cells::One(*day),
            Node::Column { name, .. } => Cells::Many(Cow::Borrowed(self.dates(name)?)),
            Node::AddDays { date, days } => zip(
                &self.date(date)?,
                &self.number(days)?,
                |date: i32, days: f64| {
                    // False for NaN too. Sums of days of the calendar fit.
                    let is_whole = days.trunc() == days && days.abs() <= 4e6;
                    match date.is_null() || !is_whole {
                        true => i32::NULL,
                        false => valid_day(i64::from(date) + days as i64).unwrap_or(i32::NULL),
                    }
                },
            ),
            Node::Convert { value, .. } => match value.kind() {
                Type::Timestamp => self
                    .time(value)?
                    .map_some(|time| valid_day(time.div_euclid(DAY)).unwrap_or(i32::NULL)),
                _ => match self.of_text(value, Type::Date)? {
                    Column::Date(cells) => cells,
                    _ => Cells::One(i32::NULL),
                },
            },
            Node::Call {
                function: Function::DateTrunc(unit),
                arguments,
            } => {
                let unit: CalendarUnit = *unit;
                match arguments.as_slice() {
                    [date] => self.date(date)?.map_some(|day| trunc(unit, day)),
                    _ => Cells::One(i32::NULL),
                }
            }
            _ => self.chosen(node, Rows::date)?,
        })
    }

    fn time(&self, node: &Node) -> Result<Cells<'_, i64>, EngineError> {
        Ok(match node {
            Node::Timestamp(time) => Cells::One(*time),
            Node::Column { name, .. } => Cells::Many(Cow::Borrowed(self.times(name)?)),
            Node::Convert { value, .. } => match value.kind() {
                Type::Date => self.date(value)?.map_some(|day| i64::from(day) * DAY),
                _ => match self.of_text(value, Type::Timestamp)? {
                    Column::Timestamp(cells) => cells,
                    _ => Cells::One(i64::NULL),
                },
            },
            Node::Call {
                function,
                arguments,
            } => {
                let [time, ..] = arguments.as_slice() else {
                    return Ok(Cells::One(i64::NULL));
                };
                let time = self.time(time)?;
                match function {
                    Function::AtOffset(minutes) => {
                        let shift = i64::from(*minutes) * 60_000_000;
                        time.map_some(|time| valid_time(time + shift).unwrap_or(i64::NULL))
                    }
                    _ => time.map_some(|time| time - time.rem_euclid(HOUR)),
                }
            }
            _ => self.chosen(node, Rows::time)?,
        })
    }
}
