//! The inner loop: a double to its offset from the lower bound, in steps, without a branch on the
//! data.

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
    pub(super) fn offset(&self, row: f64) -> u64 {
        let row = if row.is_nan() { self.replacement } else { row };
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
        shifted.to_bits() - self.base + u64::from(went_down_at_tie)
    }

    /// The sum of the offsets of at most `BLOCK` rows: at most `2^10 · 2^52 = 2^62`.
    pub(super) fn sum(&self, rows: &[f64]) -> u64 {
        rows.iter().map(|&row| self.offset(row)).sum()
    }

    /// The offsets of at most `BLOCK` rows, at the front of `offsets`.
    #[inline(always)]
    pub(super) fn fill<'a>(&self, rows: &[f64], offsets: &'a mut [u64; BLOCK]) -> &'a [u64] {
        for (offset, &row) in offsets.iter_mut().zip(rows) {
            *offset = self.offset(row);
        }
        &offsets[..rows.len().min(BLOCK)]
    }
}

/// Whether every row is finite; the same work for all rows of a length.
pub(super) fn all_finite(rows: &[f64]) -> bool {
    const EXPONENT: u64 = 0x7ff << 52;
    let bad = rows
        .iter()
        .map(|row| u64::from(row.to_bits() & EXPONENT == EXPONENT))
        .fold(0, |any, bad| any | bad);
    bad == 0
}

/// `Σ a·b` over two blocks of at most `BLOCK` offsets of at most 2^52.
///
/// `small` says that all are below 2^26.
#[inline(always)]
pub(super) fn product_sum(a: &[u64], b: &[u64], small: bool) -> u128 {
    let pairs = a.iter().zip(b);
    if small {
        // Products are below 2^52: the sum is below 2^62. The masks change nothing; they show that
        // 32 bits are enough.
        let low = 0xffff_ffff;
        u128::from(pairs.map(|(a, b)| (a & low) * (b & low)).sum::<u64>())
    } else {
        // Products are at most 2^104: the sum is at most 2^114.
        pairs.map(|(&a, &b)| u128::from(a) * u128::from(b)).sum()
    }
}
