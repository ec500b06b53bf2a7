//! Foreign text made safe to show: nothing in it acts on a terminal, and what looks the same is the
//! same.
//!
//! Titles, names, units, cells, paths and lines of programs come from others. Some characters
//! command a terminal, some turn the direction of writing, and some cannot be seen. [`visible`]
//! writes each of these as `\u{202e}`; [`shown`] also bounds the length, for messages; [`label`] is
//! for names side by side, which must look different if they are; [`path`] is for files.
//!
//! Letters that merely look alike, such as a Latin and a Cyrillic a, stay as they are: both are
//! seen.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// The most characters that [`shown`] takes from a text.
pub const MOST_SHOWN: usize = 200;

/// Whether a character acts or cannot be seen: controls, line and paragraph separators, every space
/// but the usual one, marks of direction, joiners, fillers, variation selectors and tags.
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || c.is_whitespace()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{70f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}'
            | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text with each [hidden](is_hidden) character as `\u{…}`. Different texts stay different:
/// backslashes before such a notation, real or spelled out, are doubled.
///
/// ```
/// use lastbit_release::clean::visible;
/// assert_eq!(visible("ward 7"), "ward 7");
/// assert_eq!(visible("\u{1b}[2Jgone"), r"\u{1b}[2Jgone");
/// assert_eq!(visible("a\u{200b}b"), r"a\u{200b}b");
/// assert_eq!(visible(r"a\u{200b}b"), r"a\\u{200b}b");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_hidden) || text.contains(r"\u{") {
        Cow::Owned(written(text, |_, c| is_hidden(c)))
    } else {
        Cow::Borrowed(text)
    }
}

/// [`visible`], cut to the beginning of a long text: for messages.
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        None => visible(text).into_owned(),
        Some((end, _)) => format!("{}… ({} bytes in all)", visible(&text[..end]), text.len()),
    }
}

/// [`shown`] of a path. A byte that is not text is written `\x{ff}`.
pub fn path(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(&visible(chunk.valid()));
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{{{byte:x}}}");
        }
    }
    match text.char_indices().nth(MOST_SHOWN) {
        None => text,
        // The end of a path says more than its middle.
        Some(_) => {
            let count = text.chars().count();
            let head: String = text.chars().take(MOST_SHOWN / 2).collect();
            let tail: String = text.chars().skip(count - MOST_SHOWN / 2).collect();
            format!("{head}…{tail}")
        }
    }
}

/// A name of at most so many characters that looks like no other name: [`visible`], with spaces at
/// its ends and after a space as `\u{20}`. A longer one ends in … and eight digits of its hash.
///
/// ```
/// use lastbit_release::clean::label;
/// assert_eq!(label("ward 7", 40), "ward 7");
/// assert_eq!(label("ward 7 ", 40), r"ward 7\u{20}");
/// assert_ne!(label(&"x".repeat(50), 40), label(&"x".repeat(51), 40));
/// ```
pub fn label(text: &str, most: usize) -> Cow<'_, str> {
    let clean = match text.starts_with(' ') || text.ends_with(' ') || text.contains("  ") {
        false => visible(text),
        true => {
            let end = text.trim_end_matches(' ').len();
            Cow::Owned(written(text, |at, c| {
                let outer = at == 0 || at >= end || text.as_bytes()[at - 1] == b' ';
                is_hidden(c) || (c == ' ' && outer)
            }))
        }
    };
    if clean.chars().nth(most).is_none() {
        return clean;
    }
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let head = clean.chars().take(most.saturating_sub(10));
    Cow::Owned(
        head.chain("…#".chars())
            .chain(hash.chars().take(8))
            .collect(),
    )
}

/// At most so many characters, with … for the rest: only where a cut name may look like another.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(most - 1).chain(['…']).collect()),
    }
}

/// A text in JSON with hidden characters in JSON's own notation: `\u202e`. They occur only in
/// strings, and the strings keep their meaning.
pub fn json(text: &str) -> Cow<'_, str> {
    let acts = |c: char| c != '\n' && is_hidden(c);
    if is_plain(text) || !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether the text has nothing but printable ASCII and line breaks, which a long report mostly is:
/// without a branch on a byte, so that many are looked at together.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: &u8| (0x20..0x7f).contains(byte) | (*byte == b'\n');
    let all = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & is_plain(byte));
    text.as_bytes().chunks(256).all(all)
}

/// The text with some characters, by place and character, as `\u{…}`. Backslashes before such a
/// notation are doubled, so after an even number of them it was spelled out, and after an odd one
/// it stands for a character.
fn written(text: &str, hidden: impl Fn(usize, char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut backslashes = 0;
    for (at, c) in text.char_indices() {
        if c == '\\' {
            backslashes += 1;
            continue;
        }
        let hidden = hidden(at, c);
        push_backslashes(
            &mut out,
            backslashes,
            hidden || text[at..].starts_with("u{"),
        );
        backslashes = 0;
        if hidden {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    push_backslashes(&mut out, backslashes, false);
    out
}

fn push_backslashes(out: &mut String, count: usize, doubled: bool) {
    let count = if doubled { 2 * count } else { count };
    out.extend(std::iter::repeat_n('\\', count));
}

#[cfg(test)]
mod tests;
