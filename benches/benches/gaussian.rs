//! Time of one exact Gaussian draw, beside naive floating-point noise from the same generator.
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lastbit_exact::{Integer, Rational};
use lastbit_noise::Gaussian;
use lastbit_noise::entropy::{Entropy, EntropyError, System};
use std::hint::black_box;

const BLOCK: usize = Gaussian::BLOCK;

/// Box–Muller: one normal number from two words, its partner thrown away as a scalar call does.
fn box_muller(entropy: &mut impl Entropy) -> Result<f64, EntropyError> {
    let unit = 1.0 / (1u64 << 53) as f64;
    let u = ((entropy.word()? >> 11) + 1) as f64 * unit;
    let v = (entropy.word()? >> 11) as f64 * unit;
    Ok((-2.0 * u.ln()).sqrt() * (core::f64::consts::TAU * v).cos())
}

fn gaussian(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gaussian");
    let mut entropy = System::default();
    // σ = 2.5 on a grid of 1/4, around 1234.56.
    let noise = Gaussian::new(&Rational::new(5, 2), -2).expect("a positive scale");
    let location = Rational::new(123456, 100);
    let (steps, error) = (4.0 * 1234.56, 1e-12);

    group.bench_function("naive f64, not exact", |bencher| {
        bencher.iter(|| box_muller(&mut entropy).map(|z| (steps + 10.0 * z).round_ties_even()))
    });
    group.bench_function("one draw around a double", |bencher| {
        bencher.iter(|| -> Result<Option<f64>, EntropyError> {
            let word = entropy.word()?;
            Ok(noise.try_cell(word, black_box(steps), error))
        })
    });
    group.bench_function("one draw around a rational", |bencher| {
        bencher.iter(|| noise.draw(black_box(&location), &mut entropy))
    });
    group.bench_function("one draw in the second tier", |bencher| {
        let in_steps = location.times_power_of_two(2);
        bencher.iter(|| -> Result<Integer, EntropyError> {
            let word = entropy.word()?;
            noise.resolve(word, black_box(&in_steps), &mut entropy)
        })
    });
    group.bench_function("probability of one cell", |bencher| {
        bencher.iter(|| noise.cell_probability(black_box(&location), &Integer::from(4942)))
    });

    group.throughput(Throughput::Elements(BLOCK as u64));
    let mut words = [0; BLOCK];
    let mut cells = [0.0; BLOCK];
    group.bench_function("a block of 64 draws", |bencher| {
        bencher.iter(|| -> Result<bool, EntropyError> {
            entropy.fill(&mut words)?;
            Ok(noise.try_block(&words, &[steps; BLOCK], error, black_box(&mut cells)))
        })
    });
    group.bench_function("a block of 64, naive f64, not exact", |bencher| {
        bencher.iter(|| -> Result<(), EntropyError> {
            for cell in black_box(&mut cells) {
                *cell = (steps + 10.0 * box_muller(&mut entropy)?).round_ties_even();
            }
            Ok(())
        })
    });
    group.finish();
}

criterion_group!(benches, gaussian);
criterion_main!(benches);
