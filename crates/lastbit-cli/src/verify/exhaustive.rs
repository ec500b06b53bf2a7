//! `lastbit verify exhaustive`: small formats, every random bit pattern.

use std::io::{IsTerminal, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lastbit::mechanisms::snapping::{CHARGED, PUBLISHED};
use lastbit_exact::{Rounding, Up};
use lastbit_verify::exact::exhaustive::{Row, Sweep, settings, sweep, worst_laws};
use lastbit_verify::exact::picture::{Level, loss_svg};
use serde_json::{Value, json};

use crate::number::{json as number, json_up, json_upper, shortest};
use crate::output::{Guard, Kind, Output, SVG_MARK};

/// The most bits that are enumerated: one more bit doubles the work.
const MOST_BITS: u32 = 14;

#[derive(Args)]
#[command(
    before_long_help = "\
Runs the float skeleton of the snapping mechanism on every U* of a small format, for many scales \
λ, bounds B and all pairs of many \
values, and compares the exact loss beyond |f − f'|/λ with what the published formula and the \
charge allow. From 8 bits on every \
setting is inside the limits λ < B < 2^(p−7)·λ; with fewer bits nothing is inside, and whole \
outputs become unreachable.",
    after_long_help = "\
Examples:
  lastbit verify exhaustive --precision 8..12
  lastbit verify exhaustive --precision 5 --svg broken.svg"
)]
pub struct Exhaustive {
    /// Significant bits: one number, or a range such as 8..12 (both ends included); 3 to 14
    #[arg(long, value_name = "P", default_value = "8..12", value_parser = precisions)]
    precision: RangeInclusive<u32>,

    /// Draw the loss at every output, for the pair that loses most beyond the ideal
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl Exhaustive {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let output = |path: &PathBuf| Output::prepare(path, Kind::Svg, &Guard::default(), false);
        let svg = self.svg.as_ref().map(output).transpose()?;
        let extent = Sweep::FULL;
        let settings: Vec<_> = self.precision.flat_map(|p| settings(p, extent)).collect();
        let bar = progress_bar(settings.len() as u64);
        let rows = sweep(&settings, extent.values, &|done| {
            bar.set_position(done as u64)
        })?;
        bar.finish_and_clear();
        if let Some(svg) = svg {
            let picture = picture(&rows).context("no setting to draw")?;
            svg.write_file(format!("{SVG_MARK}{picture}"))?;
        }
        if self.json {
            let rows: Vec<Value> = rows.iter().map(as_json).collect();
            writeln!(out, "{}", Value::Array(rows))?;
            return Ok(());
        }
        table(out, &rows)
    }
}

fn table(out: &mut impl Write, rows: &[Row]) -> Result<()> {
    writeln!(
        out,
        "{:>3} {:>10} {:>10} {:>6}  {:>10} {:>10} {:>10} {:>10}  {:>6}  worst pair",
        "p", "λ", "B", "pairs", "excess", "published", "certified", "charged", "share"
    )?;
    for row in rows {
        let setting = row.setting;
        writeln!(
            out,
            "{:>3} {:>10} {:>10} {:>6}  {:>10} {:>10.6} {:>10} {:>10.6}  {:>6}  {} {}",
            setting.precision,
            shortest(setting.scale),
            shortest(setting.bound),
            row.pairs,
            if row.excess.is_finite() {
                format!("{:.6}", row.excess)
            } else {
                "infinite".to_owned()
            },
            Up::from_rational(&row.published),
            row.certified
                .as_ref()
                .map_or("none".to_owned(), |x| format!(
                    "{:.6}",
                    Up::from_rational(x)
                )),
            Up::from_rational(&row.charged),
            if row.excess.is_finite() {
                format!("{:.0} %", 100.0 * row.share(&row.charged))
            } else {
                "broken".to_owned()
            },
            shortest(row.worst[0]),
            shortest(row.worst[1]),
        )?;
    }
    let pairs: usize = rows.iter().map(|row| row.pairs).sum();
    let count = |constants| rows.iter().filter(|row| row.is_within(constants)).count();
    writeln!(
        out,
        "{} settings, {pairs} pairs: {} within the published formula, {} within the charge. \
         Excess: loss beyond |f − f'|/λ, of the worst pair; share: of the charge.",
        rows.len(),
        count(PUBLISHED),
        count(CHARGED),
    )?;
    Ok(())
}

fn as_json(row: &Row) -> Value {
    json!({
        "precision": row.setting.precision,
        "scale": row.setting.scale,
        "bound": row.setting.bound,
        "inside": row.setting.is_inside(),
        "pairs": row.pairs,
        "worst": row.worst,
        "output": number(row.divergence.output),
        "loss": json_upper(row.divergence.loss().upper()),
        "excess": json_upper(row.excess),
        "published": json_up(&row.published),
        "certified": row.certified.as_ref().map(json_up),
        "charged": json_up(&row.charged),
        "within_published": row.is_within(PUBLISHED),
        "within_charge": row.is_within(CHARGED),
    })
}

/// The row that uses most of its charge.
fn picture(rows: &[Row]) -> Option<String> {
    let share = |row: &&Row| row.share(&row.charged);
    let row = rows.iter().max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let [one, other] = worst_laws(row)?;
    let setting = row.setting;
    let ideal = (row.worst[1] - row.worst[0]) / setting.scale;
    let beyond = |x: &lastbit_exact::Rational| ideal + x.to_f64(Rounding::Up);
    let title = format!(
        "Loss at each output: p = {}, λ = {}, B = {}, f = {}, f' = {}",
        setting.precision, setting.scale, setting.bound, row.worst[0], row.worst[1]
    );
    let level = |name, loss, colour| Level { name, loss, colour };
    Some(loss_svg(
        &title,
        &one,
        &other,
        &[
            level("ideal", ideal, "#26a269"),
            level("published", beyond(&row.published), "#e5a50a"),
            level("charged", beyond(&row.charged), "#c01c28"),
        ],
    ))
}

/// A progress bar, only if standard error is a terminal.
fn progress_bar(length: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} settings, {eta} left");
    let bar = ProgressBar::new(length);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn precisions(text: &str) -> Result<RangeInclusive<u32>, String> {
    let ends = match text.split_once("..") {
        Some((first, last)) => (first.parse(), last.trim_start_matches('=').parse()),
        None => (text.parse(), text.parse()),
    };
    match ends {
        (Ok(first), Ok(last)) if 3 <= first && first <= last && last <= MOST_BITS => {
            Ok(first..=last)
        }
        _ => Err(format!(
            "write a number of bits from 3 to {MOST_BITS}, or a range such as 8..12"
        )),
    }
}
