//! Lines of a pipe, each waited for no longer than a given time and no longer than a given length.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// What came next.
pub(super) enum Next {
    /// A line, without its end.
    Line(Vec<u8>),
    /// No more lines.
    End,
    /// Nothing in the time given.
    TimedOut,
    /// More than the longest line, and no end of it.
    TooLong,
    /// The pipe could not be read.
    Failed(io::Error),
}

/// The lines of a pipe, read by a thread of its own. The thread ends with the pipe, or with this.
pub(super) struct Lines {
    chunks: Receiver<io::Result<Vec<u8>>>,
    buffer: VecDeque<u8>,
    /// How many bytes of the buffer are known to hold no end of a line.
    searched: usize,
    longest: usize,
    ended: bool,
}

impl Lines {
    pub fn new(mut from: impl Read + Send + 'static, longest: usize) -> Lines {
        // A few chunks at most are kept for a reader that is slower than the pipe.
        let (send, chunks) = sync_channel(4);
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                let chunk = match from.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(count) => Ok(buffer[..count].to_vec()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = chunk.is_err();
                if send.send(chunk).is_err() || failed {
                    return;
                }
            }
        });
        Lines {
            chunks,
            buffer: VecDeque::new(),
            searched: 0,
            longest,
            ended: false,
        }
    }

    /// The next line, waited for at most so long.
    pub fn next(&mut self, wait: Duration) -> Next {
        let until = Instant::now() + wait;
        loop {
            if let Some(end) = self
                .buffer
                .iter()
                .skip(self.searched)
                .position(|&b| b == b'\n')
            {
                let length = self.searched + end;
                self.searched = 0;
                if length > self.longest {
                    return Next::TooLong;
                }
                let line = self.buffer.drain(..length).collect();
                self.buffer.pop_front();
                return Next::Line(line);
            }
            self.searched = self.buffer.len();
            if self.searched > self.longest {
                return Next::TooLong;
            }
            if self.ended {
                self.searched = 0;
                return match self.buffer.is_empty() {
                    true => Next::End,
                    false => Next::Line(self.buffer.drain(..).collect()),
                };
            }
            match self
                .chunks
                .recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                Ok(Ok(chunk)) => self.buffer.extend(chunk),
                Ok(Err(error)) => return Next::Failed(error),
                Err(RecvTimeoutError::Timeout) => return Next::TimedOut,
                Err(RecvTimeoutError::Disconnected) => self.ended = true,
            }
        }
    }
}
