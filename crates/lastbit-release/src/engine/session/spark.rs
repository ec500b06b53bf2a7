//! Apache Spark by way of `pyspark`, in a Python that this starts.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::connect::ConnectError;
use super::{Session, SessionError, SessionProblem};
use crate::engine::sql::Rows;
use crate::schema::SparkAddress;

/// What the Python runs.
const PROGRAM: &str = include_str!("spark.py");

/// Which Python, if it is not `python3`.
const PYTHON: &str = "LASTBIT_PYTHON";

/// How long a Python may take to end once nobody needs it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A session of Spark, on a cluster or in this machine.
pub(super) struct SparkSession {
    child: Child,
    /// Its end ends the Python, and that what Spark has started.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// A line that the Python says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Rows {
        rows: Rows,
    },
    Problem {
        problem: String,
        #[serde(default)]
        state: Option<String>,
    },
    Stages {
        stages: f64,
    },
    Ready {
        #[allow(dead_code, reason = "there is only one thing it says")]
        ready: bool,
    },
}

impl SparkSession {
    /// Starts a session.
    pub(super) fn open(address: &SparkAddress) -> Result<SparkSession, ConnectError> {
        let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
        let mut child = Command::new(python)
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|_| ConnectError::NoSpark)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(ConnectError::NoSpark);
        };
        let mut session = SparkSession {
            child,
            input: Some(input),
            output: BufReader::new(output),
        };
        let problem = match session.say(&address.master()).and_then(|()| session.said()) {
            Ok(Said::Ready { .. }) => return Ok(session),
            Ok(Said::Problem { problem, .. }) => problem,
            // The Python ended, or is none.
            _ => String::new(),
        };
        Err(match problem.as_str() {
            "unreachable" => SessionError::new(SessionProblem::Unreachable).into(),
            "no workers" => ConnectError::NoWorkers,
            "other texts" => ConnectError::OtherTexts,
            "failed" => SessionError::new(SessionProblem::Other).into(),
            _ => ConnectError::NoSpark,
        })
    }

    fn say(&mut self, text: &str) -> Result<(), SessionError> {
        let lost = || SessionError::new(SessionProblem::Lost);
        let line = serde_json::Value::from(text).to_string() + "\n";
        let input = self.input.as_mut().ok_or_else(lost)?;
        let written = input
            .write_all(line.as_bytes())
            .and_then(|()| input.flush());
        written.map_err(|_| lost())
    }

    fn said(&mut self) -> Result<Said, SessionError> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(length) if length > 0 => {
                serde_json::from_str(&line).map_err(|_| SessionError::new(SessionProblem::Shape))
            }
            _ => Err(SessionError::new(SessionProblem::Lost)),
        }
    }
}

impl Session for SparkSession {
    fn rows(&mut self, sql: &str) -> Result<Rows, SessionError> {
        self.rows_watched(sql, &mut |_| {})
    }

    fn rows_watched(
        &mut self,
        sql: &str,
        watch: &mut dyn FnMut(f64),
    ) -> Result<Rows, SessionError> {
        self.say(sql)?;
        let mut most = 0.0f64;
        loop {
            match self.said()? {
                Said::Rows { rows } => return Ok(rows),
                Said::Stages { stages } => {
                    // How many more there will be is decided on the way. A stage that is computed
                    // again, because a worker was lost, takes nothing back.
                    most = most.max(stages / (stages + 1.0));
                    watch(most);
                }
                Said::Problem { problem, state } => {
                    return Err(match (problem.as_str(), state) {
                        ("lost", _) => SessionError::new(SessionProblem::Lost),
                        // The path of a file that is not there.
                        (_, Some(state)) if state == "42K03" => {
                            SessionError::new(SessionProblem::NoTable)
                                .with_words(format!("SQLSTATE {state}"))
                        }
                        (_, Some(state)) => SessionError::of_sqlstate(&state),
                        (_, None) => SessionError::new(SessionProblem::Other),
                    });
                }
                Said::Ready { .. } => return Err(SessionError::new(SessionProblem::Shape)),
            }
        }
    }

    /// Files and tables of a cluster have none.
    fn is_snapshot(&self) -> bool {
        false
    }
}

impl Drop for SparkSession {
    fn drop(&mut self) {
        drop(self.input.take());
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() > PATIENCE {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
