//! The precision attack: naive sums move too far, grid sums do not. At confidence 1 − 1e-11 for
//! each of two bounds on fewer than 30 targets, less than 1e-9 in all.

use lastbit::Confidence;
use lastbit_exact::Rational;
use lastbit_verify::attack::sums::rows;
use lastbit_verify::attack::{catalogue, find, precision};

fn confidence() -> Confidence {
    "0.99999999999".parse().unwrap()
}

#[test]
fn a_sum_of_32_bit_floats_moves_four_times_as_far_as_it_is_claimed_to() {
    let mut target = find("naive-sum-f32").unwrap().build().unwrap();
    let found = precision(&mut target, 5_000, &confidence()).unwrap();
    let [moved, claimed] = found.sums.clone().unwrap();
    println!("{moved} of {claimed}, {:?}", found.success);
    assert!(moved > &claimed + &Rational::from(6i64));
    // The noise is exact and for Δ = 2: the guess is right far more often than e/(1 + e).
    assert!(found.success.low.get() > 0.9 && found.limit < 0.7311);
    assert!(found.succeeded());
}

#[test]
fn a_sum_of_64_bit_floats_moves_further_than_it_is_claimed_to() {
    let mut target = find("naive-sum-f64").unwrap().build().unwrap();
    let found = precision(&mut target, 500, &confidence()).unwrap();
    let [moved, claimed] = found.sums.clone().unwrap();
    assert!(moved > claimed && found.succeeded());
}

#[test]
fn the_rows_are_within_their_bounds_and_only_the_first_differs() {
    let [a, b] = [-1.0, 1.0].map(|first| rows(24, first, 100));
    assert!(
        a.iter()
            .chain(&b)
            .all(|x| x.abs() <= 1.0 && f64::from(*x as f32) == *x)
    );
    assert_eq!(a[1..], b[1..]);
}

#[test]
fn the_precision_of_naive_laplace_tells_its_magnitude() {
    let mut target = find("naive-laplace").unwrap().build().unwrap();
    let found = precision(&mut target, 20_000, &confidence()).unwrap();
    assert!(found.loss.refutes_claim() && found.succeeded(), "{found:?}");
}

#[test]
fn nothing_that_is_shipped_is_guessed_more_often_than_it_may() {
    for entry in catalogue().into_iter().filter(|entry| entry.is_shipped) {
        let mut target = entry.build().unwrap();
        let draws = if entry.name.ends_with("concave") {
            2_000
        } else {
            20_000
        };
        let found = precision(&mut target, draws, &confidence()).unwrap();
        assert!(!found.succeeded(), "{}: {found:?}", entry.name);
        if let Some([moved, claimed]) = &found.sums {
            assert_eq!(moved, claimed, "the sum moves as far as the row does");
        }
    }
}
