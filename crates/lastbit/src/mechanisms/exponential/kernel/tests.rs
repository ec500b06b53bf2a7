use super::*;
use lastbit_exact::{Dyadic, Rounding, exp_enclosure};

/// `|value/e^-y − 1|`, rounded up.
fn relative_error(value: f64, y: f64) -> f64 {
    let exact = exp_enclosure(&-&Dyadic::try_from(y).unwrap(), 90);
    let value = Dyadic::try_from(value).unwrap();
    [exact.lo(), exact.hi()]
        .map(|e| (&value - e).abs().to_f64(Rounding::Up) / exact.lo().to_f64(Rounding::Down))
        .into_iter()
        .fold(0.0, f64::max)
}

#[test]
fn the_exponential_keeps_its_contract() {
    let bound = 2f64.powi(-46);
    let mut y = 0.0;
    while y <= CUTOFF {
        assert!(relative_error(exp_negative(y), y) <= bound, "{y}");
        y += 0.003_712_345;
    }
    for n in 0..=230 {
        // Both sides of the places where n changes.
        let middle = (f64::from(n) + 0.5) * core::f64::consts::LN_2;
        for y in [middle.next_down(), middle, middle.next_up()] {
            assert!(relative_error(exp_negative(y), y) <= bound, "{y}");
        }
    }
    assert_eq!(exp_negative(0.0), 1.0);
    assert!(relative_error(exp_negative(CUTOFF), CUTOFF) <= bound);
    assert!(relative_error(exp_negative(1e-300), 1e-300) <= bound);
}

#[test]
fn ln_2_is_split_as_stated() {
    const HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEFA_3800);
    const LOW: f64 = f64::from_bits(0x3D2E_F357_93C7_6730);
    assert_eq!(HIGH + LOW, core::f64::consts::LN_2);
    let exact = lastbit_exact::ln_enclosure(&Dyadic::from(2), 120);
    let sum = &Dyadic::try_from(HIGH).unwrap() + &Dyadic::try_from(LOW).unwrap();
    assert!((exact.hi() - &sum).abs() < Dyadic::power_of_two(-96));
    assert!((exact.lo() - &sum).abs() < Dyadic::power_of_two(-96));
    assert!(Dyadic::try_from(HIGH).unwrap().exponent() >= -42);
}
