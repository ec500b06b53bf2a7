use lastbit_exact::Rational;

/// Gaussian noise, on numbers that move by at most μ standard deviations in L2, as zCDP, exactly:
/// `ρ = μ²/2`.
///
/// **Proof.** By rotation the laws differ in one number, `P = N(μ, 1)` and `Q = N(0, 1)`. The loss
/// at x is `μx − μ²/2`, so that `E_Q[(P/Q)^α] = e^(−αμ²/2)·E_Q[e^(αμx)] = e^((α² − α)μ²/2)`: the
/// Rényi divergence of every order α is `αμ²/2`. Noise rounded to a grid is post-processing. ∎
///
/// ```
/// use lastbit::conversions::{gaussian_for_zcdp, gaussian_to_zcdp};
/// use lastbit::Rational;
/// let mu_squared = Rational::new(1, 4);
/// assert_eq!(gaussian_to_zcdp(&mu_squared), Rational::new(1, 8));
/// assert_eq!(gaussian_for_zcdp(&Rational::new(1, 8)), mu_squared);
/// ```
pub fn gaussian_to_zcdp(mu_squared: &Rational) -> Rational {
    mu_squared.times_power_of_two(-1)
}

/// The `μ²` at which Gaussian noise costs ρ, exactly: see [`gaussian_to_zcdp`].
pub fn gaussian_for_zcdp(rho: &Rational) -> Rational {
    rho.times_power_of_two(1)
}
