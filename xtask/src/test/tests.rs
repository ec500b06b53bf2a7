use super::*;

#[test]
fn tally_counts_passes_ignored_and_names_failures() {
    let mut tally = Tally::default();
    for line in [
        "running 3 tests",
        "test a::b ... ok",
        "test c ... FAILED",
        "test d - doc (line 3) ... ignored",
        "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished \
         in 0.00s",
        "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in \
         0.00s",
    ] {
        tally.read(line);
    }
    assert_eq!(
        (tally.passed, tally.ignored, tally.failures),
        (13, 1, vec!["c".to_owned()])
    );
}

#[test]
fn times_read_well() {
    assert_eq!(human(Duration::from_millis(1250)), "1.2 s");
    assert_eq!(human(Duration::from_millis(119_700)), "2 min 0 s");
}
