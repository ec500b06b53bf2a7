//! Stored reports.

use lastbit_release::present::{from_json, to_json};

/// A report that is read is written as a text that is read as the same report.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(report) = from_json(text) {
        let again = from_json(&to_json(&report)).expect("what is written is read");
        assert_eq!(again, report);
    }
}

/// Reports of version 0.1.0.
pub fn corpus() -> Vec<Vec<u8>> {
    super::texts![
        "crates/lastbit-cli/tests/data/version-0.1.0/losses.json",
        "crates/lastbit-cli/tests/data/version-0.1.0/shares.json",
    ]
}
