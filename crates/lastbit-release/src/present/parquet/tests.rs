use super::*;

#[test]
fn doubles_cover_what_was_published() {
    let cell = Cell {
        value: Some("0.1".into()),
        error: Some("0.3".into()),
        ..Cell::default()
    };
    let value = double(cell.value.as_deref(), Rounding::NearestEven).unwrap();
    let exact = |text: &str| text.parse::<Rational>().unwrap();
    let of = |double: f64| Rational::try_from(double).unwrap();
    let moved = (&of(value) - &exact("0.1")).abs();
    assert!(!moved.is_zero());
    let stated = of(error(&cell).unwrap());
    assert!(stated >= &exact("0.3") + &moved);
    assert!(of(double(Some("0.3"), Rounding::Down).unwrap()) < exact("0.3"));
    assert!(of(double(Some("0.1"), Rounding::Up).unwrap()) > exact("0.1"));
    assert_eq!(double(Some("2023-12-09"), Rounding::Up), None);
}
