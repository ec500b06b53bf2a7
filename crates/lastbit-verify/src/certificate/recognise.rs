//! From a program of the language to a claim, or to the place where the proof fails.

use core::fmt;

use lastbit_exact::{Rational, Rounding};

use super::claim::{Claim, Factor};
use super::document::Certificate;
use super::premise::{Premise, Refusal};
use super::prove::prove;
use crate::language::{
    Arithmetic, Distribution, Expr, ExprKind, Operator, Position, Statement, Ties, Zero,
};
use crate::semantics::Instance;

/// Where the proof fails: the premise, the place in the source, and what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The premise that does not hold.
    pub premise: Premise,
    /// Where in the source.
    pub at: Position,
    /// What is there, and the remedy.
    pub detail: String,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gap {
            premise,
            at,
            detail,
        } = self;
        write!(f, "{at}: the proof needs {premise}: {detail}")
    }
}

impl core::error::Error for Gap {}

/// Proves a bound on the loss of a program, or says where the proof fails.
///
/// The query value is taken to be a number of the format, and its sensitivity the parameter `Delta` (1 if there is none).
///
/// ```
/// use lastbit_verify::certificate::{Premise, prove_program};
/// use lastbit_verify::language::{Checked, library, parse};
/// use lastbit_verify::semantics::Instance;
/// let instance = |name| Instance::new(Checked::new(parse(library(name).unwrap()).unwrap()).unwrap(), &[].into()).unwrap();
/// assert!(prove_program(&instance("snapping"), 53).is_ok());
/// let gap = prove_program(&instance("naive_laplace"), 53).unwrap_err();
/// assert_eq!(gap.premise, Premise::Grid);
/// ```
pub fn prove_program(instance: &Instance, precision: u32) -> Result<(Claim, Certificate), Gap> {
    let (claim, places) = Reader::new(instance, precision).claim()?;
    match prove(&claim) {
        Ok(certificate) => Ok((claim, certificate)),
        Err(Refusal { premise, detail }) => {
            let at = match premise {
                Premise::Grid => places.grid,
                Premise::BoundRange => places.bound,
                _ => places.result,
            };
            Err(Gap {
                premise,
                at,
                detail,
            })
        }
    }
}

struct Places {
    grid: Position,
    bound: Position,
    result: Position,
}

struct Reader<'a> {
    instance: &'a Instance,
    precision: u32,
}

impl<'a> Reader<'a> {
    fn new(instance: &'a Instance, precision: u32) -> Reader<'a> {
        Reader {
            instance,
            precision,
        }
    }

    fn claim(&self) -> Result<(Claim, Places), Gap> {
        let result = self.published(&self.instance.program().result);
        let ExprKind::Clamp { argument, bound } = &result.kind else {
            return Err(match &result.kind {
                ExprKind::Round { .. } => gap(
                    Premise::OuterClamp,
                    result,
                    "the rounded sum is published as it is; clamp it to B",
                ),
                _ => gap(
                    Premise::Grid,
                    result,
                    "the sum is published without rounding to a grid; write clamp(round(…, Lambda), B)",
                ),
            });
        };
        let rounded = self.resolve(argument);
        let ExprKind::Round {
            argument: sum,
            grid,
            ties,
            zero,
        } = &rounded.kind
        else {
            return Err(gap(
                Premise::Grid,
                rounded,
                "what is clamped is not rounded to a grid; round it to the multiples of Lambda",
            ));
        };
        if *zero == Zero::Signed {
            let detail =
                "a zero keeps its sign here, which splits its cell in two; drop `zero: signed`";
            return Err(gap(Premise::PositiveZero, rounded, detail));
        }
        if *ties != Ties::Up {
            let detail = "ties go another way here; drop `ties`";
            return Err(gap(Premise::TiesUp, rounded, detail));
        }
        let grid_exponent = self
            .constant(grid)
            .and_then(|grid| grid.to_dyadic())
            .filter(|grid| *grid.mantissa() == lastbit_exact::IBig::ONE)
            .map(|grid| grid.exponent())
            .ok_or_else(|| {
                gap(
                    Premise::Grid,
                    grid,
                    "the grid is not a power of two; use ceil2",
                )
            })?;
        let bound_value = self
            .p_bit(bound)
            .ok_or_else(|| gap(Premise::OuterClamp, bound, "the bound is not a constant"))?;

        let (data, noise) = self.sum(sum)?;
        let data = self.resolve(data);
        let (data, clamped) = match &data.kind {
            ExprKind::Clamp { argument, bound } => {
                let inner = self.p_bit(bound);
                if inner.is_none_or(|inner| inner > bound_value) {
                    let detail = "the input is clamped to more than the output; use the same B";
                    return Err(gap(Premise::InnerClamp, data, detail));
                }
                (self.resolve(argument), true)
            }
            _ => (data, false),
        };
        let claim = Claim {
            precision: self.precision,
            sensitivity: self
                .instance
                .parameters()
                .get("Delta")
                .cloned()
                .unwrap_or(Rational::ONE),
            input: self.input(data)?,
            clamped,
            noise: self.noise(noise)?,
            grid_exponent,
            bound: bound_value,
        };
        let places = Places {
            grid: grid.at,
            bound: bound.at,
            result: result.at,
        };
        Ok((claim, places))
    }

    /// The expression behind names of assigned variables.
    fn resolve<'b>(&'b self, mut expr: &'b Expr) -> &'b Expr {
        while let ExprKind::Name(name) = &expr.kind {
            let mut assignments = self.instance.program().assignments();
            match assignments.find(|assignment| assignment.name == *name) {
                Some(assignment) => expr = &assignment.value,
                None => break,
            }
        }
        expr
    }

    /// Without what is done to the published number by constants alone: post-processing.
    fn published<'b>(&'b self, expr: &'b Expr) -> &'b Expr {
        let mut expr = self.resolve(expr);
        loop {
            let inside = match &expr.kind {
                ExprKind::Negate(x) => x,
                ExprKind::Binary { left, right, .. } if self.constant(right).is_some() => left,
                ExprKind::Binary { left, right, .. } if self.constant(left).is_some() => right,
                _ => return expr,
            };
            expr = self.resolve(inside);
        }
    }

    fn constant(&self, expr: &Expr) -> Option<Rational> {
        self.instance.constant(self.resolve(expr)).ok()
    }

    /// A constant as the format holds it.
    fn p_bit(&self, expr: &Expr) -> Option<Rational> {
        let value = self.constant(expr)?;
        Some(Rational::from(value.round(
            self.precision.max(2) as usize,
            Rounding::NearestEven,
        )))
    }

    /// The data and the noise of `data ⊕ noise` or `data ⊖ noise`.
    fn sum<'b>(&'b self, expr: &'b Expr) -> Result<(&'b Expr, &'b Expr), Gap> {
        let sum = self.resolve(expr);
        let ExprKind::Binary {
            operator: operator @ (Operator::Add | Operator::Subtract),
            arithmetic,
            left,
            right,
        } = &sum.kind
        else {
            let detail = "what is rounded to the grid is not the sum of the input and the noise";
            return Err(gap(Premise::Noise, sum, detail));
        };
        if *arithmetic == Arithmetic::Real {
            let detail = "this sum is over the real numbers; a certificate is about floating programs, write (+)";
            return Err(gap(Premise::Noise, sum, detail));
        }
        match (self.reads_query(left), self.reads_query(right)) {
            (true, false) => Ok((left, right)),
            (false, true) if *operator == Operator::Add => Ok((right, left)),
            _ => {
                let detail = "one side of the sum must be the input and the other the noise";
                Err(gap(Premise::Noise, sum, detail))
            }
        }
    }

    fn reads_query(&self, expr: &Expr) -> bool {
        let expr = self.resolve(expr);
        matches!(expr.kind, ExprKind::Query)
            || expr.children().iter().any(|child| self.reads_query(child))
    }

    /// `f`, or f scaled once.
    fn input(&self, expr: &Expr) -> Result<Vec<Factor>, Gap> {
        let detail = "the input must be f, or f multiplied or divided by one constant";
        match &expr.kind {
            ExprKind::Query => Ok(Vec::new()),
            ExprKind::Binary {
                operator,
                arithmetic: Arithmetic::Rounded,
                left,
                right,
            } => {
                let is_query = |x: &Expr| matches!(self.resolve(x).kind, ExprKind::Query);
                let factor = match operator {
                    Operator::Multiply if is_query(left) => self.p_bit(right).map(Factor::Times),
                    Operator::Multiply if is_query(right) => self.p_bit(left).map(Factor::Times),
                    Operator::Divide if is_query(left) => self.p_bit(right).map(Factor::Over),
                    _ => None,
                };
                factor
                    .map(|factor| vec![factor])
                    .ok_or_else(|| gap(Premise::Noise, expr, detail))
            }
            _ => Err(gap(Premise::Noise, expr, detail)),
        }
    }

    /// The constants of a product of one sign, one `LN(U*)` and constants.
    fn noise(&self, expr: &Expr) -> Result<Vec<Factor>, Gap> {
        let mut parts = Parts::default();
        self.collect(expr, &mut parts)?;
        if parts.logarithms != 1 {
            let detail = "the noise must have the logarithm of one uniform";
            return Err(gap(Premise::Noise, expr, detail));
        }
        if parts.signs != 1 {
            let detail = "the noise needs one fair sign, or outputs on one side of f cannot appear";
            return Err(gap(Premise::Noise, expr, detail));
        }
        if parts.factors.is_empty() {
            parts.factors.push(Factor::Times(Rational::ONE));
        }
        Ok(parts.factors)
    }

    fn collect(&self, expr: &Expr, parts: &mut Parts) -> Result<(), Gap> {
        if let Some(value) = self.p_bit(expr) {
            parts.factors.push(Factor::Times(value));
            return Ok(());
        }
        let expr = self.resolve(expr);
        match &expr.kind {
            ExprKind::Negate(x) => self.collect(x, parts),
            ExprKind::Name(name) => match self.instance.program().distribution(name) {
                Some(Distribution::Sign) => {
                    parts.signs += 1;
                    Ok(())
                }
                _ => {
                    let detail = format!(
                        "`{name}` is no sign; the noise is a product of a sign, constants and ln~(u)"
                    );
                    Err(gap(Premise::Noise, expr, detail))
                }
            },
            ExprKind::Ln {
                arithmetic: Arithmetic::Rounded,
                argument,
            } => {
                parts.logarithms += 1;
                self.uniform(argument)
            }
            ExprKind::Binary {
                operator: Operator::Multiply,
                arithmetic: Arithmetic::Rounded,
                left,
                right,
            } => {
                self.collect(left, parts)?;
                self.collect(right, parts)
            }
            ExprKind::Binary {
                operator: Operator::Divide,
                arithmetic: Arithmetic::Rounded,
                left,
                right,
            } => match self.p_bit(right) {
                Some(divisor) => {
                    self.collect(left, parts)?;
                    parts.factors.push(Factor::Over(divisor));
                    Ok(())
                }
                None => {
                    let detail = "noise is divided by constants only";
                    Err(gap(Premise::Noise, right, detail))
                }
            },
            _ => {
                let detail = "not a rounded product of a sign, constants and ln~(u)";
                Err(gap(Premise::Noise, expr, detail))
            }
        }
    }

    /// The argument of the logarithm is a sound `U*`.
    fn uniform(&self, expr: &Expr) -> Result<(), Gap> {
        let expr = self.resolve(expr);
        let ExprKind::Name(name) = &expr.kind else {
            let detail = "the logarithm must be of the uniform itself";
            return Err(gap(Premise::Noise, expr, detail));
        };
        let drawn =
            self.instance
                .program()
                .statements
                .iter()
                .find_map(|statement| match statement {
                    Statement::Sample {
                        name: other,
                        distribution: Distribution::Uniform(shape),
                        at,
                    } if other == name => Some((shape, *at)),
                    _ => None,
                });
        let Some((shape, at)) = drawn else {
            let detail = format!("`{name}` is not drawn from unif");
            return Err(gap(Premise::Noise, expr, detail));
        };
        if let Some(bits) = shape.bits.filter(|&bits| bits != self.precision) {
            return Err(Gap {
                premise: Premise::FullUniform,
                at,
                detail: format!(
                    "`{name}` has {bits} bits where the format has {}; drop `bits`",
                    self.precision
                ),
            });
        }
        if let Some(exponents) = shape.exponents {
            return Err(Gap {
                premise: Premise::UnboundedExponent,
                at,
                detail: format!("the exponent of `{name}` stops at {exponents}; drop `exponents`"),
            });
        }
        Ok(())
    }
}

#[derive(Default)]
struct Parts {
    factors: Vec<Factor>,
    signs: usize,
    logarithms: usize,
}

fn gap(premise: Premise, expr: &Expr, detail: impl Into<String>) -> Gap {
    Gap {
        premise,
        at: expr.at,
        detail: detail.into(),
    }
}
