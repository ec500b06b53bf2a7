//! Columns as wide as their bins. Their areas are the numbers, so that a wide bin does not look
//! fuller than it is.

use lastbit_exact::{Rational, Rounding};

use super::chart::{Axis, Bar, tip};
use super::columns::{LEFT, below, column, floor, heights, room};
use super::escape::{escape, spaced};
use super::svg::tick;
use crate::present::Bins;

/// The height of the picture, with a line above the columns and one below their edges.
const HEIGHT: f64 = 268.0;

/// The height of the line above the columns.
const ABOVE: f64 = 20.0;

/// The narrowest bin that can be seen, as a part of all of them.
const LEAST: f64 = 0.01;

/// Bins of different widths.
pub(crate) struct Areas {
    edges: Vec<String>,
    widths: Vec<f64>,
    unit: String,
    what: String,
}

impl Areas {
    /// Of numbers of this unit. `None` if the bins have about one width, or one is too narrow to be
    /// seen.
    pub fn of(bins: &Bins, what: &str) -> Option<Areas> {
        let double = |width: &Rational| width.to_f64(Rounding::NearestEven);
        let widths: Vec<f64> = bins.uneven()?.iter().map(double).collect();
        let all: f64 = widths.iter().sum();
        let is_seen = |width: &f64| *width >= LEAST * all;
        (all.is_finite() && widths.iter().all(is_seen)).then(|| Areas {
            edges: bins.edges.clone(),
            widths,
            unit: bins.unit.clone(),
            what: what.to_owned(),
        })
    }

    /// The height of the column of a bin: its number over its width.
    pub fn raised(&self, bin: usize, bar: Bar) -> Bar {
        let width = self.widths.get(bin).copied().unwrap_or(1.0);
        Bar {
            value: bar.value.map(|value| value / width),
            error: bar.error.map(|error| error / width),
            ..bar
        }
    }

    /// The unit of the widths, in words.
    fn in_unit(&self) -> String {
        match self.unit.as_str() {
            "" => String::new(),
            unit => format!(" in {unit}"),
        }
    }

    pub(super) fn draw(&self, bars: &[Bar], scale: &Axis, width: f64) -> (f64, String) {
        let mut out = format!(
            "<g transform=\"translate(0 {ABOVE})\">\n<text class=\"tick\" x=\"0\" \
             y=\"-8\">{}</text>\n",
            escape(&format!(
                "{} ÷ width of the bin{}",
                self.what,
                self.in_unit()
            ))
        );
        out += &heights(scale, width);
        let all: f64 = self.widths.iter().sum();
        let each = (width - LEFT) / all;
        let mut from = LEFT;
        let mut free = f64::NEG_INFINITY;
        for (index, (bar, bin)) in bars.iter().zip(&self.widths).enumerate() {
            let wide = bin * each;
            let middle = from + wide / 2.0;
            out += &format!("<g><title>{}</title>", escape(&tip(bar)));
            out += &column(bar, scale, middle, (wide / 2.0 - 0.5).max(0.5));
            out += "</g>\n";
            out += &self.edge(index, from, &mut free, width);
            from += wide;
        }
        out += &self.edge(bars.len(), from, &mut free, width);
        out += &floor(scale, width);
        if !self.unit.is_empty() {
            let middle = LEFT + (width - LEFT) / 2.0;
            out += &tick(middle, HEIGHT - ABOVE - 8.0, "middle", &escape(&self.unit));
            out += "\n";
        }
        (HEIGHT, out + "</g>\n")
    }

    /// The number at an edge, if there is room for it.
    fn edge(&self, index: usize, at: f64, free: &mut f64, width: f64) -> String {
        let Some(edge) = self.edges.get(index) else {
            return String::new();
        };
        let half = room(edge.chars().count()) / 2.0;
        let (anchor, x, left) = match at + half > width + 8.0 {
            true => ("end", width, width - 2.0 * half),
            false => ("middle", at, at - half),
        };
        if left < *free {
            return String::new();
        }
        *free = left + 2.0 * half;
        below(x, anchor, &spaced(edge))
    }
}
