use std::cell::RefCell;
use std::collections::VecDeque;

use super::super::keystream::tests::{CIPHERS, expected};
use super::*;

/// Gives out the keys in order, then fails; `generation` is set by the test, as a fork would.
struct Script {
    keys: RefCell<VecDeque<[u8; 32]>>,
    generation: u64,
    cipher: Cipher,
}

fn generator(cipher: Cipher, keys: impl Into<Vec<[u8; 32]>>) -> KeyErasure<Script> {
    KeyErasure::new(Script {
        keys: RefCell::new(keys.into().into()),
        generation: 1,
        cipher,
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

    fn cipher(&self) -> Cipher {
        self.cipher
    }
}

fn refusal() -> EntropyError {
    EntropyError::operating_system(getrandom::Error::UNSUPPORTED)
}

fn draw(generator: &KeyErasure<Script>, count: usize) -> Vec<u64> {
    (0..count).map(|_| generator.word().unwrap()).collect()
}

fn holds_nothing(generator: &KeyErasure<Script>) -> bool {
    generator.words.iter().all(|word| word.get() == 0) && generator.key.get() == [0; 32]
}

#[test]
fn words_and_keys_are_the_keystream() {
    for cipher in CIPHERS {
        let seed = core::array::from_fn(|i| 3 * i as u8 + 1);
        let generator = generator(cipher, [seed]);
        let mut key = seed;
        for _ in 0..3 {
            let (next, words) = expected(cipher, &key, BUFFER_WORDS);
            assert_eq!(draw(&generator, BUFFER_WORDS), words);
            assert_eq!(generator.key.get(), next);
            key = next;
        }
    }
}

#[test]
fn long_fills_are_keystream_too_with_a_new_key_per_part() {
    for cipher in CIPHERS {
        let generator = generator(cipher, [[5; 32]]);
        let mut words = vec![0; PART_WORDS + 1000];
        generator.fill(&mut words).unwrap();
        let (key, first) = expected(cipher, &[5; 32], PART_WORDS);
        let (key, second) = expected(cipher, &key, 1000);
        assert!(words[..PART_WORDS] == first && words[PART_WORDS..] == second);
        assert_eq!(generator.key.get(), key);
    }
}

#[test]
fn short_fills_and_words_share_one_stream() {
    for cipher in CIPHERS {
        let sizes = [0, 1, 3, 500, 2, 507, 400, 108, 107, 5];
        let total = sizes.iter().sum::<usize>() + sizes.len();
        let whole = draw(&generator(cipher, [[9; 32]]), total);
        let generator = generator(cipher, [[9; 32]]);
        let mut pieces = Vec::new();
        for size in sizes {
            let mut piece = vec![0; size];
            generator.fill(&mut piece).unwrap();
            pieces.extend(piece);
            pieces.push(generator.word().unwrap());
        }
        assert_eq!(pieces, whole);
    }
}

#[test]
fn used_words_are_wiped_and_the_key_that_made_them_is_gone() {
    for cipher in CIPHERS {
        let generator = generator(cipher, [[1; 32]]);
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
}

#[test]
fn a_failing_source_is_an_error_at_the_first_draw_and_at_every_retry() {
    for cipher in CIPHERS {
        let generator = generator(cipher, []);
        for _ in 0..3 {
            assert_eq!(generator.word(), Err(refusal()));
            assert_eq!(generator.fill(&mut [0; 3]), Err(refusal()));
            assert_eq!(generator.fill(&mut [0; 600]), Err(refusal()));
        }
        assert_eq!(generator.key.get(), [0; 32]);
        assert!(generator.fill(&mut []).is_ok());
    }
}

#[test]
fn the_seed_is_renewed_after_its_allowance() {
    for cipher in CIPHERS {
        let generator = generator(cipher, [[1; 32], [2; 32]]);
        let refills = SEED_WORDS / BUFFER_WORDS;
        draw(&generator, refills * BUFFER_WORDS);
        assert_eq!(
            draw(&generator, BUFFER_WORDS),
            expected(cipher, &[2; 32], BUFFER_WORDS).1
        );
    }
}

#[test]
fn a_failure_to_renew_the_seed_is_an_error_and_leaves_nothing_to_hand_out() {
    for cipher in CIPHERS {
        let generator = generator(cipher, [[1; 32]]);
        // Sixteen parts use up the seed.
        generator.fill(&mut vec![0; SEED_WORDS]).unwrap();
        assert_eq!(generator.word(), Err(refusal()));
        assert_eq!(generator.fill(&mut [0; 1000]), Err(refusal()));
        assert!(holds_nothing(&generator));
        generator.source.keys.borrow_mut().push_back([2; 32]);
        assert_eq!(
            generator.word().unwrap(),
            expected(cipher, &[2; 32], 1).1[0]
        );
    }
}

#[test]
fn a_fork_forces_a_new_seed_before_the_next_word() {
    for cipher in CIPHERS {
        for size in [1, 100, 600] {
            let mut generator = generator(cipher, [[1; 32], [2; 32], [3; 32]]);
            draw(&generator, 10);
            generator.source.generation = 2;
            let mut words = vec![0; size];
            generator.fill(&mut words).unwrap();
            assert_eq!(words, expected(cipher, &[2; 32], size).1);
            generator.source.generation = 3;
            assert_eq!(
                generator.word().unwrap(),
                expected(cipher, &[3; 32], 1).1[0]
            );
        }
    }
}

#[test]
fn a_failure_after_a_fork_is_an_error_and_leaves_nothing_to_hand_out() {
    for cipher in CIPHERS {
        for size in [1, 100, 600] {
            let mut generator = generator(cipher, [[1; 32]]);
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
}
