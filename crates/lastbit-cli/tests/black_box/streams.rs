//! Standard output and standard error that cannot be written: the exit status is 0, 1 or 2, and
//! nothing else.

use crate::support::Here;

/// Lines that end well, that are refused, and that are bad usage.
const LINES: [&str; 14] = [
    "lastbit --help",
    "lastbit --version",
    "lastbit release --help",
    "lastbit no-such-command",
    "lastbit release",
    "lastbit release plan.toml",
    "lastbit release plan.toml --json",
    "lastbit release plan.toml --csv -",
    "lastbit release missing.toml",
    "lastbit plan plan.toml",
    "lastbit plan plan.toml --json",
    "lastbit ledger show lastbit.ledger",
    "lastbit ledger history missing.ledger --json",
    "lastbit convert --from pure:1 --to zcdp",
];

#[test]
fn streams_that_cannot_be_written_are_no_panic() {
    let here = Here::new();
    here.run(&["release", "plan.toml"]).succeeded();
    for line in LINES {
        for streams in [
            "2>/dev/full",
            ">/dev/full",
            ">/dev/full 2>/dev/full",
            "2>&-",
            ">&-",
            ">&- 2>&-",
            "<&- >&- 2>&-",
        ] {
            let done = here.shell(&format!("{line} {streams}"));
            let status = done.status.expect("no signal");
            assert!(
                (0..=2).contains(&status),
                "{line} {streams}: {status} {}",
                done.err
            );
            assert!(
                !done.err.contains("panicked"),
                "{line} {streams}: {}",
                done.err
            );
        }
    }
}

#[test]
fn readers_that_go_away_are_no_panic() {
    let here = Here::new();
    here.run(&["release", "plan.toml"]).succeeded();
    for line in LINES {
        for (run, reader) in [
            (line.to_owned(), "true"),
            (format!("{line} 2>&1 >/dev/null"), "true"),
        ] {
            let done = here.shell(&format!("(sleep 0.05; {run}; echo $? >status) | {reader}"));
            let status = here.read("status");
            assert!(
                ["0\n", "1\n", "2\n"].contains(&status.as_str()),
                "{run}: {status} {}",
                done.err
            );
        }
    }
}

#[test]
fn a_full_disk_under_standard_output_is_an_error() {
    let here = Here::new();
    for line in [
        "lastbit release plan.toml",
        "lastbit plan plan.toml",
        "lastbit --help",
    ] {
        let done = here.shell(&format!("{line} >/dev/full"));
        assert_eq!(done.status, Some(1), "{line}: {}", done.err);
        assert!(done.err.contains("error: "), "{line}: {}", done.err);
        let kept = done.err.contains("the numbers are in row 2 of the ledger");
        assert_eq!(kept, line.contains("release"), "{line}: {}", done.err);
    }
    // The numbers are kept.
    let again = here.run(&["release", "plan.toml"]).succeeded();
    assert!(again.err.contains("at no cost"), "{}", again.err);
}
