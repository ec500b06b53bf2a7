//! Streams of bits that a test chooses.

use lastbit_noise::entropy::{Entropy, EntropyError};

/// A stream that begins with a chosen bit; the bits after it are those of `inner`.
pub struct Signed<'a, E: ?Sized> {
    carry: u64,
    inner: &'a mut E,
}

impl<'a, E: Entropy + ?Sized> Signed<'a, E> {
    /// First the bit `sign`, 0 or 1, and then `inner`.
    pub fn new(sign: u64, inner: &'a mut E) -> Signed<'a, E> {
        Signed { carry: sign, inner }
    }
}

impl<E: Entropy + ?Sized> Entropy for Signed<'_, E> {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            let next = self.inner.word()?;
            *word = self.carry << 63 | next >> 1;
            self.carry = next & 1;
        }
        Ok(())
    }
}

/// A word, and then a stream.
pub struct After<'a, E: ?Sized> {
    word: Option<u64>,
    rest: &'a mut E,
}

impl<'a, E: Entropy + ?Sized> After<'a, E> {
    /// First `word`, and then `rest`.
    pub fn new(word: u64, rest: &'a mut E) -> After<'a, E> {
        After {
            word: Some(word),
            rest,
        }
    }
}

impl<E: Entropy + ?Sized> Entropy for After<'_, E> {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            *word = match self.word.take() {
                Some(first) => first,
                None => self.rest.word()?,
            };
        }
        Ok(())
    }
}

/// A source that has nothing to give.
pub struct Empty;

impl Entropy for Empty {
    fn fill(&mut self, _: &mut [u64]) -> Result<(), EntropyError> {
        Err(EntropyError::exhausted())
    }
}

/// Laplace noise next to zero, and Gaussian noise at its median.
pub struct Quiet;

impl Entropy for Quiet {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        words.fill(u64::MAX >> 1);
        Ok(())
    }
}

/// Words that are given, and nothing after them.
pub struct Words {
    /// The words.
    pub words: Vec<u64>,
    /// How many of them were read.
    pub read: usize,
}

impl Words {
    /// A fixed sequence that looks random.
    pub fn walk(count: usize, start: u64) -> Words {
        let mut word = start;
        let next = |_| {
            word = word
                .wrapping_mul(0xD134_2543_DE82_EF95)
                .wrapping_add(0x2545_F491_4F6C_DD1D);
            word ^ word >> 29
        };
        Words {
            words: (0..count).map(next).collect(),
            read: 0,
        }
    }
}

impl Entropy for Words {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            *word = *self
                .words
                .get(self.read)
                .ok_or_else(EntropyError::exhausted)?;
            self.read += 1;
        }
        Ok(())
    }
}
