use super::*;

#[test]
fn names_between_backticks_are_set_apart_and_stay_harmless() {
    assert_eq!(
        marked("rows of `a<b>` and `c`"),
        "<bdi>rows of <code>a&lt;b&gt;</code> and <code>c</code></bdi>"
    );
    assert_eq!(marked("a ` b"), "<bdi>a ` b</bdi>");
    // Sentences of ours are never cut.
    let long = "a number, ".repeat(100);
    assert_eq!(
        marked(long.trim_end()),
        format!("<bdi>{}</bdi>", long.trim_end())
    );
}

#[test]
fn long_numbers_are_grouped_in_one_way() {
    assert_eq!(spaced("47018000.5"), "47\u{2009}018\u{2009}000.5");
    assert_eq!(spaced("-12345"), "−12\u{2009}345");
    assert_eq!(grouped("9999"), "9999");
    assert_eq!(grouped("10000"), "10<span class=\"g\">000</span>");
    assert_eq!(spaced("2023-12-08"), "2023-12-08");
}
