//! A private median of a million numbers over all of `u64`, beside sorting the same numbers.

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use lastbit::Share;
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::selection::{PointSelection, quantile};
use lastbit_benches::spread_rows;

const ROWS: usize = 1_000_000;

/// Rows of five shapes. Sorting is quick where rows are in order or equal; the median
/// must take the same time for all.
fn shapes() -> [(&'static str, Vec<u64>); 5] {
    let rows = 1..=ROWS as u64;
    let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [
        ("spread", spread_rows(ROWS)),
        (
            "few values",
            rows.clone().map(|i| spread(i) >> 60).collect(),
        ),
        ("ascending", rows.clone().collect()),
        ("descending", rows.rev().collect()),
        ("equal", vec![7; ROWS]),
    ]
}

fn median() -> PointSelection<u64> {
    let domain = VectorDomain::new(AtomDomain::<u64>::new()).with_size(ROWS);
    let epsilon = "1".parse().expect("epsilon");
    quantile(domain, &Share::half(), &epsilon, None).expect("a private median")
}

fn sort(rows: &[u64]) {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    black_box(rows);
}

fn bench(c: &mut Criterion) {
    let shapes = shapes();
    let median = median();
    let mut group = c.benchmark_group("median of 1000000 u64");
    group.sample_size(10);
    group.bench_function("sort", |b| b.iter(|| sort(black_box(&shapes[0].1))));
    group.bench_function("private median", |b| {
        b.iter(|| median.invoke(black_box(&shapes[0].1)).expect("a point"))
    });
    group.finish();
    turn_by_turn(&median, &shapes);
}

/// Interleaved, and the fastest run of each, so that other load falls on all alike.
fn turn_by_turn(median: &PointSelection<u64>, shapes: &[(&str, Vec<u64>)]) {
    let mut best = vec![[f64::INFINITY; 2]; shapes.len()];
    for _ in 0..30 {
        for (best, (_, rows)) in best.iter_mut().zip(shapes) {
            let mut time = |which: usize, run: &dyn Fn()| {
                let start = Instant::now();
                run();
                best[which] = best[which].min(start.elapsed().as_secs_f64() * 1e3);
            };
            time(0, &|| sort(black_box(rows)));
            time(1, &|| {
                black_box(median.invoke(black_box(rows))).expect("a point");
            });
        }
    }
    for (best, (name, _)) in best.iter().zip(shapes) {
        let [sort, median] = best;
        println!("{name}: sort {sort:.2} ms, private median {median:.2} ms");
    }
    println!(
        "spread, private median/sort: {:.3} (goal ≤ 1.5)",
        best[0][1] / best[0][0]
    );
    let medians = || best.iter().map(|best| best[1]);
    let slowest = medians().fold(0.0, f64::max);
    let fastest = medians().fold(f64::INFINITY, f64::min);
    println!(
        "private median, slowest shape/fastest shape: {:.3}",
        slowest / fastest
    );
}

criterion_group!(benches, bench);
criterion_main!(benches);
