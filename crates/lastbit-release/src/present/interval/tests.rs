use super::super::Picture;
use super::super::noisy::bound;
use super::*;

#[test]
fn intervals_are_in_the_unit_of_the_number_and_within_its_bounds() {
    let statistic = PublishedStatistic {
        titles: Default::default(),
        name: String::new(),
        kind: "mean".into(),
        of: vec![],
        weights: None,
        unit: "years".into(),
        by: vec![],
        about: vec![],
        mechanism: String::new(),
        loss: String::new(),
        grid: String::new(),
        adds_up_with: vec![],
        picture: Picture::Table,
        bins: None,
        least: Some("0".into()),
        most: Some("7/3".into()),
        cells: vec![],
    };
    let of = |value: &str, error: &str| {
        let cell = Cell {
            value: Some(value.into()),
            error: Some(error.into()),
            ..Cell::default()
        };
        interval(&statistic, &cell)
    };
    let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
    assert_eq!(of("1.25", "0.5"), pair("0.75", "1.75"));
    assert_eq!(of("0.25", "0.5"), pair("0", "0.75"));
    assert_eq!(of("2", "0.50"), pair("1.50", "7/3"));
    assert_eq!(of("2016-05-01", "3"), None);
    // A bound that the plan has already is not told as one of the number.
    let noisy = |value: &str, error: &str| Cell {
        value: Some(value.into()),
        error: Some(error.into()),
        too_noisy: true,
        ..Cell::default()
    };
    let told = bound(&statistic, &noisy("0.5", "0.75"));
    assert_eq!(told.unwrap(), "0.5 ± 0.75 is at most 1.25");
    assert_eq!(bound(&statistic, &noisy("1.5", "1.6")), None);
    let quantile = Cell {
        value: Some("4".into()),
        error: Some("513".into()),
        error_unit: RANKS.into(),
        ..Cell::default()
    };
    assert_eq!(interval(&statistic, &quantile), None);
    let known = Cell {
        lower: Some("3".into()),
        upper: Some("6".into()),
        ..quantile
    };
    assert_eq!(interval(&statistic, &known), pair("3", "6"));
}
