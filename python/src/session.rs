//! Sessions that Python objects give: each statement is run by an object's `rows`, on the thread of
//! Python that asked for the release.

use std::sync::mpsc::{Sender, channel};

use lastbit_release::engine::session::{Session, SessionError, SessionProblem};
use lastbit_release::engine::sql::{Dialect, Relation, Rows, dialect};
use lastbit_release::plan::{Plan, Source};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use crate::error::{parameter, taken};
use crate::release::Message;

/// A statement, and where its answer goes.
pub struct Statement {
    sql: String,
    answer: Sender<Result<Rows, SessionError>>,
}

/// The end of a session that an engine holds, on a thread without Python.
pub struct Asking {
    thread: Sender<Message>,
    is_snapshot: bool,
}

impl Session for Asking {
    fn rows(&mut self, sql: &str) -> Result<Rows, SessionError> {
        let lost = || SessionError::new(SessionProblem::Lost);
        let (answer, answered) = channel();
        let sql = sql.to_owned();
        let statement = Message::Statement(Statement { sql, answer });
        self.thread.send(statement).map_err(|_| lost())?;
        answered.recv().map_err(|_| lost())?
    }

    fn is_snapshot(&self) -> bool {
        self.is_snapshot
    }
}

/// The end of a session that holds the object of Python.
pub struct Answering<'py> {
    rows: Bound<'py, PyAny>,
    /// What the object raised last: the name of its type.
    raised: Option<String>,
}

impl Statement {
    /// Does not run it, after somebody asked to stop.
    pub fn refuse(&self) {
        let cancelled = SessionError::new(SessionProblem::Cancelled);
        let _ = self.answer.send(Err(cancelled));
    }
}

/// What the engine of a session is made of.
pub struct Asked {
    pub session: Asking,
    pub dialect: &'static dyn Dialect,
    pub relation: Relation,
}

/// A session of an object with `rows`, `dialect`, `table` (nothing for that of the plan) and
/// `is_snapshot`, whose statements are sent to `thread`.
pub fn open<'py>(
    object: &Bound<'py, PyAny>,
    plan: &Plan,
    thread: Sender<Message>,
) -> PyResult<(Asked, Answering<'py>)> {
    let word: String = taken("dialect", "a text", &object.getattr("dialect")?)?;
    let dialect = match word.as_str() {
        "sqlite" => Err(parameter(
            "statements in SQLite call functions that only lastbit's own session has; name the \
             file in the plan, source={\"database\": \"sqlite:FILE\", \"table\": …}",
        )),
        word => dialect(word).ok_or_else(|| {
            parameter("there is no such dialect; take \"postgresql\", \"duckdb\" or \"spark\"")
        }),
    }?;
    let table: Option<Vec<String>> = taken(
        "table",
        "the parts of a name, such as [\"schema\", \"visits\"]",
        &object.getattr("table")?,
    )?;
    let relation = match (table, &plan.source) {
        (Some(parts), _) => Relation::Table(parts),
        (None, Source::Database(database)) => {
            if database.dialect().name() != dialect.name() {
                return Err(parameter(format!(
                    "the plan's source is of {}, and the session speaks {}; say which table the \
                     session has, or change the source",
                    database.dialect().name(),
                    dialect.name()
                )));
            }
            database.relation()
        }
        (None, _) => {
            return Err(parameter(
                "the session does not say which table is meant, and the plan's source is no \
                 database; give the session a `table`",
            ));
        }
    };
    let is_snapshot = object.getattr("is_snapshot")?.is_truthy()?;
    let session = Asking {
        thread,
        is_snapshot,
    };
    let answering = Answering {
        rows: object.getattr("rows")?,
        raised: None,
    };
    let asked = Asked {
        session,
        dialect,
        relation,
    };
    Ok((asked, answering))
}

impl Answering<'_> {
    /// Runs a statement. What is no failure of the object, such as Ctrl-C, is raised.
    pub fn answer(&mut self, statement: &Statement) -> PyResult<()> {
        let (answer, interrupted) = match self.run(&statement.sql) {
            Ok(rows) => (Ok(rows), Ok(())),
            Err(error) if error.is_instance_of::<PyException>(self.rows.py()) => {
                (Err(self.failed(&error)), Ok(()))
            }
            Err(interrupt) => (
                Err(SessionError::new(SessionProblem::Cancelled)),
                Err(interrupt),
            ),
        };
        // Nobody waits if the release ended meanwhile.
        let _ = statement.answer.send(answer);
        interrupted
    }

    /// What the object raised last: the name of its type.
    pub fn raised(self) -> Option<String> {
        self.raised
    }

    fn run(&self, sql: &str) -> PyResult<Rows> {
        let found = self.rows.call1((sql,))?;
        let mut rows = Rows::new();
        for row in found.try_iter()? {
            let mut cells = Vec::new();
            for cell in row?.try_iter()? {
                cells.push(cell?.extract()?);
            }
            rows.push(cells);
        }
        Ok(rows)
    }

    /// The code of an error of Python; its words could quote a cell.
    fn failed(&mut self, error: &PyErr) -> SessionError {
        let value = error.value(self.rows.py());
        self.raised = value.get_type().name().and_then(|name| name.extract()).ok();
        let state = value
            .getattr("sqlstate")
            .or_else(|_| value.call_method0("getSqlState"))
            .and_then(|state| state.extract::<String>());
        match state {
            Ok(state) => SessionError::of_sqlstate(&state),
            Err(_) => SessionError::new(SessionProblem::Other),
        }
    }
}
