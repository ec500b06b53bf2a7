use super::tail::Normal;
use super::*;
use crate::enumerate::Prefix;
use lastbit_exact::{Dyadic, Natural};

#[test]
fn streams_that_follow_an_edge_for_200_bits_are_decided_where_they_leave_it() {
    for (variance, location, cell) in [
        ("1", "0", 0i64),
        ("1", "1/3", 1),
        ("2", "0", 0),
        ("0.01", "0.25", 0),
        ("300", "-2.5", 40),
        ("1", "0", 9),
    ] {
        let [variance, location]: [Rational; 2] =
            [variance, location].map(|text| text.parse().unwrap());
        let noise = Gaussian::with_variance(&variance, 0).unwrap();
        // From `cell` to the next where σZ = distance.
        let distance = &Rational::new(2 * cell + 1, 2) - &location;
        let z = noise.deviation.standardise(&distance, 400);
        let tail = Normal::at(z.lo(), 300).tail;
        // The tail on the upper side, and the same edge mirrored on the lower side.
        let bits = Natural::try_from(tail.lo().floor_in(-200)).unwrap();
        let all = (Natural::ONE << 200) - Natural::ONE;
        for (beyond, next) in [
            (&bits + Natural::ONE, cell),
            (&bits - Natural::ONE, cell + 1),
        ] {
            for rest in [0, u64::MAX] {
                let mut upper = Prefix::new(&all - &beyond, 200, rest);
                assert_eq!(noise.draw(&location, &mut upper), Ok(Integer::from(next)));
                assert!(upper.words_read() > 3);
                let mut lower = Prefix::new(beyond.clone(), 200, rest);
                let mirrored = noise.draw(&-&location, &mut lower);
                assert_eq!(mirrored, Ok(Integer::from(-next)), "{variance} {location}");
            }
        }
    }
}

#[test]
fn a_variance_that_is_a_square_gives_the_rational_deviation() {
    for (variance, sigma) in [("9/4", "3/2"), ("1e-600", "1e-300"), ("0.0625", "0.25")] {
        let variance: Rational = variance.parse().unwrap();
        match Deviation::of_variance(&variance) {
            Deviation::Rational(root) => assert_eq!(root, sigma.parse().unwrap()),
            Deviation::RootOf(_) => panic!("{variance} is a square"),
        }
    }
}

#[test]
fn an_irrational_deviation_is_enclosed_as_narrowly_as_asked() {
    for variance in ["2", "1/3", "1e-601", "7e999"].map(|text| text.parse::<Rational>().unwrap()) {
        let deviation = Deviation::of_variance(&variance);
        for bits in [1, 8, 64, 500] {
            let (lo, hi) = deviation.bounds(bits);
            assert!(&lo * &lo < variance && variance < &hi * &hi, "{variance}");
            assert!(
                &hi - &lo <= lo.times_power_of_two(-i64::from(bits)),
                "{variance}"
            );
            // offset/σ squared is offset²/variance.
            let offset = Rational::new(22, 7);
            let quotient = deviation.standardise(&offset, bits);
            let square = &(&offset * &offset) / &variance;
            let squared = |x: &Dyadic| &Rational::from(x) * &Rational::from(x);
            assert!(squared(quotient.lo()) < square && square < squared(quotient.hi()));
            assert!(quotient.width() <= quotient.lo().times_power_of_two(-i64::from(bits)));
        }
    }
}
