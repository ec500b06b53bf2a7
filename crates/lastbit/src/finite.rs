//! Whether numbers are finite, many at a time.

use lastbit_lanes::{Kernel, Lanes};

use crate::statistics::GridRow;

/// Whether all are finite; the same work for all numbers of a length.
pub(crate) fn all_finite<R: GridRow>(numbers: &[R]) -> bool {
    R::IS_FINITE || Lanes::widest().run(AllFinite(numbers))
}

struct AllFinite<'a, R>(&'a [R]);

impl<R: GridRow> Kernel for AllFinite<'_, R> {
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
    pub(crate) fn see(&mut self, row: impl GridRow) {
        self.0 |= bits_unless_finite(row);
    }

    /// Whether all were finite.
    #[inline(always)]
    pub(crate) fn all(self) -> bool {
        self.0 << 1 == 0
    }
}

/// ±0 for what is finite, else not a number.
#[inline(always)]
fn bits_unless_finite<R: GridRow>(row: R) -> u64 {
    match R::IS_FINITE {
        true => 0,
        false => (row.number() * 0.0).to_bits(),
    }
}

#[cfg(test)]
mod tests;
