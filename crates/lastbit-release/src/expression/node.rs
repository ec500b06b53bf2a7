//! What an expression means: a tree in which every type and every reading of a cell is written out.
//!
//! This is the form that is evaluated, printed and, for a database, written as its SQL. Nothing in
//! it depends on a file, a locale or a time zone. `docs/expressions.md` says what each node means.

use core::fmt;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// A double that is not NaN.
    Number,
    /// Characters.
    Text,
    /// True or false.
    Boolean,
    /// A day of the years 1 to 9999.
    Date,
    /// A microsecond of the years 1 to 9999: in UTC, or on a clock without a zone.
    Timestamp,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Type::Number => "a number",
            Type::Text => "a text",
            Type::Boolean => "a condition",
            Type::Date => "a date",
            Type::Timestamp => "a timestamp",
        })
    }
}

/// A value of a row. Every node has one type, and every argument has the type that its node needs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Node {
    /// No value.
    Null(Type),
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
    /// True or false.
    Boolean(bool),
    /// Days since 1970.
    Date(i32),
    /// Microseconds since 1970.
    Timestamp(i64),
    /// A cell, read as a type; null where it has no such reading.
    Column {
        /// The column of the file.
        name: String,
        /// How its cells are read.
        read: Type,
    },
    /// A value as another type; null where it has none.
    Convert {
        /// What is converted.
        value: Box<Node>,
        /// To what.
        to: Type,
    },
    /// A number with the other sign.
    Negate(Box<Node>),
    /// Of two numbers; null where the result is not finite.
    Arithmetic {
        /// Which one.
        operator: ArithmeticOperator,
        /// The left number.
        left: Box<Node>,
        /// The right number.
        right: Box<Node>,
    },
    /// A date some days later; null unless the number is whole and the date within its years.
    AddDays {
        /// The date.
        date: Box<Node>,
        /// The number of days.
        days: Box<Node>,
    },
    /// From one date to another in days, or from one timestamp to another in seconds.
    Difference {
        /// The later one.
        to: Box<Node>,
        /// The earlier one.
        from: Box<Node>,
    },
    /// Two values of one type, texts by what they say.
    Compare {
        /// How.
        comparison: Comparison,
        /// The left value.
        left: Box<Node>,
        /// The right value.
        right: Box<Node>,
    },
    /// Whether a value lies between two others, ends included.
    Between {
        /// The value.
        value: Box<Node>,
        /// The lower end.
        low: Box<Node>,
        /// The upper end.
        high: Box<Node>,
    },
    /// Whether a value equals one of a list.
    In {
        /// The value.
        value: Box<Node>,
        /// The list, not empty.
        list: Vec<Node>,
    },
    /// Whether a text has a pattern.
    Like {
        /// The text.
        value: Box<Node>,
        /// The pattern.
        pattern: Vec<Piece>,
    },
    /// Whether there is no value: never null.
    IsNull(Box<Node>),
    /// Whether a condition is true, or is false: never null.
    Is(Box<Node>, bool),
    /// The opposite.
    Not(Box<Node>),
    /// Whether all of two or more conditions are true.
    And(Vec<Node>),
    /// Whether any of two or more conditions is true.
    Or(Vec<Node>),
    /// The result of the first branch whose condition is true, or whose value the operand equals.
    Case {
        /// What the branches' values are compared with; without one they are conditions.
        operand: Option<Box<Node>>,
        /// Conditions or values, with their results.
        branches: Vec<(Node, Node)>,
        /// The result if there is no such branch.
        otherwise: Box<Node>,
    },
    /// The first value that is not null.
    Coalesce(Vec<Node>),
    /// The first value, or null where it equals the second.
    NullIf(Box<Node>, Box<Node>),
    /// The least of those values that are not null.
    Least(Vec<Node>),
    /// The greatest of those values that are not null.
    Greatest(Vec<Node>),
    /// A function; null where an argument is.
    Call {
        /// Which one.
        function: Function,
        /// Its arguments, as many as it has.
        arguments: Vec<Node>,
    },
}

/// Arithmetic of doubles, rounded to nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArithmeticOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`: never of whole numbers.
    Divide,
    /// `%`: the exact remainder, with the sign of the left number.
    Remainder,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// `%`: any characters, or none.
    Any,
    /// `_`: one character.
    One,
    /// These characters.
    Text(String),
}

/// Functions of values that are not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Function {
    /// Without its sign.
    Abs,
    /// The greatest whole number that is not above.
    Floor,
    /// The least whole number that is not below.
    Ceil,
    /// The nearest whole number; of two, the one farther from 0.
    Round,
    /// The whole number towards 0.
    Trunc,
    /// The square root, rounded to nearest; null for a negative number.
    Sqrt,
    /// With A to Z for a to z.
    Upper,
    /// With a to z for A to Z.
    Lower,
    /// Without spaces at both ends.
    Trim,
    /// The number of characters.
    Length,
    /// Characters from a place on, all or so many.
    Substr,
    /// One text after the other; null above [`MOST_TEXT`](super::MOST_TEXT) bytes.
    Concat,
    /// Whether the first text starts with the second.
    StartsWith,
    /// 1 to 9999.
    Year,
    /// 1 to 4.
    Quarter,
    /// 1 to 12.
    Month,
    /// The week of ISO 8601: 1 to 53.
    Week,
    /// 1 for Monday to 7 for Sunday.
    Weekday,
    /// The day of the month.
    Day,
    /// The hour of a timestamp, 0 to 23.
    Hour,
    /// The first day of the part of the calendar that contains a date.
    DateTrunc(CalendarUnit),
    /// The first microsecond of a timestamp's hour.
    HourTrunc,
    /// The time on a clock so many minutes ahead of the timestamp's.
    AtOffset(i16),
}

/// A part of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CalendarUnit {
    /// From January.
    Year,
    /// From January, April, July or October.
    Quarter,
    /// From the first.
    Month,
    /// From Monday.
    Week,
    /// One day.
    Day,
}

impl Node {
    /// The type of the value.
    pub fn kind(&self) -> Type {
        match self {
            Node::Null(kind) | Node::Column { read: kind, .. } | Node::Convert { to: kind, .. } => {
                *kind
            }
            Node::Number(_)
            | Node::Negate(_)
            | Node::Arithmetic { .. }
            | Node::Difference { .. } => Type::Number,
            Node::Text(_) => Type::Text,
            Node::Boolean(_)
            | Node::Compare { .. }
            | Node::Between { .. }
            | Node::In { .. }
            | Node::Like { .. }
            | Node::IsNull(_)
            | Node::Is(..)
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_) => Type::Boolean,
            Node::Date(_) | Node::AddDays { .. } => Type::Date,
            Node::Timestamp(_) => Type::Timestamp,
            Node::Case { otherwise, .. } => otherwise.kind(),
            Node::NullIf(value, _) => value.kind(),
            // None of these lists is empty.
            Node::Coalesce(values) | Node::Least(values) | Node::Greatest(values) => {
                values.first().map_or(Type::Text, Node::kind)
            }
            Node::Call { function, .. } => function.result(),
        }
    }

    /// Calls `see` with each argument.
    pub fn arguments<'a>(&'a self, mut see: impl FnMut(&'a Node)) {
        match self {
            Node::Null(_)
            | Node::Number(_)
            | Node::Text(_)
            | Node::Boolean(_)
            | Node::Date(_)
            | Node::Timestamp(_)
            | Node::Column { .. } => {}
            Node::Convert { value, .. }
            | Node::Like { value, .. }
            | Node::Negate(value)
            | Node::IsNull(value)
            | Node::Is(value, _)
            | Node::Not(value) => see(value),
            Node::Arithmetic { left, right, .. }
            | Node::Compare { left, right, .. }
            | Node::NullIf(left, right)
            | Node::AddDays {
                date: left,
                days: right,
            }
            | Node::Difference {
                to: left,
                from: right,
            } => {
                see(left);
                see(right);
            }
            Node::Between { value, low, high } => {
                [value, low, high].into_iter().for_each(|x| see(x))
            }
            Node::In { value, list } => {
                see(value);
                list.iter().for_each(see);
            }
            Node::And(values)
            | Node::Or(values)
            | Node::Coalesce(values)
            | Node::Least(values)
            | Node::Greatest(values)
            | Node::Call {
                arguments: values, ..
            } => values.iter().for_each(see),
            Node::Case {
                operand,
                branches,
                otherwise,
            } => {
                if let Some(operand) = operand {
                    see(operand);
                }
                for (condition, result) in branches {
                    see(condition);
                    see(result);
                }
                see(otherwise);
            }
        }
    }
}

impl Function {
    /// The type of the result.
    pub fn result(self) -> Type {
        use Function::*;
        match self {
            Abs | Floor | Ceil | Round | Trunc | Sqrt | Length | Year | Quarter | Month | Week
            | Weekday | Day | Hour => Type::Number,
            Upper | Lower | Trim | Substr | Concat => Type::Text,
            StartsWith => Type::Boolean,
            DateTrunc(_) => Type::Date,
            HourTrunc | AtOffset(_) => Type::Timestamp,
        }
    }

    /// The type of an argument, by its place.
    pub fn argument(self, place: usize) -> Type {
        use Function::*;
        match self {
            Abs | Floor | Ceil | Round | Trunc | Sqrt => Type::Number,
            Substr if place > 0 => Type::Number,
            Upper | Lower | Trim | Length | Substr | Concat | StartsWith => Type::Text,
            Year | Quarter | Month | Week | Weekday | Day | DateTrunc(_) => Type::Date,
            Hour | HourTrunc | AtOffset(_) => Type::Timestamp,
        }
    }
}
