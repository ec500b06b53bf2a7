//! From the tree to text that reads back to the same tree.

use core::fmt;

use lastbit_exact::Rational;

use super::lexer::POWER_LIMIT;
use super::parser::STATEMENT_TOKENS;
use super::{
    Distribution, Expr, ExprKind, OperationArithmetic, Operator, Program, Statement, Ties,
    UniformShape, Zero,
};

/// How an operator is written.
pub(super) fn symbol(operator: Operator, arithmetic: OperationArithmetic) -> &'static str {
    match (operator, arithmetic) {
        (Operator::Add, OperationArithmetic::Real) => "+",
        (Operator::Subtract, OperationArithmetic::Real) => "-",
        (Operator::Multiply, OperationArithmetic::Real) => "*",
        (Operator::Divide, OperationArithmetic::Real) => "/",
        (Operator::Add, OperationArithmetic::Rounded) => "(+)",
        (Operator::Subtract, OperationArithmetic::Rounded) => "(-)",
        (Operator::Multiply, OperationArithmetic::Rounded) => "(*)",
        (Operator::Divide, OperationArithmetic::Rounded) => "(/)",
    }
}

impl fmt::Display for Program {
    /// The program as text; reads back to the same tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            writeln!(f, "program {name}")?;
        }
        let mut line = String::new();
        for parameter in &self.parameters {
            let mut text = parameter.name.clone();
            if let Some(default) = &parameter.default {
                text += &format!(" = {default}");
            }
            // A declaration of fewer characters has no more words than the parser takes.
            if !line.is_empty() && line.len() + text.len() > STATEMENT_TOKENS - 20 {
                writeln!(f, "parameters {line}")?;
                line.clear();
            }
            if !line.is_empty() {
                line += ", ";
            }
            line += &text;
        }
        if !line.is_empty() {
            writeln!(f, "parameters {line}")?;
        }
        for statement in &self.statements {
            writeln!(f, "{statement}")?;
        }
        writeln!(f, "return {}", self.result)
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Sample {
                name, distribution, ..
            } => write!(f, "{name} <- {distribution}"),
            Statement::Assign(assignment) => {
                write!(f, "{} = {}", assignment.name, assignment.value)
            }
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Sign => f.write_str("sign"),
            Distribution::Laplace { scale } => write!(f, "laplace({scale})"),
            Distribution::Uniform(UniformShape { bits, exponents }) => {
                let options: Vec<String> = [("bits", bits), ("exponents", exponents)]
                    .iter()
                    .filter_map(|(name, value)| value.map(|value| format!("{name}: {value}")))
                    .collect();
                f.write_str("unif")?;
                if options.is_empty() {
                    return Ok(());
                }
                write!(f, "({})", options.join(", "))
            }
        }
    }
}

/// How tightly the outermost operator of an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Factor,
}

fn binding(expr: &Expr) -> Binding {
    match &expr.kind {
        ExprKind::Binary { operator, .. } => binding_of(*operator),
        _ => Binding::Factor,
    }
}

fn binding_of(operator: Operator) -> Binding {
    match operator {
        Operator::Add | Operator::Subtract => Binding::Sum,
        Operator::Multiply | Operator::Divide => Binding::Product,
    }
}

/// An operand in parentheses if it binds less tightly than its place needs.
struct Operand<'a>(&'a Expr, Binding);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if binding(self.0) < self.1 {
            write!(f, "({})", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

impl fmt::Display for Expr {
    /// The expression with the fewest parentheses that keep its tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Constant(value) => f.write_str(&constant(value)),
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Query => f.write_str("f"),
            ExprKind::Negate(x) => write!(f, "-{}", Operand(x, Binding::Factor)),
            ExprKind::Binary {
                operator,
                arithmetic,
                left,
                right,
            } => {
                let own = binding_of(*operator);
                // Operators of a level group to the left: a right operand of the same level needs
                // parentheses.
                let tighter = match own {
                    Binding::Sum => Binding::Product,
                    _ => Binding::Factor,
                };
                let symbol = symbol(*operator, *arithmetic);
                write!(
                    f,
                    "{} {symbol} {}",
                    Operand(left, own),
                    Operand(right, tighter)
                )
            }
            ExprKind::Ln {
                arithmetic: OperationArithmetic::Real,
                argument,
            } => write!(f, "ln({argument})"),
            ExprKind::Ln { argument, .. } => write!(f, "ln~({argument})"),
            ExprKind::Nearest(x) => write!(f, "fl({x})"),
            ExprKind::Clamp { argument, bound } => write!(f, "clamp({argument}, {bound})"),
            ExprKind::CeilPowerOfTwo(x) => write!(f, "ceil2({x})"),
            ExprKind::Round {
                argument,
                grid,
                ties,
                zero,
            } => {
                write!(f, "round({argument}, {grid}")?;
                f.write_str(match ties {
                    Ties::Up => "",
                    Ties::Even => ", ties: even",
                    Ties::Away => ", ties: away",
                })?;
                f.write_str(match zero {
                    Zero::Positive => ")",
                    Zero::Signed => ", zero: signed)",
                })
            }
        }
    }
}

/// A power of two that is long as a decimal as `2^k`, any other number as a decimal.
fn constant(value: &Rational) -> String {
    let power = value
        .to_dyadic()
        .filter(|dyadic| dyadic.mantissa() == &lastbit_exact::Integer::ONE)
        .map(|dyadic| dyadic.exponent());
    match power {
        Some(k) if !(-6..=16).contains(&k) && k.abs() <= POWER_LIMIT => format!("2^{k}"),
        _ => value.to_string(),
    }
}
