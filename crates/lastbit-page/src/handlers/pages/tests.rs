use super::*;

#[test]
fn a_template_is_filled_in_one_pass() {
    let values = [("a", "{{b}}"), ("b", "\"{{a}}\"")];
    assert_eq!(
        filled("<{{a}} {{b}} {{c}}>", &values),
        "<{{b}} \"{{a}}\" {{c}}>"
    );
    assert_eq!(
        escape_exactly("</textarea>&\""),
        "&lt;/textarea>&amp;&quot;"
    );
}

#[test]
fn base64_has_the_vectors_of_rfc_4648() {
    for (plain, coded) in [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foobar", "Zm9vYmFy"),
    ] {
        assert_eq!(base64(plain.as_bytes()), coded);
    }
}
