//! Evaluation in a p-bit format, with the sign of zero.

use std::collections::BTreeMap;

use lastbit_exact::{Dyadic, Format, Rounding};

use super::interval::round_number;
use super::real::{divides_by_zero, nearest, no_logarithm, sized_number};
use super::{Boxes, InputError, Inputs, Instance};
use crate::language::{Diagnostic, Expr, ExprKind, OperationArithmetic, Operator, Sort, Zero};

/// A number of a format; a zero has a sign, which equality sees.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The number.
    pub number: Dyadic,
    /// Whether it is −0.
    pub negative_zero: bool,
}

/// What one run of a program computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FloatingRun {
    /// The assigned variables, but for those of real expressions.
    pub variables: BTreeMap<String, Value>,
    /// What the program returned.
    pub result: Value,
}

impl Instance {
    /// The run of the program in a format: circled operations, `ln~` and `fl` round to nearest
    /// even, and inputs, constants and parameters are rounded before they are used. Exponents are
    /// unbounded: nothing underflows or overflows.
    ///
    /// The result of a real program is its value only if no real operation takes part in it; there
    /// is an error otherwise.
    pub fn floating(&self, format: Format, inputs: &Inputs) -> Result<FloatingRun, InputError> {
        self.check_inputs(&Boxes::from(inputs))?;
        let mut run = Execution {
            instance: self,
            inputs,
            format,
            variables: BTreeMap::new(),
            numbers: BTreeMap::new(),
        };
        for assignment in self.program().assignments() {
            if self.well_formed().sort(&assignment.name) != Some(Sort::Real) {
                let value = run.value(&assignment.value)?;
                run.numbers.insert(&assignment.name, value.number.clone());
                run.variables.insert(&assignment.name, value);
            }
        }
        let result = run.value(&self.program().result)?;
        let named = |(name, value): (&str, Value)| (name.to_owned(), value);
        Ok(FloatingRun {
            variables: run.variables.into_iter().map(named).collect(),
            result,
        })
    }
}

struct Execution<'a> {
    instance: &'a Instance,
    inputs: &'a Inputs,
    format: Format,
    variables: BTreeMap<&'a str, Value>,
    /// The same without signs of zero.
    numbers: BTreeMap<&'a str, Dyadic>,
}

impl Execution<'_> {
    fn value(&self, expr: &Expr) -> Result<Value, Diagnostic> {
        let format = self.format;
        match &expr.kind {
            ExprKind::Constant(value) => Ok(Value::from(
                format.round_rational(value, Rounding::NearestEven),
            )),
            ExprKind::Query => Ok(self.input(&self.inputs.query)),
            ExprKind::Name(name) => match self.variables.get(name.as_str()) {
                Some(value) => Ok(value.clone()),
                None => match self.inputs.samples.get(name) {
                    Some(sample) => Ok(self.input(sample)),
                    None => Ok(self.constant(expr)?),
                },
            },
            ExprKind::CeilPowerOfTwo(_) => self.constant(expr),
            ExprKind::Negate(x) => Ok(self.value(x)?.negated()),
            ExprKind::Nearest(x) => {
                let number = nearest(self.instance, self.inputs, &self.numbers, format, x)?;
                Ok(Value::from(sized_number(number, expr)?))
            }
            ExprKind::Round {
                argument,
                grid,
                ties,
                zero,
            } => {
                let x = self.value(argument)?;
                let exponent = self.instance.grid_exponent(grid)?;
                let number = round_number(&x.number, exponent, *ties);
                let negative_zero =
                    *zero == Zero::Signed && number.is_zero() && x.is_negative_or_minus_zero();
                Ok(Value {
                    number,
                    negative_zero,
                })
            }
            ExprKind::Clamp { argument, bound } => {
                let x = self.value(argument)?;
                let bound = self.constant(bound)?.number;
                Ok(if x.number.abs() <= bound {
                    x
                } else if x.number.is_negative() {
                    Value::from(-&bound)
                } else {
                    Value::from(bound)
                })
            }
            ExprKind::Ln {
                arithmetic: OperationArithmetic::Rounded,
                argument,
            } => {
                let x = self.value(argument)?.number;
                let number = format
                    .ln(&x, Rounding::NearestEven)
                    .map_err(|_| no_logarithm(expr, argument))?;
                Ok(Value::from(number))
            }
            ExprKind::Binary {
                operator,
                arithmetic: OperationArithmetic::Rounded,
                left,
                right,
            } => {
                let (x, y) = (self.value(left)?, self.value(right)?);
                let value = x
                    .combined(*operator, &y, format)
                    .ok_or_else(|| divides_by_zero(expr, right))?;
                Ok(Value {
                    number: sized_number(value.number, expr)?,
                    ..value
                })
            }
            ExprKind::Binary { .. } | ExprKind::Ln { .. } => Err(Diagnostic::new(
                expr.at,
                "a real operation has no value in a format",
                "use circled operations, or round with fl(…)",
            )),
        }
    }

    fn input(&self, x: &Dyadic) -> Value {
        Value::from(self.format.round(x, Rounding::NearestEven))
    }

    fn constant(&self, expr: &Expr) -> Result<Value, Diagnostic> {
        let value = self.instance.constant(expr)?;
        Ok(Value::from(
            self.format.round_rational(&value, Rounding::NearestEven),
        ))
    }
}

impl From<Dyadic> for Value {
    /// The number; zero is +0.
    fn from(number: Dyadic) -> Value {
        Value {
            number,
            negative_zero: false,
        }
    }
}

impl Value {
    fn is_negative_or_minus_zero(&self) -> bool {
        self.number.is_negative() || self.negative_zero
    }

    fn negated(&self) -> Value {
        Value {
            number: -&self.number,
            negative_zero: self.number.is_zero() && !self.negative_zero,
        }
    }

    /// `x ∘ y` rounded to nearest even, with IEEE's sign of zero; `None` for a division by zero.
    fn combined(&self, operator: Operator, y: &Value, format: Format) -> Option<Value> {
        let (a, b) = (&self.number, &y.number);
        let signs_differ = self.is_negative_or_minus_zero() != y.is_negative_or_minus_zero();
        Some(match operator {
            Operator::Add => Value {
                number: format.add(a, b, Rounding::NearestEven),
                // −0 + −0 = −0; any other zero sum is +0.
                negative_zero: self.negative_zero && y.negative_zero,
            },
            Operator::Subtract => return self.combined(Operator::Add, &y.negated(), format),
            Operator::Multiply => Value {
                number: format.mul(a, b, Rounding::NearestEven),
                negative_zero: (a.is_zero() || b.is_zero()) && signs_differ,
            },
            Operator::Divide => Value {
                number: format.div(a, b, Rounding::NearestEven).ok()?,
                negative_zero: a.is_zero() && signs_differ,
            },
        })
    }
}
