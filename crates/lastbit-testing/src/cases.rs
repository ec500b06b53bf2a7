//! Reproducible test cases.

/// A generator for test cases (SplitMix64): what it gives depends on the seed alone. Never noise.
#[derive(Clone, Debug)]
pub struct Cases(pub u64);

impl Cases {
    /// The next 64-bit word.
    #[allow(clippy::should_implement_trait)] // It never ends; [`Cases::words`] is the iterator.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, nearly uniform.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }

    /// All words that follow.
    pub fn words(mut self) -> impl Iterator<Item = u64> {
        std::iter::repeat_with(move || self.next())
    }
}
