//! Why a database did not answer. A database quotes cells in its messages, so none of them comes
//! here: only codes do.

use core::fmt;

/// Why a database did not answer, without a word of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionError {
    problem: SessionProblem,
    code: Option<String>,
}

/// What went wrong, as far as a code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionProblem {
    /// The server cannot be reached.
    Unreachable,
    /// The log-in was refused.
    LogIn,
    /// There is no such database.
    NoDatabase,
    /// The connection was lost.
    Lost,
    /// A statement took too long, or somebody cancelled it.
    Cancelled,
    /// A privilege is missing.
    Denied,
    /// There is no such table.
    NoTable,
    /// There is no such column.
    NoColumn,
    /// Somebody else holds a lock.
    Locked,
    /// Memory, disk or connections have run out.
    Resources,
    /// A cell could not be computed with.
    Data,
    /// Something had to be written, and the session only reads.
    ReadOnly,
    /// The file is no database of this kind.
    NotADatabase,
    /// The database did not understand the statement.
    Refused,
    /// The rows have another shape or type than was asked for.
    Shape,
    /// Anything else.
    Other,
}

/// The longest code.
const MOST_CODE: usize = 40;

impl SessionError {
    /// With nothing but a kind of problem.
    pub fn new(problem: SessionProblem) -> SessionError {
        SessionError {
            problem,
            code: None,
        }
    }

    /// With a code that the database gave: one word of capital letters, digits, `_` and `-`, with
    /// at least one that is no letter (`ORA-00942`). Anything else could be a cell, and is left
    /// out.
    pub fn with_code(self, code: &str) -> SessionError {
        let is_code = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_-".contains(c);
        let is_code = code.len() <= MOST_CODE
            && code.chars().all(is_code)
            && code.starts_with(|c: char| c.is_ascii_uppercase())
            && !code.chars().all(|c| c.is_ascii_uppercase());
        match is_code {
            true => self.with_words(code.to_owned()),
            false => self,
        }
    }

    /// With words that are known to hold no cell.
    pub(super) fn with_words(self, words: String) -> SessionError {
        SessionError {
            code: Some(words),
            ..self
        }
    }

    /// By the SQLSTATE of the SQL standard and PostgreSQL, five digits and letters.
    pub fn of_sqlstate(state: &str) -> SessionError {
        use SessionProblem as P;
        let problem = match state {
            "42501" => P::Denied,
            "42P01" | "3F000" => P::NoTable,
            "42703" => P::NoColumn,
            "3D000" => P::NoDatabase,
            "57014" => P::Cancelled,
            "57P01" | "57P02" | "57P05" => P::Lost,
            "57P03" => P::Unreachable,
            "55P03" | "40P01" => P::Locked,
            "25006" => P::ReadOnly,
            _ => match state.get(..2) {
                Some("08") => P::Lost,
                Some("28") => P::LogIn,
                Some("22") => P::Data,
                Some("42") => P::Refused,
                Some("53") => P::Resources,
                _ => P::Other,
            },
        };
        let is_code = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
        let error = SessionError::new(problem);
        let has_digit = state.bytes().any(|byte| byte.is_ascii_digit());
        match state.len() == 5 && has_digit && state.chars().all(is_code) {
            true => error.with_words(format!("SQLSTATE {state}")),
            false => error,
        }
    }

    /// What went wrong.
    pub fn problem(&self) -> SessionProblem {
        self.problem
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SessionProblem as P;
        let (what, remedy) = match self.problem {
            P::Unreachable => (
                "the database cannot be reached",
                "check the address in [source], and that the server runs and takes connections \
                 from here",
            ),
            P::LogIn => (
                "the database refused the log-in",
                "check the user in `database`, and the password in what password_env or \
                 password_file names, PGPASSWORD or ~/.pgpass",
            ),
            P::NoDatabase => (
                "the server has no such database",
                "check the name at the end of `database` in [source]",
            ),
            P::Lost => (
                "the connection to the database was lost",
                "release again when the server runs",
            ),
            P::Cancelled => (
                "the database cancelled a statement, because it took too long or because somebody \
                 asked for it",
                "raise the limit (statement_timeout in PostgreSQL), or release when the server \
                 has less to do",
            ),
            P::Denied => (
                "the database does not let this user read the rows",
                "let its owner GRANT SELECT on the table to the user",
            ),
            P::NoTable => (
                "the database has no such table",
                "names are compared letter by letter: check `table`, `schema` or `query` in \
                 [source]",
            ),
            P::NoColumn => (
                "the table has no such column",
                "names are compared letter by letter: check the columns of the plan",
            ),
            P::Locked => (
                "the database is locked by somebody who writes",
                "release again when nobody writes",
            ),
            P::Resources => (
                "the database has no memory, room or connections left",
                "make room, or ask for fewer groups",
            ),
            P::Data => (
                "a cell could not be computed with",
                "look for it with the rights to see the data; the database's own message is not \
                 shown, since it may quote a cell",
            ),
            P::ReadOnly => (
                "reading the table would write",
                "name a table or a view that only reads",
            ),
            P::NotADatabase => (
                "the file is no such database, or of another version",
                "check the name, and with what the file was made",
            ),
            P::Refused => (
                "the database does not understand the statement",
                "see it with `lastbit sql`; the database may be older than those that are known \
                 to work",
            ),
            P::Shape => (
                "the database answered in another shape than was asked for",
                "check that the driver is the one for this database",
            ),
            P::Other => (
                "the database failed",
                "its own message is not shown, since it may quote a cell; look into its log",
            ),
        };
        f.write_str(what)?;
        if let Some(code) = &self.code {
            write!(f, " ({code})")?;
        }
        write!(f, "; {remedy}")
    }
}

impl std::error::Error for SessionError {}

#[cfg(test)]
mod tests;
