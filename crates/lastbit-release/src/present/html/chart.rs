//! Bars, columns and dots with error whiskers, as SVG that takes its colours from the page.

use super::areas::Areas;
use super::columns::{columns, is_crowded};
use super::escape::{escape, escape_visible, spaced};
use super::svg::{svg, tick};
use crate::clean::{label, shortened};
use crate::statistic::Mark;

/// One mark of a picture.
pub(crate) struct Bar {
    pub label: String,
    /// Its place; `None` if nothing was published.
    pub value: Option<f64>,
    /// Half the length of its whisker.
    pub error: Option<f64>,
    /// The value as published.
    pub text: String,
    /// The error as published, with its sign.
    pub error_text: String,
}

/// The numbers from edge to edge of a picture, and the marks of its axis.
pub(crate) struct Axis {
    low: f64,
    high: f64,
    pub(super) ticks: Vec<f64>,
    step: f64,
}

/// A scale that holds every value, and its error as far as it lies within these ends.
pub(crate) fn scale<'a>(
    bars: impl Iterator<Item = &'a Bar>,
    mark: Mark,
    [least, most]: [Option<f64>; 2],
) -> Axis {
    let within = |x: f64| {
        let above = least.map_or(x, |least| x.max(least));
        most.map_or(above, |most| above.min(most))
    };
    let (mut low, mut high) = match mark {
        Mark::Columns | Mark::Bars => (0.0, 0.0),
        // Numbers that begin at 0 are read by their distance from it.
        Mark::Dots if least == Some(0.0) => (0.0, f64::NEG_INFINITY),
        Mark::Dots => (f64::INFINITY, f64::NEG_INFINITY),
    };
    for bar in bars {
        if let Some(value) = bar.value {
            let error = bar.error.unwrap_or(0.0);
            low = f64::min(low, within(value - error).min(value));
            high = f64::max(high, within(value + error).max(value));
        }
    }
    if !(low.is_finite() && high.is_finite() && (high - low).is_finite()) {
        (low, high) = (0.0, 1.0);
    }
    if low == high {
        let half = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
        (low, high) = match mark {
            Mark::Dots => (low - half, high + half),
            _ => (
                low.min(0.0),
                high.max(0.0) + if low == 0.0 { 1.0 } else { 0.0 },
            ),
        };
    }
    let step = nice_step((high - low) / 5.0);
    let first = (low / step).floor();
    let last = (high / step).ceil();
    // At most a dozen: the span is at most 5 steps and its ends are rounded outward.
    let ticks = (0..=(last - first).min(12.0) as i64).map(|index| (first + index as f64) * step);
    let (low, high) = (within(first * step).min(low), within(last * step).max(high));
    Axis {
        low,
        high,
        ticks: ticks.filter(|tick| (low..=high).contains(tick)).collect(),
        step,
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least this.
fn nice_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= least)
        .unwrap_or(10.0 * power)
}

impl Axis {
    /// From 0 at the low edge to 1 at the high one.
    pub(super) fn share(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    pub(super) fn tick_text(&self, tick: f64) -> String {
        let magnitude = self.low.abs().max(self.high.abs());
        if magnitude >= 1e7 || self.step < 1e-4 {
            let text = format!("{tick:.1e}");
            return if tick == 0.0 { "0".into() } else { text };
        }
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        // No minus before a zero.
        spaced(&format!(
            "{:.decimals$}",
            if tick == 0.0 { 0.0 } else { tick }
        ))
    }
}

/// How the numbers of a statistic are drawn.
pub(crate) enum Drawing {
    /// Each by itself.
    Marks(Mark),
    /// Columns as wide as their bins, whose areas are the numbers.
    Areas(Areas),
}

/// The picture, with a title and a description for screen readers. `narrow` is for one of several
/// side by side.
pub(crate) fn draw(
    bars: &[Bar],
    drawing: &Drawing,
    scale: &Axis,
    id: &str,
    title: &str,
    narrow: bool,
) -> String {
    let width = if narrow { 380.0 } else { 740.0 };
    let (height, inner) = match drawing {
        Drawing::Areas(areas) => areas.draw(bars, scale, width),
        // If there is room for all marks one below another, each has its name.
        Drawing::Marks(Mark::Columns) if is_crowded(bars, width) && bars.len() <= MOST_NAMED => {
            rows(bars, scale, width, Mark::Bars)
        }
        Drawing::Marks(Mark::Columns) => columns(bars, scale, width),
        Drawing::Marks(mark) => rows(bars, scale, width, *mark),
    };
    let words = format!(
        "{} numbers with their errors; the table after the picture has them all.",
        bars.len()
    );
    svg(id, [width, height], [title, &words], &inner)
}

/// The most marks drawn one below another instead of columns.
const MOST_NAMED: usize = 12;

/// Drawn instead of a column that says nothing, which would otherwise look like zero.
pub(crate) const UNSAID: &str = ">?</text>";

/// The longest label below a column, and the longest line of one beside a bar, in characters. The
/// mark's title has it whole.
pub(super) const LONGEST_LABEL: usize = 32;

/// The same in a narrow picture; longer ones stand above their bars there, in lines of so many.
const LONGEST_NARROW: usize = 18;
const LONGEST_ABOVE: usize = 48;

/// Between the keys of a label.
pub(crate) const BETWEEN_KEYS: &str = " · ";

/// The most lines of a label.
const MOST_LINES: usize = 3;

/// The height of a line of a label.
const LINE: f64 = 14.0;

/// A label in at most [`MOST_LINES`] lines of at most so many characters, broken at spaces where
/// there are some. It is cut where it does not fit, and still looks like no other.
fn label_lines(text: &str, most: usize) -> Vec<String> {
    let whole = label(text, MOST_LINES * most);
    // Each key begins a line, if there is room.
    let keys: Vec<String> = whole
        .split(BETWEEN_KEYS)
        .flat_map(|key| broken(key, most))
        .collect();
    if whole.contains(BETWEEN_KEYS) && keys.len() <= MOST_LINES {
        return keys;
    }
    let lengths = (most..=MOST_LINES * most).rev();
    let mut tried = lengths.map(|length| broken(&label(text, length), most));
    let fits = tried.find(|lines| lines.len() <= MOST_LINES);
    // The shortest is one line.
    fits.unwrap_or_default()
}

/// Lines of at most so many characters, broken at spaces where there are some.
fn broken(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        if let Some(line) = lines.last_mut()
            && line.chars().count() + 1 + rest.len() <= most
        {
            line.push(' ');
            line.extend(rest);
            continue;
        }
        loop {
            let tail = rest.split_off(rest.len().min(most));
            lines.push(rest.into_iter().collect());
            if tail.is_empty() {
                break;
            }
            rest = tail;
        }
    }
    lines
}

fn rows(bars: &[Bar], scale: &Axis, width: f64, mark: Mark) -> (f64, String) {
    // Letters of wide fonts.
    let longest = |characters: usize| (characters as f64 * 7.4).max(20.0);
    let is_longer = |bar: &Bar| bar.label.chars().count() > LONGEST_NARROW;
    let is_narrow = width < 500.0;
    let is_above = is_narrow && bars.iter().any(is_longer);
    let most = match (is_narrow, is_above) {
        (false, _) => LONGEST_LABEL,
        (true, false) => LONGEST_NARROW,
        (true, true) => LONGEST_ABOVE,
    };
    let labels: Vec<Vec<String>> = bars
        .iter()
        .map(|bar| label_lines(&bar.label, most))
        .collect();
    let widest = labels.iter().flatten().map(|line| line.chars().count());
    let left = match is_above {
        true => 12.0,
        false => longest(widest.max().unwrap_or(0)) + 12.0,
    };
    let texts = bars.iter().map(|bar| bar.text.chars().count().min(16));
    let right = width - longest(texts.max().unwrap_or(0)) - 18.0;
    let lines = labels.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let above = if is_above { lines as f64 * LINE } else { 0.0 };
    let row = match is_above {
        true => 26.0 + above,
        false => 26.0 + (lines - 1) as f64 * LINE,
    };
    let bottom = bars.len() as f64 * row + 6.0;
    let x = |value: f64| left + scale.share(value) * (right - left);
    let mut out = String::new();
    let texts: Vec<String> = scale
        .ticks
        .iter()
        .map(|tick| scale.tick_text(*tick))
        .collect();
    let widest = texts
        .iter()
        .map(|text| text.chars().count())
        .max()
        .unwrap_or(1) as f64
        * 6.8
        + 10.0;
    let gap = (right - left) / (texts.len().max(2) - 1) as f64;
    let every = (widest / gap).ceil().max(1.0) as usize;
    for (index, (&value, text)) in scale.ticks.iter().zip(&texts).enumerate() {
        let at = x(value);
        out += &format!(
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{bottom}\"/>"
        );
        if index % every == 0 {
            out += &tick(at, bottom + 16.0, "middle", text);
            out += "\n";
        }
    }
    for (index, (bar, lines)) in bars.iter().zip(&labels).enumerate() {
        let middle = (index as f64 + 0.5) * row + above / 2.0 + 3.0;
        out += &format!("<g><title>{}</title>", escape(&tip(bar)));
        let more = (lines.len().max(1) - 1) as f64 * LINE;
        let (at, anchor, first) = match is_above {
            true => (left + 4.0, "start", middle - 12.0 - more),
            false => (left - 10.0, "end", middle + 4.0 - more / 2.0),
        };
        for (place, line) in lines.iter().enumerate() {
            out += &format!(
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                first + place as f64 * LINE,
                escape_visible(line)
            );
        }
        if let Some(value) = bar.value {
            let at = x(value);
            if mark == Mark::Bars {
                let (from, to) = (x(value.min(0.0)), x(value.max(0.0)));
                out += &format!(
                    "<rect class=\"bar\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" \
                     height=\"16\"/>",
                    middle - 8.0,
                    to - from
                );
            }
            if let Some(error) = bar.error {
                let (from, to) = (x(value - error), x(value + error));
                out += &format!(
                    "<path class=\"whisker\" d=\"M{from:.1} {middle:.1}H{to:.1}M{from:.1} \
                     {:.1}v8M{to:.1} {:.1}v8\"/>",
                    middle - 4.0,
                    middle - 4.0
                );
            }
            if mark == Mark::Dots {
                out +=
                    &format!("<circle class=\"dot\" cx=\"{at:.1}\" cy=\"{middle:.1}\" r=\"4\"/>");
            }
        }
        out += &format!(
            "<text x=\"{width}\" y=\"{:.1}\" text-anchor=\"end\">{}</text></g>\n",
            middle + 4.0,
            spaced(&shortened(&bar.text, 16))
        );
    }
    if mark == Mark::Bars {
        let zero = x(0.0);
        out += &format!(
            "<line class=\"axis\" x1=\"{zero:.1}\" x2=\"{zero:.1}\" y1=\"0\" y2=\"{bottom}\"/>\n"
        );
    }
    (bottom + 24.0, out)
}

pub(super) fn tip(bar: &Bar) -> String {
    format!("{}: {} {}", bar.label, bar.text, bar.error_text)
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests;
