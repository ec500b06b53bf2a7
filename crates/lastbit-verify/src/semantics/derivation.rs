//! The tree that proves a judgement.

use lastbit_exact::{Dyadic, Enclosure, Format};
use serde::{Deserialize, Serialize};

use crate::language::{Expr, Operator};

/// The rule that a step of a derivation applies; each is proved beside the code that applies it,
/// [`Instance::judge`](super::Instance::judge).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// A number or a parameter, and the nearest number of the format.
    Constant,
    /// The query: every number of its interval, and the nearest in the format.
    Query,
    /// A sample: as the query.
    Sample,
    /// A variable: what was derived for its definition.
    Variable,
    /// `−x`: exact.
    Negate,
    /// A real operation, inside `fl(…)` or in a real program: no rounding.
    Real,
    /// `x ⊕ y`.
    Add,
    /// `x ⊖ y`.
    Subtract,
    /// `x ⊗ y`.
    Multiply,
    /// `x ⊘ y`.
    Divide,
    /// A product with ±1 or a power of two, or a quotient by a power of two: exact.
    Scale,
    /// `LN(x)`.
    Ln,
    /// `fl(x)`.
    Nearest,
    /// Rounding to a grid: exact.
    Round,
    /// Clamping: exact.
    Clamp,
}

impl Rule {
    /// The rule of a rounded operation that is not exact.
    pub(super) fn of(operator: Operator) -> Rule {
        match operator {
            Operator::Add => Rule::Add,
            Operator::Subtract => Rule::Subtract,
            Operator::Multiply => Rule::Multiply,
            Operator::Divide => Rule::Divide,
        }
    }

    /// How derivations name it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Constant => "const",
            Rule::Query => "query",
            Rule::Sample => "sample",
            Rule::Variable => "var",
            Rule::Negate => "neg",
            Rule::Real => "real",
            Rule::Add => "add",
            Rule::Subtract => "sub",
            Rule::Multiply => "mul",
            Rule::Divide => "div",
            Rule::Scale => "scale",
            Rule::Ln => "ln",
            Rule::Nearest => "fl",
            Rule::Round => "round",
            Rule::Clamp => "clamp",
        }
    }
}

/// `e_R ⇓ e_F, [lo, hi]` and why: the rule, and a derivation for each operand.
///
/// Contract: for all inputs in the boxes, the value of e_R over the reals and, unless e_F has none,
/// the value of e_F in the format are in `[lo, hi]`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Derivation<'a> {
    /// The rule of the last step.
    pub rule: Rule,
    /// e_F; e_R is its [`ideal`](Expr::ideal).
    pub expr: &'a Expr,
    /// `[lo, hi]`.
    pub enclosure: Enclosure,
    /// What the rule rests on.
    pub premises: Vec<Derivation<'a>>,
}

/// The judgement of a whole program: one derivation for each assignment, in order, and one for the
/// result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Judgement<'a> {
    /// The format.
    pub format: Format,
    /// Each assigned variable and the derivation of its value.
    pub variables: Vec<(&'a str, Derivation<'a>)>,
    /// The derivation of what is returned.
    pub result: Derivation<'a>,
}

/// A [`Derivation`] as data: expressions as text, ends of intervals as `m*2^e`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivationRecord {
    /// The rule of the last step.
    pub rule: Rule,
    /// e_R.
    pub real: String,
    /// e_F.
    pub floating: String,
    /// The lower end, exactly.
    pub lo: String,
    /// The upper end, exactly.
    pub hi: String,
    /// What the rule rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub premises: Vec<DerivationRecord>,
}

/// One assignment of a [`JudgementRecord`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The variable.
    pub name: String,
    /// The derivation of its value.
    pub derivation: DerivationRecord,
}

/// A [`Judgement`] as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgementRecord {
    /// p.
    pub precision: u32,
    /// The assignments in order.
    pub variables: Vec<StepRecord>,
    /// The result.
    pub result: DerivationRecord,
}

impl Derivation<'_> {
    /// The derivation as data.
    pub fn record(&self) -> DerivationRecord {
        DerivationRecord {
            rule: self.rule,
            real: self.expr.ideal().to_string(),
            floating: self.expr.to_string(),
            lo: exactly(self.enclosure.lo()),
            hi: exactly(self.enclosure.hi()),
            premises: self.premises.iter().map(Derivation::record).collect(),
        }
    }
}

impl Judgement<'_> {
    /// The judgement as data.
    pub fn record(&self) -> JudgementRecord {
        JudgementRecord {
            precision: self.format.precision(),
            variables: self
                .variables
                .iter()
                .map(|(name, derivation)| StepRecord {
                    name: (*name).to_owned(),
                    derivation: derivation.record(),
                })
                .collect(),
            result: self.result.record(),
        }
    }
}

/// `m*2^e`.
fn exactly(x: &Dyadic) -> String {
    format!("{}*2^{}", x.mantissa(), x.exponent())
}
