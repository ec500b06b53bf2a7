//! Text broken into lines.

/// The width that text is broken for if nothing else is said, and the widest that is easy to read.
pub(super) const WIDTH: usize = 80;
const WIDEST_PROSE: usize = 100;

/// Lines of at most 80 characters, broken at spaces, each indented by so many spaces. A longer word
/// has a line of its own.
pub fn wrapped(text: &str, indent: usize) -> Vec<String> {
    wrapped_within(text, indent, WIDTH)
}

/// [`wrapped`] for a terminal of so many columns; prose takes at most a hundred of them.
pub fn wrapped_within(text: &str, indent: usize, columns: usize) -> Vec<String> {
    let most = columns.min(WIDEST_PROSE);
    let mut lines: Vec<String> = Vec::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if width + 1 + length <= most => {
                line.push(' ');
                line.push_str(word);
                width += 1 + length;
            }
            _ => {
                lines.push(format!("{}{word}", " ".repeat(indent)));
                width = indent + length;
            }
        }
    }
    lines
}
