//! Expressions of a plan, node by node: see `docs/expressions.md`.

use super::SqlError;
use super::cells::{Kind, StagedColumn};
use super::form::{Expr, Form};
use crate::expression::calendar::{DAY, FIRST_DAY, HOUR, LAST_DAY};
use crate::expression::{Comparison, Function, MOST_TEXT, Node, Type};
use crate::value::canonical;

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

    fn bound(&mut self, node: &Node, columns: &Columns<'_>) -> Result<Expr, SqlError> {
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

    /// What a text says, for comparisons: empty where it says nothing.
    fn said(&mut self, node: &Node, columns: &Columns<'_>) -> Result<Expr, SqlError> {
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

    fn compare(
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

    fn is_in(
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
    fn extreme(
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

    fn call(
        &mut self,
        function: Function,
        arguments: &[Node],
        columns: &Columns<'_>,
    ) -> Result<Expr, SqlError> {
        let d = self.dialect;
        let mut bound = Vec::with_capacity(arguments.len());
        for argument in arguments {
            bound.push(self.bound(argument, columns)?);
        }
        let Some(first) = bound.first().cloned() else {
            return Err(SqlError::Query("a function without arguments".to_owned()));
        };
        let x = first.sql.clone();
        let one = |sql: String| Ok(Expr::of(&[&first], sql));
        let as_double = |value: Expr| {
            let sql = format!("CAST({} AS {})", value.sql, d.double_type());
            Expr::of(&[&value], sql)
        };
        match function {
            Function::Abs => one(d.finite(&format!("abs({x})"))),
            Function::Floor | Function::Ceil | Function::Trunc | Function::Round => {
                let up = function == Function::Ceil;
                // Numbers of more than 52 bits are whole, and some floors are of smaller ones only.
                let limit = d.double(4_503_599_627_370_496.0);
                let sign = match function {
                    Function::Floor => "1".to_owned(),
                    Function::Ceil => "-1".to_owned(),
                    _ => format!("CASE WHEN {x} < 0 THEN -1 ELSE 1 END"),
                };
                let small = format!("CASE WHEN abs({x}) < {limit} THEN {x} * {sign} END");
                let small = self.bind(Expr::of(&[&first], small));
                let s = &small.sql;
                let half = d.double(0.5);
                let floor = match function {
                    Function::Round => format!(
                        "({0} + CASE WHEN {s} - {0} >= {half} THEN 1 ELSE 0 END)",
                        d.floor(s)
                    ),
                    _ => d.floor(s),
                };
                let back = if up { "-1".to_owned() } else { sign };
                let sql = format!(
                    "CASE WHEN {s} IS NOT NULL THEN CAST({floor} * {back} AS {}) ELSE {} END",
                    d.double_type(),
                    d.finite(&x)
                );
                Ok(Expr::of(&[&first, &small], sql))
            }
            Function::Sqrt => one(format!(
                "CASE WHEN {x} >= 0 THEN {} END",
                d.finite(&d.sqrt(&x)?)
            )),
            Function::Upper | Function::Lower => {
                let (small, large) = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
                one(match function {
                    Function::Upper => d.translate(&x, small, large),
                    _ => d.translate(&x, large, small),
                })
            }
            Function::Trim => one(d.trim(&x)),
            Function::Length => {
                let length = one(d.characters(&x))?;
                Ok(as_double(length))
            }
            Function::StartsWith => {
                let [_, start] = bound.as_slice() else {
                    return Err(SqlError::Query("starts_with takes two texts".to_owned()));
                };
                let length = d.characters(&start.sql);
                Ok(Expr::of(
                    &[&first, start],
                    format!("(substr({x}, 1, {length}) = {})", start.sql),
                ))
            }
            Function::Substr => {
                let most = d.double(1e9);
                let int = |number: &Expr| {
                    format!(
                        "CAST(CASE WHEN {0} < {most} THEN {0} ELSE {most} END AS INT)",
                        number.sql
                    )
                };
                // Only numbers below 2^52 are asked whether they are whole: larger ones are.
                let limit = d.double(4_503_599_627_370_496.0);
                let whole = |number: &Expr| {
                    format!(
                        "CASE WHEN abs({0}) < {limit} THEN {1} = {0} ELSE TRUE END",
                        number.sql,
                        d.floor(&number.sql)
                    )
                };
                let (sql, parts) = match bound.as_slice() {
                    [text, from] => (
                        format!(
                            "CASE WHEN {0} >= 1 AND {1} THEN substr({2}, {3}) END",
                            from.sql,
                            whole(from),
                            text.sql,
                            int(from)
                        ),
                        vec![text, from],
                    ),
                    [text, from, count] => (
                        format!(
                            "CASE WHEN {0} >= 1 AND {1} AND {2} >= 0 AND {3} THEN substr({4}, \
                             {5}, {6}) END",
                            from.sql,
                            whole(from),
                            count.sql,
                            whole(count),
                            text.sql,
                            int(from),
                            int(count)
                        ),
                        vec![text, from, count],
                    ),
                    _ => return Err(SqlError::Query("substr takes a text".to_owned())),
                };
                Ok(Expr::of(&parts, sql))
            }
            Function::Concat => {
                let texts: Vec<&str> = bound.iter().map(|part| part.sql.as_str()).collect();
                let all = Expr::of(
                    &bound.iter().collect::<Vec<_>>(),
                    format!("({})", texts.join(" || ")),
                );
                let all = self.bind(all);
                let sql = format!(
                    "CASE WHEN {} <= {MOST_TEXT} THEN {} END",
                    d.bytes(&all.sql),
                    all.sql
                );
                Ok(Expr::of(&[&all], sql))
            }
            Function::Year => {
                let civil = self.civil(&first);
                Ok(as_double(civil.year))
            }
            Function::Month => {
                let civil = self.civil(&first);
                Ok(as_double(civil.month))
            }
            Function::Day => {
                let civil = self.civil(&first);
                Ok(as_double(civil.day))
            }
            Function::Quarter => {
                let month = self.civil(&first).month;
                let sql = d.quotient(&format!("({} + 2)", month.sql), 3);
                Ok(as_double(Expr::of(&[&month], sql)))
            }
            Function::Week => {
                let week = self.week(&first);
                Ok(as_double(week))
            }
            Function::Weekday => {
                let weekday = self.weekday(&first);
                Ok(as_double(weekday))
            }
            Function::Hour => {
                let within = self.within(&first, DAY);
                let sql = d.quotient(&within.sql, HOUR);
                Ok(as_double(Expr::of(&[&within], sql)))
            }
            Function::DateTrunc(unit) => Ok(self.trunc(unit, &first)),
            Function::HourTrunc => {
                let within = self.within(&first, HOUR);
                Ok(Expr::of(
                    &[&first, &within],
                    format!("({x} - {})", within.sql),
                ))
            }
            Function::AtOffset(minutes) => {
                let shift = i64::from(minutes) * 60_000_000;
                let shifted = Expr::of(&[&first], format!("({x} + {shift})"));
                Ok(self.valid_time(&shifted))
            }
        }
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
