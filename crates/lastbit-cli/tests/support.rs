//! The built command, and a directory to run it in.
#![cfg_attr(not(feature = "engine"), allow(dead_code))] // Without the engine there is less to test.

use std::fs;
use std::io::Write;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A fresh directory.
pub struct Here(TempDir);

/// What a command did.
#[derive(Debug)]
pub struct Done {
    /// The exit status; none if a signal ended it.
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A plan that spends all of ε = 1 on a count and a histogram with an edge at `edge`: plans with
/// different edges are different releases.
pub fn plan(edge: u32) -> String {
    format!(
        r#"
title = "People"
[source]
files = "people.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.age]
edges = [0, {edge}, 100]
[[statistics]]
name = "people"
kind = "count"
[[statistics]]
name = "ages"
kind = "histogram"
of = "age"
"#
    )
}

/// The count of all rows in [`plan`], which is public under change-one.
pub const PEOPLE: &str = "[[statistics]]\nname = \"people\"\nkind = \"count\"\n";

/// Runs the command, which needs no directory of its own.
pub fn run(arguments: &[&str]) -> Done {
    Done::of(command(arguments))
}

/// Runs the command with this input; it must end within a minute and print little.
pub fn run_with(arguments: &[&str], input: &str) -> Done {
    Done::of_input(command(arguments), input)
}

/// The command; colours are what a test says, wherever it runs.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = plain(Command::new(env!("CARGO_BIN_EXE_lastbit")));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Without what may ask for colours, or forbid them.
fn plain(mut command: Command) -> Command {
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(name);
    }
    command
}

impl Here {
    /// With nothing in it.
    pub fn empty() -> Here {
        Here(tempfile::tempdir().unwrap())
    }

    /// With `people.csv` and `plan.toml`.
    pub fn new() -> Here {
        let here = Here::empty();
        let rows: String = (0..500).map(|i| format!("{}\n", i % 97)).collect();
        here.write("people.csv", format!("age\n{rows}"));
        here.write("plan.toml", plan(50));
        here
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, name: impl AsRef<Path>) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The permissions of a file.
    #[cfg(unix)]
    pub fn mode(&self, name: impl AsRef<Path>) -> u32 {
        fs::metadata(self.path(name)).unwrap().mode() & 0o777
    }

    #[cfg(unix)]
    pub fn set_mode(&self, name: impl AsRef<Path>, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The names of all files, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The command in this directory.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command
            .current_dir(self.0.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Done {
        Done::of(self.command(arguments))
    }

    /// Runs the command, which must end within a minute and print little.
    pub fn run_soon(&self, arguments: &[&str]) -> Done {
        self.run_with(arguments, "")
    }

    /// Runs the command with this input; it must end within a minute and print little.
    pub fn run_with(&self, arguments: &[&str], input: &str) -> Done {
        Done::of_input(self.command(arguments), input)
    }

    /// Runs a line of the shell, in which `lastbit` is the command.
    pub fn shell(&self, line: &str) -> Done {
        let program = env!("CARGO_BIN_EXE_lastbit");
        let mut command = plain(Command::new("sh"));
        command
            .args([
                "-c",
                &format!("lastbit() {{ \"{program}\" \"$@\"; }}; {line}"),
            ])
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        Done::of(command)
    }

    #[cfg(unix)]
    /// Runs the command as somebody who is not the owner of these files, and for whom permissions
    /// hold even if the tests run as root.
    pub fn run_as_other(&self, arguments: &[&str]) -> Done {
        let root = fs::metadata("/proc/self").unwrap().uid() == 0;
        if !root {
            return self.run(arguments);
        }
        // The build directory may be closed to others.
        let program = self.path("lastbit-for-others");
        // Copied by another process: a file that this one writes may be inherited by a child of
        // another thread, and cannot be run then.
        let copied = Command::new("cp")
            .args([env!("CARGO_BIN_EXE_lastbit").as_ref(), program.as_os_str()])
            .status();
        assert!(copied.is_ok_and(|status| status.success()));
        self.set_mode("lastbit-for-others", 0o755);
        let mut command = plain(Command::new(program));
        command.args(arguments).current_dir(self.0.path());
        command.uid(65_534).gid(65_534);
        Done::of(command)
    }

    /// Releases `plan.toml` into `lastbit.ledger`.
    pub fn release(&self) -> Done {
        self.run(&["release", "plan.toml", "--ledger", "lastbit.ledger"])
            .succeeded()
    }

    /// What was spent of a ledger, as a text; nothing if it is not there.
    pub fn spent(&self, ledger: &str) -> Option<String> {
        if !self.path(ledger).exists() {
            return None;
        }
        let shown = self.run(&["ledger", "show", ledger, "--json"]).succeeded();
        let shown: Value = serde_json::from_str(&shown.out).unwrap();
        Some(
            shown["spent"]["exact"]["epsilon"]
                .as_str()
                .unwrap()
                .to_owned(),
        )
    }
}

impl Done {
    pub fn of(mut command: Command) -> Done {
        Done::from(command.output().unwrap())
    }

    /// Nobody reads the output before the end: more than a pipe holds would wait forever.
    fn of_input(mut command: Command, input: &str) -> Done {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that does not read its input closes the pipe.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let until = Instant::now() + Duration::from_secs(60);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > until {
                child.kill().unwrap();
                panic!("{command:?} hangs");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Done::from(child.wait_with_output().unwrap())
    }

    #[track_caller]
    pub fn succeeded(self) -> Done {
        assert_eq!(self.status, Some(0), "{}{}", self.out, self.err);
        self
    }

    /// Failed, with these words on standard error.
    #[track_caller]
    pub fn failed(&self, words: &str) {
        assert_eq!(self.status, Some(1), "{}{}", self.out, self.err);
        assert!(self.err.contains(words), "{}", self.err);
    }

    /// Failed, with these words on standard error and nothing on standard output.
    #[track_caller]
    pub fn refused(self, words: &str) -> Done {
        self.failed(words);
        assert_eq!(self.out, "");
        self
    }

    /// What was printed, as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Done {
        Done {
            status: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// What a report in JSON says, without its receipt.
pub fn numbers(report: &str) -> Vec<Option<String>> {
    let report: Value = serde_json::from_str(report).unwrap();
    let cells = report["statistics"].as_array().unwrap().iter();
    cells
        .flat_map(|statistic| statistic["cells"].as_array().unwrap())
        .map(|cell| cell["value"].as_str().map(str::to_owned))
        .collect()
}
