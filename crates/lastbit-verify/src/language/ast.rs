//! The tree of a program.

use lastbit_exact::Rational;

use super::Position;

/// A mechanism: parameters, then samplings and assignments in order, then what it returns.
///
/// Equality of trees is equality of what they say: positions in the source do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name after `program`, if there is one.
    pub name: Option<String>,
    /// The declared parameters, in order: positive numbers, so that one text describes a family.
    pub parameters: Vec<Parameter>,
    /// Samplings and assignments, in order.
    pub statements: Vec<Statement>,
    /// What the mechanism publishes.
    pub result: Expr,
}

/// A declared parameter: a positive number that is public.
///
/// Names with a meaning for privacy: `epsilon` (the loss claimed), `Delta` (the sensitivity of the
/// query, 1 if there is none of that name), `lambda` (the scale of the noise), `Lambda` (the grid),
/// `B` (the bound of query and output).
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value unless another is given: a constant expression over the parameters before it.
    pub default: Option<Expr>,
    /// Where it is declared.
    pub at: Position,
}

/// A line of a program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Statement {
    /// `name <- distribution`: an independent draw.
    Sample {
        /// The variable that holds the draw.
        name: String,
        /// What it is drawn from.
        distribution: Distribution,
        /// Where the name stands.
        at: Position,
    },
    /// `name = expression`.
    Assign(Assignment),
}

/// `name = value`; each name is assigned once.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: Expr,
    /// Where the name stands.
    pub at: Position,
}

/// What a sample is drawn from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// `unif`: uniform on (0, 1) in a real program; in a floating one `U*`, the p-bit numbers of
    /// (0, 1), each with the weight of its last place, of the given shape.
    Uniform(UniformShape),
    /// `sign`: −1 or 1, each with probability one half.
    Sign,
    /// `laplace(scale)`: real Laplace noise around 0; in a floating program rounded to the format
    /// once.
    Laplace {
        /// The scale: a constant expression, positive.
        scale: Expr,
    },
}

/// How `U*` departs from the sound one, if it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UniformShape {
    /// `bits: n`: n significant bits instead of the format's own p.
    pub bits: Option<u32>,
    /// `exponents: n`: the exponent e of `1.m · 2^-e` stops at n, which takes the probability of
    /// all larger ones; without it exponents are unbounded. 0 is never drawn.
    pub exponents: Option<u32>,
}

/// An expression, and where it begins (for a binary operator: where the operator stands).
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is in the source.
    pub at: Position,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExprKind {
    /// A number, not negative and with a finite decimal: the parser makes no other. In a floating
    /// expression it stands for the nearest number of the format.
    Constant(Rational),
    /// A parameter, a sample or an assigned variable. A parameter in a floating expression stands
    /// for the nearest number of the format.
    Name(String),
    /// `f`: the value of the query on the data. In a floating expression it stands for the nearest
    /// number of the format.
    Query,
    /// `−x`, exact in both arithmetics.
    Negate(Box<Expr>),
    /// `left ∘ right`.
    Binary {
        /// Which operation.
        operator: Operator,
        /// Real, or rounded to nearest even.
        arithmetic: OperationArithmetic,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `ln x`, or `LN x` correctly rounded.
    Ln {
        /// Real, or rounded to nearest even.
        arithmetic: OperationArithmetic,
        /// The argument, which must be positive.
        argument: Box<Expr>,
    },
    /// `fl(x)`: the real value of an expression, rounded to the format once.
    Nearest(Box<Expr>),
    /// `round(x, grid)`: the nearest multiple of the grid, exact in both arithmetics.
    Round {
        /// What is rounded.
        argument: Box<Expr>,
        /// The grid: a constant expression whose value is a power of two.
        grid: Box<Expr>,
        /// Where a number half-way between two multiples goes.
        ties: Ties,
        /// Whether a zero keeps its sign.
        zero: Zero,
    },
    /// `clamp(x, bound)`: x moved into [−bound, bound], exact in both arithmetics.
    Clamp {
        /// What is clamped.
        argument: Box<Expr>,
        /// The bound: a constant expression, positive; in a floating expression the nearest number
        /// of the format.
        bound: Box<Expr>,
    },
    /// `ceil2(x)`: the smallest power of two ≥ x. Only in constant expressions.
    CeilPowerOfTwo(Box<Expr>),
}

/// An arithmetic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operator {
    /// `+`.
    Add,
    /// `−`.
    Subtract,
    /// `×`.
    Multiply,
    /// `÷`.
    Divide,
}

/// The arithmetic of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationArithmetic {
    /// Of the real numbers.
    Real,
    /// Of the p-bit format: the real result rounded to nearest even.
    Rounded,
}

/// Where rounding to a grid sends a number half-way between two multiples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ties {
    /// Toward +∞, the definition of the snapping mechanism: `Λ·⌊x/Λ + 1/2⌋`.
    #[default]
    Up,
    /// To the even multiple.
    Even,
    /// Away from zero.
    Away,
}

/// What rounding to a grid does with the sign of a zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Zero {
    /// Zero is +0.
    #[default]
    Positive,
    /// A negative number that rounds to zero gives −0: a leaked bit.
    Signed,
}

impl Expr {
    /// An expression at a position.
    pub fn new(kind: ExprKind, at: Position) -> Expr {
        Expr { kind, at }
    }

    /// The expressions directly inside, in the order in which they are written.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Constant(_) | ExprKind::Name(_) | ExprKind::Query => vec![],
            ExprKind::Negate(x) | ExprKind::Nearest(x) | ExprKind::CeilPowerOfTwo(x) => vec![x],
            ExprKind::Ln { argument, .. } => vec![argument],
            ExprKind::Binary { left, right, .. } => vec![left, right],
            ExprKind::Round { argument, grid, .. } => vec![argument, grid],
            ExprKind::Clamp { argument, bound } => vec![argument, bound],
        }
    }
}

impl Program {
    /// The distribution of a sample, if there is one of this name.
    pub fn distribution(&self, sample: &str) -> Option<&Distribution> {
        self.statements
            .iter()
            .find_map(|statement| match statement {
                Statement::Sample {
                    name, distribution, ..
                } if name == sample => Some(distribution),
                _ => None,
            })
    }

    /// The samples in the order in which they are drawn.
    pub fn samples(&self) -> impl Iterator<Item = (&str, &Distribution)> {
        self.statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Sample {
                    name, distribution, ..
                } => Some((name.as_str(), distribution)),
                Statement::Assign(_) => None,
            })
    }

    /// The assignments in order.
    pub fn assignments(&self) -> impl Iterator<Item = &Assignment> {
        self.statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Assign(assignment) => Some(assignment),
                Statement::Sample { .. } => None,
            })
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}
impl Eq for Expr {}

impl PartialEq for Parameter {
    fn eq(&self, other: &Parameter) -> bool {
        (&self.name, &self.default) == (&other.name, &other.default)
    }
}
impl Eq for Parameter {}

impl PartialEq for Assignment {
    fn eq(&self, other: &Assignment) -> bool {
        (&self.name, &self.value) == (&other.name, &other.value)
    }
}
impl Eq for Assignment {}

impl PartialEq for Statement {
    fn eq(&self, other: &Statement) -> bool {
        match (self, other) {
            (
                Statement::Sample {
                    name, distribution, ..
                },
                Statement::Sample {
                    name: other_name,
                    distribution: other_distribution,
                    ..
                },
            ) => (name, distribution) == (other_name, other_distribution),
            (Statement::Assign(one), Statement::Assign(other)) => one == other,
            _ => false,
        }
    }
}
impl Eq for Statement {}
