//! Standard output and standard error: foreign text is made harmless, and their failures never
//! panic.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use lastbit_release::clean;
use lastbit_release::present::{Style, wrapped_within};
use terminal_size::{Height, Width, terminal_size_of};

/// The most characters of one message.
const MOST_SAID: usize = 1 << 14;

/// Standard output. Foreign text should be clean before it comes here; a character that is still
/// hidden is written as `\u202e`, which means the same in JSON.
pub struct Stdout {
    out: BufWriter<StdoutLock<'static>>,
    closed: bool,
}

impl Stdout {
    pub fn new() -> Stdout {
        Stdout {
            out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
            closed: false,
        }
    }

    /// Whether the reader of the output has seen enough, as `head` does.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Writes bytes for programs unchanged; on a terminal, text is cleaned.
    pub fn write_exactly(&mut self, bytes: &[u8]) -> io::Result<()> {
        if io::stdout().is_terminal()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            // If lines end in CRLF, a line break alone is part of a name.
            let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let lines: Vec<_> = text.split(end).map(clean::visible).collect();
            return self.write_all(lines.join("\n").as_bytes());
        }
        let done = self.out.write_all(bytes);
        self.noticed(done)
    }

    /// Writes a part of a text, in colour if the terminal has it.
    pub fn write_styled(&mut self, style: Style, text: &str) -> io::Result<()> {
        let code = match style {
            _ if !has_colour(&io::stdout()) => None,
            Style::Strong => Some("\u{1b}[1m"),
            Style::Bar => Some("\u{1b}[36m"),
            Style::Warning => Some("\u{1b}[1;31m"),
            _ => None,
        };
        let Some(code) = code else {
            return self.write_all(text.as_bytes());
        };
        // The control codes are ours; the text between them is cleaned as always.
        self.out.write_all(code.as_bytes())?;
        self.write_all(text.as_bytes())?;
        let done = self.out.write_all(RESET.as_bytes());
        self.noticed(done)
    }

    fn noticed<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &done {
            self.closed |= error.kind() == io::ErrorKind::BrokenPipe;
        }
        done
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let plain = |&byte: &u8| matches!(byte, b'\n' | b' '..=b'~');
        let done = if bytes.iter().all(plain) {
            self.out.write_all(bytes)
        } else {
            // Every caller writes whole characters.
            let text = String::from_utf8_lossy(bytes);
            self.out.write_all(clean::json(&text).as_bytes())
        };
        self.noticed(done.map(|()| bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.noticed(done)
    }
}

const RESET: &str = "\u{1b}[0m";

/// Whether colours are shown there, and wanted: by the same rule as in the help that `clap` prints.
fn has_colour(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Writes an error to standard error, as [`say`] does, with its first word in colour.
pub fn say_error(message: &str) {
    if has_colour(&io::stderr()) {
        let _ = write!(io::stderr(), "\u{1b}[1;31merror:{RESET} ");
        say(message);
    } else {
        say(&format!("error: {message}"));
    }
}

/// Writes a line to standard error, clean and not too long; on a terminal it is broken at spaces.
/// If it cannot be written, nobody is there to read it.
pub fn say(message: &str) {
    let clean = clean::json(message);
    let cut = clean::shortened(&clean, MOST_SAID);
    let columns = match io::stderr().is_terminal() {
        true => columns_of(terminal_size_of(io::stderr())),
        false => None,
    };
    let broken = |line: &str| match columns {
        Some(columns) if line.chars().count() > columns => {
            wrapped_within(line, 0, columns.max(NARROWEST)).join("\n")
        }
        _ => line.to_owned(),
    };
    let lines: Vec<String> = cut.split('\n').map(broken).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

/// The narrowest terminal that text is broken for.
const NARROWEST: usize = 40;

/// The width that text is written for without a terminal, and the widest.
const WIDTH: usize = 80;
const WIDEST: usize = 160;

/// For how many columns text is broken on standard output: those of the terminal, or 80.
pub fn width() -> usize {
    let columns = match io::stdout().is_terminal() {
        true => columns_of(terminal_size_of(io::stdout())),
        false => None,
    };
    columns.map_or(WIDTH, |columns| columns.clamp(NARROWEST, WIDEST))
}

/// Writes a text in lines of that width, broken at spaces; those after the first begin with an
/// indent of their own.
pub fn write_wrapped(out: &mut impl Write, text: &str, indent: &str) -> io::Result<()> {
    let lines = wrapped_within(text, indent.len(), width());
    for (place, line) in lines.iter().enumerate() {
        match place {
            0 => writeln!(out, "{}", line.trim_start())?,
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

fn columns_of(size: Option<(Width, Height)>) -> Option<usize> {
    size.map(|(Width(columns), _)| usize::from(columns))
}
