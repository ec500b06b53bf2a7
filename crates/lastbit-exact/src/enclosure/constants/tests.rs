use super::*;
use crate::Rational;

#[test]
fn the_formula_for_ln_2_is_an_identity() {
    let power = |a: i64, b: i64, n: usize| {
        (0..n).fold(Rational::ONE, |product, _| &product * &Rational::new(a, b))
    };
    let product = power(27, 25, 9) * power(4800, 4802, 1) * power(8750, 8748, 4);
    assert_eq!(product, Rational::from(2i64));
    // atanh(1/n) is half the logarithm of (n+1)/(n−1).
    assert_eq!(Rational::new(27, 25), Rational::new(26 + 1, 26 - 1));
}

#[test]
fn constants_agree_at_all_precisions() {
    // Computed from low to high, so that slots are refilled and cut in turn.
    let wide = atanh(1, 3, 5000);
    for bits in [20, 64, 65, 130, 700, 64, 20, 4500, 130] {
        let a = ln_2(bits);
        let b: Integer = (&wide.value * 2) >> (5000 - bits as usize);
        let difference: Integer = &a.value - &b;
        assert!(difference.into_parts().1 <= Natural::from(a.error + 2));
        assert_eq!(a.error, 3);
    }
}
