//! A sampler against its law: exactly, by enumeration of its bits, and by counting.
#![allow(dead_code)] // Each test program uses its part.

use lastbit_exact::{IBig, Interval, Rational};
use lastbit_noise::entropy::{Entropy, EntropyError};
use lastbit_noise::enumerate::{Masses, Prefix};

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

/// A stream that begins with a chosen bit; the bits after it are those of `inner`.
pub struct Signed<'a> {
    carry: u64,
    inner: &'a mut Prefix,
}

impl Signed<'_> {
    pub fn new(sign: u64, inner: &mut Prefix) -> Signed<'_> {
        Signed { carry: sign, inner }
    }
}

impl Entropy for Signed<'_> {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            let next = self.inner.word()?;
            *word = self.carry << 63 | next >> 1;
            self.carry = next & 1;
        }
        Ok(())
    }
}

/// A source that has nothing to give.
pub struct Empty;

impl Entropy for Empty {
    fn fill(&mut self, _: &mut [u64]) -> Result<(), EntropyError> {
        Err(EntropyError::exhausted())
    }
}

/// The dyadic masses that the program itself puts on each outcome, `parts` of equal weight, against the enclosures of the law.
///
/// Each cell cut at this depth hides `2^-depth`: there is at most one for each boundary between outcomes, and one at each end, where
/// the stream runs out. So the comparison means something: nearly all mass is decided.
pub fn agree(name: &str, parts: &[Masses<IBig>], depth: u32, law: impl Fn(&IBig) -> Interval) {
    let weight = Rational::new(1, parts.len() as i64);
    let mut outcomes: Vec<&IBig> = parts.iter().flat_map(|part| part.outcomes()).collect();
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
        cut <= boundaries.scale(-i64::from(depth)),
        "{name}: {cut} undecided"
    );
}

/// Pearson's statistic over cells with at least 1000 expected draws, the rest in one cell, exceeds `k + 2√(kt) + 2t` with
/// probability at most e^-t (Laurent–Massart, for chi-square with k degrees of freedom, which 1000 expected draws a cell make of
/// it). `e^-t = 10^-9/tests`: the false alarm of `tests` tests together is at most 10^-9.
pub fn chi_square(name: &str, tests: usize, draws: &mut [i64], law: impl Fn(&IBig) -> Interval) {
    draws.sort_unstable();
    let total = draws.len() as f64;
    let (mut statistic, mut cells) = (0.0, 0);
    let (mut rest_expected, mut rest_seen) = (total, total);
    // A cell that should be seen 1000 times and is never seen is left in the rest, where it is missed all the same.
    for same in draws.chunk_by(|a, b| a == b) {
        let expected = total * law(&IBig::from(same[0])).midpoint();
        if expected >= 1000.0 {
            statistic += (same.len() as f64 - expected).powi(2) / expected;
            cells += 1;
            rest_expected -= expected;
            rest_seen -= same.len() as f64;
        }
    }
    if rest_expected >= 1000.0 {
        statistic += (rest_seen - rest_expected).powi(2) / rest_expected;
        cells += 1;
    } else {
        // Fewer than 1000 are expected: Chernoff allows fewer than 3000 at any false alarm above e^-1000.
        assert!(
            rest_seen < 3000.0,
            "{name}: {rest_seen} draws where few belong"
        );
    }
    let k = f64::from(cells - 1);
    let t = (tests as f64 * 1e9).ln();
    let threshold = k + 2.0 * (k * t).sqrt() + 2.0 * t;
    assert!(cells >= 2, "{name}: too few cells to say anything");
    assert!(
        statistic <= threshold,
        "{name}: {statistic} > {threshold} with {cells} cells"
    );
}
