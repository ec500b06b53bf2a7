//! Limbs against big numbers: the same double from the same words.

use super::super::{Arithmetic, Bound, Engine, Snapping};
use super::*;
use crate::Bounds;
use lastbit_exact::Natural;
use lastbit_noise::UStar;
use lastbit_testing::{Cases, Words};

fn mechanism(bounds: [&str; 2], sensitivity: &str, epsilon: &str, bound: Bound) -> Snapping {
    Snapping::builder(
        Bounds::parse(bounds[0], bounds[1]).unwrap(),
        sensitivity.parse().unwrap(),
    )
    .epsilon(epsilon.parse().unwrap())
    .bound(bound)
    .arithmetic(Arithmetic::Multi)
    .build()
    .unwrap()
}

fn gamma() -> Bound {
    Bound::Gamma("0.000001".parse().unwrap())
}

/// The engine as it is, and with big numbers alone.
fn both(mechanism: &Snapping) -> [Multi; 2] {
    let Engine::Multi(multi) = &mechanism.engine else {
        panic!("multi");
    };
    assert!(multi.short.is_some());
    let mut big = (**multi).clone();
    big.short = None;
    [(**multi).clone(), big]
}

/// A sign, an exponent of U* and 117 bits, often of the hard kind.
fn words(cases: &mut Cases) -> Vec<u64> {
    let mut words = vec![cases.next()];
    match cases.next() % 64 {
        0 => words.extend([0, 0, cases.next() | 1]),
        1 => words.extend([0, 1]),
        n => words.push(cases.next() >> (n % 3 * 8) | 1),
    }
    for _ in 0..2 {
        words.push(match cases.next() % 8 {
            0 => 0,
            1 => u64::MAX,
            2 => u64::MAX << (cases.next() % 64),
            3 => 1 << (cases.next() % 64),
            _ => cases.next(),
        });
    }
    words
}

fn stream(words: &[u64]) -> Words {
    Words {
        words: words.to_vec(),
        read: 0,
    }
}

#[test]
fn limbs_publish_what_big_numbers_publish() {
    let value = |bound: &str| Bound::Value(bound.parse().unwrap());
    let mechanisms = [
        mechanism(["0", "1000"], "0.7", "1", gamma()),
        mechanism(["-8", "8"], "1", "1", value("16")),
        mechanism(["0", "1"], "1", "0.001", gamma()),
        mechanism(["-1e12", "3e12"], "1", "2", gamma()),
        mechanism(["1e300", "2e300"], "1e290", "1", gamma()),
        mechanism(["1e-300", "2e-300"], "1e-301", "1", gamma()),
        mechanism(["0", "1e-310"], "1e-310", "1", value("1e-307")),
        // No doubles: through rationals.
        mechanism(["0", "1/3"], "1/7", "1", value("10/3")),
        mechanism(["0.1", "0.3"], "0.2", "0.5", gamma()),
    ];
    let mut cases = Cases(7);
    for mechanism in &mechanisms {
        let [short, big] = both(mechanism);
        let (setting, place) = (&mechanism.setting, &mechanism.place);
        let centring = Centring::of(&setting.bounds);
        let (low, high) = (centring.lower, centring.upper);
        for i in 0..4000 {
            let share = cases.next() as f64 / 2f64.powi(64);
            let value = match i % 8 {
                0 => low,
                1 => high,
                2 => centring.centre,
                3 => [0.0, -0.0, f64::MAX, f64::MIN_POSITIVE][i / 8 % 4],
                4 => centring.centre.next_up(),
                _ => low + share * (high - low),
            };
            let words = words(&mut cases);
            let draw = |multi: &Multi| {
                let mut stream = stream(&words);
                let output = multi.draw_f64(setting, place, value, &mut stream).unwrap();
                assert_eq!(stream.read, words.len());
                output.to_bits()
            };
            assert_eq!(draw(&short), draw(&big), "{value:e} with {words:?}");
            let exact = setting.centred(&Rational::try_from(value).unwrap());
            let draw = |multi: &Multi| {
                let drawn = multi.draw(place, &exact, &mut stream(&words));
                drawn.unwrap().to_bits()
            };
            assert_eq!(draw(&short), draw(&big), "{value:e} with {words:?}");
        }
    }
}

/// Every `U*` of 7 bits down to 2^-24, every value of a few, both signs.
#[test]
fn every_draw_of_a_few_bits_is_the_same_in_both_arithmetics() {
    const P: u32 = 7;
    let format = FormatArithmetic(Format::new(P).unwrap());
    let short = ShortArithmetic(ShortFormat::new(P).unwrap());
    let limbs = |x: &Dyadic| Short::of_dyadic(x).unwrap();
    let mut compared = 0u32;
    for (scale, grid_exponent, bound) in [(64, 0, 96), (65, 1, 1200), (127, 1, 2000), (90, 1, 91)] {
        let parameters = FloatParameters {
            scale: Dyadic::new(scale, -6),
            grid_exponent,
            bound: Format::new(P)
                .unwrap()
                .round(&Dyadic::new(bound, -6), Rounding::Up),
        };
        let in_limbs = FloatParameters {
            scale: limbs(&parameters.scale),
            grid_exponent,
            bound: limbs(&parameters.bound),
        };
        for value in (-100..=100).step_by(9) {
            let value = Dyadic::new(value, -4);
            for exponent in 1..=24 {
                for mantissa in 0..1u32 << (P - 1) {
                    let u = UStar::new(Natural::from(mantissa), exponent, P);
                    let u_short = limbs(&u.value());
                    for negative in [false, true] {
                        let big = noisy(&format, &value, negative, &u, &parameters);
                        let small = noisy(&short, &limbs(&value), negative, &u_short, &in_limbs);
                        assert_eq!(small, limbs(&big), "{value:?}, {u:?}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert_eq!(compared, 4 * 23 * 24 * 64 * 2);
}

/// B so large that 118 bits are not enough: big numbers.
#[test]
fn more_bits_than_limbs_hold_go_through_big_numbers() {
    let bound = Bound::Value("1e18".parse().unwrap());
    let mechanism = mechanism(["0", "1000"], "0.001", "1e-7", bound);
    let Engine::Multi(multi) = &mechanism.engine else {
        panic!("multi");
    };
    assert!(mechanism.precision() > Some(ShortFormat::MOST_BITS));
    assert!(multi.short.is_none());
}
