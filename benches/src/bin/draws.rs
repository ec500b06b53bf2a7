//! Nanoseconds a draw, as JSON on one line: for `benches/peers.py`, which sets them beside the
//! peers' in the same run.

use std::hint::black_box;

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{Arithmetic, Bound, Snapping};
use lastbit_benches::fastest;
use lastbit_noise::entropy::{Entropy, System};
use lastbit_testing::unsafe_naive_laplace;

fn mechanism(arithmetic: Arithmetic) -> Result<Snapping, Box<dyn std::error::Error>> {
    Ok(
        Snapping::builder(Bounds::parse("0", "1000")?, "0.7".parse()?)
            .epsilon("1".parse()?)
            .bound(Bound::Gamma("0.000001".parse()?))
            .arithmetic(arithmetic)
            .build()?,
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const N: usize = 1 << 20;
    let mut entropy = System::default();
    let values = vec![417.3; N];
    let mut outputs = vec![0.0; N];
    let mut results = Vec::new();

    results.push((
        "randomness",
        fastest(N, |n| {
            for _ in 0..n {
                black_box(entropy.word().expect("entropy"));
            }
        }),
    ));
    results.push((
        "naive",
        fastest(N, |n| {
            for _ in 0..n {
                let draw = unsafe_naive_laplace(black_box(417.3), black_box(0.7), &mut entropy);
                black_box(draw.expect("entropy"));
            }
        }),
    ));
    let exact = mechanism(Arithmetic::Exact)?;
    results.push((
        "exact_bulk",
        fastest(N, |_| {
            exact
                .draw_slice(&values, &mut outputs, &mut entropy)
                .expect("finite values");
            black_box(&outputs);
        }),
    ));
    for (name, arithmetic, n) in [
        ("exact_scalar", Arithmetic::Exact, N),
        ("binary64", Arithmetic::Binary64, N),
        ("multi", Arithmetic::Multi, N / 16),
    ] {
        let mechanism = mechanism(arithmetic)?;
        results.push((
            name,
            fastest(n, |n| {
                for _ in 0..n {
                    let draw = mechanism.draw(black_box(417.3), &mut entropy);
                    black_box(draw.expect("a finite value"));
                }
            }),
        ));
    }
    let fields: Vec<String> = results
        .iter()
        .map(|(name, ns)| format!("\"{name}\":{ns:.2}"))
        .collect();
    println!("{{{}}}", fields.join(","));
    Ok(())
}
