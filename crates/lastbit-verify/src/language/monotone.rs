//! In which direction the output moves with a sample, for fixed signs: what the analysis of the
//! loss rests on.

use std::collections::BTreeMap;

use lastbit_exact::Rational;

use super::constant::division_by_zero;
use super::range::Range;
use super::{
    Diagnostic, Distribution, Expr, ExprKind, OperationArithmetic, Operator, Position, Program,
    Statement, UniformShape,
};

/// How a value moves with an input that grows, not strictly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Not at all.
    Constant,
    /// Never down.
    Increasing,
    /// Never up.
    Decreasing,
    /// Up and down, or not known; where that begins.
    Unknown(Position),
}

/// How the output moves with each input, for one choice of the signs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Motion {
    /// The value of each `sign` sample: whether it is −1.
    pub signs: BTreeMap<String, bool>,
    /// With the query.
    pub query: Direction,
    /// With each sample that is no sign.
    pub samples: BTreeMap<String, Direction>,
}

/// The most `sign` samples of a program: every choice of signs is looked at.
const SIGNS: usize = 6;

/// How the output moves, for every choice of the signs; or the divisions by zero, the logarithms of
/// nonpositive numbers and the uses of a sample that are not monotone.
///
/// Every rule holds in both arithmetics, since rounding to nearest is monotone: `a + b` moves with
/// both; `ab` with a in the sign of b and with b in the sign of a, as
/// `a₂b₂ − a₁b₁ = (a₂ − a₁)b₂ + a₁(b₂ − b₁)`; `1/b` against b where b keeps off 0; `ln`, `fl`,
/// rounding to a grid and clamping with their argument.
pub(super) fn motions(program: &Program) -> Result<Vec<Motion>, Vec<Diagnostic>> {
    let signs: Vec<(&str, Position)> = program
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Sample {
                name,
                distribution: Distribution::Sign,
                at,
            } => Some((name.as_str(), *at)),
            _ => None,
        })
        .collect();
    if let Some((name, at)) = signs.get(SIGNS) {
        return Err(vec![Diagnostic::new(
            *at,
            format!("`{name}` is sign number {}", SIGNS + 1),
            format!("use at most {SIGNS} signs: every choice of them is looked at"),
        )]);
    }
    let mut errors = Vec::new();
    let mut motions = Vec::new();
    for choice in 0..1u32 << signs.len() {
        let negative = |i: usize| choice >> i & 1 == 1;
        let signs: BTreeMap<String, bool> = signs
            .iter()
            .enumerate()
            .map(|(i, (name, _))| ((*name).to_owned(), negative(i)))
            .collect();
        let mut analysis = Analysis::new(program, &signs);
        let motion = analysis.motion(program, signs);
        for error in analysis.errors {
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        motions.push(motion);
    }
    if errors.is_empty() {
        Ok(motions)
    } else {
        Err(errors)
    }
}

/// What is known of a value: where it lies, and how it moves with each input (the query first, then
/// the samples).
#[derive(Clone)]
struct Known {
    range: Range,
    directions: Vec<Direction>,
}

struct Analysis<'a> {
    /// The inputs that are no signs, after the query.
    inputs: Vec<&'a str>,
    names: BTreeMap<&'a str, Known>,
    errors: Vec<Diagnostic>,
}

impl<'a> Analysis<'a> {
    fn new(program: &'a Program, signs: &BTreeMap<String, bool>) -> Analysis<'a> {
        let inputs: Vec<&str> = program
            .samples()
            .filter(|(_, distribution)| !matches!(distribution, Distribution::Sign))
            .map(|(name, _)| name)
            .collect();
        let mut analysis = Analysis {
            inputs,
            names: BTreeMap::new(),
            errors: Vec::new(),
        };
        for parameter in &program.parameters {
            let known = analysis.fixed(Range::positive());
            analysis.names.insert(&parameter.name, known);
        }
        for (i, name) in analysis.inputs.clone().into_iter().enumerate() {
            let range = match program.distribution(name) {
                Some(Distribution::Uniform(UniformShape { .. })) => Range::unit(),
                _ => Range::all(),
            };
            let known = analysis.input(range, i + 1);
            analysis.names.insert(name, known);
        }
        for (name, _) in program.samples() {
            if let Some(&negative) = signs.get(name) {
                let value = Rational::from(if negative { -1i64 } else { 1 });
                let known = analysis.fixed(Range::point(value));
                analysis.names.insert(name, known);
            }
        }
        analysis
    }

    fn motion(&mut self, program: &'a Program, signs: BTreeMap<String, bool>) -> Motion {
        for assignment in program.assignments() {
            let known = self.known(&assignment.value);
            self.names.insert(&assignment.name, known);
        }
        let result = self.known(&program.result);
        for (name, direction) in self.inputs.iter().zip(&result.directions[1..]) {
            if let Direction::Unknown(at) = direction {
                self.errors.push(Diagnostic::new(
                    *at,
                    format!("the output is not monotone in the sample `{name}` because of this"),
                    format!(
                        "let `{name}` enter once, through + - ln, and products and quotients whose \
                         other side keeps its sign"
                    ),
                ));
            }
        }
        Motion {
            signs,
            query: result.directions[0],
            samples: self
                .inputs
                .iter()
                .zip(&result.directions[1..])
                .map(|(name, direction)| ((*name).to_owned(), *direction))
                .collect(),
        }
    }

    fn fixed(&self, range: Range) -> Known {
        Known {
            range,
            directions: vec![Direction::Constant; self.inputs.len() + 1],
        }
    }

    fn input(&self, range: Range, index: usize) -> Known {
        let mut known = self.fixed(range);
        known.directions[index] = Direction::Increasing;
        known
    }

    fn known(&mut self, expr: &Expr) -> Known {
        match &expr.kind {
            ExprKind::Constant(value) => self.fixed(Range::point(value.clone())),
            ExprKind::Query => self.input(Range::all(), 0),
            // Names have been checked before.
            ExprKind::Name(name) => self
                .names
                .get(name.as_str())
                .cloned()
                .unwrap_or_else(|| self.fixed(Range::all())),
            ExprKind::Negate(x) => self.known(x).negated(),
            ExprKind::Nearest(x) => self.known(x).rounded(),
            ExprKind::CeilPowerOfTwo(_) => self.fixed(Range::positive()),
            ExprKind::Round { argument, .. } => {
                let mut known = self.known(argument);
                known.range = known.range.on_a_grid();
                known
            }
            ExprKind::Clamp { argument, bound } => {
                let mut known = self.known(argument);
                known.range = known.range.clamped(&self.known(bound).range);
                known
            }
            ExprKind::Ln {
                arithmetic,
                argument,
            } => {
                let mut known = self.known(argument);
                if !known.range.is_positive() {
                    self.errors.push(Diagnostic::new(
                        expr.at,
                        format!(
                            "`{argument}` may be zero or negative, where there is no logarithm"
                        ),
                        "take the logarithm of a uniform sample or of another positive number",
                    ));
                }
                known.range = known.range.ln();
                known.in_arithmetic(*arithmetic)
            }
            ExprKind::Binary {
                operator,
                arithmetic,
                left,
                right,
            } => {
                let (left, other) = (self.known(left), self.known(right));
                match operator {
                    Operator::Add => left.plus(&other, expr.at),
                    Operator::Subtract => left.plus(&other.negated(), expr.at),
                    Operator::Multiply => left.times(&other, expr.at),
                    Operator::Divide => match other.reciprocal() {
                        Some(reciprocal) => left.times(&reciprocal, expr.at),
                        None => {
                            self.errors.push(divides_by_zero(expr, right, &other.range));
                            left
                        }
                    },
                }
                .in_arithmetic(*arithmetic)
            }
        }
    }
}

fn divides_by_zero(expr: &Expr, divisor: &Expr, range: &Range) -> Diagnostic {
    if *range == Range::point(Rational::ZERO) {
        return division_by_zero(expr);
    }
    Diagnostic::new(
        expr.at,
        format!("this divides by `{divisor}`, which may be zero"),
        "divide by a parameter, or by what keeps off zero for all inputs",
    )
}

impl Known {
    fn negated(mut self) -> Known {
        self.range = self.range.negated();
        self.directions = self.directions.iter().map(|d| d.reversed()).collect();
        self
    }

    fn rounded(mut self) -> Known {
        self.range = self.range.rounded();
        self
    }

    fn in_arithmetic(self, arithmetic: OperationArithmetic) -> Known {
        match arithmetic {
            OperationArithmetic::Real => self,
            OperationArithmetic::Rounded => self.rounded(),
        }
    }

    fn plus(&self, other: &Known, at: Position) -> Known {
        let directions = self.directions.iter().zip(&other.directions);
        Known {
            range: self.range.plus(&other.range),
            directions: directions.map(|(a, b)| a.and(*b, at)).collect(),
        }
    }

    fn times(&self, other: &Known, at: Position) -> Known {
        let directions = self.directions.iter().zip(&other.directions);
        Known {
            range: self.range.times(&other.range),
            directions: directions
                .map(|(a, b)| {
                    a.scaled(&other.range, at)
                        .and(b.scaled(&self.range, at), at)
                })
                .collect(),
        }
    }

    fn reciprocal(&self) -> Option<Known> {
        Some(Known {
            range: self.range.reciprocal()?,
            directions: self.directions.iter().map(|d| d.reversed()).collect(),
        })
    }
}

impl Direction {
    fn reversed(self) -> Direction {
        match self {
            Direction::Increasing => Direction::Decreasing,
            Direction::Decreasing => Direction::Increasing,
            other => other,
        }
    }

    /// The direction of a sum.
    fn and(self, other: Direction, at: Position) -> Direction {
        match (self, other) {
            (Direction::Unknown(first), _) | (_, Direction::Unknown(first)) => {
                Direction::Unknown(first)
            }
            (Direction::Constant, direction) | (direction, Direction::Constant) => direction,
            (a, b) if a == b => a,
            _ => Direction::Unknown(at),
        }
    }

    /// The direction after multiplication by a factor of this range.
    fn scaled(self, factor: &Range, at: Position) -> Direction {
        match self {
            Direction::Constant | Direction::Unknown(_) => self,
            _ if *factor == Range::point(Rational::ZERO) => Direction::Constant,
            _ if factor.is_nonnegative() => self,
            _ if factor.is_nonpositive() => self.reversed(),
            _ => Direction::Unknown(at),
        }
    }
}
