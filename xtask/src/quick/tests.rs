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
