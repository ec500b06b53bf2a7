use lastbit_exact::Rational;

use super::*;

#[test]
fn exact_decimals_are_exact() {
    for n in [1, 2, 10, 1075] {
        let power = Rational::ONE.times_power_of_two(-(n as i64));
        assert_eq!(exact_decimal(n).parse::<Rational>().unwrap(), power);
    }
}
