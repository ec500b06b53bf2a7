//! One selection from 100,000 candidates, for five shapes of scores, beside adding Gumbel noise to
//! each score and taking the largest. The time must be the same for all shapes; the ratio of the
//! slowest to the fastest is printed at the end.

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use lastbit::mechanisms::exponential::{Exponential, Run, Score};
use lastbit_benches::{CANDIDATES, score_shapes};
use lastbit_noise::entropy::{Entropy, System};

/// Not exact, and not private: what is commonly done.
fn gumbel_argmax(
    scores: &[f64],
    rate: f64,
    words: &mut [u64],
    entropy: &mut impl Entropy,
) -> usize {
    entropy.fill(words).expect("entropy");
    let mut best = (f64::NEG_INFINITY, 0);
    for (i, (score, word)) in scores.iter().zip(words).enumerate() {
        let uniform = ((*word >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let noisy = rate * score - (-uniform.ln()).ln();
        if noisy > best.0 {
            best = (noisy, i);
        }
    }
    best.1
}

fn exponential(criterion: &mut Criterion) {
    let mechanism = mechanism();
    let mut entropy = System::default();
    let mut group = criterion.benchmark_group("exponential/100000");
    let shapes = score_shapes(CANDIDATES);
    for (name, scores) in &shapes {
        group.bench_function(format!("f64/{name}"), |b| {
            b.iter(|| mechanism.draw(black_box(scores), &mut entropy));
        });
    }
    let mut words = vec![0; CANDIDATES];
    group.bench_function("naive Gumbel argmax", |b| {
        b.iter(|| gumbel_argmax(black_box(&shapes[3].1), 0.5, &mut words, &mut entropy));
    });
    let integers: Vec<i64> = shapes[3].1.iter().map(|&u| u as i64).collect();
    group.bench_function("i64/random", |b| {
        b.iter(|| mechanism.draw(black_box(&integers), &mut entropy));
    });
    let runs: Vec<Run<i64>> = integers
        .iter()
        .map(|&score| Run {
            length: 1 << (score % 100),
            score,
        })
        .collect();
    group.bench_function("runs/random", |b| {
        b.iter(|| mechanism.draw_place(black_box(&runs), &mut entropy));
    });
    group.finish();

    same_time("f64", &shapes.each_ref().map(|(_, scores)| &scores[..]));
    let integers = shapes.map(|(_, scores)| scores.iter().map(|&u| u as i64).collect::<Vec<_>>());
    same_time("i64", &integers.each_ref().map(|scores| &scores[..]));
}

/// The ratio of the slowest shape to the fastest: interleaved, and the fastest run of each, so that
/// other load falls on all alike.
fn same_time<S: Score>(name: &str, shapes: &[&[S]]) {
    let mechanism = mechanism();
    let mut entropy = System::default();
    let mut best = vec![f64::INFINITY; shapes.len()];
    for _ in 0..200 {
        for (best, scores) in best.iter_mut().zip(shapes) {
            let start = Instant::now();
            black_box(mechanism.draw(black_box(scores), &mut entropy)).expect("valid");
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    let slowest = best.iter().copied().fold(0.0, f64::max);
    let fastest = best.iter().copied().fold(f64::INFINITY, f64::min);
    let milliseconds: Vec<f64> = best.iter().map(|s| s * 1e3).collect();
    println!("{name}, fastest run of each shape, ms: {milliseconds:.3?}");
    println!(
        "{name}, slowest shape/fastest shape: {:.3} (goal ≤ 1.2)",
        slowest / fastest
    );
}

fn mechanism() -> Exponential {
    let one = "1";
    Exponential::new(
        &one.parse().expect("positive"),
        &one.parse().expect("positive"),
    )
}

criterion_group!(benches, exponential);
criterion_main!(benches);
