//! Time of a word, one at a time and in bulk, beside the bare cipher.
use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lastbit_noise::entropy::{Entropy, System};
use std::hint::black_box;

fn entropy(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("entropy");
    let mut entropy = System::default();
    // The peer without seeding, erasure and fork check.
    let mut bare = ChaCha20Rng::from_seed([7; 32]);

    group.throughput(Throughput::Bytes(8));
    group.bench_function("word", |bencher| bencher.iter(|| entropy.word()));
    group.bench_function("word, bare cipher", |bencher| {
        bencher.iter(|| bare.next_u64())
    });
    group.bench_function("fork generation", |bencher| {
        bencher.iter(lastbit_fork::generation)
    });

    let mut words = vec![0u64; 8192];
    group.throughput(Throughput::Bytes(65536));
    group.bench_function("fill 64 kB", |bencher| {
        bencher.iter(|| entropy.fill(black_box(&mut words)))
    });
    let mut bytes = vec![0u8; 65536];
    group.bench_function("fill 64 kB, bare cipher", |bencher| {
        bencher.iter(|| bare.fill_bytes(black_box(&mut bytes)))
    });
    group.finish();
}

criterion_group!(benches, entropy);
criterion_main!(benches);
