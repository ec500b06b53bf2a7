use super::*;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn a_listing_is_read_as_it_was_written() {
    let found = [
        (set(&["b"]), set(&["x", "y"])),
        (set(&["a"]), set(&["x", "y"])),
        (set(&["c"]), set(&["nothing"])),
    ];
    let text = listing(found.into_iter());
    assert_eq!(text, "c\n  nothing\na\nb\n  x\n  y\n");
    let groups = parse(&text);
    assert_eq!(groups.len(), 2);
    assert_eq!(groups[1].theorems, set(&["a", "b"]));
    assert_eq!(groups[1].axioms, set(&["x", "y"]));
}

#[test]
fn a_theorem_that_is_missing_foreign_or_twice_is_refused() {
    let theorems = BTreeMap::from([("a".to_owned(), "A".to_owned())]);
    for (golden, word) in [
        ("", "names `a`, which"),
        ("a\nb\n  x\n", "no page names `b`"),
        ("a\n  x\na\n  y\n", "`a` is listed twice"),
    ] {
        let error = complete(&theorems, &parse(golden)).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    assert!(complete(&theorems, &parse("a\n  x\n")).is_ok());
}

#[test]
fn an_axiom_more_or_less_is_refused() {
    let golden = parse("a\n  x\n  y\n");
    assert!(agree(&golden, &[set(&["x", "y"])]).is_ok());
    let more = agree(&golden, &[set(&["x", "y", "z"])]).unwrap_err();
    assert!(more.to_string().contains("also assumes z"), "{more}");
    let less = agree(&golden, &[set(&["x"])]).unwrap_err();
    assert!(less.to_string().contains("assumes y"), "{less}");
    assert!(no_more(&golden[0], &set(&["x"]), "b").is_ok());
    assert!(no_more(&golden[0], &set(&["x", "z"]), "b").is_err());
    assert!(no_more(&golden[0], &set(&[]), "b").is_err());
}
