//! Sessions: what runs statements in a database and hands back texts.
//!
//! `connect` opens one for the database of a plan. Whoever has another way to a database implements
//! [`Session`] and hands it to an [`SqlEngine`](crate::engine::SqlEngine).

#[cfg(feature = "databases")]
mod adbc;
#[cfg(feature = "databases")]
mod connect;
mod error;
#[cfg(feature = "databases")]
mod spark;
#[cfg(feature = "databases")]
mod sqlite;

#[cfg(feature = "databases")]
pub use connect::{ConnectError, connect};
pub use error::{SessionError, SessionProblem};
#[cfg(feature = "databases")]
pub use sqlite::SqliteSession;

use super::sql::Rows;

/// A connection to a database, on which statements that only read are run one after another.
pub trait Session: Send {
    /// The rows of one statement, whose columns are all texts.
    fn rows(&mut self, sql: &str) -> Result<Rows, SessionError>;

    /// The same, and says now and then which part of the statement is done, from 0 to 1.
    fn rows_watched(
        &mut self,
        sql: &str,
        _watch: &mut dyn FnMut(f64),
    ) -> Result<Rows, SessionError> {
        self.rows(sql)
    }

    /// Whether every statement of this session sees the same data, whatever others write meanwhile.
    /// Where they do not, the data are fingerprinted again after they were read, and the report
    /// says that this is all that was done.
    fn is_snapshot(&self) -> bool;
}

impl<S: Session + ?Sized> Session for Box<S> {
    fn rows(&mut self, sql: &str) -> Result<Rows, SessionError> {
        (**self).rows(sql)
    }

    fn rows_watched(
        &mut self,
        sql: &str,
        watch: &mut dyn FnMut(f64),
    ) -> Result<Rows, SessionError> {
        (**self).rows_watched(sql, watch)
    }

    fn is_snapshot(&self) -> bool {
        (**self).is_snapshot()
    }
}
