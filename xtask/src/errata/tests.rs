use super::*;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| name.to_string()).collect()
}

#[test]
fn only_functions_marked_as_tests_count() {
    let text = "#[test]\nfn erratum_1_a() {\n}\n\
        fn erratum_2_b() {}\n  #[test]\n  /// why\n  fn erratum_3_c(\n";
    assert_eq!(tests_in(text), ["erratum_1_a", "erratum_3_c"]);
}

#[test]
fn a_page_that_agrees_with_the_tests_passes() {
    let page = "| n | x |\n|---|---|\n| 1 | ties, `erratum_1_ties` |\n| 2 | not yet |\n";
    assert!(compare(page, &set(&["erratum_1_ties"])).is_ok());
}

#[test]
fn a_missing_an_unlisted_a_misplaced_and_an_unguarded_erratum_are_named() {
    let page = "| 1 | `erratum_1_ties` |\n| 2 | `erratum_3_x` |\n| 4 | nothing |\n";
    let error = compare(page, &set(&["erratum_3_x", "erratum_5_y"]))
        .unwrap_err()
        .to_string();
    for part in [
        "no crate has a test `erratum_1_ties`",
        "`erratum_3_x` belongs to another",
        "erratum 4: name its test",
        "`erratum_5_y` is not on the page",
    ] {
        assert!(error.contains(part), "{part} is not in: {error}");
    }
    assert!(compare("no table", &set(&[])).is_err());
}
