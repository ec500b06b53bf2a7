use std::io::Write;

use anyhow::Result;
use clap::Args;
use lastbit_exact::Rational;
use lastbit_noise::entropy::System;

use super::super::draws::Draws;
use super::Common;
use crate::number::{json_up, named, shortest};

/// How many draws are made at a time: memory does not grow with their number.
const CHUNK: u64 = 16_384;

#[derive(Args)]
pub struct Draw {
    /// The query's value; clamped to [lower, upper]
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = named("value"))]
    value: Rational,

    #[command(flatten)]
    common: Common,

    /// How many independent releases; each costs the whole loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,

    /// A guess changes nothing here; `law` and `price` use it
    #[arg(
        long,
        value_name = "G",
        allow_hyphen_values = true,
        value_parser = named("guess"),
        hide = true,
    )]
    guess: Option<Rational>,
}

impl Draw {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let mechanism = self.common.mechanism(None)?;
        let draws = Draws {
            number: self.draws,
            of: "releases of one value",
            json: (self.common.json).then(|| ("epsilon", json_up(mechanism.epsilon()))),
        };
        let mut left = self.draws;
        let mut drawn = Vec::new().into_iter();
        draws.write(out, || {
            loop {
                if let Some(output) = drawn.next() {
                    return Ok(shortest(output));
                }
                let mut chunk = vec![0.0; left.clamp(1, CHUNK) as usize];
                left = left.saturating_sub(CHUNK);
                mechanism.draw_repeated(&self.value, &mut chunk, &mut System::default())?;
                drawn = chunk.into_iter();
            }
        })
    }
}
