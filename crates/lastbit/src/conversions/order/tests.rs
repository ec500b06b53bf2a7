use lastbit_exact::Rounding;

use super::*;

#[test]
fn entropy_is_the_same_from_both_sides_of_every_seam() {
    // G increases; a wrong formula on one side of a seam would step.
    for exponent in [-200i64, -41, -40, -1, 0, 1, 39, 40, 41, 200] {
        let below = Dyadic::power_of_two(exponent);
        let above = &below + &Dyadic::power_of_two(exponent - 30);
        let (low, high) = (entropy(&below), entropy(&above));
        assert!(low.hi() < high.lo(), "2^{exponent}");
        // G is concave with G(0) = 0, so G(above)/G(below) ≤ above/below.
        let (high, low) = (
            high.times_power_of_two(30),
            &low.times_power_of_two(30) + &low,
        );
        assert!(high.hi() <= low.lo(), "2^{exponent}");
    }
    let two_ln_two = entropy(&Dyadic::ONE);
    let expected = 2.0 * core::f64::consts::LN_2;
    assert_eq!(two_ln_two.lo().to_f64(Rounding::NearestEven), expected);
    assert_eq!(two_ln_two.hi().to_f64(Rounding::NearestEven), expected);
}

#[test]
fn first_where_finds_the_first_double() {
    for x in [5e-324, 1e-300, 0.1, 1.0, 3.7e200] {
        assert_eq!(first_where(|y| y >= x), x);
    }
    assert_eq!(first_where(|_| false), f64::MAX);
}
