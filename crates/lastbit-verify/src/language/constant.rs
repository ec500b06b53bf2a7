//! Constant expressions: exact numbers made of numbers and parameters.

use std::collections::BTreeMap;

use lastbit_exact::{Dyadic, Rational};

use super::{Diagnostic, Expr, ExprKind, OperationArithmetic, Operator};

/// The longest numerator or denominator of a constant, in bits: more than any use needs, and no
/// text can ask for memory without bound.
const CONSTANT_BITS: usize = 1 << 16;

/// The exact value of a constant expression, given the parameters.
pub fn constant(
    expr: &Expr,
    parameters: &BTreeMap<String, Rational>,
) -> Result<Rational, Diagnostic> {
    let value = match &expr.kind {
        ExprKind::Constant(value) => value.clone(),
        ExprKind::Name(name) => match parameters.get(name) {
            Some(value) => value.clone(),
            None => return Err(not_constant(expr)),
        },
        ExprKind::Negate(x) => -constant(x, parameters)?,
        ExprKind::CeilPowerOfTwo(x) => {
            let x = constant(x, parameters)?;
            let exponent = x.ceil_log2().ok_or_else(|| {
                Diagnostic::new(
                    expr.at,
                    format!("no power of two is nearest above {x}"),
                    "give ceil2 a positive number",
                )
            })?;
            Rational::from(&Dyadic::power_of_two(exponent))
        }
        ExprKind::Binary {
            operator,
            arithmetic: OperationArithmetic::Real,
            left,
            right,
        } => {
            let (left, right) = (constant(left, parameters)?, constant(right, parameters)?);
            match operator {
                Operator::Add => &left + &right,
                Operator::Subtract => &left - &right,
                Operator::Multiply => &left * &right,
                Operator::Divide if right.is_zero() => return Err(division_by_zero(expr)),
                Operator::Divide => &left / &right,
            }
        }
        _ => return Err(not_constant(expr)),
    };
    if is_large(&value) {
        return Err(Diagnostic::new(
            expr.at,
            format!("this constant takes more than {CONSTANT_BITS} bits"),
            "use numbers of fewer digits",
        ));
    }
    Ok(value)
}

/// Whether a number takes more memory than a constant may.
pub(super) fn is_large(value: &Rational) -> bool {
    bits(value) > CONSTANT_BITS
}

fn bits(value: &Rational) -> usize {
    // floor(log2) of the numerator and of the denominator, through the dyadics of the same size.
    let length = |x: Dyadic| x.floor_log2().map_or(0, |top| top as usize + 1);
    length(Dyadic::new(value.numerator(), 0)).max(length(Dyadic::new(value.denominator(), 0)))
}

pub(super) fn division_by_zero(expr: &Expr) -> Diagnostic {
    Diagnostic::new(
        expr.at,
        "this divides by zero",
        "divide by a number that is not zero",
    )
}

pub(super) fn not_constant(expr: &Expr) -> Diagnostic {
    Diagnostic::new(
        expr.at,
        format!("`{expr}` is not a constant"),
        "use numbers and parameters here, with + - * / and ceil2",
    )
}
