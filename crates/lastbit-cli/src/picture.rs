//! Pictures in a terminal.

use std::io::{self, Write};

use lastbit_exact::Interval;
use lastbit_release::present::{self, wrapped};

/// One bar.
pub struct Bar {
    /// The text at its left.
    pub label: String,
    /// Its length, relative to the longest.
    pub weight: f64,
    /// The text at its right.
    pub note: String,
}

impl Bar {
    /// A probability, with its percentage at the right.
    pub fn probability(label: String, probability: f64) -> Bar {
        Bar {
            label,
            weight: probability,
            note: percent(probability),
        }
    }

    /// A probability that is known within bounds.
    pub fn mass(label: String, mass: Interval) -> Bar {
        Bar::probability(label, mass.midpoint().max(0.0))
    }
}

/// A probability as a percentage.
pub fn percent(probability: f64) -> String {
    format!("{:.3} %", 100.0 * probability)
}

const WIDTH: usize = 48;

/// Bars, one on each line, scaled to the longest.
pub fn bars(out: &mut impl Write, bars: &[Bar]) -> io::Result<()> {
    let longest = bars.iter().map(|bar| bar.weight).fold(0.0, f64::max);
    let width = |text: &str| text.chars().count();
    let label_width = bars.iter().map(|bar| width(&bar.label)).max().unwrap_or(0);
    let note_width = bars.iter().map(|bar| width(&bar.note)).max().unwrap_or(0);
    for bar in bars {
        let share = if longest > 0.0 {
            bar.weight / longest
        } else {
            0.0
        };
        let drawn = present::bar(share, WIDTH);
        writeln!(
            out,
            "  {:>label_width$}  {:>note_width$}  {drawn}",
            bar.label, bar.note
        )?;
    }
    Ok(())
}

/// The largest indent at which a meaning stands beside its value; otherwise it stands below.
const MOST_INDENT: usize = 48;

/// Rows of a table: a name, a value, and what it means.
pub fn rows(out: &mut impl Write, rows: &[(&str, String, &str)]) -> io::Result<()> {
    let width = |text: &str| text.chars().count();
    let names = rows.iter().map(|row| width(row.0)).max().unwrap_or(0);
    let below = names + 4;
    // A long value without a meaning needs no room beside it.
    let values = rows
        .iter()
        .filter(|row| !row.2.is_empty() && below + width(&row.1) + 2 <= MOST_INDENT)
        .map(|row| width(&row.1))
        .max()
        .unwrap_or(0);
    for (name, value, meaning) in rows {
        let mut lines = match width(value) <= values {
            true => {
                let padded = format!("{value:<values$}  ");
                let mut lines = wrapped(meaning, below + values + 2);
                if let Some(first) = lines.first_mut() {
                    *first = format!("{}{padded}{}", " ".repeat(below), first.trim_start());
                }
                lines
            }
            false => {
                let mut lines = wrapped(value, below);
                lines.extend(wrapped(meaning, below));
                lines
            }
        };
        if let Some(first) = lines.first_mut() {
            *first = format!("  {name:<names$}  {}", first.trim_start());
        }
        for line in lines.iter().filter(|line| !line.trim().is_empty()) {
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}
