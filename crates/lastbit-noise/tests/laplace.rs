//! Laplace noise has exactly the law of the rounded Laplace distribution.

use crate::law::{agree, chi_square, number, walk};
use lastbit_exact::{Integer, Interval, Natural, Rational, Rounding, exp_enclosure};
use lastbit_noise::entropy::{Entropy, EntropyError, System};
use lastbit_noise::enumerate::{Prefix, masses};
use lastbit_noise::{Laplace, ScaleError, laplace_mass};
use lastbit_testing::{Empty, Signed};

struct Case {
    scale: &'static str,
    grid_exponent: i64,
    location: &'static str,
}

const fn case(scale: &'static str, grid_exponent: i64, location: &'static str) -> Case {
    Case {
        scale,
        grid_exponent,
        location,
    }
}

/// Points, ties and neither; coarse and fine grids; both signs.
const CASES: [Case; 9] = [
    case("1", 0, "0"),
    case("1", 0, "0.5"),
    case("1", 0, "-0.5"),
    case("0.3", 0, "0.5"),
    case("10/3", 0, "1/3"),
    case("0.7", -2, "0.125"),
    case("1000.1", 8, "-1234.56"),
    case("2.5", 1, "1000000"),
    case("0.001", 0, "7.5"),
];

impl Case {
    fn noise(&self) -> Laplace {
        Laplace::new(&number(self.scale), self.grid_exponent).unwrap()
    }

    fn name(&self) -> String {
        let Case {
            scale,
            grid_exponent,
            location,
        } = self;
        format!("scale {scale}, grid 2^{grid_exponent}, location {location}")
    }

    /// Each sign has mass one half; for a fixed sign the draw is monotone in `U`.
    fn enumerated(&self, depth: u32) {
        let (noise, location) = (self.noise(), number(self.location));
        let halves = [0, 1].map(|sign| {
            masses(depth, |bits| {
                noise.draw(&location, &mut Signed::new(sign, bits))
            })
        });
        agree(&self.name(), &halves, depth, |cell| {
            noise.cell_probability(&location, cell)
        });
    }
}

#[test]
fn the_first_20_bits_have_the_masses_of_the_law() {
    CASES.iter().for_each(|case| case.enumerated(20));
}

#[test]
fn the_first_80_bits_pass_through_the_second_tier_and_have_the_masses_of_the_law() {
    for i in [1, 3, 8] {
        CASES[i].enumerated(80);
    }
}

#[test]
fn cells_add_up_to_the_cumulative_probability() {
    for case in &CASES {
        let (noise, location) = (case.noise(), number(case.location));
        let middle = location
            .times_power_of_two(-case.grid_exponent)
            .round_ties_up();
        let mut sum = noise.cumulative_probability(&location, &(&middle - Integer::from(11)));
        for cell in (-10..=10).map(|away| &middle + Integer::from(away)) {
            sum = sum + noise.cell_probability(&location, &cell);
            let cumulative = noise.cumulative_probability(&location, &cell);
            assert!(sum.intersect(cumulative).is_some(), "{}", case.name());
            assert!(sum.width().get() < 1e-12);
        }
    }
}

const DRAWS: usize = 5_000_000;
const BLOCK: usize = Laplace::BLOCK;

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

/// `P(|noise| > distance)`, for a distance and a scale in the same unit; one below zero.
fn beyond(distance: &Rational, scale: &Rational) -> Interval {
    if distance.is_negative() {
        return Interval::ONE;
    }
    laplace_mass(Some(&(distance / scale)), None) * Interval::point(2.0)
}

#[test]
fn a_draw_is_the_quantile_of_its_bits_at_all_scales() {
    // The magnitude of the noise exceeds a distance if and only if U is below `beyond`. Grids finer
    // than 2^-50 of the scale, scales and locations beyond doubles, and noise that never leaves its
    // cell: most draws take the second tier.
    let half = Rational::new(1, 2);
    let unit = Rational::ONE.times_power_of_two(-63);
    for (scale, grid_exponent, location) in [
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
        let noise = Laplace::new(&number(scale), grid_exponent).unwrap();
        let steps = number(location).times_power_of_two(-grid_exponent);
        for word in walk(30).chain([1 << 20, 3 << 62, u64::MAX - 5]) {
            let mut stream = Prefix::of_words([word], 0x1234_5678_9ABC_DEF0);
            let cell = noise.draw(&number(location), &mut stream).unwrap();
            let lowest = &Rational::from(word << 1 >> 1) * &unit;
            let highest = &lowest + &unit;
            let mut offset = &Rational::from(cell) - &steps;
            if word >> 63 == 1 {
                offset = -offset;
            }
            let near = beyond(&(&offset - &half), noise.scale_in_steps()).hi();
            let far = beyond(&(&offset + &half), noise.scale_in_steps()).lo();
            assert!(
                Rational::try_from(near).unwrap() >= lowest,
                "{scale} {word:#x}"
            );
            assert!(
                Rational::try_from(far).unwrap() <= highest,
                "{scale} {word:#x}"
            );
        }
    }
}

#[test]
fn noise_far_below_the_grid_splits_a_tie_in_exact_halves() {
    let noise = Laplace::new(&number("1e-300"), 0).unwrap();
    for (location, lower) in [("0.5", 0), ("-0.5", -1), ("1000000.5", 1_000_000)] {
        for (sign, cell) in [(0, lower + 1), (1, lower)] {
            let found = masses(10, |bits| {
                noise.draw(&number(location), &mut Signed::new(sign, bits))
            });
            // One outcome for each sign; only the stream of zeros, which never ends, is undecided.
            assert_eq!(found.outcomes(), [&Integer::from(cell)]);
            assert_eq!(
                Rational::from(found.undecided()),
                Rational::ONE.times_power_of_two(-10)
            );
        }
    }
}

#[test]
fn the_first_tier_never_contradicts_the_second() {
    let mut undecided = 0;
    for case in &CASES {
        let noise = case.noise();
        let steps = number(case.location).times_power_of_two(-case.grid_exponent);
        let near = steps.to_f64(Rounding::NearestEven);
        let error = near.abs() * f64::EPSILON;
        let ends = (0..64).flat_map(|shift| [1 << shift, !(1 << shift)]);
        for word in ends.chain(walk(300)) {
            let Some(fast) = noise.try_cell(word, near, error) else {
                undecided += 1;
                continue;
            };
            for rest in [0, u64::MAX] {
                let exact = noise.resolve(word, &steps, &mut Prefix::of_words([], rest));
                assert_eq!(
                    exact,
                    Ok(Integer::from(fast as i64)),
                    "{}: {word:#x}",
                    case.name()
                );
            }
        }
    }
    assert!(undecided > 100, "{undecided}");
}

#[test]
fn streams_that_follow_an_edge_for_200_bits_are_decided_where_they_leave_it() {
    // From the cell 0 to the cell 1 at −ln U = (1/2 − location)/scale, if the sign is plus.
    for (scale, location) in [
        ("1", "0"),
        ("7/3", "1/3"),
        ("0.01", "0.25"),
        ("300", "-2.5"),
    ] {
        let noise = Laplace::new(&number(scale), 0).unwrap();
        let location = number(location);
        let distance = &(&Rational::new(1, 2) - &location) / &number(scale);
        let edge = exp_enclosure(&-&distance.round(400, Rounding::Up), 300);
        let bits = Natural::try_from(edge.lo().floor_in(-200)).unwrap();
        // Just above the edge U is larger and the noise smaller.
        for (bits, cell) in [(&bits + Natural::ONE, 0), (&bits - Natural::ONE, 1)] {
            for rest in [0, u64::MAX] {
                let mut stream = Prefix::new(bits.clone(), 200, rest);
                let drawn = noise.draw(&location, &mut Signed::new(0, &mut stream));
                assert_eq!(drawn, Ok(Integer::from(cell)), "{scale}");
                assert!(stream.words_read() > 3);
            }
        }
    }
}

#[test]
fn bad_parameters_are_refused_by_name() {
    for bad in ["0", "-1", "-1e-300"].map(number) {
        let error = Laplace::new(&bad, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("a scale must be positive, got {bad}")
        );
        assert_eq!(error, ScaleError::NotPositive(bad));
    }
    for grid in [65537, -65537, i64::MAX, i64::MIN] {
        let error = Laplace::new(&Rational::ONE, grid).unwrap_err();
        assert_eq!(error, ScaleError::GridExponent(grid));
    }
}

#[test]
fn a_source_that_runs_out_is_an_error_in_both_tiers() {
    let noise = Laplace::new(&Rational::ONE, 0).unwrap();
    let exhausted = Err(EntropyError::exhausted());
    assert_eq!(noise.draw(&Rational::ZERO, &mut Empty), exhausted);
    assert_eq!(noise.resolve(5, &Rational::ZERO, &mut Empty), exhausted);
}
