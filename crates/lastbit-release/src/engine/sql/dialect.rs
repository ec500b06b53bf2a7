//! What differs between databases: how names and literals are quoted, what functions are called,
//! what raises and what wraps.
//!
//! Everything here is text for one expression. Its arguments are columns or literals, so that a
//! template may name them more than once.

use super::SqlError;
use super::datafusion::DataFusion;
use super::duckdb::DuckDb;
use super::postgresql::PostgreSql;
use super::spark::Spark;
use super::sqlite::Sqlite;
use crate::expression::{ArithmeticOperator, Piece, Type};
use crate::schema::DatabaseSystem;

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

impl CellType {
    /// All types that columns of databases with types have, by the words that a person writes.
    pub const NAMES: [(&'static str, CellType); 8] = [
        ("integer", CellType::Integer),
        ("double", CellType::Float),
        ("float", CellType::Float32),
        ("decimal", CellType::Decimal),
        ("boolean", CellType::Boolean),
        ("text", CellType::Text),
        ("date", CellType::Date),
        ("timestamp", CellType::Timestamp),
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        let found = CellType::NAMES.iter().find(|(_, one)| *one == self);
        found.map_or("any type", |(word, _)| word)
    }
}

/// How a database writes what queries need. A dialect is one file; `docs/engines.md` says how to
/// add one.
pub trait Dialect: Sync {
    /// The name by which it is asked for.
    fn name(&self) -> &'static str;

    /// The sort of column that a type is, by the name that [`Dialect::type_of`] gives; `None` for
    /// one whose cells cannot be read.
    fn cell_type(&self, name: &str) -> Option<CellType>;

    /// The name of a column's type, whatever is in it.
    fn type_of(&self, column: &str) -> String;

    /// A name, so that nothing in it ends it.
    fn identifier(&self, name: &str) -> Result<String, SqlError> {
        let bad = name.is_empty() || name.contains('\0');
        match bad {
            true => Err(SqlError::unsupported(
                self.name(),
                "a name that is empty or holds NUL",
            )),
            false => Ok(format!("\"{}\"", name.replace('"', "\"\""))),
        }
    }

    /// A text, so that nothing in it ends it.
    fn literal(&self, text: &str) -> Result<String, SqlError> {
        match text.contains('\0') {
            true => Err(SqlError::unsupported(self.name(), "a text that holds NUL")),
            false => Ok(format!("'{}'", text.replace('\'', "''"))),
        }
    }

    /// The query of a source, whose names stand in double quotes and texts in single ones.
    fn query(&self, text: &str) -> Result<String, SqlError> {
        Ok(text.to_owned())
    }

    /// A double that is not NaN, exactly.
    fn double(&self, number: f64) -> String;

    /// The type of texts.
    fn text_type(&self) -> &'static str {
        "TEXT"
    }

    /// The type of whole numbers of 64 bits.
    fn integer_type(&self) -> &'static str {
        "BIGINT"
    }

    /// The type of doubles.
    fn double_type(&self) -> &'static str {
        "DOUBLE"
    }

    /// What is written after a text for the order of its bytes, and for equality of nothing but
    /// equal bytes.
    fn binary(&self, text: &str) -> String {
        text.to_owned()
    }

    /// What ends a `select` whose expressions must not be copied into those that use them.
    fn fence(&self) -> &'static str {
        ""
    }

    /// Whether a sub-select of one row in a branch of a `CASE` is computed only for rows that take
    /// the branch.
    fn defers(&self) -> bool {
        false
    }

    /// How the columns of `VALUES` are called, from 1.
    fn values_column(&self, place: usize) -> String {
        format!("column{place}")
    }

    /// What a cell of any type is as a value, where the session has a function for it.
    fn reader(&self, _as: Type, _cell: &str) -> Option<String> {
        None
    }

    /// SHA-256 in small hexadecimal digits.
    fn sha256(&self, text: &str) -> String;

    /// SHA-256 as something that is sorted as its digits are.
    fn rank(&self, text: &str) -> String {
        self.sha256(text)
    }

    /// What is written before the parentheses of a `WITH` that is used twice and must not be
    /// computed twice, where it would be.
    fn once(&self) -> &'static str {
        ""
    }

    /// Whether every use of a `WITH` is planned and computed anew, so that statements use each as
    /// seldom as they can.
    fn copies(&self) -> bool {
        false
    }

    /// What repeats each row before it with the whole numbers from 0 to `last` as `part`, where
    /// rows that are used once more would be computed once more.
    fn numbered(&self, _last: usize) -> Option<String> {
        None
    }

    /// The first 60 bits of a [`Dialect::rank`], as a whole number.
    fn first_60_bits(&self, hash: &str) -> String;

    /// How many bytes.
    fn bytes(&self, text: &str) -> String {
        format!("octet_length({text})")
    }

    /// How many characters.
    fn characters(&self, text: &str) -> String {
        format!("length({text})")
    }

    /// Without the 25 white spaces of Unicode at both ends.
    fn trim(&self, text: &str) -> String;

    /// Without some character at the start.
    fn trim_start(&self, text: &str, character: char) -> String {
        format!("ltrim({text}, '{character}')")
    }

    /// Without some character at the end.
    fn trim_end(&self, text: &str, character: char) -> String {
        format!("rtrim({text}, '{character}')")
    }

    /// Whether all of a text has a pattern, a regular expression of what all engines know.
    fn matches(&self, text: &str, pattern: &str) -> String;

    /// What the parentheses of a pattern match, or an empty text.
    fn extract(&self, text: &str, pattern: &str) -> String;

    /// Where a character first is, from 1; 0 if it is not there.
    fn position(&self, text: &str, character: char) -> String {
        format!("strpos({text}, '{character}')")
    }

    /// Letters of one row for those of another.
    fn translate(&self, text: &str, from: &str, to: &str) -> String {
        format!("translate({text}, '{from}', '{to}')")
    }

    /// Whether a text has a pattern of `like`.
    fn like(&self, text: &str, pattern: &[Piece]) -> Result<String, SqlError> {
        let mut written = String::new();
        for piece in pattern {
            match piece {
                Piece::Any => written.push('%'),
                Piece::One => written.push('_'),
                Piece::Text(text) => {
                    for c in text.chars() {
                        if matches!(c, '%' | '_' | '!') {
                            written.push('!');
                        }
                        written.push(c);
                    }
                }
            }
        }
        Ok(format!(
            "({text} LIKE {} ESCAPE '!')",
            self.literal(&written)?
        ))
    }

    /// The whole number that divides nonnegative whole numbers, without its fraction.
    fn quotient(&self, a: &str, b: i64) -> String {
        format!("({a} / {b})")
    }

    /// The quotient of two columns of nonnegative whole numbers, without its fraction.
    fn quotient_of(&self, a: &str, b: &str) -> String {
        format!("({a} / {b})")
    }

    /// The greatest whole number that is not above a double of at most 2^52.
    fn floor(&self, number: &str) -> String {
        format!("floor({number})")
    }

    /// The square root of a number that is not negative.
    fn sqrt(&self, number: &str) -> Result<String, SqlError> {
        Ok(format!("sqrt({number})"))
    }

    /// A number, or null where it is not finite.
    fn finite(&self, number: &str) -> String {
        let [up, down] = [f64::INFINITY, f64::NEG_INFINITY].map(|end| self.double(end));
        let nan = format!("CAST('NaN' AS {})", self.double_type());
        format!("nullif(nullif(nullif({number}, {up}), {down}), {nan})")
    }

    /// Arithmetic of doubles, null where the result is not finite.
    fn arithmetic(
        &self,
        operator: ArithmeticOperator,
        a: &str,
        b: &str,
    ) -> Result<String, SqlError> {
        let sign = match operator {
            ArithmeticOperator::Add => "+",
            ArithmeticOperator::Subtract => "-",
            ArithmeticOperator::Multiply => "*",
            ArithmeticOperator::Divide => "/",
            ArithmeticOperator::Remainder => "%",
        };
        let result = self.finite(&format!("({a} {sign} {b})"));
        Ok(match operator {
            ArithmeticOperator::Divide | ArithmeticOperator::Remainder => {
                format!("CASE WHEN {b} <> 0 THEN {result} END")
            }
            _ => result,
        })
    }

    /// The double nearest to what a text says that has the form of a decimal number.
    fn decimal_text(&self, text: &str) -> String {
        format!("CAST({text} AS {})", self.double_type())
    }

    /// The double nearest to a decimal.
    fn decimal(&self, cell: &str) -> String {
        format!("CAST({cell} AS {})", self.double_type())
    }

    /// The days of a date since 1970, null if it is no day.
    fn days(&self, cell: &str) -> String;

    /// The microseconds of a timestamp since 1970, null if it is no time.
    fn microseconds(&self, cell: &str) -> String;

    /// The exact sum of whole numbers below 2^62 over at most 2^40 rows, as aggregates that are
    /// multiplied by powers of two and added. `sum` adds up those of parts of the rows.
    fn sum(&self, number: &str) -> Vec<(String, u32)>;

    /// The same of whole numbers below a power of two, where that is cheaper.
    fn sum_below(&self, number: &str, _bits: u32) -> Vec<(String, u32)> {
        self.sum(number)
    }
}

/// All dialects.
pub fn dialects() -> &'static [&'static dyn Dialect] {
    &[&PostgreSql, &DuckDb, &Sqlite, &Spark, &DataFusion]
}

/// The dialect of a system that plans name.
pub fn dialect_of(system: DatabaseSystem) -> &'static dyn Dialect {
    match system {
        DatabaseSystem::PostgreSql => &PostgreSql,
        DatabaseSystem::DuckDb => &DuckDb,
        DatabaseSystem::Sqlite => &Sqlite,
        DatabaseSystem::Spark => &Spark,
    }
}

/// A dialect by its name.
pub fn dialect(name: &str) -> Option<&'static dyn Dialect> {
    dialects().iter().copied().find(|one| one.name() == name)
}

/// The white spaces of Unicode.
pub(super) const SPACES: [char; 25] = [
    '\t', '\n', '\u{b}', '\u{c}', '\r', ' ', '\u{85}', '\u{a0}', '\u{1680}', '\u{2000}',
    '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}', '\u{2007}', '\u{2008}',
    '\u{2009}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}', '\u{205f}', '\u{3000}',
];

/// A double as the shortest digits that read back as it, always with an exponent.
pub(super) fn digits(number: f64) -> String {
    match number < 0.0 {
        true => format!("({number:e})"),
        false => format!("{:e}", number + 0.0),
    }
}

/// The spaces as calls of a function of code points, and one text of those between.
pub(super) fn spaces_by(function: &str) -> String {
    let each = SPACES.iter().map(|c| match c {
        ' ' => "' '".to_owned(),
        c => format!("{function}({})", u32::from(*c)),
    });
    format!("({})", each.collect::<Vec<_>>().join(" || "))
}

/// A whole number from the first 15 hexadecimal digits of a text, where no function reads them.
pub(super) fn hex_number(hash: &str) -> String {
    let digit = |place: u32| {
        let power = 1i64 << (4 * (15 - place));
        format!("(strpos('0123456789abcdef', substr({hash}, {place}, 1)) - 1) * {power}")
    };
    let digits: Vec<String> = (1..=15).map(digit).collect();
    format!("({})", digits.join(" + "))
}
