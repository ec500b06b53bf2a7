use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::Args;
use lastbit::mechanisms::snapping::Snapping;
use lastbit::utility::{self, Points};
use lastbit_exact::{IBig, Interval, Rational};
use serde_json::json;

use super::Common;
use crate::number::{json as number, json_nearest, readable, shortest};
use crate::picture::{Bar, bars};

/// The longest law that is listed point by point.
const MOST_POINTS: u64 = 1 << 20;
/// Lines of the picture.
const MOST_BARS: usize = 33;

#[derive(Args)]
pub struct Law {
    /// The value whose release is described; a guess, as the law of the true value would disclose it
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = super::value,
          required_unless_present = "guess")]
    value: Option<Rational>,

    /// The same; stands before --value
    #[arg(long, value_name = "G", allow_hyphen_values = true, value_parser = super::guess)]
    guess: Option<Rational>,

    #[command(flatten)]
    common: Common,
}

impl Law {
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let mechanism = self.common.mechanism(None)?;
        let value = self
            .guess
            .or(self.value)
            .context("give --value or --guess")?;
        let law = mechanism.law(&value)?;
        if self.common.json {
            list(out, &mechanism, &law)
        } else {
            draw(out, &mechanism, &law, &value)
        }
    }
}

/// All points, or, where they are too many, those that all but 2^-60 of the draws fall on.
fn list(out: &mut impl Write, mechanism: &Snapping, law: &utility::Law) -> Result<()> {
    let most = IBig::from(MOST_POINTS);
    let points = match law.point_count() {
        Some(count) if count <= most => law.points(),
        _ => law.points_but(&Rational::ONE.scale(-60))?,
    };
    let count = points.clone().take(MOST_POINTS as usize + 1).count() as u64;
    if count > MOST_POINTS {
        bail!(
            "the law has more than {MOST_POINTS} points; choose a coarser --grid, or look at the picture without --json"
        );
    }
    let enclosure = |p: Interval| json!({"low": number(p.lo()), "high": number(p.hi())});
    let head = json!({
        "grid": json_nearest(&Rational::ONE.scale(mechanism.grid_exponent())),
        "bound": mechanism.bound().map(json_nearest),
        "centre": json_nearest(&mechanism.bounds().centre()),
        "epsilon": json_nearest(mechanism.epsilon()),
        "lambda": json_nearest(mechanism.scale()),
        "mean": enclosure(Interval::from_rational(&mechanism.bounds().centre()) + law.mean()),
        "variance": enclosure(law.variance()),
        "below": enclosure(points.below()),
        "above": enclosure(points.above()),
    });
    let mut head = head.to_string();
    head.pop(); // the closing brace: the points follow, one by one
    write!(out, "{head},\"points\":[")?;
    for (i, point) in points.enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let text = json!({
            "value": number(mechanism.publish(&point.value)),
            "low": number(point.probability.lo()),
            "high": number(point.probability.hi()),
        });
        write!(out, "{comma}{text}")?;
    }
    writeln!(out, "]}}")?;
    Ok(())
}

/// Bars around the location; neighbouring points share a bar where there are many.
fn draw(
    out: &mut impl Write,
    mechanism: &Snapping,
    law: &utility::Law,
    value: &Rational,
) -> Result<()> {
    let window = points_to_show(law)?;
    let (below, above) = (window.below(), window.above());
    let points: Vec<_> = window.collect();
    let share = points.len().div_ceil(MOST_BARS).max(1);
    writeln!(
        out,
        "Release of {} in [{}, {}], {} arithmetic: loss ε {}, scale λ {}, grid 2^{}, bound {}",
        readable(value),
        readable(mechanism.bounds().lower()),
        readable(mechanism.bounds().upper()),
        mechanism.arithmetic().name(),
        readable(mechanism.epsilon()),
        readable(mechanism.scale()),
        mechanism.grid_exponent(),
        mechanism.bound().map_or("infinite".to_owned(), readable),
    )?;
    if share > 1 {
        writeln!(out, "Each bar is {share} points of the grid.")?;
    }
    let zero = Interval::point(0.0);
    let mut drawn = Vec::new();
    if below.hi() > 0.0 {
        drawn.push(bar("below".to_owned(), below));
    }
    for chunk in points.chunks(share) {
        let mass = chunk
            .iter()
            .fold(zero, |sum, point| sum + point.probability);
        let first = shortest(mechanism.publish(&chunk[0].value));
        let label = if chunk.len() == 1 {
            first
        } else {
            let last = mechanism.publish(&chunk[chunk.len() - 1].value);
            format!("{first} … {}", shortest(last))
        };
        drawn.push(bar(label, mass));
    }
    if above.hi() > 0.0 {
        drawn.push(bar("above".to_owned(), above));
    }
    bars(out, &drawn)?;
    let centre = Interval::from_rational(&mechanism.bounds().centre());
    writeln!(
        out,
        "Mean {}, standard deviation {}.",
        shortest((centre + law.mean()).midpoint()),
        shortest(law.variance().sqrt().midpoint()),
    )?;
    Ok(())
}

/// Few points: all. Many: as few as hold 99.9 %, or 99 % or less where the grid is fine.
fn points_to_show(law: &utility::Law) -> Result<Points<'_>> {
    let few = IBig::from(MOST_BARS);
    if law.point_count().is_some_and(|count| count <= few) {
        return Ok(law.points());
    }
    let points = law.points_but(&Rational::new(1, 1000))?;
    if points.clone().take(MOST_POINTS as usize + 1).count() > MOST_POINTS as usize {
        bail!("the grid has too many points for a picture; choose a coarser --grid");
    }
    Ok(points)
}

fn bar(label: String, mass: Interval) -> Bar {
    Bar {
        label,
        weight: mass.midpoint(),
        note: format!("{:.3} %", 100.0 * mass.midpoint()),
    }
}
