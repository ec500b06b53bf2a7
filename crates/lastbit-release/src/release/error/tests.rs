use super::*;

#[test]
fn an_error_after_the_reservation_says_its_cause_once() {
    let error = ReleaseError::Spent {
        loss: Loss::pure("0.5".parse().unwrap()).unwrap(),
        row: 2,
        cause: Box::new(ReleaseError::Engine("the disk is gone".into())),
    };
    // The text of the whole chain of causes.
    let mut text = error.to_string();
    let mut next = std::error::Error::source(&error);
    while let Some(source) = next {
        text += &format!(": {source}");
        next = source.source();
    }
    assert_eq!(text.matches("the disk is gone").count(), 1, "{text}");
    assert!(text.contains("stays spent"));
}
