use lastbit_exact::Natural;

use super::*;

fn big(mass: Mass) -> Natural {
    let limbs = mass.limbs().iter().rev();
    limbs.fold(Natural::ZERO, |sum, limb| {
        (sum << 64) + Natural::from(*limb)
    })
}

/// A fixed stream of numbers.
fn stream(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state ^ (state >> 31)
    }
}

fn masses(count: usize, bits: usize, seed: u64) -> Vec<Mass> {
    let mut next = stream(seed);
    let mut list: Vec<Mass> = (0..count)
        .map(|_| {
            let mut limbs = [0u64; LIMBS];
            // Masses of all sizes, none above 2^bits/count.
            let length = (next() as usize) % (bits - count.ilog2() as usize - 1);
            for (i, limb) in limbs.iter_mut().enumerate() {
                let kept = length.saturating_sub(64 * i).min(64);
                *limb = if kept == 0 { 0 } else { next() >> (64 - kept) };
            }
            Mass::from_limbs(limbs)
        })
        .collect();
    // The largest that the contract allows, alone.
    if count == 1 {
        list[0] = Mass::whole(bits) + Mass::whole(bits).minus(Mass::UNIT);
    }
    list
}

#[test]
fn convolution_equals_the_sum_of_products_for_every_number_of_primes() {
    for primes in 2..=MOST_PRIMES {
        let bits = unit_bits(primes);
        // Lengths below, at and above powers of two, by much and by little.
        let lengths = [
            (1, 1),
            (1, 7),
            (4, 5),
            (5, 9),
            (33, 64),
            (64, 65),
            (70, 70),
            (100, 3),
        ];
        for (n, m) in [&lengths[..], &[(126, 4), (130, 9), (200, 60), (1, 129)]].concat() {
            let (a, b) = (
                masses(n, bits, 1 + n as u64),
                masses(m, bits, 77 + m as u64),
            );
            for rounding in [Rounding::Up, Rounding::Down] {
                let product = convolve(&a, &b, primes, rounding);
                assert_eq!(product.len(), n + m - 1);
                for (k, mass) in product.iter().enumerate() {
                    let mut sum = Natural::ZERO;
                    for i in k.saturating_sub(m - 1)..=k.min(n - 1) {
                        sum += big(a[i]) * big(b[k - i]);
                    }
                    let mut expected = &sum >> bits;
                    if rounding == Rounding::Up && (&expected << bits) != sum {
                        expected += Natural::ONE;
                    }
                    assert_eq!(big(*mass), expected, "{primes} primes, {n}×{m}, entry {k}");
                }
            }
        }
    }
}

#[test]
fn the_last_entries_are_those_of_the_whole_product() {
    let bits = unit_bits(3);
    let (a, b) = (masses(90, bits, 3), masses(41, bits, 4));
    for rounding in [Rounding::Up, Rounding::Down] {
        let whole = convolve(&a, &b, 3, rounding);
        for count in [1, 2, 40, 41, 42, 89, 90, 91, 129, 130, 131, 1000] {
            let last = convolve_last(&a, &b, count, 3, rounding);
            assert_eq!(last, whole[whole.len().saturating_sub(count)..], "{count}");
        }
        let square = convolve(&a, &a, 3, rounding);
        assert_eq!(
            convolve_last(&a, &a, 50, 3, rounding),
            square[square.len() - 50..]
        );
    }
}

#[test]
fn a_factor_times_any_word_is_the_product_modulo_the_prime() {
    let mut next = stream(9);
    for (prime, _) in PRIMES {
        let modulus = Modulus::new(prime);
        assert!(prime > 1 << 61);
        for _ in 0..1000 {
            let (number, word) = (next() % prime, next());
            for (number, word) in [(number, word), (prime - 1, u64::MAX), (0, word), (1, word)] {
                let factor = Factor::new(&modulus, number);
                let exact = u128::from(number) << 64;
                assert_eq!(u128::from(factor.quotient), exact / u128::from(prime));
                let product = u128::from(number) * u128::from(word) % u128::from(prime);
                let found = factor.times(word, &modulus);
                assert!(found < 2 * prime);
                assert_eq!(u128::from(modulus.below_prime(found)), product);
            }
        }
    }
}

#[test]
fn a_square_in_threads_equals_the_product_of_two_copies() {
    let bits = unit_bits(3);
    let a = masses(THREADS_ABOVE, bits, 5);
    let copy = a.clone();
    assert_eq!(
        convolve(&a, &a, 3, Rounding::Up),
        convolve(&a, &copy, 3, Rounding::Up)
    );
}

#[test]
fn primes_have_roots_of_the_order_stated() {
    for (prime, root) in PRIMES {
        assert!(prime < 1 << 62 && (prime - 1).is_multiple_of(1 << ORDER_BITS));
        let modulus = Modulus::new(prime);
        let half = modulus.power(root, 1 << (ORDER_BITS - 1));
        assert_eq!(half, prime - 1);
    }
}
