use super::*;
use crate::enumerate::{Prefix, masses};
use lastbit_exact::Dyadic;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

#[test]
fn the_mass_of_true_is_p() {
    const DEPTH: u32 = 150;
    let probabilities = [
        "1/3",
        "2/3",
        "0.1",
        "0.999999999999999999999999999999",
        "1e-30",
        "12345678901234567891/36893488147419103232123",
        "1/18446744073709551617",
    ];
    for p in probabilities.map(rational) {
        let found = masses(DEPTH, |bits| bernoulli(&p, bits));
        assert!(found.of(&true).contains(&bernoulli_law(&p).unwrap()), "{p}");
        assert!(found.of(&false).contains(&(&Rational::ONE - &p)), "{p}");
        // The one cell that holds p.
        assert_eq!(
            found.undecided(),
            Dyadic::power_of_two(-i64::from(DEPTH)),
            "{p}"
        );
    }
}

#[test]
fn a_dyadic_p_is_decided_everywhere() {
    for p in ["0", "1", "1/2", "0.375", "0.9921875", "1/65536"].map(rational) {
        let found = masses(16, |bits| bernoulli(&p, bits));
        assert_eq!(found.undecided(), Dyadic::ZERO);
        assert_eq!(Rational::from(&found.of(&true).lo), p);
    }
    // More digits than a word has.
    let p = Rational::from(&Dyadic::new(3, -130));
    let found = masses(130, |bits| bernoulli(&p, bits));
    assert_eq!(Rational::from(&found.of(&true).hi), p);
    assert_eq!(found.undecided(), Dyadic::ZERO);
}

#[test]
fn a_tie_with_the_first_word_of_p_draws_a_second() {
    let third = rational("1/3");
    let first = u64::MAX / 3; // 0x5555…, the first digit of 1/3
    for (second, below) in [(first - 1, true), (first + 1, false)] {
        let mut stream = Prefix::of_words([first, second], 0);
        assert_eq!(bernoulli(&third, &mut stream), Ok(below));
        assert_eq!(stream.words_read(), 2);
    }
}

#[test]
fn numbers_that_are_no_probability_are_refused() {
    let mut stream = Prefix::of_words([], 0);
    for p in ["-1/10", "1.0000000001", "7"].map(rational) {
        let expected = BernoulliError::NotAProbability(p.clone());
        assert_eq!(bernoulli(&p, &mut stream), Err(expected.clone()));
        assert_eq!(bernoulli_law(&p), Err(expected));
    }
    let x = rational("-1e-9");
    let expected = BernoulliError::NegativeExponent(x.clone());
    assert_eq!(bernoulli_exp(&x, &mut stream), Err(expected.clone()));
    assert_eq!(bernoulli_exp_law(&x, 10), Err(expected));
    assert_eq!(stream.words_read(), 0);
}

/// `exp(−x)` to 50 decimals, cut off.
const EXPONENTIALS: [(&str, &str); 6] = [
    ("1", "0.36787944117144232159552377016146086744581113103176"),
    (
        "1/2",
        "0.60653065971263342360379953499118045344191813548718",
    ),
    (
        "1/3",
        "0.71653131057378925042560409692537966745311205982147",
    ),
    (
        "0.1",
        "0.90483741803595957316424905944643662119470536098040",
    ),
    ("20", "0.00000000206115362243855782796594038015582097637580"),
    (
        "1/1000000000",
        "0.99999999900000000049999999983333333337499999999166",
    ),
];

#[test]
fn the_mass_of_true_is_exp_of_minus_x() {
    const DEPTH: u32 = 140;
    for (x, digits) in EXPONENTIALS {
        let x = rational(x);
        let found = masses(DEPTH, |bits| bernoulli_exp(&x, bits)).of(&true);
        let low = rational(digits);
        let places = digits.len() as i32 - 2;
        let high = &low + &rational(&format!("1e-{places}"));
        // Two intervals that hold exp(−x): the decimals, and the mass of cells below it.
        assert!(Rational::from(&found.lo) <= high && low <= Rational::from(&found.hi));
        // One cell is undecided, and the law lies in the mass to 2^-160.
        assert_eq!(
            &found.hi - &found.lo,
            Dyadic::power_of_two(-i64::from(DEPTH))
        );
        let law = bernoulli_exp_law(&x, 160).unwrap();
        assert!(found.lo <= *law.lo() && *law.hi() <= found.hi);
    }
}

#[test]
fn exp_of_zero_is_one_and_a_huge_exponent_never_happens() {
    let certain = masses(0, |bits| bernoulli_exp(&Rational::ZERO, bits));
    assert_eq!(certain.of(&true).lo, Dyadic::ONE);
    for x in ["1e6", "1e18", "1e300", "1e5000"].map(rational) {
        // Every stream but the one that begins with 100 zeros is above e^-1e6.
        let found = masses(100, |bits| bernoulli_exp(&x, bits));
        assert_eq!(
            found.of(&false).lo,
            &Dyadic::ONE - &Dyadic::power_of_two(-100)
        );
        assert_eq!(found.of(&true).lo, Dyadic::ZERO);
    }
}

#[test]
fn the_fast_round_never_contradicts_the_lazy_one() {
    let exponents = [
        "0", "1e-300", "1e-17", "1e-9", "1/3", "0.7", "1", "36", "37", "44", "50", "700", "800",
        "1e400",
    ];
    let mut undecided = 0;
    for x in exponents.map(rational) {
        // Words around exp(−x), where the decision is hard, and all over the line.
        let law = bernoulli_exp_law(&x, 100).unwrap();
        let near = u64::try_from(law.lo().floor_in(-64)).unwrap_or(u64::MAX);
        let around = (0..14).flat_map(|shift| {
            let step = 1u64 << shift;
            [near.saturating_sub(step), near.saturating_add(step)]
        });
        let spread = (0..64u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for word in around.chain(spread) {
            match below_exp_f64(word, &x) {
                None => undecided += 1,
                Some(fast) => {
                    for rest in [0, u64::MAX] {
                        let mut stream = Prefix::of_words([], rest);
                        assert_eq!(below_exp(word, &x, &mut stream), Ok(fast), "{x}, {word}");
                    }
                }
            }
        }
    }
    // The hard words are hard: the fast round does give up on some.
    assert!(undecided > 10);
}

#[test]
fn the_law_of_exp_is_as_narrow_as_it_says() {
    for x in ["1/3", "1e-20", "123456.789", "1e12"].map(rational) {
        for bits in [1, 10, 64, 300] {
            let law = bernoulli_exp_law(&x, bits).unwrap();
            assert!(
                law.width() <= law.lo().times_power_of_two(-i64::from(bits)),
                "{x} at {bits}"
            );
        }
    }
}

#[test]
fn a_failing_source_is_an_error() {
    struct Empty;
    impl Entropy for Empty {
        fn fill(&mut self, _: &mut [u64]) -> Result<(), EntropyError> {
            Err(EntropyError::exhausted())
        }
    }
    let error = BernoulliError::Entropy(EntropyError::exhausted());
    assert_eq!(bernoulli(&Rational::ONE, &mut Empty), Err(error.clone()));
    assert_eq!(bernoulli_exp(&Rational::ONE, &mut Empty), Err(error));
}
