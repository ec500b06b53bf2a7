//! Every transcript under `tests/cmd`, and the one in the README, is what the command prints.

use crate::support::command;

#[test]
fn transcripts() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .case("tests/cmd/*.md")
        .case("../../README.md");
    #[cfg(feature = "engine")]
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .case("tests/cmd/engine/*.md");
}

/// Every command with a page of help.
const COMMANDS: [&str; 27] = [
    "",
    "draft",
    "plan",
    "rehearse",
    "inspect",
    "release",
    "ledger",
    "ledger show",
    "ledger history",
    "ledger check",
    "ledger budget",
    "convert",
    "audit",
    "attack",
    "attack least-bits",
    "attack precision",
    "attack timing",
    "verify",
    "verify snapping",
    "verify check",
    "verify program",
    "verify exact",
    "mechanism snapping draw",
    "mechanism snapping law",
    "mechanism exponential draw",
    "mechanism flat-concave draw",
    "mechanism flat-concave price",
];

#[test]
fn help_fills_the_lines_of_narrow_and_wide_terminals() {
    let of_engine = cfg!(feature = "engine").then_some("sql");
    for width in [80, 110] {
        for name in COMMANDS.into_iter().chain(of_engine) {
            let words: Vec<&str> = name.split_whitespace().chain(["--help"]).collect();
            let done = command(&words)
                .env("COLUMNS", width.to_string())
                .output()
                .unwrap();
            assert!(done.status.success(), "{name}");
            let help = String::from_utf8(done.stdout).unwrap();
            let lines: Vec<&str> = help.lines().collect();
            for pair in lines.windows(2) {
                let [line, next] = pair else { unreachable!() };
                let length = line.chars().count();
                let is_usage = line.starts_with("Usage: ");
                assert!(is_usage || length <= width, "{name}: {line}");
                // Prose is broken only where the next word does not fit.
                let is_prose = |line: &str| line.starts_with(|c: char| c.is_alphanumeric());
                if is_prose(line) && is_prose(next) {
                    let word = next.split(' ').next().unwrap_or_default();
                    assert!(
                        length + 1 + word.chars().count() > width,
                        "{name}, {width} columns: {line}\n{next}"
                    );
                }
            }
        }
    }
}
