//! Mechanisms as textbooks write them, in doubles. They leak; they are here to be broken.

use lastbit::mechanisms::snapping::{FloatArithmetic, FloatParameters, FormatArithmetic, noisy};
use lastbit_exact::{Dyadic, Format, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, System};

use super::target::{Entry, Input, Target, TargetError};
use crate::audit::{AuditClaim, Side};

const VALUES: [f64; 3] = [0.0, 1.0, 1e6];
const INPUTS: [&str; 3] = ["0", "1", "1000000"];

pub(super) fn entries() -> Vec<Entry> {
    let entry = |name, about, build| Entry {
        name,
        about,
        is_shipped: false,
        build,
    };
    vec![
        entry(
            "naive-laplace",
            "value ± ln(U) in doubles, U of 53 bits, ε = 1",
            naive_laplace,
        ),
        entry(
            "short-uniform",
            "the same rounded to integers, U of 8 bits: far outputs are out of reach",
            short_uniform,
        ),
        entry(
            "half-noise",
            "Laplace noise of half the scale that ε = 1 needs: the loss is 2",
            half_noise,
        ),
        entry(
            "coin-by-coin",
            "two-sided geometric noise, one coin flip after another: the right law in telling time",
            coin_by_coin,
        ),
        entry(
            "big-numbers",
            "snapping at 118 bits by big numbers: the right law, in a time that tells the value",
            big_numbers,
        ),
    ]
}

fn claim() -> AuditClaim {
    AuditClaim::pure(Rational::ONE)
}

fn word(entropy: &mut System) -> Result<u64, TargetError> {
    entropy.word().map_err(TargetError::new)
}

/// `ln U` for the k-th of 2^53 uniforms.
fn logarithm(k: u64) -> f64 {
    ((k as f64 + 0.5) * 2f64.powi(-53)).ln()
}

fn naive_laplace() -> Result<Target, TargetError> {
    let mut entropy = System::default();
    let target = Target::new(claim(), INPUTS, Some(VALUES), move |input| {
        let word = word(&mut entropy)?;
        let noise = logarithm(word >> 11);
        let value = VALUES[input as usize];
        Ok(if word & 1 == 1 {
            value + noise
        } else {
            value - noise
        })
    });
    Ok(target.with_oracle(|side, output| could_come_from(VALUES[side as usize], output)))
}

/// Whether the textbook mechanism can turn `value` into `output`: whether one of its 2^53
/// logarithms, added or subtracted, gives it.
///
/// Mironov's attack: doubles around the value are of another fineness than those around its
/// neighbour, so about half of the outputs of one have no preimage from the other.
///
/// ```
/// use lastbit_verify::attack::could_come_from;
/// assert!(could_come_from(0.0, 0.25f64.ln()) || could_come_from(0.0, 0.25f64.ln().next_up()));
/// assert!(!could_come_from(1.0, 1e-300));            // 1 ± anything is a multiple of 2^-54 there
/// ```
pub fn could_come_from(value: f64, output: f64) -> bool {
    let distance = (output - value).abs();
    let fineness = output.abs().max(distance).max(f64::MIN_POSITIVE) * 2f64.powi(-52);
    let share = (-distance).exp();
    let most = (1u64 << 53) - 1;
    // U = e^-distance; the logarithm may be off by the fineness of the output, which is this many
    // uniforms, and exp and ln by a few units in the last place, which is a few more.
    let middle = (share * 2f64.powi(53)) as u64;
    let reach = (share * 2f64.powi(54) * fineness) as u64 + 16;
    if reach > 1 << 20 {
        // So many uniforms that one of them hits; not met where inputs and outputs are within 2^20
        // of one another.
        return true;
    }
    let candidates = middle.saturating_sub(reach)..=(middle + reach).min(most);
    candidates.into_iter().any(|k| {
        let noise = logarithm(k);
        value + noise == output || value - noise == output
    })
}

fn short_uniform() -> Result<Target, TargetError> {
    let mut entropy = System::default();
    let value = |side: Side| VALUES[side as usize];
    let draw = |value: f64, word: u64| {
        let noise = (((word >> 56) as f64 + 0.5) / 256.0).ln();
        let sum = if word & 1 == 1 {
            value + noise
        } else {
            value - noise
        };
        (sum + 0.5).floor() + 0.0
    };
    let target = Target::new(claim(), INPUTS, Some(VALUES), move |input| {
        Ok(draw(VALUES[input as usize], word(&mut entropy)?))
    });
    Ok(target.with_oracle(move |side, output| {
        (0..256u64).any(|k| (0..2).any(|sign| draw(value(side), k << 56 | sign) == output))
    }))
}

fn half_noise() -> Result<Target, TargetError> {
    use lastbit::domains::AtomDomain;
    use lastbit::mechanisms::laplace;
    let scale = "0.5".parse().map_err(TargetError::new)?;
    let noise = laplace(AtomDomain::<f64>::new(), &scale, -10).map_err(TargetError::new)?;
    Ok(Target::new(claim(), INPUTS, Some(VALUES), move |input| {
        noise
            .invoke(&VALUES[input as usize])
            .map_err(TargetError::new)
    }))
}

/// `P(noise = k) ∝ e^-|k|`: a difference of two geometric numbers, each counted in coins that fall
/// on tails with probability e^-1.
fn coin_by_coin() -> Result<Target, TargetError> {
    let mut entropy = System::default();
    let cut = (core::f64::consts::E.recip() * 2f64.powi(53)) as u64;
    Ok(Target::new(
        claim(),
        INPUTS,
        Some(VALUES),
        move |input: Input| {
            let mut geometric = || -> Result<f64, TargetError> {
                let mut tails = 0.0;
                while word(&mut entropy)? >> 11 < cut {
                    tails += 1.0;
                }
                Ok(tails)
            };
            let noise = geometric()? - geometric()?;
            Ok(VALUES[input as usize] + noise)
        },
    ))
}

/// What `snapping-multi` publishes, by numbers whose length depends on the value.
fn big_numbers() -> Result<Target, TargetError> {
    let values = [0.0, 1.0, 8.0];
    let arithmetic = FormatArithmetic(Format::new(118).map_err(TargetError::new)?);
    let parameters = FloatParameters {
        // A little above 1, which pays for the rounding.
        scale: &Dyadic::ONE + &Dyadic::power_of_two(-100),
        grid_exponent: 0,
        bound: Dyadic::from(16),
    };
    let mut entropy = System::default();
    Ok(Target::new(
        claim(),
        ["0", "1", "8"],
        Some(values),
        move |input: Input| {
            let value = Dyadic::try_from(values[input as usize]).map_err(TargetError::new)?;
            let (negative, uniform) = arithmetic.draw(&mut entropy).map_err(TargetError::new)?;
            let output = noisy(&arithmetic, &value, negative, &uniform, &parameters);
            Ok(output.to_f64(Rounding::NearestEven))
        },
    ))
}
