//! Derivations as text and as LaTeX.

use core::fmt;
use std::fmt::Write;

use lastbit_exact::{Dyadic, Rounding};

use super::{Derivation, Judgement};
use crate::language::{Distribution, Expr, ExprKind, OperationArithmetic, Operator, Program, Ties};

impl fmt::Display for Judgement<'_> {
    /// One block for each assignment and one for the result; premises are indented below their
    /// conclusion. Ends are rounded outward to doubles.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, derivation) in &self.variables {
            writeln!(f, "{name} =")?;
            tree(f, derivation, 1)?;
        }
        writeln!(f, "return")?;
        tree(f, &self.result, 1)
    }
}

impl fmt::Display for Derivation<'_> {
    /// The conclusion, then the premises, each indented.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tree(f, self, 0)
    }
}

fn tree(f: &mut fmt::Formatter<'_>, derivation: &Derivation, depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    let (lo, hi) = doubles(derivation);
    let (real, floating) = (derivation.expr.ideal(), derivation.expr);
    let rule = derivation.rule.name();
    writeln!(f, "{indent}{real} ⇓ {floating}, [{lo}, {hi}]   ({rule})")?;
    derivation
        .premises
        .iter()
        .try_for_each(|premise| tree(f, premise, depth + 1))
}

/// The ends as doubles, rounded outward.
fn doubles(derivation: &Derivation) -> (String, String) {
    let number = |x: &Dyadic, rounding| {
        let double = x.to_f64(rounding);
        let size = double.abs();
        if double == 0.0 || (1e-5..1e17).contains(&size) {
            format!("{double}")
        } else {
            format!("{double:e}")
        }
    };
    (
        number(derivation.enclosure.lo(), Rounding::Down),
        number(derivation.enclosure.hi(), Rounding::Up),
    )
}

impl Judgement<'_> {
    /// The judgement as LaTeX, for the package `mathpartir`: an `\inferrule` for each assignment
    /// and for the result.
    pub fn latex(&self) -> String {
        let mut text = String::new();
        let derivations = self
            .variables
            .iter()
            .map(|(name, derivation)| (format!("{} = ", variable(name)), derivation));
        let result = (r"\mathsf{return}\ ".to_owned(), &self.result);
        for (label, derivation) in derivations.chain([result]) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "\\[ {label}{} \\]", derivation.latex());
        }
        text
    }
}

impl Derivation<'_> {
    /// The derivation as LaTeX, for the package `mathpartir`.
    pub fn latex(&self) -> String {
        let (lo, hi) = doubles(self);
        let conclusion = format!(
            r"{} \Downarrow {},\ [{}, {}]",
            latex(&self.expr.ideal()),
            latex(self.expr),
            scientific(&lo),
            scientific(&hi)
        );
        let premises: Vec<String> = self.premises.iter().map(Derivation::latex).collect();
        format!(
            r"\inferrule*[right={}]{{{}}}{{{conclusion}}}",
            self.rule.name(),
            premises.join(r" \\ ")
        )
    }
}

impl Program {
    /// The program as one line of LaTeX, in the notation of the literature.
    pub fn latex(&self) -> String {
        let sample = |name: &str, distribution: &Distribution| {
            let law = match distribution {
                Distribution::Uniform(_) => r"\mathsf{unif}".to_owned(),
                Distribution::Sign => r"\{-1, 1\}".to_owned(),
                Distribution::Laplace { scale } => format!(r"\mathsf{{laplace}}({})", latex(scale)),
            };
            format!(r"{} \stackrel{{\$}}{{\leftarrow}} {law}", variable(name))
        };
        let mut parts: Vec<String> = self
            .samples()
            .map(|(name, distribution)| sample(name, distribution))
            .collect();
        parts.extend(
            self.assignments()
                .map(|a| format!("{} = {}", variable(&a.name), latex(&a.value))),
        );
        parts.push(format!(r"\mathsf{{return}}\ {}", latex(&self.result)));
        parts.join(r";\ ")
    }
}

/// `1e-10` as `1 \cdot 10^{-10}`.
fn scientific(number: &str) -> String {
    match number.split_once('e') {
        Some((digits, exponent)) => format!(r"{digits} \cdot 10^{{{exponent}}}"),
        None => number.to_owned(),
    }
}

fn variable(name: &str) -> String {
    match name {
        "lambda" => r"\lambda".to_owned(),
        "Lambda" => r"\Lambda".to_owned(),
        "epsilon" => r"\varepsilon".to_owned(),
        "Delta" => r"\Delta".to_owned(),
        _ => {
            let primes = name.len() - name.trim_end_matches('\'').len();
            let stem = name.trim_end_matches('\'').replace('_', r"\_");
            let letter = if stem.chars().count() == 1 {
                stem
            } else {
                format!(r"\mathit{{{stem}}}")
            };
            format!("{letter}{}", "'".repeat(primes))
        }
    }
}

/// How tightly an expression binds: sums 0, products 1, the rest 2.
fn level(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary { operator, .. } => match operator {
            Operator::Add | Operator::Subtract => 0,
            Operator::Multiply | Operator::Divide => 1,
        },
        _ => 2,
    }
}

fn latex(expr: &Expr) -> String {
    let operand = |x: &Expr, least: u8| {
        if level(x) < least {
            format!(r"\left({}\right)", latex(x))
        } else {
            latex(x)
        }
    };
    match &expr.kind {
        ExprKind::Constant(_) => match expr.to_string().split_once('^') {
            Some((two, exponent)) => format!("{two}^{{{exponent}}}"),
            None => expr.to_string(),
        },
        ExprKind::Name(name) => variable(name),
        ExprKind::Query => "f".to_owned(),
        ExprKind::Negate(x) => format!("-{}", operand(x, 2)),
        ExprKind::Nearest(x) => format!(r"\mathsf{{fl}}\left({}\right)", latex(x)),
        ExprKind::CeilPowerOfTwo(x) => format!(r"2^{{\lceil \log_2 {} \rceil}}", operand(x, 2)),
        ExprKind::Ln {
            arithmetic: OperationArithmetic::Real,
            argument,
        } => format!(r"\ln\left({}\right)", latex(argument)),
        ExprKind::Ln { argument, .. } => format!(r"\mathsf{{LN}}\left({}\right)", latex(argument)),
        ExprKind::Clamp { argument, bound } => {
            format!(
                r"\mathsf{{clamp}}_{{{}}}\left({}\right)",
                latex(bound),
                latex(argument)
            )
        }
        ExprKind::Round {
            argument,
            grid,
            ties,
            ..
        } => {
            let mark = match ties {
                Ties::Up => "",
                Ties::Even => r"^{\mathrm{even}}",
                Ties::Away => r"^{\mathrm{away}}",
            };
            format!(
                r"\left\lfloor {} \right\rceil_{{{}}}{mark}",
                latex(argument),
                latex(grid)
            )
        }
        ExprKind::Binary {
            operator,
            arithmetic,
            left,
            right,
        } => {
            let symbol = match (operator, arithmetic) {
                (Operator::Add, OperationArithmetic::Real) => "+",
                (Operator::Subtract, OperationArithmetic::Real) => "-",
                (Operator::Multiply, OperationArithmetic::Real) => r"\times",
                (Operator::Divide, OperationArithmetic::Real) => r"\div",
                (Operator::Add, OperationArithmetic::Rounded) => r"\oplus",
                (Operator::Subtract, OperationArithmetic::Rounded) => r"\ominus",
                (Operator::Multiply, OperationArithmetic::Rounded) => r"\otimes",
                (Operator::Divide, OperationArithmetic::Rounded) => r"\oslash",
            };
            let own = level(expr);
            format!(
                "{} {symbol} {}",
                operand(left, own),
                operand(right, own + 1)
            )
        }
    }
}
