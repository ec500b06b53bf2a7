use super::*;
use lastbit_exact::{Dyadic, Rounding, ln_enclosure};
use lastbit_lanes::Lanes;

const UNIFORM_MASK: u64 = u64::MAX >> 1;

/// `|value − (−ln U)|` at both ends of the cell of `U`, rounded up, against the contract.
fn check(word: u64) {
    let k = i128::from(word & UNIFORM_MASK);
    let ends = [k, k + 1].map(|k| ln_enclosure(&Dyadic::new(k, -63), 100));
    let bits = to_double(word).to_bits();
    let (value, later) = negative_ln(bits, quotient(bits));
    let exact = Dyadic::try_from(value).unwrap();
    for ln in &ends {
        let error = [ln.lo(), ln.hi()]
            .into_iter()
            .map(|ln| (&exact + ln).abs().to_f64(Rounding::Up))
            .fold(0.0, f64::max);
        let bound = TWO_M50 + value * 2f64.powi(-51) + later;
        assert!(error <= bound, "{word:#x}: {error:e} > {bound:e}");
    }
}

#[test]
fn the_logarithm_keeps_its_contract() {
    for shift in 0..63 {
        for delta in -2i64..=2 {
            check((1u64 << shift).wrapping_add_signed(delta).max(1) & UNIFORM_MASK);
        }
    }
    check(UNIFORM_MASK);
    // A fixed multiplicative walk through all magnitudes.
    let mut word = 0x9E37_79B9_7F4A_7C15u64;
    for i in 0..20_000 {
        word = word
            .wrapping_mul(0xD134_2543_DE82_EF95)
            .wrapping_add(0x2545_F491_4F6C_DD1D);
        check(((word & UNIFORM_MASK) >> (i % 40)).max(1));
    }
}

#[test]
fn no_bits_of_information_decide_nothing() {
    assert_eq!(single(0, 0.0, 0.0, 1.0), None);
    assert_eq!(single(1 << 63, 0.25, 0.0, 1e-3), None);
}

#[test]
fn a_location_that_is_not_a_number_decides_nothing() {
    assert_eq!(single(u64::MAX / 3, f64::NAN, 0.0, 1.0), None);
    assert_eq!(single(u64::MAX / 3, 1e300, 0.0, 1.0), None);
    assert_eq!(single(u64::MAX / 3, 0.0, f64::NAN, 1.0), None);
}

/// The share stated in the documentation of `Laplace`: about 2^-50 for each step, here 2^-16 at
/// 2^34 steps known to 2^-17. The words are fixed, so this is a count and not a statistic.
#[test]
fn undecided_draws_are_as_rare_as_stated() {
    let location = (1u64 << 33) as f64 + 0.3;
    let error = 1.0 / (1u64 << 17) as f64;
    let mut word = 1u64;
    let undecided = (0..1 << 22)
        .filter(|_| {
            word = word
                .wrapping_mul(0xD134_2543_DE82_EF95)
                .wrapping_add(0x2545_F491_4F6C_DD1D);
            single(word ^ word >> 29, location, error, 0.7).is_none()
        })
        .count();
    assert!((20..400).contains(&undecided), "{undecided} of 2^22");
}

/// The shares stated in `docs/attacks/timing.md`, of exact snapping between bounds of 2^48 steps.
#[test]
fn more_draws_are_undecided_at_an_end_of_wide_bounds_than_at_their_centre() {
    let bound = (1u64 << 48) as f64;
    let share = |location: f64| {
        let mut word = 1u64;
        let undecided = (0..1 << 18).filter(|_| {
            word = word
                .wrapping_mul(0xD134_2543_DE82_EF95)
                .wrapping_add(0x2545_F491_4F6C_DD1D);
            single(word ^ word >> 29, location, bound * 2f64.powi(-51), 1024.0).is_none()
        });
        undecided.count() as f64 / f64::from(1 << 18)
    };
    let (centre, end) = (share(0.3), share(bound));
    assert!((0.24..0.26).contains(&centre), "{centre}");
    assert!((0.41..0.43).contains(&end), "{end}");
}

/// Words of all magnitudes and both signs, with some at the ends.
fn words(seed: u64) -> [u64; BLOCK] {
    core::array::from_fn(|i| {
        let word = (64 * seed + i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        match i {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 63,
            3 => 1 + seed,
            _ => (word & UNIFORM_MASK) >> (word % 50) | word << 63,
        }
    })
}

/// Every kind of vector that this machine has gives the bits of the baseline, decided or not, and
/// what is decided is what a single draw gives.
#[test]
fn a_block_is_its_draws_with_all_vectors() {
    for seed in 0..200 {
        let words = words(seed);
        let locations: [f64; BLOCK] = core::array::from_fn(|i| match i % 16 {
            0 => f64::NAN,
            1 => 1e300,
            2 => 1e15,
            _ => (i as f64 * 0.37 - 10.0) * (1u64 << (seed % 40)) as f64,
        });
        let ratio = [0.8, 1e-5, 1e9, f64::NAN][seed as usize % 4];
        let run = |lanes: Lanes| {
            let mut cells = [0.0; BLOCK];
            let all = lanes.run(Block {
                words: &words,
                locations: &locations,
                location_error: 1e-12,
                ratio,
                cells: &mut cells,
            });
            (all, cells)
        };
        let (all, cells) = run(Lanes::BASELINE);
        for lanes in Lanes::all() {
            let (also, others) = run(lanes);
            assert_eq!(also, all, "{lanes:?}");
            for (cell, other) in cells.iter().zip(others) {
                let same = cell.to_bits() == other.to_bits() || cell.is_nan() && other.is_nan();
                assert!(same, "{lanes:?}, {seed}: {cell:e}, {other:e}");
            }
        }
        let single = |i: usize| single(words[i], locations[i], 1e-12, ratio);
        for (i, cell) in cells.iter().enumerate() {
            assert!(single(i).is_none_or(|alone| alone == *cell), "{seed}, {i}");
        }
    }
}

#[test]
fn a_block_of_easy_draws_is_decided() {
    let words: [u64; BLOCK] =
        core::array::from_fn(|i| (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let locations: [f64; BLOCK] = core::array::from_fn(|i| i as f64 * 0.37 - 10.0);
    for lanes in Lanes::all() {
        let mut cells = [0.0; BLOCK];
        assert!(lanes.run(Block {
            words: &words,
            locations: &locations,
            location_error: 1e-12,
            ratio: 0.8,
            cells: &mut cells,
        }));
        for i in 0..BLOCK {
            let alone = single(words[i], locations[i], 1e-12, 0.8);
            assert_eq!(alone, Some(cells[i]));
        }
    }
}
