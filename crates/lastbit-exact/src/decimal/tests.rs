use super::*;

#[test]
fn rounding_keeps_its_direction_and_its_digits() {
    let number = |text: &str| text.parse::<Rational>().unwrap();
    assert_eq!(up(&number("1/3"), 3), number("0.334"));
    assert_eq!(down(&number("1/3"), 3), number("0.333"));
    assert_eq!(up(&number("999.95"), 4), number("1000"));
    assert_eq!(up(&number("0.0012345"), 2), number("0.0013"));
    assert_eq!(down(&number("123456"), 2), number("120000"));
    assert_eq!(up(&number("0.5"), 12), number("0.5"));
    assert_eq!(up(&Rational::ZERO, 5), Rational::ZERO);
    for value in ["1", "10", "9.99", "1/1024", "1e-30", "7e40"] {
        let value = number(value);
        let digits = digits_before_point(&value);
        assert!(power_of_ten(digits - 1) <= value && value < power_of_ten(digits));
    }
}
