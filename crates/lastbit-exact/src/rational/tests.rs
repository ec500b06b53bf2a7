use super::*;

/// Words of every number of bits, and their neighbours.
fn words() -> Vec<u64> {
    let mut all = vec![1, u64::MAX, i64::MAX as u64, 1 << 63, (1 << 63) + 1];
    for bits in 1..=64 {
        let mixed = |by: u64| by.wrapping_mul(0x9E37_79B9_7F4A_7C15 + 2 * bits) >> (64 - bits);
        all.extend([
            mixed(1),
            mixed(12_345),
            1 << (bits - 1),
            (1 << (bits - 1)) + 1,
        ]);
        all.push(u64::MAX >> (64 - bits));
    }
    all.retain(|&word| word > 0);
    all
}

/// The quick ways for small numbers are those of any number.
#[test]
fn small_numbers_are_rounded_as_any_others() {
    assert_eq!(Rational::ZERO.to_f64(Rounding::Up).to_bits(), 0);
    let words = words();
    let mut small = 0;
    for &numerator in &words {
        for &denominator in &words {
            for sign in [1, -1] {
                let numerator = Integer::from(i128::from(numerator) * sign);
                let number = Rational::new(numerator, denominator);
                small += u64::from(number.small_parts().is_some());
                for rounding in Rounding::ALL {
                    let (found, expected) =
                        (number.to_f64(rounding), number.to_f64_of_any(rounding));
                    assert_eq!(found.to_bits(), expected.to_bits(), "{number} {rounding:?}");
                }
                let (found, expected) = (number.round_ties_up(), number.round_ties_up_of_any());
                assert_eq!(found, expected, "{number}");
            }
        }
    }
    assert!(small > 150_000, "{small}");
}

/// Ties at the last place, which random numbers do not meet.
#[test]
fn ties_of_small_numbers_go_to_even() {
    for mantissa in [
        (1u64 << 53) + 1,
        (1 << 53) + 3,
        (1 << 54) - 1,
        (1 << 54) + 2,
        (1 << 54) + 6,
    ] {
        for denominator in [1u64, 2, 1 << 40] {
            let number = Rational::new(mantissa, denominator);
            for rounding in Rounding::ALL {
                let expected = number.to_f64_of_any(rounding);
                assert_eq!(number.to_f64(rounding), expected, "{number} {rounding:?}");
            }
        }
    }
}
