//! Enclosures and p-bit arithmetic at the precision of the multi-precision mechanism.

use criterion::{Criterion, criterion_group, criterion_main};
use lastbit_exact::{Dyadic, IBig, exp_enclosure, ln_enclosure};
use std::hint::black_box;

fn bench(c: &mut Criterion) {
    let x = Dyadic::new(
        IBig::from(0x1234_5678_9abc_def0_1122_3344_5566_7789u128),
        -130,
    );
    for bits in [80, 128, 256, 1000] {
        c.bench_function(&format!("ln_enclosure/{bits}"), |b| {
            b.iter(|| ln_enclosure(black_box(&x), bits))
        });
        c.bench_function(&format!("exp_enclosure/{bits}"), |b| {
            b.iter(|| exp_enclosure(black_box(&x), bits))
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
