use super::*;

/// A fixed stream of numbers below some others.
fn stream() -> impl FnMut(u64) -> i64 {
    let mut state = 1u64;
    move |below| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state >> 33) % below) as i64
    }
}

#[test]
fn the_quick_epsilon_is_that_of_the_coarse_composition_to_the_last_bit() {
    let mut next = stream();
    let mut compared = 0;
    for _ in 0..25 {
        let mut releases = Vec::new();
        for _ in 0..1 + next(4) {
            let size = Rational::new(1 + next(40), 10i64.pow(1 + next(3) as u32));
            let pair = match next(4) {
                0 => Pair::laplace(&size),
                1 => Pair::pure(&size),
                2 => Pair::gaussian(&size),
                _ => Pair::bounded_range(&size),
            };
            let pair = match next(5) {
                0 => pair.unwrap().poisson_sampled(&Rational::new(1, 4)),
                _ => pair,
            };
            releases.push((pair.unwrap(), 1 + next(9) as u64));
        }
        // From δ at which all mass counts, to those near which only a few points lie.
        let delta = Rational::new(1 + next(9), 10i64.pow(1 + next(14) as u32));
        let delta = Down::from_rational(&delta);
        let whole = Composition::coarse(&releases, delta).unwrap();
        let quick = Composition::coarse_epsilon(&releases, delta).unwrap();
        assert_eq!(quick, whole.epsilon_above(delta).unwrap(), "{releases:?}");
        compared += usize::from(quick > Up::ZERO);
    }
    assert!(compared > 15);
}

#[test]
fn a_part_that_is_too_short_is_not_taken() {
    // All of the loss is in atoms at its ends: far below that of a normal one at δ.
    let releases = [
        (Pair::pure(&Rational::ONE).unwrap(), 1),
        (Pair::pure(&Rational::new(1, 2)).unwrap(), 1),
    ];
    let delta = Down::exact(1e-12);
    let (orders, _) = tuned(&releases, delta, COARSE).unwrap();
    assert!(below_epsilon(&orders[0], 1e-12) > 1.5);
    let quick = Composition::coarse_epsilon(&releases, delta).unwrap();
    assert!((1.499..=1.501).contains(&quick.get()), "{quick}");
}
