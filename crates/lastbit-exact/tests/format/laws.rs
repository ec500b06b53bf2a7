//! `Format` at every precision, on random operands: each result is the exact one, or an enclosure
//! of it, rounded once.

use lastbit_exact::{Dyadic, Format, Integer, Rational, Rounding, exp_enclosure, ln_enclosure};
use proptest::prelude::*;

/// Mostly of about `p` bits, some shorter, some longer.
fn operand() -> impl Strategy<Value = (Vec<u64>, u32, bool)> {
    (
        prop::collection::vec(any::<u64>(), 17),
        0u32..1080,
        any::<bool>(),
    )
}

fn number((words, bits, negative): &(Vec<u64>, u32, bool), p: u32, top: i64) -> Dyadic {
    // Three of four operands have p bits or one less.
    let bits = if bits % 4 == 0 { *bits } else { p - bits % 2 };
    let bits = bits.max(1);
    let magnitude = words
        .iter()
        .fold(Integer::ONE, |acc, &word| (acc << 64) + Integer::from(word))
        >> (17 * 64 + 1 - bits as usize);
    Dyadic::new(
        if *negative { -magnitude } else { magnitude },
        top + 1 - i64::from(bits),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn arithmetic_rounds_the_exact_result_once(
        p in Format::PRECISIONS, x in operand(), y in operand(), gap in -1200i64..1200,
    ) {
        let format = Format::new(p).unwrap();
        let (x, y) = (number(&x, p, 0), number(&y, p, gap));
        let (a, b) = (Rational::from(&x), Rational::from(&y));
        for rounding in Rounding::ALL {
            let round = |exact: &Rational| format.round_rational(exact, rounding);
            prop_assert_eq!(format.add(&x, &y, rounding), round(&(&a + &b)));
            prop_assert_eq!(format.sub(&x, &y, rounding), round(&(&a - &b)));
            prop_assert_eq!(format.mul(&x, &y, rounding), round(&(&a * &b)));
            prop_assert_eq!(format.div(&x, &y, rounding).unwrap(), round(&(&a / &b)));
        }
    }

    /// Every tier of the logarithm gives what a far finer enclosure gives.
    #[test]
    fn logarithms_agree_with_finer_enclosures(
        wide in Format::PRECISIONS,
        narrow in 2u32..=230,
        x in operand(),
        top in -300i64..300,
        near_one in 0i64..250,
    ) {
        for p in [wide, narrow] {
            let format = Format::new(p).unwrap();
            let far = number(&x, p, top).abs();
            let near = &Dyadic::ONE + &number(&x, p, -1 - near_one);
            for x in [far, near].into_iter().filter(|x| *x != Dyadic::ONE) {
                let enclosure = ln_enclosure(&x, 2600);
                for rounding in Rounding::ALL {
                    let expected = enclosure.round(p as usize, rounding);
                    prop_assert_eq!(Some(format.ln(&x, rounding).unwrap()), expected);
                }
            }
        }
    }

    #[test]
    fn exponentials_agree_with_finer_enclosures(
        p in Format::PRECISIONS,
        x in operand(),
        top in -40i64..40,
    ) {
        let format = Format::new(p).unwrap();
        for x in [number(&x, p, top), number(&x, p, top - i64::from(p))] {
            let enclosure = exp_enclosure(&x, 2300);
            for rounding in Rounding::ALL {
                let expected = enclosure.round(p as usize, rounding);
                prop_assert_eq!(Some(format.exp(&x, rounding).unwrap()), expected);
            }
        }
    }
}
