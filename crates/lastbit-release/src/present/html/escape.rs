//! Text in HTML and SVG.

use crate::clean::{label, visible};

/// The text, safe between tags and inside quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    escape_visible(&visible(text))
}

/// [`escape`] for a text of which every character is seen.
pub(super) fn escape_visible(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// The longest name, in characters.
const LONGEST: usize = 400;

/// A name whose direction of writing stays its own, and that looks like no other one: browsers show many spaces as one.
pub(crate) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape_visible(&label(text, LONGEST)))
}

/// A number with a gap after each three digits of a long whole part; copying it gives the digits alone.
pub(crate) fn grouped(text: &str) -> String {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("−", digits),
        None => ("", text),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (digits, String::new()),
    };
    if whole.len() < 5 || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return escape(&format!("{sign}{whole}{fraction}"));
    }
    // ASCII digits, so every index is a boundary.
    let first = (whole.len() - 1) % 3 + 1;
    let mut grouped = format!("{sign}{}", &whole[..first]);
    for start in (first..whole.len()).step_by(3) {
        grouped += &format!("<span class=\"g\">{}</span>", &whole[start..start + 3]);
    }
    grouped + &escape(&fraction)
}
