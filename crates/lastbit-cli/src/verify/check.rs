//! `lastbit verify check FILE`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use lastbit_exact::Rounding;
use lastbit_verify::certificate::check_json;
use serde_json::json;

use crate::number::{json_up, shortest};

#[derive(Args)]
#[command(
    before_long_help = "\
Reads a certificate that `lastbit verify snapping --certificate FILE` wrote, and establishes every one of its statements anew,
with directed rounding and without the prover. It is accepted, or its first bad step is named. A certificate with any number changed
is refused.",
    after_long_help = "\
Example:
  lastbit verify check loss.json"
)]
pub struct Check {
    /// The certificate
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl Check {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let name = self.file.display();
        let text = fs::read_to_string(&self.file).with_context(|| format!("cannot read {name}"))?;
        match check_json(&text) {
            Ok(accepted) => {
                let loss = shortest(accepted.certified.to_f64(Rounding::Up));
                if self.json {
                    let value = json!({
                        "accepted": true,
                        "certified": json_up(&accepted.certified),
                        "certified_exactly": accepted.certified.to_string(),
                        "epsilon": json_up(&accepted.epsilon),
                        "assumes_bounded_input": accepted.assumes_bounded_input,
                        "checked_statements": accepted.steps,
                    });
                    writeln!(out, "{value}")?;
                } else {
                    let steps = accepted.steps;
                    writeln!(
                        out,
                        "Accepted: the loss is at most {loss} ({steps} statements hold)."
                    )?;
                    if accepted.assumes_bounded_input {
                        writeln!(
                            out,
                            "The program does not clamp its input: |f| ≤ B is assumed."
                        )?;
                    }
                }
                Ok(())
            }
            Err(bad) => {
                if self.json {
                    let value =
                        json!({ "accepted": false, "step": bad.step, "problem": bad.problem });
                    writeln!(out, "{value}")?;
                }
                Err(anyhow!("{name} is refused at {bad}"))
            }
        }
    }
}
