//! The functions: their names, how many arguments they take, and what a call means.

use sqlparser::ast::{Expr, Function as SqlCall, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::build::{Builder, Result, boxed, refuse};
use super::calendar::read_offset;
use super::draft::{Draft, Form};
use super::error::Place;
use super::literal::text_of;
use super::node::{CalendarUnit, Function, Node, Type};
use super::parse::start;
use super::refused;
use crate::clean::shown;
use crate::near::nearest;

impl Builder<'_> {
    /// A function of arguments of its own types.
    pub(super) fn call(&mut self, function: Function, arguments: &[&Expr]) -> Result<Node> {
        let arguments = arguments
            .iter()
            .enumerate()
            .map(|(place, argument)| self.node(argument, function.argument(place)))
            .collect::<Result<_>>()?;
        Ok(Node::Call {
            function,
            arguments,
        })
    }

    /// A call by name.
    pub(super) fn function(&mut self, call: &SqlCall, at: Place) -> Result<Draft> {
        let written = call.name.to_string();
        let name = written.to_ascii_lowercase();
        if call.over.is_some() {
            return refuse(at, format!("{}: {}", shown(&written), refused::WINDOW));
        }
        let Some(most) = KNOWN.iter().find(|(known, _)| *known == name) else {
            return refuse(at, unknown(&written, &name));
        };
        let arguments = match &call.args {
            FunctionArguments::List(list)
                if list.duplicate_treatment.is_none() && list.clauses.is_empty() =>
            {
                list.args
                    .iter()
                    .map(|argument| match argument {
                        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
                        _ => None,
                    })
                    .collect::<Option<Vec<&Expr>>>()
            }
            _ => None,
        };
        let plain = matches!(call.parameters, FunctionArguments::None)
            && call.within_group.is_empty()
            && call.filter.is_none()
            && call.null_treatment.is_none();
        let Some(arguments) = arguments.filter(|_| plain) else {
            return refuse(
                at,
                format!("write {name}(…) with values between the parentheses only"),
            );
        };
        let (least, most) = most.1;
        if !(least..=most).contains(&arguments.len()) {
            let wanted = match (least, most) {
                (1, 1) => "one argument".to_owned(),
                (least, usize::MAX) => format!("{least} arguments or more"),
                (least, most) if least == most => format!("{least} arguments"),
                (least, most) => format!("{least} to {most} arguments"),
            };
            let more = match name.as_str() {
                "round" | "trunc" => "; for decimals write round(x * 100) / 100",
                _ => "",
            };
            return refuse(
                at,
                format!(
                    "{name} takes {wanted}, and {} are given{more}",
                    arguments.len()
                ),
            );
        }
        let choice = |form, builder: &mut Builder<'_>| {
            let values = arguments
                .iter()
                .map(|value| builder.draft(value))
                .collect::<Result<_>>()?;
            Draft::choice(form, values, at)
        };
        let simple = match name.as_str() {
            "number" => return self.convert(arguments[0], Type::Number, at),
            "text" => return self.convert(arguments[0], Type::Text, at),
            "boolean" => return self.convert(arguments[0], Type::Boolean, at),
            "date" => return self.convert(arguments[0], Type::Date, at),
            "timestamp" => return self.convert(arguments[0], Type::Timestamp, at),
            "coalesce" => return choice(Form::Coalesce, self),
            "nullif" => return choice(Form::NullIf, self),
            "least" => return choice(Form::Least, self),
            "greatest" => return choice(Form::Greatest, self),
            "date_trunc" => {
                let function = match text_of(arguments[0])?.to_ascii_lowercase().as_str() {
                    "year" => Function::DateTrunc(CalendarUnit::Year),
                    "quarter" => Function::DateTrunc(CalendarUnit::Quarter),
                    "month" => Function::DateTrunc(CalendarUnit::Month),
                    "week" => Function::DateTrunc(CalendarUnit::Week),
                    "day" => Function::DateTrunc(CalendarUnit::Day),
                    "hour" => Function::HourTrunc,
                    _ => {
                        return refuse(
                            start(arguments[0]),
                            "date_trunc cuts to 'year', 'quarter', 'month', 'week', 'day' or \
                             'hour'",
                        );
                    }
                };
                return self.calendar(function, arguments[1], at);
            }
            "at_offset" => {
                let Some(minutes) = read_offset(text_of(arguments[1])?.as_bytes()) else {
                    return refuse(
                        start(arguments[1]),
                        "an offset is hours and minutes from UTC, as '+01:00' or '-05:30'; named \
                         time zones are not known, because they depend on data \
                         that change from machine to machine",
                    );
                };
                let node = self.call(Function::AtOffset(minutes), &arguments[..1])?;
                return Ok(Draft::known(node, at));
            }
            "year" => return self.calendar(Function::Year, arguments[0], at),
            "quarter" => return self.calendar(Function::Quarter, arguments[0], at),
            "month" => return self.calendar(Function::Month, arguments[0], at),
            "week" => return self.calendar(Function::Week, arguments[0], at),
            "weekday" => return self.calendar(Function::Weekday, arguments[0], at),
            "day" => return self.calendar(Function::Day, arguments[0], at),
            "hour" => Function::Hour,
            "abs" => Function::Abs,
            "floor" => Function::Floor,
            "ceil" => Function::Ceil,
            "round" => Function::Round,
            "trunc" => Function::Trunc,
            "sqrt" => Function::Sqrt,
            "upper" => Function::Upper,
            "lower" => Function::Lower,
            "trim" => Function::Trim,
            "length" => Function::Length,
            "substr" | "substring" => Function::Substr,
            "concat" => Function::Concat,
            "starts_with" => Function::StartsWith,
            _ => return refuse(at, unknown(&written, &name)),
        };
        Ok(Draft::known(self.call(simple, &arguments)?, at))
    }

    /// A function of a date; of a timestamp, it takes the day.
    fn calendar(&mut self, function: Function, value: &Expr, at: Place) -> Result<Draft> {
        let value = self.draft(value)?;
        let wanted = function.argument(0);
        let value = match (value.kind, wanted) {
            (Some(Type::Timestamp), Type::Date) => Node::Convert {
                value: boxed(value.resolve(Type::Timestamp)?),
                to: Type::Date,
            },
            _ => value.resolve(wanted)?,
        };
        let arguments = vec![value];
        Ok(Draft::known(
            Node::Call {
                function,
                arguments,
            },
            at,
        ))
    }
}

/// The functions, and how many arguments they take.
const KNOWN: [(&str, (usize, usize)); 32] = [
    ("abs", (1, 1)),
    ("at_offset", (2, 2)),
    ("boolean", (1, 1)),
    ("ceil", (1, 1)),
    ("coalesce", (1, usize::MAX)),
    ("concat", (1, usize::MAX)),
    ("date", (1, 1)),
    ("date_trunc", (2, 2)),
    ("day", (1, 1)),
    ("floor", (1, 1)),
    ("greatest", (1, usize::MAX)),
    ("hour", (1, 1)),
    ("least", (1, usize::MAX)),
    ("length", (1, 1)),
    ("lower", (1, 1)),
    ("month", (1, 1)),
    ("nullif", (2, 2)),
    ("number", (1, 1)),
    ("quarter", (1, 1)),
    ("round", (1, 1)),
    ("sqrt", (1, 1)),
    ("starts_with", (2, 2)),
    ("substr", (2, 3)),
    ("substring", (2, 3)),
    ("text", (1, 1)),
    ("timestamp", (1, 1)),
    ("trim", (1, 1)),
    ("trunc", (1, 1)),
    ("upper", (1, 1)),
    ("week", (1, 1)),
    ("weekday", (1, 1)),
    ("year", (1, 1)),
];

/// Their names, for a message.
pub(super) fn known_functions() -> String {
    let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
    format!("the functions are {}", names.join(", "))
}

fn unknown(written: &str, name: &str) -> String {
    if let Some(reason) = refused::reason(name) {
        return format!("{} is not allowed: {reason}", shown(written));
    }
    let remedy = match nearest(name, KNOWN.iter().map(|(name, _)| *name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => known_functions(),
    };
    format!("there is no function `{}`; {remedy}", shown(written))
}
