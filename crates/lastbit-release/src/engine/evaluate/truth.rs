//! Conditions: comparisons, lists, and what `and`, `or` and `not` make of them.

use std::cmp::Ordering;

use super::super::EngineError;
use super::Rows;
use super::cells::{Cells, Column, FALSE, Scalar, TRUE, truth, zip};
use crate::expression::{Comparison, Node, Type};

impl Rows<'_> {
    pub(super) fn truth(&self, node: &Node) -> Result<Cells<'_, u8>, EngineError> {
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

    pub(super) fn compare(
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

    pub(super) fn is_in(&self, value: &Node, list: &[Node]) -> Result<Cells<'_, u8>, EngineError> {
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
}

/// Whether an order is the one asked for.
pub(super) fn compare_order(comparison: Comparison, order: Ordering) -> bool {
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
