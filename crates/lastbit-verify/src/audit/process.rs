//! A command and all that it starts, which end when we are done with them or end ourselves.

use std::io::{self, BufWriter, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A command that runs; dropping this ends it, and on Unix all that it started and left in its
/// process group.
pub(super) struct Running {
    child: Child,
    guard: Option<Guard>,
}

impl Running {
    pub fn start(
        command: &str,
        arguments: &[String],
    ) -> io::Result<(Running, ChildStdin, ChildStdout)> {
        let guard = Guard::start();
        let mut prepared = Command::new(command);
        prepared
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if let Some(guard) = &guard {
            guard.adopt(&mut prepared);
        }
        let mut child = prepared.spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let running = Running { child, guard };
        match (stdin, stdout) {
            (Some(stdin), Some(stdout)) => Ok((running, stdin, stdout)),
            _ => Err(io::Error::other(
                "its standard input and output are no pipes",
            )),
        }
    }

    /// How it ended, if it does in the time given.
    pub fn wait(&mut self, longest: Duration) -> io::Result<Option<ExitStatus>> {
        let until = Instant::now() + longest;
        let mut pause = Duration::from_micros(100);
        loop {
            let status = self.child.try_wait()?;
            if status.is_some() || Instant::now() >= until {
                return Ok(status);
            }
            thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Errors mean that it has ended already.
        drop(self.guard.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the values in turn, in a thread of its own. A command that ends without reading
/// everything breaks the pipe; the count of lines tells.
pub(super) fn write_values(stdin: ChildStdin, inputs: [&str; 2], draws: usize) {
    let lines = inputs.map(|input| format!("{input}\n"));
    let write = move || -> io::Result<()> {
        let mut stdin = BufWriter::with_capacity(1 << 16, stdin);
        for _ in 0..draws {
            for line in &lines {
                stdin.write_all(line.as_bytes())?;
            }
        }
        stdin.flush()
    };
    thread::spawn(write);
}

/// A shell that leads the command's process group and ends the group when the pipe to it is closed:
/// by us, or because we ended, however that came about. Only the group's leader can be sure that
/// its number still means this group.
struct Guard(Child);

impl Guard {
    /// `None` where there is no such shell: then only the command itself is ended.
    #[cfg(unix)]
    fn start() -> Option<Guard> {
        use std::os::unix::process::CommandExt;
        Command::new("/bin/sh")
            .args(["-c", "read end; kill -s KILL 0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .ok()
            .map(Guard)
    }

    #[cfg(not(unix))]
    fn start() -> Option<Guard> {
        None
    }

    #[cfg(unix)]
    fn adopt(&self, command: &mut Command) {
        use std::os::unix::process::CommandExt;
        if let Ok(group) = i32::try_from(self.0.id()) {
            command.process_group(group);
        }
    }

    #[cfg(not(unix))]
    fn adopt(&self, _: &mut Command) {}
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
