use std::cell::RefCell;
use std::collections::VecDeque;

use super::*;

/// Gives out the keys in order, then fails; `generation` is set by the test, as a fork would.
struct Script {
    keys: RefCell<VecDeque<[u8; 32]>>,
    generation: u64,
}

fn generator(keys: impl Into<Vec<[u8; 32]>>) -> KeyErasure<Script> {
    KeyErasure::new(Script {
        keys: RefCell::new(keys.into().into()),
        generation: 1,
    })
}

impl Source for Script {
    fn seed(&self, key: &mut [u8; 32]) -> Result<(), EntropyError> {
        // A failing system call may have written some bytes.
        *key = [0xEE; 32];
        *key = self.keys.borrow_mut().pop_front().ok_or_else(refusal)?;
        Ok(())
    }

    fn generation(&self) -> u64 {
        self.generation
    }
}

fn refusal() -> EntropyError {
    EntropyError::operating_system(getrandom::Error::UNSUPPORTED)
}

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

/// The next key and the words that follow it, by the RFC.
fn expected(key: &[u8; 32], words: usize) -> ([u8; 32], Vec<u64>) {
    let blocks = (32 + 8 * words).div_ceil(64);
    let keystream: Vec<u8> = (0..blocks)
        .flat_map(|counter| rfc8439_block(key, counter as u32, [0; 12]))
        .collect();
    let words = keystream[32..]
        .chunks_exact(8)
        .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
        .take(words)
        .collect();
    (keystream[..32].try_into().unwrap(), words)
}

fn draw(generator: &KeyErasure<Script>, count: usize) -> Vec<u64> {
    (0..count).map(|_| generator.word().unwrap()).collect()
}

fn holds_nothing(generator: &KeyErasure<Script>) -> bool {
    generator.words.iter().all(|word| word.get() == 0) && generator.key.get() == [0; 32]
}

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
fn words_and_keys_are_the_keystream_of_rfc_8439() {
    let seed = core::array::from_fn(|i| 3 * i as u8 + 1);
    let generator = generator([seed]);
    let mut key = seed;
    for _ in 0..3 {
        let (next, words) = expected(&key, BUFFER_WORDS);
        assert_eq!(draw(&generator, BUFFER_WORDS), words);
        assert_eq!(generator.key.get(), next);
        key = next;
    }
}

#[test]
fn long_fills_are_keystream_too_with_a_new_key_per_part() {
    let generator = generator([[5; 32]]);
    let mut words = vec![0; PART_WORDS + 1000];
    generator.fill(&mut words).unwrap();
    let (key, first) = expected(&[5; 32], PART_WORDS);
    let (key, second) = expected(&key, 1000);
    assert!(words[..PART_WORDS] == first && words[PART_WORDS..] == second);
    assert_eq!(generator.key.get(), key);
}

#[test]
fn short_fills_and_words_share_one_stream() {
    let sizes = [0, 1, 3, 500, 2, 507, 400, 108, 107, 5];
    let total = sizes.iter().sum::<usize>() + sizes.len();
    let whole = draw(&generator([[9; 32]]), total);
    let generator = generator([[9; 32]]);
    let mut pieces = Vec::new();
    for size in sizes {
        let mut piece = vec![0; size];
        generator.fill(&mut piece).unwrap();
        pieces.extend(piece);
        pieces.push(generator.word().unwrap());
    }
    assert_eq!(pieces, whole);
}

#[test]
fn used_words_are_wiped_and_the_key_that_made_them_is_gone() {
    let generator = generator([[1; 32]]);
    let mut handed_out = draw(&generator, 100);
    let mut filled = [0; 77];
    generator.fill(&mut filled).unwrap();
    handed_out.extend(filled);
    assert_eq!(generator.position.get(), 177);
    let words = generator.words.each_ref().map(Cell::get);
    assert!(words[..177].iter().all(|&word| word == 0));
    assert!(handed_out.iter().all(|word| !words.contains(word)));
    assert_ne!(generator.key.get(), [1; 32]);
    generator.erase();
    assert!(holds_nothing(&generator));
}

#[test]
fn a_failing_source_is_an_error_at_the_first_draw_and_at_every_retry() {
    let generator = generator([]);
    for _ in 0..3 {
        assert_eq!(generator.word(), Err(refusal()));
        assert_eq!(generator.fill(&mut [0; 3]), Err(refusal()));
        assert_eq!(generator.fill(&mut [0; 600]), Err(refusal()));
    }
    assert_eq!(generator.key.get(), [0; 32]);
    assert!(generator.fill(&mut []).is_ok());
}

#[test]
fn the_seed_is_renewed_after_its_allowance() {
    let generator = generator([[1; 32], [2; 32]]);
    let refills = SEED_WORDS / BUFFER_WORDS;
    draw(&generator, refills * BUFFER_WORDS);
    assert_eq!(
        draw(&generator, BUFFER_WORDS),
        expected(&[2; 32], BUFFER_WORDS).1
    );
}

#[test]
fn a_failure_to_renew_the_seed_is_an_error_and_leaves_nothing_to_hand_out() {
    let generator = generator([[1; 32]]);
    // Sixteen parts use up the seed.
    generator.fill(&mut vec![0; SEED_WORDS]).unwrap();
    assert_eq!(generator.word(), Err(refusal()));
    assert_eq!(generator.fill(&mut [0; 1000]), Err(refusal()));
    assert!(holds_nothing(&generator));
    generator.source.keys.borrow_mut().push_back([2; 32]);
    assert_eq!(generator.word().unwrap(), expected(&[2; 32], 1).1[0]);
}

#[test]
fn a_fork_forces_a_new_seed_before_the_next_word() {
    for size in [1, 100, 600] {
        let mut generator = generator([[1; 32], [2; 32], [3; 32]]);
        draw(&generator, 10);
        generator.source.generation = 2;
        let mut words = vec![0; size];
        generator.fill(&mut words).unwrap();
        assert_eq!(words, expected(&[2; 32], size).1);
        generator.source.generation = 3;
        assert_eq!(generator.word().unwrap(), expected(&[3; 32], 1).1[0]);
    }
}

#[test]
fn a_failure_after_a_fork_is_an_error_and_leaves_nothing_to_hand_out() {
    for size in [1, 100, 600] {
        let mut generator = generator([[1; 32]]);
        draw(&generator, 10);
        generator.source.generation = 2;
        assert_eq!(generator.fill(&mut vec![0; size]), Err(refusal()));
        assert_eq!(generator.word(), Err(refusal()));
        assert!(holds_nothing(&generator));
        // Not even if the old number came back.
        generator.source.generation = 1;
        assert_eq!(generator.word(), Err(refusal()));
    }
}
