//! Values whose type may be decided where they are used: a cell has no type of its own.

use super::error::{ExpressionError, Place};
use super::node::{Node, Type};
use crate::clean::shown;

/// A value and its place.
#[derive(Debug)]
pub(super) struct Draft {
    pub shape: Shape,
    /// Its type, if it has one already.
    pub kind: Option<Type>,
    pub at: Place,
}

#[derive(Debug)]
pub(super) enum Shape {
    /// A value of its own type.
    Known(Node),
    /// A cell.
    Column(String),
    /// `null`.
    Null,
    /// A number literal, and its text: it may be used as either.
    Literal(f64, String),
    /// One of several values.
    Choice(Form, Vec<Draft>),
}

/// How one of several values is chosen.
#[derive(Debug)]
pub(super) enum Form {
    Coalesce,
    NullIf,
    Least,
    Greatest,
    /// The last value is that of `else`.
    Case(Option<Box<Node>>, Vec<Node>),
}

impl Draft {
    pub(super) fn known(node: Node, at: Place) -> Draft {
        Draft {
            kind: Some(node.kind()),
            shape: Shape::Known(node),
            at,
        }
    }

    pub(super) fn choice(
        form: Form,
        values: Vec<Draft>,
        at: Place,
    ) -> Result<Draft, ExpressionError> {
        Ok(Draft {
            kind: common(values.iter())?,
            shape: Shape::Choice(form, values),
            at,
        })
    }

    /// The value as the type that its place needs.
    pub(super) fn resolve(self, wanted: Type) -> Result<Node, ExpressionError> {
        match (self.shape, wanted) {
            (Shape::Column(name), read) => Ok(Node::Column { name, read }),
            (Shape::Null, kind) => Ok(Node::Null(kind)),
            (Shape::Literal(number, _), Type::Number) => Ok(Node::Number(number)),
            (Shape::Literal(_, text), Type::Text) => Ok(Node::Text(text)),
            (Shape::Known(node), wanted) if node.kind() == wanted => Ok(node),
            (Shape::Known(value), Type::Timestamp) if value.kind() == Type::Date => {
                Ok(match value {
                    Node::Date(day) => Node::Timestamp(i64::from(day) * super::calendar::DAY),
                    value => Node::Convert {
                        value: Box::new(value),
                        to: Type::Timestamp,
                    },
                })
            }
            (Shape::Known(node), wanted) => {
                Err(mismatch(self.at, Some(&node), node.kind(), wanted))
            }
            (Shape::Literal(..), wanted) => Err(mismatch(self.at, None, Type::Number, wanted)),
            (Shape::Choice(form, values), wanted) => {
                let mut values = values
                    .into_iter()
                    .map(|value| value.resolve(wanted))
                    .collect::<Result<Vec<Node>, _>>()?;
                Ok(match form {
                    Form::Coalesce => Node::Coalesce(values),
                    Form::Least => Node::Least(ordered(values, wanted, self.at)?),
                    Form::Greatest => Node::Greatest(ordered(values, wanted, self.at)?),
                    Form::NullIf => {
                        let other = values.pop();
                        let value = values.pop();
                        // It was built from two values.
                        let other = by_value(other.unwrap_or(Node::Null(wanted)), self.at)?;
                        let value = value.unwrap_or(Node::Null(wanted));
                        Node::NullIf(Box::new(value), Box::new(other))
                    }
                    Form::Case(operand, conditions) => {
                        // It was built with a last value.
                        let otherwise = Box::new(values.pop().unwrap_or(Node::Null(wanted)));
                        Node::Case {
                            operand,
                            branches: conditions.into_iter().zip(values).collect(),
                            otherwise,
                        }
                    }
                })
            }
        }
    }

    /// The value as its own type; a text if it is a cell.
    pub(super) fn settle(self) -> Result<Node, ExpressionError> {
        let kind = self.kind.unwrap_or(Type::Text);
        self.resolve(kind)
    }
}

/// The value of a literal in a comparison; an empty one is refused, because no cell has it.
pub(super) fn by_value(node: Node, at: Place) -> Result<Node, ExpressionError> {
    let Node::Text(text) = node else {
        return Ok(node);
    };
    crate::value::canonical(&text)
        .map(Node::Text)
        .ok_or_else(|| {
            ExpressionError::new(
                at,
                "a text of nothing but spaces equals no cell, because an empty cell is null; write \
                 `is null`, `is not null` or length(…) = 0",
            )
        })
}

fn ordered(values: Vec<Node>, kind: Type, at: Place) -> Result<Vec<Node>, ExpressionError> {
    match kind {
        Type::Boolean => Err(ExpressionError::new(
            at,
            "conditions have no order; use and, or, not",
        )),
        _ => Ok(values),
    }
}

/// The common type of some values, if any of them decides it.
pub(super) fn common<'a>(
    values: impl Iterator<Item = &'a Draft> + Clone,
) -> Result<Option<Type>, ExpressionError> {
    let mut all: Option<Type> = None;
    for value in values.clone() {
        let Some(kind) = value.kind else { continue };
        all = match (all, kind) {
            (None, kind) => Some(kind),
            (Some(all), kind) if all == kind => Some(all),
            (Some(Type::Date), Type::Timestamp) | (Some(Type::Timestamp), Type::Date) => {
                Some(Type::Timestamp)
            }
            // Number literals may be texts, if all numbers are literals.
            (Some(Type::Number), Type::Text) | (Some(Type::Text), Type::Number)
                if values.clone().all(|value| {
                    value.kind != Some(Type::Number) || matches!(value.shape, Shape::Literal(..))
                }) =>
            {
                Some(Type::Text)
            }
            (Some(all), kind) => {
                let node = match &value.shape {
                    Shape::Known(node) => Some(node),
                    _ => None,
                };
                return Err(mismatch(value.at, node, kind, all));
            }
        };
    }
    Ok(all)
}

fn mismatch(at: Place, node: Option<&Node>, found: Type, wanted: Type) -> ExpressionError {
    let remedy = match (found, wanted) {
        (Type::Text, Type::Date | Type::Timestamp) => match node {
            Some(Node::Text(text)) => format!("write {} '{}'", wanted.name(), shown(text)),
            _ => format!("write {}(…)", wanted.name()),
        },
        (Type::Boolean, Type::Number) => {
            "write case when … then 1 else 0 end, or number(…)".to_owned()
        }
        (Type::Number, Type::Boolean) => "write … <> 0".to_owned(),
        (Type::Number, Type::Date) => "write date '1970-01-01' + …".to_owned(),
        (_, wanted) => format!("write {}(…)", wanted.name()),
    };
    ExpressionError::new(
        at,
        format!("{wanted} is needed here, and this is {found}; {remedy}"),
    )
}
