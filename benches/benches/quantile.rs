//! A private median of a million numbers over all of `u64`, beside sorting the same numbers.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::selection::quantile;
use lastbit_exact::Rational;

const ROWS: usize = 1_000_000;

fn bench(c: &mut Criterion) {
    let rows: Vec<u64> = (1..=ROWS as u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let mut group = c.benchmark_group("median of 1000000 u64");
    group.sample_size(10);
    group.bench_function("sort", |b| {
        b.iter(|| {
            let mut rows = rows.clone();
            rows.sort_unstable();
            black_box(rows);
        })
    });
    let domain = VectorDomain::new(AtomDomain::<u64>::new()).with_size(ROWS);
    let epsilon = "1".parse().expect("epsilon");
    let median = quantile(domain, &Rational::new(1, 2), &epsilon, None).expect("a private median");
    group.bench_function("private median", |b| {
        b.iter(|| median.invoke(black_box(&rows)).expect("a point"))
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
