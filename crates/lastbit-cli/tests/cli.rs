//! Every transcript under `tests/cmd` is what the command prints.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}
