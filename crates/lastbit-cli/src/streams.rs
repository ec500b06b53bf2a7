//! Standard output and standard error: what is not ours is made harmless, and nothing that happens to them is a panic.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use lastbit_release::clean;

/// The most characters of one message.
const MOST_SAID: usize = 1 << 14;

/// Standard output. Whatever others wrote should be clean before it comes here; what is still hidden is written as `\u202e`, which means
/// the same in JSON.
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

    /// Writes a text for programs as it is; to a terminal, clean.
    pub fn write_exactly(&mut self, text: &str) -> io::Result<()> {
        if io::stdout().is_terminal() {
            let lines: Vec<_> = text.split("\r\n").map(clean::visible).collect();
            return self.write_all(lines.join("\n").as_bytes());
        }
        let done = self.out.write_all(text.as_bytes());
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

/// Writes a line to standard error, clean and not too long. If it cannot be written there is nobody to tell.
pub fn say(message: &str) {
    let clean = clean::json(message);
    let cut = clean::shortened(&clean, MOST_SAID);
    let _ = writeln!(io::stderr(), "{cut}");
}
