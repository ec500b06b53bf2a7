//! Exact convolution: number-theoretic transforms modulo primes, put together by Chinese
//! remainders.

use std::sync::OnceLock;

use super::mass::{LIMBS, Mass};
use super::modulo::{Factor, Modulus};

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

/// Up to this length a thread costs more than it saves.
const THREADS_ABOVE: usize = 1 << 13;

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
    assert!(
        length <= 1 << ORDER_BITS,
        "callers keep laws shorter than 2^23"
    );
    let sizes = Sizes::of(length);
    let one_prime = |index: usize| product_modulo(index, a, b, sizes);
    let residues: Vec<Vec<u64>> = if length <= THREADS_ABOVE {
        (0..primes).map(one_prime).collect()
    } else {
        std::thread::scope(|scope| {
            let one_prime = &one_prime;
            let handles: Vec<_> = (0..primes)
                .map(|index| scope.spawn(move || one_prime(index)))
                .collect();
            // A thread panics only if memory is out, as the program would without threads.
            let joined = handles.into_iter().map(|handle| handle.join());
            joined
                .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    let remainders = Remainders::new(&PRIMES[..primes]);
    let bits = unit_bits(primes);
    (0..length)
        .map(|k| {
            let value = remainders.combine(|i| residues[i][k]);
            shift(&value, bits, rounding)
        })
        .collect()
}

/// The last `count` entries of [`convolve`], which the last `count` of `a` and of `b` decide.
pub(super) fn convolve_last(
    a: &[Mass],
    b: &[Mass],
    count: usize,
    primes: usize,
    rounding: Rounding,
) -> Vec<Mass> {
    let last = |masses: &[Mass]| masses.len().saturating_sub(count);
    let mut product = convolve(&a[last(a)..], &b[last(b)..], primes, rounding);
    product.drain(..product.len().saturating_sub(count));
    product
}

/// How a product of some length is computed: modulo `x^size − 1`, and if that is too short, what
/// wraps around is found modulo another polynomial, of degree `rest`.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    size: usize,
    rest: Option<usize>,
}

impl Sizes {
    fn of(length: usize) -> Sizes {
        let size = length.next_power_of_two();
        let rest = (length - size / 2).next_power_of_two();
        // With three quarters of the work at most.
        if size > 1 && length > size / 2 && rest < size / 2 {
            Sizes {
                size: size / 2,
                rest: Some(rest),
            }
        } else {
            Sizes { size, rest: None }
        }
    }
}

/// The entries of the product modulo a prime.
///
/// **Proof** of the two sizes. Let `P = A + x^n·B` with A of degree below n and B below m, a power
/// of two less than n. Modulo `x^n − 1` it is `S = A + B`. Block `n/m` of m values divides
/// `x^n + 1`: modulo it `x^n = −1` and P is `A − B = S − 2B`, where B is itself. So S and P there
/// give B, and then A. ∎
fn product_modulo(prime: usize, a: &[Mass], b: &[Mass], sizes: Sizes) -> Vec<u64> {
    let length = a.len() + b.len() - 1;
    let Sizes { size, rest } = sizes;
    let modulus = Modulus::new(PRIMES[prime].0);
    let roots = Roots::of(
        prime,
        &modulus,
        if rest.is_some() { 2 * size } else { size },
    );
    let is_square = core::ptr::eq(a, b);
    let multiplied = |x: &mut [u64], y: Option<&[u64]>| match y {
        None => x.iter_mut().for_each(|x| *x = modulus.multiply(*x, *x)),
        Some(y) => {
            let pairs = x.iter_mut().zip(y);
            pairs.for_each(|(x, y)| *x = modulus.multiply(*x, *y));
        }
    };
    let x = modulus.load(a);
    let y = (!is_square).then(|| modulus.load(b));
    // Modulo x^size − 1.
    let whole = |values: &[u64]| {
        let mut out = wrapped(&modulus, values, size, false);
        roots.forward(&modulus, &mut out, 0, values.len());
        out
    };
    let mut product = whole(&x);
    multiplied(&mut product, y.as_deref().map(whole).as_deref());
    roots.backward(&modulus, &mut product, 0);
    let Some(rest) = rest else {
        product.truncate(length);
        return product;
    };
    let block = size / rest;
    let folded = |values: &[u64]| {
        let mut out = wrapped(&modulus, values, size, true);
        roots.fold(&modulus, &mut out, rest);
        out
    };
    let transformed = |values: &[u64]| {
        let mut out = folded(values);
        roots.forward(&modulus, &mut out, block, rest);
        out
    };
    let mut other = transformed(&x);
    multiplied(&mut other, y.as_deref().map(transformed).as_deref());
    roots.backward(&modulus, &mut other, block);
    let sum = folded(&product);
    let half = Factor::new(&modulus, modulus.prime.div_ceil(2));
    product.resize(length, 0);
    let (low, high) = product.split_at_mut(size);
    // Of degree length − size, at most `rest`: what is beyond is 0.
    for (((low, high), sum), other) in low.iter_mut().zip(high).zip(sum).zip(other) {
        // Sums are below 2p and others below p.
        let twice = sum + modulus.prime - other;
        *high = modulus.below_prime(half.times(twice, &modulus));
        *low = modulus.below_prime(*low + modulus.prime - *high);
    }
    product
}

/// Values modulo `x^size − 1` or `x^size + 1`, all below 2p.
fn wrapped(modulus: &Modulus, values: &[u64], size: usize, negated: bool) -> Vec<u64> {
    let (first, others) = values.split_at(values.len().min(size));
    let mut out = first.to_vec();
    out.resize(size, 0);
    // Products of two laws are shorter than twice the size.
    for (value, other) in out.iter_mut().zip(others) {
        *value = if negated {
            modulus.below_twice(*value + 2 * modulus.prime - *other)
        } else {
            modulus.below_twice(*value + *other)
        };
    }
    out
}

/// The roots of unity of transforms up to some size, in the order in which their blocks need them:
/// block s of any size has the product of the roots of order `2^(k+2)` over the bits k of s.
struct Roots {
    forward: Vec<Factor>,
    backward: Vec<Factor>,
}

/// The roots of transforms of this size are kept.
const KEPT: usize = 1 << 13;

/// Roots that are kept, or were made for one product.
enum Held {
    Kept(&'static Roots),
    Own(Roots),
}

impl core::ops::Deref for Held {
    type Target = Roots;

    fn deref(&self) -> &Roots {
        match self {
            Held::Kept(roots) => roots,
            Held::Own(roots) => roots,
        }
    }
}

impl Roots {
    /// For transforms of up to `size` values.
    fn of(prime: usize, modulus: &Modulus, size: usize) -> Held {
        static ROOTS: [OnceLock<Roots>; MOST_PRIMES] = [const { OnceLock::new() }; MOST_PRIMES];
        let root = PRIMES[prime].1;
        if size <= KEPT {
            Held::Kept(ROOTS[prime].get_or_init(|| Roots::new(modulus, root, KEPT)))
        } else {
            Held::Own(Roots::new(modulus, root, size))
        }
    }

    fn new(modulus: &Modulus, root: u64, size: usize) -> Roots {
        let table = |root: u64| {
            let mut roots = Vec::with_capacity(size / 2);
            roots.push(Factor::new(modulus, 1));
            let mut k = 0;
            while roots.len() < size / 2 {
                let factor = modulus.power(root, 1 << (ORDER_BITS - 2 - k));
                let factor = Factor::new(modulus, factor);
                for s in 0..roots.len() {
                    let next = factor.times(roots[s].number, modulus);
                    roots.push(Factor::new(modulus, modulus.below_prime(next)));
                }
                k += 1;
            }
            roots
        };
        Roots {
            forward: table(root),
            backward: table(modulus.inverted(root)),
        }
    }

    /// Block `block` of all blocks of this many values: values at its roots of unity, below `4p`,
    /// in the order that [`Roots::backward`] expects, for values below `2p`. From `filled` on they
    /// are zero; only block 0 may say so.
    ///
    /// A step turns a block modulo `x^2h − r²` into one modulo `x^h − r` and one modulo `x^h + r`.
    fn forward(&self, modulus: &Modulus, values: &mut [u64], block: usize, filled: usize) {
        // As long as the right half of a block is zero, its step copies the left half: x ± 0.
        let start = match block {
            0 => filled.next_power_of_two().min(values.len()),
            _ => values.len(),
        };
        let (first, others) = values.split_at_mut(start);
        for copy in others.chunks_exact_mut(start) {
            copy.copy_from_slice(first);
        }
        let mut half = start / 2;
        while half > 0 {
            let roots = &self.forward[block * (values.len() / (2 * half))..];
            for (step, root) in values.chunks_exact_mut(2 * half).zip(roots) {
                let (left, right) = step.split_at_mut(half);
                for (x, y) in left.iter_mut().zip(right) {
                    let (kept, turned) = (modulus.below_twice(*x), root.times(*y, modulus));
                    (*x, *y) = (kept + turned, kept + 2 * modulus.prime - turned);
                }
            }
            half /= 2;
        }
    }

    /// A block modulo `x^n + 1`, the second of its size, modulo its first divisor of degree `rest`:
    /// the left halves of the steps, without the right ones. Values are below `2p`.
    fn fold(&self, modulus: &Modulus, values: &mut Vec<u64>, rest: usize) {
        let mut block = 1;
        while values.len() > rest {
            let half = values.len() / 2;
            let root = self.forward[block];
            let (left, right) = values.split_at_mut(half);
            for (x, y) in left.iter_mut().zip(right) {
                *x = modulus.below_twice(*x + root.times(*y, modulus));
            }
            values.truncate(half);
            block *= 2;
        }
    }

    /// Back to coefficients, as numbers below p, for values below `2p` that are products of
    /// [`Modulus::multiply`].
    fn backward(&self, modulus: &Modulus, values: &mut [u64], block: usize) {
        let mut half = 1;
        while half < values.len() {
            let roots = &self.backward[block * (values.len() / (2 * half))..];
            for (step, root) in values.chunks_exact_mut(2 * half).zip(roots) {
                let (left, right) = step.split_at_mut(half);
                for (x, y) in left.iter_mut().zip(right) {
                    let difference = *x + 2 * modulus.prime - *y;
                    (*x, *y) = (
                        modulus.below_twice(*x + *y),
                        root.times(difference, modulus),
                    );
                }
            }
            half *= 2;
        }
        // 2^64/size: a product of two was divided by 2^64.
        let size = values.len() as u64;
        let word = (u128::from(u64::MAX) % u128::from(modulus.prime)) as u64 + 1;
        let inverse = Factor::new(modulus, modulus.inverted(size));
        let scale = modulus.below_prime(inverse.times(word, modulus));
        let scale = Factor::new(modulus, scale);
        for value in values {
            *value = modulus.below_prime(scale.times(*value, modulus));
        }
    }
}

/// Chinese remainders, by Garner's mixed radix.
struct Remainders {
    moduli: Vec<Modulus>,
    /// Row i: modulo `p_i`, `p_j^-1` for `j < i`.
    inverses: Vec<Vec<Factor>>,
}

impl Remainders {
    fn new(primes: &[(u64, u64)]) -> Remainders {
        let moduli: Vec<_> = primes.iter().map(|&(p, _)| Modulus::new(p)).collect();
        let inverses = moduli.iter().enumerate().map(|(i, modulus)| {
            let others = moduli[..i].iter();
            others
                .map(|other| {
                    let other = other.prime % modulus.prime;
                    Factor::new(modulus, modulus.inverted(other))
                })
                .collect()
        });
        Remainders {
            inverses: inverses.collect(),
            moduli,
        }
    }

    /// The number below the product of all primes with these remainders.
    #[inline]
    fn combine(&self, residue: impl Fn(usize) -> u64) -> [u64; WIDE] {
        let mut digits = [0u64; MOST_PRIMES];
        let count = self.moduli.len();
        for (i, (modulus, inverses)) in self.moduli.iter().zip(&self.inverses).enumerate() {
            let mut value = residue(i);
            for (digit, inverse) in digits.iter().zip(inverses) {
                // Digits are below another prime, so below 2p: the difference is congruent, and
                // below 4p.
                value = inverse.times(value + 2 * modulus.prime - *digit, modulus);
            }
            digits[i] = modulus.below_prime(value);
        }
        // d_0 + p_0(d_1 + p_1(d_2 + …)): one word more for each prime.
        let mut wide = [0u64; WIDE];
        wide[0] = digits[count - 1];
        for i in (0..count - 1).rev() {
            let mut carry = u128::from(digits[i]);
            for limb in &mut wide[..count - i] {
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
mod tests;
