//! Reading a kind from a plan, with its columns.

use std::sync::Arc;

use lastbit_exact::Rational;

use crate::expression::Expression;
use crate::plan::PlanError;
use crate::plan::reader::{Table, Value, suggestion};
use crate::query::MOST_STEPS;
use crate::schema::{Column, ColumnKind, Missing, Numbers, Unit};

/// A statistic's table, and what the plan says before it.
pub(crate) struct Reading<'a> {
    pub table: &'a Table<'a>,
    pub columns: &'a [Column],
    /// Names and values of computed columns.
    pub derived: &'a [(String, Expression)],
    pub unit: &'a Unit,
    /// The number of rows, if it is public and the statistic has one group.
    pub rows: Option<u64>,
}

impl<'a> Reading<'a> {
    /// An error about the statistic.
    pub fn error(&self, message: impl std::fmt::Display) -> PlanError {
        self.table
            .error(format!("{}: {message}", self.table.name()))
    }

    /// A column as a condition of this statistic names it, which sees no computed columns.
    pub fn in_condition(&self, name: &str) -> String {
        match self.derived.iter().find(|(other, _)| other == name) {
            Some((_, expression)) => format!("({})", expression.written()),
            None => name.to_owned(),
        }
    }

    /// Refuses columns for a kind that takes none.
    pub fn no_columns(&self, why: &str) -> Result<(), PlanError> {
        match self.table.get("of") {
            None => Ok(()),
            Some(of) => Err(of.error(why)),
        }
    }

    /// The column of weights, if there is one: its numbers are not negative.
    pub fn weights(&self) -> Result<Option<Arc<Numbers>>, PlanError> {
        let Some(value) = self.table.get("weights") else {
            return Ok(None);
        };
        let name = value.string()?;
        let weights = self.numbers("weight", name)?;
        if weights.bounds.lower().is_negative() {
            return Err(value.error(format!(
                "weights are not negative, and [columns.{name}] has lower = {}; raise it to 0",
                weights.bounds.lower()
            )));
        }
        self.check_steps(&weights)?;
        Ok(Some(weights))
    }

    /// Refuses a grid whose products cannot be summed.
    fn check_steps(&self, numbers: &Numbers) -> Result<(), PlanError> {
        if numbers.grid.count() > MOST_STEPS.unsigned_abs() {
            return Err(self.table.error(format!(
                "column `{}`: a grid of 2^{} has more than 2^{} steps between the bounds; choose a \
                 coarser `grid`",
                numbers.column,
                numbers.grid.exponent(),
                MOST_STEPS.ilog2()
            )));
        }
        Ok(())
    }

    /// The value of `of`.
    fn of(&self) -> Result<Value<'a>, PlanError> {
        self.table.get("of").ok_or_else(|| {
            self.table.error(format!(
                "{} lacks `of`, the column that it describes",
                self.table.name()
            ))
        })
    }

    /// The one name in `of`, and its place.
    pub fn one_name(&self) -> Result<(String, Value<'a>), PlanError> {
        let name = self.names(1)?.remove(0);
        Ok((name, self.of()?))
    }

    /// The names of so many columns.
    fn names(&self, needed: usize) -> Result<Vec<String>, PlanError> {
        let of = self.of()?;
        let names = of.strings()?;
        if names.len() != needed {
            return Err(of.error(format!(
                "{} must be of {needed} column{}, got {}",
                self.table.name(),
                if needed == 1 { "" } else { "s" },
                names.len()
            )));
        }
        Ok(names)
    }

    /// The column of a name.
    pub fn known(&self, name: &str) -> Result<&'a Column, PlanError> {
        known(self.columns, self.unit, name).map_err(|message| self.error(message))
    }

    /// The one column.
    pub fn column(&self) -> Result<&'a Column, PlanError> {
        let names = self.names(1)?;
        self.known(&names[0])
    }

    /// So many columns of numbers whose products can be summed.
    pub fn moments(&self, word: &str, needed: usize) -> Result<Vec<Arc<Numbers>>, PlanError> {
        let names = self.names(needed)?;
        let numbers = |name: &String| {
            let numbers = self.numbers(word, name)?;
            self.check_steps(&numbers)?;
            Ok(numbers)
        };
        names.iter().map(numbers).collect()
    }

    /// The regressed column, then those that it is regressed `on`: all different, and at most so
    /// many.
    pub fn regressed(&self, most: usize) -> Result<Vec<Arc<Numbers>>, PlanError> {
        let mut columns = self.moments("regression", 1)?;
        let on = self.table.need("on", "on = [\"age\"]")?;
        let names = on.strings()?;
        if names.is_empty() || names.len() > most {
            return Err(on.error(format!(
                "a regression is on 1 to {most} columns, got {}",
                names.len()
            )));
        }
        for name in &names {
            if columns.iter().any(|column| column.column == *name) {
                return Err(on.error(format!(
                    "`{name}` is in the regression twice; remove it from `on`"
                )));
            }
            let numbers = self.numbers("regression", name)?;
            self.check_steps(&numbers)?;
            columns.push(numbers);
        }
        Ok(columns)
    }

    /// The one column of numbers.
    pub fn one_of_numbers(&self, word: &str) -> Result<Arc<Numbers>, PlanError> {
        let names = self.names(1)?;
        self.numbers(word, &names[0])
    }

    fn numbers(&self, word: &str, name: &str) -> Result<Arc<Numbers>, PlanError> {
        match &self.known(name)?.kind {
            ColumnKind::Numbers(numbers) => Ok(Arc::clone(numbers)),
            ColumnKind::Categories(_) => Err(self.error(format!(
                "`{name}` has categories, and a {word} is of numbers; use a histogram, or give the \
                 column `lower` and `upper`"
            ))),
            ColumnKind::Discovered => Err(self.error(format!(
                "`{name}` is discovered text, and a {word} is of numbers; give the column `lower` \
                 and `upper`"
            ))),
        }
    }

    /// The public number of rows, if all of them count with these columns.
    pub fn public_rows(&self, columns: &[&Numbers]) -> Option<u64> {
        let all = columns.iter().all(|x| x.missing != Missing::Drop);
        self.rows.filter(|_| all)
    }

    /// Refuses a public number of rows that is too small.
    pub fn at_least(&self, needed: u64, rows: Option<u64>) -> Result<Option<u64>, PlanError> {
        match rows {
            Some(rows) if rows < needed => Err(self.table.error(format!(
                "{} takes at least {needed} rows, and the plan says rows = {rows}",
                self.table.name()
            ))),
            rows => Ok(rows),
        }
    }

    /// A list of numbers, or one.
    pub fn some_numbers(value: &Value<'_>) -> Result<Vec<Rational>, PlanError> {
        if value.is_number() || value.string().is_ok() {
            return Ok(vec![value.number()?]);
        }
        value.list()?.iter().map(Value::number).collect()
    }
}

/// The column of a name, or why there is none.
pub(crate) fn known<'a>(
    columns: &'a [Column],
    unit: &Unit,
    name: &str,
) -> Result<&'a Column, String> {
    if let Some(column) = columns.iter().find(|column| column.name == name) {
        return Ok(column);
    }
    let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
    if let Unit::Column { name: unit, .. } = unit
        && unit == name
    {
        return Err(format!(
            "`{name}` is the unit; a statistic of it needs a table [columns.{name}]"
        ));
    }
    Err(format!(
        "there is no column `{name}` in the plan; add [columns.{name}]; {}",
        suggestion(name, &names)
    ))
}
