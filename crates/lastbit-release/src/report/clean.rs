//! Text from outside, made harmless.

use std::borrow::Cow;

/// The text with a � for each character that is not seen but acts: control characters, which move a terminal's cursor or begin its
/// commands, and those that turn the direction of what follows.
///
/// ```
/// use lastbit_release::report::visible;
/// assert_eq!(visible("ward 7"), "ward 7");
/// assert_eq!(visible("\u{1b}[2Jgone"), "\u{fffd}[2Jgone");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if text.contains(acts) {
        Cow::Owned(text.replace(acts, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// At most so many characters, with … for the rest.
pub(super) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(most - 1).chain(['…']).collect()),
    }
}
