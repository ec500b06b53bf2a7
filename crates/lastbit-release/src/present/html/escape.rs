//! Text in HTML and SVG.

use crate::clean::{label, visible};

/// The text, safe between tags and inside quoted attributes; what is hidden in it is seen.
pub fn escape(text: &str) -> String {
    escape_visible(&visible(text))
}

/// [`escape`] for a text without hidden characters.
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

/// Keeps each number on one line with its sign, and writes it as tables do.
pub(crate) fn unbroken(text: &str) -> String {
    let mut safe = grouped_within(&escape(text));
    for (sign, joined) in [
        ("± ", "±&nbsp;"),
        (" = ", "&nbsp;=&nbsp;"),
        (" ≤ ", "&nbsp;≤&nbsp;"),
    ] {
        safe = safe.replace(sign, joined);
    }
    safe
}

/// The longest name, in characters.
const LONGEST: usize = 400;

/// A name that keeps its direction of writing to itself and looks like no other name; browsers
/// would show many spaces as one.
pub(crate) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape_visible(&label(text, LONGEST)))
}

/// The longest phrase, in characters: a few names in sentences of ours.
const LONGEST_PHRASE: usize = 4000;

/// A phrase whose names between backticks are set apart, and whose numbers are written as in
/// tables.
pub(crate) fn marked(text: &str) -> String {
    let safe = escape_visible(&label(text, LONGEST_PHRASE));
    let safe = format!("<bdi>{safe}</bdi>");
    let mut parts: Vec<&str> = safe.split('`').collect();
    // A backtick without a partner stays as it is.
    let last = match parts.len() % 2 {
        0 => parts.pop(),
        _ => None,
    };
    let mut out = String::with_capacity(safe.len());
    for (index, part) in parts.into_iter().enumerate() {
        match index % 2 {
            0 => out += &grouped_within(part),
            _ => out += &format!("<code>{part}</code>"),
        }
    }
    match last {
        Some(last) => format!("{out}`{}", grouped_within(last)),
        None => out,
    }
}

/// A number with gaps between groups of three digits of a long whole part; copying it gives only
/// the digits.
pub(crate) fn grouped(text: &str) -> String {
    in_groups(text, |group| format!("<span class=\"g\">{group}</span>"))
}

/// [`grouped`] for pictures, where there are no spans.
pub(super) fn spaced(text: &str) -> String {
    in_groups(text, |group| format!("\u{2009}{group}"))
}

/// [`grouped`] for each number of a text that is safe already, on one line with a sign of percent.
/// Dates, powers, hashes and what is quoted are no numbers.
pub(crate) fn grouped_within(safe: &str) -> String {
    let mut out = String::with_capacity(safe.len());
    let (mut rest, mut before) = (safe, ' ');
    while let Some(first) = rest.chars().next() {
        let begins = matches!(before, ' ' | '(' | '[' | '>' | '±' | '\u{a0}' | '\n');
        let length = if begins { number_at_start(rest) } else { 0 };
        let (token, after) = rest.split_at(length.max(first.len_utf8()));
        (before, rest) = (first, after);
        match length {
            0 => out += token,
            _ => out += &grouped(token),
        }
        if let (true, Some(after)) = (length > 0, after.strip_prefix(" %")) {
            out += "&nbsp;%";
            rest = after;
        }
    }
    out
}

/// How many bytes at the start of a text are a number that ends there; zero if none are.
fn number_at_start(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = text.as_bytes()[from..].iter();
        rest.take_while(|byte| byte.is_ascii_digit()).count()
    };
    let sign = usize::from(text.starts_with('-'));
    let whole = digits(sign);
    let mut end = sign + whole;
    // A full stop after a number may end a sentence.
    if text[end..].starts_with('.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    let ends = |c| {
        matches!(
            c,
            ' ' | ')' | ']' | ',' | ';' | '.' | '<' | '%' | '\u{a0}' | '\n'
        )
    };
    let is_number = whole > 0 && text[end..].chars().next().is_none_or(ends);
    if is_number { end } else { 0 }
}

fn in_groups(text: &str, group: impl Fn(&str) -> String) -> String {
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
        grouped += &group(&whole[start..start + 3]);
    }
    grouped + &escape(&fraction)
}

#[cfg(test)]
mod tests;
