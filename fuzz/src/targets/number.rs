//! Decimals, fractions and what is made of them.

use lastbit::{Bounds, Epsilon, Sensitivity};
use lastbit_exact::Rational;

/// A number that is read is printed as a text that is read as the same number.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(number) = text.parse::<Rational>() {
        let again: Rational = number.to_string().parse().expect("what is printed is read");
        assert_eq!(again, number);
    }
    let (lower, upper) = text.split_once(' ').unwrap_or((text, "7"));
    let _ = Bounds::parse(lower, upper);
    let _ = text.parse::<Epsilon>();
    let _ = text.parse::<Sensitivity>();
}

/// Numbers in every way of writing them.
pub fn corpus() -> Vec<Vec<u8>> {
    let texts = [
        "0.1",
        "-2.5e-8",
        "1/3",
        "+7",
        "1_000",
        "-0",
        "1e300 1.7e308",
        "-5 5",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
