use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::Args;
use lastbit::mechanisms::snapping::Snapping;
use lastbit::mechanisms::snapping::utility::{self, Points};
use lastbit_exact::{Integer, Interval, Rational};
use serde_json::json;

use super::Common;
use crate::number::{
    json as number, json_interval, json_lower, json_nearest, json_up, json_upper, named, readable,
    readable_up, shortest, upper,
};
use crate::picture::{Bar, bars};

/// The longest law that is listed point by point.
const MOST_POINTS: u64 = 1 << 20;
/// Lines of the picture.
const MOST_BARS: usize = 33;

#[derive(Args)]
pub struct Law {
    /// The value whose release is described; a guess, as the law of the true value would disclose
    /// it
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = named("value"),
          required_unless_present = "guess")]
    value: Option<Rational>,

    /// The same; takes precedence over --value
    #[arg(long, value_name = "G", allow_hyphen_values = true, value_parser = named("guess"))]
    guess: Option<Rational>,

    #[command(flatten)]
    common: Common,

    /// Ignored: every draw has the same law
    #[arg(long, value_name = "N", hide = true)]
    draws: Option<u64>,
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

/// All points, or, if they are too many, those that all but 2^-60 of the draws fall on.
fn list(out: &mut impl Write, mechanism: &Snapping, law: &utility::Law) -> Result<()> {
    let most = Integer::from(MOST_POINTS);
    let points = match law.point_count() {
        Some(count) if count <= most => law.points(),
        _ => law.points_but(&Rational::ONE.times_power_of_two(-60))?,
    };
    if points.size_hint().0 as u64 > MOST_POINTS {
        bail!(
            "the law has more than {MOST_POINTS} points; choose a coarser --grid, or look at the \
             picture without --json"
        );
    }
    let head = json!({
        "grid": json_nearest(&mechanism.grid_exponent().step()),
        "bound": mechanism.bound().map(json_nearest),
        "centre": json_nearest(&mechanism.bounds().centre()),
        "epsilon": json_up(mechanism.epsilon()),
        "lambda": json_nearest(mechanism.scale()),
        "mean": json_interval(Interval::from_rational(&mechanism.bounds().centre()) + law.mean()),
        "variance": json_interval(law.variance()),
        "below": json_interval(points.below()),
        "above": json_interval(points.above()),
    });
    let mut head = head.to_string();
    head.pop(); // the closing brace: the points follow, one by one
    write!(out, "{head},\"points\":[")?;
    for (i, point) in points.enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let text = json!({
            "value": number(mechanism.publish(&point.value)),
            "low": json_lower(point.probability.lower()),
            "high": json_upper(point.probability.upper()),
        });
        write!(out, "{comma}{text}")?;
    }
    writeln!(out, "]}}")?;
    Ok(())
}

/// Bars around the location: one for each point, or, if the points are many, one for each stretch
/// of the window.
fn draw(
    out: &mut impl Write,
    mechanism: &Snapping,
    law: &utility::Law,
    value: &Rational,
) -> Result<()> {
    writeln!(
        out,
        "Release of {} in [{}, {}], {} arithmetic: loss ε {}, scale λ {}, grid 2^{}, bound {}",
        readable(value),
        readable(mechanism.bounds().lower()),
        readable(mechanism.bounds().upper()),
        mechanism.arithmetic().name(),
        readable_up(mechanism.epsilon()),
        readable(mechanism.scale()),
        mechanism.grid_exponent(),
        mechanism.bound().map_or("infinite".to_owned(), readable),
    )?;
    let few = Integer::from(MOST_BARS);
    let window = if law.point_count().is_some_and(|count| count <= few) {
        law.points()
    } else {
        law.points_but(&Rational::new(1, 1000))?
    };
    if window.size_hint().0 <= MOST_BARS {
        bars(out, &each_point(mechanism, window))?;
    } else {
        bars(out, &stretches(mechanism, law))?;
    }
    let centre = Interval::from_rational(&mechanism.bounds().centre());
    writeln!(
        out,
        "Mean {}, standard deviation {}.",
        shortest((centre + law.mean()).midpoint()),
        upper(law.variance().sqrt().upper()),
    )?;
    Ok(())
}

fn each_point(mechanism: &Snapping, window: Points<'_>) -> Vec<Bar> {
    let outside =
        |label: &str, mass: Interval| (mass.hi() > 0.0).then(|| Bar::mass(label.to_owned(), mass));
    let (below, above) = (window.below(), window.above());
    let points = window.map(|point| {
        let label = shortest(mechanism.publish(&point.value));
        Bar::mass(label, point.probability)
    });
    outside("below", below)
        .into_iter()
        .chain(points)
        .chain(outside("above", above))
        .collect()
}

/// Equal stretches of four scales on either side of the location, by differences of the
/// distribution function.
fn stretches(mechanism: &Snapping, law: &utility::Law) -> Vec<Bar> {
    let bars = MOST_BARS as i64 - 2;
    let width = &law.scale().times_power_of_two(3) / &Rational::from(bars);
    let edge = |i: i64| {
        let offset = &width * &(&Rational::from(i) - &Rational::new(bars, 2));
        law.location() + &offset
    };
    let written = |x: &Rational| {
        let x = (&mechanism.bounds().centre() + x).to_f64(lastbit_exact::Rounding::NearestEven);
        let step = width.to_f64(lastbit_exact::Rounding::NearestEven);
        let digits = (1.0 - step.log10()).ceil().clamp(0.0, 17.0) as usize;
        if (1e-5..1e17).contains(&step) {
            format!("{x:.digits$}")
        } else {
            format!("{x:.6e}")
        }
    };
    let one = Interval::point(1.0);
    let mut drawn = vec![Bar::mass(
        format!("up to {}", written(&edge(0))),
        law.cdf(&edge(0)),
    )];
    for i in 0..bars {
        let mass = law.cdf(&edge(i + 1)) - law.cdf(&edge(i));
        drawn.push(Bar::mass(format!("up to {}", written(&edge(i + 1))), mass));
    }
    drawn.push(Bar::mass("above".to_owned(), one - law.cdf(&edge(bars))));
    drawn
}
