//! The tail of a sum of a few Laplace noises.
//!
//! It is asked for often, each time with weights that differ a little: once and again for every
//! number that is published. Nothing is allocated for a tail that is known.

use std::collections::HashMap;

use lastbit_exact::{Down, Interval, Rational, Up};

use super::{FEW, PARTS, part};
use crate::{Beta, solve};

/// Scales of a few Laplace noises: the largest, and all as parts of it.
pub(super) struct Few {
    pub largest: Up,
    pub parts: Parts,
}

/// Numbers of [`PARTS`] of the largest that increase, at most [`FEW`] of them, a byte each from the
/// lowest on. They are at least 1, and at most `PARTS + FEW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parts(u64);

impl Few {
    /// The noises with scales above zero, so many of each; `None` if these are more than a few. The
    /// parts are at or above the scales.
    pub fn of(scales: impl Iterator<Item = (Up, u32)> + Clone) -> Option<Few> {
        let scales = scales.filter(|(scale, count)| scale.get() > 0.0 && *count > 0);
        let mut all = 0;
        let mut largest = Up::ZERO;
        for (scale, count) in scales.clone() {
            all += u64::from(count);
            largest = largest.max(scale);
        }
        if all > FEW as u64 {
            return None;
        }
        if !largest.is_finite() {
            let parts = Parts::one();
            return Some(Few { largest, parts });
        }
        let mut sizes = [0; FEW];
        let mut length = 0;
        for (scale, count) in scales {
            let size = part(scale, Down::exact(largest.get()), PARTS);
            for _ in 0..count {
                sizes[length] = size;
                length += 1;
            }
        }
        let parts = Parts::distinct(&mut sizes[..length]);
        Some(Few { largest, parts })
    }
}

impl Parts {
    /// One noise.
    pub fn one() -> Parts {
        Parts(u64::from(PARTS))
    }

    /// Parts that are all different, at or above these.
    fn distinct(sizes: &mut [u32]) -> Parts {
        sizes.sort_unstable();
        for index in 1..sizes.len() {
            sizes[index] = sizes[index].max(sizes[index - 1] + 1);
        }
        let bytes = sizes.iter().rev();
        Parts(bytes.fold(0, |bytes, &size| bytes << 8 | u64::from(size)))
    }

    fn each(self) -> Vec<u32> {
        let bytes = self.0.to_le_bytes().map(u32::from);
        bytes.into_iter().take_while(|&size| size > 0).collect()
    }
}

/// Tails of sums of a few Laplace noises, each found once.
#[derive(Debug, Default)]
pub(super) struct FewTails {
    of_betas: HashMap<Beta, HashMap<Parts, Up>>,
    /// The probability that was asked for last, whose tails are apart: that of most calls.
    last: Option<(Beta, HashMap<Parts, Up>)>,
}

impl FewTails {
    /// The tail of noises with scales of these parts of 1.
    pub fn of(&mut self, parts: &Parts, beta: &Beta) -> Up {
        if parts.0 == 0 {
            return Up::ZERO;
        }
        if self.last.as_ref().is_none_or(|(last, _)| last != beta) {
            let tails = self.of_betas.remove(beta).unwrap_or_default();
            if let Some((beta, tails)) = self.last.replace((beta.clone(), tails)) {
                self.of_betas.insert(beta, tails);
            }
        }
        match &mut self.last {
            Some((_, tails)) => {
                let tail = tails.entry(*parts);
                *tail.or_insert_with(|| quantile(&parts.each(), beta))
            }
            // Some were put there.
            None => quantile(&parts.each(), beta),
        }
    }
}

/// A `t` with `P(|Σ ηᵢ| > t) ≤ beta` for independent Laplace noises of scales `parts[i]/PARTS`,
/// all different.
fn quantile(parts: &[u32], beta: &Beta) -> Up {
    let square = |part: u32| i64::from(part) * i64::from(part);
    let terms: Vec<(Interval, Interval)> = parts
        .iter()
        .map(|&part| {
            let factor = parts.iter().filter(|&&other| other != part).fold(
                Rational::ONE,
                |product, &other| {
                    product * Rational::new(square(part), square(part) - square(other))
                },
            );
            let rate = Rational::new(i64::from(PARTS), i64::from(part));
            (
                Interval::from_rational(&factor),
                Interval::from_rational(&-rate),
            )
        })
        .collect();
    let most = Interval::from_rational(beta.get()).lo();
    let enough = |t: f64| {
        let tail = terms
            .iter()
            .map(|&(factor, rate)| factor * (rate * Interval::point(t)).exp())
            .fold(Interval::point(0.0), |sum, term| sum + term);
        Ok(tail.hi() <= most)
    };
    // Each noise is within its own bound at beta over their number.
    let each = beta.part(1, parts.len() as u64);
    let each = Interval::from_rational(&(&Rational::ONE / each.get()))
        .ln()
        .upper();
    let all = Rational::new(i64::from(parts.iter().sum::<u32>()), i64::from(PARTS));
    let union = (each * Up::from_rational(&all)).get();
    // The union bound holds, whatever the sum of the terms loses to rounding.
    let found = solve::near_smallest_where(union * 2f64.powi(-10)..=union, 20, enough);
    Up::exact(found.unwrap_or(union))
}
