//! Certificates.

use lastbit_exact::Rational;
use lastbit_verify::certificate::{Claim, check_json, prove};

/// The checker accepts or refuses.
pub fn run(input: &[u8]) {
    if let Ok(text) = std::str::from_utf8(input) {
        let _ = check_json(text);
    }
}

/// What the prover writes.
pub fn corpus() -> Vec<Vec<u8>> {
    let number = |text: &str| text.parse::<Rational>().expect("a number");
    [("0.3", "2", "1000", 53), ("1", "1", "1.5", 8)]
        .map(|(epsilon, sensitivity, bound, precision)| {
            let claim = Claim::shipped(
                &number(epsilon),
                &number(sensitivity),
                &number(bound),
                precision,
            );
            let certificate = prove(&claim).expect("it holds");
            serde_json::to_vec_pretty(&certificate).expect("structs and texts")
        })
        .to_vec()
}
