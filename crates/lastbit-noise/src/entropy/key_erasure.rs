//! A ChaCha20 generator with fast key erasure.
//!
//! Every refill runs ChaCha20 once under the current key: the first 32 bytes of keystream replace the key before any
//! word leaves, the rest are words. So the state in memory never determines a word already handed out: such words
//! are erased from the buffer, and the key that made them is gone.

use chacha20::rand_core::SeedableRng;
use chacha20::rand_core::block::Generator;
use chacha20::variants::Legacy;
use chacha20::{ChaChaCore, R20};
use zeroize::{Zeroize, Zeroizing};

use super::EntropyError;

/// What the generator needs from outside: seeds, and the sight of forks.
pub(super) trait Source {
    /// Overwrites the key with fresh secret bytes, or fails.
    fn seed(&mut self, key: &mut [u8; 32]) -> Result<(), EntropyError>;
    /// A number, never zero, that changes when this process becomes a copy of another.
    fn generation(&self) -> u64;
}

/// Words made per refill: with the 32 bytes of the next key, 4096 bytes of keystream.
pub(super) const BUFFER_WORDS: usize = 508;

/// Longer requests are served in parts of this many words, each under a key of its own.
pub(super) const PART_WORDS: usize = 8192;

/// Words made from one seed: 1 MiB, after which the key comes from the source again. A thief of the state can follow
/// the generator no further than that.
pub(super) const SEED_WORDS: usize = 1 << 17;

/// Bytes of `words[position..]` are unused, those of `words[..position]` are zero.
pub(super) struct KeyErasure<S: Source> {
    source: S,
    /// Index of the next unused word; `BUFFER_WORDS` when there is none.
    position: usize,
    /// The source's generation at the last seed; 0 before it.
    generation: u64,
    /// Words that the current seed may still make; 0 when the key is not usable.
    allowance: usize,
    key: [u8; 32],
    words: [u64; BUFFER_WORDS],
}

impl<S: Source> KeyErasure<S> {
    /// A generator that takes its seed at the first draw.
    pub(super) const fn new(source: S) -> KeyErasure<S> {
        KeyErasure {
            source,
            position: BUFFER_WORDS,
            generation: 0,
            allowance: 0,
            key: [0; 32],
            words: [0; BUFFER_WORDS],
        }
    }

    #[inline]
    pub(super) fn word(&mut self) -> Result<u64, EntropyError> {
        if self.source.generation() == self.generation
            && let Some(word) = self.words.get_mut(self.position)
        {
            self.position += 1;
            return Ok(core::mem::take(word));
        }
        self.refill()?;
        self.position = 1;
        Ok(core::mem::take(&mut self.words[0]))
    }

    pub(super) fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for part in words.chunks_mut(PART_WORDS) {
            if self.source.generation() != self.generation {
                self.erase();
            }
            if part.len() >= BUFFER_WORDS {
                self.next_keystream(part.len())?.fill(part);
                continue;
            }
            let buffered = part.len().min(BUFFER_WORDS - self.position);
            let (from_buffer, rest) = part.split_at_mut(buffered);
            self.take_buffered(from_buffer);
            if !rest.is_empty() {
                self.refill()?;
                self.take_buffered(rest);
            }
        }
        Ok(())
    }

    /// Moves the next unused words out; there must be enough of them.
    fn take_buffered(&mut self, words: &mut [u64]) {
        let used = &mut self.words[self.position..][..words.len()];
        words.copy_from_slice(used);
        used.fill(0);
        self.position += words.len();
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> Result<(), EntropyError> {
        let mut keystream = self.next_keystream(BUFFER_WORDS)?;
        keystream.fill(&mut self.words);
        self.position = 0;
        Ok(())
    }

    /// A keystream for `words` words, `words ≤ SEED_WORDS`, from which the current key can no longer be found.
    fn next_keystream(&mut self, words: usize) -> Result<Keystream, EntropyError> {
        let generation = self.source.generation();
        if generation != self.generation || self.allowance < words {
            // Erased first: after a failure nothing made from the old seed is left to hand out.
            self.erase();
            if let Err(error) = self.source.seed(&mut self.key) {
                self.key.zeroize();
                return Err(error);
            }
            self.generation = generation;
            self.allowance = SEED_WORDS;
        }
        self.allowance -= words;
        Ok(Keystream::replacing(&mut self.key))
    }

    /// Forgets key and words; the next draw asks the source for a seed.
    fn erase(&mut self) {
        self.key.zeroize();
        self.words.zeroize();
        self.position = BUFFER_WORDS;
        self.allowance = 0;
    }
}

impl<S: Source> Drop for KeyErasure<S> {
    fn drop(&mut self) {
        self.erase();
    }
}

/// 32-bit words that the cipher makes at a time: four blocks.
const BLOCKS: usize = 64;

/// The keystream of one key, after the 32 bytes that became the next key. Zeroed on drop.
struct Keystream {
    cipher: ChaChaCore<R20, Legacy>,
    blocks: Zeroizing<[u32; BLOCKS]>,
    used: usize,
}

impl Keystream {
    fn replacing(key: &mut [u8; 32]) -> Keystream {
        let mut cipher = ChaChaCore::from_seed(*key);
        let mut blocks = Zeroizing::new([0; BLOCKS]);
        cipher.generate(&mut blocks);
        for (bytes, word) in key.chunks_exact_mut(4).zip(blocks.iter()) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Keystream {
            cipher,
            blocks,
            used: 8,
        }
    }

    fn fill(&mut self, mut words: &mut [u64]) {
        while !words.is_empty() {
            if self.used == BLOCKS {
                self.cipher.generate(&mut self.blocks);
                self.used = 0;
            }
            // `used` is even: two of the cipher's words make one of ours, the lower half first.
            let pairs = self.blocks[self.used..].chunks_exact(2);
            let (now, later) = words.split_at_mut(pairs.len().min(words.len()));
            self.used += 2 * now.len();
            for (word, pair) in now.iter_mut().zip(pairs) {
                *word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
            }
            words = later;
        }
    }
}

#[cfg(test)]
#[path = "key_erasure_tests.rs"]
mod tests;
