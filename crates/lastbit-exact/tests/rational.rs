//! `Rational`: reading, printing, rounding and conversion.

use lastbit_exact::{Dyadic, Integer, ParseRationalError, Rational, Rounding};
use proptest::prelude::*;

fn read(text: &str) -> Rational {
    text.parse().unwrap()
}

fn integer() -> impl Strategy<Value = Integer> {
    (
        prop::collection::vec(any::<u64>(), 1..4),
        any::<bool>(),
        0u32..64,
    )
        .prop_map(|(words, negative, cut)| {
            let magnitude = words.into_iter().fold(Integer::ZERO, |acc, word| {
                (acc << 64) + Integer::from(word >> cut)
            });
            if negative { -magnitude } else { magnitude }
        })
}

fn rational() -> impl Strategy<Value = Rational> {
    prop_oneof![
        (integer(), integer()).prop_map(|(n, d)| {
            Rational::new(n, if d == Integer::ZERO { Integer::ONE } else { d })
        }),
        // Numbers whose decimals end.
        (integer(), 0usize..40, 0usize..40).prop_map(|(n, twos, fives)| {
            Rational::new(n, Integer::from(2).pow(twos) * Integer::from(5).pow(fives))
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_printed_reads_back(x in rational()) {
        let text = x.to_string();
        prop_assert_eq!(read(&text), x.clone());
        prop_assert_eq!(text.contains('/'), {
            let mut rest = x.denominator();
            while rest.is_multiple_of(&2u8.into()) { rest = rest / 2; }
            while rest.is_multiple_of(&5u8.into()) { rest = rest / 5; }
            rest != 1u8.into()
        });
    }

    /// Decimals read exactly: rounding the rational to nearest is what the standard library reads.
    #[test]
    fn nearest_f64_is_that_of_the_standard_parser(
        negative: bool, whole in 0u64.., fraction in "[0-9]{0,30}", exponent in -345i32..330,
    ) {
        let text = format!("{}{whole}.{fraction}e{exponent}", if negative { "-" } else { "" });
        prop_assert_eq!(read(&text).to_f64(Rounding::NearestEven), text.parse::<f64>().unwrap());
    }

    #[test]
    fn an_f64_prints_and_reads_back(bits: u64) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        let x = Rational::try_from(value).unwrap();
        for rounding in Rounding::ALL {
            prop_assert_eq!(read(&x.to_string()).to_f64(rounding), value);
        }
        // The shortest decimal that names the f64 also reads back to it.
        prop_assert_eq!(read(&format!("{value:e}")).to_f64(Rounding::NearestEven), value);
    }

    /// `Down ≤ x ≤ Up` and no f64 lies strictly between.
    #[test]
    fn directed_conversions_bracket(x in rational(), shift in -1200i64..1200) {
        let x = x.times_power_of_two(shift);
        let exact = |value: f64| Rational::try_from(value).unwrap();
        let [nearest, up, down, zero] = Rounding::ALL.map(|r| x.to_f64(r));
        prop_assert!(down == f64::NEG_INFINITY || exact(down) <= x);
        prop_assert!(up == f64::INFINITY || exact(up) >= x);
        prop_assert!(up == down || down.next_up() == up);
        prop_assert_eq!(zero, if x.is_negative() { up } else { down });
        if up != down && up.is_finite() && down.is_finite() {
            let (above, below) = (&exact(up) - &x, &x - &exact(down));
            if above < below {
                prop_assert_eq!(nearest, up);
            } else if below < above {
                prop_assert_eq!(nearest, down);
            } else {
                prop_assert_eq!(nearest.to_bits() % 2, 0);
            }
        }
    }

    /// The contract of `Rational::round`.
    #[test]
    fn rounding_obeys_its_inequalities(x in rational(), precision in 1usize..150) {
        let [nearest, up, down, zero] = Rounding::ALL.map(|r| x.round(precision, r));
        let exact = |value: &Dyadic| Rational::from(value);
        prop_assert!(exact(&down) <= x && x <= exact(&up));
        prop_assert_eq!(&zero, if x.is_negative() { &up } else { &down });
        prop_assert!(nearest == up || nearest == down);
        let doubled_error = (&exact(&nearest) - &x).abs().times_power_of_two(1);
        prop_assert!(doubled_error <= exact(&(&up - &down)));
        if let Some(e) = x.abs().ceil_log2() {
            prop_assert!(&up - &down <= Dyadic::power_of_two(e - precision as i64));
        }
    }

    #[test]
    fn field_laws(x in rational(), y in rational(), z in rational()) {
        prop_assert_eq!(&x * &(&y + &z), &(&x * &y) + &(&x * &z));
        prop_assert_eq!(&(&x - &y) + &y, x.clone());
        match y.recip() {
            None => prop_assert!(y.is_zero()),
            Some(r) => {
                prop_assert_eq!(&r * &y, Rational::ONE);
                prop_assert_eq!(&(&x / &y) * &y, x.clone());
            }
        }
    }

    /// `2^(e−1) < x ≤ 2^e` for `e = ceil_log2 x`.
    #[test]
    fn ceil_log2_is_the_smallest(x in rational(), shift in -200i64..200) {
        let x = x.times_power_of_two(shift);
        let power = |e: i64| Rational::from(Dyadic::power_of_two(e));
        match x.ceil_log2() {
            None => prop_assert!(!x.is_positive()),
            Some(e) => prop_assert!(power(e - 1) < x && x <= power(e)),
        }
    }

    /// `floor ≤ x < floor + 1`, `ceil − 1 < x ≤ ceil`, ties up.
    #[test]
    fn integers_beside(x in rational()) {
        let whole = |n: Integer| Rational::from(n);
        prop_assert!(whole(x.floor()) <= x && x < &whole(x.floor()) + &Rational::ONE);
        prop_assert!(whole(x.ceil()) >= x && &whole(x.ceil()) - &Rational::ONE < x);
        let off = &whole(x.round_ties_up()) - &x;
        prop_assert!(Rational::new(-1, 2) < off && off <= Rational::new(1, 2));
        for halves in [-5, -1, 1, 5] {
            let tie = &whole(x.floor()) + &Rational::new(halves, 2);
            prop_assert_eq!(whole(tie.round_ties_up()), &tie + &Rational::new(1, 2));
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,20}", numeric in "[-+0-9./eE ]{0,12}") {
        let _ = text.parse::<Rational>();
        let _ = numeric.parse::<Rational>();
    }
}

#[test]
fn decimals_and_fractions_are_exact() {
    for (text, numerator, denominator) in [
        ("0.1", 1, 10),
        (".5", 1, 2),
        ("5.", 5, 1),
        ("-12.5e-3", -1, 80),
        ("+2E2", 200, 1),
        ("1e+2", 100, 1),
        ("1/3", 1, 3),
        (" -0.5 / 1.5 ", -1, 3),
        ("1/-2", -1, 2),
        ("-0", 0, 1),
        ("007", 7, 1),
        ("0e-5000", 0, 1),
    ] {
        assert_eq!(read(text), Rational::new(numerator, denominator), "{text}");
    }
}

#[test]
fn printing_is_plain() {
    for (x, text) in [
        (Rational::new(1, 10), "0.1"),
        (Rational::new(-1, 8), "-0.125"),
        (Rational::new(7, 1), "7"),
        (Rational::new(0, 5), "0"),
        (Rational::new(-22, 7), "-22/7"),
        (Rational::new(1, 500), "0.002"),
        (Rational::new(12345, 100), "123.45"),
        (read("1e-20"), "0.00000000000000000001"),
        (read("-25e20"), "-2500000000000000000000"),
        (read("1e30/3"), "1000000000000000000000000000000/3"),
    ] {
        assert_eq!(x.to_string(), text);
        assert_eq!(format!("{x:?}"), text);
    }
    assert_eq!(format!("{:>6}", Rational::new(1, 2)), "   0.5");
    let huge = read("1e4000");
    assert_eq!(huge.to_string().len(), 4001);
    assert_eq!(read(&huge.to_string()), huge);
    let small = Rational::from(Dyadic::power_of_two(-1074));
    assert_eq!(read(&small.to_string()), small);
}

#[test]
fn what_is_not_a_number_is_refused_with_a_reason() {
    let syntax = [
        "", " ", ".", "-", "+", "e5", "1e", "1e+", "1e-", "1e1.5", "1.2.3", "--1", "+-1", "1-",
        "nan", "NaN", "inf", "-inf", "0x10", "1_000", "1,5", "１", "1e５", "½", "1 2", "/", "1/",
        "/3", "1/2/3", "1//2", ".e1", "-é",
    ];
    for text in syntax {
        let error = text.parse::<Rational>().unwrap_err();
        assert!(
            matches!(error, ParseRationalError::Syntax(_)),
            "{text}: {error:?}"
        );
        assert!(error.to_string().contains("write a decimal such as"));
    }
    for text in ["1/0", "0/0", "1/0.000", "1/0e5", "-1/-0"] {
        let error = text.parse::<Rational>().unwrap_err();
        assert_eq!(error, ParseRationalError::ZeroDenominator(text.into()));
    }
    let digits = "1".repeat(5001);
    for text in [
        "1e99999",
        "1e-99999",
        "1e5001",
        "1e99999999999999999999999",
        &digits,
    ] {
        let error = text.parse::<Rational>().unwrap_err();
        assert!(matches!(error, ParseRationalError::Range(_)), "{error:?}");
        assert!(error.to_string().contains("at most 5000 digits"));
        assert!(error.to_string().len() < 200);
    }
    let junk = "x".repeat(100_000);
    assert!(junk.parse::<Rational>().unwrap_err().to_string().len() < 200);
}

#[test]
fn clamping_keeps_within_bounds() {
    let (lower, upper) = (Rational::new(-1, 3), Rational::new(5, 2));
    for (x, expected) in [(-1, &lower), (1, &Rational::ONE), (3, &upper)] {
        assert_eq!(Rational::from(x as i64).clamp_to(&lower, &upper), *expected);
    }
}

#[test]
fn only_dyadics_become_dyadics() {
    assert_eq!(Rational::new(3, 8).to_dyadic(), Some(Dyadic::new(3, -3)));
    assert_eq!(Rational::new(12, 1).to_dyadic(), Some(Dyadic::new(3, 2)));
    assert_eq!(Rational::ZERO.to_dyadic(), Some(Dyadic::ZERO));
    assert_eq!(Rational::new(1, 3).to_dyadic(), None);
    assert_eq!(Rational::new(1, 6).to_dyadic(), None);
}
