//! The one text of an expression, with every reading of a cell, every conversion and the order of
//! evaluation written out.
//!
//! It is part of what identifies a release, so it never changes, and it is itself an expression
//! with the same meaning.

use core::fmt::{self, Write};

use super::calendar::{DAY, civil};
use super::node::{ArithmeticOperator, CalendarUnit, Comparison, Function, Node, Piece, Type};
use crate::value::canonical;

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Node::Null(kind) => write!(f, "{}(null)", kind.name()),
            Node::Number(number) => {
                // The shortest decimal that reads back as the number.
                let mut digits = format!("{number:e}");
                // Without an exponent, a number above 2^53 would read as a whole number that is not
                // exact.
                if number.abs() <= 9_007_199_254_740_992.0 {
                    digits = canonical(&digits).unwrap_or(digits);
                }
                match *number < 0.0 {
                    true => write!(f, "({digits})"),
                    false => f.write_str(&digits),
                }
            }
            Node::Text(text) => quoted(text, '\'', f),
            Node::Boolean(truth) => write!(f, "{truth}"),
            Node::Date(day) => write!(f, "date '{}'", Day(*day)),
            Node::Timestamp(time) => write!(f, "timestamp '{}'", Time(*time)),
            Node::Column { name, read } => {
                write!(f, "{}(", read.name())?;
                quoted(name, '"', f)?;
                f.write_char(')')
            }
            Node::Convert { value, to } => write!(f, "{}({value})", to.name()),
            Node::Negate(value) => write!(f, "(-{value})"),
            Node::Arithmetic {
                operator,
                left,
                right,
            } => write!(f, "({left} {} {right})", operator.sign()),
            Node::AddDays { date, days } => write!(f, "({date} + {days})"),
            Node::Difference { to, from } => write!(f, "({to} - {from})"),
            Node::Compare {
                comparison,
                left,
                right,
            } => write!(f, "({left} {} {right})", comparison.sign()),
            Node::Between { value, low, high } => {
                write!(f, "({value} between {low} and {high})")
            }
            Node::In { value, list } => {
                write!(f, "({value} in (")?;
                separated(list, ", ", f)?;
                f.write_str("))")
            }
            Node::Like { value, pattern } => {
                write!(f, "({value} like ")?;
                let (text, escaped) = written(pattern);
                quoted(&text, '\'', f)?;
                f.write_str(if escaped { " escape '\\')" } else { ")" })
            }
            Node::IsNull(value) => write!(f, "({value} is null)"),
            Node::Is(value, truth) => write!(f, "({value} is {truth})"),
            Node::Not(value) => write!(f, "(not {value})"),
            Node::And(values) => {
                f.write_char('(')?;
                separated(values, " and ", f)?;
                f.write_char(')')
            }
            Node::Or(values) => {
                f.write_char('(')?;
                separated(values, " or ", f)?;
                f.write_char(')')
            }
            Node::Case {
                operand,
                branches,
                otherwise,
            } => {
                f.write_str("case ")?;
                if let Some(operand) = operand {
                    write!(f, "{operand} ")?;
                }
                for (condition, result) in branches {
                    write!(f, "when {condition} then {result} ")?;
                }
                write!(f, "else {otherwise} end")
            }
            Node::Coalesce(values) => call("coalesce", values, f),
            Node::NullIf(value, other) => write!(f, "nullif({value}, {other})"),
            Node::Least(values) => call("least", values, f),
            Node::Greatest(values) => call("greatest", values, f),
            Node::Call {
                function,
                arguments,
            } => match (function, arguments.as_slice()) {
                (Function::DateTrunc(unit), [date]) => {
                    write!(f, "date_trunc('{}', {date})", unit.name())
                }
                (Function::HourTrunc, [time]) => write!(f, "date_trunc('hour', {time})"),
                (Function::AtOffset(minutes), [time]) => {
                    let sign = if *minutes < 0 { '-' } else { '+' };
                    let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
                    write!(f, "at_offset({time}, '{sign}{hours:02}:{rest:02}')")
                }
                _ => call(function.name(), arguments, f),
            },
        }
    }
}

fn call(name: &str, arguments: &[Node], f: &mut fmt::Formatter) -> fmt::Result {
    write!(f, "{name}(")?;
    separated(arguments, ", ", f)?;
    f.write_char(')')
}

fn separated(nodes: &[Node], between: &str, f: &mut fmt::Formatter) -> fmt::Result {
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        write!(f, "{node}")?;
    }
    Ok(())
}

/// The text between quotes, with those inside doubled.
fn quoted(text: &str, quote: char, f: &mut fmt::Formatter) -> fmt::Result {
    f.write_char(quote)?;
    for c in text.chars() {
        if c == quote {
            f.write_char(c)?;
        }
        f.write_char(c)?;
    }
    f.write_char(quote)
}

/// The pattern, and whether a backslash escapes characters of it.
fn written(pattern: &[Piece]) -> (String, bool) {
    let special = ['%', '_'];
    let is_special = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains(special));
    let escaped = pattern.iter().any(is_special);
    let mut written = String::new();
    for piece in pattern {
        match piece {
            Piece::Any => written.push('%'),
            Piece::One => written.push('_'),
            Piece::Text(text) => {
                for c in text.chars() {
                    if escaped && (special.contains(&c) || c == '\\') {
                        written.push('\\');
                    }
                    written.push(c);
                }
            }
        }
    }
    (written, escaped)
}

/// A date as it is written.
pub(crate) struct Day(pub i32);

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (year, month, of_month) = civil(self.0);
        write!(f, "{year:04}-{month:02}-{of_month:02}")
    }
}

/// A timestamp as it is written: with no decimals, three or six.
pub(crate) struct Time(pub i64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // Days of the calendar fit.
        let day = self.0.div_euclid(DAY) as i32;
        let of_day = self.0.rem_euclid(DAY);
        let (second, micros) = (of_day / 1_000_000, of_day % 1_000_000);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{}T{hour:02}:{minute:02}:{second:02}", Day(day))?;
        match micros {
            0 => Ok(()),
            micros if micros % 1000 == 0 => write!(f, ".{:03}", micros / 1000),
            micros => write!(f, ".{micros:06}"),
        }
    }
}

impl Type {
    /// The function that reads a value as the type.
    pub(super) fn name(self) -> &'static str {
        match self {
            Type::Number => "number",
            Type::Text => "text",
            Type::Boolean => "boolean",
            Type::Date => "date",
            Type::Timestamp => "timestamp",
        }
    }
}

impl ArithmeticOperator {
    fn sign(self) -> char {
        match self {
            ArithmeticOperator::Add => '+',
            ArithmeticOperator::Subtract => '-',
            ArithmeticOperator::Multiply => '*',
            ArithmeticOperator::Divide => '/',
            ArithmeticOperator::Remainder => '%',
        }
    }
}

impl Comparison {
    fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

impl CalendarUnit {
    fn name(self) -> &'static str {
        match self {
            CalendarUnit::Year => "year",
            CalendarUnit::Quarter => "quarter",
            CalendarUnit::Month => "month",
            CalendarUnit::Week => "week",
            CalendarUnit::Day => "day",
        }
    }
}

impl Function {
    pub(super) fn name(self) -> &'static str {
        match self {
            Function::Abs => "abs",
            Function::Floor => "floor",
            Function::Ceil => "ceil",
            Function::Round => "round",
            Function::Trunc => "trunc",
            Function::Sqrt => "sqrt",
            Function::Upper => "upper",
            Function::Lower => "lower",
            Function::Trim => "trim",
            Function::Length => "length",
            Function::Substr => "substr",
            Function::Concat => "concat",
            Function::StartsWith => "starts_with",
            Function::Year => "year",
            Function::Quarter => "quarter",
            Function::Month => "month",
            Function::Week => "week",
            Function::Weekday => "weekday",
            Function::Day => "day",
            Function::Hour => "hour",
            Function::DateTrunc(_) | Function::HourTrunc => "date_trunc",
            Function::AtOffset(_) => "at_offset",
        }
    }
}
