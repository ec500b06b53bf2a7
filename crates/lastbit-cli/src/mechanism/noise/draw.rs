use std::io::Write;

use anyhow::Result;
use clap::Args;
use lastbit_exact::Rational;

use super::super::draws::Draws;
use super::Size;
use crate::number::{json_up, named};

#[derive(Args)]
pub struct Draw<S: Size> {
    /// The value to publish with noise
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = named("value"))]
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
        let draws = Draws {
            number: self.draws,
            of: "releases of one value",
            json: self.json.then(|| (noise.measure(), json_up(&noise.loss))),
        };
        // A point of the grid: its decimal is exact, and ends.
        draws.write(out, || noise.draw(&self.value))
    }
}
