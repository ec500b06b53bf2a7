//! The identity of a release: what is computed, and with which noise. The data have a fingerprint
//! of their own.
//!
//! `docs/ledger.md` has the format. Every line is written here by hand, so renaming something in
//! this program does not change it: every later version finds a stored release.

mod earlier;

use core::fmt::Write as _;
use std::collections::BTreeSet;

use lastbit::tables::Noise;

use crate::account::{Price, Prices};
use crate::expression::Expression;
use crate::plan::{Neighbours, Plan, Statistic};
use crate::schema::{
    Column, ColumnKind, Database, DatabaseRows, FileFormat, Missing, NumberKind, Scope, Source,
    Unit,
};
use crate::statistic::Mechanism;

pub(super) use earlier::earlier;

/// Everything that the released numbers depend on, except data and chance, in one fixed notation.
///
/// The noise is part of it; the budget, its split and its accountant, which led to that noise, are
/// not. Neither are the title, guesses, columns that no statistic uses, names of files, and the
/// wording of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    text: String,
}

impl Identity {
    /// The identity of a plan at its price.
    pub fn new(plan: &Plan, prices: &Prices) -> Identity {
        let mut lines = Lines(String::from("lastbit-release-2\n"));
        lines.source(&plan.source);
        lines.derive(plan);
        lines.protected(plan);
        lines.put("confidence", &plan.confidence.get().to_string());
        let mut columns: Vec<&Column> = plan
            .columns
            .iter()
            .filter(|column| plan.used_columns().any(|name| name == column.name))
            .collect();
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        for column in columns {
            lines.column(plan, column);
        }
        for (statistic, price) in plan.statistics.iter().zip(&prices.statistics) {
            lines.statistic(statistic);
            lines.noise(price);
            if let Some(tied) = &price.tied {
                let family = &plan.families[tied.family];
                let first = family.members.iter().map(|member| member.statistic).min();
                lines.put_some(
                    "adds_up_with",
                    first.map(|first| &plan.statistics[first].name),
                );
            }
        }
        Identity { text: lines.0 }
    }

    /// The canonical text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// BLAKE3 of the text.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.text.as_bytes()).as_bytes()
    }

    /// [`Identity::hash`] in hexadecimal, as ledgers and receipts have it.
    pub fn hex(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex().to_string()
    }
}

/// Lines `name=length:value`, with the length in bytes, or `name=-` for what is not there.
struct Lines(String);

impl Lines {
    fn put(&mut self, name: &str, value: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{name}={}:{value}", value.len());
    }

    fn put_some(&mut self, name: &str, value: Option<impl ToString>) {
        match value {
            Some(value) => self.put(name, &value.to_string()),
            None => {
                let _ = writeln!(self.0, "{name}=-");
            }
        }
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Files(files) => self.files(&files.format),
            Source::Database(database) => self.database(database),
        }
    }

    fn files(&mut self, written: &FileFormat) {
        let (format, gzip) = match written {
            FileFormat::Csv { gzip, .. } => ("csv", *gzip),
            FileFormat::Parquet => ("parquet", false),
            FileFormat::Json { gzip } => ("json", *gzip),
        };
        self.put("format", format);
        self.put("gzip", if gzip { "yes" } else { "no" });
        if let FileFormat::Csv {
            delimiter, quote, ..
        } = written
        {
            self.put("delimiter", &delimiter.to_string());
            self.put("quote", &quote.to_string());
        }
    }

    /// Without who asks and where the password is: they change nothing about the rows.
    fn database(&mut self, database: &Database) {
        self.put("format", "database");
        self.put("database", &database.address.place());
        match &database.rows {
            DatabaseRows::Table { schema, name } => {
                self.put_some("schema", schema.as_ref());
                self.put("database_table", name);
            }
            DatabaseRows::Query(query) => self.put("query", query),
        }
    }

    /// Writes nothing for a plan without expressions, so that such plans keep their identity.
    fn derive(&mut self, plan: &Plan) {
        if let Some(filter) = &plan.derive.filter {
            self.put("where", &filter.to_string());
        }
        let derive = &plan.derive;
        let mut read: BTreeSet<&str> = plan.used_columns().collect();
        let filters = plan
            .statistics
            .iter()
            .filter_map(|s| s.scope.filter.as_ref());
        read.extend(filters.flat_map(Expression::columns).map(String::as_str));
        if let Unit::Column { name, .. } = &plan.unit {
            read.insert(name);
        }
        let mut columns: Vec<_> = derive.columns.iter().collect();
        columns.sort_by(|a, b| a.0.cmp(&b.0));
        columns.retain(|(name, _)| read.remove(name.as_str()));
        for (name, expression) in &columns {
            self.put("derived", name);
            self.put("as", &expression.to_string());
        }
        let expressions = columns.iter().map(|(_, expression)| expression);
        let expressions = expressions.chain(&derive.filter);
        read.extend(
            expressions
                .flat_map(Expression::columns)
                .map(String::as_str),
        );
        // Conditions of statistics use columns of the files and of look-ups.
        let conditions = plan.statistics.iter().flat_map(|s| s.kind.derives());
        read.extend(
            conditions
                .flat_map(|(_, condition)| condition.columns())
                .map(String::as_str),
        );
        // Tables are told apart by their place, as their fingerprints are.
        for (place, join) in derive.joins.iter().enumerate() {
            let columns = join.columns.iter();
            for name in columns.filter(|name| read.contains(name.as_str())) {
                self.put("joined", name);
                self.put("joined_from", &place.to_string());
            }
            if join.unit != join.key {
                self.put("joined_by", &join.unit);
            }
            self.source(&join.source);
        }
        for (place, lookup) in derive.lookups.iter().enumerate().rev() {
            for (column, name) in lookup.columns().iter().enumerate() {
                let later = &derive.lookups[place + 1..];
                let is_hidden = later.iter().any(|other| other.columns().contains(name));
                if !is_hidden && read.remove(name.as_str()) {
                    self.put("looked_up", name);
                    self.put("key", lookup.key());
                    self.put("table", &lookup.hash(column));
                    read.insert(lookup.key());
                }
            }
        }
        let mut codes: Vec<_> = derive.codes.iter().collect();
        codes.sort();
        for (name, codes) in codes {
            if read.contains(name.as_str()) {
                self.put("coded", name);
                for code in codes {
                    self.put("missing_code", code);
                }
            }
        }
    }

    fn protected(&mut self, plan: &Plan) {
        let (neighbours, rows) = match plan.neighbours {
            Neighbours::AddRemove => ("add-remove", None),
            Neighbours::ChangeOne { rows } => ("change-one", rows),
        };
        self.put("neighbours", neighbours);
        self.put_some("rows", rows);
        match &plan.unit {
            Unit::Row => self.put("unit", "row"),
            Unit::Column {
                name,
                most_rows,
                most_groups,
            } => {
                self.put("unit", "column");
                self.put("unit_column", name);
                self.put("most_rows", &most_rows.to_string());
                self.put("most_groups", &most_groups.to_string());
            }
        }
    }

    fn column(&mut self, plan: &Plan, column: &Column) {
        self.put("column", &column.name);
        match &column.kind {
            ColumnKind::Discovered => self.put("cells", "discovered"),
            ColumnKind::Categories(categories) => {
                self.put("cells", "categories");
                let names = &categories.names;
                for name in names {
                    self.put("category", name);
                }
                let other = categories.other.and_then(|other| names.get(other));
                self.put_some("other", other);
                self.labels(column);
            }
            ColumnKind::Numbers(numbers) => {
                self.put(
                    "cells",
                    match numbers.scale {
                        NumberKind::Real => "numbers",
                        NumberKind::Whole => "whole numbers",
                        NumberKind::Days => "dates",
                        NumberKind::Seconds => "times",
                    },
                );
                self.put("lower", &numbers.bounds.lower().to_string());
                self.put("upper", &numbers.bounds.upper().to_string());
                match &numbers.missing {
                    Missing::Drop => self.put("missing", "drop"),
                    Missing::Value(value) => self.put("missing", &value.to_string()),
                }
                self.put("grid", &numbers.grid.exponent().to_string());
                self.put("in", &numbers.unit);
                let binned = plan.statistics.iter().any(|statistic| {
                    let limited = statistic.kind.limited_by().unwrap_or_default();
                    statistic.by.contains(&column.name)
                        || limited.contains(&column.name)
                        || statistic.kind.is_binned()
                            && statistic.kind.of().contains(&column.name.as_str())
                });
                for edge in numbers.edges.iter().flatten().filter(|_| binned) {
                    self.put("edge", &edge.to_string());
                }
                if binned {
                    self.labels(column);
                }
            }
        }
    }

    fn labels(&mut self, column: &Column) {
        for label in column.labels.iter().flatten() {
            self.put("label", label);
        }
    }

    fn statistic(&mut self, statistic: &Statistic) {
        self.put("statistic", &statistic.name);
        self.put("kind", statistic.kind.word());
        for column in statistic.kind.of() {
            self.put("of", column);
        }
        for (name, value) in statistic.kind.parameters() {
            self.put(name, &value);
        }
        for key in &statistic.by {
            self.put("by", key);
        }
        self.scope(&statistic.scope);
    }

    /// Writes nothing for an empty scope.
    fn scope(&mut self, scope: &Scope) {
        if let Some(filter) = &scope.filter {
            self.put("where", &filter.to_string());
        }
        if let Some(most_rows) = scope.most_rows {
            self.put("most_rows", &most_rows.to_string());
        }
        if let Some(most_groups) = scope.most_groups {
            self.put("most_groups", &most_groups.to_string());
        }
    }

    fn noise(&mut self, price: &Price) {
        if let Some(shared) = &price.shared {
            return self.put("shares", &shared.name);
        }
        match &price.mechanism {
            Mechanism::Noise { noise, grid } => {
                match noise {
                    Noise::Laplace(scale) => {
                        self.put("noise", "laplace");
                        self.put("scale", &scale.to_string());
                    }
                    Noise::Gaussian(variance) => {
                        self.put("noise", "gaussian");
                        self.put("variance", &variance.to_string());
                    }
                }
                self.put("noise_grid", &grid.to_string());
            }
            Mechanism::Selection { epsilon, end, .. } => {
                self.put("noise", "selection");
                self.put("epsilon", &epsilon.to_string());
                self.put_some("end_epsilon", end.as_ref());
            }
        }
        let threshold = price.threshold.as_ref();
        self.put_some("threshold", threshold.map(|threshold| &threshold.least));
    }
}
