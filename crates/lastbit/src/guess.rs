//! A loss in words: how often somebody can be right about one person after a release.
//!
//! Take two neighbouring data sets, and somebody who knows both, finds them equally likely, sees
//! what was published and guesses which one it came from. Without a release such a guess is right
//! with probability 1/2. A loss bounds how much better it becomes.
//!
//! Let `P` and `Q` be the laws of what is published from either, and let the guess be the first on
//! an event `S`. It is right with probability `½P(S) + ½(1 − Q(S)) = ½ + ½(P(S) − Q(S))`, so that
//! `½ + ½·TV(P, Q)` is the best there is.

use lastbit_exact::{Down, Up};

/// `e^ε/(1 + e^ε)` or more: under ε of pure differential privacy no guess is right more often, and
/// whatever is published, nobody who was evenly unsure can become more sure than this.
///
/// Proof. Let the densities of what was published be `p ≤ e^ε·q`. By Bayes the first data set has
/// the probability `p/(p + q) = 1/(1 + q/p) ≤ 1/(1 + e^-ε)`. Who can never be surer is not right
/// more often.
///
/// ```
/// use lastbit::guess::pure_guess;
/// use lastbit::Up;
/// let sure = pure_guess(Up::ONE).get();
/// assert!((0.7310585..0.7310586).contains(&sure));
/// ```
pub fn pure_guess(epsilon: Up) -> Up {
    approximate_guess(epsilon, Up::ZERO)
}

/// `(e^ε + δ)/(1 + e^ε)` or more: under (ε, δ) no guess is right more often.
///
/// Proof. With `a = P(S)` and `b = Q(S)`, (ε, δ) says `a ≤ e^ε·b + δ` and, of the complement of
/// `S`, `1 − b ≤ e^ε(1 − a) + δ`. The sum of both is `(1 + e^ε)(a − b) ≤ e^ε − 1 + 2δ`, and
/// `½ + ½(a − b) ≤ (e^ε + δ)/(1 + e^ε)`.
///
/// Computed as `1 − (1 − δ)/(1 + e^ε)`; the quotient is rounded down.
pub fn approximate_guess(epsilon: Up, delta: Up) -> Up {
    let others = (Down::ONE - delta.max(Up::ZERO)).max(Down::ZERO);
    let wrong = others / (Up::ONE + epsilon.max(Up::ZERO).exp());
    (Up::ONE - wrong).min(Up::ONE)
}

/// `½ + ½·√min(ρ/2, 1 − e^-ρ)` or more: under ρ of zero-concentrated differential privacy no guess
/// is right more often.
///
/// Proof. Rényi divergences do not decrease in their order and are continuous at 1, so that
/// `KL(P‖Q) ≤ α·ρ` for every `α > 1`, and thus `KL(P‖Q) ≤ ρ`. Pinsker's inequality is
/// `TV ≤ √(KL/2)`. That of Bretagnolle and Huber is `TV ≤ √(1 − e^-KL)`.
pub fn zcdp_guess(rho: Up) -> Up {
    let rho = rho.max(Up::ZERO);
    let half = Up::exact(0.5);
    let pinsker = half * rho;
    let bretagnolle_huber = Up::ONE - (-rho).exp();
    let distance = pinsker.min(bretagnolle_huber).sqrt();
    (half + half * distance).min(Up::ONE)
}

#[cfg(test)]
mod tests;
