//! Every transcript under `tests/cmd`, and the one in the README, is what the command prints.

#[test]
fn transcripts() {
    trycmd::TestCases::new()
        .case("tests/cmd/*.md")
        .case("../../README.md");
}
