//! Calls of functions in expressions of a plan.

use super::SqlError;
use super::expression::Columns;
use super::form::{Expr, Form};
use crate::expression::calendar::{DAY, HOUR};
use crate::expression::{Function, MOST_TEXT, Node};

impl Form {
    pub(super) fn call(
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
