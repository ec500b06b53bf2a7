use super::*;
use lastbit_exact::{Dyadic, exp_enclosure};

use lastbit_noise::enumerate::{Masses, Prefix, masses};

fn mechanism(epsilon: &str, sensitivity: &str) -> Exponential {
    Exponential::new(&epsilon.parse().unwrap(), &sensitivity.parse().unwrap())
}

/// Whether two enclosures of one number meet.
fn meet(mass: &lastbit_noise::enumerate::Mass, law: &Enclosure) -> bool {
    mass.lo <= *law.hi() && *law.lo() <= mass.hi
}

fn check_law<S: Score>(mechanism: &Exponential, scores: &[S], depth: u32) -> Masses<usize> {
    let choice = mechanism.over(scores).unwrap();
    let law = choice.law(depth + 20);
    let masses = masses(depth, |bits| choice.draw(bits));
    for (index, law) in law.iter().enumerate() {
        let mass = masses.of(&index);
        assert!(meet(&mass, law), "{scores:?} at {index}: {mass:?} {law:?}");
        assert!(&mass.hi - &mass.lo <= Dyadic::power_of_two(2 - i64::from(depth)));
    }
    masses
}

#[test]
fn the_law_of_the_bits_is_the_closed_form() {
    for (epsilon, sensitivity) in [("1", "1"), ("0.1", "3"), ("7", "0.5"), ("1/3", "1")] {
        let mechanism = mechanism(epsilon, sensitivity);
        check_law(&mechanism, &[0i64], 100);
        check_law(&mechanism, &[0i64, 1, 5, -2, 3], 100);
        check_law(&mechanism, &[0.25, -1.5, 0.1, 1e-300, 2.0], 100);
        let thirds: Vec<Rational> = (0..5).map(|k| Rational::new(k, 3)).collect();
        check_law(&mechanism, &thirds, 100);
    }
}

#[test]
fn equal_scores_are_uniform_to_the_last_bit() {
    let eight = [41i64; 8];
    let masses = check_law(&mechanism("1", "1"), &eight, 100);
    assert!(masses.undecided().is_zero());
    for index in 0..8 {
        assert_eq!(masses.of(&index).lo, Dyadic::power_of_two(-3));
    }
    check_law(&mechanism("1", "1"), &[-1e308; 7], 90);
}

#[test]
fn the_law_is_the_formula() {
    // e^(1/2)/(1 + e^(1/2)).
    let law = mechanism("1", "1").over(&[0i64, 1]).unwrap().law(100);
    let half = exp_enclosure(&Dyadic::new(1, -1), 120);
    let one = Dyadic::ONE;
    assert!(law[1].lo() * &(&one + half.lo()) <= *half.hi());
    assert!(law[1].hi() * &(&one + half.hi()) >= *half.lo());
    assert!(law[1].width() <= Dyadic::power_of_two(-100));
}

#[test]
fn runs_have_the_law_of_their_candidates() {
    let mechanism = mechanism("1", "1");
    let runs = [(3, 0i64), (0, 7), (1, 2), (1 << 70, -80), (0, -1), (2, 1)];
    let runs = runs.map(|(length, score)| Run { length, score });
    let choice = mechanism.over_runs(&runs).unwrap();
    let law = choice.law(120);
    assert_eq!(law[1], Enclosure::exact(Dyadic::ZERO));
    let masses = masses(100, |bits| choice.draw(bits));
    for (index, law) in law.iter().enumerate() {
        assert!(meet(&masses.of(&index), law), "{index}");
    }
    // The short runs, one candidate at a time.
    let short = [runs[0], runs[2], runs[5]];
    let single = [0i64, 0, 0, 2, 1, 1];
    let by_runs = mechanism.over_runs(&short).unwrap().law(100);
    let one_by_one = mechanism.over(&single).unwrap().law(110);
    let mut first = 0;
    for (run, law) in short.iter().zip(by_runs) {
        let members = &one_by_one[first..first + run.length as usize];
        let sum = |end: fn(&Enclosure) -> &Dyadic| {
            members.iter().fold(Dyadic::ZERO, |sum, e| &sum + end(e))
        };
        assert!(sum(Enclosure::lo) <= *law.hi() && *law.lo() <= sum(Enclosure::hi));
        first += members.len();
    }
}

#[test]
fn the_longest_runs_weigh_what_they_should() {
    let mechanism = mechanism("1", "1");
    // 2^128·e^-85 is about 41, so that the long run is the likelier; the next two are beyond all
    // reach.
    let runs = [
        (u128::MAX, -170i64),
        (1, 0),
        (u128::MAX, -330),
        (u128::MAX, -310),
        (7, -1),
    ];
    let runs = runs.map(|(length, score)| Run { length, score });
    let choice = mechanism.over_runs(&runs).unwrap();
    let law = choice.law(150);
    let probability = law[0].lo().to_f64(Rounding::Down);
    assert!(0.87 < probability && probability < 0.90, "{probability}");
    let masses = masses(130, |bits| choice.draw(bits));
    for (index, law) in law.iter().enumerate() {
        let mass = masses.of(&index);
        assert!(meet(&mass, law), "{index}");
        assert!(mass.lo.is_positive(), "{index}");
    }
}

#[test]
fn a_place_in_a_run_is_uniform() {
    let mechanism = mechanism("1", "1");
    let runs = [Run {
        length: 3,
        score: 0i64,
    }];
    for place in 0..3u128 {
        // The first word picks the run; the second the place.
        let masses = masses(60, |bits| {
            let word = lastbit_noise::entropy::Entropy::word(bits).unwrap();
            let mut stream = lastbit_noise::enumerate::Prefix::of_words([5, word], word);
            mechanism
                .draw_place(&runs, &mut stream)
                .map(|found| found.1)
        });
        assert!(masses.of(&place).contains(&Rational::new(1, 3)));
    }
}

#[test]
fn both_tiers_agree() {
    // A fixed multiplicative walk; scores with many magnitudes.
    let mut word = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        word = word
            .wrapping_mul(0xD134_2543_DE82_EF95)
            .wrapping_add(0x2545_F491_4F6C_DD1D);
        word
    };
    let mechanism = mechanism("0.7", "1");
    let scores: Vec<f64> = (0..700)
        .map(|i| (next() >> 40) as f64 / 2f64.powi(i % 24))
        .collect();
    let choice = mechanism.over(&scores).unwrap();
    let mut decided = 0;
    for _ in 0..40 {
        let word = next();
        if let Some(index) = choice.sums.choose(&scores, &choice.largest, word) {
            let mut rest = lastbit_noise::enumerate::Prefix::of_words([next(), next()], 7);
            let uniform = &mut LazyUniform::with_prefix(word, 64);
            let exact = exact::choose(&scores, &choice.largest, &choice.rate, uniform, &mut rest);
            assert_eq!(exact, Ok(index));
            decided += 1;
        }
    }
    assert_eq!(decided, 40);
}

#[test]
fn huge_ranges_do_not_overflow() {
    for (epsilon, sensitivity) in [("1", "1"), ("1", "1e308"), ("1e300", "1e-300")] {
        let mechanism = mechanism(epsilon, sensitivity);
        check_law(&mechanism, &[-1e308, 1e308, -1.7e308, 1.7e308, 5e-324], 80);
        check_law(&mechanism, &[i64::MIN, i64::MAX, 0], 80);
        let big: Rational = "1e400".parse().unwrap();
        check_law(&mechanism, &[-&big, big, Rational::ZERO], 80);
    }
}

#[test]
fn bad_input_has_remedies() {
    let mechanism = mechanism("1", "1");
    let error = |scores: &[f64]| mechanism.over(scores).unwrap_err().to_string();
    assert_eq!(
        error(&[]),
        "there is no candidate to select from; give at least one"
    );
    assert_eq!(
        error(&[0.0, f64::NAN]),
        "the score of candidate 1 is NaN, and scores must be finite; clamp the scores to public \
         bounds"
    );
    assert!(error(&[f64::INFINITY, 0.0]).starts_with("the score of candidate 0 is inf"));
    assert!(error(&[f64::NEG_INFINITY]).starts_with("the score of candidate 0 is -inf"));
    assert!(
        "0".parse::<Sensitivity>()
            .unwrap_err()
            .to_string()
            .contains("must be positive")
    );
    let none: [Run<i64>; 1] = [Run {
        length: 0,
        score: 3,
    }];
    assert_eq!(
        mechanism.over_runs(&none).unwrap_err(),
        SelectionError::Empty
    );
}

#[test]
fn each_peeled_candidate_has_the_law_of_those_left() {
    let mechanism = mechanism("1", "1");
    let scores = [0i64, 1, 5, -2];
    let choice = mechanism.over(&scores).unwrap();
    for first in [3, u64::MAX / 5, u64::MAX / 2, u64::MAX - 9] {
        let chosen = choice.draw(&mut Prefix::of_words([first], 0)).unwrap();
        let mut rest = scores.to_vec();
        rest.remove(chosen);
        let law = mechanism.over(&rest).unwrap().law(80);
        let masses = masses(60, |bits| {
            let mut stream = Prefix::of_words([first], 0);
            let mut both = After(&mut stream, bits);
            mechanism.top_k(&scores, 2, &mut both)
        });
        for (place, law) in law.iter().enumerate() {
            let second = place + usize::from(place >= chosen);
            assert!(meet(&masses.of(&vec![chosen, second]), law));
        }
    }
    let error = mechanism.top_k(&scores, 5, &mut Prefix::of_words([], 0));
    let text = error.unwrap_err().to_string();
    assert_eq!(
        text,
        "asked for the top 5 of 4 candidates; ask for at most 4"
    );
}

/// The first word from one stream, and all later ones from another.
struct After<'a>(&'a mut Prefix, &'a mut Prefix);

impl Entropy for After<'_> {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            let first = self.0.words_read() == 0;
            let stream = if first { &mut *self.0 } else { &mut *self.1 };
            *word = stream.word()?;
        }
        Ok(())
    }
}

#[test]
fn a_coin_of_permute_and_flip_has_its_weight() {
    for (epsilon, score) in [("1", -1i64), ("0.001", -1), ("5", -7), ("1e-320", -1)] {
        let mechanism = mechanism(epsilon, "1");
        let y = mechanism.rate() * &Rational::from(-score);
        let weight = exact::weight(&y, 150);
        let masses = masses(120, |bits| {
            let word = bits.word()?;
            permute_and_flip::flip(&y, word, bits)
        });
        assert!(meet(&masses.of(&true), &weight), "{epsilon}");
        assert!(masses.undecided() <= Dyadic::power_of_two(-119));

        // Both tiers. The largest score falls on heads whatever its word; the last of the heads is
        // published, so it is the second if that has heads.
        let boundary = weight.lo().floor_in(-64);
        let boundary = u64::try_from(boundary).unwrap_or(u64::MAX);
        for shift in 0..60 {
            for (coin, head) in [
                (boundary.saturating_sub(2 << shift), true),
                (boundary.saturating_add(2 << shift), false),
            ] {
                let last = u64::MAX;
                let mut stream = Prefix::of_words([1 << 63, coin, last], last);
                let found = mechanism.permute_and_flip(&[0, score], &mut stream);
                let possible = coin > 0 && coin < u64::MAX;
                assert!(
                    !possible || found == Ok(usize::from(head)),
                    "{epsilon} {shift}"
                );
            }
        }
    }
}

#[test]
fn permute_and_flip_takes_any_of_the_heads() {
    // Equal scores: all heads, so the last word alone decides.
    let mechanism = mechanism("1", "1");
    let scores = vec![7.5; 600];
    for (word, expected) in [(0, 0), (u64::MAX, 599), (1 << 63, 300)] {
        let mut stream = Prefix::of_words(vec![u64::MAX / 3; 600], word);
        assert_eq!(
            mechanism.permute_and_flip(&scores, &mut stream),
            Ok(expected)
        );
    }
}
