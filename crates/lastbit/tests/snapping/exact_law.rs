//! Exact arithmetic has exactly the law in closed form: by enumeration of the lazy bits, and by
//! counting.

use std::collections::BTreeMap;

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{Bound, GridRule, Snapping};
use lastbit_exact::{Interval, Rational};
use lastbit_noise::entropy::System;
use lastbit_noise::enumerate::{Prefix, masses};
use lastbit_testing::{Pearson, Signed};

use crate::number;

struct Case {
    value: &'static str,
    sensitivity: &'static str,
    epsilon: &'static str,
    bounds: (&'static str, &'static str),
    bound: Option<&'static str>,
    /// The exponent of the grid, if it is not snapped.
    grid: Option<i64>,
}

/// Ties of the grid, ends of the bounds, bounds that are no doubles, B on and off the grid, no B,
/// coarse and fine grids.
const CASES: [Case; 12] = [
    Case {
        value: "0",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("-4", "4"),
        bound: Some("8"),
        grid: None,
    },
    Case {
        value: "0.5",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("-4", "4"),
        bound: Some("6.5"),
        grid: None,
    },
    Case {
        value: "-0.5",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("-4", "4"),
        bound: Some("4"),
        grid: None,
    },
    Case {
        value: "4",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("-4", "4"),
        bound: Some("4"),
        grid: None,
    },
    Case {
        value: "-9",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("-4", "4"),
        bound: Some("5.3"),
        grid: None,
    },
    Case {
        value: "0.3",
        sensitivity: "0.1",
        epsilon: "0.7",
        bounds: ("0.1", "0.2"),
        bound: Some("1"),
        grid: None,
    },
    Case {
        value: "1234.5",
        sensitivity: "10",
        epsilon: "0.3",
        bounds: ("1000", "2000"),
        bound: Some("600"),
        grid: None,
    },
    Case {
        value: "1/3",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("-1", "1"),
        bound: Some("3"),
        grid: Some(-2),
    },
    Case {
        value: "0.125",
        sensitivity: "1",
        epsilon: "2",
        bounds: ("0", "1"),
        bound: Some("2"),
        grid: Some(-3),
    },
    Case {
        value: "0",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("-4", "4"),
        bound: Some("10"),
        grid: Some(2),
    },
    Case {
        value: "2",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("-4", "4"),
        bound: Some("10"),
        grid: Some(2),
    },
    Case {
        value: "7",
        sensitivity: "1",
        epsilon: "1",
        bounds: ("0", "10"),
        bound: None,
        grid: None,
    },
];

impl Case {
    fn mechanism(&self) -> Snapping {
        let bounds = Bounds::parse(self.bounds.0, self.bounds.1).unwrap();
        let bound = self
            .bound
            .map_or(Bound::Infinite, |bound| Bound::Value(number(bound)));
        Snapping::builder(bounds, self.sensitivity.parse().unwrap())
            .epsilon(self.epsilon.parse().unwrap())
            .bound(bound)
            .grid(match self.grid {
                None => GridRule::Snapped,
                Some(exponent) => GridRule::fixed(exponent).unwrap(),
            })
            .build()
            .unwrap()
    }

    /// Output bits, in increasing order of outputs, and their probabilities.
    fn law(&self, mechanism: &Snapping) -> Vec<(f64, Interval)> {
        let law = mechanism.law(&number(self.value)).unwrap();
        law.points()
            .map(|point| (mechanism.publish(&point.value), point.probability))
            .collect()
    }
}

/// The dyadic masses that the program itself puts on each output, cell by cell of the first bits of
/// the lazy uniform, against the enclosures of the closed form. Each sign has mass one half; for a
/// fixed sign the output is monotone in U.
fn enumerated(case: &Case, depth: u32) {
    let mechanism = case.mechanism();
    let value = number(case.value);
    let halves = [0, 1].map(|sign| {
        masses(depth, |bits| {
            let mut bits = Signed::new(sign, bits);
            mechanism
                .draw_exact(&value, &mut bits)
                // Outputs are never NaN, so their order is total: by sign and magnitude.
                .map(|output| Ordered(output.to_bits()))
        })
    });
    // Each cell that is cut at this depth hides 2^-depth; there is one for each boundary, and one
    // at U = 0.
    let law = case.law(&mechanism);
    let mut decided = Rational::ZERO;
    for (output, probability) in &law {
        let key = Ordered(output.to_bits());
        let [plus, minus] = halves.each_ref().map(|half| half.of(&key));
        let low = Rational::from(&plus.lo + &minus.lo).times_power_of_two(-1);
        let high = Rational::from(&plus.hi + &minus.hi).times_power_of_two(-1);
        let closed = (
            Rational::try_from(probability.lo()).unwrap(),
            Rational::try_from(probability.hi()).unwrap(),
        );
        assert!(
            low <= closed.1 && closed.0 <= high,
            "{} at {output}: enumeration [{low}, {high}], closed form {probability:?}",
            case.value
        );
        decided = &decided + &low;
    }
    // The comparison means something: all but a little mass is decided, and on points of the law
    // only.
    let undecided = &Rational::ONE - &decided;
    let boundaries = Rational::from(2 * law.len() as i64 + 4);
    assert!(
        undecided <= boundaries.times_power_of_two(-i64::from(depth)),
        "{} undecided, {undecided}",
        case.value
    );
}

/// Doubles ordered as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ordered(u64);

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        f64::from_bits(self.0).total_cmp(&f64::from_bits(other.0))
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[test]
fn enumeration_of_the_first_20_bits_agrees_with_the_closed_form() {
    for case in &CASES {
        enumerated(case, 20);
    }
}

#[test]
fn enumeration_of_80_bits_passes_through_the_second_tier_and_agrees() {
    // Cells far smaller than the 63 bits of the first tier: only the second tier can decide them.
    for case in [&CASES[1], &CASES[5], &CASES[7]] {
        enumerated(case, 80);
    }
}

const DRAWS: usize = 10_000_000;

/// Cells with at least 1000 expected draws, the rest in one cell; twelve cases.
fn chi_square(case: &Case) {
    let mechanism = case.mechanism();
    let law = case.law(&mechanism);
    let value = number(case.value);
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    let mut outputs = vec![0.0; 1 << 16];
    let mut drawn = 0;
    while drawn < DRAWS {
        let outputs = &mut outputs[..(DRAWS - drawn).min(1 << 16)];
        mechanism
            .draw_repeated(&value, outputs, &mut System::default())
            .unwrap();
        outputs.sort_by(f64::total_cmp);
        for same in outputs.chunk_by(|a, b| a.to_bits() == b.to_bits()) {
            *counts.entry(same[0].to_bits()).or_default() += same.len() as u64;
        }
        drawn += outputs.len();
    }
    let mut pearson = Pearson::default();
    let (mut rest_expected, mut rest_seen) = (DRAWS as f64, DRAWS as u64);
    for (output, probability) in &law {
        let expected = DRAWS as f64 * probability.midpoint();
        if expected >= 1000.0 {
            let seen = counts.get(&output.to_bits()).copied().unwrap_or(0);
            pearson.add(seen as f64, expected);
            rest_expected -= expected;
            rest_seen -= seen;
        }
    }
    // What is left: outputs too rare to count one by one.
    if rest_expected >= 1000.0 {
        pearson.add(rest_seen as f64, rest_expected);
    }
    assert!(pearson.cells() >= 3, "too few cells to say anything");
    pearson.fits(12, &format!("{} {:?}", case.value, case.grid));
}

#[test]
fn ten_million_draws_fit_the_law_in_the_first_half_of_the_cases() {
    CASES[..6].iter().for_each(chi_square);
}

#[test]
fn ten_million_draws_fit_the_law_in_the_second_half_of_the_cases() {
    CASES[6..].iter().for_each(chi_square);
}

#[test]
fn one_by_one_in_bulk_and_exact_calls_give_the_same_output_for_the_same_bits() {
    for case in &CASES {
        let mechanism = case.mechanism();
        let value = number(case.value);
        let double = value.to_f64(lastbit_exact::Rounding::NearestEven);
        let is_double = Rational::try_from(double).unwrap() == value;
        for seed in 0..500u64 {
            let words: Vec<u64> = (0..8u64)
                .map(|i| (8 * seed + i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (seed % 40))
                .collect();
            let stream = || Prefix::of_words(words.clone(), u64::MAX / 3);
            let exact = mechanism.draw_exact(&value, &mut stream()).unwrap();
            let mut bulk = [0.0];
            mechanism
                .draw_repeated(&value, &mut bulk, &mut stream())
                .unwrap();
            assert_eq!(exact.to_bits(), bulk[0].to_bits());
            if is_double {
                let scalar = mechanism.draw(double, &mut stream()).unwrap();
                assert_eq!(exact.to_bits(), scalar.to_bits());
                mechanism
                    .draw_slice(&[double], &mut bulk, &mut stream())
                    .unwrap();
                assert_eq!(exact.to_bits(), bulk[0].to_bits());
            }
        }
    }
}
