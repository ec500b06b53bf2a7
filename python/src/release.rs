//! Releases: the work on threads without the interpreter's lock, this one watching for Ctrl-C.

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use lastbit_release::engine::query::{Answer, Query, Sealed};
use lastbit_release::engine::{
    Engine, EngineError, EngineFailure, MemoryEngine, MemoryTable, Options, Progress, SqlEngine,
    for_plan_until,
};
use lastbit_release::ledger::{Ledger, LedgerError};
use lastbit_release::plan::{FileFormat, Files, Plan, Source};
use lastbit_release::release::{ReleaseError, Released, release as released, release_in};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyRecordBatchReader;

use crate::error::{self, DataError, PlanError};
use crate::plan::NativePlan;
use crate::report::NativeReport;
use crate::session::{self, Answering, Asked, Statement};

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Progress is counted in so many parts.
const PARTS: f64 = 10_000.0;

/// A table in memory.
#[pyclass(frozen, module = "lastbit._lastbit")]
pub struct NativeTable {
    table: MemoryTable,
}

#[pymethods]
impl NativeTable {
    /// From a capsule of Arrow's C stream interface, without copies. The stream is drained without
    /// the interpreter's lock; between two batches signals are looked for.
    #[new]
    fn new(py: Python<'_>, capsule: &Bound<'_, PyCapsule>) -> PyResult<NativeTable> {
        let reader = PyRecordBatchReader::from_arrow_pycapsule(capsule);
        let mut reader = reader
            .and_then(PyRecordBatchReader::into_reader)
            .map_err(|error| stopped(&error.to_string()))?;
        let schema = reader.schema();
        let mut batches = Vec::new();
        loop {
            // By a mutable reference, which may go to another thread; the stream is not shared.
            let stream = &mut reader;
            // A batch of other types than the stream has told ends in a panic of its reader.
            let next = py.detach(move || panic::catch_unwind(AssertUnwindSafe(|| stream.next())));
            py.check_signals()?;
            match next {
                Ok(Some(Ok(batch))) => batches.push(batch),
                Ok(Some(Err(error))) => return Err(stopped(&error.to_string())),
                Ok(None) => break,
                Err(_) => return Err(stopped("a panic")),
            }
        }
        let table = py.detach(|| MemoryTable::new(schema, batches));
        let table = table.map_err(|error| error::data(&error))?;
        Ok(NativeTable { table })
    }
}

/// A stream that ended early. Whoever makes it could quote a cell, so its words are not told; but
/// Ctrl-C inside of a generator of Python is only known by them.
fn stopped(words: &str) -> PyErr {
    match words.contains("KeyboardInterrupt") {
        true => PyKeyboardInterrupt::new_err(()),
        false => DataError::new_err(
            "the data frame could not be read: its library stopped with an error; collect it into \
             memory first to see which",
        ),
    }
}

/// What the thread that works says to the one of Python.
pub enum Message {
    /// A session is asked.
    Statement(Statement),
    /// It ended.
    Done(Box<Result<Released, ReleaseError>>),
}

/// Data that are not those which the plan names.
enum Given {
    /// A table in memory.
    Table(MemoryTable),
    /// Rows that a session of Python knows.
    Session(Asked),
}

/// An engine that is asked nothing more after somebody asked to stop.
struct Stoppable {
    engine: Box<dyn Engine>,
    stop: Arc<AtomicBool>,
}

impl Stoppable {
    /// For what was given, or the rows of the plan.
    fn new(
        plan: &Plan,
        given: Option<Given>,
        stop: Arc<AtomicBool>,
    ) -> Result<Stoppable, EngineFailure> {
        let engine: Box<dyn Engine> = match given {
            Some(Given::Table(table)) => Box::new(MemoryEngine {
                table,
                options: Options::default(),
                stop: Arc::clone(&stop),
            }),
            Some(Given::Session(asked)) => {
                let engine = SqlEngine::new(asked.session, asked.dialect, asked.relation);
                Box::new(engine.until(Arc::clone(&stop)))
            }
            None => for_plan_until(plan, Arc::clone(&stop))?,
        };
        Ok(Stoppable { engine, stop })
    }

    fn go_on(&self) -> Result<(), EngineError> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(EngineError::Stopped),
            false => Ok(()),
        }
    }
}

impl Engine for Stoppable {
    fn fingerprint(&self, query: &Query) -> Result<String, EngineFailure> {
        self.go_on()?;
        let hash = self.engine.fingerprint(query);
        // Nothing is spent before the last fingerprint.
        self.go_on()?;
        hash
    }

    fn check(&self, query: &Query) -> Result<(), EngineFailure> {
        self.engine.check(query)
    }

    fn scan(&self, query: &Query, progress: Progress) -> Result<Sealed<Answer>, EngineFailure> {
        self.engine.scan(query, progress)
    }

    fn note(&self) -> Option<String> {
        self.engine.note()
    }
}

/// Releases a plan: through the ledger at a path, or the one of a directory; about a table, the
/// rows of a session, other files, or the plan's own. The report, and the row and time of an
/// earlier release if it was one. `progress` is told now and then which part was read.
#[pyfunction]
#[pyo3(signature = (
    plan, ledger, in_directory, table=None, session=None, files=None, progress=None
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn release(
    py: Python<'_>,
    plan: &NativePlan,
    ledger: PathBuf,
    in_directory: bool,
    table: Option<&NativeTable>,
    session: Option<&Bound<'_, PyAny>>,
    files: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(NativeReport, Option<(i64, String)>)> {
    let mut plan: Plan = plan.plan.clone();
    if let Some(files) = files {
        let given = Files::of_file(files).map_err(|error| {
            // Its place would be one in a plan that nobody wrote.
            PlanError::new_err(error.message().to_owned())
        })?;
        let format = match plan.source.files() {
            Some(own) => written(&own.format, given.format.clone()),
            None => given.format.clone(),
        };
        plan.source = Source::Files(Files { format, ..given });
    }
    let stop = Arc::new(AtomicBool::new(false));
    let (send, mut receive) = channel();
    let mut given = table.map(|table| Given::Table(table.table.clone()));
    let mut answering = None;
    if let Some(object) = session {
        let (asked, answers) = session::open(object, &plan, send.clone())?;
        given = Some(Given::Session(asked));
        answering = Some(answers);
    }
    let stopped = Arc::clone(&stop);
    let part = Arc::new(AtomicU64::new(0));
    let told = Arc::clone(&part);
    let tell: Progress = Arc::new(move |_, fraction| {
        if let Some(fraction) = fraction {
            told.store((fraction * PARTS) as u64, Ordering::Relaxed);
        }
    });
    let work = thread::Builder::new().name("lastbit release".to_owned());
    let work = work.spawn(move || {
        // Opened here: a session with a database may have to wait for it.
        let engine = Stoppable::new(&plan, given, stopped).map_err(ReleaseError::Engine);
        let done = engine.and_then(|engine| match in_directory {
            true => release_in(&plan, &ledger, &engine, tell),
            false => released(&plan, &ledger, &engine, tell),
        });
        // Nobody waits if the interpreter ends.
        let _ = send.send(Message::Done(Box::new(done)));
    })?;
    let mut interrupted: Option<PyErr> = None;
    let done = loop {
        // By a mutable reference, which may go to another thread; the receiver is not shared.
        let receive = &mut receive;
        let next = py.detach(move || {
            receive
                .recv_timeout(LOOK)
                .map_err(|error| error == RecvTimeoutError::Timeout)
        });
        let mut asked = Ok(());
        match next {
            Ok(Message::Done(done)) => break *done,
            Ok(Message::Statement(statement)) => match &mut answering {
                Some(answering) if interrupted.is_none() => asked = answering.answer(&statement),
                _ => statement.refuse(),
            },
            Err(true) => {}
            Err(false) => {
                return Err(PyRuntimeError::new_err(
                    "this is a fault of lastbit: a thread failed; report it",
                ));
            }
        }
        if interrupted.is_none() {
            let looked = asked
                .and_then(|()| py.check_signals())
                .and_then(|()| match progress {
                    None => Ok(()),
                    Some(progress) => progress
                        .call1((part.load(Ordering::Relaxed) as f64 / PARTS,))
                        .map(|_| ()),
                });
            if let Err(error) = looked {
                // What is reserved by now is finished, so that what was paid for is in the ledger.
                stop.store(true, Ordering::Relaxed);
                interrupted = Some(error);
            }
        }
    };
    // It has sent all it had to say.
    let _ = py.detach(|| work.join());
    if let Some(interrupted) = interrupted {
        return Err(interrupted);
    }
    let raised = answering.and_then(Answering::raised);
    let done = done.map_err(|error| match (&error, raised) {
        (ReleaseError::Engine(_), Some(raised)) => DataError::new_err(format!(
            "{error}; the session raised {raised}, whose words are not shown"
        )),
        _ => error::release(py, &error),
    })?;
    Ok(match done {
        Released::New(report) => (NativeReport { report: *report }, None),
        Released::Stored { report, row, time } => {
            (NativeReport { report: *report }, Some((row, time)))
        }
    })
}

/// How other files are written: as their name says, but with the plan's own marks between and
/// around cells.
fn written(plan: &FileFormat, named: FileFormat) -> FileFormat {
    match (plan, named) {
        (
            FileFormat::Csv {
                delimiter, quote, ..
            },
            FileFormat::Csv {
                delimiter: usual,
                gzip,
                ..
            },
        ) => FileFormat::Csv {
            delimiter: match delimiter {
                b',' | b'\t' => usual,
                chosen => *chosen,
            },
            quote: *quote,
            gzip,
        },
        (_, named) => named,
    }
}

/// A loss: its measure, its main part, δ, and all of it in words.
type Told = (String, String, String, String);

/// The budget of a ledger, what was spent and what is left, each as (measure, loss, δ, words);
/// nothing if there is no ledger yet.
#[pyfunction]
pub fn ledger_state(path: PathBuf) -> PyResult<Option<[Told; 3]>> {
    let ledger = match Ledger::view(&path) {
        Ok(ledger) => ledger,
        Err(LedgerError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error::ledger(&error)),
    };
    let account = ledger.account();
    let told = |loss: &lastbit_release::loss::Loss| {
        (
            loss.measure.name().to_owned(),
            loss.main.to_string(),
            loss.delta.to_string(),
            loss.to_string(),
        )
    };
    Ok(Some([
        told(&account.budget),
        told(&account.spent),
        told(&account.remaining()),
    ]))
}
