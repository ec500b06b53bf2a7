//! Whether doubles are finite, many at a time.

use lastbit_lanes::{Kernel, Lanes};

/// Whether all are finite; the same work for all numbers of a length.
pub(crate) fn all_finite(numbers: &[f64]) -> bool {
    Lanes::widest().run(AllFinite(numbers))
}

struct AllFinite<'a>(&'a [f64]);

impl Kernel for AllFinite<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let mut finite = Finite::default();
        self.0.iter().for_each(|number| finite.see(*number));
        finite.all()
    }
}

/// Whether all numbers seen so far are finite, without a branch on them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Finite(u64);

impl Finite {
    /// Sees one more.
    #[inline(always)]
    pub(crate) fn see(&mut self, number: f64) {
        // ±0 for what is finite, else not a number.
        self.0 |= (number * 0.0).to_bits();
    }

    /// Whether all were finite.
    #[inline(always)]
    pub(crate) fn all(self) -> bool {
        self.0 << 1 == 0
    }
}

#[cfg(test)]
mod tests;
