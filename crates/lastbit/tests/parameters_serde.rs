//! Parameters are written as exact texts, and checked when they are read.

use lastbit::{Bounds, Delta, Epsilon, Rational};

#[test]
fn a_parameter_is_the_text_of_its_exact_value() {
    let epsilon: Epsilon = "0.1".parse().unwrap();
    assert_eq!(serde_json::to_string(&epsilon).unwrap(), "\"0.1\"");
    let third = Epsilon::try_from(Rational::new(1, 3)).unwrap();
    let text = serde_json::to_string(&third).unwrap();
    assert_eq!(text, "\"1/3\"");
    assert_eq!(serde_json::from_str::<Epsilon>(&text).unwrap(), third);
}

#[test]
fn a_bad_value_is_refused_when_it_is_read() {
    let error = serde_json::from_str::<Epsilon>("\"-1\"").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("epsilon must be positive, got -1")
    );
    assert!(serde_json::from_str::<Delta>("\"1\"").is_err());
    assert!(serde_json::from_str::<Epsilon>("\"1e99999\"").is_err());
    // A number of JSON has been rounded by most writers.
    assert!(serde_json::from_str::<Epsilon>("0.1").is_err());
}

#[test]
fn bounds_keep_their_order() {
    let bounds = Bounds::parse("0", "99.9").unwrap();
    let text = serde_json::to_string(&bounds).unwrap();
    assert_eq!(text, r#"{"lower":"0","upper":"99.9"}"#);
    assert_eq!(serde_json::from_str::<Bounds>(&text).unwrap(), bounds);
    let reversed = serde_json::from_str::<Bounds>(r#"{"lower":"5","upper":"2"}"#);
    assert!(reversed.unwrap_err().to_string().contains("swap them?"));
}
