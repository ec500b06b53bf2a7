//! Expressions over the cells of one row: filters and derived columns, in SQL's words with one
//! meaning.
//!
//! A text is parsed as SQL, and becomes a tree of [`Node`]s in which every type is known: its use
//! decides whether a cell is a number, a text, a condition, a date or a timestamp. The tree has one
//! text, and one value for each row, the same in every file format, batch and engine.
//! `docs/expressions.md` says what everything means.
//!
//! An expression uses only one row: two tables that differ in one row still differ in only that row
//! afterwards, so it costs no privacy.

mod build;
pub(crate) mod calendar;
mod declared;
mod draft;
mod error;
mod function;
mod literal;
mod node;
mod operator;
mod parse;
pub(crate) mod print;
mod refused;

use core::fmt;

pub use declared::Declarations;
pub use error::ExpressionError;
pub use node::{ArithmeticOperator, CalendarUnit, Comparison, Function, Node, Piece, Type};
pub(crate) use parse::{Failed, Plain, on_large_stack};

/// The most bytes of an expression.
pub const MOST_BYTES: usize = 16 << 10;

/// The most bytes of a text in an expression, and of a joined text, which is null if it is longer.
pub const MOST_TEXT: usize = 4096;

/// A value of each row. Two are equal if they mean the same, however they are written.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Node,
    columns: Vec<String>,
    written: String,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.node == other.node
    }
}

impl Expression {
    /// A value of any type; a bare cell is a text.
    ///
    /// ```
    /// use lastbit_release::expression::{Expression, Type};
    /// let bmi = Expression::parse("weight / (height * height)")?;
    /// assert_eq!(bmi.kind(), Type::Number);
    /// assert_eq!(bmi.columns(), ["weight", "height"]);
    /// let text = r#"(number("weight") / (number("height") * number("height")))"#;
    /// assert_eq!(bmi.to_string(), text);
    /// # Ok::<(), lastbit_release::expression::ExpressionError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        Expression::parse_with(text, &Declarations::default())
    }

    /// A condition; a bare cell is true or false.
    pub fn condition(text: &str) -> Result<Expression, ExpressionError> {
        Expression::condition_with(text, &Declarations::default())
    }

    /// [`Expression::parse`] with columns that are declared: comparing one with a value of another
    /// type is refused. The meaning of what is not refused is the same.
    pub fn parse_with(text: &str, declared: &Declarations) -> Result<Expression, ExpressionError> {
        let node = parse::read(text, |tree| build::build(tree, declared)?.settle())?;
        Ok(Expression::new(node, text))
    }

    /// [`Expression::condition`] with columns that are declared, as
    /// [`parse_with`](Expression::parse_with) has them.
    pub fn condition_with(
        text: &str,
        declared: &Declarations,
    ) -> Result<Expression, ExpressionError> {
        let mean = |tree: &_| build::build(tree, declared)?.resolve(Type::Boolean);
        Ok(Expression::new(parse::read(text, mean)?, text))
    }

    fn new(node: Node, written: &str) -> Expression {
        let mut columns = Vec::new();
        gather(&node, &mut columns);
        Expression {
            node,
            columns,
            written: written.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    /// As it was written, on one line, for people to read; `Display` gives the one text.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The columns of the file that it reads, each once, in the order of their first use.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The type of its value.
    pub fn kind(&self) -> Type {
        self.node.kind()
    }

    /// Its meaning.
    pub fn node(&self) -> &Node {
        &self.node
    }
}

impl fmt::Display for Expression {
    /// The one text of the expression.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// The name of a column as it is written in an expression.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The day since 1970 of a date in ISO 8601.
pub(crate) fn day_of(text: &str) -> Option<i64> {
    calendar::read_date(text).map(i64::from)
}

/// The second since 1970 of a time in ISO 8601, if it is a whole one.
pub(crate) fn second_of(text: &str) -> Option<i64> {
    let time = calendar::read_timestamp(text)?;
    (time % 1_000_000 == 0).then_some(time / 1_000_000)
}

/// `2024-01-31`.
pub(crate) fn show_day(day: i64) -> Option<String> {
    calendar::valid_day(day).map(|day| print::Day(day).to_string())
}

/// `2024-01-31T23:59:59`.
pub(crate) fn show_second(second: i64) -> Option<String> {
    let time = calendar::valid_time(second.checked_mul(1_000_000)?)?;
    Some(print::Time(time).to_string())
}

/// Whether a day is the first of its unit, and the name of that unit: `2024`, `2024-Q1`, `2024-01`,
/// `2024-W05`, `2024-01-31`.
pub(crate) fn period(unit: CalendarUnit, day: i64) -> (bool, String) {
    let Some(day) = calendar::valid_day(day) else {
        return (false, String::new());
    };
    let (year, month, _) = calendar::civil(day);
    let name = match unit {
        CalendarUnit::Year => format!("{year:04}"),
        CalendarUnit::Quarter => format!("{year:04}-Q{}", (month - 1) / 3 + 1),
        CalendarUnit::Month => format!("{year:04}-{month:02}"),
        CalendarUnit::Week => {
            // The year of a week is that of its Thursday.
            let thursday = day + 4 - calendar::weekday(day);
            let (year, ..) = calendar::civil(thursday);
            format!("{year:04}-W{:02}", calendar::week(day))
        }
        CalendarUnit::Day => print::Day(day).to_string(),
    };
    (calendar::trunc(unit, day) == day, name)
}

fn gather(node: &Node, columns: &mut Vec<String>) {
    if let Node::Column { name, .. } = node
        && !columns.contains(name)
    {
        columns.push(name.clone());
    }
    node.arguments(|argument| gather(argument, columns));
}
