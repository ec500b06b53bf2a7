use super::*;

#[test]
fn tangent_numbers_are_the_known_ones() {
    let known = [1u64, 2, 16, 272, 7936, 353_792, 22_368_256, 1_903_757_312];
    assert_eq!(tangent_numbers(8), known.map(Natural::from));
}

#[test]
fn a_geometric_series_is_bounded_from_above_and_closely() {
    // c_n = r^n: A(y) = 1/(1 + ry), so that A·(3 + 3ry) = 3 for r = 1 and r = 2/3. Without the
    // counted error it would not always be a bound.
    let mut rounding_matters = false;
    for thirds in [3u64, 2] {
        let series =
            Alternating::new(|n| (Natural::from(thirds).pow(n), Natural::from(3u64).pow(n)));
        for step in 0..2000u64 {
            // All over [0, 1/2], in the last place kept and beyond it.
            let y = Dyadic::new(step.wrapping_mul(0x9e37_79b9_7f4a_7c15), -65);
            let upper = series.upper(&y);
            let reach = &Dyadic::from(3) + &(&y * &Dyadic::from(thirds as i64));
            let unit = Dyadic::power_of_two(-(BITS as i64));
            let three = Dyadic::from(3);
            assert!(&upper * &reach >= three, "{thirds}/3, {y:?}");
            let excess = &upper - &(&Dyadic::from(2 * ERROR as i64) * &unit);
            assert!(&excess * &reach < three, "{thirds}/3, {y:?}");
            let computed = &upper - &(&Dyadic::from(ERROR as i64) * &unit);
            rounding_matters |= &computed * &reach < three;
        }
    }
    assert!(rounding_matters);
}
