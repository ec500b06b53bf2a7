use lastbit_exact::Rational;
use proptest::prelude::*;

use super::*;

fn of(text: &str) -> String {
    canonical(text).unwrap_or_default()
}

#[test]
fn one_value_has_one_text() {
    let same: [&[&str]; 9] = [
        &[
            "7",
            "7.0",
            "7e0",
            "+7",
            "70e-1",
            "0.7E+1",
            " 7\u{2003}",
            "7.000",
        ],
        &[
            "0",
            "-0",
            "0.0",
            "-0.0",
            "0e5",
            "+0",
            "0e-99999999999999999",
        ],
        &["-12.5", "-12.50", "-125e-1", "-1.25E1"],
        &["1e300", "10e299", "1.0e+300", "1e0300"],
        &["0.001", "1e-3", "0.0010"],
        &["1e-30", "10.0e-31"],
        &[
            "9223372036854775808",
            "9223372036854775808.0",
            "9.223372036854775808e18",
        ],
        &["true", "True", "TRUE", " tRuE "],
        &["false", "False"],
    ];
    for texts in same {
        for text in texts {
            assert_eq!(of(text), texts[0], "{text}");
        }
    }
}

#[test]
fn what_is_no_plain_number_is_its_text() {
    for text in [
        "07",
        "-07",
        "00",
        "7.",
        ".7",
        "1_000",
        "7e",
        "7e+",
        "0x7",
        "--7",
        "+",
        "-",
        "7 7",
        "1e999999999999999999",
        "inf",
        "NaN",
        "٧",
        "12-03",
        "yes",
        "truely",
        "1/3",
    ] {
        assert_eq!(of(text), text);
    }
    assert_eq!(canonical(" \u{a0}\t"), None);
    assert_eq!(of("\u{3000}Ann \u{2009}"), "Ann");
}

#[test]
fn the_ends_of_64_bits_are_whole_and_the_next_numbers_are_not() {
    let is = |text: &str| value(text, &mut String::new()).to_text();
    for number in [
        i64::MAX,
        i64::MIN,
        999_999_999_999_999_999,
        1_000_000_000_000_000_000,
    ] {
        let text = format!("{number}.0");
        assert_eq!(value(&text, &mut String::new()), Value::Whole(number));
        assert_eq!(is(&number.to_string()), number.to_string());
    }
    for text in ["9223372036854775808", "-9223372036854775809"] {
        assert_eq!(value(text, &mut String::new()), Value::Text(text));
    }
}

proptest! {
    #[test]
    fn texts_are_equal_if_and_only_if_the_numbers_are(
        a in "[+-]?(0|[1-9][0-9]{0,21})([.][0-9]{1,12})?([eE][+-]?[0-9]{1,2})?",
        b in "[+-]?(0|[1-9][0-9]{0,2})([.][0-9]{1,2})?([eE][+-]?[0-9])?",
        c in "[+-]?(0|[1-9][0-9]{0,2})([.][0-9]{1,2})?([eE][+-]?[0-9])?",
    ) {
        let exact = |text: &str| text.trim_start_matches('+').parse::<Rational>().unwrap();
        // The one text is the same number, and is its own one text.
        prop_assert_eq!(exact(&of(&a)), exact(&a));
        prop_assert_eq!(of(&of(&a)), of(&a));
        prop_assert_eq!(of(&b) == of(&c), exact(&b) == exact(&c));
    }

    #[test]
    fn any_text_has_one_text_and_none_panics(text in "\\PC{0,12}|[0-9eE.+-]{0,12}") {
        let once = of(&text);
        prop_assert_eq!(of(&once), once);
    }
}
