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

#[test]
fn numbers_in_sentences_are_written_as_in_tables() {
    let gap = |text: &str| {
        text.replace('_', "<span class=\"g\">")
            .replace('~', "</span>")
    };
    for (text, written) in [
        (
            "± 668000 EUR at 40000 rows",
            "± 668_000~ EUR at 40_000~ rows",
        ),
        ("[0, 10000]; -12345.6789.", "[0, 10_000~]; −12_345~.6789."),
        ("1234567", "1_234~_567~"),
        ("73.2 % sure", "73.2&nbsp;% sure"),
        (
            "groups from 12345 rows, 9999 of 10000",
            "groups from 12_345~ rows, 9999 of 10_000~",
        ),
    ] {
        assert_eq!(grouped_within(text), gap(written));
    }
    // What only looks like a number: hashes, dates, powers, quoted texts.
    for text in [
        "8c75b6f0bdd4fe37 12345ab",
        "2023-12-08 20231208T10:14",
        "2^-10000 1e-12345",
        "&#39;10000&#39;",
        "\\u{12345}",
        "a12345 1.2.34567",
    ] {
        assert_eq!(grouped_within(text), text);
    }
    // Names stay as they are.
    assert_eq!(marked("`12345`"), "<bdi><code>12345</code></bdi>");
    assert_eq!(unbroken("± 10000 rows"), gap("±&nbsp;10_000~ rows"));
}
