//! `lastbit plan`: what a plan costs and how far off its numbers will be, without reading any data.

mod json;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use comfy_table::{Table, presets};
use lastbit_release::plan;
use lastbit_release::price::{self, HEADER, Prices, html, words};

use crate::picture::rows;

const TEACH: &str = "\
A plan is a TOML file: a source, public bounds, whose presence is protected, a budget and
statistics. Its schema is in docs/plan.md, and examples/ has two. This command reads no data and
spends nothing: it shows what `lastbit release` will spend on each statistic and how far each
published number will be from the exact one, with the plan's confidence. Errors are rounded up.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Plan {
    /// The plan
    plan: PathBuf,

    /// Machine-readable output
    #[arg(long)]
    json: bool,

    /// Write a page with pictures to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Plan {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let plan = plan::Plan::read(&self.plan)?;
        let prices = price::price(&plan)
            .map_err(|error| anyhow::anyhow!("{}: {error}", self.plan.display()))?;
        if let Some(path) = &self.html {
            write_file(path, &html(&plan, &prices))?;
        }
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &json::value(&plan, &prices))?;
            writeln!(out)?;
            return Ok(());
        }
        print(out, &plan, &prices)
    }
}

/// Writes a whole file or none: beside it first, then in its place.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let readable = fs::Permissions::from_mode(0o644);
            file.as_file().set_permissions(readable)?;
        }
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("could not write {}", path.display()))
}

fn print(out: &mut impl Write, plan: &plan::Plan, prices: &Prices) -> Result<()> {
    writeln!(out, "{}", plan.title)?;
    writeln!(out)?;
    let others: Vec<String> = prices
        .comparison
        .iter()
        .filter(|offer| offer.accountant != prices.accountant)
        .map(|offer| match (&offer.outcome, offer.relative_error) {
            (Ok(_), Some(ratio)) => {
                format!(
                    "{}: errors {ratio:.2} times as large",
                    offer.accountant.name()
                )
            }
            (Err(why), _) => format!("{}: {why}", offer.accountant.name()),
            (Ok(_), None) => offer.accountant.name().to_owned(),
        })
        .collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("({})", others.join("; ")),
    };
    rows(
        out,
        &[
            ("loss", prices.loss.to_string(), "of the whole release"),
            ("budget", plan.budget.to_string(), "of the data set"),
            ("accountant", prices.accountant.name().to_owned(), &others),
            (
                "confidence",
                plan.confidence.get().to_string(),
                "with which each error bound holds, for each number by itself",
            ),
            (
                "plan",
                plan.hash_hex()[..16].to_owned(),
                "the first digits of its hash",
            ),
        ],
    )?;
    writeln!(out)?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(HEADER);
    for (statistic, price) in plan.statistics.iter().zip(&prices.statistics) {
        table.add_row(words(plan, statistic, price));
    }
    // Padding at the end of lines is of no use.
    for line in table.to_string().lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "No data was read and nothing was spent. “10 % from”: the smallest group whose error is below a tenth of a typical value."
    )?;
    Ok(())
}
