//! A mechanism behind a command that reads a value per line and writes an output per line.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::thread;

use super::{Output, Samples};

/// Why a command gave no samples.
#[derive(Debug, thiserror::Error)]
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
        "`{command}` wrote {got} lines for {expected} values; it must read to the end and write exactly one line for each value"
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
        "`{command}` wrote more than {expected} lines for {expected} values; it must write exactly one line for each value"
    )]
    TooManyLines {
        /// The program.
        command: String,
        /// Lines that were wanted.
        expected: u64,
    },
}

/// Runs a command once on `draws` lines of each input, A and B in turn, and reads as many outputs.
///
/// A thread of its own writes, so a command may read everything first or answer line by line. Outputs that are no numbers are words.
pub fn run_command(
    command: &str,
    arguments: &[String],
    inputs: [&str; 2],
    draws: usize,
) -> Result<Samples, CommandError> {
    let name = || command.to_owned();
    let mut child = Command::new(command)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| CommandError::Start {
            command: name(),
            source,
        })?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        let source = io::Error::other("its standard input and output are no pipes");
        return Err(CommandError::Start {
            command: name(),
            source,
        });
    };
    let expected = 2 * draws as u64;
    let lines = inputs.map(|input| format!("{input}\n"));
    let writer = thread::spawn(move || write_values(stdin, &lines, draws));
    let read = read_outputs(BufReader::with_capacity(1 << 16, stdout), expected);
    if !matches!(&read, Ok((_, got)) if *got <= expected) {
        // It may go on for ever: end it, so that waiting ends too. An error means that it has ended already.
        let _ = child.kill();
    }
    // A command that ends without reading everything breaks the pipe; the count of lines tells.
    let _ = writer.join();
    let status = child.wait();
    let (samples, got) = read.map_err(|source| CommandError::Read {
        command: name(),
        source,
    })?;
    if got > expected {
        return Err(CommandError::TooManyLines {
            command: name(),
            expected,
        });
    }
    match status {
        Ok(status) if !status.success() => Err(CommandError::Failed {
            command: name(),
            status,
            lines: got,
        }),
        Err(source) => Err(CommandError::Read {
            command: name(),
            source,
        }),
        Ok(_) if got < expected => Err(CommandError::TooFewLines {
            command: name(),
            got,
            expected,
        }),
        Ok(_) => Ok(samples),
    }
}

fn write_values(stdin: ChildStdin, lines: &[String; 2], draws: usize) -> io::Result<()> {
    let mut stdin = BufWriter::with_capacity(1 << 16, stdin);
    for _ in 0..draws {
        for line in lines {
            stdin.write_all(line.as_bytes())?;
        }
    }
    stdin.flush()
}

/// Outputs in turn from A and B, and how many lines there were; one beyond `expected` is enough to know.
fn read_outputs(mut from: impl BufRead, expected: u64) -> io::Result<(Samples, u64)> {
    let mut samples = Samples::default();
    let mut indices: HashMap<String, u32> = HashMap::new();
    let mut line = Vec::new();
    let mut count = 0u64;
    while count <= expected {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        let output = match text.parse::<f64>() {
            Ok(number) => Output::Number(number),
            Err(_) => {
                let next = indices.len() as u32;
                let index = *indices.entry(text.to_owned()).or_insert(next);
                if index == next {
                    samples.words.push(text.to_owned());
                }
                Output::Word(index)
            }
        };
        samples.outputs[(count % 2) as usize].push(output);
        count += 1;
    }
    Ok((samples, count))
}
