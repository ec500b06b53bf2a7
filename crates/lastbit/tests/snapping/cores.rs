//! Draws on all cores.

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{GridRule, Snapping, SnappingError};

/// λ = 2^-8 on whole numbers: noise of half a step, 128 λ, has a probability of e^-128 a draw.
fn nearly_still() -> Snapping {
    Snapping::builder(Bounds::parse("0", "1000000").unwrap(), "1".parse().unwrap())
        .epsilon("256".parse().unwrap())
        .grid(GridRule::Fixed(0.try_into().unwrap()))
        .build()
        .unwrap()
}

#[test]
fn every_value_has_its_own_output_in_its_place() {
    let mechanism = nearly_still();
    for count in [0, 1, 100, (1 << 14) - 1, 1 << 14, (1 << 14) + 1, 100_000] {
        let values: Vec<f64> = (0..count).map(|i| f64::from(i) + 0.25).collect();
        let mut outputs = vec![-1.0; values.len()];
        mechanism
            .draw_slice_on_all_cores(&values, &mut outputs)
            .unwrap();
        let moved = (0..count)
            .zip(&outputs)
            .filter(|(i, output)| f64::from(*i) != **output);
        assert_eq!(moved.count(), 0);
    }
}

#[test]
fn what_is_refused_is_refused_before_anything_is_drawn() {
    let mechanism = nearly_still();
    let mut values = vec![1.0; 40_000];
    let mut outputs = vec![-1.0; 40_000];
    values[30_001] = f64::NAN;
    let error = mechanism
        .draw_slice_on_all_cores(&values, &mut outputs)
        .unwrap_err();
    assert!(matches!(
        error,
        SnappingError::ValueNotFinite { index: 30_001, .. }
    ));
    assert!(outputs.iter().all(|output| *output == -1.0));
    let error = mechanism
        .draw_slice_on_all_cores(&values[..3], &mut outputs)
        .unwrap_err();
    assert!(matches!(error, SnappingError::LengthMismatch { .. }));
}

#[test]
fn parts_do_not_share_their_noise() {
    let mechanism = Snapping::builder(Bounds::parse("0", "1").unwrap(), "1".parse().unwrap())
        .epsilon("0.001".parse().unwrap())
        .grid(GridRule::Fixed((-20).try_into().unwrap()))
        .build()
        .unwrap();
    let mut outputs = vec![0.0; 1 << 16];
    mechanism
        .draw_slice_on_all_cores(&vec![0.5; 1 << 16], &mut outputs)
        .unwrap();
    // Of 2^29 grid steps within one λ: eight equal draws in a row in two parts have a probability
    // below 2^-200 each.
    let parts: Vec<&[f64]> = outputs.chunks(1 << 14).map(|part| &part[..8]).collect();
    for (i, part) in parts.iter().enumerate() {
        assert!(parts[..i].iter().all(|other| other != part));
    }
}
