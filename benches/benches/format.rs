//! Enclosures and p-bit arithmetic at the precision of the multi-precision mechanism.

use criterion::{Criterion, criterion_group, criterion_main};
use lastbit_exact::{Dyadic, Format, Integer, Rounding, exp_enclosure, ln_enclosure};
use std::hint::black_box;

fn operations(c: &mut Criterion) {
    let format = Format::new(118).expect("118 is a precision");
    let wide = |m: u128, e| format.round(&Dyadic::new(Integer::from(m), e), Rounding::NearestEven);
    let x = wide(0x1234_5678_9abc_def0_1122_3344_5566_7789, -126);
    let y = wide(0xfedc_ba98_7654_3210_0fed_cba9_8765_4321, -130);
    let nearest = Rounding::NearestEven;
    let mut group = c.benchmark_group("format_118");
    group.bench_function("add", |b| {
        b.iter(|| format.add(black_box(&x), black_box(&y), nearest))
    });
    group.bench_function("mul", |b| {
        b.iter(|| format.mul(black_box(&x), black_box(&y), nearest))
    });
    group.bench_function("div", |b| {
        b.iter(|| format.div(black_box(&x), black_box(&y), nearest))
    });
    group.bench_function("ln", |b| b.iter(|| format.ln(black_box(&x), nearest)));
    group.bench_function("exp", |b| b.iter(|| format.exp(black_box(&x), nearest)));
    group.finish();
}

fn enclosures(c: &mut Criterion) {
    let x = Dyadic::new(
        Integer::from(0x1234_5678_9abc_def0_1122_3344_5566_7789u128),
        -130,
    );
    let mut group = c.benchmark_group("enclosure");
    for bits in [80, 128, 256, 1000] {
        group.bench_function(format!("ln/{bits}"), |b| {
            b.iter(|| ln_enclosure(black_box(&x), bits))
        });
        group.bench_function(format!("exp/{bits}"), |b| {
            b.iter(|| exp_enclosure(black_box(&x), bits))
        });
    }
    group.finish();
}

criterion_group!(benches, operations, enclosures);
criterion_main!(benches);
