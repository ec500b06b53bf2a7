//! The value of an expression for each row of a batch.
//!
//! Every node is evaluated for all rows at once, and no node can fail on the contents of a cell:
//! what has no value is null. Memory is a few values per row and node.

mod cells;
mod read;
mod text;

use std::borrow::Cow;
use std::cmp::Ordering;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::BooleanBuffer;

use cells::{Cells, Column, FALSE, Scalar, TRUE, TextRows, Texts, truth, zip};
pub(crate) use read::Rows;

use super::calendar::{DAY, HOUR, civil, trunc, valid_day, valid_time, week, weekday};
use super::node::{Arithmetic, Comparison, Function, Node, Type};
use super::print::{Day, Time};
use super::{Expression, Period};
use crate::engine::EngineError;

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

/// Whether an order is the one asked for.
fn compare_order(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}

/// Two values that are copied.
fn compare<'a, T: Scalar>(
    comparison: Comparison,
    left: &Cells<T>,
    right: &Cells<T>,
) -> Cells<'a, u8> {
    // One loop for each comparison, without a branch in it.
    fn of<'a, T: Scalar>(
        left: &Cells<T>,
        right: &Cells<T>,
        holds: impl Fn(&T, &T) -> bool,
    ) -> Cells<'a, u8> {
        zip(left, right, |left: T, right: T| {
            let null = left.is_null() | right.is_null();
            if null {
                u8::NULL
            } else {
                truth(holds(&left, &right))
            }
        })
    }
    match comparison {
        Comparison::Equal => of(left, right, T::eq),
        Comparison::NotEqual => of(left, right, T::ne),
        Comparison::Less => of(left, right, T::lt),
        Comparison::LessOrEqual => of(left, right, T::le),
        Comparison::Greater => of(left, right, T::gt),
        Comparison::GreaterOrEqual => of(left, right, T::ge),
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
                    Arithmetic::Add => zip(&left, &right, |x: f64, y: f64| finite(x + y)),
                    Arithmetic::Subtract => zip(&left, &right, |x: f64, y: f64| finite(x - y)),
                    Arithmetic::Multiply => zip(&left, &right, |x: f64, y: f64| finite(x * y)),
                    Arithmetic::Divide => zip(&left, &right, |x: f64, y: f64| {
                        // 5 / ∞ is 0: both are numbers. Nothing is divided by 0.
                        finite(x / y)
                    }),
                    Arithmetic::Remainder => zip(&left, &right, |x: f64, y: f64| finite(x % y)),
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
                let unit: Period = *unit;
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

    fn truth(&self, node: &Node) -> Result<Cells<'_, u8>, EngineError> {
        let all = |nodes: &[Node], f: fn(u8, u8) -> u8, start: u8| {
            let mut all = Cells::One(start);
            for node in nodes {
                all = zip(&all, &self.truth(node)?, f);
            }
            Ok(all)
        };
        Ok(match node {
            Node::Boolean(boolean) => Cells::One(truth(*boolean)),
            Node::Column { name, .. } => Cells::owned(self.truths(name)?),
            Node::Not(value) => self.truth(value)?.map(|truth| TRUE - truth),
            Node::And(values) => return all(values, u8::min, TRUE),
            Node::Or(values) => return all(values, u8::max, FALSE),
            Node::Is(value, is) => {
                let is = truth(*is);
                self.truth(value)?.map(|value| truth(value == is))
            }
            Node::IsNull(value) => match value.kind() {
                Type::Number => self.number(value)?.map(|x| truth(x.is_null())),
                Type::Boolean => self.truth(value)?.map(|x| truth(x.is_null())),
                Type::Date => self.date(value)?.map(|x| truth(x.is_null())),
                Type::Timestamp => self.time(value)?.map(|x| truth(x.is_null())),
                Type::Text => self.is_null_text(value)?,
            },
            Node::Compare {
                comparison,
                left,
                right,
            } => self.compare(*comparison, left, right)?,
            Node::Between { value, low, high } => zip(
                &self.compare(Comparison::GreaterOrEqual, value, low)?,
                &self.compare(Comparison::LessOrEqual, value, high)?,
                u8::min,
            ),
            Node::In { value, list } => self.is_in(value, list)?,
            Node::Like { value, pattern } => self.like(value, pattern)?,
            Node::Convert { value, .. } => match self.of_text(value, Type::Boolean)? {
                Column::Boolean(cells) => cells,
                _ => Cells::One(u8::NULL),
            },
            Node::Call {
                function,
                arguments,
            } => match self.text_function(*function, arguments)? {
                Column::Boolean(cells) => cells,
                _ => return Err(EngineError::Engine("a condition was expected".into())),
            },
            _ => self.chosen(node, Rows::truth)?,
        })
    }

    fn compare(
        &self,
        comparison: Comparison,
        left: &Node,
        right: &Node,
    ) -> Result<Cells<'_, u8>, EngineError> {
        Ok(match left.kind() {
            Type::Number => compare(comparison, &self.number(left)?, &self.number(right)?),
            Type::Boolean => compare(comparison, &self.truth(left)?, &self.truth(right)?),
            Type::Date => compare(comparison, &self.date(left)?, &self.date(right)?),
            Type::Timestamp => compare(comparison, &self.time(left)?, &self.time(right)?),
            Type::Text => self.compare_texts(comparison, left, right)?,
        })
    }

    fn is_in(&self, value: &Node, list: &[Node]) -> Result<Cells<'_, u8>, EngineError> {
        let texts = list.iter().map(|item| match item {
            Node::Text(text) => Some(text.as_str()),
            _ => None,
        });
        if let Some(texts) = texts.collect::<Option<Vec<&str>>>() {
            return self.in_texts(value, &texts);
        }
        let numbers = list.iter().map(|item| match item {
            Node::Number(number) => Some(*number),
            _ => None,
        });
        if let Some(mut numbers) = numbers.collect::<Option<Vec<f64>>>() {
            // Numbers of an expression are finite.
            numbers.sort_by(f64::total_cmp);
            let find = |x: f64| match numbers.len() {
                0..=8 => numbers.contains(&x),
                _ => {
                    let place = numbers.partition_point(|y| *y < x);
                    numbers.get(place) == Some(&x)
                }
            };
            return Ok(self.number(value)?.map_some(|x| truth(find(x))));
        }
        let mut any = Cells::One(FALSE);
        for item in list {
            any = zip(
                &any,
                &self.compare(Comparison::Equal, value, item)?,
                u8::max,
            );
        }
        Ok(any)
    }

    /// The conditions of a case.
    fn conditions(
        &self,
        operand: Option<&Node>,
        branches: &[(Node, Node)],
    ) -> Result<Vec<Cells<'_, u8>>, EngineError> {
        branches
            .iter()
            .map(|(condition, _)| match operand {
                None => self.truth(condition),
                Some(operand) => self.compare(Comparison::Equal, operand, condition),
            })
            .collect()
    }

    /// Nulls and choices between values that are copied.
    fn chosen<T: Scalar>(
        &self,
        node: &Node,
        of: for<'b> fn(&'b Self, &Node) -> Result<Cells<'b, T>, EngineError>,
    ) -> Result<Cells<'_, T>, EngineError> {
        let fold = |values: &[Node], f: fn(T, T) -> T| {
            let mut all = Cells::One(T::NULL);
            for value in values {
                all = zip(&all, &of(self, value)?, f);
            }
            Ok(all)
        };
        match node {
            Node::Null(_) => Ok(Cells::One(T::NULL)),
            Node::Coalesce(values) => fold(values, |x, y| if x.is_null() { y } else { x }),
            Node::Least(values) => fold(values, |x, y| {
                let first = y.is_null() || (!x.is_null() && x <= y);
                if first { x } else { y }
            }),
            Node::Greatest(values) => fold(values, |x, y| {
                let first = y.is_null() || (!x.is_null() && x >= y);
                if first { x } else { y }
            }),
            Node::NullIf(value, other) => {
                Ok(zip(&of(self, value)?, &of(self, other)?, |x: T, y: T| {
                    if x == y { T::NULL } else { x }
                }))
            }
            Node::Case {
                operand,
                branches,
                otherwise,
            } => {
                let conditions = self.conditions(operand.as_deref(), branches)?;
                let mut chosen = of(self, otherwise)?.into_vec(self.count());
                for (condition, (_, result)) in conditions.iter().zip(branches).rev() {
                    let result = of(self, result)?;
                    for (row, chosen) in chosen.iter_mut().enumerate() {
                        if condition.get(row) == TRUE {
                            *chosen = result.get(row);
                        }
                    }
                }
                Ok(Cells::owned(chosen))
            }
            _ => Err(EngineError::Engine("a node of another type".into())),
        }
    }

    /// Choices between texts.
    fn chosen_text(&self, node: &Node) -> Result<Texts, EngineError> {
        let mut rows = TextRows::new(self.count());
        let texts = |values: &[Node]| {
            let texts = values.iter().map(|value| self.text(value));
            texts.collect::<Result<Vec<Texts>, _>>()
        };
        match node {
            Node::Coalesce(values) => {
                let values = texts(values)?;
                for row in 0..self.count() {
                    rows.push(values.iter().find_map(|texts| texts.get(row)));
                }
            }
            Node::Least(values) | Node::Greatest(values) => {
                let first = match node {
                    Node::Least(_) => Ordering::Less,
                    _ => Ordering::Greater,
                };
                let values = texts(values)?;
                for row in 0..self.count() {
                    let present = values.iter().filter_map(|texts| texts.get(row));
                    let best = present
                        .map(|text| (crate::value::canonical(text), text))
                        .reduce(|best, next| {
                            if next.0.cmp(&best.0) == first {
                                next
                            } else {
                                best
                            }
                        });
                    rows.push(best.map(|(_, text)| text));
                }
            }
            Node::NullIf(value, other) => {
                let equal = self.compare_texts(Comparison::Equal, value, other)?;
                let value = self.text(value)?;
                for row in 0..self.count() {
                    rows.push(value.get(row).filter(|_| equal.get(row) != TRUE));
                }
            }
            Node::Case {
                operand,
                branches,
                otherwise,
            } => {
                let conditions = self.conditions(operand.as_deref(), branches)?;
                let results: Vec<Texts> = branches
                    .iter()
                    .map(|(_, result)| self.text(result))
                    .collect::<Result<_, _>>()?;
                let otherwise = self.text(otherwise)?;
                for row in 0..self.count() {
                    let branch = conditions.iter().position(|truth| truth.get(row) == TRUE);
                    rows.push(
                        branch
                            .map_or(&otherwise, |branch| &results[branch])
                            .get(row),
                    );
                }
            }
            _ => return Err(EngineError::Engine("a node of another type".into())),
        }
        Ok(Texts::Many(rows))
    }
}
