//! Upright columns: one for each bin or category, of one width.

use super::chart::{Axis, Bar, LONGEST_LABEL, UNSAID, tip};
use super::escape::{escape, escape_visible};
use super::svg::{rung, tick};
use crate::clean::label;

/// Where the first column begins.
pub(super) const LEFT: f64 = 62.0;

/// Where columns end at the top, and where they stand.
const TOP: f64 = 10.0;
const BOTTOM: f64 = 200.0;

/// The height of the picture.
const HEIGHT: f64 = 232.0;

/// The width of so many characters, at about 6.8 units a character and some space.
pub(super) fn room(characters: usize) -> f64 {
    characters as f64 * 6.8 + 6.0
}

/// One of so many column labels fits.
fn every(bars: &[Bar], width: f64) -> usize {
    let band = (width - LEFT) / bars.len().max(1) as f64;
    let longest = bars
        .iter()
        .map(|bar| bar.label.chars().count().min(LONGEST_LABEL))
        .max()
        .unwrap_or(0);
    (room(longest) / band).ceil().max(1.0) as usize
}

/// Whether some columns would have no label.
pub(super) fn is_crowded(bars: &[Bar], width: f64) -> bool {
    every(bars, width) > 1
}

/// Columns of one width: the height of the picture, and what is in it.
pub(super) fn columns(bars: &[Bar], scale: &Axis, width: f64) -> (f64, String) {
    let mut out = heights(scale, width);
    let band = (width - LEFT) / bars.len().max(1) as f64;
    let every = every(bars, width);
    for (index, bar) in bars.iter().enumerate() {
        let middle = LEFT + (index as f64 + 0.5) * band;
        out += &format!("<g><title>{}</title>", escape(&tip(bar)));
        out += &column(bar, scale, middle, band * 0.44);
        if index % every == 0 {
            let safe = escape_visible(&label(&bar.label, LONGEST_LABEL));
            out += &below(middle, "middle", &safe);
        }
        out += "</g>\n";
    }
    out += &floor(scale, width);
    (HEIGHT, out)
}

fn y(scale: &Axis, value: f64) -> f64 {
    BOTTOM - scale.share(value) * (BOTTOM - TOP)
}

/// The lines of the scale.
pub(super) fn heights(scale: &Axis, width: f64) -> String {
    let lines = scale.ticks.iter().map(|&value| {
        let text = scale.tick_text(value);
        rung([LEFT, width], y(scale, value), &text)
    });
    lines.collect()
}

/// A column with its whisker.
pub(super) fn column(bar: &Bar, scale: &Axis, middle: f64, half: f64) -> String {
    let Some(value) = bar.value else {
        return format!(
            "<text class=\"tick\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\"{UNSAID}",
            BOTTOM - 6.0
        );
    };
    let (from, to) = (y(scale, value.max(0.0)), y(scale, value.min(0.0)));
    let mut out = format!(
        "<rect class=\"bar\" x=\"{:.1}\" y=\"{from:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
        middle - half,
        2.0 * half,
        to - from
    );
    if let Some(error) = bar.error {
        let (from, to) = (y(scale, value + error), y(scale, value - error));
        let cap = half.min(5.0);
        out += &format!(
            "<path class=\"whisker\" d=\"M{middle:.1} {from:.1}V{to:.1}M{:.1} \
             {from:.1}h{:.1}M{:.1} {to:.1}h{:.1}\"/>",
            middle - cap,
            2.0 * cap,
            middle - cap,
            2.0 * cap
        );
    }
    out
}

/// A text below the columns, safe already.
pub(super) fn below(x: f64, anchor: &str, safe: &str) -> String {
    tick(x, BOTTOM + 18.0, anchor, safe)
}

/// The line that columns stand on.
pub(super) fn floor(scale: &Axis, width: f64) -> String {
    let zero = y(scale, 0.0);
    format!(
        "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{width}\" y1=\"{zero:.1}\" y2=\"{zero:.1}\"/>\n"
    )
}
