//! The intermediate form: values of a row, each computed from those of the stages before it.
//!
//! A stage is one `select` over the one before. So a template may name its arguments as often as it
//! needs, and the text grows with the number of values, not with their depth.

use std::fmt::Write;

use super::dialect::Dialect;

/// What stages are called, before their number. All names that statements give to rows begin so:
/// in some systems they hide a table of the same name wherever the statement reads one.
pub(super) const STAGE: &str = "lastbit_s";

/// An expression over the columns of some stage.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub sql: String,
    /// The stage whose columns it names.
    pub level: usize,
    /// Whether it is one name or literal.
    pub is_atom: bool,
}

impl Expr {
    pub(super) fn atom(sql: impl Into<String>) -> Expr {
        Expr {
            sql: sql.into(),
            level: 0,
            is_atom: true,
        }
    }

    /// An expression made of others.
    pub(super) fn of(parts: &[&Expr], sql: impl Into<String>) -> Expr {
        Expr {
            sql: sql.into(),
            level: parts.iter().map(|part| part.level).max().unwrap_or(0),
            is_atom: false,
        }
    }
}

/// Stages, and what they define.
pub(super) struct Form {
    pub dialect: &'static dyn Dialect,
    /// What the stages are called, before their number.
    pub name: &'static str,
    stages: Vec<Stage>,
    names: usize,
}

#[derive(Default)]
struct Stage {
    /// Names and expressions over the stage before.
    values: Vec<(String, String)>,
    joins: Vec<String>,
    filter: Option<String>,
}

impl Form {
    pub(super) fn new(dialect: &'static dyn Dialect) -> Form {
        Form::named(dialect, STAGE)
    }

    /// With another name for its stages.
    pub(super) fn named(dialect: &'static dyn Dialect, name: &'static str) -> Form {
        Form {
            dialect,
            name,
            stages: Vec::new(),
            names: 0,
        }
    }

    fn stage(&mut self, level: usize) -> &mut Stage {
        while self.stages.len() <= level {
            self.stages.push(Stage::default());
        }
        &mut self.stages[level]
    }

    /// A name for a value, so that it is computed once.
    pub(super) fn bind(&mut self, value: Expr) -> Expr {
        if value.is_atom {
            return value;
        }
        let known = self.stages.get(value.level).and_then(|stage| {
            let found = stage.values.iter().find(|(_, sql)| *sql == value.sql);
            found.map(|(name, _)| name.clone())
        });
        let name = known.unwrap_or_else(|| {
            self.names += 1;
            let name = format!("v{}", self.names);
            let values = &mut self.stage(value.level).values;
            values.push((name.clone(), value.sql.clone()));
            name
        });
        Expr {
            sql: name,
            level: value.level + 1,
            is_atom: true,
        }
    }

    /// What a public table `(lk, lv)` has for a key, or null.
    pub(super) fn join(&mut self, key: &Expr, table: &str) -> Expr {
        self.names += 1;
        let (name, alias) = (format!("v{}", self.names), format!("l{}", self.names));
        let stage = self.stage(key.level);
        stage.values.push((name.clone(), format!("{alias}.lv")));
        let join = format!("LEFT JOIN {table} AS {alias} ON {alias}.lk = {}", key.sql);
        stage.joins.push(join);
        Expr {
            sql: name,
            level: key.level + 1,
            is_atom: true,
        }
    }

    /// Rows that do not pass are as if they were not there.
    pub(super) fn filter(&mut self, condition: &Expr) {
        self.stage(condition.level).filter = Some(condition.sql.clone());
    }

    /// All stages as common table expressions after the first, and the name of the last.
    pub(super) fn stages(&self) -> (String, String) {
        let mut text = String::new();
        let name = self.name;
        for (place, stage) in self.stages.iter().enumerate() {
            let select = stage.select(name, place, &format!("{name}{place}"));
            // Writing to a string does not fail.
            let _ = write!(
                text,
                ",\n{name}{} AS (\n  {select}{}\n)",
                place + 1,
                self.dialect.fence()
            );
        }
        (text, format!("{name}{}", self.stages.len()))
    }

    /// All stages over a first `select`, each inside the next.
    pub(super) fn nested(&self, first: &str) -> String {
        let name = self.name;
        let mut text = format!("(\n  {first}\n) AS {name}0");
        for (place, stage) in self.stages.iter().enumerate() {
            let select = stage.select(name, place, &text);
            text = format!("(\n  {select}\n) AS {name}{}", place + 1);
        }
        text
    }
}

impl Stage {
    /// Everything of the stage before, which is called by its place, and the values.
    fn select(&self, name: &str, place: usize, from: &str) -> String {
        let mut values = format!("{name}{place}.*");
        for (name, sql) in &self.values {
            // Writing to a string does not fail.
            let _ = write!(values, ",\n    {sql} AS {name}");
        }
        let joins = self.joins.iter().map(|join| format!("\n  {join}"));
        let joins: String = joins.collect();
        let filter = match &self.filter {
            None => String::new(),
            Some(filter) => format!("\n  WHERE {filter}"),
        };
        format!("SELECT {values}\n  FROM {from}{joins}{filter}")
    }
}
