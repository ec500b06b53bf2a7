//! Expressions of a plan, node by node: see `docs/expressions.md`.

use super::SqlError;
use super::cells::{Kind, StagedColumn};
use super::form::{Expr, Form};
use crate::expression::calendar::{FIRST_DAY, LAST_DAY};
use crate::expression::{Comparison, Function, Node, Type};

/// The columns that an expression sees, by name.
pub(super) type Columns<'a> = dyn Fn(&str) -> Result<StagedColumn, SqlError> + 'a;

impl Form {
    /// The value of a node: a double, a text, a truth, or a whole number of days or microseconds;
    /// null where it has none.
    pub(super) fn node(&mut self, node: &Node, columns: &Columns<'_>) -> Result<Expr, SqlError> {
        let d = self.dialect;
        Ok(match node {
            Node::Null(kind) => {
                let kind = match kind {
                    Type::Number => d.double_type(),
                    Type::Text => d.text_type(),
                    Type::Boolean => "BOOLEAN",
                    Type::Date | Type::Timestamp => d.integer_type(),
                };
                Expr::of(&[], format!("CAST(NULL AS {kind})"))
            }
            Node::Number(number) => Expr::atom(d.double(*number)),
            Node::Text(text) => Expr::atom(d.binary(&d.literal(text)?)),
            Node::Boolean(truth) => Expr::atom(if *truth { "TRUE" } else { "FALSE" }),
            Node::Date(day) => Expr::atom(format!("CAST({day} AS {})", d.integer_type())),
            Node::Timestamp(time) => Expr::atom(format!("CAST({time} AS {})", d.integer_type())),
            Node::Column { name, read } => {
                let cell = columns(name)?;
                self.read_as(&cell, *read)?
            }
            Node::Convert { value, to } => {
                let cell = self.computed(value, columns)?;
                match (cell.kind, to) {
                    // Written texts of numbers are those of whole ones.
                    (Kind::Computed(Type::Number), Type::Text) => self.whole_text(&cell.value),
                    (Kind::Computed(Type::Timestamp), Type::Text) => {
                        return Err(SqlError::unsupported(d.name(), "the text of a timestamp"));
                    }
                    // A text as a text is itself.
                    (Kind::Computed(Type::Text), Type::Text) => cell.value,
                    _ => self.read_as(&cell, *to)?,
                }
            }
            Node::Negate(value) => {
                let value = self.bound(value, columns)?;
                Expr::of(&[&value], d.finite(&format!("(-{})", value.sql)))
            }
            Node::Arithmetic {
                operator,
                left,
                right,
            } => {
                let (a, b) = (self.bound(left, columns)?, self.bound(right, columns)?);
                Expr::of(&[&a, &b], d.arithmetic(*operator, &a.sql, &b.sql)?)
            }
            Node::AddDays { date, days } => {
                let (date, days) = (self.bound(date, columns)?, self.bound(days, columns)?);
                let most = d.double(4e6);
                let whole = format!(
                    "CASE WHEN abs({0}) <= {most} THEN CASE WHEN {1} = {0} THEN CAST({0} AS {2}) \
                     END END",
                    days.sql,
                    d.floor(&days.sql),
                    d.integer_type()
                );
                let whole = self.bind(Expr::of(&[&days], whole));
                let sum = Expr::of(&[&date, &whole], format!("({} + {})", date.sql, whole.sql));
                self.valid_day(&sum)
            }
            Node::Difference { to, from } => {
                let is_date = to.kind() == Type::Date;
                let (to, from) = (self.bound(to, columns)?, self.bound(from, columns)?);
                let double = d.double_type();
                let days = format!("CAST({} - {} AS {double})", to.sql, from.sql);
                Expr::of(
                    &[&to, &from],
                    match is_date {
                        true => days,
                        false => format!("({days} / {})", d.double(1e6)),
                    },
                )
            }
            Node::Compare {
                comparison,
                left,
                right,
            } => self.compare(*comparison, left, right, columns)?,
            Node::Between { value, low, high } => {
                let low = self.compare(Comparison::GreaterOrEqual, value, low, columns)?;
                let high = self.compare(Comparison::LessOrEqual, value, high, columns)?;
                Expr::of(&[&low, &high], format!("({} AND {})", low.sql, high.sql))
            }
            Node::In { value, list } => self.is_in(value, list, columns)?,
            Node::Like { value, pattern } => {
                let value = self.bound(value, columns)?;
                Expr::of(&[&value], d.like(&value.sql, pattern)?)
            }
            Node::IsNull(value) => {
                let missing = match value.as_ref() {
                    Node::Column {
                        name,
                        read: Type::Text,
                    } => self.missing(&columns(name)?)?,
                    other => self.node(other, columns)?,
                };
                Expr::of(&[&missing], format!("({} IS NULL)", missing.sql))
            }
            Node::Is(value, truth) => {
                let value = self.node(value, columns)?;
                let truth = if *truth { "TRUE" } else { "FALSE" };
                Expr::of(&[&value], format!("({} IS {truth})", value.sql))
            }
            Node::Not(value) => {
                let value = self.node(value, columns)?;
                Expr::of(&[&value], format!("(NOT {})", value.sql))
            }
            Node::And(values) => self.joined(values, " AND ", columns)?,
            Node::Or(values) => self.joined(values, " OR ", columns)?,
            Node::Case {
                operand,
                branches,
                otherwise,
            } => {
                let (mut parts, mut text) = (Vec::new(), String::from("CASE"));
                for (condition, result) in branches {
                    let condition = match operand {
                        None => self.node(condition, columns)?,
                        Some(operand) => {
                            self.compare(Comparison::Equal, operand, condition, columns)?
                        }
                    };
                    let result = self.node(result, columns)?;
                    text += &format!(" WHEN {} THEN {}", condition.sql, result.sql);
                    parts.extend([condition, result]);
                }
                let otherwise = self.node(otherwise, columns)?;
                text += &format!(" ELSE {} END", otherwise.sql);
                parts.push(otherwise);
                Expr::of(&parts.iter().collect::<Vec<_>>(), text)
            }
            Node::Coalesce(values) => {
                let values = self.all(values, columns)?;
                let texts: Vec<&str> = values.iter().map(|value| value.sql.as_str()).collect();
                let sql = match texts.as_slice() {
                    [one] => (*one).to_owned(),
                    texts => format!("coalesce({})", texts.join(", ")),
                };
                Expr::of(&values.iter().collect::<Vec<_>>(), sql)
            }
            Node::NullIf(value, other) => {
                let equal = self.compare(Comparison::Equal, value, other, columns)?;
                let value = self.node(value, columns)?;
                Expr::of(
                    &[&equal, &value],
                    format!("CASE WHEN {} THEN NULL ELSE {} END", equal.sql, value.sql),
                )
            }
            Node::Least(values) => self.extreme(values, "<=", columns)?,
            Node::Greatest(values) => self.extreme(values, ">=", columns)?,
            Node::Call {
                function,
                arguments,
            } => self.call(*function, arguments, columns)?,
        })
    }

    fn read_as(&mut self, cell: &StagedColumn, to: Type) -> Result<Expr, SqlError> {
        match to {
            Type::Number => self.number(cell),
            Type::Text => self.text(cell),
            Type::Boolean => self.condition(cell),
            Type::Date => self.date(cell),
            Type::Timestamp => self.time(cell),
        }
    }

    /// A node as a cell.
    pub(super) fn computed(
        &mut self,
        node: &Node,
        columns: &Columns<'_>,
    ) -> Result<StagedColumn, SqlError> {
        let value = self.bound(node, columns)?;
        Ok(StagedColumn {
            column: node.to_string(),
            value,
            kind: match node {
                node if is_whole(node) => Kind::Whole,
                // A column's one text is read once.
                Node::Column {
                    read: Type::Text, ..
                } => Kind::Canonical,
                node => Kind::Computed(node.kind()),
            },
        })
    }

    pub(super) fn bound(&mut self, node: &Node, columns: &Columns<'_>) -> Result<Expr, SqlError> {
        let value = self.node(node, columns)?;
        Ok(self.bind(value))
    }

    fn all(&mut self, nodes: &[Node], columns: &Columns<'_>) -> Result<Vec<Expr>, SqlError> {
        nodes.iter().map(|node| self.node(node, columns)).collect()
    }

    fn joined(
        &mut self,
        nodes: &[Node],
        between: &str,
        columns: &Columns<'_>,
    ) -> Result<Expr, SqlError> {
        let values = self.all(nodes, columns)?;
        let texts: Vec<&str> = values.iter().map(|value| value.sql.as_str()).collect();
        let sql = format!("({})", texts.join(between));
        Ok(Expr::of(&values.iter().collect::<Vec<_>>(), sql))
    }

    /// What is null where a cell is missing.
    fn missing(&mut self, cell: &StagedColumn) -> Result<Expr, SqlError> {
        use super::dialect::CellType;
        match cell.kind {
            Kind::Raw(CellType::Text | CellType::Dynamic)
            | Kind::Canonical
            | Kind::Computed(Type::Text) => self.text(cell),
            _ => self.number(cell),
        }
    }

    /// The digits of a whole number up to 2^53.
    fn whole_text(&mut self, number: &Expr) -> Expr {
        let d = self.dialect;
        let most = d.double(9_007_199_254_740_992.0);
        let n = self.bind(number.clone());
        let sql = format!(
            "CASE WHEN abs({0}) <= {most} THEN CASE WHEN {1} = {0} THEN CAST(CAST({0} AS {2}) AS \
             {3}) END END",
            n.sql,
            d.floor(&n.sql),
            d.integer_type(),
            d.text_type()
        );
        Expr::of(&[&n], d.binary(&sql))
    }
}

/// Whether a number is always a whole one of at most 2^53, so that its digits are the same
/// everywhere.
fn is_whole(node: &Node) -> bool {
    let days = i64::from(LAST_DAY) - i64::from(FIRST_DAY);
    debug_assert!(days < 1 << 53);
    match node {
        Node::Difference { to, .. } => to.kind() == Type::Date,
        Node::Convert {
            value,
            to: Type::Number,
        } => matches!(value.kind(), Type::Boolean | Type::Date),
        Node::Call { function, .. } => matches!(
            function,
            Function::Length
                | Function::Year
                | Function::Quarter
                | Function::Month
                | Function::Week
                | Function::Weekday
                | Function::Day
                | Function::Hour
        ),
        _ => false,
    }
}
