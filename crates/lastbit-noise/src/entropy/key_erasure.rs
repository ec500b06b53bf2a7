//! A generator with fast key erasure.
//!
//! Every refill runs the cipher once under the current key: the first 32 bytes of keystream replace
//! the key before any word leaves, the rest are words. So the state in memory never determines a
//! word already handed out: such words are erased from the buffer, and the key that made them is
//! gone.

use core::cell::Cell;

use zeroize::{Zeroize, Zeroizing};

use super::EntropyError;
use super::keystream::Cipher;

/// What the generator needs from outside: seeds, and the sight of forks.
pub(super) trait Source {
    /// Overwrites the key with fresh secret bytes, or fails.
    fn seed(&self, key: &mut [u8; 32]) -> Result<(), EntropyError>;
    /// A number, never zero, that changes when this process becomes a copy of another.
    fn generation(&self) -> u64;
    /// What stretches the seeds.
    fn cipher(&self) -> Cipher;
}

/// Words made per refill: with the 32 bytes of the next key, 4096 bytes of keystream.
pub(super) const BUFFER_WORDS: usize = 508;

/// Longer requests are served in parts of this many words, each under a key of its own.
pub(super) const PART_WORDS: usize = 8192;

/// Words made from one seed: 1 MiB, after which the key comes from the source again. A thief of the
/// state can follow the generator no further than that.
pub(super) const SEED_WORDS: usize = 1 << 17;

/// The generator. Its fields are cells, not one `RefCell`: a borrow flag would lengthen the chain
/// of stores and loads from one word to the next by half.
pub(super) struct KeyErasure<S: Source> {
    source: S,
    /// Index of the next unused word; `BUFFER_WORDS` when there is none. The words before it are
    /// zero.
    position: Cell<usize>,
    /// The source's generation at the last seed; 0 before it.
    generation: Cell<u64>,
    /// Words that the current seed may still make; 0 when the key is not usable.
    allowance: Cell<usize>,
    key: Cell<[u8; 32]>,
    words: [Cell<u64>; BUFFER_WORDS],
}

impl<S: Source> KeyErasure<S> {
    /// A generator that takes its seed at the first draw.
    pub(super) const fn new(source: S) -> KeyErasure<S> {
        KeyErasure {
            source,
            position: Cell::new(BUFFER_WORDS),
            generation: Cell::new(0),
            allowance: Cell::new(0),
            key: Cell::new([0; 32]),
            words: [const { Cell::new(0) }; BUFFER_WORDS],
        }
    }

    #[inline]
    pub(super) fn word(&self) -> Result<u64, EntropyError> {
        let position = self.position.get();
        match self.words.get(position) {
            Some(word) if self.source.generation() == self.generation.get() => {
                self.position.set(position + 1);
                Ok(word.take())
            }
            _ => self.first_word_of_refill(),
        }
    }

    pub(super) fn fill(&self, words: &mut [u64]) -> Result<(), EntropyError> {
        let words = Cell::from_mut(words).as_slice_of_cells();
        for part in words.chunks(PART_WORDS) {
            if self.source.generation() != self.generation.get() {
                self.erase();
            }
            if part.len() >= BUFFER_WORDS {
                self.stretch(part)?;
                continue;
            }
            let (now, later) = part.split_at(part.len().min(BUFFER_WORDS - self.position.get()));
            self.take_buffered(now);
            if !later.is_empty() {
                self.refill()?;
                self.take_buffered(later);
            }
        }
        Ok(())
    }

    /// Moves the next unused words out; there must be enough of them.
    fn take_buffered(&self, words: &[Cell<u64>]) {
        let start = self.position.get();
        let end = start + words.len();
        for (word, unused) in words.iter().zip(&self.words[start..end]) {
            word.set(unused.take());
        }
        self.position.set(end);
    }

    #[cold]
    #[inline(never)]
    fn first_word_of_refill(&self) -> Result<u64, EntropyError> {
        self.refill()?;
        self.position.set(1);
        Ok(self.words[0].take())
    }

    fn refill(&self) -> Result<(), EntropyError> {
        self.stretch(&self.words)?;
        self.position.set(0);
        Ok(())
    }

    /// Fills at most `SEED_WORDS` words, which the state left behind does not determine.
    fn stretch(&self, words: &[Cell<u64>]) -> Result<(), EntropyError> {
        let generation = self.source.generation();
        if generation != self.generation.get() || self.allowance.get() < words.len() {
            // Erased first: after a failure nothing made from the old seed is left to hand out.
            self.erase();
            let mut key = Zeroizing::new([0; 32]);
            self.source.seed(&mut key)?;
            self.key.set(*key);
            self.generation.set(generation);
            self.allowance.set(SEED_WORDS);
        }
        self.allowance.set(self.allowance.get() - words.len());
        let key = Zeroizing::new(self.key.get());
        let cipher = self.source.cipher();
        cipher.stretch(&key, |next| self.key.set(*next), words);
        Ok(())
    }

    /// Forgets key and words; the next draw asks the source for a seed.
    fn erase(&self) {
        self.key.set([0; 32]);
        self.words.iter().for_each(|word| word.set(0));
        self.position.set(BUFFER_WORDS);
        self.allowance.set(0);
    }
}

impl<S: Source> Drop for KeyErasure<S> {
    fn drop(&mut self) {
        // Nothing reads the memory after this, so plain stores could be left out.
        self.key.get_mut().zeroize();
        self.words
            .iter_mut()
            .for_each(|word| word.get_mut().zeroize());
    }
}

#[cfg(test)]
mod tests;
