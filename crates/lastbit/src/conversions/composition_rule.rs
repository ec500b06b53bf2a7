use core::fmt;

#[cfg(doc)]
use super::{
    bounded_range_to_zcdp, laplace_to_zcdp, optimal_composition, pure_to_zcdp,
    zcdp_to_approximate_epsilon,
};

/// A way to add up losses. All hold for releases chosen adaptively.
///
/// ```
/// use lastbit::conversions::CompositionRule;
/// assert_eq!(CompositionRule::BoundedRangeZcdp.name(), "bounded-range-zcdp");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompositionRule {
    /// `Σ ε`; spends no δ.
    ///
    /// **Proof.** Losses add up, and each is at most its ε. ∎ Bounded-range losses fixed in advance
    /// add up to the same, as a range.
    Basic,
    /// `Σ ε·tanh(ε/2) + √(2·ln(1/δ)·Σ ε²)` (Dwork, Rothblum and Vadhan, 2010, with the exact mean).
    ///
    /// **Proof.** Given those before it, a loss lies in `[−ε, ε]` and its mean is at most the ρ of
    /// [`pure_to_zcdp`]. By Azuma's inequality the sum exceeds the sum of means by t with
    /// probability at most `e^(−2t²/Σ(2ε)²)`, which is δ. Outside that event the whole loss is at
    /// most the bound. ∎
    Advanced,
    /// The smallest ε that holds for all ε-DP releases, if all have the same ε:
    /// [`optimal_composition`].
    Optimal,
    /// `Σ ε·tanh(ε/2)` as a ρ, converted by [`zcdp_to_approximate_epsilon`].
    ///
    /// **Proof.** `D_α` adds up at every order, also adaptively. ∎
    Zcdp,
    /// As [`CompositionRule::Advanced`], with the range η of a bounded-range loss instead of 2ε and
    /// its mean at most [`bounded_range_to_zcdp`].
    BoundedRangeAdvanced,
    /// As [`CompositionRule::Zcdp`], with [`bounded_range_to_zcdp`] for bounded-range releases: the
    /// adaptive way to compose them.
    BoundedRangeZcdp,
    /// As [`CompositionRule::Advanced`], with the mean of Laplace noise, [`laplace_to_zcdp`].
    LaplaceAdvanced,
    /// As [`CompositionRule::Zcdp`], with [`laplace_to_zcdp`] for Laplace noise.
    LaplaceZcdp,
    /// The sum of the whole Rényi curves, converted at the best order: never above zCDP but for
    /// rounding.
    ///
    /// **Proof.** `D_α` adds up at every order, also adaptively. ∎
    Renyi,
}

impl CompositionRule {
    /// A name for tables.
    pub fn name(self) -> &'static str {
        match self {
            CompositionRule::Basic => "basic",
            CompositionRule::Advanced => "advanced",
            CompositionRule::Optimal => "optimal",
            CompositionRule::Zcdp => "zcdp",
            CompositionRule::BoundedRangeAdvanced => "bounded-range-advanced",
            CompositionRule::BoundedRangeZcdp => "bounded-range-zcdp",
            CompositionRule::LaplaceAdvanced => "laplace-advanced",
            CompositionRule::LaplaceZcdp => "laplace-zcdp",
            CompositionRule::Renyi => "renyi",
        }
    }
}

impl fmt::Display for CompositionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
