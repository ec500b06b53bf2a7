//! Draws, as they are printed.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use anyhow::Result;
use serde_json::Value;

/// Independent draws from one law.
pub struct Draws<'a> {
    /// How many.
    pub number: u64,
    /// What one of several is, for the note of their cost: "releases of one value".
    pub of: &'a str,
    /// For JSON: the name of the measure, and the loss of one draw.
    pub json: Option<(&'a str, Value)>,
}

impl Draws<'_> {
    /// Makes the draws, and writes each before the next is made: memory does not grow with their
    /// number. `draw` returns the text of one, as the format needs it.
    pub fn write<T: Display>(
        self,
        out: &mut impl Write,
        mut draw: impl FnMut() -> Result<T>,
    ) -> Result<()> {
        let Draws { number, of, json } = self;
        if number > 1 && std::io::stderr().is_terminal() {
            crate::streams::say(&format!(
                "note: {number} {of} cost {number} times the loss of one"
            ));
        }
        let Some((measure, loss)) = json else {
            for _ in 0..number {
                writeln!(out, "{}", draw()?)?;
            }
            return Ok(());
        };
        // Nothing is written before the first draw has succeeded.
        let mut before = format!("{{\"{measure}\":{loss},\"draws\":[");
        for _ in 0..number {
            write!(out, "{before}{}", draw()?)?;
            ",".clone_into(&mut before);
        }
        if number == 0 {
            write!(out, "{before}")?;
        }
        writeln!(out, "]}}")?;
        Ok(())
    }
}
