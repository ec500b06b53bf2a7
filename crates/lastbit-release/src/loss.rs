//! Losses and budgets as exact numbers.

use lastbit_exact::Rational;

/// How losses are measured and added. One ledger has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Pure differential privacy: ε adds.
    Pure,
    /// Zero-concentrated differential privacy: ρ adds.
    Zcdp,
    /// Approximate differential privacy: ε and δ add.
    Approximate,
}

/// An exact, nonnegative amount of privacy loss, or a budget of it.
///
/// `main` is ε, or ρ under [`Measure::Zcdp`]; `delta` is zero unless the measure is [`Measure::Approximate`].
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// The measure in which `main` and `delta` are stated.
    pub measure: Measure,
    /// ε or ρ.
    pub main: Rational,
    /// δ.
    pub delta: Rational,
}
