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
/// use lastbit_exact::Up;
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
/// Computed as `1 − (1 − δ)/(1 + e^ε)`, of which what is subtracted is rounded down.
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
mod tests {
    use lastbit_exact::Rational;

    use super::*;

    fn up(text: &str) -> Up {
        Up::from_rational(&text.parse::<Rational>().unwrap())
    }

    /// The best guess about a pair of finite laws, exactly: half of one plus half of their
    /// distance.
    fn best(p: &[Rational], q: &[Rational]) -> Rational {
        let more = p.iter().zip(q).map(|(p, q)| (p - q).max(Rational::ZERO));
        let sum = more.fold(Rational::ZERO, |sum, one| &sum + &one);
        (&Rational::ONE + &sum).times_power_of_two(-1)
    }

    #[test]
    fn randomized_response_attains_the_pure_bound() {
        // Truth with probability 3/4 is ln 3: the bound is 3/4, from above and by little.
        let guess = pure_guess(Up::exact(3.0).ln()).get();
        assert!((0.75..0.75 + 1e-14).contains(&guess), "{guess}");
        let (truth, lie) = (Rational::new(3, 4), Rational::new(1, 4));
        let (p, q) = ([truth.clone(), lie.clone()], [lie, truth]);
        assert!(best(&p, &q) <= Rational::try_from(guess).unwrap());
    }

    #[test]
    fn responses_that_leak_attain_the_approximate_bound() {
        // With probability δ = 1/10 the answer is laid open, else it is true with probability 3/4.
        let (open, part) = (Rational::new(1, 10), Rational::new(9, 10));
        let (truth, lie) = (&part * &Rational::new(3, 4), &part * &Rational::new(1, 4));
        let p = [open.clone(), Rational::ZERO, truth.clone(), lie.clone()];
        let q = [Rational::ZERO, open, lie, truth];
        let bound = approximate_guess(Up::exact(3.0).ln(), up("0.1")).get();
        let exact = best(&p, &q);
        assert_eq!(exact, Rational::new(31, 40));
        let bound = Rational::try_from(bound).unwrap();
        assert!(exact <= bound && bound <= &exact + &Rational::new(1, 1i64 << 40));
    }

    #[test]
    fn gaussian_noise_is_within_the_zcdp_bound() {
        // Φ(√(ρ/2)): the best guess about Gaussian noise at ρ, rounded down; from tables.
        for (rho, exact) in [
            ("0.02", "0.5398"),
            ("0.5", "0.6914"),
            ("2", "0.8413"),
            ("8", "0.9772"),
        ] {
            let (bound, exact) = (zcdp_guess(up(rho)).get(), exact.parse::<f64>().unwrap());
            assert!(exact <= bound && bound < exact + 0.13, "{rho}: {bound}");
        }
    }

    #[test]
    fn no_loss_is_a_coin_and_a_huge_one_is_certainty() {
        assert_eq!(pure_guess(Up::ZERO).get(), 0.5);
        assert_eq!(zcdp_guess(Up::ZERO).get(), 0.5);
        for loss in [Up::exact(1000.0), Up::INFINITY] {
            assert_eq!(pure_guess(loss).get(), 1.0);
            assert_eq!(zcdp_guess(loss).get(), 1.0);
        }
        assert_eq!(approximate_guess(Up::ZERO, Up::ONE).get(), 1.0);
    }
}
