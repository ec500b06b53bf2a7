//! Short formats against [`Format`], bit by bit.

use super::*;
use lastbit_testing::Cases;

const NEAREST: Rounding = Rounding::NearestEven;

/// Every number of `p` bits with an exponent of its last bit in the range, both signs, and zero.
fn all_numbers(p: u32, exponents: core::ops::RangeInclusive<i64>) -> Vec<Short> {
    let mut numbers = vec![Short::ZERO];
    for exponent in exponents {
        for significand in 1u128 << (p - 1)..1 << p {
            let number = Short::new(significand, exponent);
            numbers.extend([number, number.negate_if(true)]);
        }
    }
    numbers
}

/// A number of `p` bits: random ones, runs of ones and of zeros, few bits.
fn number(cases: &mut Cases, p: u32, spread: u64) -> Short {
    let wide = u128::from(cases.next()) << 64 | u128::from(cases.next());
    let run = cases.next() % u64::from(p);
    let significand = match cases.next() % 5 {
        0 | 1 => wide,
        2 => u128::MAX << run,
        3 => 1 << 127 | 1u128 << (128 - p) << run,
        _ => 1 << 127 | (u128::MAX >> run >> 1),
    };
    let significand = (significand | 1 << 127) >> (128 - p);
    let exponent = (cases.next() % (2 * spread + 1)) as i64 - spread as i64;
    Short::new(significand, exponent).negate_if(cases.next() & 1 == 1)
}

fn check_pair(p: u32, x: &Short, y: &Short) {
    let (short, format) = (ShortFormat::new(p).unwrap(), Format::new(p).unwrap());
    let (a, b) = (x.to_dyadic(), y.to_dyadic());
    let context = || format!("p = {p}: {a:?}, {b:?}");
    let same = |result: Short, expected: Dyadic| {
        assert_eq!(result.to_dyadic(), expected, "{}", context());
        // One number, one form.
        assert_eq!(Some(result), Short::of_dyadic(&expected), "{}", context());
    };
    same(short.add(x, y), format.add(&a, &b, NEAREST));
    same(short.mul(x, y), format.mul(&a, &b, NEAREST));
    let double = (&a + &b).to_f64(NEAREST);
    assert_eq!(
        sum_to_f64(x, y).to_bits(),
        double.to_bits(),
        "{}",
        context()
    );
    let bound = y.negate_if(y.negative);
    let clamped = if a.abs() <= b.abs() {
        a.clone()
    } else if a.is_negative() {
        -&b.abs()
    } else {
        b.abs()
    };
    same(x.clamp(&bound), clamped);
}

fn check_snap(x: &Short, exponent: i64) {
    let exact = x.to_dyadic();
    let snapped = Dyadic::new(exact.round_in(exponent), exponent);
    assert_eq!(
        x.snap(exponent),
        Short::of_dyadic(&snapped).unwrap(),
        "{exact:?} in steps of 2^{exponent}"
    );
}

fn check_ln(p: u32, x: &Short) {
    let (short, format) = (ShortFormat::new(p).unwrap(), Format::new(p).unwrap());
    let exact = x.to_dyadic();
    let expected = format.ln(&exact, NEAREST).unwrap();
    assert_eq!(
        short.ln(x).unwrap(),
        Short::of_dyadic(&expected).unwrap(),
        "p = {p}: ln {exact:?}"
    );
}

#[test]
fn every_pair_of_a_few_bits_rounds_as_the_format_does() {
    for (p, exponents) in [(2, -8..=8), (3, -6..=6), (5, -7..=0)] {
        let numbers = all_numbers(p, exponents);
        for x in &numbers {
            for y in &numbers {
                check_pair(p, x, y);
            }
        }
    }
}

#[test]
fn every_number_of_a_few_bits_snaps_as_the_dyadic_does() {
    for p in [2, 3, 6] {
        for x in all_numbers(p, -9..=3) {
            for exponent in -12..=12 {
                check_snap(&x, exponent);
            }
        }
    }
}

#[test]
fn every_logarithm_of_a_few_bits_rounds_as_the_format_does() {
    for p in 2..=9 {
        for x in all_numbers(p, -40..=20) {
            if !x.negative && x.significand != 0 {
                check_ln(p, &x);
            }
        }
    }
}

#[test]
fn random_and_hard_pairs_round_as_the_format_does() {
    let mut cases = Cases(1);
    for i in 0..200_000u64 {
        let p = match i % 4 {
            0 => 118,
            1 => ShortFormat::MOST_BITS,
            _ => 2 + (cases.next() % 119) as u32,
        };
        // Near each other, so that they cancel; far apart; and at the ends of doubles.
        let spread = [1, 3, 130, 1200][(cases.next() % 4) as usize];
        let (x, y) = (number(&mut cases, p, spread), number(&mut cases, p, spread));
        check_pair(p, &x, &y);
        // All but equal, and ties: half of the last place, and a little more or less.
        let last = x.exponent + 128 - i64::from(p);
        for bits in [1, 2, 3] {
            let little = Short::new(bits, last - 1 - (cases.next() % 3) as i64);
            check_pair(p, &x, &little.negate_if(i % 2 == 0));
        }
        let next = ShortFormat { precision: p }.add(&x, &Short::new(1, last));
        check_pair(p, &x, &next.negate_if(true));
        check_pair(p, &x, &x.negate_if(true));
        check_pair(p, &x, &Short::ZERO);
    }
}

#[test]
fn ties_cancellation_and_zero_snap_as_the_dyadic_does() {
    let mut cases = Cases(2);
    for _ in 0..200_000 {
        let p = 2 + (cases.next() % 119) as u32;
        let x = number(&mut cases, p, 200);
        check_snap(&x, x.exponent + (cases.next() % 270) as i64 - 10);
        // An odd number of half steps.
        let exponent = (cases.next() % 100) as i64 - 50;
        let half = Short::new(u128::from(cases.next() >> 8 | 1), exponent - 1);
        check_snap(&half, exponent);
        check_snap(&half.negate_if(true), exponent);
    }
    check_snap(&Short::ZERO, 5);
}

#[test]
fn random_and_hard_logarithms_round_as_the_format_does() {
    let mut cases = Cases(3);
    for i in 0..60_000u64 {
        let p = [
            118,
            ShortFormat::MOST_BITS,
            53,
            2 + (cases.next() % 119) as u32,
        ][i as usize % 4];
        let x = number(&mut cases, p, 200);
        let x = x.negate_if(x.negative);
        check_ln(p, &x);
        // The same significand just below one, below a half, and at the ends of U*.
        for exponent in [-128, -129, -130, -200, -3000] {
            check_ln(p, &Short { exponent, ..x });
        }
        // At every distance from one, on both sides.
        let distance = 1u128 << (cases.next() % u64::from(p));
        let below = (1u128 << p) - distance.min((1 << p) - 1);
        check_ln(p, &Short::new(below, -i64::from(p)));
        let above = (1u128 << (p - 1)) | (distance & ((1 << (p - 1)) - 1));
        check_ln(p, &Short::new(above, 1 - i64::from(p)));
    }
}

/// The worst cases of binary64, whose logarithms are all but midpoints: at 53 bits.
#[test]
fn logarithms_next_to_a_midpoint_round_as_the_format_does() {
    let mut checked = 0;
    for line in include_str!("../../tests/data/ln_hard.txt").lines() {
        let Some(Ok(bits)) = line.split(' ').next().map(|x| u64::from_str_radix(x, 16)) else {
            continue;
        };
        check_ln(53, &Short::try_from(f64::from_bits(bits)).unwrap());
        checked += 1;
    }
    assert!(checked > 2000, "{checked}");
}

#[test]
fn the_logarithm_of_one_is_zero_and_others_are_refused() {
    let format = ShortFormat::new(118).unwrap();
    let one = Short::new(1, 0);
    assert_eq!(format.ln(&one), Ok(Short::ZERO));
    for x in [Short::ZERO, one.negate_if(true)] {
        assert_eq!(format.ln(&x), Err(FormatError::LnDomain(x.to_dyadic())));
    }
    for p in [0, 1, 121] {
        assert_eq!(ShortFormat::new(p), Err(FormatError::Precision(p)));
    }
}

#[test]
fn doubles_become_short_and_short_sums_become_doubles() {
    let mut cases = Cases(4);
    let ends = [
        0.0,
        -0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        f64::MIN_POSITIVE.next_down(),
        f64::MAX,
        1.0,
    ];
    let random = (0..300_000).map(|_| f64::from_bits(cases.next()));
    let mut previous = Short::ZERO;
    for x in ends.into_iter().chain(random).filter(|x| x.is_finite()) {
        for x in [x, -x] {
            let short = Short::try_from(x).unwrap();
            assert_eq!(short.to_dyadic(), Dyadic::try_from(x).unwrap());
            assert_eq!(
                sum_to_f64(&short, &Short::ZERO).to_bits(),
                (x + 0.0).to_bits()
            );
            // Sums of doubles are what the processor rounds.
            let sum = sum_to_f64(&short, &previous);
            let before = sum_to_f64(&previous, &Short::ZERO);
            assert_eq!(
                sum.to_bits(),
                (x + before + 0.0).to_bits(),
                "{x:e} + {before:e}"
            );
            previous = short;
        }
    }
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(Short::try_from(x).is_err());
    }
}

/// Sums that end below the normal numbers, at halves of the last place.
#[test]
fn underflow_is_gradual_and_rounds_once() {
    for top in -1090..-1015i64 {
        for significand in [1u128, 3, 5, (1 << 60) - 1, (1 << 60) + 1, (1 << 119) + 1] {
            let zeros = i64::from(significand.leading_zeros());
            let x = Short::new(significand, top - 127 + zeros);
            for y in [Short::ZERO, Short::new(1, -1074), Short::new(1, -1076)] {
                for y in [y, y.negate_if(true)] {
                    let exact = &x.to_dyadic() + &y.to_dyadic();
                    let double = exact.to_f64(NEAREST);
                    assert_eq!(sum_to_f64(&x, &y).to_bits(), double.to_bits(), "{exact:?}");
                }
            }
        }
    }
}

/// Without its last bit, an unrounded sum or product would be a tie that it is not.
#[test]
fn the_bit_that_stands_for_the_rest_decides() {
    let format = ShortFormat::new(118).unwrap();
    let one = Short::new(1, 0);
    let half_place = Short::new(1, -118);
    assert_eq!(format.add(&one, &half_place), one);
    let beyond = format.add(&half_place, &Short::new(1, -230));
    assert_eq!(format.add(&one, &beyond), Short::new((1 << 117) + 1, -117));
    let far = Short::new(1, -1000).negate_if(true);
    assert_eq!(format.add(&one, &far), one);
    let tie = Short {
        significand: 1 << 127 | 1 << 9,
        ..one
    };
    assert_eq!(format.round(tie).significand, 1 << 127);
    let above = Short {
        significand: tie.significand | 1,
        ..one
    };
    assert_eq!(format.round(above).significand, 1 << 127 | 1 << 10);
}
