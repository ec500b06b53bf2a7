//! The types of a tree: from the parser's tree to its meaning, or to the reason why it has none
//! here.

use sqlparser::ast::{CastKind, CeilFloorKind, DateTimeField, Expr};

use super::declared::{Declarations, Operation};
use super::draft::{Draft, Form, Shape, by_value, common};
use super::error::{ExpressionError, Place};
use super::function::known_functions;
use super::literal::{cast_type, literal, null, one_character, pieces, text_of, typed};
use super::node::{Function, Node, Type};
use super::operator::ordered_kind;
use super::parse::start;
use super::refused;

/// Deeper trees are refused, so that no recursion over them outgrows a stack.
const MOST_DEEP: usize = 200;

pub(super) type Result<T> = core::result::Result<T, ExpressionError>;

/// The meaning of a tree, whose columns may be declared elsewhere.
pub(super) fn build(tree: &Expr, declared: &Declarations) -> Result<Draft> {
    Builder { depth: 0, declared }.draft(tree)
}

/// Walks a tree, and counts its depth.
pub(super) struct Builder<'a> {
    depth: usize,
    pub(super) declared: &'a Declarations,
}

pub(super) fn refuse<T>(at: Place, message: impl Into<String>) -> Result<T> {
    Err(ExpressionError::new(at, message))
}

pub(super) fn boxed(node: Node) -> Box<Node> {
    Box::new(node)
}

impl Builder<'_> {
    pub(super) fn node(&mut self, tree: &Expr, wanted: Type) -> Result<Node> {
        self.draft(tree)?.resolve(wanted)
    }

    pub(super) fn draft(&mut self, tree: &Expr) -> Result<Draft> {
        if self.depth == MOST_DEEP {
            return refuse(
                start(tree),
                format!(
                    "operators are nested more than {MOST_DEEP} deep; split the expression into \
                     derived columns, or write in (…) for a chain of ="
                ),
            );
        }
        self.depth += 1;
        let draft = self.any(tree);
        self.depth -= 1;
        draft
    }

    fn any(&mut self, tree: &Expr) -> Result<Draft> {
        let at = start(tree);
        let known = |node: Node| Ok(Draft::known(node, at));
        match tree {
            Expr::Nested(inner) => self.draft(inner),
            Expr::Identifier(name)
                if name.quote_style.is_none() && refused::is_session(&name.value) =>
            {
                let reason = refused::reason(&name.value.to_ascii_lowercase()).unwrap_or_default();
                refuse(
                    at,
                    format!(
                        "{} is not allowed: {reason}, or, if it is a column, write it in double \
                         quotes",
                        name.value
                    ),
                )
            }
            Expr::Identifier(name) => Ok(Draft {
                shape: Shape::Column(name.value.clone()),
                kind: None,
                at,
            }),
            Expr::CompoundIdentifier(_) | Expr::CompoundFieldAccess { .. } => refuse(
                at,
                "a column has one name, without a table before it; write a name that has a point \
                 in double quotes",
            ),
            Expr::Value(value) => literal(&value.value, at),
            Expr::TypedString(text) => known(typed(text, at)?),
            Expr::UnaryOp { op, expr } => self.unary(*op, expr, at),
            Expr::BinaryOp { left, op, right } => self.binary(tree, left, op, right, at),
            Expr::IsNull(value) => known(Node::IsNull(boxed(self.draft(value)?.settle()?))),
            Expr::IsNotNull(value) => known(not(Node::IsNull(boxed(self.draft(value)?.settle()?)))),
            Expr::IsTrue(value) => known(self.is(value, true)?),
            Expr::IsNotTrue(value) => known(not(self.is(value, true)?)),
            Expr::IsFalse(value) => known(self.is(value, false)?),
            Expr::IsNotFalse(value) => known(not(self.is(value, false)?)),
            Expr::IsUnknown(value) => known(Node::IsNull(boxed(self.node(value, Type::Boolean)?))),
            Expr::IsNotUnknown(value) => {
                known(not(Node::IsNull(boxed(self.node(value, Type::Boolean)?))))
            }
            Expr::InList {
                expr,
                list,
                negated,
            } => {
                let value = self.draft(expr)?;
                let list = list
                    .iter()
                    .map(|item| self.draft(item))
                    .collect::<Result<Vec<_>>>()?;
                if list.is_empty() {
                    return refuse(at, "the list after `in` is empty; write false");
                }
                let kind = common(list.iter().chain([&value]))?.unwrap_or(Type::Text);
                let values = list.iter().chain([&value]);
                self.declared.check(values, kind, Operation::Equality)?;
                let list = list
                    .into_iter()
                    .map(|item| {
                        let at = item.at;
                        by_value(item.resolve(kind)?, at)
                    })
                    .collect::<Result<_>>()?;
                let value = boxed(by_value(value.resolve(kind)?, at)?);
                known(negate_if(*negated, Node::In { value, list }))
            }
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                let values = [self.draft(expr)?, self.draft(low)?, self.draft(high)?];
                let kind = ordered_kind(common(values.iter())?, at)?;
                self.declared.check(values.iter(), kind, Operation::Order)?;
                let [value, low, high] = values.map(|value| value.resolve(kind));
                let [value, low, high] = [
                    by_value(value?, at)?,
                    by_value(low?, at)?,
                    by_value(high?, at)?,
                ]
                .map(boxed);
                known(negate_if(*negated, Node::Between { value, low, high }))
            }
            Expr::Like {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } => {
                let value = boxed(self.node(expr, Type::Text)?);
                let escape = match escape_char {
                    None => None,
                    Some(escape) => Some(one_character(&text_of(escape)?, start(escape))?),
                };
                let pattern = pieces(&text_of(pattern)?, escape, start(pattern))?;
                known(negate_if(*negated, Node::Like { value, pattern }))
            }
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                let mut results = Vec::with_capacity(conditions.len() + 1);
                for branch in conditions {
                    results.push(self.draft(&branch.result)?);
                }
                results.push(match else_result {
                    Some(result) => self.draft(result)?,
                    None => null(at),
                });
                let (operand, conditions) = match operand {
                    None => {
                        let conditions = conditions
                            .iter()
                            .map(|branch| self.node(&branch.condition, Type::Boolean))
                            .collect::<Result<_>>()?;
                        (None, conditions)
                    }
                    Some(operand) => {
                        let operand = self.draft(operand)?;
                        let values = conditions
                            .iter()
                            .map(|branch| self.draft(&branch.condition))
                            .collect::<Result<Vec<_>>>()?;
                        let all = values.iter().chain([&operand]);
                        let kind = common(all.clone())?.unwrap_or(Type::Text);
                        self.declared.check(all, kind, Operation::Equality)?;
                        let values = values
                            .into_iter()
                            .map(|value| {
                                let at = value.at;
                                by_value(value.resolve(kind)?, at)
                            })
                            .collect::<Result<_>>()?;
                        (Some(boxed(by_value(operand.resolve(kind)?, at)?)), values)
                    }
                };
                Draft::choice(Form::Case(operand, conditions), results, at)
            }
            Expr::Cast {
                kind: CastKind::Cast | CastKind::DoubleColon,
                expr,
                data_type,
                format: None,
            } => {
                let to = cast_type(data_type, at)?;
                self.convert(expr, to, at)
            }
            Expr::Extract { field, expr, .. } => {
                let function = match field {
                    DateTimeField::Year => Function::Year,
                    DateTimeField::Quarter => Function::Quarter,
                    DateTimeField::Month => Function::Month,
                    DateTimeField::Week(None) => Function::Week,
                    DateTimeField::Day => Function::Day,
                    DateTimeField::Hour => Function::Hour,
                    DateTimeField::Isodow => Function::Weekday,
                    _ => {
                        return refuse(
                            at,
                            "only year, quarter, month, week, day, hour and isodow can be \
                             extracted; or write weekday(x)",
                        );
                    }
                };
                known(self.call(function, &[expr])?)
            }
            Expr::Ceil { expr, field } => {
                plain_rounding(field, at)?;
                known(self.call(Function::Ceil, &[expr])?)
            }
            Expr::Floor { expr, field } => {
                plain_rounding(field, at)?;
                known(self.call(Function::Floor, &[expr])?)
            }
            Expr::Substring {
                expr,
                substring_from: Some(from),
                substring_for,
                ..
            } => {
                let mut arguments: Vec<&Expr> = vec![expr, from];
                arguments.extend(substring_for.as_deref());
                known(self.call(Function::Substr, &arguments)?)
            }
            Expr::Trim {
                trim_where: None,
                trim_what: None,
                expr,
                trim_characters: None,
            } => known(self.call(Function::Trim, &[expr])?),
            Expr::Function(call) => self.function(call, at),
            Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => refuse(
                at,
                "a subquery looks at other rows, so one row could change many; list the values, as \
                 in x in (1, 2)",
            ),
            Expr::AtTimeZone { .. } => refuse(
                at,
                "a named time zone depends on data that change from machine to machine; write \
                 at_offset(x, '+01:00')",
            ),
            Expr::Interval(_) => refuse(
                at,
                "there are no intervals; add days to a date as a number, as in date(x) + 7",
            ),
            Expr::Collate { .. } => refuse(
                at,
                "an order of letters depends on the locale; texts are compared by their characters",
            ),
            Expr::ILike { .. } => refuse(at, "write lower(x) like '…'"),
            Expr::SimilarTo { .. } | Expr::RLike { .. } => refuse(
                at,
                "regular expressions differ between engines; use like, starts_with and substr",
            ),
            Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) => {
                refuse(at, "write x <> y, with `is null` where it is meant")
            }
            Expr::Trim { .. } => refuse(at, "write trim(x), which takes spaces from both ends"),
            Expr::Cast { .. } | Expr::Convert { .. } => refuse(
                at,
                "write cast(x as double), as text, date, timestamp or boolean",
            ),
            _ => refuse(
                at,
                format!(
                    "this is not part of an expression of one row; {}",
                    known_functions()
                ),
            ),
        }
    }

    fn is(&mut self, value: &Expr, truth: bool) -> Result<Node> {
        Ok(Node::Is(boxed(self.node(value, Type::Boolean)?), truth))
    }

    pub(super) fn convert(&mut self, value: &Expr, to: Type, at: Place) -> Result<Draft> {
        let value = self.draft(value)?;
        let node = match (value.kind, to) {
            (None, _) => value.resolve(to)?,
            (Some(from), to) if from == to => value.resolve(to)?,
            (Some(Type::Date), Type::Timestamp) => value.resolve(to)?,
            (Some(Type::Number), Type::Text) if matches!(value.shape, Shape::Literal(..)) => {
                value.resolve(to)?
            }
            (Some(_), Type::Number | Type::Text)
            | (Some(Type::Text), _)
            | (Some(Type::Timestamp), Type::Date) => Node::Convert {
                value: boxed(value.settle()?),
                to,
            },
            (Some(_), to) => return value.resolve(to).map(|node| Draft::known(node, at)),
        };
        Ok(Draft::known(node, at))
    }
}

pub(super) fn not(node: Node) -> Node {
    Node::Not(boxed(node))
}

fn negate_if(negated: bool, node: Node) -> Node {
    match negated {
        true => not(node),
        false => node,
    }
}

fn plain_rounding(field: &CeilFloorKind, at: Place) -> Result<()> {
    match field {
        CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => Ok(()),
        _ => refuse(
            at,
            "floor and ceil take one argument; for dates write date_trunc('month', x)",
        ),
    }
}
