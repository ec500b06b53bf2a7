use super::*;

#[test]
fn messages_of_cargo_are_read() {
    let root = run::root().display();
    let members = members::members().unwrap();
    let line = |test: bool, executable: &str| {
        format!(
            "{{\"reason\":\"compiler-artifact\",\"package_id\":\"path+file://x\",\
             \"manifest_path\":\"{root}/crates/lastbit/Cargo.toml\",\
             \"target\":{{\"kind\":[\"bin\"],\"test\":true}},\
             \"profile\":{{\"opt_level\":\"2\",\"test\":{test}}},\"executable\":{executable}}}"
        )
    };
    let found = program(&line(true, "\"/t/integration-12ab\""), &members).unwrap();
    assert_eq!(found.name(), "lastbit (integration)");
    assert!(found.folder.ends_with("crates/lastbit"));
    assert_eq!(program(&line(true, "null"), &members), None);
    assert_eq!(program(&line(false, "\"/t/lastbit\""), &members), None);
    assert_eq!(
        program("{\"reason\":\"build-finished\",\"success\":true}", &members),
        None
    );
}

#[test]
fn tests_near_to_changed_files_are_named_by_their_room() {
    let files = [
        "crates/lastbit-release/src/ledger/account.rs",
        "crates/lastbit-release/src/release.rs",
        "crates/lastbit-release/tests/price/bounds.rs",
        "crates/lastbit-release/src/lib.rs",
        "crates/lastbit-cli/tests/cmd/plan.md",
        "docs/plan.md",
    ];
    let near = near(&files.map(PathBuf::from));
    assert_eq!(listed(&near), "ledger::, price::, release::");
    assert_eq!(
        Part::Named(&near).arguments().unwrap(),
        ["ledger::", "price::", "release::"]
    );
    assert_eq!(
        Part::Others(&near).arguments().unwrap(),
        [
            "--skip",
            "ledger::",
            "--skip",
            "price::",
            "--skip",
            "release::"
        ]
    );
    // Without a word all tests run, once.
    let none = BTreeSet::new();
    assert_eq!(Part::Named(&none).arguments(), None);
    assert_eq!(Part::Others(&none).arguments(), Some(vec![]));
}
