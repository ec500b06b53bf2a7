use super::*;

#[test]
fn integers_become_the_nearest_double() {
    for shift in 0..64 {
        for delta in -3i64..=3 {
            let k = (1u64 << shift).wrapping_add_signed(delta);
            assert_eq!(to_double(k), k as f64, "{k}");
        }
    }
}

#[test]
fn the_largest_score_ignores_empty_runs() {
    let run = |length, score| Run { length, score };
    assert_eq!(largest(&[run(0, 9i64), run(2, -4), run(1, -3)]), Ok(-3));
    assert_eq!(largest(&[run(0, 9i64)]), Err(SelectionError::Empty));
    assert_eq!(largest::<f64>(&[]), Err(SelectionError::Empty));
}
