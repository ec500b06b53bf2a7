//! `ln` and `ln_bounds` against MPFR and against enclosures. The vectors come from
//! `data/make_ln_vectors.py`.

use lastbit_exact::{Dyadic, Enclosure, Format, Integer, Rounding, ln, ln_bounds, ln_enclosure};
use lastbit_testing::Cases;

fn number(hex: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(hex, 16).expect("bits in hex"))
}

fn rows(data: &str) -> impl Iterator<Item = Vec<&str>> {
    data.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').collect())
}

fn check(x: f64, nearest: f64, up: f64, down: f64) {
    assert_eq!(ln(x, Rounding::NearestEven), nearest, "nearest, {x:e}");
    assert_eq!(ln(x, Rounding::Up), up, "up, {x:e}");
    assert_eq!(ln(x, Rounding::Down), down, "down, {x:e}");
    let toward_zero = if x > 1.0 { down } else { up };
    assert_eq!(ln(x, Rounding::TowardZero), toward_zero, "zero, {x:e}");
    assert_eq!(ln_bounds(x), (down, up), "bounds, {x:e}");
}

#[test]
fn hard_cases_are_those_of_mpfr() {
    let mut count = 0;
    for row in rows(include_str!("data/ln_hard.txt")) {
        check(
            number(row[0]),
            number(row[1]),
            number(row[2]),
            number(row[3]),
        );
        count += 1;
    }
    assert!(count > 4000);
}

#[test]
fn random_cases_are_those_of_mpfr() {
    let mut count = 0;
    for row in rows(include_str!("data/ln_random.txt")) {
        let (x, nearest) = (number(row[0]), number(row[1]));
        match row[2] {
            ">" => check(x, nearest, nearest.next_up(), nearest),
            _ => check(x, nearest, nearest, nearest.next_down()),
        }
        count += 1;
    }
    assert!(count > 20_000);
}

#[test]
fn special_values_do_not_depend_on_the_direction() {
    for rounding in Rounding::ALL {
        assert_eq!(ln(1.0, rounding).to_bits(), 0f64.to_bits());
        assert_eq!(ln(0.0, rounding), f64::NEG_INFINITY);
        assert_eq!(ln(-0.0, rounding), f64::NEG_INFINITY);
        assert_eq!(ln(f64::INFINITY, rounding), f64::INFINITY);
        for bad in [
            -5e-324,
            -1.0,
            f64::MIN,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
        ] {
            assert!(ln(bad, rounding).is_nan(), "{bad}");
        }
    }
    let (below, above) = ln_bounds(1.0);
    assert_eq!((below.to_bits(), above.to_bits()), (0, 0));
    assert_eq!(ln_bounds(0.0), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    assert_eq!(ln_bounds(f64::INFINITY), (f64::INFINITY, f64::INFINITY));
    let (below, above) = ln_bounds(-1.0);
    assert!(below.is_nan() && above.is_nan());
}

/// Where the evaluation changes: ends of table rows (every 2^-9 of [1/2, 1), every 2^-8 of [1, 2)),
/// the distances from one that change the formula, powers of two, the smallest normal number.
#[test]
fn ln_is_monotone_across_seams() {
    let one = 1f64.to_bits();
    let mut seams = vec![f64::MIN_POSITIVE.to_bits(), 3, f64::MAX.to_bits() - 3];
    for distance in [-8, -13, -14, -52] {
        let z = f64::exp2(distance.into());
        seams.extend([(1.0 + z).to_bits(), (1.0 - z).to_bits()]);
    }
    for exponent in [-1022, -700, -2, -1, 0, 1, 2, 700, 1023] {
        let start = (one as i64 + (exponent << 52)) as u64;
        seams.extend((0..256).map(|row| start + (row << 44)));
    }
    for seam in seams {
        for rounding in Rounding::ALL {
            let values: Vec<f64> = (seam.saturating_sub(3).max(1)..=seam + 3)
                .map(|bits| ln(f64::from_bits(bits), rounding))
                .collect();
            assert!(
                values.is_sorted(),
                "{rounding:?} at {seam:016x}: {values:?}"
            );
        }
    }
}

/// What the limb kernel is not asked for: an enclosure of the arbitrary-precision code, rounded.
fn by_enclosure(format: Format, x: &Dyadic, rounding: Rounding) -> Dyadic {
    let precision = format.precision();
    (1..)
        .map(|i| ln_enclosure(x, i * (precision + 150)))
        .find_map(|enclosure: Enclosure| enclosure.round(precision as usize, rounding))
        .expect("some enclosure decides")
}

#[test]
fn ln_of_118_bits_is_that_of_the_enclosure() {
    let format = Format::new(118).unwrap();
    let mut words = Cases(8).words();
    let mut word = || words.next().expect("endless");
    for i in 0..100_000u64 {
        let mantissa = Integer::from((u128::from(word()) << 64 | u128::from(word())) >> 10);
        let x = match i % 4 {
            // Uniform on (0, 1), as U* is.
            0 => Dyadic::new(mantissa, -118),
            // Every exponent up to ±2^40.
            1 => Dyadic::new(mantissa, word() as i64 >> (24 + word() % 40)),
            // Every distance from one.
            _ => {
                let distance = Dyadic::new(mantissa >> (word() % 118) as usize, -119);
                let distance = if i % 4 == 2 { distance } else { -&distance };
                format.round(&(&Dyadic::ONE + &distance), Rounding::NearestEven)
            }
        };
        if x.is_positive() && x != Dyadic::ONE {
            let rounding = Rounding::ALL[(word() % 4) as usize];
            let result = format.ln(&x, rounding).unwrap();
            assert_eq!(result, by_enclosure(format, &x, rounding), "{x:?}");
        }
    }
}

/// `ln(1 + z) = z - z²/2 + z³/3 - …`: where `z - z²/2` has at most 119 bits, only `z³/3` keeps it
/// from a boundary.
#[test]
fn hard_logarithms_of_118_bits_are_those_of_the_enclosure() {
    let format = Format::new(118).unwrap();
    for k in 1..118 {
        for n in [1i64, 3, 5, 7, -1, -3, -5, -7] {
            let x = &Dyadic::ONE + &Dyadic::new(n, -k);
            if !x.is_positive() || !format.contains(&x) {
                continue;
            }
            for rounding in Rounding::ALL {
                let result = format.ln(&x, rounding).unwrap();
                assert_eq!(result, by_enclosure(format, &x, rounding), "{x:?}");
            }
        }
    }
    // Numbers of 118 bits next to e^y, y a boundary of short mantissa.
    let wide = Format::new(160).unwrap();
    for n in 1..2000i64 {
        let y = Dyadic::new(if n % 2 == 0 { n } else { -n }, -(n % 9));
        let x = wide.exp(&y, Rounding::NearestEven).unwrap();
        for rounding in Rounding::ALL {
            let x = format.round(&x, rounding);
            let result = format.ln(&x, rounding).unwrap();
            assert_eq!(result, by_enclosure(format, &x, rounding), "{x:?}");
        }
    }
}
