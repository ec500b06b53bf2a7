use super::*;

#[test]
fn lines_end_as_they_did() {
    for (before, after, kept_so) in [
        ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
        ("a\nb\n", "a\r\nc\n", "a\nc\n"),
        ("a\r\nb\nc\r\n", "a\nb\nd\nc\n", "a\r\nb\nd\r\nc\r\n"),
        ("a\r\nb", "a\nb\nc", "a\r\nb\r\nc"),
        ("a\r\n", "", ""),
        ("", "a\n", "a\n"),
        ("a\r\na\r\n", "a\n", "a\r\n"),
    ] {
        assert_eq!(kept(before, after), kept_so, "{before:?} {after:?}");
        assert_eq!(kept(before, &plain(before)), before);
    }
}
