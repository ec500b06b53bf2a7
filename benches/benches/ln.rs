//! ln of an f64 against the standard library's, and ln of 118-bit numbers; each time is that of
//! 1024 logarithms.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lastbit_exact::{Dyadic, Format, Integer, Rounding, ln, ln_bounds};
use std::hint::black_box;
use std::time::Instant;

const COUNT: usize = 1024;

/// Reproducible words.
fn words() -> impl Iterator<Item = u64> {
    let mut state = 0u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    })
}

fn bench(c: &mut Criterion) {
    let uniform: Vec<f64> = words()
        .map(|word| ((word >> 11) as f64 + 0.5) * (f64::EPSILON / 2.0))
        .take(COUNT)
        .collect();
    let positive: Vec<f64> = words()
        .map(|word| f64::from_bits(word >> 1))
        .filter(|x| x.is_normal())
        .take(COUNT)
        .collect();
    let near_one: Vec<f64> = words()
        .map(|word| 1.0 + (word as i64 >> 11) as f64 * (f64::EPSILON / 512.0))
        .take(COUNT)
        .collect();
    // The double-double tier does not take subnormal numbers.
    let subnormal: Vec<f64> = words()
        .map(|word| f64::from_bits(word >> 12))
        .take(COUNT)
        .collect();
    let long: Vec<Dyadic> = words()
        .zip(words().skip(COUNT))
        .map(|(low, high)| {
            let mantissa = u128::from(high | 1 << 63) << 64 | u128::from(low);
            Dyadic::new(Integer::from(mantissa >> 10 | 1), -118)
        })
        .take(COUNT)
        .collect();

    let mut group = c.benchmark_group("ln");
    group.throughput(Throughput::Elements(COUNT as u64));
    for (name, inputs) in [
        ("uniform", &uniform),
        ("positive", &positive),
        ("near one", &near_one),
    ] {
        let inputs = &inputs[..];
        group.bench_with_input(BenchmarkId::new("std", name), inputs, |b, inputs| {
            b.iter(|| total(inputs, |x| x.ln()))
        });
        group.bench_with_input(BenchmarkId::new("nearest", name), inputs, |b, inputs| {
            b.iter(|| total(inputs, |x| ln(x, Rounding::NearestEven)))
        });
        group.bench_with_input(BenchmarkId::new("up", name), inputs, |b, inputs| {
            b.iter(|| total(inputs, |x| ln(x, Rounding::Up)))
        });
        group.bench_with_input(BenchmarkId::new("bounds", name), inputs, |b, inputs| {
            b.iter(|| {
                total(inputs, |x| {
                    let (below, above) = ln_bounds(x);
                    below + above
                })
            })
        });
    }
    group.bench_function("second tier", |b| {
        b.iter(|| total(&subnormal, |x| ln(x, Rounding::NearestEven)))
    });
    let format = Format::new(118).expect("118 is a precision");
    group.bench_function("118 bits", |b| {
        b.iter(|| {
            for x in &long {
                black_box(format.ln(x, Rounding::NearestEven).expect("x is positive"));
            }
        })
    });
    group.finish();

    let peer = fastest(|| total(&uniform, |x| x.ln()));
    let nearest = fastest(|| total(&uniform, |x| ln(x, Rounding::NearestEven)));
    println!(
        "nearest on uniform: {nearest:.1} ns, std {peer:.1} ns, ratio {:.2} (fastest of 1000 \
         rounds)",
        nearest / peer
    );
}

/// Nanoseconds for each of `COUNT` logarithms in the fastest of 1000 rounds, which other processes
/// disturb least.
fn fastest(mut round: impl FnMut() -> f64) -> f64 {
    let times = (0..1000).map(|_| {
        let start = Instant::now();
        black_box(round());
        start.elapsed()
    });
    times.min().expect("1000 rounds").as_nanos() as f64 / COUNT as f64
}

fn total(inputs: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    black_box(inputs).iter().map(|&x| f(x)).sum()
}

criterion_group!(benches, bench);
criterion_main!(benches);
