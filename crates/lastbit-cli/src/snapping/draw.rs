use std::io::{IsTerminal, Write};

use anyhow::Result;
use clap::Args;
use lastbit_exact::Rational;
use lastbit_noise::entropy::System;

use super::Common;
use crate::number::{json_up, shortest};

/// How many draws are made and written at a time: memory does not grow with their number.
const CHUNK: u64 = 16_384;

#[derive(Args)]
pub struct Draw {
    /// The query's value; clamped to [lower, upper]
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = super::value)]
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
        value_parser = super::guess,
        hide = true,
    )]
    guess: Option<Rational>,
}

impl Draw {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let mechanism = self.common.mechanism(None)?;
        if self.draws > 1 && std::io::stderr().is_terminal() {
            crate::streams::say(&format!(
                "note: {} releases of one value cost {} times the loss of one",
                self.draws, self.draws
            ));
        }
        let json = self.common.json;
        if json {
            write!(
                out,
                "{{\"epsilon\":{},\"draws\":[",
                json_up(mechanism.epsilon())
            )?;
        }
        let mut outputs = vec![0.0; self.draws.min(CHUNK) as usize];
        let mut left = self.draws;
        let mut first = true;
        while left > 0 {
            let outputs = &mut outputs[..left.min(CHUNK) as usize];
            mechanism.draw_repeated(&self.value, outputs, &mut System::default())?;
            for output in &*outputs {
                let text = shortest(*output);
                match (json, first) {
                    (false, _) => writeln!(out, "{text}")?,
                    (true, true) => write!(out, "{text}")?,
                    (true, false) => write!(out, ",{text}")?,
                }
                first = false;
            }
            left -= outputs.len() as u64;
        }
        if json {
            writeln!(out, "]}}")?;
        }
        Ok(())
    }
}
