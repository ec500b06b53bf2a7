use crate::sealed::Sealed;

/// A row of a column of numbers, as a double.
///
/// Whole numbers of 32 bits and numbers of single precision are doubles. A whole number of 64 bits
/// counts as the double nearest to it, which differs from it beyond 2^53 only.
pub trait GridRow: Copy + Sealed + 'static {
    /// Whether every number of this type is finite.
    #[doc(hidden)]
    const IS_FINITE: bool;

    /// The double.
    #[doc(hidden)]
    fn number(self) -> f64;
}

impl GridRow for f64 {
    const IS_FINITE: bool = false;

    #[inline(always)]
    fn number(self) -> f64 {
        self
    }
}

impl GridRow for f32 {
    const IS_FINITE: bool = false;

    #[inline(always)]
    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl GridRow for i32 {
    const IS_FINITE: bool = true;

    #[inline(always)]
    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl GridRow for i64 {
    const IS_FINITE: bool = true;

    /// By its halves, which processors convert many at a time: both are doubles, so the one sum
    /// rounds once.
    #[inline(always)]
    fn number(self) -> f64 {
        let (high, low) = ((self >> 32) as i32, self as u32);
        f64::from(high) * 4_294_967_296.0 + f64::from(low)
    }
}

#[cfg(test)]
mod tests;
