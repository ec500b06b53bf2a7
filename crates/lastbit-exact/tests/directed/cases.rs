//! Arguments that directed arithmetic could get wrong, and the exact meaning of "tightest".

use lastbit_exact::Rational;
use proptest::prelude::*;

/// The exact value of a finite f64.
pub fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("finite")
}

/// `bound ≥ value`, and the next f64 down is below; `-∞` and `+∞` are ends of the order, `-0.0` is
/// no bound.
pub fn is_smallest_above(bound: f64, value: &Rational) -> bool {
    let at_or_above = |bound: f64| match Rational::try_from(bound) {
        Ok(bound) => bound >= *value,
        Err(_) => bound > 0.0,
    };
    at_or_above(bound) && !at_or_above(bound.next_down()) && bound.to_bits() != 1 << 63
}

/// `bound ≤ value`, and the next f64 up is above.
pub fn is_largest_below(bound: f64, value: &Rational) -> bool {
    is_smallest_above(-bound + 0.0, &-value) && bound.to_bits() != 1 << 63
}

/// Finite f64s of either sign: every bit pattern, the ends of each range, neighbours of powers of
/// two, small integers.
pub fn finite() -> impl Strategy<Value = f64> {
    let magnitude = prop_oneof![
        4 => any::<u64>().prop_map(|bits| f64::from_bits(bits >> 1)),
        2 => 0.5f64..2.0,
        1 => (-1074i32..1024, -2i64..3).prop_map(|(e, step)| neighbour(2f64.powi(e), step)),
        1 => (0u32..100).prop_map(f64::from),
        1 => (0u64..5).prop_map(f64::from_bits),
        1 => (-4i64..1).prop_map(|step| neighbour(f64::MAX, step)),
        1 => (-4i64..5).prop_map(|step| neighbour(f64::MIN_POSITIVE, step)),
        1 => (-4i64..5).prop_map(|step| neighbour(1.0, step)),
    ];
    (magnitude, any::<bool>())
        .prop_filter("finite", |(x, _)| x.is_finite())
        .prop_map(|(x, negative)| if negative { -x } else { x })
}

/// Positive finite f64s.
pub fn positive() -> impl Strategy<Value = f64> {
    finite()
        .prop_filter("positive", |x| *x != 0.0)
        .prop_map(f64::abs)
}

/// Two finite f64s: unrelated; or with a sum, a product or a quotient that is tiny, huge, or nearly
/// an f64.
pub fn pair() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![
        4 => (finite(), finite()),
        // Cancellation.
        2 => (finite(), -4i64..5).prop_map(|(x, step)| (x, -neighbour(x, step))),
        // A gap of exponents around the length of a significand.
        2 => (finite(), finite(), 0i32..120).prop_map(|(x, y, gap)| {
            let near = 2f64.powi(exponent(x)) * 0.5f64.powi(gap);
            (x, significand(y) * near)
        }),
        // A product, then a quotient, at either end of the range.
        2 => (finite(), finite(), -60i32..60, any::<bool>()).prop_map(|(x, y, off, top)| {
            let target = if top { 1023 } else { -1060 } + off;
            (x, scale(significand(y), target - exponent(x)))
        }),
        2 => (finite(), finite(), -60i32..60, any::<bool>()).prop_map(|(x, y, off, top)| {
            let target = if top { 1023 } else { -1060 } + off;
            (x, scale(significand(y), exponent(x) - target))
        }),
        // Short significands: exact results and halfway cases.
        2 => (-4096i32..4096, -4096i32..4096, -30i32..30)
            .prop_map(|(x, y, e)| (f64::from(x), scale(f64::from(y), e))),
    ]
    .prop_filter("finite", |(x, y)| x.is_finite() && y.is_finite())
}

/// The f64 some steps away in magnitude, if there is one.
fn neighbour(x: f64, step: i64) -> f64 {
    let moved = f64::from_bits(x.to_bits().wrapping_add_signed(step));
    if moved.is_finite() { moved } else { x }
}

/// `floor(log2 |x|)`, of the smallest normal number for anything smaller.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52 & 0x7ff) as i32).max(1) - 1023
}

/// A number in [1, 2) with the fraction and sign of x.
fn significand(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !(0x7ff << 52) | 1023 << 52)
}

/// `x · 2^by`, rounded or overflowing as it will.
fn scale(x: f64, by: i32) -> f64 {
    let half = by / 2;
    x * 2f64.powi(half) * 2f64.powi(by - half)
}
