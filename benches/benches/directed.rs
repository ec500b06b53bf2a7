//! Directed arithmetic, one operation per iteration on arguments that change, so that no branch is
//! learnt; a plain nearest-rounded operation beside each kind shows what the direction costs.

use criterion::{Criterion, criterion_group, criterion_main};
use lastbit_exact::{Down, Interval, Up};
use std::hint::black_box;

const COUNT: usize = 4096;

/// Positive numbers of exponents −`spread`..`spread`, the same in every run.
fn numbers(mut seed: u64, spread: u64) -> Vec<f64> {
    (0..COUNT)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let exponent = 1023 - spread + (seed >> 33) % (2 * spread);
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f64::from_bits(exponent << 52 | seed >> 12)
        })
        .collect()
}

fn each<R>(c: &mut Criterion, name: &str, mut f: impl FnMut(usize) -> R) {
    let mut i = 0;
    c.bench_function(name, |b| {
        b.iter(|| {
            i = (i + 1) % COUNT;
            f(black_box(i))
        })
    });
}

fn bench(c: &mut Criterion) {
    let (x, y) = (numbers(1, 30), numbers(2, 30));
    let up = |v: &[f64]| v.iter().map(|&x| Up::exact(x)).collect::<Vec<_>>();
    let (a, b) = (up(&x), up(&y));
    let d: Vec<Down> = y.iter().map(|&x| Down::exact(x)).collect();
    each(c, "f64 add", |i| x[i] + y[i]);
    each(c, "Up add", |i| a[i] + b[i]);
    each(c, "Up sub Down", |i| a[i] - d[i]);
    each(c, "Up mul", |i| a[i] * b[i]);
    each(c, "f64 div", |i| x[i] / y[i]);
    each(c, "Up div Down", |i| a[i] / d[i]);
    each(c, "Up sqrt", |i| a[i].sqrt());
    each(c, "Up powi 20", |i| a[i].powi(20));
    // One addition waits for the one before.
    c.bench_function("Up sum of 4096, dependent", |bencher| {
        bencher.iter(|| black_box(&a).iter().copied().sum::<Up>())
    });

    let small = numbers(3, 8);
    let signed = |v: &[f64]| -> Vec<Interval> {
        v.iter()
            .enumerate()
            .map(|(i, &x)| Interval::point(if i % 3 == 0 { -x } else { x }))
            .collect()
    };
    let (p, q) = (signed(&x), signed(&y));
    let e = signed(&small);
    let l: Vec<Interval> = x.iter().map(|&x| Interval::point(x)).collect();
    each(c, "Interval add", |i| p[i] + q[i]);
    each(c, "Interval mul", |i| p[i] * q[i]);
    each(c, "Interval div", |i| p[i] / q[i]);
    each(c, "f64 exp", |i| e[i].lo().exp());
    each(c, "Interval exp", |i| e[i].exp());
    each(c, "Interval exp_m1", |i| e[i].exp_m1());
    each(c, "f64 ln", |i| l[i].lo().ln());
    each(c, "Interval ln", |i| l[i].ln());
    each(c, "Interval ln_1p", |i| l[i].ln_1p());
    each(c, "Up exp", |i| e[i].upper().exp());
    each(c, "Up ln_1p", |i| a[i].ln_1p());
}

criterion_group!(benches, bench);
criterion_main!(benches);
