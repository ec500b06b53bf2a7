//! Settings that reach every corner of what a float mode accepts.

use lastbit_exact::Rational;

use super::claim::Claim;

/// Claims about the shipped mechanism at this precision: λ a power of two, just below one, and
/// between; B just above λ, at powers of two times λ and next to them, and up to `2^(p−7)·λ`. More
/// than 200, for p ≥ 24.
pub fn corner_claims(precision: u32) -> Vec<Claim> {
    let nearly_one = &Rational::ONE - &Rational::ONE.times_power_of_two(-20);
    let over_one = &Rational::ONE + &Rational::ONE.times_power_of_two(-20);
    let largest = i64::from(precision) - 7;
    let mut reaches = vec![over_one.clone(), Rational::new(3, 2), Rational::new(13, 4)];
    for exponent in [1, 4, 12, largest] {
        reaches.push(nearly_one.times_power_of_two(exponent));
        if exponent < largest {
            reaches.push(over_one.times_power_of_two(exponent));
        }
    }
    let reaches: Vec<_> = reaches
        .into_iter()
        .filter(|reach| *reach < Rational::ONE.times_power_of_two(largest))
        .collect();
    let mut claims = Vec::new();
    for millionths in [
        1, 1_000, 10_000, 100_000, 250_001, 333_333, 500_000, 500_001, 700_000, 999_999, 1_000_000,
        1_000_001, 1_100_000, 1_250_000, 1_500_000, 1_750_000, 1_999_999, 2_000_000, 2_000_001,
        3_000_000, 10_000_000,
    ] {
        let epsilon = Rational::new(millionths, 1_000_000);
        for reach in &reaches {
            let bound = reach / &epsilon;
            claims.push(Claim::shipped(&epsilon, &Rational::ONE, &bound, precision));
        }
    }
    claims
}
