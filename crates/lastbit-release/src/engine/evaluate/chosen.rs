//! Choices between values: `case`, `coalesce`, `least`, `greatest` and `nullif`.

use std::cmp::Ordering;

use super::super::EngineError;
use super::Rows;
use super::cells::{Cells, Scalar, TRUE, TextRows, Texts, zip};
use crate::expression::{Comparison, Node};

impl Rows<'_> {
    /// The conditions of a case.
    pub(super) fn conditions(
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
    pub(super) fn chosen<T: Scalar>(
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
    pub(super) fn chosen_text(&self, node: &Node) -> Result<Texts, EngineError> {
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
