//! A mechanism behind a command that reads a value per line and writes an output per line.

use std::io;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::lines::{Lines, Next};
use super::process::Running;
use super::{Output, Samples};

/// How long a command may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditLimits {
    /// Without a new line of output.
    pub answer: Duration,
    /// In all.
    pub total: Duration,
}

impl Default for AuditLimits {
    /// A minute for an answer, an hour for all of them.
    fn default() -> AuditLimits {
        AuditLimits {
            answer: Duration::from_secs(60),
            total: Duration::from_secs(3600),
        }
    }
}

/// The most bytes of a line of output.
pub const LONGEST_LINE: usize = 1 << 16;

/// The most bytes of different words.
const MOST_WORDS: usize = 1 << 28;

/// Why a command gave no samples.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// It could not be started.
    #[error("cannot start `{command}`; give a program and its arguments after `--`")]
    Start {
        /// The program.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// Its output could not be read.
    #[error("cannot read the output of `{command}`")]
    Read {
        /// The program.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// It ended with an error.
    #[error("`{command}` failed ({status}) after {lines} lines of output; see its messages above")]
    Failed {
        /// The program.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// Lines before that.
        lines: u64,
    },
    /// It wrote fewer lines than it was given values.
    #[error(
        "`{command}` wrote {got} lines for {expected} values; it must read to the end and write \
         exactly one line for each value"
    )]
    TooFewLines {
        /// The program.
        command: String,
        /// Lines that were written.
        got: u64,
        /// Lines that were wanted.
        expected: u64,
    },
    /// It wrote more lines than it was given values.
    #[error(
        "`{command}` wrote more than {expected} lines for {expected} values; it must write \
         exactly one line for each value"
    )]
    TooManyLines {
        /// The program.
        command: String,
        /// Lines that were wanted.
        expected: u64,
    },
    /// It wrote nothing for too long, or did not end.
    #[error(
        "`{command}` was ended with its children: {what} in {} s after {lines} lines; let it \
         write each line at once, or raise --timeout",
        limit.as_secs_f64()
    )]
    Hangs {
        /// The program.
        command: String,
        /// What did not happen.
        what: &'static str,
        /// In which time.
        limit: Duration,
        /// Lines before that.
        lines: u64,
    },
    /// It took too long in all.
    #[error(
        "`{command}` was ended with its children after {} s and {lines} of {expected} lines; ask \
         for fewer draws, or raise --total-timeout",
        limit.as_secs_f64()
    )]
    TooLong {
        /// The program.
        command: String,
        /// The limit.
        limit: Duration,
        /// Lines before that.
        lines: u64,
        /// Lines that were wanted.
        expected: u64,
    },
    /// A line without an end.
    #[error(
        "line {line} of the output of `{command}` has more than {LONGEST_LINE} bytes; write one \
         number or word a line"
    )]
    LongLine {
        /// The program.
        command: String,
        /// Which line.
        line: u64,
    },
    /// Too many words to keep.
    #[error(
        "the words that `{command}` wrote take more than {MOST_WORDS} bytes; write numbers, or \
         fewer words"
    )]
    TooManyWords {
        /// The program.
        command: String,
    },
}

/// Runs a command once on `draws` lines of each input, A and B in turn, and reads as many outputs.
///
/// A thread of its own writes, so a command may read everything first or answer line by line.
/// Outputs that are no numbers are words. However the run ends, the command and its children have
/// ended with it (Unix; elsewhere only the command).
pub fn run_command(
    command: &str,
    arguments: &[String],
    inputs: [&str; 2],
    draws: usize,
    limits: &AuditLimits,
) -> Result<Samples, CommandError> {
    let name = || command.to_owned();
    let start = Instant::now();
    let (mut running, stdin, stdout) =
        Running::start(command, arguments).map_err(|source| CommandError::Start {
            command: name(),
            source,
        })?;
    let expected = 2 * draws as u64;
    super::process::write_values(stdin, inputs, draws);
    let mut lines = Lines::new(stdout, LONGEST_LINE);
    let mut samples = Collected::default();
    let left = |at: Instant| {
        let total = limits.total.saturating_sub(at - start);
        limits.answer.min(total)
    };
    let timed_out = |lines: u64, what: &'static str| {
        if start.elapsed() >= limits.total {
            CommandError::TooLong {
                command: name(),
                limit: limits.total,
                lines,
                expected,
            }
        } else {
            CommandError::Hangs {
                command: name(),
                what,
                limit: limits.answer,
                lines,
            }
        }
    };
    while samples.count <= expected {
        let line = match lines.next(left(Instant::now())) {
            Next::Line(line) => line,
            Next::End => break,
            Next::TimedOut => return Err(timed_out(samples.count, "no line of output")),
            Next::TooLong => {
                return Err(CommandError::LongLine {
                    command: name(),
                    line: samples.count + 1,
                });
            }
            Next::Failed(source) => {
                return Err(CommandError::Read {
                    command: name(),
                    source,
                });
            }
        };
        samples.push(&line);
        if samples.word_bytes > MOST_WORDS {
            return Err(CommandError::TooManyWords { command: name() });
        }
    }
    let got = samples.count;
    if got > expected {
        return Err(CommandError::TooManyLines {
            command: name(),
            expected,
        });
    }
    let status = running
        .wait(left(Instant::now()))
        .map_err(|source| CommandError::Read {
            command: name(),
            source,
        })?
        .ok_or_else(|| timed_out(got, "its output ended, but it did not end"))?;
    if !status.success() {
        return Err(CommandError::Failed {
            command: name(),
            status,
            lines: got,
        });
    }
    if got < expected {
        return Err(CommandError::TooFewLines {
            command: name(),
            got,
            expected,
        });
    }
    Ok(samples.samples)
}

/// Outputs in turn from A and B, and how many there are.
#[derive(Default)]
struct Collected {
    samples: Samples,
    indices: std::collections::HashMap<String, u32>,
    word_bytes: usize,
    count: u64,
}

impl Collected {
    fn push(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        let output = match text.parse::<f64>() {
            Ok(number) => Output::Number(number),
            Err(_) => Output::Word(self.word(text)),
        };
        self.samples.outputs[(self.count % 2) as usize].push(output);
        self.count += 1;
    }

    fn word(&mut self, text: &str) -> u32 {
        if let Some(index) = self.indices.get(text) {
            return *index;
        }
        let index = self.indices.len() as u32;
        self.indices.insert(text.to_owned(), index);
        self.samples.words.push(text.to_owned());
        self.word_bytes += text.len();
        index
    }
}
