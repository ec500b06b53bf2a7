use std::sync::LazyLock;

use super::*;

/// The block function of RFC 8439 §2.3, from its text.
fn rfc8439_block(key: &[u8; 32], counter: u32, nonce: [u8; 12]) -> [u8; 64] {
    fn quarter_round(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
        for (x, y, z, by) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            s[x] = s[x].wrapping_add(s[y]);
            s[z] = (s[z] ^ s[x]).rotate_left(by);
        }
    }
    let little_endian = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    let mut initial = [0u32; 16];
    initial[..4].copy_from_slice(&[0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    for (word, bytes) in initial[4..12].iter_mut().zip(key.chunks(4)) {
        *word = little_endian(bytes);
    }
    initial[12] = counter;
    for (word, bytes) in initial[13..].iter_mut().zip(nonce.chunks(4)) {
        *word = little_endian(bytes);
    }
    let mut state = initial;
    for _ in 0..10 {
        quarter_round(&mut state, 0, 4, 8, 12);
        quarter_round(&mut state, 1, 5, 9, 13);
        quarter_round(&mut state, 2, 6, 10, 14);
        quarter_round(&mut state, 3, 7, 11, 15);
        quarter_round(&mut state, 0, 5, 10, 15);
        quarter_round(&mut state, 1, 6, 11, 12);
        quarter_round(&mut state, 2, 7, 8, 13);
        quarter_round(&mut state, 3, 4, 9, 14);
    }
    let mut block = [0; 64];
    for ((bytes, word), start) in block.chunks_mut(4).zip(state).zip(initial) {
        bytes.copy_from_slice(&word.wrapping_add(start).to_le_bytes());
    }
    block
}

/// AES-256 of FIPS 197, from its text.
fn fips197_block(schedule: &[u8; 240], mut block: [u8; 16]) -> [u8; 16] {
    let add_key = |block: &mut [u8; 16], round: usize| {
        for (byte, key) in block.iter_mut().zip(&schedule[16 * round..]) {
            *byte ^= key;
        }
    };
    add_key(&mut block, 0);
    for round in 1..=14 {
        // SubBytes and ShiftRows: row r of column c comes from column c + r.
        let before = block.map(|byte| S_BOX[usize::from(byte)]);
        block = core::array::from_fn(|i| before[(i + 4 * (i % 4)) % 16]);
        if round < 14 {
            for column in block.chunks_exact_mut(4) {
                let [a, b, c, d] = [column[0], column[1], column[2], column[3]];
                let all = a ^ b ^ c ^ d;
                for (byte, pair) in column.iter_mut().zip([a ^ b, b ^ c, c ^ d, d ^ a]) {
                    *byte ^= all ^ times_x(pair);
                }
            }
        }
        add_key(&mut block, round);
    }
    block
}

fn key_expansion(key: &[u8; 32]) -> [u8; 240] {
    let mut bytes = [0; 240];
    bytes[..32].copy_from_slice(key);
    let mut rcon = 1;
    for i in (32..240).step_by(4) {
        let mut word = [0, 1, 2, 3].map(|j| bytes[i - 4 + j]);
        if i % 32 == 0 {
            word.rotate_left(1);
            word = word.map(|byte| S_BOX[usize::from(byte)]);
            word[0] ^= rcon;
            rcon = times_x(rcon);
        } else if i % 32 == 16 {
            word = word.map(|byte| S_BOX[usize::from(byte)]);
        }
        for j in 0..4 {
            bytes[i + j] = bytes[i + j - 32] ^ word[j];
        }
    }
    bytes
}

fn times_x(a: u8) -> u8 {
    (a << 1) ^ (0x1b * (a >> 7))
}

static S_BOX: LazyLock<[u8; 256]> = LazyLock::new(|| core::array::from_fn(|i| s_box(i as u8)));

/// The inverse in GF(2^8), which is the power 254, and an affine map.
fn s_box(a: u8) -> u8 {
    let product = |a: u8, b: u8| (0..8).rev().fold(0, |p, i| times_x(p) ^ (a * (b >> i & 1)));
    let mut inverse = 1;
    for bit in (0..8).rev() {
        inverse = product(inverse, inverse);
        if 254 >> bit & 1 == 1 {
            inverse = product(inverse, a);
        }
    }
    (0..5).fold(0x63, |sum, by| sum ^ inverse.rotate_left(by))
}

/// The keystream by the standards' texts: the next key, and the words that follow it.
pub(in super::super) fn expected(
    cipher: Cipher,
    key: &[u8; 32],
    words: usize,
) -> ([u8; 32], Vec<u64>) {
    let bytes = 32 + 8 * words;
    let keystream: Vec<u8> = match cipher {
        Cipher::Aes => {
            let schedule = key_expansion(key);
            (0..bytes.div_ceil(16) as u128)
                .flat_map(|counter| fips197_block(&schedule, counter.to_be_bytes()))
                .collect()
        }
        Cipher::ChaCha => (0..bytes.div_ceil(64) as u32)
            .flat_map(|counter| rfc8439_block(key, counter, [0; 12]))
            .collect(),
    };
    let words = keystream[32..bytes]
        .chunks_exact(8)
        .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    (keystream[..32].try_into().unwrap(), words)
}

pub(in super::super) const CIPHERS: [Cipher; 2] = [Cipher::Aes, Cipher::ChaCha];

#[test]
fn the_reference_block_matches_the_vectors_of_rfc_8439() {
    // §2.3.2.
    let key = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    assert_eq!(
        rfc8439_block(&key, 1, nonce)[..16],
        [
            0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f, 0xa3, 0x20,
            0x71, 0xc4
        ]
    );
    // A.1, vector 1.
    assert_eq!(
        rfc8439_block(&[0; 32], 0, [0; 12])[..16],
        [
            0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90, 0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86,
            0xbd, 0x28
        ]
    );
}

#[test]
fn the_reference_block_matches_the_vector_of_fips_197() {
    // Appendix C.3.
    let key = core::array::from_fn(|i| i as u8);
    let block = core::array::from_fn(|i| 0x11 * i as u8);
    assert_eq!(
        fips197_block(&key_expansion(&key), block),
        [
            0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49,
            0x60, 0x89
        ]
    );
}

#[test]
fn both_ciphers_make_the_keystream_of_their_standard_at_every_length() {
    let key = core::array::from_fn(|i| 7 * i as u8 + 3);
    for cipher in CIPHERS {
        let (next, whole) = expected(cipher, &key, 3 * BATCH);
        let around = |n: usize| n - 2..n + 3;
        let lengths = (0..10)
            .chain(around(BATCH - 4))
            .chain(around(BATCH))
            .chain(around(2 * BATCH - 4))
            .chain([3 * BATCH]);
        for length in lengths {
            let mut words = vec![0; length];
            let cells = Cell::from_mut(&mut words[..]).as_slice_of_cells();
            let kept = Cell::new([0; 32]);
            cipher.stretch(&key, |next| kept.set(*next), cells);
            assert_eq!(kept.get(), next, "{cipher:?}, {length}");
            assert_eq!(words, whole[..length], "{cipher:?}, {length}");
        }
    }
}

#[test]
fn the_key_is_kept_before_any_word_is_made() {
    for cipher in CIPHERS {
        let words = [const { Cell::new(0) }; 300];
        let untouched = || words.iter().all(|word| word.get() == 0);
        let mut calls = 0;
        cipher.stretch(
            &[1; 32],
            |_| {
                calls += 1;
                assert!(untouched(), "{cipher:?}");
            },
            &words,
        );
        assert!(calls == 1 && !untouched());
    }
}
