//! The inner loop: a double to its offset from the lower bound, in steps, without a branch on the
//! data.

use lastbit_lanes::Lanes;

use super::GridRow;
use crate::finite::Finite;

/// How many rows are handled at a time: with offsets of at most 2^52, a sum of so many fits 62
/// bits.
pub(super) const BLOCK: usize = 1024;

/// `1.5·2^52`: a double of this size has units in its last place, so adding it rounds to a whole
/// number.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// The numbers that the inner loop needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    /// `2^-exponent`, a normal number.
    scale: f64,
    /// The bounds in steps, whole numbers within ±2^51.
    lower: f64,
    upper: f64,
    /// What NaN counts as.
    replacement: f64,
    /// The bits of `SHIFT + lower`.
    base: u64,
}

impl Kernel {
    /// Needs `|exponent| ≤ 1022`, `−2^51 ≤ lower ≤ upper ≤ 2^51` and a finite replacement.
    pub(super) fn new(exponent: i32, lower: i64, upper: i64, replacement: f64) -> Kernel {
        // Whole numbers up to 2^51 are doubles.
        let (lower, upper) = (lower as f64, upper as f64);
        Kernel {
            scale: f64::from_bits(((1023 - i64::from(exponent)) as u64) << 52),
            lower,
            upper,
            replacement,
            base: (SHIFT + lower).to_bits(),
        }
    }

    /// `floor(clamp(row / step) + 1/2) − lower`, exactly; in `[0, upper − lower]`.
    #[inline(always)]
    pub(super) fn offset(&self, row: impl GridRow) -> u64 {
        let row = row.number();
        let row = if row.is_nan() { self.replacement } else { row };
        self.offset_of_number(row)
    }

    /// The same for what is a number.
    #[inline(always)]
    fn offset_of_number(&self, row: f64) -> u64 {
        // Exact, unless it overflows (and is clamped) or falls below 2^-1022 (and rounds to zero
        // steps either way).
        let scaled = row * self.scale;
        let scaled = if scaled > self.lower {
            scaled
        } else {
            self.lower
        };
        let scaled = if scaled < self.upper {
            scaled
        } else {
            self.upper
        };
        // |scaled| ≤ 2^51, so the sum lies in [2^52, 2^53], where doubles are the whole numbers and
        // consecutive ones have consecutive bits: the sum is SHIFT + nearest(scaled), ties to even.
        let shifted = scaled + SHIFT;
        let nearest = shifted - SHIFT;
        // Exact: both are multiples of the last place of `scaled`, or `nearest` is zero; and the
        // difference is at most 1/2.
        let went_down_at_tie = scaled - nearest == 0.5;
        shifted
            .to_bits()
            .wrapping_sub(self.base)
            .wrapping_add(u64::from(went_down_at_tie))
    }

    /// The sum of the offsets of at most `BLOCK` rows: at most `2^10 · 2^52 = 2^62`.
    pub(super) fn sum<R: GridRow>(&self, rows: &[R]) -> u64 {
        Lanes::widest().run(Sum { steps: *self, rows })
    }

    /// The same if all rows are finite, in one pass.
    pub(super) fn sum_of_finite<R: GridRow>(&self, rows: &[R]) -> Option<u64> {
        Lanes::widest().run(SumOfFinite { steps: *self, rows })
    }

    /// The sum of the offsets of at most `BLOCK` rows, that of their squares, and whether all rows
    /// are finite.
    ///
    /// `small` says that all offsets are below 2^26.
    pub(super) fn moments<R: GridRow>(&self, rows: &[R], small: bool) -> (u64, u128, bool) {
        let steps = *self;
        let lanes = Lanes::widest();
        if small {
            let (sum, squares, finite) = lanes.run(SmallMoments { steps, rows });
            (sum, u128::from(squares), finite)
        } else {
            let (sum, squares, finite) = lanes.run(Moments { steps, rows });
            (sum, squares.total(), finite)
        }
    }

    /// The offsets of at most `BLOCK` rows, at the front of `offsets`.
    pub(super) fn fill<'a, R: GridRow>(
        &self,
        rows: &[R],
        offsets: &'a mut [u64; BLOCK],
    ) -> &'a [u64] {
        Lanes::widest().run(Fill {
            steps: *self,
            rows,
            offsets,
        });
        &offsets[..rows.len().min(BLOCK)]
    }
}

/// `Σ a·b` over two blocks of at most `BLOCK` offsets of at most 2^52.
///
/// `small` says that all are below 2^26.
pub(super) fn product_sum(a: &[u64], b: &[u64], small: bool) -> u128 {
    let lanes = Lanes::widest();
    if small {
        u128::from(lanes.run(SmallProducts(a, b)))
    } else {
        lanes.run(Products(a, b)).total()
    }
}

struct Sum<'a, R> {
    steps: Kernel,
    rows: &'a [R],
}

impl<R: GridRow> lastbit_lanes::Kernel for Sum<'_, R> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        self.rows.iter().map(|&row| self.steps.offset(row)).sum()
    }
}

struct SumOfFinite<'a, R> {
    steps: Kernel,
    rows: &'a [R],
}

impl<R: GridRow> lastbit_lanes::Kernel for SumOfFinite<'_, R> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run(self) -> Option<u64> {
        let (mut sum, mut finite) = (0u64, Finite::default());
        for &row in self.rows {
            finite.see(row);
            // Where a row is not finite, the sum is not used.
            sum = sum.wrapping_add(self.steps.offset_of_number(row.number()));
        }
        finite.all().then_some(sum)
    }
}

struct Fill<'a, R> {
    steps: Kernel,
    rows: &'a [R],
    offsets: &'a mut [u64; BLOCK],
}

impl<R: GridRow> lastbit_lanes::Kernel for Fill<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (offset, &row) in self.offsets.iter_mut().zip(self.rows) {
            *offset = self.steps.offset(row);
        }
    }
}

/// A sum of at most `BLOCK` products of numbers of at most 2^52, by their halves of 26 bits: each
/// product of halves is at most 2^52, so that the sums, the middle one of twice as many, are at
/// most 2^63.
#[derive(Clone, Copy, Default)]
struct Halves {
    low: u64,
    middle: u64,
    high: u64,
}

impl Halves {
    #[inline(always)]
    fn add(&mut self, a: u64, b: u64) {
        let ((a_low, a_high), (b_low, b_high)) = (halves(a), halves(b));
        self.low += narrow_product(a_low, b_low);
        self.middle += narrow_product(a_low, b_high) + narrow_product(a_high, b_low);
        self.high += narrow_product(a_high, b_high);
    }

    #[inline(always)]
    fn add_square(&mut self, offset: u64) {
        let (low, high) = halves(offset);
        self.low += narrow_product(low, low);
        self.middle += 2 * narrow_product(low, high);
        self.high += narrow_product(high, high);
    }

    fn total(self) -> u128 {
        u128::from(self.low) + (u128::from(self.middle) << 26) + (u128::from(self.high) << 52)
    }
}

/// The low 26 bits, and the rest: at most 2^26.
#[inline(always)]
fn halves(offset: u64) -> (u64, u64) {
    (offset & ((1 << 26) - 1), offset >> 26)
}

/// The product of numbers of at most 2^26. The masks change nothing; they show that 32 bits are
/// enough.
#[inline(always)]
fn narrow_product(a: u64, b: u64) -> u64 {
    let low = 0xffff_ffff;
    (a & low) * (b & low)
}

struct SmallMoments<'a, R> {
    steps: Kernel,
    rows: &'a [R],
}

impl<R: GridRow> lastbit_lanes::Kernel for SmallMoments<'_, R> {
    type Output = (u64, u64, bool);

    #[inline(always)]
    fn run(self) -> (u64, u64, bool) {
        let (mut sum, mut squares, mut finite) = (0, 0, Finite::default());
        for &row in self.rows {
            finite.see(row);
            let offset = self.steps.offset(row);
            sum += offset;
            // Below 2^52: the sum is below 2^62.
            squares += narrow_product(offset, offset);
        }
        (sum, squares, finite.all())
    }
}

struct Moments<'a, R> {
    steps: Kernel,
    rows: &'a [R],
}

impl<R: GridRow> lastbit_lanes::Kernel for Moments<'_, R> {
    type Output = (u64, Halves, bool);

    #[inline(always)]
    fn run(self) -> (u64, Halves, bool) {
        let (mut sum, mut squares, mut finite) = (0, Halves::default(), Finite::default());
        for &row in self.rows {
            finite.see(row);
            let offset = self.steps.offset(row);
            sum += offset;
            squares.add_square(offset);
        }
        (sum, squares, finite.all())
    }
}

struct SmallProducts<'a>(&'a [u64], &'a [u64]);

impl lastbit_lanes::Kernel for SmallProducts<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let pairs = self.0.iter().zip(self.1);
        pairs.map(|(&a, &b)| narrow_product(a, b)).sum()
    }
}

struct Products<'a>(&'a [u64], &'a [u64]);

impl lastbit_lanes::Kernel for Products<'_> {
    type Output = Halves;

    #[inline(always)]
    fn run(self) -> Halves {
        let mut products = Halves::default();
        for (&a, &b) in self.0.iter().zip(self.1) {
            products.add(a, b);
        }
        products
    }
}

#[cfg(test)]
mod tests;
