//! Exact convolution: number-theoretic transforms modulo primes, put together by Chinese
//! remainders.

use super::mass::{LIMBS, Mass};

/// Primes `c·2^24 + 1` just below `2^62`, each with an element of order `2^24`.
const PRIMES: [(u64, u64); MOST_PRIMES] = [
    (4611686018326724609, 2216582218977214949),
    (4611686018309947393, 3710034473451196388),
    (4611686018058289153, 3170054515048797764),
    (4611686017974403073, 193982014346233058),
    (4611686017773076481, 2568101021096261213),
    (4611686017554972673, 4305993550933568674),
    (4611686016867106817, 2899872774413147170),
    (4611686016649003009, 1744418002888009592),
];

/// As many primes as there are.
pub(super) const MOST_PRIMES: usize = 8;

/// Two vectors have a product of at most `2^24` entries.
const ORDER_BITS: u32 = 24;

/// Limbs of a number below the product of all primes.
const WIDE: usize = MOST_PRIMES;

/// Below this length a thread costs more than it saves.
const THREADS_FROM: usize = 1 << 13;

/// Bits of a unit of mass for which products of two laws are below the product of `primes` primes.
///
/// A product's entry is at most the product of the two sums. Each sum is at most `2^(bits+1)`,
/// twice the whole mass, and the primes' product is above `2^(62·primes − 1)`; so
/// `2·bits + 2 ≤ 62·primes − 2` is enough.
pub(super) const fn unit_bits(primes: usize) -> usize {
    31 * primes - 3
}

/// Which way the units below the last are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// To the next unit above.
    Up,
    /// To the next unit below.
    Down,
}

/// `⌈Σ_i a_i b_(k−i) / 2^bits⌉` for every k, or the floor, exactly.
///
/// The sums of `a` and of `b` must be below `2^(bits+1)`, with `bits = unit_bits(primes)`; the
/// callers keep them so.
pub(super) fn convolve(a: &[Mass], b: &[Mass], primes: usize, rounding: Rounding) -> Vec<Mass> {
    debug_assert!((2..=MOST_PRIMES).contains(&primes));
    let length = a.len() + b.len() - 1;
    let size = length.next_power_of_two();
    assert!(
        size <= 1 << ORDER_BITS,
        "callers keep laws shorter than 2^23"
    );
    let square = core::ptr::eq(a, b);
    let one_prime = |&(prime, root): &(u64, u64)| {
        let modulus = Modulus::new(prime);
        let roots = Roots::new(&modulus, root, size);
        let mut x = modulus.load(a, size);
        roots.forward(&modulus, &mut x, a.len());
        if square {
            for value in &mut x {
                *value = modulus.multiply(*value, *value);
            }
        } else {
            let mut y = modulus.load(b, size);
            roots.forward(&modulus, &mut y, b.len());
            for (value, other) in x.iter_mut().zip(y) {
                *value = modulus.multiply(*value, other);
            }
        }
        roots.backward(&modulus, &mut x);
        x.truncate(length);
        x
    };
    let chosen = &PRIMES[..primes];
    let residues: Vec<Vec<u64>> = if size < THREADS_FROM {
        chosen.iter().map(one_prime).collect()
    } else {
        std::thread::scope(|scope| {
            let one_prime = &one_prime;
            let handles: Vec<_> = chosen
                .iter()
                .map(|prime| scope.spawn(move || one_prime(prime)))
                .collect();
            // A thread panics only if memory is out, as the program would without threads.
            let joined = handles.into_iter().map(|handle| handle.join());
            joined
                .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    let remainders = Remainders::new(chosen);
    let bits = unit_bits(primes);
    (0..length)
        .map(|k| {
            let value = remainders.combine(|i| residues[i][k]);
            shift(&value, bits, rounding)
        })
        .collect()
}

/// Arithmetic modulo a prime below `2^62` in Montgomery's form: x stands for `x·2^-64`. Values are
/// below `2p`, so that `4p < 2^64` bounds every sum.
struct Modulus {
    prime: u64,
    /// `p^-1 mod 2^64`.
    inverse: u64,
    /// `2^64 mod p`: the one.
    one: u64,
    /// `2^128 mod p`.
    square: u64,
}

impl Modulus {
    fn new(prime: u64) -> Modulus {
        // Newton's iteration doubles the number of right bits, of which an odd number has three to
        // begin with.
        let mut inverse = prime;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(prime.wrapping_mul(inverse)));
        }
        let one = ((1u128 << 64) % u128::from(prime)) as u64;
        let square = (u128::from(one) * u128::from(one) % u128::from(prime)) as u64;
        Modulus {
            prime,
            inverse,
            one,
            square,
        }
    }

    /// `a·b/2^64`, below `2p`, for `a·b < 2^64·p`: true if both are below `2p`, and for any a if
    /// `b < p`.
    #[inline(always)]
    fn multiply(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let multiple = (product as u64).wrapping_mul(self.inverse);
        let reduction = (u128::from(multiple) * u128::from(self.prime)) >> 64;
        ((product >> 64) as u64) + self.prime - reduction as u64
    }

    #[inline(always)]
    fn add(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        sum.min(sum.wrapping_sub(2 * self.prime))
    }

    #[inline(always)]
    fn subtract(&self, a: u64, b: u64) -> u64 {
        let difference = a.wrapping_sub(b);
        difference.min(difference.wrapping_add(2 * self.prime))
    }

    /// The number that a form stands for, below p.
    fn number(&self, a: u64) -> u64 {
        let reduced = self.multiply(a, 1);
        reduced.min(reduced.wrapping_sub(self.prime))
    }

    /// The form of a number.
    fn form(&self, number: u64) -> u64 {
        self.multiply(number, self.square)
    }

    fn power(&self, base: u64, mut exponent: u64) -> u64 {
        let (mut result, mut square) = (self.one, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.multiply(result, square);
            }
            square = self.multiply(square, square);
            exponent >>= 1;
        }
        result
    }

    /// Masses modulo p, in form, filled up with zeros.
    fn load(&self, masses: &[Mass], size: usize) -> Vec<u64> {
        let mut weights = [0; LIMBS];
        // The form of 2^(64i) is 2^(64(i+1)) mod p; another 2^64 for the product's division.
        let mut weight = self.square;
        for slot in &mut weights {
            *slot = weight % self.prime;
            weight = self.multiply(*slot, self.square);
        }
        let mut values = vec![0; size];
        for (value, mass) in values.iter_mut().zip(masses) {
            let mut sum = 0;
            for (limb, weight) in mass.limbs().iter().zip(weights) {
                if *limb != 0 {
                    sum = self.add(sum, self.multiply(*limb, weight));
                }
            }
            *value = sum;
        }
        values
    }
}

/// The roots of unity of a transform, in the order in which its blocks need them.
struct Roots {
    forward: Vec<u64>,
    backward: Vec<u64>,
    /// The form of `1/size`.
    scale: u64,
}

impl Roots {
    fn new(modulus: &Modulus, root: u64, size: usize) -> Roots {
        let inverse = |x: u64| modulus.power(x, modulus.prime - 2);
        let root = modulus.form(root);
        let table = |root: u64| {
            // Block s has the product of the roots of order 2^(k+2) over the bits k of s.
            let mut roots = vec![modulus.one];
            let mut k = 0;
            while roots.len() < size / 2 {
                let factor = modulus.power(root, 1 << (ORDER_BITS - 2 - k));
                for s in 0..roots.len() {
                    roots.push(modulus.multiply(roots[s], factor));
                }
                k += 1;
            }
            roots
        };
        Roots {
            forward: table(root),
            backward: table(inverse(root)),
            scale: inverse(modulus.form(size as u64)),
        }
    }

    /// Values at all roots of unity, in the order that [`Roots::backward`] expects. From `filled`
    /// on they are zero.
    fn forward(&self, modulus: &Modulus, values: &mut [u64], filled: usize) {
        // As long as the right half of a block is zero, its step copies the left half: x ± 0.
        let start = filled.next_power_of_two().min(values.len());
        let (first, others) = values.split_at_mut(start);
        for block in others.chunks_exact_mut(start) {
            block.copy_from_slice(first);
        }
        let mut half = start / 2;
        while half > 0 {
            for (block, &root) in values.chunks_exact_mut(2 * half).zip(&self.forward) {
                let (left, right) = block.split_at_mut(half);
                for (x, y) in left.iter_mut().zip(right) {
                    let turned = modulus.multiply(*y, root);
                    (*x, *y) = (modulus.add(*x, turned), modulus.subtract(*x, turned));
                }
            }
            half /= 2;
        }
    }

    /// Back to coefficients, as numbers below p.
    fn backward(&self, modulus: &Modulus, values: &mut [u64]) {
        let mut half = 1;
        while half < values.len() {
            for (block, &root) in values.chunks_exact_mut(2 * half).zip(&self.backward) {
                let (left, right) = block.split_at_mut(half);
                for (x, y) in left.iter_mut().zip(right) {
                    let difference = modulus.subtract(*x, *y);
                    (*x, *y) = (modulus.add(*x, *y), modulus.multiply(difference, root));
                }
            }
            half *= 2;
        }
        for value in values {
            *value = modulus.number(modulus.multiply(*value, self.scale));
        }
    }
}

/// Chinese remainders, by Garner's mixed radix.
struct Remainders {
    moduli: Vec<Modulus>,
    /// Row i: the forms modulo `p_i` of `p_j^-1` for `j < i`.
    inverses: Vec<Vec<u64>>,
}

impl Remainders {
    fn new(primes: &[(u64, u64)]) -> Remainders {
        let moduli: Vec<_> = primes.iter().map(|&(p, _)| Modulus::new(p)).collect();
        let inverses = moduli.iter().enumerate().map(|(i, modulus)| {
            let others = moduli[..i].iter();
            others
                .map(|other| modulus.power(modulus.form(other.prime), modulus.prime - 2))
                .collect()
        });
        Remainders {
            inverses: inverses.collect(),
            moduli,
        }
    }

    /// The number below the product of all primes with these remainders.
    fn combine(&self, residue: impl Fn(usize) -> u64) -> [u64; WIDE] {
        let mut digits = [0u64; MOST_PRIMES];
        let count = self.moduli.len();
        for (i, modulus) in self.moduli.iter().enumerate() {
            let mut value = residue(i);
            for (digit, &inverse) in digits.iter().zip(&self.inverses[i]) {
                // Digits are below another prime, so below 2p: the difference is congruent and
                // below 2p.
                value = modulus.multiply(modulus.subtract(value, *digit), inverse);
            }
            digits[i] = value.min(value.wrapping_sub(modulus.prime));
        }
        // d_0 + p_0(d_1 + p_1(d_2 + …)).
        let mut wide = [0u64; WIDE];
        wide[0] = digits[count - 1];
        for i in (0..count - 1).rev() {
            let mut carry = u128::from(digits[i]);
            for limb in &mut wide[..count] {
                carry += u128::from(*limb) * u128::from(self.moduli[i].prime);
                *limb = carry as u64;
                carry >>= 64;
            }
        }
        wide
    }
}

/// `value/2^bits`, rounded; it fits, as `value < 2^(2·bits + 2)` and a mass has more than
/// `bits + 3` bits.
fn shift(value: &[u64; WIDE], bits: usize, rounding: Rounding) -> Mass {
    let (limbs, rest) = (bits / 64, bits % 64);
    let at = |i: usize| value.get(i).copied().unwrap_or(0);
    let mut result = [0u64; LIMBS];
    for (i, limb) in result.iter_mut().enumerate() {
        *limb = at(limbs + i) >> rest;
        if rest > 0 {
            *limb |= at(limbs + i + 1) << (64 - rest);
        }
    }
    let mass = Mass::from_limbs(result);
    let cut =
        value[..limbs].iter().any(|limb| *limb != 0) || (rest > 0 && at(limbs) << (64 - rest) != 0);
    if cut && rounding == Rounding::Up {
        mass + Mass::UNIT
    } else {
        mass
    }
}

#[cfg(test)]
mod tests {
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
            for (n, m) in [(1, 1), (1, 7), (5, 9), (33, 64), (100, 3)] {
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
    fn a_square_in_threads_equals_the_product_of_two_copies() {
        let bits = unit_bits(3);
        let a = masses(THREADS_FROM, bits, 5);
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
            let half = modulus.power(modulus.form(root), 1 << (ORDER_BITS - 1));
            assert_eq!(modulus.number(half), prime - 1);
        }
    }
}
