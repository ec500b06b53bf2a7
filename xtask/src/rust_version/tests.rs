use super::*;

#[test]
fn one_version_is_stated() {
    assert_eq!(stated("x\nrust-version = \"1.95\"\n").unwrap(), "1.95");
    assert!(stated("rust-version = \"1.95\"\nrust-version = \"1.94\"\n").is_err());
    assert!(stated("").is_err());
    assert_eq!(short("1.95.0-nightly"), "1.95");
}
