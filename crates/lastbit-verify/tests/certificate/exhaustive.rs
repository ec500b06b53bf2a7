//! Certificates against exact laws: every `U*` of small formats through the shipped skeleton.

use std::collections::BTreeMap;

use lastbit::mechanisms::snapping::FloatParameters;
use lastbit_exact::{Dyadic, Interval, Rational, Rounding};
use lastbit_testing::Enumerated;
use lastbit_verify::certificate::{Claim, check, prove};

/// The exact loss between two laws, rounded down; infinite if only one reaches an output.
fn loss(one: &BTreeMap<Dyadic, u128>, other: &BTreeMap<Dyadic, u128>) -> f64 {
    one.keys()
        .chain(other.keys())
        .map(|x| match (one.get(x), other.get(x)) {
            (Some(&a), Some(&b)) => Interval::from_rational(&Rational::new(a.max(b), a.min(b)))
                .ln()
                .lo(),
            _ => f64::INFINITY,
        })
        .fold(0.0, f64::max)
}

/// For each scale and bound: the laws of many values, and for all pairs the certificate at their
/// distance. Gives the largest share of the certified excess that is used.
fn compare(precision: u32, scales: &[(i64, i64)], hundredths: &[i64], values: i64) -> f64 {
    let reach = hundredths.iter().max().unwrap();
    let exponents = (*reach as f64 / 50.0 + 4.0) / core::f64::consts::LN_2;
    let table = Enumerated::new(precision, precision, exponents.ceil() as u64);
    let round = |x: &Rational| x.round(precision as usize, Rounding::NearestEven);
    let mut worst: f64 = 0.0;
    for &(numerator, denominator) in scales {
        let scale = round(&Rational::new(numerator, denominator));
        for &hundredths in hundredths {
            let bound = round(&(&Rational::from(&scale) * &Rational::new(hundredths, 100)));
            let grid_exponent = Rational::from(&scale).ceil_log2().unwrap();
            let parameters = FloatParameters {
                scale: scale.clone(),
                grid_exponent,
                bound: bound.clone(),
            };
            // Ends, a tie of the grid, and uneven steps between.
            let mut inputs = vec![
                bound.clone(),
                -&bound,
                Dyadic::power_of_two(grid_exponent - 1),
            ];
            for i in 1..values {
                let fraction = Rational::new(2 * i * i + 3 * i, 2 * values * values + 3 * values);
                let x =
                    &Rational::from(&bound) * &(&fraction.times_power_of_two(1) - &Rational::ONE);
                inputs.push(round(&x));
            }
            let laws: Vec<_> = inputs.iter().map(|x| table.law(x, &parameters)).collect();
            for i in 0..inputs.len() {
                for j in 0..i {
                    let distance = Rational::from(&(&inputs[i] - &inputs[j]).abs());
                    if distance.is_zero() {
                        continue;
                    }
                    let ideal = &distance / &Rational::from(&scale);
                    let mut claim =
                        Claim::shipped(&ideal, &distance, &Rational::from(&bound), precision);
                    claim.sensitivity = distance;
                    let certificate = prove(&claim).unwrap();
                    let certified = check(&certificate).unwrap().certified.to_f64(Rounding::Up);
                    let loss = loss(&laws[i], &laws[j]);
                    assert!(
                        loss <= certified,
                        "p={precision} {parameters:?} {:?} {:?}: {loss} above {certified}",
                        inputs[i],
                        inputs[j]
                    );
                    let ideal = ideal.to_f64(Rounding::Down);
                    worst = worst.max((loss - ideal) / (certified - ideal));
                }
            }
        }
    }
    println!(
        "p = {precision}: at most {:.0} % of the certified excess",
        100.0 * worst
    );
    worst
}

#[test]
fn no_exact_loss_at_8_bits_is_above_the_certificate() {
    let scales = [(1, 1), (5, 4), (127, 128), (31, 16)];
    let worst = compare(8, &scales, &[105, 150, 199], 8);
    assert!(worst > 0.1, "the enumeration is not idle");
}

#[test]
fn no_exact_loss_at_9_and_10_bits_is_above_the_certificate() {
    compare(9, &[(1, 1), (255, 256)], &[110, 390], 6);
    compare(10, &[(5, 3), (1023, 1024)], &[201, 790], 4);
}

#[test]
fn no_exact_loss_at_11_and_12_bits_is_above_the_certificate() {
    compare(11, &[(7, 5)], &[1590], 3);
    compare(12, &[(4095, 4096)], &[3190], 2);
}
