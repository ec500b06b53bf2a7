//! The forms of a report: for people, programs, spreadsheets and browsers.

use std::io::{self, IsTerminal, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use lastbit_release::present::{self, Report};

use crate::Usage;
use crate::output::{Guard, Kind, Output, is_same_target};
use crate::streams::{Stdout, width};

/// The forms that are asked for.
#[derive(Args)]
pub struct Forms {
    /// Print the report for programs
    #[arg(long)]
    json: bool,

    /// Write the numbers for spreadsheets to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write the numbers as a Parquet table to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,

    /// Write the report as one page to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write how the numbers were made, as a text to print, to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    method: Option<PathBuf>,

    /// Replace files that lastbit did not write
    #[arg(long)]
    force: bool,
}

/// A form of a report.
type Render = fn(&Report) -> Result<Vec<u8>>;

/// Outputs that can be written, as far as can be checked beforehand.
pub struct Prepared {
    json: bool,
    outputs: Vec<(Output, Render)>,
}

impl Forms {
    /// The files that are asked for, each with its option, its kind and its renderer.
    fn files(&self) -> Vec<(&Path, &'static str, Kind, Render)> {
        let forms: [(&Option<PathBuf>, _, _, Render); 4] = [
            (&self.csv, "--csv", Kind::Csv, |report| {
                Ok(present::csv(report).into_bytes())
            }),
            (&self.parquet, "--parquet", Kind::Parquet, parquet),
            (&self.html, "--html", Kind::Html, |report| {
                Ok(present::html(report).into_bytes())
            }),
            (&self.method, "--method", Kind::Method, |report| {
                Ok(present::method(report).into_bytes())
            }),
        ];
        let asked = forms
            .into_iter()
            .filter_map(|(path, option, kind, render)| {
                Some((path.as_deref()?, option, kind, render))
            });
        asked.collect()
    }

    /// Checks that standard output and each file are asked for one form only.
    pub fn check(&self) -> Result<()> {
        let files = self.files();
        let stdout = |path: &Path| path == Path::new("-");
        let printed = files.iter().filter(|(path, ..)| stdout(path));
        if usize::from(self.json) + printed.count() > 1 {
            bail!(Usage(
                "standard output has room for one of --json, --csv -, --parquet -, --html - and \
                 --method -; name files for the others"
                    .into()
            ));
        }
        for (index, (path, option, ..)) in files.iter().enumerate() {
            for (other, second, ..) in &files[index + 1..] {
                if !stdout(path) && is_same_target(path, other) {
                    bail!(Usage(format!(
                        "{option} and {second} name the same file; name two different ones"
                    )));
                }
            }
        }
        if self.parquet.as_deref().is_some_and(stdout) && io::stdout().is_terminal() {
            bail!(Usage(
                "a Parquet table cannot be read on a terminal; name a file, or use --csv -".into()
            ));
        }
        if self.parquet.is_some() && !cfg!(feature = "engine") {
            bail!("this lastbit was built without Parquet; build it with the feature `engine`");
        }
        Ok(())
    }

    /// Checks that all files can be written, before anything is spent.
    pub fn prepare(&self, guard: &Guard) -> Result<Prepared> {
        let mut outputs = Vec::new();
        for (path, _, kind, render) in self.files() {
            outputs.push((Output::prepare(path, kind, guard, self.force)?, render));
        }
        Ok(Prepared {
            json: self.json,
            outputs,
        })
    }
}

#[cfg(feature = "engine")]
fn parquet(report: &Report) -> Result<Vec<u8>> {
    Ok(present::parquet(report)?)
}

#[cfg(not(feature = "engine"))]
fn parquet(_: &Report) -> Result<Vec<u8>> {
    bail!("this lastbit was built without Parquet")
}

impl Prepared {
    /// Writes every form; the one for people unless standard output is taken.
    pub fn show(self, report: &Report, out: &mut Stdout) -> Result<()> {
        let shown = self.write(report, out);
        if report.invented {
            return shown;
        }
        shown.with_context(|| {
            format!(
                "the numbers are in row {} of the ledger, and releasing the plan again gives them \
                 at no cost",
                report.receipt.ledger_row
            )
        })
    }

    fn write(self, report: &Report, out: &mut Stdout) -> Result<()> {
        let mut printed = false;
        for (output, render) in self.outputs {
            printed |= output.is_stdout();
            render(report).and_then(|bytes| output.write(&bytes, out))?;
        }
        if self.json {
            write!(out, "{}", present::to_json(report))?;
        } else if !printed {
            for (style, part) in present::styled_text_within(report, width()) {
                out.write_styled(style, &part)?;
            }
        }
        // What fails later fails now, while it is known what is kept.
        Ok(out.flush()?)
    }
}
