//! Where the rows of a database are.

/// A table, or what a query selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The parts of a table's name, such as a schema and a table.
    Table(Vec<String>),
    /// One `select`, as its author wrote it; whoever makes this has checked that it is one.
    Query(String),
}
