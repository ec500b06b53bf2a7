//! Operators: arithmetic, comparisons and chains of conditions.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

use super::build::{Builder, Result, boxed, not, refuse};
use super::declared::Operation;
use super::draft::{Draft, Shape, by_value, common};
use super::error::Place;
use super::literal::number_literal;
use super::node::{ArithmeticOperator, Comparison, Function, Node, Type};
use crate::clean::shown;
use crate::value::canonical;

impl Builder<'_> {
    pub(super) fn unary(
        &mut self,
        operator: UnaryOperator,
        value: &Expr,
        at: Place,
    ) -> Result<Draft> {
        match operator {
            UnaryOperator::Not => Ok(Draft::known(not(self.node(value, Type::Boolean)?), at)),
            UnaryOperator::Plus => Ok(Draft::known(self.node(value, Type::Number)?, at)),
            UnaryOperator::Minus => {
                let value = self.draft(value)?;
                if let Shape::Literal(number, text) = &value.shape {
                    let text = canonical(&format!("-{text}")).unwrap_or_default();
                    // 0 has one sign.
                    return Ok(number_literal(0.0 - *number, text, at));
                }
                let value = boxed(value.resolve(Type::Number)?);
                Ok(Draft::known(Node::Negate(value), at))
            }
            _ => refuse(at, "the signs before a value are - and not"),
        }
    }

    pub(super) fn binary(
        &mut self,
        tree: &Expr,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
        at: Place,
    ) -> Result<Draft> {
        use BinaryOperator as Op;
        let arithmetic = |operator| (operator, Type::Number);
        let (operator, kind) = match operator {
            Op::And | Op::Or => {
                let values = chain(tree, operator)
                    .into_iter()
                    .map(|part| self.node(part, Type::Boolean))
                    .collect::<Result<_>>()?;
                return Ok(Draft::known(
                    match operator {
                        Op::And => Node::And(values),
                        _ => Node::Or(values),
                    },
                    at,
                ));
            }
            Op::StringConcat => {
                let parts = chain(tree, operator);
                return Ok(Draft::known(self.call(Function::Concat, &parts)?, at));
            }
            Op::Eq => return self.compare(Comparison::Equal, left, right, at),
            Op::NotEq => return self.compare(Comparison::NotEqual, left, right, at),
            Op::Lt => return self.compare(Comparison::Less, left, right, at),
            Op::LtEq => return self.compare(Comparison::LessOrEqual, left, right, at),
            Op::Gt => return self.compare(Comparison::Greater, left, right, at),
            Op::GtEq => return self.compare(Comparison::GreaterOrEqual, left, right, at),
            Op::Plus => arithmetic(ArithmeticOperator::Add),
            Op::Minus => arithmetic(ArithmeticOperator::Subtract),
            Op::Multiply => arithmetic(ArithmeticOperator::Multiply),
            Op::Divide => arithmetic(ArithmeticOperator::Divide),
            Op::Modulo => arithmetic(ArithmeticOperator::Remainder),
            other => {
                return refuse(
                    at,
                    format!(
                        "there is no operator `{}`; the operators are + - * / % || = <> < <= > >= \
                         and or not in between like is",
                        shown(&other.to_string())
                    ),
                );
            }
        };
        let (left, right) = (self.draft(left)?, self.draft(right)?);
        let is_time = |kind: Option<Type>| matches!(kind, Some(Type::Date | Type::Timestamp));
        if is_time(left.kind) || is_time(right.kind) {
            return times(operator, left, right, at);
        }
        Ok(Draft::known(
            Node::Arithmetic {
                operator,
                left: boxed(left.resolve(kind)?),
                right: boxed(right.resolve(kind)?),
            },
            at,
        ))
    }

    pub(super) fn compare(
        &mut self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
        at: Place,
    ) -> Result<Draft> {
        let values = [self.draft(left)?, self.draft(right)?];
        let kind = common(values.iter())?;
        let (kind, operation) = match comparison {
            Comparison::Equal | Comparison::NotEqual => {
                (kind.unwrap_or(Type::Text), Operation::Equality)
            }
            _ => (ordered_kind(kind, at)?, Operation::Order),
        };
        self.declared.check(values.iter(), kind, operation)?;
        let [left, right] = values.map(|value| {
            let at = value.at;
            by_value(value.resolve(kind)?, at)
        });
        let (left, right) = (boxed(left?), boxed(right?));
        Ok(Draft::known(
            Node::Compare {
                comparison,
                left,
                right,
            },
            at,
        ))
    }
}

/// The parts of a chain of one operator, without recursion.
fn chain<'a>(tree: &'a Expr, operator: &BinaryOperator) -> Vec<&'a Expr> {
    let mut parts = Vec::new();
    let mut rest = tree;
    while let Expr::BinaryOp { left, op, right } = rest {
        if op != operator {
            break;
        }
        parts.push(&**right);
        rest = left;
    }
    parts.push(rest);
    parts.reverse();
    parts
}

/// Sums and differences with dates and timestamps.
fn times(operator: ArithmeticOperator, left: Draft, right: Draft, at: Place) -> Result<Draft> {
    use Type::{Date, Number, Timestamp};
    let unclear = |at| {
        refuse(
            at,
            "is this a number of days or a date? Write number(…), date(…) or timestamp(…)",
        )
    };
    let node = match (operator, left.kind, right.kind) {
        (ArithmeticOperator::Subtract, Some(Date | Timestamp), Some(Date | Timestamp)) => {
            let kind = match (left.kind, right.kind) {
                (Some(Date), Some(Date)) => Date,
                _ => Timestamp,
            };
            Node::Difference {
                to: boxed(left.resolve(kind)?),
                from: boxed(right.resolve(kind)?),
            }
        }
        (ArithmeticOperator::Subtract, _, None) => return unclear(right.at),
        (ArithmeticOperator::Subtract, None, _) => return unclear(left.at),
        (ArithmeticOperator::Add, Some(Date), None | Some(Number)) => Node::AddDays {
            date: boxed(left.resolve(Date)?),
            days: boxed(right.resolve(Number)?),
        },
        (ArithmeticOperator::Add, None | Some(Number), Some(Date)) => Node::AddDays {
            date: boxed(right.resolve(Date)?),
            days: boxed(left.resolve(Number)?),
        },
        (ArithmeticOperator::Subtract, Some(Date), Some(Number)) => {
            let days = match right.resolve(Number)? {
                Node::Number(days) => Node::Number(0.0 - days),
                days => Node::Negate(boxed(days)),
            };
            Node::AddDays {
                date: boxed(left.resolve(Date)?),
                days: boxed(days),
            }
        }
        _ => {
            return refuse(
                at,
                "dates and timestamps are subtracted from each other, and whole days added to \
                 dates; nothing else is arithmetic of them",
            );
        }
    };
    Ok(Draft::known(node, at))
}

/// The type in whose order values are compared.
pub(super) fn ordered_kind(kind: Option<Type>, at: Place) -> Result<Type> {
    match kind {
        None => refuse(
            at,
            "in which order are these cells compared? Write number(x), text(x), date(x) or \
             timestamp(x) for one of them",
        ),
        Some(Type::Boolean) => refuse(at, "conditions have no order; use and, or, not"),
        Some(kind) => Ok(kind),
    }
}
