//! zCDP as (ε, δ), near ε = 0 too.

use lastbit_exact::{Down, Up};

use super::search::first_double;
use crate::Error;
use crate::conversions::{zcdp_to_approximate_delta, zcdp_to_approximate_epsilon};

/// zCDP ρ → the total variation of any two neighbours, the δ at ε = 0: `min(√(ρ/2), √(1 − e^-ρ))`,
/// rounded up.
///
/// **Proof.** As the order tends to 1, the divergence of Kullback and Leibler is at most ρ. The
/// first bound is Pinsker's inequality. The second is that of Bretagnolle and Huber:
/// `1 − TV² = (1 − TV)(1 + TV) = (Σ min(p, q))(Σ max(p, q)) ≥ (Σ √(pq))²` by Cauchy and Schwarz,
/// and `ln Σ p·√(q/p) ≥ −KL/2` by Jensen. ∎
///
/// ```
/// use lastbit::accounting::zcdp_total_variation;
/// use lastbit::Up;
/// // the best Rényi order gives 0.559
/// assert_eq!(zcdp_total_variation(Up::exact(0.5))?.get(), 0.5);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn zcdp_total_variation(rho: Up) -> Result<Up, Error> {
    if rho.get() < 0.0 || !rho.is_finite() {
        return Err(Error::distance(format!(
            "rho must be zero or more and finite, got {rho}"
        )));
    }
    let pinsker = (rho / Down::exact(2.0)).sqrt();
    let affinity = Down::exact(-rho.get()).exp();
    let huber = (Up::ONE - affinity).sqrt();
    Ok(pinsker.min(huber).min(Up::ONE))
}

/// zCDP ρ → the δ of an ε, rounded up: at most what the best Rényi order gives, and less near ε =
/// 0.
///
/// **Proof.** δ is convex in `x = e^ε`: it is the largest of lines. So between `x = 1`, where
/// [`zcdp_total_variation`] bounds it, and any `x_1` it is at most
/// `((x_1 − x)·δ(1) + (x − 1)·δ(x_1))/(x_1 − 1)`. ∎
///
/// ```
/// use lastbit::accounting::zcdp_delta;
/// use lastbit::conversions::zcdp_to_approximate_delta;
/// use lastbit::{Down, Up};
/// let (rho, epsilon) = (Up::exact(0.5), Down::exact(0.1));
/// assert!(zcdp_delta(rho, epsilon)? < zcdp_to_approximate_delta(rho, epsilon)?);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn zcdp_delta(rho: Up, epsilon: Down) -> Result<Up, Error> {
    let variation = zcdp_total_variation(rho)?;
    let direct = zcdp_to_approximate_delta(rho, epsilon)?.min(variation);
    let near = epsilon.get();
    if near == 0.0 || near > 50.0 {
        return Ok(direct);
    }
    let mut best = direct;
    // Any x_1 is sound; these are close enough together for the third digit.
    let mut far = near * 1.05;
    while far < 100.0 {
        let line = line_between(rho, variation, near, far)?;
        best = best.min(line);
        far = far * 1.1 + 1e-3;
    }
    Ok(best)
}

/// The line from `x = 1` to `e^far`, at `e^near`.
fn line_between(rho: Up, variation: Up, near: f64, far: f64) -> Result<Up, Error> {
    let end = zcdp_to_approximate_delta(rho, Down::exact(far))?;
    // δ(1) − (x − 1)/(x_1 − 1)·(δ(1) − δ(x_1)).
    let share = Down::exact(near).exp_m1() / Up::exact(far).exp_m1();
    let fall = Down::exact(variation.get()) - end;
    if fall.get() <= 0.0 {
        return Ok(variation);
    }
    Ok(variation - share * fall)
}

/// zCDP ρ → the smallest ε of a δ, rounded up: at most what the best Rényi order gives, and less
/// for large δ.
///
/// ```
/// use lastbit::accounting::zcdp_epsilon;
/// use lastbit::{Down, Up};
/// assert_eq!(zcdp_epsilon(Up::exact(0.5), Down::exact(0.5))?, Up::ZERO);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn zcdp_epsilon(rho: Up, delta: Down) -> Result<Up, Error> {
    let direct = zcdp_to_approximate_epsilon(rho, delta)?;
    if zcdp_total_variation(rho)?.get() <= delta.get() {
        return Ok(Up::ZERO);
    }
    // The line helps only near ε = 0.
    if direct.get() > 3.0 {
        return Ok(direct);
    }
    let found = first_double(|z| {
        z >= direct.get()
            || zcdp_delta(rho, Down::exact(z)).is_ok_and(|bound| bound.get() <= delta.get())
    });
    Ok(found.map_or(direct, Up::exact).min(direct))
}
