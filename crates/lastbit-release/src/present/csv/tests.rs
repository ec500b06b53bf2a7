use super::*;

#[test]
fn formulas_are_texts_and_numbers_stay_numbers() {
    for formula in [
        "=1+1",
        "+A1*A2",
        "-2+3",
        "@SUM(A1)",
        " =1",
        "＝1+1",
        "＋1+1",
        "－2+3",
        "＠a",
        "\u{200b}=1",
        "\"=1",
        "-",
        "+",
        "-A1",
        "-1e5x",
        "\tplain",
        "--1",
    ] {
        assert_eq!(plain(formula), format!("'{formula}"), "{formula:?}");
    }
    for harmless in [
        "",
        "ward 7",
        "-5",
        "+1.5e-3",
        "-0.25",
        "2^-3",
        "[-20, -10)",
        "ε = 1",
        "a=b",
        "a - b",
        "'x",
        "a;-5",
    ] {
        assert_eq!(plain(harmless), harmless, "{harmless:?}");
    }
    for (text, safe) in [
        ("a;=1+1", "a;'=1+1"),
        ("a; @b;c", "a;' @b;c"),
        ("a\n+A1", "a\n'+A1"),
        ("a\t＝1", "a\t'＝1"),
        ("=1;=2", "'=1;'=2"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
    ] {
        assert_eq!(plain(text), safe);
    }
}

#[test]
fn fields_that_some_reader_would_split_are_quoted() {
    for field in ["a,b", "a;b", "a\"b", "a\nb", "a\tb", " a", "a\u{feff}"] {
        assert_eq!(quoted(field), format!("\"{}\"", field.replace('"', "\"\"")));
    }
    assert_eq!(quoted("-12.5"), "-12.5");
}
