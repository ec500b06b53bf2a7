//! Gaussian noise has exactly the law of the rounded normal distribution.

use lastbit_exact::{Integer, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, EntropyError, System};
use lastbit_noise::enumerate::{Prefix, masses};
use lastbit_noise::{Gaussian, Geometric, Laplace, ScaleError};
use lastbit_testing::Empty;

use crate::law::{agree, chi_square, number, walk};

struct Case {
    variance: &'static str,
    grid_exponent: i64,
    location: &'static str,
}

const fn case(variance: &'static str, grid_exponent: i64, location: &'static str) -> Case {
    Case {
        variance,
        grid_exponent,
        location,
    }
}

/// Rational and irrational σ; points, ties and neither; coarse and fine grids; both signs.
const CASES: [Case; 10] = [
    case("1", 0, "0"),
    case("1", 0, "0.5"),
    case("1", 0, "-0.5"),
    case("0.09", 0, "0.5"),
    case("2", 0, "1/3"),
    case("0.3", -2, "0.125"),
    case("1000200.01", 8, "-1234.56"),
    case("6.25", 1, "1000000"),
    case("1e-6", 0, "7.5"),
    case("1/7", -3, "-22/7"),
];

impl Case {
    fn noise(&self) -> Gaussian {
        Gaussian::with_variance(&number(self.variance), self.grid_exponent).unwrap()
    }

    fn name(&self) -> String {
        let Case {
            variance,
            grid_exponent,
            location,
        } = self;
        format!("variance {variance}, grid 2^{grid_exponent}, location {location}")
    }

    fn enumerated(&self, depth: u32) {
        let (noise, location) = (self.noise(), number(self.location));
        let found = masses(depth, |bits| noise.draw(&location, bits));
        agree(&self.name(), &[found], depth, |cell| {
            noise.cell_probability(&location, cell)
        });
    }
}

#[test]
fn the_first_20_bits_have_the_masses_of_the_law() {
    CASES.iter().for_each(|case| case.enumerated(20));
}

#[test]
fn the_first_76_bits_pass_through_the_second_tier_and_have_the_masses_of_the_law() {
    // Cells far smaller than the 64 bits of the first tier.
    for i in [1, 4, 8] {
        CASES[i].enumerated(76);
    }
}

const DRAWS: usize = 5_000_000;
const BLOCK: usize = Gaussian::BLOCK;

#[test]
fn five_million_draws_fit_the_law() {
    for case in &CASES {
        let (noise, location) = (case.noise(), number(case.location));
        let steps = location.times_power_of_two(-case.grid_exponent);
        let near = steps.to_f64(Rounding::NearestEven);
        let error = near.abs() * f64::EPSILON;
        let mut entropy = System::default();
        let mut draws = Vec::with_capacity(DRAWS);
        let (mut words, mut cells) = ([0; BLOCK], [0.0; BLOCK]);
        while draws.len() < DRAWS {
            entropy.fill(&mut words).unwrap();
            if !noise.try_block(&words, &[near; BLOCK], error, &mut cells) {
                for (word, cell) in words.iter().zip(&mut cells) {
                    if noise.try_cell(*word, near, error).is_none() {
                        let exact = noise.resolve(*word, &steps, &mut entropy).unwrap();
                        *cell = i64::try_from(exact).unwrap() as f64;
                    }
                }
            }
            draws.extend(cells.map(|cell| cell as i64));
        }
        chi_square(&case.name(), CASES.len(), &mut draws, |cell| {
            noise.cell_probability(&location, cell)
        });
    }
}

/// The word at which the draw passes from one cell to the next, by bisection with the second tier
/// alone.
fn boundary(noise: &Gaussian, steps: &Rational, cell: &Integer) -> u64 {
    let (mut below, mut above) = (0, u64::MAX);
    while above - below > 1 {
        let word = below + (above - below) / 2;
        let drawn = noise.resolve(word, steps, &mut Prefix::of_words([], u64::MAX / 3));
        if drawn.unwrap() <= *cell {
            below = word;
        } else {
            above = word;
        }
    }
    below
}

/// What [`CASES`] lack: noise and locations of many steps, where rounding takes its share of a
/// step.
const LARGE: [Case; 5] = [
    case("1e18", 0, "0.5"),
    case("1e24", 0, "1/3"),
    case("4", 0, "281474976710656.25"),
    case("2", 0, "-562949953421312.5"),
    case("1e20", -10, "1000000000.5"),
];

#[test]
fn the_first_tier_never_contradicts_the_second() {
    let (mut decided, mut undecided) = (0, 0);
    for case in CASES.iter().chain(&LARGE) {
        let noise = case.noise();
        let steps = number(case.location).times_power_of_two(-case.grid_exponent);
        let near = steps.to_f64(Rounding::NearestEven);
        let off = &Rational::try_from(near).unwrap() - &steps;
        let error = off.abs().to_f64(Rounding::Up);
        // Words next to the edges of the cells near the location and of those beside them, ever
        // farther away; tails; and all over the line.
        let sigma = number(case.variance).to_f64(Rounding::Down).sqrt();
        let aside = Integer::from((1.3 * sigma * 2f64.powi(-case.grid_exponent as i32)) as i64);
        let cells = [
            steps.floor(),
            steps.floor() + &aside,
            steps.floor() - &aside,
        ];
        let around = cells.iter().flat_map(|cell| {
            let edge = boundary(&noise, &steps, cell);
            (0..40).flat_map(move |shift| {
                let step = 1u64 << shift;
                [edge.saturating_sub(step), edge.saturating_add(step)]
            })
        });
        let ends = (0..64).flat_map(|shift| [1 << shift, !(1 << shift)]);
        for word in around.chain(ends).chain(walk(50)) {
            match noise.try_cell(word, near, error) {
                None => undecided += 1,
                Some(fast) => {
                    decided += 1;
                    for rest in [0, u64::MAX] {
                        let exact = noise.resolve(word, &steps, &mut Prefix::of_words([], rest));
                        let expected = Integer::from(fast as i64);
                        assert_eq!(exact, Ok(expected), "{}: {word:#x}", case.name());
                    }
                }
            }
        }
    }
    // The hard words are hard, and the others are not.
    assert!(undecided > 500 && decided > 3000, "{undecided}, {decided}");
}

#[test]
fn a_draw_is_the_quantile_of_its_bits_at_all_scales() {
    // P(≤ cell − 1) ≤ U ≤ P(≤ cell), where U begins with the word. Grids finer than 2^-50σ, scales
    // and locations beyond doubles, and noise that never leaves its cell: most draws take the
    // second tier.
    let unit = Rational::ONE.times_power_of_two(-64);
    for (sigma, grid_exponent, location) in [
        ("1e300", 0, "0"),
        ("1e-300", -1100, "1e-300"),
        ("1", -60, "1e300"),
        ("1", -500, "1/3"),
        ("3/7", -40, "-1e12"),
        ("1e-300", 0, "0.5"),
        ("1e-300", 0, "-7.25"),
        ("1e300", 900, "-1e300"),
        ("1e330", 1000, "1"),
        ("0.01", 6, "31.999"),
    ] {
        let by_sigma = Gaussian::new(&number(sigma), grid_exponent).unwrap();
        let variance = &number(sigma) * &number(sigma);
        let by_variance = Gaussian::with_variance(&variance, grid_exponent).unwrap();
        // Twice the variance has an irrational root.
        let irrational =
            Gaussian::with_variance(&(variance.times_power_of_two(1)), grid_exponent).unwrap();
        let location = number(location);
        for word in walk(8).chain([1 << 30, !(1 << 30)]) {
            let draw = |noise: &Gaussian| {
                let cell = noise
                    .draw(
                        &location,
                        &mut Prefix::of_words([word], 0x1234_5678_9ABC_DEF0),
                    )
                    .unwrap();
                let lowest = &Rational::from(word) * &unit;
                let highest = &lowest + &unit;
                let after = noise.cumulative_probability(&location, &cell).hi();
                let before = noise
                    .cumulative_probability(&location, &(&cell - Integer::ONE))
                    .lo();
                assert!(
                    Rational::try_from(after).unwrap() >= lowest,
                    "{sigma} {word:#x}"
                );
                assert!(
                    Rational::try_from(before).unwrap() <= highest,
                    "{sigma} {word:#x}"
                );
                cell
            };
            assert_eq!(draw(&by_sigma), draw(&by_variance));
            draw(&irrational);
        }
    }
}

#[test]
fn noise_far_below_the_grid_splits_a_tie_in_exact_halves() {
    let noise = Gaussian::new(&number("1e-300"), 0).unwrap();
    for (location, lower) in [("0.5", 0), ("-0.5", -1), ("1000000.5", 1_000_000)] {
        let found = masses(2, |bits| noise.draw(&number(location), bits));
        for cell in [lower, lower + 1] {
            let mass = found.of(&Integer::from(cell));
            assert_eq!(Rational::from(&mass.lo), number("0.25"), "{location}");
            assert_eq!(Rational::from(&mass.hi), number("0.75"), "{location}");
        }
        // Quarters next to the ends of the line are cut there, where the stream of zeros or ones
        // never ends.
        assert_eq!(found.outcomes().len(), 2);
    }
}

#[test]
fn one_word_is_enough_for_nearly_every_draw() {
    let noise = Gaussian::new(&number("2.5"), -2).unwrap();
    for word in walk(20_000) {
        let mut stream = Prefix::of_words([word], 0);
        noise.draw(&number("0.3"), &mut stream).unwrap();
        assert_eq!(stream.words_read(), 1);
    }
    // A draw that the first tier leaves: the bits of the same number go on, two words at most.
    let mut stream = Prefix::of_words([1 << 20], u64::MAX / 3);
    noise.draw(&number("0.3"), &mut stream).unwrap();
    assert!((2..=3).contains(&stream.words_read()));
}

#[test]
fn bad_parameters_are_refused_by_name() {
    for bad in ["0", "-1", "-1e-300"].map(number) {
        let expected = ScaleError::NotPositive(bad.clone());
        assert_eq!(Gaussian::new(&bad, 0).unwrap_err(), expected);
        assert_eq!(Gaussian::with_variance(&bad, 0).unwrap_err(), expected);
    }
    for grid in [1101, -1101, 65536, -65536, i64::MAX, i64::MIN] {
        let expected = ScaleError::GridExponent(grid);
        assert_eq!(Gaussian::new(&Rational::ONE, grid).unwrap_err(), expected);
        assert_eq!(
            Gaussian::with_variance(&Rational::ONE, grid).unwrap_err(),
            expected
        );
        assert_eq!(
            expected.to_string(),
            format!("a grid exponent must be between -1100 and 1100, got {grid}")
        );
    }
    assert!(Gaussian::new(&Rational::ONE, 1100).is_ok());
    assert!(Gaussian::new(&Rational::ONE, -1100).is_ok());
    for beyond in ["1e-5000", "1e-332", "1e332", "1e5000"].map(number) {
        let expected = ScaleError::OutOfRange;
        assert_eq!(Gaussian::new(&beyond, 0).unwrap_err(), expected);
        let square = &beyond * &beyond;
        assert_eq!(Gaussian::with_variance(&square, 0).unwrap_err(), expected);
        assert_eq!(Laplace::new(&beyond, 0).unwrap_err(), expected);
        assert_eq!(Geometric::new(&beyond).unwrap_err(), expected);
    }
}

#[test]
fn a_source_that_runs_out_is_an_error_in_both_tiers() {
    let noise = Gaussian::new(&Rational::ONE, 0).unwrap();
    let exhausted = Err(EntropyError::exhausted());
    assert_eq!(noise.draw(&Rational::ZERO, &mut Empty), exhausted);
    assert_eq!(noise.resolve(5, &Rational::ZERO, &mut Empty), exhausted);
    // Nothing but zeros: no number of bits bounds the noise.
    let mut zeros = Prefix::of_words([], 0);
    assert_eq!(noise.draw(&Rational::ZERO, &mut zeros), exhausted);
}
