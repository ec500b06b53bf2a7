//! The forms of a report: for people, programs, spreadsheets and browsers.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use lastbit_release::present::{self, Report};

use crate::Usage;
use crate::output::{Guard, Kind, Output};
use crate::streams::Stdout;

/// Which forms are asked for.
#[derive(Args)]
pub struct Forms {
    /// Print the report for programs
    #[arg(long)]
    json: bool,

    /// Write the numbers for spreadsheets to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write the report as one page to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Replace files that lastbit did not write
    #[arg(long)]
    force: bool,
}

/// A form of a report.
type Render = fn(&Report) -> String;

/// Outputs that can be written, as far as that shows before.
pub struct Prepared {
    json: bool,
    outputs: Vec<(Output, Render)>,
}

impl Forms {
    /// Standard output and files have room for one thing each.
    pub fn check(&self) -> Result<()> {
        let stdout = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
        let asked = usize::from(self.json)
            + usize::from(stdout(&self.csv))
            + usize::from(stdout(&self.html));
        if asked > 1 {
            bail!(Usage(
                "standard output has room for one of --json, --csv - and --html -; name files for the others".into()
            ));
        }
        if self.csv.is_some() && self.csv == self.html {
            bail!(Usage(
                "--csv and --html name the same file; name two".into()
            ));
        }
        Ok(())
    }

    /// Checks that all can be written, before anything is spent.
    pub fn prepare(&self, guard: &Guard) -> Result<Prepared> {
        let forms = [
            (&self.csv, Kind::Csv, present::csv as Render),
            (&self.html, Kind::Html, present::html),
        ];
        let mut outputs = Vec::new();
        for (path, kind, render) in forms {
            if let Some(path) = path {
                outputs.push((Output::prepare(path, kind, guard, self.force)?, render));
            }
        }
        Ok(Prepared {
            json: self.json,
            outputs,
        })
    }
}

impl Prepared {
    /// Writes every form; the one for people unless standard output is taken.
    pub fn show(self, report: &Report, out: &mut Stdout) -> Result<()> {
        let mut printed = false;
        for (output, render) in self.outputs {
            printed |= output.is_stdout();
            let written = output.write(&render(report), out);
            if report.invented {
                written?;
            } else {
                written.with_context(|| {
                    format!(
                        "the numbers are in row {} of the ledger, and releasing the plan again gives them at no cost",
                        report.receipt.ledger_row
                    )
                })?;
            }
        }
        if self.json {
            writeln!(out, "{}", present::to_json(report))?;
        } else if !printed {
            write!(out, "{}", present::text(report))?;
        }
        Ok(())
    }
}
