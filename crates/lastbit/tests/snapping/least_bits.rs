//! The least-significant-bits check: nothing about an output occurs for one of two neighbours and
//! not, within e^ε, for the other.

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{Arithmetic, Bound, GridRule, Snapping};
use lastbit_noise::entropy::System;
use lastbit_testing::unsafe_naive_laplace;

use crate::least_bits::{EPSILON, Feature, violation};

fn snapping(arithmetic: Arithmetic, grid: GridRule) -> Snapping {
    Snapping::builder(Bounds::parse("-8", "8").unwrap(), "1".parse().unwrap())
        .epsilon("1".parse().unwrap())
        .bound(Bound::Value(16i64.into()))
        .arithmetic(arithmetic)
        .grid(grid)
        .build()
        .unwrap()
}

#[test]
fn the_naive_mechanism_is_caught_at_once() {
    let mut entropy = System::default();
    let caught =
        violation(|value| unsafe_naive_laplace(value, EPSILON.recip(), &mut entropy).unwrap());
    assert!(caught.is_some(), "the check is blind");
}

#[test]
fn a_sign_of_zero_would_be_caught() {
    // Exact snapping whose zeros keep the sign of the sum before rounding: one neighbour gives −0.0
    // far more often.
    let mechanism = snapping(Arithmetic::Exact, GridRule::Snapped);
    let mut entropy = System::default();
    let caught = violation(|value| {
        let output = mechanism.draw(value, &mut entropy).unwrap();
        if output == 0.0 && value == 1.0 {
            -0.0
        } else {
            output
        }
    });
    assert!(matches!(
        caught,
        Some(Feature::NegativeZero | Feature::Value(_))
    ));
}

#[test]
fn exact_snapping_shows_nothing() {
    for grid in [
        GridRule::Snapped,
        GridRule::fixed(-4).unwrap(),
        GridRule::fixed(-30).unwrap(),
    ] {
        let mechanism = snapping(Arithmetic::Exact, grid);
        let mut entropy = System::default();
        let found = violation(|value| mechanism.draw(value, &mut entropy).unwrap());
        assert_eq!(found, None, "{grid:?}");
    }
}

#[test]
fn binary64_snapping_shows_nothing() {
    let mechanism = snapping(Arithmetic::Binary64, GridRule::Snapped);
    let mut entropy = System::default();
    assert_eq!(
        violation(|value| mechanism.draw(value, &mut entropy).unwrap()),
        None
    );
}

#[test]
fn multi_snapping_shows_nothing() {
    let mechanism = snapping(Arithmetic::Multi, GridRule::Snapped);
    let mut entropy = System::default();
    assert_eq!(
        violation(|value| mechanism.draw(value, &mut entropy).unwrap()),
        None
    );
}

#[test]
fn zero_is_never_negative() {
    for arithmetic in [Arithmetic::Exact, Arithmetic::Binary64, Arithmetic::Multi] {
        let mechanism = snapping(arithmetic, GridRule::Snapped);
        let mut entropy = System::default();
        let mut zeros = 0;
        for i in 0..20_000 {
            let value = [-0.0, 0.0, -0.3, 0.3, -1.0][i % 5];
            let output = mechanism.draw(value, &mut entropy).unwrap();
            zeros += usize::from(output == 0.0);
            assert_ne!(output.to_bits(), 1 << 63, "{arithmetic:?}");
        }
        assert!(zeros > 1000);
    }
}
