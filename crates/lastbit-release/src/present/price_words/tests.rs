use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn printed_bounds_are_on_the_safe_side(
        numerator in -10i64.pow(18)..10i64.pow(18),
        denominator in 1i64..10i64.pow(18),
    ) {
        let exact = Rational::new(numerator, denominator);
        let printed = |above| short(&exact, above).parse::<Rational>().unwrap();
        prop_assert!(printed(true) >= exact && printed(false) <= exact);
        let loss = exact.abs();
        prop_assert!(few(&loss).parse::<Rational>().unwrap() >= loss);
        let bound = Up::from_rational(&loss);
        let printed: Rational = up(bound).parse().unwrap();
        prop_assert!(printed >= Rational::try_from(bound.get()).unwrap());
    }
}
