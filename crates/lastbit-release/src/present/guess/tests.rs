use super::*;

#[test]
fn words_round_up_and_large_losses_are_warned_of() {
    let pure = |text: &str| Loss::pure(text.parse().unwrap()).unwrap();
    assert_eq!(percent(guess(&pure("0"))), "50 %");
    assert_eq!(percent(guess(&pure("1"))), "73.2 %");
    assert_eq!(percent(guess(&pure("10"))), "99.996 %");
    assert_eq!(percent(guess(&pure("1000"))), "100 %");
    assert_eq!(warning(&pure("4")), None);
    for loss in [
        pure("5"),
        pure("1000"),
        Loss::zcdp("10".parse().unwrap()).unwrap(),
        Loss::approximate("1".parse().unwrap(), "0.01".parse().unwrap()).unwrap(),
    ] {
        assert!(
            warning(&loss).unwrap().contains("protects little"),
            "{loss}"
        );
    }
}
