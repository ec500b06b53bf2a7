//! Evaluation over the real numbers: by enclosures to any precision, and exactly where every step
//! is rational.

use std::collections::BTreeMap;

use lastbit_exact::{Dyadic, Enclosure, Format, Integer, Outward, Rational, Rounding};

use super::interval::{self, arithmetic, out_of_size, sized};
use super::{Boxes, InputError, Inputs, Instance};
use crate::language::{Diagnostic, Expr, ExprKind, OperationArithmetic, Operator, Sort, Ties};

impl Instance {
    /// The value of the program over the real numbers, its circled operations being those of the
    /// reals.
    ///
    /// Contract: `lo ≤ value ≤ hi`, and `hi − lo ≤ 2^-bits · max(1, |value|)`, unless that would
    /// take more than 1000 bits or the value lies so close to the middle between two multiples of a
    /// grid that 1000 bits do not tell on which side it is.
    ///
    /// ```
    /// use lastbit_exact::Dyadic;
    /// use lastbit_verify::language::{Checked, parse};
    /// use lastbit_verify::semantics::{Inputs, Instance};
    /// let program = Checked::new(parse("u <- unif\nreturn f + ln(u)").unwrap()).unwrap();
    /// let instance = Instance::new(program, &Default::default()).unwrap();
    /// let value =
    ///     instance.real(&Inputs::new(Dyadic::ONE).with("u", Dyadic::new(1, -1)), 100).unwrap();
    /// assert!(value.width() <= Dyadic::power_of_two(-100)); // 1 − ln 2
    /// ```
    pub fn real(&self, inputs: &Inputs, bits: u32) -> Result<Enclosure, InputError> {
        let boxes = Boxes::from(inputs);
        self.check_inputs(&boxes)?;
        let most = *Format::PRECISIONS.end();
        let mut working = bits.saturating_add(32).min(most);
        loop {
            let result = self.real_at(&boxes, arithmetic(working));
            let narrow = result.as_ref().is_ok_and(|value| {
                let size = value.lo().abs().min(value.hi().abs()).max(Dyadic::ONE);
                let [lo, hi] = [value.lo(), value.hi()].map(|end| Enclosure::exact(end.clone()));
                *arithmetic(64).sub(&hi, &lo).hi() <= size.times_power_of_two(-i64::from(bits))
            });
            if narrow || working == most {
                return Ok(result?);
            }
            working = working.saturating_mul(2).min(most);
        }
    }

    /// The value over the real numbers for all inputs in the boxes, at a working precision.
    fn real_at(&self, boxes: &Boxes, intervals: Outward) -> Result<Enclosure, Diagnostic> {
        let mut scope = RealScope::new(self, boxes, intervals);
        for assignment in self.program().assignments() {
            scope.assign(&assignment.name, &assignment.value)?;
        }
        scope.enclose(&self.program().result)
    }
}

/// What names stand for in real expressions.
pub(super) struct RealScope<'a> {
    instance: &'a Instance,
    boxes: &'a Boxes,
    intervals: Outward,
    variables: BTreeMap<&'a str, Enclosure>,
}

impl<'a> RealScope<'a> {
    pub(super) fn new(
        instance: &'a Instance,
        boxes: &'a Boxes,
        intervals: Outward,
    ) -> RealScope<'a> {
        RealScope {
            instance,
            boxes,
            intervals,
            variables: BTreeMap::new(),
        }
    }

    fn assign(&mut self, name: &'a str, value: &Expr) -> Result<(), Diagnostic> {
        let value = self.enclose(value)?;
        self.variables.insert(name, value);
        Ok(())
    }

    /// Where the real value lies; every operation is that of the reals.
    fn enclose(&self, expr: &Expr) -> Result<Enclosure, Diagnostic> {
        let intervals = self.intervals;
        let value = match &expr.kind {
            ExprKind::Constant(value) => intervals.rational(value),
            ExprKind::Query => self.boxes.query.clone(),
            ExprKind::Name(name) => self.name(name, expr)?,
            ExprKind::Negate(x) => -&self.enclose(x)?,
            ExprKind::Nearest(x) => self.enclose(x)?,
            ExprKind::CeilPowerOfTwo(_) => intervals.rational(&self.instance.constant(expr)?),
            ExprKind::Round {
                argument,
                grid,
                ties,
                ..
            } => {
                let exponent = self.instance.grid_exponent(grid)?;
                interval::round(&self.enclose(argument)?, exponent, *ties)
            }
            ExprKind::Clamp { argument, bound } => {
                let bound = intervals.rational(&self.instance.constant(bound)?);
                interval::clamp(&self.enclose(argument)?, &bound)
            }
            ExprKind::Ln { argument, .. } => intervals
                .ln(&self.enclose(argument)?)
                .ok_or_else(|| no_logarithm(expr, argument))?,
            ExprKind::Binary {
                operator,
                left,
                right,
                ..
            } => binary(
                intervals,
                *operator,
                &self.enclose(left)?,
                &self.enclose(right)?,
            )
            .ok_or_else(|| divides_by_zero(expr, right))?,
        };
        sized(value, expr.at)
    }

    fn name(&self, name: &str, expr: &Expr) -> Result<Enclosure, Diagnostic> {
        if let Some(value) = self.variables.get(name).or(self.boxes.samples.get(name)) {
            return Ok(value.clone());
        }
        Ok(self.intervals.rational(&self.instance.constant(expr)?))
    }
}

/// The value of `fl(expr)`: the real value of `expr`, given the floating values of the variables
/// before it, rounded once.
pub(super) fn nearest(
    instance: &Instance,
    inputs: &Inputs,
    floats: &BTreeMap<&str, Dyadic>,
    format: Format,
    expr: &Expr,
) -> Result<Dyadic, Diagnostic> {
    let exact = RationalScope::new(instance, inputs, floats).value(expr);
    if let Some(value) = exact {
        return Ok(format.round_rational(&value, Rounding::NearestEven));
    }
    let boxes = Boxes::from(inputs);
    let most = *Format::PRECISIONS.end();
    let mut working = (format.precision() + 32).min(most);
    loop {
        let mut scope = RealScope::new(instance, &boxes, arithmetic(working));
        for assignment in instance.program().assignments() {
            match floats.get(assignment.name.as_str()) {
                Some(value) if is_floating(instance, &assignment.name) => {
                    let value = Enclosure::exact(value.clone());
                    scope.variables.insert(&assignment.name, value);
                }
                // What comes after `expr` may not have a value yet, and is not needed.
                _ => {
                    let _ = scope.assign(&assignment.name, &assignment.value);
                }
            }
        }
        let value = scope.enclose(expr);
        if let Ok(value) = &value {
            let precision = format.precision() as usize;
            if let Some(rounded) = value.round(precision, Rounding::NearestEven) {
                return Ok(rounded);
            }
        }
        if working == most {
            value?;
            return Err(Diagnostic::new(
                expr.at,
                format!("{most} bits do not tell to which number this rounds"),
                "round the parts of the expression separately",
            ));
        }
        working = working.saturating_mul(2).min(most);
    }
}

fn is_floating(instance: &Instance, variable: &str) -> bool {
    instance.well_formed().sort(variable) == Some(Sort::Floating)
}

/// `x ∘ y`; `None` for a division by an interval that holds 0.
pub(super) fn binary(
    intervals: Outward,
    operator: Operator,
    x: &Enclosure,
    y: &Enclosure,
) -> Option<Enclosure> {
    match operator {
        Operator::Add => Some(intervals.add(x, y)),
        Operator::Subtract => Some(intervals.sub(x, y)),
        Operator::Multiply => Some(intervals.mul(x, y)),
        Operator::Divide => intervals.div(x, y),
    }
}

pub(super) fn divides_by_zero(expr: &Expr, divisor: &Expr) -> Diagnostic {
    Diagnostic::new(
        expr.at,
        format!("the interval of the divisor `{divisor}` holds zero"),
        "narrow the intervals of the inputs, or divide by what keeps off zero",
    )
}

pub(super) fn no_logarithm(expr: &Expr, argument: &Expr) -> Diagnostic {
    Diagnostic::new(
        expr.at,
        format!("`{argument}` is not positive throughout its interval"),
        "narrow the intervals of the inputs, or take the logarithm of a positive number",
    )
}

/// Exact rational evaluation, as far as it goes: no logarithms, and no numbers of many bits.
struct RationalScope<'a> {
    instance: &'a Instance,
    inputs: &'a Inputs,
    variables: BTreeMap<&'a str, Rational>,
}

/// The longest rational that is computed with exactly, in bits.
const RATIONAL_BITS: i64 = 1 << 13;

impl<'a> RationalScope<'a> {
    fn new(
        instance: &'a Instance,
        inputs: &'a Inputs,
        floats: &BTreeMap<&str, Dyadic>,
    ) -> RationalScope<'a> {
        let mut scope = RationalScope {
            instance,
            inputs,
            variables: BTreeMap::new(),
        };
        for assignment in instance.program().assignments() {
            let value = match floats.get(assignment.name.as_str()) {
                Some(value) if is_floating(instance, &assignment.name) => moderate(value),
                _ => scope.value(&assignment.value),
            };
            if let Some(value) = value {
                scope.variables.insert(&assignment.name, value);
            }
        }
        scope
    }

    fn value(&self, expr: &Expr) -> Option<Rational> {
        let value = match &expr.kind {
            ExprKind::Constant(value) => value.clone(),
            ExprKind::Query => moderate(&self.inputs.query)?,
            ExprKind::Name(name) => match self.inputs.samples.get(name) {
                Some(sample) => moderate(sample)?,
                None => match self.variables.get(name.as_str()) {
                    Some(value) => value.clone(),
                    None => self.instance.parameters().get(name)?.clone(),
                },
            },
            ExprKind::Negate(x) => -self.value(x)?,
            ExprKind::Clamp { argument, bound } => {
                let bound = self.instance.constant(bound).ok()?;
                self.value(argument)?.clamp_to(&-&bound, &bound)
            }
            ExprKind::Round {
                argument,
                grid,
                ties,
                ..
            } => {
                let exponent = self.instance.grid_exponent(grid).ok()?;
                if exponent.abs() > RATIONAL_BITS {
                    return None;
                }
                round(&self.value(argument)?, exponent, *ties)
            }
            ExprKind::Binary {
                operator,
                arithmetic: OperationArithmetic::Real,
                left,
                right,
            } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide if right.is_zero() => return None,
                    Operator::Divide => left / right,
                }
            }
            _ => return None,
        };
        let length = |x: Integer| Dyadic::new(x, 0).floor_log2().unwrap_or(0);
        let long = length(value.numerator()) > RATIONAL_BITS
            || length(value.denominator().into()) > RATIONAL_BITS;
        (!long).then_some(value)
    }
}

/// The rational of a dyadic whose digits are not too many.
fn moderate(x: &Dyadic) -> Option<Rational> {
    let small = x.exponent().abs() <= RATIONAL_BITS
        && x.floor_log2().is_none_or(|top| top.abs() <= RATIONAL_BITS);
    small.then(|| Rational::from(x))
}

fn round(x: &Rational, exponent: i64, ties: Ties) -> Rational {
    let steps = x.times_power_of_two(-exponent);
    let up = steps.round_ties_up();
    let tie = &Rational::from(up.clone()) - &steps == Rational::new(1, 2);
    let odd = (&up & Integer::ONE) == Integer::ONE;
    let down = tie
        && match ties {
            Ties::Up => false,
            Ties::Even => odd,
            Ties::Away => x.is_negative(),
        };
    let rounded = if down { up - Integer::ONE } else { up };
    Rational::from(rounded).times_power_of_two(exponent)
}

/// What [`Instance::floating`] says of a number beyond computing.
pub(super) fn sized_number(x: Dyadic, expr: &Expr) -> Result<Dyadic, Diagnostic> {
    if interval::has_size(&x) {
        Ok(x)
    } else {
        Err(out_of_size(expr.at))
    }
}
