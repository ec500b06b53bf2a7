use std::io::Write;

use anyhow::Result;
use clap::Args;
use lastbit::mechanisms::snapping::{Bound, GuessPrice, Price as Priced, Snapping};
use lastbit::utility::{TradeOff, curve};
use lastbit_exact::{Interval, Rational};
use serde_json::{Value, json};

use super::Common;
use crate::number::{json as number, json_nearest, json_up, readable, shortest};
use crate::picture::{Bar, bars, rows};

#[derive(Args)]
pub struct Price {
    /// Taken for symmetry with `draw` and never looked at: the price is the same for every value
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = super::value)]
    value: Option<Rational>,

    #[command(flatten)]
    common: Common,

    /// Your guess of the value: adds the exact error and bias if it is right
    #[arg(long, value_name = "G", allow_hyphen_values = true, value_parser = super::guess)]
    guess: Option<Rational>,

    /// Price this many independent releases: each costs the whole loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,

    /// Add the trade-off between bias and variance as the bound B varies
    #[arg(long)]
    curve: bool,
}

impl Price {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let mechanism = self.common.mechanism(None)?;
        let confidence = &self.common.confidence;
        let price = mechanism.price(confidence)?;
        let guess = self
            .guess
            .as_ref()
            .map(|guess| mechanism.price_of_guess(guess, confidence))
            .transpose()?;
        let curve = if self.curve {
            Some(self.trade_off(&mechanism)?)
        } else {
            None
        };
        if self.common.json {
            let mut value = to_json(
                &mechanism,
                confidence.get(),
                &price,
                guess.as_ref(),
                curve.as_deref(),
            );
            if self.draws != 1 {
                value["draws"] = json!(self.draws);
                value["epsilon_total"] = json_up(&self.total(&mechanism));
            }
            writeln!(out, "{value}")?;
            return Ok(());
        }
        print(out, &mechanism, confidence.get(), &price, guess.as_ref())?;
        if self.draws != 1 {
            let total = readable(&self.total(&mechanism));
            writeln!(out, "  {} releases cost ε {total} in all", self.draws)?;
        }
        if let Some(curve) = curve {
            print_curve(out, &curve)?;
        }
        Ok(())
    }

    /// Losses add.
    fn total(&self, mechanism: &Snapping) -> Rational {
        &Rational::from(self.draws) * mechanism.epsilon()
    }

    /// From the narrowest bound to twice the margin that this mechanism has.
    fn trade_off(&self, mechanism: &Snapping) -> Result<Vec<TradeOff>> {
        const POINTS: i64 = 12;
        let half_width = mechanism.bounds().half_width();
        let margin = match mechanism.bound() {
            Some(bound) if *bound > half_width => bound - &half_width,
            _ => mechanism.scale().scale(3),
        };
        let floor = half_width.clone().max(if mechanism.precision().is_some() {
            mechanism.scale() + &mechanism.scale().scale(-6)
        } else {
            mechanism.scale().scale(-4)
        });
        let bounds: Vec<Rational> = (0..=POINTS)
            .map(|i| &floor + &(&margin * &Rational::new(2 * i, POINTS)))
            .collect();
        curve(&half_width, &bounds, |bound| {
            Ok(self
                .common
                .mechanism(Some(Bound::Value(bound.clone())))?
                .laws()?)
        })
    }
}

fn to_json(
    mechanism: &Snapping,
    confidence: &Rational,
    price: &Priced,
    guess: Option<&GuessPrice>,
    curve: Option<&[TradeOff]>,
) -> Value {
    let enclosure = |p: Interval| json!({"low": number(p.lo()), "high": number(p.hi())});
    let mut value = json!({
        "epsilon": number(price.epsilon.get()),
        "lambda": json_nearest(mechanism.scale()),
        "grid": json_nearest(&Rational::ONE.scale(mechanism.grid_exponent())),
        "bound": mechanism.bound().map(json_nearest),
        "accuracy": number(price.accuracy.get()),
        "confidence": json_nearest(confidence),
        "bias_worst": number(price.bias_worst.get()),
        "clamp_probability": number(price.clamp_probability.get()),
        "accuracy_simple": number(price.accuracy_simple.get()),
        "accuracy_laplace": number(price.accuracy_laplace.get()),
        "epsilon_published": number(price.epsilon_published.get()),
        "epsilon_exact": mechanism.epsilon().to_string(),
        "lambda_exact": mechanism.scale().to_string(),
        "sensitivity": json_up(mechanism.effective_sensitivity()),
        "centre": json_nearest(&mechanism.bounds().centre()),
        "arithmetic": mechanism.arithmetic().name(),
        "precision": mechanism.precision(),
    });
    if let Some(guess) = guess {
        value["guess"] = json!({
            "accuracy": number(guess.accuracy.get()),
            "bias": enclosure(guess.bias),
            "variance": enclosure(guess.variance),
            "mean_squared_error": enclosure(guess.mean_squared_error),
        });
    }
    if let Some(curve) = curve {
        let points = curve.iter().map(|point| {
            json!({
                "bound": json_nearest(&point.bound),
                "lambda": json_nearest(&point.scale),
                "bias_worst": number(point.worst_bias.hi()),
                "variance": number(point.variance.hi()),
                "mean_squared_error": number(point.mean_squared_error.hi()),
                "clamp_probability": number(point.clamp_probability.hi()),
            })
        });
        value["curve"] = points.collect();
    }
    value
}

fn print(
    out: &mut impl Write,
    mechanism: &Snapping,
    confidence: &Rational,
    price: &Priced,
    guess: Option<&GuessPrice>,
) -> Result<()> {
    let at = format!("at confidence {confidence}, for every value in the bounds");
    let published = format!(
        "charged; the published formula says {}",
        shortest(price.epsilon_published.get())
    );
    let precision = mechanism
        .precision()
        .map_or(String::new(), |bits| format!("{bits} bits"));
    let mut table = vec![
        (
            "loss ε",
            readable(mechanism.epsilon()),
            if mechanism.precision().is_some() {
                published.as_str()
            } else {
                "exactly, no rounding term"
            },
        ),
        (
            "arithmetic",
            mechanism.arithmetic().name().to_owned(),
            &precision,
        ),
        (
            "scale λ",
            readable(mechanism.scale()),
            "of the Laplace noise",
        ),
        (
            "grid",
            shortest(
                lastbit_exact::Dyadic::power_of_two(mechanism.grid_exponent())
                    .to_f64(lastbit_exact::Rounding::NearestEven),
            ),
            "outputs are the centre plus multiples of this",
        ),
        (
            "bound B",
            mechanism.bound().map_or("infinite".to_owned(), readable),
            "outputs stay this near the centre",
        ),
        (
            "accuracy",
            format!("± {}", shortest(price.accuracy.get())),
            &at,
        ),
        (
            "  simple bound",
            format!("± {}", shortest(price.accuracy_simple.get())),
            "λ(1 + ln(1/α)), for the snapped grid",
        ),
        (
            "  plain Laplace",
            format!("± {}", shortest(price.accuracy_laplace.get())),
            "real-valued noise at the same loss",
        ),
        (
            "worst bias",
            shortest(price.bias_worst.get()),
            "of any value in the bounds",
        ),
        (
            "clamp binds",
            format!("{:.3e}", price.clamp_probability.get()),
            "at most with this probability",
        ),
    ];
    if let Some(guess) = guess {
        table.push(("if the guess is right", String::new(), ""));
        table.push((
            "  accuracy",
            format!("± {}", shortest(guess.accuracy.get())),
            "exactly, from the law",
        ));
        table.push(("  bias", shortest(guess.bias.midpoint()), ""));
        table.push((
            "  standard deviation",
            shortest(guess.variance.sqrt().midpoint()),
            "",
        ));
    }
    rows(out, &table)?;
    Ok(())
}

fn print_curve(out: &mut impl Write, curve: &[TradeOff]) -> Result<()> {
    let bar = |point: &TradeOff, weight: f64| Bar {
        label: format!("B = {:.6}", point.bound.to_f64(lastbit_exact::Rounding::Up)),
        weight,
        note: format!("{weight:.4e}"),
    };
    writeln!(out, "\nWorst bias, as B varies:")?;
    let bias: Vec<Bar> = curve
        .iter()
        .map(|point| bar(point, point.worst_bias.hi()))
        .collect();
    bars(out, &bias)?;
    writeln!(out, "Variance at that value:")?;
    let variance: Vec<Bar> = curve
        .iter()
        .map(|point| bar(point, point.variance.hi()))
        .collect();
    bars(out, &variance)?;
    Ok(())
}
