use super::*;

/// Hands out the given words, then fails.
struct Script(Vec<u64>);
impl Entropy for Script {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            if self.0.is_empty() {
                return Err(EntropyError::exhausted());
            }
            *word = self.0.remove(0);
        }
        Ok(())
    }
}

#[test]
fn masses_of_all_values_down_to_an_exponent_sum_to_one_less_the_rest() {
    let (precision, last) = (5, 9);
    let mut total = Dyadic::ZERO;
    for exponent in 1..=last {
        for mantissa in 0..1u32 << (precision - 1) {
            let u = UStar::new(Natural::from(mantissa), exponent, precision);
            assert!(u.value() < Dyadic::ONE && u.value().is_positive());
            total = &total + &u.probability();
        }
    }
    assert_eq!(&Dyadic::ONE - &total, Dyadic::power_of_two(-(last as i64)));
}

#[test]
fn an_exponent_beyond_every_double_is_drawn_not_truncated() {
    let mut words = vec![0; 20]; // 1280 zeros
    words.push(1 << 62); // one more zero, then a one
    words.push(u64::MAX);
    let u = UStar::draw(53, &mut Script(words)).unwrap();
    assert_eq!(u.value().floor_log2(), Some(-1282));
}

#[test]
fn mantissas_wider_than_a_word_use_the_high_bits_of_the_next() {
    let words = vec![1 << 63, u64::MAX, 1 << 63];
    let u = UStar::draw(66, &mut Script(words)).unwrap();
    // 1, then 64 ones, then a one: all 66 bits set, e = 1.
    assert_eq!(u.value(), &Dyadic::ONE - &Dyadic::power_of_two(-66));
}

#[test]
fn signed_draws_agree_with_the_law_bit_by_bit() {
    let coins = |c: u64| SignedUStar64::draw(&mut Script(vec![c, 1 << 63])).unwrap();
    assert_eq!(coins(1 << 10).exponent, 1);
    assert_eq!(coins(1).exponent, 11);
    assert_eq!(coins(0).exponent, 12);
    let far = SignedUStar64::draw(&mut Script(vec![0, 0, 1 << 62])).unwrap();
    assert_eq!(far.exponent, 77); // 11 + 64 + 1 tails, then a head
    // The second word is read whether it counts or not.
    for head in [1 << 10, 1, 0] {
        let mut words = Script(vec![head, 1 << 63, 7]);
        SignedUStar64::draw(&mut words).unwrap();
        assert_eq!(words.0, [7]);
    }
    assert!(coins(1 << 63).negative && !coins(1 << 62).negative);
    assert_eq!(coins(1 << 11).fraction, 1);
    assert_eq!(coins(1 << 62).fraction, 1 << 51);
    // Exponents of the eleven coins, exhaustively: e has 2^(11−e) of the 2^11 patterns.
    for e in 1..=11u64 {
        let count = (1..1u64 << 11).filter(|&c| coins(c).exponent == e).count();
        assert_eq!(count, 1 << (11 - e));
    }
}

#[test]
fn short_draws_are_the_same_draws() {
    let streams: [&[u64]; 5] = [
        &[1 << 63, u64::MAX, u64::MAX],
        &[1, 0, 0],
        &[0, 0, 1 << 40, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210],
        &[3, 1 << 63, 1 << 9],
        &[u64::MAX, 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa],
    ];
    for precision in 2..=ShortFormat::MOST_BITS {
        let format = ShortFormat::new(precision).unwrap();
        for words in streams {
            let (mut one, mut other) = (Script(words.to_vec()), Script(words.to_vec()));
            let draw = UStar::draw(precision, &mut one).unwrap();
            let short = UStar::draw_short(format, &mut other).unwrap();
            assert_eq!(short.to_dyadic(), draw.value(), "{precision}: {words:?}");
            assert_eq!(one.0, other.0);
        }
    }
}
