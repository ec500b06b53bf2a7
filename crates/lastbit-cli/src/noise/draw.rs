use std::io::{IsTerminal, Write};

use anyhow::Result;
use clap::Args;
use lastbit_exact::Rational;

use super::Size;
use crate::number::json_up;

#[derive(Args)]
pub struct Draw<S: Size> {
    /// The value to publish with noise
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = super::value)]
    value: Rational,

    #[command(flatten)]
    size: S,

    /// How many independent releases; each costs the whole loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl<S: Size> Draw<S> {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let noise = self.size.prepared()?;
        noise.check(&self.value)?;
        if self.draws > 1 && std::io::stderr().is_terminal() {
            crate::streams::say(&format!(
                "note: {} releases of one value cost {} times the loss of one",
                self.draws, self.draws
            ));
        }
        if self.json {
            let (name, loss) = (noise.measure(), json_up(&noise.loss));
            write!(out, "{{\"{name}\":{loss},\"draws\":[")?;
        }
        for index in 0..self.draws {
            // A point of the grid: its decimal is exact, and ends.
            let drawn = noise.draw(&self.value)?;
            match (self.json, index) {
                (false, _) => writeln!(out, "{drawn}")?,
                (true, 0) => write!(out, "{drawn}")?,
                (true, _) => write!(out, ",{drawn}")?,
            }
        }
        if self.json {
            writeln!(out, "]}}")?;
        }
        Ok(())
    }
}
