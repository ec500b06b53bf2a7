//! What differs between databases.

/// The type of a column, as far as reading its cells differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellType {
    /// Whole numbers of at most 64 bits.
    Integer,
    /// Doubles.
    Float,
    /// Floats of 32 bits.
    Float32,
    /// Decimals.
    Decimal,
    /// True or false.
    Boolean,
    /// Texts.
    Text,
    /// Days.
    Date,
    /// Microseconds of UTC, or of a clock without a zone.
    Timestamp,
    /// Every cell has its own type, as in SQLite.
    Dynamic,
}

/// How a database writes what queries need.
pub trait Dialect: Sync {
    /// The name by which it is asked for.
    fn name(&self) -> &'static str;
}

/// All dialects.
pub fn dialects() -> &'static [&'static dyn Dialect] {
    &[]
}

/// A dialect by its name.
pub fn dialect(name: &str) -> Option<&'static dyn Dialect> {
    dialects().iter().copied().find(|one| one.name() == name)
}
