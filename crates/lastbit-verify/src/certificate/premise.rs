//! What the theorem assumes of a program, and the error that says which assumption fails.

use core::fmt;

/// An assumption of the theorem of `docs/verification.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Premise {
    /// Every number is a p-bit number, p within 8..=1000, and Δ is positive.
    Format,
    /// The noise is `S ⊗ (LN(U*) ∘ constants)`: monotone in one uniform, each step rounded to
    /// nearest even.
    Noise,
    /// `U*` has all p bits.
    FullUniform,
    /// The exponent of `U*` is unbounded.
    UnboundedExponent,
    /// The noisy sum is rounded to the multiples of Λ, a power of two with λ(1 − 2^-20) ≤ Λ < 2λ.
    Grid,
    /// A tie of the grid goes toward +∞, so that the edges are those of half-open cells.
    TiesUp,
    /// Zero is published as +0.
    PositiveZero,
    /// What enters the sum lies in [−B, B].
    InnerClamp,
    /// What is published is clamped to [−B, B].
    OuterClamp,
    /// λ < B < 2^(p−7)·λ.
    BoundRange,
}

impl Premise {
    /// Why the proof needs it.
    pub fn reason(self) -> &'static str {
        match self {
            Premise::Format => "the error of an operation is known only for p-bit operands",
            Premise::Noise => {
                "the outputs at or above an edge must be those of all U* below one threshold"
            }
            Premise::FullUniform => {
                "a threshold on U* is met up to a relative 2^(1-bits of U*), and the loss charges \
                 2^(1-p)"
            }
            Premise::UnboundedExponent => {
                "far outputs have small thresholds, and must stay reachable from every input"
            }
            Premise::Grid => {
                "a cell narrower than the scale, or none at all, does not hide what rounding does \
                 at its ends"
            }
            Premise::TiesUp => "the edges of the cells are computed for this rule",
            Premise::PositiveZero => {
                "a sign of zero splits its cell in two, each narrower than the scale"
            }
            Premise::InnerClamp => {
                "rounding errors grow with the distance between input and output, so it must be \
                 bounded"
            }
            Premise::OuterClamp => {
                "rounding errors grow with the distance between input and output, so it must be \
                 bounded"
            }
            Premise::BoundRange => {
                "with B near 2^p times the scale whole cells become unreachable, and below the \
                 scale there is nothing to hide in"
            }
        }
    }
}

impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Premise::Format => "p-bit numbers",
            Premise::Noise => "monotone noise of one uniform",
            Premise::FullUniform => "U* with all p bits",
            Premise::UnboundedExponent => "U* with an unbounded exponent",
            Premise::Grid => "a grid of powers of two, lambda <= Lambda < 2 lambda",
            Premise::TiesUp => "ties of the grid toward +infinity",
            Premise::PositiveZero => "zero published as +0",
            Premise::InnerClamp => "what enters the sum within [-B, B]",
            Premise::OuterClamp => "an output clamped to [-B, B]",
            Premise::BoundRange => "lambda < B < 2^(p-7) lambda",
        })
    }
}

/// A premise that does not hold, with the numbers that show it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the proof needs {premise}: {detail}")]
#[non_exhaustive]
pub struct Refusal {
    /// Which assumption fails.
    pub premise: Premise,
    /// What there is instead, and the remedy.
    pub detail: String,
}

impl Refusal {
    pub(super) fn new(premise: Premise, detail: impl Into<String>) -> Refusal {
        Refusal {
            premise,
            detail: detail.into(),
        }
    }
}
