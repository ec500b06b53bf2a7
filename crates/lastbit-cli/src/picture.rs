//! Pictures in a terminal.

use std::io::{self, Write};

use lastbit_release::present::wrapped;

/// One bar.
pub struct Bar {
    /// The text at its left.
    pub label: String,
    /// Its length, relative to the longest.
    pub weight: f64,
    /// The text at its right.
    pub note: String,
}

const WIDTH: usize = 48;
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

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
        let eighths = (share * (8 * WIDTH) as f64).round() as usize;
        let mut drawn: String = "█".repeat(eighths / 8);
        if !eighths.is_multiple_of(8) {
            drawn.push(EIGHTHS[eighths % 8]);
        }
        writeln!(
            out,
            "  {:>label_width$}  {:>note_width$}  {}",
            bar.label,
            bar.note,
            drawn.trim_end()
        )?;
    }
    Ok(())
}

/// The largest indent at which a meaning is still broken at 80 columns.
const MOST_INDENT: usize = 48;

/// Rows of a table: a name, a value, and what it means.
pub fn rows(out: &mut impl Write, rows: &[(&str, String, &str)]) -> io::Result<()> {
    let width = |text: &str| text.chars().count();
    let names = rows.iter().map(|row| width(row.0)).max().unwrap_or(0);
    let values = rows.iter().map(|row| width(&row.1)).max().unwrap_or(0);
    let indent = names + values + 6;
    for (name, value, meaning) in rows {
        let head = format!("  {name:<names$}  {value:<values$}  ");
        // Beside a long value there is no room for broken lines.
        let lines = match indent <= MOST_INDENT {
            true => wrapped(meaning, indent),
            false => vec![format!("{}{meaning}", " ".repeat(indent))],
        };
        for (index, line) in lines.iter().enumerate() {
            let line = match index {
                0 => format!("{head}{}", line.trim_start()),
                _ => line.clone(),
            };
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}
