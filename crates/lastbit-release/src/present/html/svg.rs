//! What pictures share: their frame, and the lines and texts of their axes. Colours are those of
//! the page: it has the classes `grid`, `tick` and `axis`.

use super::escape::escape;

/// A picture of a width and a height, with a title and a description for screen readers. What is in
/// it is safe already.
pub fn svg(id: &str, [width, height]: [f64; 2], [title, words]: [&str; 2], inner: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n{inner}</svg>\n",
        escape(title),
        escape(words)
    )
}

/// A text of an axis, safe already; `anchor` says which part of it is at the place.
pub fn tick(x: f64, y: f64, anchor: &str, safe: &str) -> String {
    format!("<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{safe}</text>")
}

/// A line of a scale from the left to the right, and its text, safe already, before it.
pub fn rung([left, right]: [f64; 2], y: f64, safe: &str) -> String {
    let text = tick(left - 8.0, y + 4.0, "end", safe);
    format!(
        "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>{text}\n"
    )
}
