//! The loss at each output as a picture.

use std::fmt::Write;

use super::ExactLaw;
use super::divergence::losses;

const WIDTH: f64 = 840.0;
const HEIGHT: f64 = 420.0;
const MARGIN: f64 = 64.0;
const FONT: &str = r#"font-family="sans-serif" font-size="12""#;
const DASHED: &str = r#"stroke-dasharray="5 3""#;

/// A horizontal line at a loss and its negative.
#[derive(Clone, Debug)]
pub struct Level<'a> {
    /// What it is.
    pub name: &'a str,
    /// Where.
    pub loss: f64,
    /// A colour of SVG.
    pub colour: &'a str,
}

/// An SVG of `ln P(x)/Q(x)` against the output x, with levels to compare; an output that only one
/// law has sits on the frame.
pub fn loss_svg(title: &str, one: &ExactLaw, other: &ExactLaw, levels: &[Level<'_>]) -> String {
    let points: Vec<(f64, f64)> = losses(one, other)
        .into_iter()
        .map(|(output, loss)| (output, loss.midpoint()))
        .collect();
    let finite = |x: f64| x.abs() < 1e300;
    let heights = points.iter().map(|p| p.1).filter(|y| finite(*y));
    let highest = heights
        .chain(levels.iter().map(|level| level.loss))
        .fold(0.0f64, |a, b| a.max(b.abs()))
        .max(f64::MIN_POSITIVE)
        * 1.08;
    let (left, right) = points
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| {
            (a.min(p.0), b.max(p.0))
        });
    let span = (right - left).max(f64::MIN_POSITIVE);
    let x = |output: f64| MARGIN + (output - left) / span * (WIDTH - 2.0 * MARGIN);
    let y = |loss: f64| {
        HEIGHT / 2.0 - (loss / highest).clamp(-1.0, 1.0) * (HEIGHT / 2.0 - MARGIN / 2.0)
    };

    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>
<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>
<text x="{MARGIN}" y="20" font-size="14">{}</text>
<line x1="{MARGIN}" x2="{}" y1="{mid}" y2="{mid}" stroke="#bbb"/>
"##,
        escape(title),
        WIDTH - MARGIN,
        mid = y(0.0),
    );
    for (i, level) in levels.iter().enumerate() {
        for loss in [level.loss, -level.loss] {
            let _ = writeln!(
                svg,
                r##"<line x1="{MARGIN}" x2="{}" y1="{at:.2}" y2="{at:.2}" stroke="{}" {DASHED}/>"##,
                WIDTH - MARGIN,
                level.colour,
                at = y(loss),
            );
        }
        let _ = writeln!(
            svg,
            r##"<text x="{MARGIN}" y="{:.2}" fill="{}">{} ±{:.6}</text>"##,
            HEIGHT / 2.0 - 8.0 - 16.0 * (levels.len() - 1 - i) as f64,
            level.colour,
            escape(level.name),
            level.loss,
        );
    }
    for (output, loss) in &points {
        let colour = if finite(*loss) { "#1a5fb4" } else { "#c01c28" };
        let _ = writeln!(
            svg,
            r##"<circle cx="{:.2}" cy="{:.2}" r="3" fill="{colour}">{}</circle>"##,
            x(*output),
            y(*loss),
            format_args!("<title>{output}: {loss:.9}</title>"),
        );
    }
    for output in [left, right] {
        let _ = writeln!(
            svg,
            r##"<text x="{:.2}" y="{}" text-anchor="middle">{output}</text>"##,
            x(output),
            HEIGHT - 10.0,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
