use super::super::deviation::Deviation;
use super::super::quantile::upper_quantiles;
use super::super::tail::{Normal, density};
use super::*;
use lastbit_exact::{Dyadic, Interval, Rational, Rounding};
use lastbit_lanes::Lanes;

fn dyadic(x: f64) -> Dyadic {
    Dyadic::try_from(x).unwrap()
}

/// Every bin: its lower edge in `k`, and its node.
fn bins() -> impl Iterator<Item = (f64, [f64; 2])> {
    let edge = |i: usize| f64::from_bits((FIRST_BIN + i as u64) << BIN_SHIFT);
    NODES
        .iter()
        .enumerate()
        .map(move |(i, &node)| (edge(i), node))
}

#[test]
fn the_bins_cover_all_tails_down_to_the_least() {
    assert_eq!(bins().next().unwrap().0, LEAST);
    let last = bins().last().unwrap().0;
    assert_eq!(last * 32.0 / 31.0, 2f64.powi(63));
    assert!(MOST < 2f64.powi(63) && MOST.next_up() == 2f64.powi(63));
}

#[test]
fn every_node_is_off_by_at_most_its_share() {
    for (edge, [node, width]) in bins() {
        // Q falls: Q(z + e) ≤ c ≤ Q(z − e) puts the true node within e of z.
        let middle = dyadic(edge + 2f64.powi(dyadic(edge).floor_log2().unwrap() as i32 - 5));
        let middle = middle.times_power_of_two(-64);
        let z = dyadic(node);
        let e = z.times_power_of_two(-53);
        assert!(*Normal::at(&(&z - &e), 100).tail.lo() >= middle, "{node}");
        assert!(*Normal::at(&(&z + &e), 100).tail.hi() <= middle, "{node}");
        // width·φ(z)·2^64 = 1 ± 2^-52
        let phi = density(&z, 100);
        let one = |phi: &Dyadic| (&dyadic(width) * phi).times_power_of_two(64);
        assert!(one(phi.lo()) >= &Dyadic::ONE - &Dyadic::power_of_two(-52));
        assert!(one(phi.hi()) <= &Dyadic::ONE + &Dyadic::power_of_two(-52));
    }
}

/// `q_n`, from the recurrence over the integers.
fn derivative_polynomials(n: usize) -> Vec<u64> {
    let mut q = vec![1u64];
    for n in 1..n {
        let mut next = vec![0; q.len() + 1];
        for (j, a) in q.iter().enumerate() {
            next[j + 1] += n as u64 * a;
            if j > 0 {
                next[j - 1] += j as u64 * a;
            }
        }
        q = next;
    }
    q
}

#[test]
fn the_series_in_every_bin_ends_within_its_share() {
    let q = derivative_polynomials(DEGREE + 1);
    let factorial: u32 = (1..=DEGREE as u32 + 1).product();
    for (edge, [node, width]) in bins() {
        // The far edge, where the derivatives are largest, moved out by more than the rounding of
        // k.
        let p = (dyadic(edge).times_power_of_two(-64)).round(40, Rounding::Down);
        let p = &p - &p.times_power_of_two(-52);
        let far = upper_quantiles(&p, &p, 80);
        let far_z = Interval::new(
            far.lo().to_f64(Rounding::Down),
            far.hi().to_f64(Rounding::Up),
        );
        let far_z = far_z.unwrap();
        let phi = density(&far.hi().round(100, Rounding::Up), 80);
        let phi = Interval::point(phi.lo().to_f64(Rounding::Down));
        let half_bin =
            Interval::point(2f64.powi(dyadic(edge).floor_log2().unwrap() as i32 - 5 - 64))
                * Interval::new(1.0, 1.0 + 2f64.powi(-46)).unwrap();
        let delta = half_bin / phi;
        let polynomial = q.iter().rev().fold(Interval::ZERO, |sum, &a| {
            sum * far_z + Interval::point(a as f64)
        });
        let rest = polynomial * delta.powi(DEGREE as i32 + 1) / Interval::from(factorial);
        assert!(rest.hi() <= 2f64.powi(-54), "{node}: {rest}");
        // |δ|, with the density at the node.
        assert!(half_bin.hi() * width * 2f64.powi(64) < 1.0 / 32.0);
        // How far a step of k goes at the far edge.
        assert!(
            (Interval::ONE / phi).hi() * 2f64.powi(-64) <= width * 1.125,
            "{node}"
        );
    }
}

#[test]
fn the_coefficients_are_those_of_the_derivatives() {
    let mut factorial = 1u64;
    for n in 1..=DEGREE {
        factorial *= n as u64;
        for (j, &a) in derivative_polynomials(n).iter().enumerate() {
            if (n - 1 - j) % 2 == 0 {
                assert_eq!(
                    COEFFICIENTS[(n - 1 - j) / 2][j],
                    a as f64 / factorial as f64
                );
            } else {
                assert_eq!(a, 0);
            }
        }
    }
    // 1, 1/2, (1 + 2z²)/6, (7z + 6z³)/24.
    assert_eq!(COEFFICIENTS[1][..2], [1.0 / 6.0, 7.0 / 24.0]);
    assert_eq!(COEFFICIENTS[0][..4], [1.0, 0.5, 2.0 / 6.0, 6.0 / 24.0]);
}

#[test]
fn the_sum_in_f64_is_the_polynomial() {
    let exact = |x: f64| Rational::try_from(x).unwrap();
    let power = |x: &Rational, n: usize| (0..n).fold(Rational::ONE, |product, _| &product * x);
    // |x| ≤ 1/32 and y ≤ 2^-10 in every bin.
    for x in [-0.031, -0.02, -1e-3, 0.0, 1e-9, 0.01, 0.0303, 0.03125] {
        for y in [0.0, 1e-12, 1e-5, 3e-4, 9.7e-4] {
            let mut sum = Rational::ZERO;
            for (m, row) in COEFFICIENTS.iter().enumerate() {
                for (j, &a) in row.iter().enumerate() {
                    let term = &power(&exact(y), m) * &power(&exact(x), j);
                    sum = &sum + &(&term * &exact(a));
                }
            }
            let error = (&exact(series(x, y)) - &sum).abs();
            assert!(
                error <= &sum.times_power_of_two(-53) * &Rational::from(5i64),
                "{x}, {y}"
            );
        }
    }
}

/// `|value − z|` at both ends of the cell of the tail, rounded up, against the sum in the proof.
fn check(k: u64) {
    let (value, later) = upper_quantile(k);
    for end in [u128::from(k), u128::from(k) + 1] {
        let p = Dyadic::new(end, -64);
        let z = upper_quantiles(&p, &p, 90);
        let off = |z: &Dyadic| (&dyadic(value) - z).abs().to_f64(Rounding::Up);
        let error = off(z.lo()).max(off(z.hi()));
        let bound = (2.2 + 2.04 * value) * 2f64.powi(-53) + later;
        assert!(error <= bound, "{k:#x}: {error:e} > {bound:e}");
    }
}

#[test]
fn the_quantile_keeps_its_contract() {
    for shift in 21..=62 {
        for delta in [0, 1, 3] {
            check((1u64 << shift) + delta);
            check((2u64 << shift) - 1 - delta);
        }
    }
    // A fixed multiplicative walk through all magnitudes, and along the edges of bins.
    let mut word = 0x9E37_79B9_7F4A_7C15u64;
    for i in 0..1000 {
        word = word
            .wrapping_mul(0xD134_2543_DE82_EF95)
            .wrapping_add(0x2545_F491_4F6C_DD1D);
        check(((word >> 1) >> (i % 40)).max(1 << 21));
        check((word >> 1 >> 50 << 50 >> (i % 28)).max(1 << 21));
    }
}

#[test]
fn a_tail_too_small_for_the_table_decides_nothing() {
    for k in [0, 1, (1 << 21) - 1] {
        assert!(upper_quantile(k).1.is_nan());
        assert_eq!(single(k, 0.25, 0.0, 1e-9), None);
        assert_eq!(single(!k, 0.25, 0.0, 1e-9), None);
    }
    assert_eq!(single(1 << 21, 0.25, 0.0, 1e-9), Some(0.0));
}

#[test]
fn a_location_that_is_not_a_number_decides_nothing() {
    let word = u64::MAX / 3;
    assert!(single(word, 0.2, 0.0, 1.0).is_some());
    assert_eq!(single(word, f64::NAN, 0.0, 1.0), None);
    assert_eq!(single(word, 1e300, 0.0, 1.0), None);
    assert_eq!(single(word, 0.2, f64::NAN, 1.0), None);
    assert_eq!(single(word, 0.2, 0.0, f64::NAN), None);
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
            // Small ones from either end.
            _ => (word >> 1) >> (word % 50) ^ (word & 1).wrapping_neg(),
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

#[test]
fn a_deviation_in_f64_is_its_nearest_double() {
    for (variance, sigma) in [("2", 2f64.sqrt()), ("9/4", 1.5), ("1e-300", 1e-150)] {
        let variance: Rational = variance.parse().unwrap();
        assert_eq!(Deviation::of_variance(&variance).to_f64(), sigma);
    }
}
