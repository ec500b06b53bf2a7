use std::io::Write;

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use lastbit_exact::{Integer, Interval, Rational, Rounding};
use serde_json::json;

use super::Size;
use super::prepared::{Law as Law_, Prepared};
use crate::number::{
    json as number, json_interval, json_lower, json_nearest, json_up, json_upper, named, readable,
    readable_up, shortest, upper,
};
use crate::picture::{Bar, bars};

/// The longest law that is listed point by point.
const MOST_POINTS: u64 = 1 << 18;
/// Stretches of the picture, an odd number.
const STRETCHES: i64 = 31;

#[derive(Args)]
pub struct Law<S: Size> {
    /// The value whose release is described; a guess, as the law of the true value would disclose
    /// it
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = named("value"))]
    value: Rational,

    #[command(flatten)]
    size: S,

    /// Machine-readable output: every point but those far out
    #[arg(long)]
    json: bool,
}

impl<S: Size> Law<S> {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let noise = self.size.prepared()?;
        let law = noise.law(&self.value)?;
        let centre = noise.nearest_cell(&self.value);
        if self.json {
            list(out, &noise, &law, &centre)
        } else {
            draw(out, &noise, &law, &centre, &self.value)
        }
    }
}

impl Prepared {
    /// The point of the grid that is nearest to a value, counted in steps.
    fn nearest_cell(&self, value: &Rational) -> Integer {
        (&value.times_power_of_two(-self.grid.get()) + &Rational::new(1, 2)).floor()
    }

    /// The number that a point of the grid is.
    fn point(&self, cell: &Integer) -> Rational {
        Rational::from(cell.clone()).times_power_of_two(self.grid.get())
    }

    /// So many scales or standard deviations in steps, at least one.
    fn steps(&self, sizes: &Rational) -> Result<Integer> {
        let size = Rational::try_from(self.size().get())
            .map_err(|_| anyhow!("the noise is too large to show; give a larger loss"))?;
        let steps = (&size.times_power_of_two(-self.grid.get()) * sizes).ceil();
        Ok(steps.max(Integer::ONE))
    }
}

/// All points that are within 42 scales, or 10 standard deviations, of the value: but for less than
/// 2^-60 of the draws.
fn list(out: &mut impl Write, noise: &Prepared, law: &Law_, centre: &Integer) -> Result<()> {
    let sizes = if noise.is_gaussian() { 10i64 } else { 42 };
    let reach = noise.steps(&Rational::from(sizes))? + Integer::ONE;
    ensure!(
        reach.clone() + reach.clone() < Integer::from(MOST_POINTS),
        "the law has more than {MOST_POINTS} points; choose a coarser --grid, or look at the \
         picture without --json"
    );
    let (first, last) = (centre.clone() - reach.clone(), centre.clone() + reach);
    let head = json!({
        noise.measure(): json_up(&noise.loss),
        "grid": json_nearest(&noise.grid.step()),
        "below": json_interval(law.up_to(&(first.clone() - Integer::ONE))),
        "above": json_interval(Interval::ONE - law.up_to(&last)),
    });
    let mut head = head.to_string();
    head.pop(); // the closing brace: the points follow, one by one
    write!(out, "{head},\"points\":[")?;
    let mut cell = first.clone();
    while cell <= last {
        let comma = if cell == first { "" } else { "," };
        let probability = law.at(&cell);
        let point = json!({
            "value": number(noise.point(&cell).to_f64(Rounding::NearestEven)),
            "low": json_lower(probability.lower()),
            "high": json_upper(probability.upper()),
        });
        write!(out, "{comma}{point}")?;
        cell += Integer::ONE;
    }
    writeln!(out, "]}}")?;
    Ok(())
}

/// Bars of equal width around the value: of one point each if these are few.
fn draw(
    out: &mut impl Write,
    noise: &Prepared,
    law: &Law_,
    centre: &Integer,
    value: &Rational,
) -> Result<()> {
    writeln!(
        out,
        "Release of {} with {} noise: loss {} {}, {} {}, grid 2^{}",
        readable(value),
        noise.name(),
        noise.symbol(),
        readable_up(&noise.loss),
        if noise.is_gaussian() { "σ" } else { "scale" },
        upper(noise.size()),
        noise.grid.get(),
    )?;
    let width = noise.steps(&Rational::new(8, STRETCHES))?;
    let half = Rational::new(STRETCHES, 2);
    // The middle stretch has the nearest point in its middle.
    let offset = (&Rational::from(width.clone()) * &half).floor();
    let single = width == Integer::ONE;
    let mut end = centre.clone() - offset - Integer::ONE;
    let mut below = law.up_to(&end);
    let mut picture = vec![Bar::mass("below".to_owned(), below)];
    for _ in 0..STRETCHES {
        end += width.clone();
        let up_to = law.up_to(&end);
        let (label, mass) = match single {
            true => (written(noise, &end), law.at(&end)),
            false => (format!("up to {}", written(noise, &end)), up_to - below),
        };
        picture.push(Bar::mass(label, mass));
        below = up_to;
    }
    picture.push(Bar::mass("above".to_owned(), Interval::ONE - below));
    bars(out, &picture)?;
    Ok(())
}

fn written(noise: &Prepared, cell: &Integer) -> String {
    shortest(noise.point(cell).to_f64(Rounding::NearestEven))
}
