//! Step functions of a million rows over 2^64 points: building them, `L(j)` for all j, `u(I)` of a
//! cover, and a restriction.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use lastbit::quality::StepFunction;
use lastbit_benches::spread_rows;

const ROWS: usize = 1_000_000;
const SIZE: u128 = 1 << 64;

fn bench(c: &mut Criterion) {
    let mut rows = spread_rows(ROWS);
    rows.sort_unstable();
    let labelled: Vec<(u64, bool)> = rows.iter().map(|&row| (row, row % 3 == 0)).collect();
    let depth = StepFunction::interior_point(&rows, SIZE).expect("sorted rows");
    let counts = StepFunction::counting(&rows, SIZE).expect("sorted rows");
    println!(
        "runs: interior point {}, counting {}",
        depth.run_count(),
        counts.run_count()
    );
    let mut group = c.benchmark_group("step function of 1000000 rows");
    group.sample_size(10);
    group.bench_function("build: interior point", |b| {
        b.iter(|| StepFunction::interior_point(black_box(&rows), SIZE))
    });
    group.bench_function("build: quantile", |b| {
        b.iter(|| StepFunction::quantile(black_box(&rows), SIZE, ROWS as u64 / 4))
    });
    group.bench_function("build: threshold", |b| {
        b.iter(|| StepFunction::threshold(black_box(&labelled), SIZE))
    });
    group.bench_function("build: counting", |b| {
        b.iter(|| StepFunction::counting(black_box(&rows), SIZE))
    });
    for (name, function) in [("interior point", &depth), ("counting", &counts)] {
        group.bench_function(format!("L(j) for all j: {name}"), |b| {
            b.iter(|| black_box(function).levels())
        });
        group.bench_function(format!("u(I) of intervals of 2^46 points: {name}"), |b| {
            b.iter(|| black_box(function).interval_maxima(1 << 45, 1 << 46))
        });
        group.bench_function(format!("restriction to the middle half: {name}"), |b| {
            b.iter(|| black_box(function).restrict(SIZE / 4, SIZE / 2))
        });
    }
    group.bench_function("u(I) of one interval of 2^44 points", |b| {
        b.iter(|| black_box(&depth).maximum_on(SIZE / 2, 1 << 44))
    });
    group.bench_function("quasi-concavity", |b| {
        b.iter(|| black_box(&depth).check_quasi_concave())
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
