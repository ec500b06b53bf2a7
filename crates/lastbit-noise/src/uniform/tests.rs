use super::*;
use crate::enumerate::{Prefix, masses};
use lastbit_exact::Dyadic;

#[test]
fn every_value_below_a_small_n_has_its_exact_mass() {
    const DEPTH: u32 = 80;
    for n in 1..=40u64 {
        let big = Natural::from(n);
        let found = masses(DEPTH, |bits| uniform_u64_below(n, bits));
        for value in 0..=n {
            let law = uniform_law(&big, &Natural::from(value));
            assert!(found.of(&value).contains(&law), "{value} below {n}");
        }
        // Only the n − 1 boundaries can be undecided, and those at multiples of 2^-DEPTH are not.
        let boundaries = (1..n).filter(|k| (k << 6) % n != 0).count();
        let expected = &Dyadic::from(boundaries as i64) * &Dyadic::power_of_two(-i64::from(DEPTH));
        assert_eq!(found.undecided(), expected);
    }
}

#[test]
fn values_near_a_word_and_beyond_it_are_floors_of_n_times_the_stream() {
    let two_64 = Natural::from(u64::MAX) + Natural::ONE;
    let sizes = [
        Natural::from(3u8),
        Natural::from(u64::MAX / 3),
        Natural::from(u64::MAX),
        two_64.clone(),
        &two_64 + Natural::ONE,
        Natural::from(10u8).pow(40),
        (Natural::ONE << 200) - Natural::ONE,
    ];
    // Streams of 512 bits, some right below and at a boundary k/n, where long carries happen.
    const LENGTH: u32 = 512;
    for n in &sizes {
        for step in 0..64u32 {
            let k = n * Natural::from(step) / Natural::from(64u8);
            let at_or_above = ((&k << LENGTH as usize) + n - Natural::ONE) / n;
            for start in [
                at_or_above.clone(),
                &at_or_above + Natural::ONE,
                at_or_above.clone().max(Natural::ONE) - Natural::ONE,
            ] {
                let expected = (n * &start) >> LENGTH as usize;
                let drawn = uniform_below(n, &mut Prefix::new(start, LENGTH, 0));
                assert_eq!(drawn, Ok(expected), "n = {n}, step {step}");
            }
        }
    }
}

#[test]
fn the_fast_and_the_wide_algorithm_are_one_function_of_the_stream() {
    fn wide(n: u64, bits: &mut Prefix) -> u64 {
        // 2^64·n has the answer of n in its high part, by the general algorithm.
        let scaled = uniform_below(&(Natural::from(n) << 64), bits).unwrap();
        u64::try_from(scaled >> 64).unwrap()
    }
    for n in [1, 2, 3, 1 << 40, u64::MAX / 2 + 2, u64::MAX - 1, u64::MAX] {
        for i in 0..2000u64 {
            let word = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let stream = Prefix::of_words([word, !word, word.rotate_left(32)], 0x1234_5678);
            let fast = uniform_u64_below(n, &mut stream.clone()).unwrap();
            assert_eq!(fast, wide(n, &mut stream.clone()), "n = {n}, word {word}");
        }
    }
}

#[test]
fn one_word_is_enough_unless_its_cell_holds_a_boundary() {
    let mut stream = Prefix::of_words([u64::MAX / 3], 0);
    assert_eq!(uniform_u64_below(3, &mut stream), Ok(0));
    assert_eq!(stream.words_read(), 2);
    let mut stream = Prefix::of_words([u64::MAX / 3 - 1], 0);
    assert_eq!(uniform_u64_below(3, &mut stream), Ok(0));
    assert_eq!(stream.words_read(), 1);
    // 1/3 = 0.010101…: a stream that follows it for ten words is settled by the eleventh.
    let mut stream = Prefix::of_words([u64::MAX / 3; 10], u64::MAX / 3 + 1);
    assert_eq!(uniform_u64_below(3, &mut stream), Ok(1));
    assert_eq!(stream.words_read(), 11);
}

#[test]
fn nothing_lies_below_zero() {
    let mut stream = Prefix::of_words([], 0);
    assert_eq!(
        uniform_u64_below(0, &mut stream),
        Err(UniformError::EmptyRange)
    );
    assert_eq!(
        uniform_below(&Natural::ZERO, &mut stream),
        Err(UniformError::EmptyRange)
    );
    assert_eq!(stream.words_read(), 0);
}

#[test]
fn a_failing_source_is_an_error() {
    // Follows 1/3 for ever: never decided, so the finite stream ends first.
    let mut stream = Prefix::of_words([], u64::MAX / 3);
    let error = uniform_u64_below(3, &mut stream).unwrap_err();
    assert_eq!(error, UniformError::Entropy(EntropyError::exhausted()));
}
