//! From a program of the language to a claim, or to the place where the proof fails.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

use lastbit_exact::{Rational, Rounding};

use super::claim::{Claim, Factor};
use super::document::Certificate;
use super::premise::{Premise, Refusal};
use super::prove::prove;
use crate::language::{
    Distribution, Expr, ExprKind, OperationArithmetic, Operator, Position, Statement, Ties, Zero,
};
use crate::semantics::Instance;

/// The most operations on the logarithm.
const MOST_FACTORS: usize = 8;

/// Constants computed from constants lie between 2^-this and 2^this.
const LARGEST_EXPONENT: i64 = 1 << 14;

/// Where the proof fails: the premise, the place in the source, and what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
/// The query value is taken to be a number of the format, and its sensitivity the parameter `Delta`
/// (1 if there is none). If the program does not clamp its input, the proof is about queries within
/// [`Claim::query_within`].
///
/// ```
/// use lastbit_verify::certificate::{Premise, prove_program};
/// use lastbit_verify::language::{Checked, library, parse};
/// use lastbit_verify::semantics::Instance;
/// let instance = |name| {
///     Instance::new(Checked::new(parse(library(name).unwrap()).unwrap()).unwrap(), &[].into())
///         .unwrap()
/// };
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
    /// What each variable stands for.
    definitions: BTreeMap<&'a str, &'a Expr>,
    /// The variables that depend on the query.
    of_query: BTreeSet<&'a str>,
    /// What each variable is as a part of the noise. Computed once each: a name may be used many
    /// times in each of many lines.
    parts: BTreeMap<&'a str, Result<Part, Gap>>,
}

impl<'a> Reader<'a> {
    fn new(instance: &'a Instance, precision: u32) -> Reader<'a> {
        let mut reader = Reader {
            instance,
            precision,
            definitions: BTreeMap::new(),
            of_query: BTreeSet::new(),
            parts: BTreeMap::new(),
        };
        // A variable is assigned before it is used, so its definition only asks for what is known
        // already.
        for assignment in instance.program().assignments() {
            let (name, value) = (assignment.name.as_str(), &assignment.value);
            if reader.reads_query(value) {
                reader.of_query.insert(name);
            }
            let part = reader.part(value);
            reader.parts.insert(name, part);
            reader.definitions.insert(name, reader.resolve(value));
        }
        reader
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
                    "the sum is published without rounding to a grid; write clamp(round(…, \
                     Lambda), B)",
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
            .filter(|grid| *grid.mantissa() == lastbit_exact::Integer::ONE)
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
    fn resolve(&self, expr: &'a Expr) -> &'a Expr {
        match &expr.kind {
            ExprKind::Name(name) => self.definitions.get(name.as_str()).copied().unwrap_or(expr),
            _ => expr,
        }
    }

    /// Without what is done to the published number by constants alone: post-processing.
    fn published(&self, expr: &'a Expr) -> &'a Expr {
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

    fn constant(&self, expr: &'a Expr) -> Option<Rational> {
        self.instance.constant(self.resolve(expr)).ok()
    }

    /// A constant as the format holds it.
    fn p_bit(&self, expr: &'a Expr) -> Option<Rational> {
        Some(self.rounded(&self.constant(expr)?))
    }

    fn rounded(&self, value: &Rational) -> Rational {
        let bits = self.precision.max(2) as usize;
        Rational::from(value.round(bits, Rounding::NearestEven))
    }

    /// The data and the noise of `data ⊕ noise` or `data ⊖ noise`.
    fn sum(&self, expr: &'a Expr) -> Result<(&'a Expr, &'a Expr), Gap> {
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
        if *arithmetic == OperationArithmetic::Real {
            let detail = "this sum is over the real numbers; a certificate is about floating \
                programs, write (+)";
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
        match &expr.kind {
            ExprKind::Query => true,
            ExprKind::Name(name) => self.of_query.contains(name.as_str()),
            _ => expr.children().iter().any(|child| self.reads_query(child)),
        }
    }

    /// `f`, or f scaled once.
    fn input(&self, expr: &'a Expr) -> Result<Vec<Factor>, Gap> {
        let detail = "the input must be f, or f multiplied or divided by one constant";
        match &expr.kind {
            ExprKind::Query => Ok(Vec::new()),
            ExprKind::Binary {
                operator,
                arithmetic: OperationArithmetic::Rounded,
                left,
                right,
            } => {
                let is_query = |x: &'a Expr| matches!(self.resolve(x).kind, ExprKind::Query);
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

    /// What `LN(U*)` goes through on its way to the noise, which has one sign.
    fn noise(&self, expr: &'a Expr) -> Result<Vec<Factor>, Gap> {
        let Part::Logarithm {
            mut factors,
            signed,
        } = self.part(expr)?
        else {
            let detail = "the noise must have the logarithm of one uniform";
            return Err(gap(Premise::Noise, expr, detail));
        };
        if !signed {
            let detail = "the noise needs one fair sign, or outputs on one side of f cannot appear";
            return Err(gap(Premise::Noise, expr, detail));
        }
        if factors.is_empty() {
            factors.push(Factor::Times(Rational::ONE));
        }
        Ok(factors)
    }

    /// What an expression is as a part of the noise. Operations among constants are done here,
    /// rounded as the program rounds them: only what `LN(U*)` itself goes through is left, one
    /// rounding each.
    fn part(&self, expr: &'a Expr) -> Result<Part, Gap> {
        if let Some(value) = self.p_bit(expr) {
            return Ok(Part::Constant(value.abs()));
        }
        match &expr.kind {
            ExprKind::Negate(x) => self.part(x),
            ExprKind::Nearest(x) => match self.p_bit(x) {
                Some(value) => Ok(Part::Constant(value.abs())),
                None => {
                    let detail = "fl of what is no constant; the noise is a rounded product of a \
                        sign, constants and ln~(u)";
                    Err(gap(Premise::Noise, expr, detail))
                }
            },
            ExprKind::Name(name) => match (
                self.parts.get(name.as_str()),
                self.instance.program().distribution(name),
            ) {
                (Some(part), _) => part.clone(),
                (None, Some(Distribution::Sign)) => Ok(Part::Signed(Rational::ONE)),
                _ => {
                    let detail = format!(
                        "`{name}` is no sign; the noise is a product of a sign, constants and \
                         ln~(u)"
                    );
                    Err(gap(Premise::Noise, expr, detail))
                }
            },
            ExprKind::Ln {
                arithmetic: OperationArithmetic::Rounded,
                argument,
            } => {
                self.uniform(argument)?;
                Ok(Part::Logarithm {
                    factors: Vec::new(),
                    signed: false,
                })
            }
            ExprKind::Binary {
                operator: Operator::Multiply,
                arithmetic: OperationArithmetic::Rounded,
                left,
                right,
            } => self.product(expr, self.part(left)?, self.part(right)?),
            ExprKind::Binary {
                operator: Operator::Divide,
                arithmetic: OperationArithmetic::Rounded,
                left,
                right,
            } => match self.part(right) {
                Ok(Part::Constant(divisor)) if !divisor.is_zero() => {
                    self.quotient(expr, self.part(left)?, divisor)
                }
                _ => {
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

    /// An operation among constants of the noise; what no mechanism needs is refused before it
    /// fills the memory.
    fn folded(&self, expr: &Expr, value: &Rational) -> Result<Rational, Gap> {
        let rounded = self.rounded(value);
        match rounded.ceil_log2() {
            Some(exponent) if exponent.abs() <= LARGEST_EXPONENT => Ok(rounded),
            _ => {
                let detail = format!("this constant is outside 2^±{LARGEST_EXPONENT}");
                Err(gap(Premise::Format, expr, detail))
            }
        }
    }

    fn product(&self, expr: &Expr, left: Part, right: Part) -> Result<Part, Gap> {
        let twice = |what| Err(gap(Premise::Noise, expr, what));
        match (left, right) {
            (Part::Constant(a), Part::Constant(b)) => {
                Ok(Part::Constant(self.folded(expr, &(&a * &b))?))
            }
            (Part::Constant(a), Part::Signed(b)) | (Part::Signed(a), Part::Constant(b)) => {
                Ok(Part::Signed(self.folded(expr, &(&a * &b))?))
            }
            (Part::Signed(_), Part::Signed(_)) => twice("the noise must have one sign, not two"),
            (Part::Logarithm { factors, signed }, Part::Constant(c))
            | (Part::Constant(c), Part::Logarithm { factors, signed }) => {
                chained(expr, factors, Factor::Times(c), signed)
            }
            (Part::Logarithm { signed: true, .. }, Part::Signed(_))
            | (Part::Signed(_), Part::Logarithm { signed: true, .. }) => {
                twice("the noise must have one sign, not two")
            }
            (Part::Logarithm { factors, .. }, Part::Signed(c))
            | (Part::Signed(c), Part::Logarithm { factors, .. }) => {
                if c == Rational::ONE {
                    return Ok(Part::Logarithm {
                        factors,
                        signed: true,
                    });
                }
                chained(expr, factors, Factor::Times(c), true)
            }
            (Part::Logarithm { .. }, Part::Logarithm { .. }) => {
                twice("the noise must have the logarithm of one uniform, not a product of two")
            }
        }
    }

    fn quotient(&self, expr: &Expr, part: Part, divisor: Rational) -> Result<Part, Gap> {
        match part {
            Part::Constant(a) => Ok(Part::Constant(self.folded(expr, &(&a / &divisor))?)),
            Part::Signed(a) => Ok(Part::Signed(self.folded(expr, &(&a / &divisor))?)),
            Part::Logarithm { factors, signed } => {
                chained(expr, factors, Factor::Over(divisor), signed)
            }
        }
    }

    /// The argument of the logarithm is a sound `U*`.
    fn uniform(&self, expr: &'a Expr) -> Result<(), Gap> {
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

/// A part of the noise; sizes only, as the noise has a fair sign.
#[derive(Clone, Debug)]
enum Part {
    /// A constant of the format.
    Constant(Rational),
    /// A constant of the format times the sign.
    Signed(Rational),
    /// `LN(U*)` after these operations, and times the sign if there is one.
    Logarithm { factors: Vec<Factor>, signed: bool },
}

/// One operation more on the logarithm.
fn chained(expr: &Expr, mut factors: Vec<Factor>, next: Factor, signed: bool) -> Result<Part, Gap> {
    if factors.len() == MOST_FACTORS {
        let detail = format!("at most {MOST_FACTORS} operations on the logarithm");
        return Err(gap(Premise::Noise, expr, detail));
    }
    factors.push(next);
    Ok(Part::Logarithm { factors, signed })
}

fn gap(premise: Premise, expr: &Expr, detail: impl Into<String>) -> Gap {
    Gap {
        premise,
        at: expr.at,
        detail: detail.into(),
    }
}
