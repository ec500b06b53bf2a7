//! One draw of the snapping mechanism in each arithmetic, beside the naive Laplace draw with the
//! same generator.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lastbit::Bounds;
use lastbit::mechanisms::snapping::{Arithmetic, Bound, GridRule, Snapping};
use lastbit_noise::entropy::{Entropy, System};
use lastbit_testing::unsafe_naive_laplace;

/// ε = 1 on a count in [0, 1000]; B leaves the clamp unbound with probability 1 − 10^-6.
fn mechanism(arithmetic: Arithmetic, grid: GridRule) -> Snapping {
    Snapping::builder(
        Bounds::parse("0", "1000").expect("bounds"),
        "0.7".parse().expect("sensitivity"),
    )
    .epsilon("1".parse().expect("epsilon"))
    .bound(Bound::Gamma("0.000001".parse().expect("gamma")))
    .arithmetic(arithmetic)
    .grid(grid)
    .build()
    .expect("a mechanism")
}

fn scalar(c: &mut Criterion) {
    let mut group = c.benchmark_group("scalar draw");
    group.bench_function("randomness alone", |b| {
        b.iter(|| System::default().word().expect("entropy"))
    });
    group.bench_function("naive f64 Laplace (leaks)", |b| {
        b.iter(|| {
            unsafe_naive_laplace(black_box(417.3), black_box(0.7), &mut System::default())
                .expect("entropy")
        })
    });
    for (name, arithmetic, grid) in [
        ("exact, snapped", Arithmetic::Exact, GridRule::Snapped),
        (
            "exact, fine:-20",
            Arithmetic::Exact,
            GridRule::fixed(-20).unwrap(),
        ),
        ("binary64", Arithmetic::Binary64, GridRule::Snapped),
        ("multi, 118 bits", Arithmetic::Multi, GridRule::Snapped),
    ] {
        let mechanism = mechanism(arithmetic, grid);
        group.bench_function(name, |b| {
            b.iter(|| {
                mechanism
                    .draw(black_box(417.3), &mut System::default())
                    .expect("a finite value")
            })
        });
    }
}

fn bulk(c: &mut Criterion) {
    const N: usize = 65_536;
    let values: Vec<f64> = (0..N).map(|i| (i % 1000) as f64 + 0.3).collect();
    let mut outputs = vec![0.0; N];
    let mut group = c.benchmark_group("bulk draw of 65536");
    group.throughput(Throughput::Elements(N as u64));
    group.bench_function("naive f64 Laplace (leaks), one by one", |b| {
        b.iter(|| {
            let mut entropy = System::default();
            for (value, output) in values.iter().zip(&mut outputs) {
                *output =
                    unsafe_naive_laplace(*value, black_box(0.7), &mut entropy).expect("entropy");
            }
            black_box(&mut outputs);
        })
    });
    for (name, arithmetic, grid) in [
        ("exact, snapped", Arithmetic::Exact, GridRule::Snapped),
        (
            "exact, fine:-20",
            Arithmetic::Exact,
            GridRule::fixed(-20).unwrap(),
        ),
        ("binary64", Arithmetic::Binary64, GridRule::Snapped),
    ] {
        let mechanism = mechanism(arithmetic, grid);
        group.bench_function(name, |b| {
            b.iter(|| {
                mechanism
                    .draw_slice(&values, &mut outputs, &mut System::default())
                    .expect("finite values");
                black_box(&mut outputs);
            })
        });
    }
}

criterion_group!(benches, scalar, bulk);
criterion_main!(benches);
