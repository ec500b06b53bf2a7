//! `lastbit sql`: what a plan asks of a database, for a person to read.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lastbit_release::account::price;
use lastbit_release::clean::{self, shown};
use lastbit_release::engine::query::Query;
use lastbit_release::engine::sql::{
    CellType, Dialect, Relation, Statements, dialect, dialects, reads, types_sql,
};
use lastbit_release::plan;
use lastbit_release::release::Identity;
use lastbit_release::statistic::query;
use serde_json::json;

use crate::Usage;
use crate::streams::Stdout;

const TEACH: &str = "\
Prints the SQL that a plan becomes in a database: for those who must show what will run. Nothing \
is connected to, no data is read and nothing is spent. Only exact integers, and the values of keys \
that are not listed, leave the database; noise is added afterwards, by `lastbit release`.

How a cell is read depends on its type. A plan does not state types, so a column of numbers, dates \
or times is taken to be double and any other text; say what it is with --type. SQLite has no types \
to say, and its statements call functions that lastbit registers. docs/engines.md has the rest.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Sql {
    /// The plan
    plan: PathBuf,

    /// The database: postgresql, duckdb, sqlite, spark or datafusion; by default that of the plan
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,

    /// The table: a name, or several with dots between them; by default the rows that the plan
    /// names, or `visits` where they are in files
    #[arg(long, value_name = "NAME")]
    table: Option<String>,

    /// The type of a column: integer, double, float, decimal, boolean, text, date or timestamp
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    types: Vec<String>,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl Sql {
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        let plan = plan::Plan::read(&self.plan)?;
        let database = plan.source.database();
        let dialect = self.dialect(database)?;
        let named =
            |error: &dyn std::fmt::Display| anyhow::anyhow!("{}: {error}", clean::path(&self.plan));
        let prices = price(&plan).map_err(|error| named(&error))?;
        let (query, _) = query(&plan, Identity::new(&plan, &prices).hash());
        let columns = self.columns(&plan, &query, dialect)?;
        let relation = match (&self.table, database) {
            (None, Some(database)) => database.relation(),
            (table, _) => {
                let name = table.as_deref().unwrap_or("visits");
                Relation::Table(name.split('.').map(str::to_owned).collect())
            }
        };
        let statements =
            Statements::new(&query, &columns, &relation, dialect).map_err(|error| named(&error))?;
        let types = types_sql(&query, &relation, dialect).map_err(|error| named(&error))?;
        let mut all = vec![
            ("the types of the columns".to_owned(), types),
            (
                "which data it is".to_owned(),
                statements.fingerprint().to_owned(),
            ),
        ];
        all.extend(statements.text());
        if self.json {
            let columns: Vec<_> = columns
                .iter()
                .map(|(name, cell)| json!({ "name": name, "type": cell.word() }))
                .collect();
            let statements: Vec<_> = all
                .iter()
                .map(|(title, sql)| json!({ "title": title, "sql": sql }))
                .collect();
            let value = json!({
                "schema": 1,
                "dialect": dialect.name(),
                "columns": columns,
                "statements": statements,
            });
            serde_json::to_writer_pretty(&mut *out, &value)?;
            writeln!(out)?;
            return Ok(());
        }
        writeln!(
            out,
            "-- What the plan asks of {}, in this order.",
            dialect.name()
        )?;
        if dialect.name() != "sqlite" {
            for (name, cell) in &columns {
                writeln!(
                    out,
                    "-- Column {} is taken to be {}.",
                    shown(name),
                    cell.word()
                )?;
            }
        }
        for (place, (title, sql)) in all.iter().enumerate() {
            writeln!(out, "\n-- {} of {}: {title}.\n{sql};", place + 1, all.len())?;
        }
        Ok(())
    }

    fn dialect(&self, database: Option<&plan::Database>) -> Result<&'static dyn Dialect> {
        let known = || {
            let names: Vec<&str> = dialects().iter().map(|one| one.name()).collect();
            names.join(", ")
        };
        match &self.dialect {
            Some(name) => dialect(name).ok_or_else(|| {
                let name = shown(name);
                let known = known();
                Usage(format!(
                    "there is no dialect `{name}`; choose one of {known}"
                ))
            }),
            None => database.map(plan::Database::dialect).ok_or_else(|| {
                let known = known();
                Usage(format!(
                    "the rows of this plan are in files; say with --dialect for which database: \
                     {known}"
                ))
            }),
        }
        .map_err(Into::into)
    }

    /// The columns that are read, with the types that were said, or taken.
    fn columns(
        &self,
        plan: &plan::Plan,
        query: &Query,
        dialect: &dyn Dialect,
    ) -> Result<Vec<(String, CellType)>> {
        let mut said = Vec::new();
        for one in &self.types {
            let found = one.rsplit_once('=').and_then(|(name, word)| {
                let cell = CellType::NAMES.iter().find(|(other, _)| *other == word)?;
                Some((name.to_owned(), cell.1))
            });
            let Some(found) = found else {
                bail!(Usage(format!(
                    "--type {} is no COLUMN=TYPE; types are integer, double, float, decimal, \
                     boolean, text, date and timestamp",
                    shown(one)
                )));
            };
            said.push(found);
        }
        let reads = reads(query)?;
        if let Some((name, _)) = said.iter().find(|(name, _)| !reads.contains(name)) {
            bail!(Usage(format!(
                "the plan reads no column `{}`; it reads {}",
                shown(name),
                reads
                    .iter()
                    .map(|name| shown(name))
                    .collect::<Vec<_>>()
                    .join(", ")
            )));
        }
        let dynamic = dialect.name() == "sqlite";
        let typed = reads.into_iter().map(|name| {
            let known = said.iter().find(|(other, _)| *other == name);
            let is_number = plan
                .column(&name)
                .is_some_and(|column| column.kind.numbers().is_some());
            let cell = match known {
                _ if dynamic => CellType::Dynamic,
                Some((_, cell)) => *cell,
                None if is_number => CellType::Float,
                None => CellType::Text,
            };
            (name, cell)
        });
        Ok(typed.collect())
    }
}
