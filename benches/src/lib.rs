//! A stopwatch, scores and rows, for benches.

use std::time::Instant;

/// Nanoseconds a turn, in the fastest of several runs of `n` turns each.
pub fn fastest(n: usize, mut run: impl FnMut(usize)) -> f64 {
    (0..9)
        .map(|_| {
            let start = Instant::now();
            run(n);
            start.elapsed().as_nanos() as f64 / n as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// The candidates of a selection.
pub const CANDIDATES: usize = 100_000;

/// Scores of five shapes, which a selection must take the same time for.
pub fn score_shapes(count: usize) -> [(&'static str, Vec<f64>); 5] {
    let mut peak = vec![0.0; count];
    peak[count / 3] = 1e6;
    let wide = fractions().map(|u| (u - 0.5) * 1e308);
    [
        ("equal", vec![1.0; count]),
        ("peak", peak),
        ("ramp", (0..count).map(|i| i as f64).collect()),
        (
            "random",
            fractions().take(count).map(|u| u * count as f64).collect(),
        ),
        ("huge", wide.take(count).collect()),
    ]
}

/// Rows all over `u64`, in no order.
pub fn spread_rows(count: usize) -> Vec<u64> {
    let rows = 1..=count as u64;
    rows.map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect()
}

/// A fixed walk through 53-bit fractions.
fn fractions() -> impl Iterator<Item = f64> {
    let mut word = 0x9E37_79B9_7F4A_7C15u64;
    std::iter::repeat_with(move || {
        word = word
            .wrapping_mul(0xD134_2543_DE82_EF95)
            .wrapping_add(0x2545_F491_4F6C_DD1D);
        (word >> 11) as f64 / (1u64 << 53) as f64
    })
}
