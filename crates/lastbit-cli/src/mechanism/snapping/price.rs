use std::io::Write;

use anyhow::Result;
use clap::Args;
use lastbit::mechanisms::snapping::utility::{TradeOff, curve};
use lastbit::mechanisms::snapping::{Bound, GuessPrice, Snapping, SnappingPrice};
use lastbit_exact::{Rational, Up};
use serde_json::{Value, json};

use super::Common;
use crate::number::{
    json_interval, json_nearest, json_up, json_upper, named, outer, readable, readable_up,
    shortest, upper,
};
use crate::picture::{Bar, bars, rows};

#[derive(Args)]
pub struct PriceArgs {
    /// Accepted for symmetry with `draw`, and ignored: the price is the same for every value
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = named("value"))]
    value: Option<Rational>,

    #[command(flatten)]
    common: Common,

    /// Your guess of the value: adds the exact error and bias if it is right
    #[arg(long, value_name = "G", allow_hyphen_values = true, value_parser = named("guess"))]
    guess: Option<Rational>,

    /// Price this many independent releases: each costs the whole loss
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,

    /// Add the trade-off between bias and variance as the bound B varies
    #[arg(long)]
    curve: bool,
}

impl PriceArgs {
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
            let total = readable_up(&self.total(&mechanism));
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
            _ => mechanism.scale().times_power_of_two(3),
        };
        let floor = half_width.clone().max(if mechanism.precision().is_some() {
            mechanism.scale() + &mechanism.scale().times_power_of_two(-6)
        } else {
            mechanism.scale().times_power_of_two(-4)
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
    price: &SnappingPrice,
    guess: Option<&GuessPrice>,
    curve: Option<&[TradeOff]>,
) -> Value {
    let mut value = json!({
        "epsilon": json_up(mechanism.epsilon()),
        "lambda": json_nearest(mechanism.scale()),
        "grid": json_nearest(&mechanism.grid_exponent().step()),
        "bound": mechanism.bound().map(json_nearest),
        "accuracy": json_upper(price.accuracy),
        "confidence": json_nearest(confidence),
        "bias_worst": json_upper(price.bias_worst),
        "clamp_probability": json_upper(price.clamp_probability),
        "accuracy_simple": json_upper(price.accuracy_simple),
        "accuracy_laplace": json_upper(price.accuracy_laplace),
        "epsilon_published": json_upper(price.epsilon_published),
        "epsilon_exact": mechanism.epsilon().to_string(),
        "lambda_exact": mechanism.scale().to_string(),
        "sensitivity": json_up(mechanism.effective_sensitivity()),
        "centre": json_nearest(&mechanism.bounds().centre()),
        "arithmetic": mechanism.arithmetic().name(),
        "precision": mechanism.precision(),
    });
    if let Some(guess) = guess {
        value["guess"] = json!({
            "accuracy": json_upper(guess.accuracy),
            "bias": json_interval(guess.bias),
            "variance": json_interval(guess.variance),
            "mean_squared_error": json_interval(guess.mean_squared_error),
        });
    }
    if let Some(curve) = curve {
        let points = curve.iter().map(|point| {
            json!({
                "bound": json_nearest(&point.bound),
                "lambda": json_nearest(&point.scale),
                "bias_worst": json_upper(point.worst_bias.upper()),
                "variance": json_upper(point.variance.upper()),
                "mean_squared_error": json_upper(point.mean_squared_error.upper()),
                "clamp_probability": json_upper(point.clamp_probability.upper()),
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
    price: &SnappingPrice,
    guess: Option<&GuessPrice>,
) -> Result<()> {
    let at = format!("at confidence {confidence}, for every value in the bounds");
    let published = format!(
        "charged; the published formula says {}",
        upper(price.epsilon_published)
    );
    let precision = mechanism
        .precision()
        .map_or(String::new(), |bits| format!("{bits} bits"));
    let mut table = vec![
        (
            "loss ε",
            readable_up(mechanism.epsilon()),
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
                lastbit_exact::Dyadic::power_of_two(mechanism.grid_exponent().get())
                    .to_f64(lastbit_exact::Rounding::NearestEven),
            ),
            "outputs are the centre plus multiples of this",
        ),
        (
            "bound B",
            mechanism.bound().map_or("infinite".to_owned(), readable),
            "outputs stay this near the centre",
        ),
        ("accuracy", format!("± {}", upper(price.accuracy)), &at),
        (
            "  simple bound",
            format!("± {}", upper(price.accuracy_simple)),
            "λ(1 + ln(1/α)), for the snapped grid",
        ),
        (
            "  plain Laplace",
            format!("± {}", upper(price.accuracy_laplace)),
            "real-valued noise at the same loss",
        ),
        (
            "worst bias",
            upper(price.bias_worst),
            "of any value in the bounds",
        ),
        (
            "clamp binds",
            format!("{:.3e}", price.clamp_probability),
            "at most with this probability",
        ),
    ];
    if let Some(guess) = guess {
        table.push(("if the guess is right", String::new(), ""));
        table.push((
            "  accuracy",
            format!("± {}", upper(guess.accuracy)),
            "exactly, from the law",
        ));
        table.push(("  bias", outer(guess.bias), ""));
        table.push((
            "  standard deviation",
            upper(guess.variance.sqrt().upper()),
            "",
        ));
    }
    rows(out, &table)?;
    Ok(())
}

fn print_curve(out: &mut impl Write, curve: &[TradeOff]) -> Result<()> {
    let bar = |point: &TradeOff, weight: Up| Bar {
        label: format!("B = {:.6}", Up::from_rational(&point.bound)),
        weight: weight.get(),
        note: format!("{weight:.4e}"),
    };
    writeln!(out, "\nWorst bias, as B varies:")?;
    let bias: Vec<Bar> = curve
        .iter()
        .map(|point| bar(point, point.worst_bias.upper()))
        .collect();
    bars(out, &bias)?;
    writeln!(out, "Variance at that value:")?;
    let variance: Vec<Bar> = curve
        .iter()
        .map(|point| bar(point, point.variance.upper()))
        .collect();
    bars(out, &variance)?;
    Ok(())
}
