//! Comparisons in expressions of a plan.

use super::SqlError;
use super::expression::Columns;
use super::form::{Expr, Form};
use crate::expression::{Comparison, Node, Type};
use crate::value::canonical;

impl Form {
    /// What a text says, for comparisons: empty where it says nothing.
    pub(super) fn said(&mut self, node: &Node, columns: &Columns<'_>) -> Result<Expr, SqlError> {
        let d = self.dialect;
        if let Node::Text(text) = node {
            let said = canonical(text).unwrap_or_default();
            return Ok(Expr::atom(d.binary(&d.literal(&said)?)));
        }
        let text = self.bound(node, columns)?;
        if let Node::Column { .. } = node {
            return Ok(text);
        }
        let said = self.canonical(&text);
        let said = self.bind(said);
        let sql = format!(
            "CASE WHEN {} IS NULL THEN NULL ELSE coalesce({}, '') END",
            text.sql, said.sql
        );
        let said = Expr::of(&[&text, &said], d.binary(&sql));
        Ok(self.bind(said))
    }

    pub(super) fn compare(
        &mut self,
        comparison: Comparison,
        left: &Node,
        right: &Node,
        columns: &Columns<'_>,
    ) -> Result<Expr, SqlError> {
        let sign = match comparison {
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        };
        // Whether a cell says a listed text is known of cells too whose text is not.
        if let (
            Node::Column {
                name,
                read: Type::Text,
            },
            Node::Text(text),
        ) = (left, right)
            && matches!(comparison, Comparison::Equal | Comparison::NotEqual)
        {
            let text = canonical(text).unwrap_or_default();
            let says = self.says(&columns(name)?, &[text])?;
            return Ok(match comparison {
                Comparison::Equal => says,
                _ => Expr::of(&[&says], format!("(NOT {})", says.sql)),
            });
        }
        let (a, b) = match left.kind() {
            Type::Text => (self.said(left, columns)?, self.said(right, columns)?),
            _ => (self.node(left, columns)?, self.node(right, columns)?),
        };
        Ok(Expr::of(&[&a, &b], format!("({} {sign} {})", a.sql, b.sql)))
    }

    pub(super) fn is_in(
        &mut self,
        value: &Node,
        list: &[Node],
        columns: &Columns<'_>,
    ) -> Result<Expr, SqlError> {
        let texts: Option<Vec<String>> = list
            .iter()
            .map(|item| match item {
                Node::Text(text) => Some(canonical(text).unwrap_or_default()),
                _ => None,
            })
            .collect();
        // A cell whose texts cannot be written is compared by what listed texts say.
        if let (
            Some(texts),
            Node::Column {
                name,
                read: Type::Text,
            },
        ) = (texts, value)
        {
            return self.says(&columns(name)?, &texts);
        }
        let equal = list
            .iter()
            .map(|item| self.compare(Comparison::Equal, value, item, columns));
        let equal: Vec<Expr> = equal.collect::<Result<_, _>>()?;
        let texts: Vec<&str> = equal.iter().map(|value| value.sql.as_str()).collect();
        let sql = format!("({})", texts.join(" OR "));
        Ok(Expr::of(&equal.iter().collect::<Vec<_>>(), sql))
    }

    /// The least or greatest of those that are not null; of equal ones the first.
    pub(super) fn extreme(
        &mut self,
        values: &[Node],
        sign: &str,
        columns: &Columns<'_>,
    ) -> Result<Expr, SqlError> {
        let mut best: Option<(Expr, Expr)> = None;
        for value in values {
            let key = match value.kind() {
                Type::Text => self.said(value, columns)?,
                _ => self.bound(value, columns)?,
            };
            let value = self.bound(value, columns)?;
            best = Some(match best {
                None => (value, key),
                Some((x, x_key)) => {
                    let parts = [&x, &x_key, &value, &key];
                    let first = format!("{} IS NULL OR {} {sign} {}", key.sql, x_key.sql, key.sql);
                    let choose = |a: &Expr, b: &Expr| {
                        let sql = format!("CASE WHEN {first} THEN {} ELSE {} END", a.sql, b.sql);
                        Expr::of(&parts, sql)
                    };
                    let (chosen, chosen_key) = (choose(&x, &value), choose(&x_key, &key));
                    (self.bind(chosen), self.bind(chosen_key))
                }
            });
        }
        match best {
            Some((value, _)) => Ok(value),
            None => Err(SqlError::Query("a list without values".to_owned())),
        }
    }
}
