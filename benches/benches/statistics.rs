//! Exact statistics of a million rows beside the plain double sum of the same rows.
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lastbit::Bounds;
use lastbit::statistics::{Grid, NonFinite, grid_covariance, grid_mean, grid_variance};
use std::hint::black_box;

const ROWS: usize = 1_000_000;

fn statistics(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("statistics");
    group.throughput(Throughput::Elements(ROWS as u64));
    // Multiples of the golden ratio modulo 1: spread evenly, some below and some above the bounds.
    let rows: Vec<f64> = (0..ROWS as u64)
        .map(|row| row.wrapping_mul(0x9E37_79B9_7F4A_7C15) as f64 / (64f64).exp2() * 120.0 - 10.0)
        .collect();
    let bounds = Bounds::parse("0", "100").expect("0 is below 100");

    group.bench_function("plain double sum", |bencher| {
        bencher.iter(|| black_box(&rows).iter().sum::<f64>())
    });
    for (name, exponent) in [("2^-10", -10), ("finest step", -44)] {
        let grid = Grid::new(&bounds, exponent, NonFinite::Refuse).expect("at most 2^51 steps");
        group.bench_function(format!("mean, {name}"), |bencher| {
            bencher.iter(|| grid_mean(black_box(&rows), &grid))
        });
        group.bench_function(format!("variance, {name}"), |bencher| {
            bencher.iter(|| grid_variance(black_box(&rows), &grid))
        });
        group.bench_function(format!("covariance, {name}"), |bencher| {
            bencher.iter(|| grid_covariance(black_box(&rows), &grid, black_box(&rows), &grid))
        });
    }
    group.finish();
}

criterion_group!(benches, statistics);
criterion_main!(benches);
