use std::io::Write;

use anyhow::Result;
use clap::Args;
use lastbit::Confidence;
use lastbit_exact::Rational;
use serde_json::json;

use super::Size;
use crate::number::{json_nearest, json_up, json_upper, named, readable, readable_up, upper};
use crate::picture::rows;

#[derive(Args)]
pub struct PriceArgs<S: Size> {
    /// Accepted for symmetry with `draw`, and ignored: the price is the same for every value
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = named("value"))]
    value: Option<Rational>,

    #[command(flatten)]
    size: S,

    /// Confidence of the statement about the error
    #[arg(
        long,
        value_name = "C",
        default_value = "0.95",
        allow_hyphen_values = true
    )]
    confidence: Confidence,

    /// Price this many independent releases: each costs the whole loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

impl<S: Size> PriceArgs<S> {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let noise = self.size.prepared()?;
        let accuracy = noise.accuracy(&self.confidence);
        let rho = noise.rho()?;
        // Losses add.
        let total = &Rational::from(self.draws) * &noise.loss;
        let size = if noise.is_gaussian() {
            "sigma"
        } else {
            "scale"
        };
        if self.json {
            let mut value = json!({
                noise.measure(): json_up(&noise.loss),
                format!("{}_exact", noise.measure()): noise.loss.to_string(),
                size: json_upper(noise.size()),
                "sensitivity": json_up(&noise.sensitivity),
                "grid": json_nearest(&noise.grid.step()),
                "accuracy": json_upper(accuracy),
                "confidence": json_nearest(self.confidence.get()),
            });
            if let Some(rho) = rho {
                value["rho"] = json_upper(rho);
            }
            if self.draws != 1 {
                value["draws"] = json!(self.draws);
                value[format!("{}_total", noise.measure())] = json_up(&total);
            }
            writeln!(out, "{value}")?;
            return Ok(());
        }
        let at = format!(
            "at confidence {}, for every value",
            readable(self.confidence.get())
        );
        let (loss, means) = match noise.is_gaussian() {
            true => ("loss ρ", "zCDP; exactly, no rounding term"),
            false => ("loss ε", "pure; exactly, no rounding term"),
        };
        let mut table = vec![(loss, readable_up(&noise.loss), means)];
        if let Some(rho) = rho {
            table.push(("  as zCDP ρ", upper(rho), "for many releases"));
        }
        table.push((
            if noise.is_gaussian() { "σ" } else { "scale" },
            upper(noise.size()),
            "of the noise",
        ));
        table.push((
            "grid",
            readable(&noise.grid.step()),
            "outputs are multiples of this",
        ));
        table.push(("accuracy", format!("± {}", upper(accuracy)), &at));
        rows(out, &table)?;
        if self.draws != 1 {
            let (symbol, total) = (noise.symbol(), readable_up(&total));
            writeln!(
                out,
                "  {} releases cost {symbol} {total} in all",
                self.draws
            )?;
        }
        Ok(())
    }
}
