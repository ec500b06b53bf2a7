//! δ(ε) as a picture, and the power of the best test.

use std::io::Write;

use anyhow::{Result, bail};
use lastbit::accounting::BestBounds;
use lastbit_exact::{Down, Rational};
use lastbit_release::present::{document, rung, svg, tick};
use serde_json::json;

use super::Convert;
use super::mixture::Mixture;
use crate::number::{at_most, json_given, json_interval, lower, readable, upper};
use crate::output::{Guard, Kind, Output};
use crate::picture::{Bar, bars};
use crate::streams::Stdout;

/// Rows of a picture.
const ROWS: u32 = 16;

/// The smallest δ of a picture, if no δ is asked for.
const SMALLEST: f64 = 1e-12;

/// One row: ε, and an upper bound of δ.
struct Row {
    epsilon: Rational,
    delta: f64,
    shown: String,
}

impl Convert {
    /// The power of the best test at a level.
    pub(super) fn power(
        &self,
        out: &mut impl Write,
        mixture: &Mixture,
        level: &Rational,
    ) -> Result<()> {
        let smallest = Down::from_rational(level).get().clamp(1e-45, 1e-6);
        let power = mixture.bounds(Down::exact(smallest))?.power(level)?;
        if self.json {
            let value = json!({"level": json_given(level), "power": json_interval(power)});
            writeln!(out, "{value}")?;
            return Ok(());
        }
        mixture.print(out)?;
        writeln!(
            out,
            "A test that wrongly accuses at most {} of those who are not in the data finds at most \
             {} of those who are;\n\
             the best test finds at least {}.",
            at_most(level),
            upper(power.upper()),
            lower(power.lower())
        )?;
        Ok(())
    }

    /// δ(ε) in the terminal, or as a page.
    pub(super) fn draw(&self, out: &mut Stdout, mixture: &Mixture) -> Result<()> {
        let smallest = self
            .delta
            .as_ref()
            .map_or(Down::exact(SMALLEST), Down::from_rational);
        let all = mixture.bounds(smallest)?;
        let smallest = reachable(&all, smallest)?;
        let rows = rows(&all, smallest)?;
        if let Some(path) = &self.html {
            let output = Output::prepare(path, Kind::Html, &Guard::default(), self.force)?;
            output.write(page(mixture, &rows), out)?;
        }
        if self.picture {
            mixture.print(out)?;
            writeln!(
                out,
                "δ at most, at each ε; a bar's length is by the logarithm of δ"
            )?;
            let drawn: Vec<Bar> = rows
                .iter()
                .map(|row| Bar {
                    label: format!("ε = {}", readable(&row.epsilon)),
                    weight: height(row.delta, smallest.get()),
                    note: row.shown.clone(),
                })
                .collect();
            bars(out, &drawn)?;
        }
        Ok(())
    }
}

/// How far δ is above the smallest one shown, in orders of magnitude.
fn height(delta: f64, smallest: f64) -> f64 {
    if delta <= 0.0 {
        0.0
    } else {
        (delta / smallest).log10().max(0.0)
    }
}

/// The δ, or a power of ten times it, at which some finite ε holds: the releases' own δ may add up
/// to more.
fn reachable(all: &BestBounds, smallest: Down) -> Result<Down> {
    let mut delta = smallest;
    while delta.get() < 0.1 {
        if all.epsilon_above(&exact(delta)?)?.is_finite() {
            return Ok(delta);
        }
        delta = Down::exact(10.0 * delta.get());
    }
    bail!("no finite ε at any small δ: the releases' own δ add up to too much")
}

fn exact(delta: Down) -> Result<Rational> {
    Ok(Rational::try_from(delta.get())?)
}

/// Rows spread evenly from 0 to the ε of the smallest δ.
fn rows(all: &BestBounds, smallest: Down) -> Result<Vec<Row>> {
    let end = all.epsilon_above(&exact(smallest)?)?.get();
    let end = if end > 0.0 { end } else { 1.0 };
    // A step of one or two digits.
    let raw = end / f64::from(ROWS);
    let tens = 10f64.powi(raw.log10().floor() as i32);
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * tens)
        .find(|step| *step >= raw)
        .unwrap_or(raw);
    let step: Rational = format!("{step:.1e}").parse()?;
    let mut rows = Vec::new();
    for i in 0..=ROWS {
        let epsilon = &step * &Rational::from(u64::from(i));
        let delta = all.delta_above(&epsilon)?;
        let shown = if delta.get() == 0.0 {
            "0".to_owned()
        } else {
            format!("{delta:.2e}")
        };
        let last = delta.get() <= smallest.get();
        rows.push(Row {
            epsilon,
            delta: delta.get(),
            shown,
        });
        if last {
            break;
        }
    }
    Ok(rows)
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 70.0;

/// The curve as one page, without scripts or network. It holds numbers and our own words, nothing
/// that was given as text.
fn page(mixture: &Mixture, rows: &[Row]) -> String {
    let positive = rows
        .iter()
        .map(|row| row.delta)
        .filter(|delta| *delta > 0.0);
    let least = positive.fold(1.0, f64::min).log10().floor().min(-1.0);
    let last = &rows[rows.len() - 1];
    let end = last
        .epsilon
        .to_f64(lastbit_exact::Rounding::NearestEven)
        .max(1e-300);
    let place = |row: &Row| {
        let x = row.epsilon.to_f64(lastbit_exact::Rounding::NearestEven) / end;
        let y = if row.delta > 0.0 {
            row.delta.log10() / least
        } else {
            1.0
        };
        (LEFT + x * WIDTH, 10.0 + y.clamp(0.0, 1.0) * HEIGHT)
    };
    let mut inner = String::new();
    let mut decade = 0.0;
    while decade >= least {
        let y = 10.0 + decade / least * HEIGHT;
        inner += &rung([LEFT, LEFT + WIDTH], y, &format!("1e{decade}"));
        decade -= (-least / 6.0).ceil().max(1.0);
    }
    let points = rows.iter().map(|row| {
        let (x, y) = place(row);
        format!("{x:.1},{y:.1}")
    });
    inner += &format!(
        "<polyline class=\"curve\" points=\"{}\"/>\n",
        points.collect::<Vec<_>>().join(" ")
    );
    for row in rows.iter().step_by(4) {
        let text = readable(&row.epsilon);
        inner += &tick(place(row).0, HEIGHT + 30.0, "middle", &text);
    }
    let about = ["δ by ε", "The curve of the table below."];
    let size = [LEFT + WIDTH + 20.0, HEIGHT + 50.0];
    let picture = svg("curve", size, about, &(inner + "\n"));
    let mut body = "<header>\n<h1>δ by ε</h1>\n<p class=\"lead\">Every δ is an upper bound: it is \
                    safe to claim.</p>\n</header>\n<main>\n<ul>\n"
        .to_owned();
    for (source, count) in &mixture.0 {
        body += &format!("<li>{count} {}</li>\n", source.describe());
    }
    body += &format!(
        "</ul>\n<section>\n{picture}</section>\n<section>\n<table>\n<thead><tr><th \
         scope=\"col\">ε</th><th scope=\"col\">δ at most</th></tr></thead>\n<tbody>\n"
    );
    for row in rows {
        body += &format!(
            "<tr><td>{}</td><td>{}</td></tr>\n",
            readable(&row.epsilon),
            row.shown
        );
    }
    body += "</tbody>\n</table>\n</section>\n</main>\n";
    document("δ by ε", &body)
}
