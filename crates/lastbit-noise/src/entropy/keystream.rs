//! The keystream of one key: AES-256 in counter mode where the processor has instructions for it,
//! else ChaCha20.
//!
//! Both take a key of 256 bits, and neither reads a table or branches on a secret. AES makes blocks
//! of 128 bits, no two of which are equal under one key; of the at most 4098 blocks that a key
//! makes here (`PART_WORDS`, and the next key), random ones would be all different too but for a
//! probability below 2^-104.

use core::cell::Cell;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes256Enc, Block};
use chacha20::rand_core::SeedableRng;
use chacha20::rand_core::block::Generator;
use chacha20::variants::Legacy;
use chacha20::{ChaChaCore, R20};
use zeroize::{Zeroize, Zeroizing};

/// Which cipher stretches a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cipher {
    /// AES-256 in counter mode, from a block of zeros on.
    Aes,
    /// ChaCha20 with a nonce of zeros, from block 0 on.
    ChaCha,
}

impl Cipher {
    /// AES where it is quick and its time constant by hardware.
    pub(super) fn of_this_processor() -> Cipher {
        if aes::hardware_accelerated() {
            Cipher::Aes
        } else {
            Cipher::ChaCha
        }
    }

    /// Calls `keep` with the first 32 bytes of the keystream, which are the next key, and then
    /// fills the words with what follows them. Nothing is left in memory but what compilers leave.
    pub(super) fn stretch(self, key: &[u8; 32], keep: impl FnOnce(&[u8; 32]), words: &[Cell<u64>]) {
        match self {
            Cipher::Aes => stretch(AesStream::new(key), keep, words),
            Cipher::ChaCha => stretch(ChaChaStream::new(key), keep, words),
        }
    }
}

/// A cipher that makes some words at a time.
trait Stream {
    /// Fills a multiple of four words, at most [`BATCH`].
    fn next(&mut self, words: &[Cell<u64>]);
}

/// Words made at a time: what AES on the widest processors makes at once.
const BATCH: usize = 128;

fn stretch(mut stream: impl Stream, keep: impl FnOnce(&[u8; 32]), words: &[Cell<u64>]) {
    let mut batch = Zeroizing::new([0u64; BATCH]);
    let cells = Cell::from_mut(&mut *batch).as_array_of_cells();
    stream.next(cells);
    let mut key = Zeroizing::new([0; 32]);
    for (bytes, word) in key.chunks_exact_mut(8).zip(cells) {
        bytes.copy_from_slice(&word.get().to_le_bytes());
    }
    keep(&key);
    let (first, rest) = words.split_at(words.len().min(BATCH - 4));
    move_words(&cells[4..], first);
    let whole = rest.chunks_exact(BATCH);
    let last = whole.remainder();
    whole.for_each(|words| stream.next(words));
    if !last.is_empty() {
        stream.next(cells);
        move_words(cells, last);
    }
}

fn move_words(from: &[Cell<u64>], to: &[Cell<u64>]) {
    for (to, from) in to.iter().zip(from) {
        to.set(from.get());
    }
}

struct AesStream {
    cipher: Aes256Enc,
    counter: u64,
    blocks: [Block; BATCH / 2],
}

impl AesStream {
    fn new(key: &[u8; 32]) -> AesStream {
        AesStream {
            cipher: Aes256Enc::new(key.into()),
            counter: 0,
            blocks: [Block::default(); BATCH / 2],
        }
    }
}

impl Stream for AesStream {
    fn next(&mut self, words: &[Cell<u64>]) {
        for (block, count) in self.blocks.iter_mut().zip(self.counter..) {
            *block = u128::from(count).to_be_bytes().into();
        }
        self.counter += self.blocks.len() as u64;
        self.cipher.encrypt_blocks(&mut self.blocks);
        for (pair, block) in words.chunks_exact(2).zip(&self.blocks) {
            let block = u128::from_le_bytes((*block).into());
            pair[0].set(block as u64);
            pair[1].set((block >> 64) as u64);
        }
    }
}

impl Drop for AesStream {
    fn drop(&mut self) {
        // Byte by byte, as `zeroize` does it, would take as long as the cipher.
        self.blocks = [Block::default(); BATCH / 2];
        zeroize::optimization_barrier(&self.blocks);
    }
}

struct ChaChaStream {
    cipher: ChaChaCore<R20, Legacy>,
    blocks: [u32; 64],
}

impl ChaChaStream {
    fn new(key: &[u8; 32]) -> ChaChaStream {
        ChaChaStream {
            cipher: ChaChaCore::from_seed(*key),
            blocks: [0; 64],
        }
    }
}

impl Stream for ChaChaStream {
    fn next(&mut self, words: &[Cell<u64>]) {
        for words in words.chunks_exact(self.blocks.len() / 2) {
            self.cipher.generate(&mut self.blocks);
            // Two of the cipher's words make one of ours, the lower half first.
            for (word, pair) in words.iter().zip(self.blocks.chunks_exact(2)) {
                word.set(u64::from(pair[0]) | u64::from(pair[1]) << 32);
            }
        }
    }
}

impl Drop for ChaChaStream {
    fn drop(&mut self) {
        self.blocks.zeroize();
    }
}

#[cfg(test)]
pub(super) mod tests;
