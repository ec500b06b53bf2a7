//! A sampler against its law: exactly, by enumeration of its bits, and by counting.

use lastbit_exact::{Integer, Interval, Rational};
use lastbit_noise::enumerate::Masses;
use lastbit_testing::Pearson;

pub fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

/// Bit patterns that look random and are always the same.
pub fn walk(count: usize) -> impl Iterator<Item = u64> {
    (1..=count as u64).map(|i| {
        let x = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (x ^ x >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
    })
}

/// The dyadic masses that the program itself puts on each outcome, `parts` of equal weight, against
/// the enclosures of the law.
///
/// Each cell cut at this depth hides `2^-depth`: there is at most one for each boundary between
/// outcomes, and one at each end, where the stream runs out. So the comparison means something:
/// nearly all mass is decided.
pub fn agree(
    name: &str,
    parts: &[Masses<Integer>],
    depth: u32,
    law: impl Fn(&Integer) -> Interval,
) {
    let weight = Rational::new(1, parts.len() as i64);
    let mut outcomes: Vec<&Integer> = parts.iter().flat_map(|part| part.outcomes()).collect();
    outcomes.sort();
    outcomes.dedup();
    let mut decided = Rational::ZERO;
    for outcome in &outcomes {
        let (mut low, mut high) = (Rational::ZERO, Rational::ZERO);
        for part in parts {
            let mass = part.of(outcome);
            low = &low + &Rational::from(mass.lo);
            high = &high + &Rational::from(mass.hi);
        }
        let (low, high) = (&low * &weight, &high * &weight);
        let closed = law(outcome);
        let ends = [closed.lo(), closed.hi()].map(|end| Rational::try_from(end).unwrap());
        assert!(
            low <= ends[1] && ends[0] <= high,
            "{name} at {outcome}: enumeration [{low}, {high}], law {closed}"
        );
        decided = &decided + &low;
    }
    let cut = &(&Rational::ONE - &decided) / &weight;
    let boundaries = Rational::from((parts.len() * (outcomes.len() + 1)) as i64);
    assert!(
        cut <= boundaries.times_power_of_two(-i64::from(depth)),
        "{name}: {cut} undecided"
    );
}

/// Cells with at least 1000 expected draws, the rest in one cell, by [`Pearson`].
pub fn chi_square(name: &str, tests: usize, draws: &mut [i64], law: impl Fn(&Integer) -> Interval) {
    draws.sort_unstable();
    let total = draws.len() as f64;
    let mut pearson = Pearson::default();
    let (mut rest_expected, mut rest_seen) = (total, total);
    // A cell that should be seen 1000 times and is never seen is left in the rest, where it is
    // missed all the same.
    for same in draws.chunk_by(|a, b| a == b) {
        let expected = total * law(&Integer::from(same[0])).midpoint();
        if expected >= 1000.0 {
            pearson.add(same.len() as f64, expected);
            rest_expected -= expected;
            rest_seen -= same.len() as f64;
        }
    }
    if rest_expected >= 1000.0 {
        pearson.add(rest_seen, rest_expected);
    } else {
        // Fewer than 1000 are expected: Chernoff allows fewer than 3000 at any false alarm above
        // e^-1000.
        assert!(
            rest_seen < 3000.0,
            "{name}: {rest_seen} draws where few belong"
        );
    }
    pearson.fits(tests, name);
}
