//! Files that are no certificate or program: none, endless, huge.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::UNCLAMPED;
use crate::support::Here;

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let directory = Here::empty();
    let made = Command::new("mkfifo")
        .arg(directory.path("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    for file in ["pipe", "/dev/zero", "."] {
        for command in [
            vec!["verify", "check", file],
            vec!["verify", "snapping", "--program", file],
            vec!["verify", "program", file],
        ] {
            directory.run_soon(&command).failed("is not a regular file");
        }
    }
}

#[test]
fn a_minus_reads_standard_input() {
    let directory = Here::empty();
    directory.write("gap.lb", UNCLAMPED);
    let prove = [
        "verify",
        "snapping",
        "--program",
        "-",
        "--certificate",
        "c.json",
    ];
    let run = directory.run_with(&prove, UNCLAMPED);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let certificate = fs::read_to_string(directory.path("c.json")).unwrap();
    let run = directory.run_with(
        &["verify", "check", "-", "--program", "gap.lb"],
        &certificate,
    );
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert_eq!(
        directory
            .run_with(&["verify", "program", "-"], UNCLAMPED)
            .status,
        Some(0)
    );
    directory
        .run_soon(&["verify", "check", "-", "--program", "-"])
        .failed("cannot both be read from standard input");
    directory
        .run_soon(&[
            "verify",
            "snapping",
            "--epsilon",
            "1",
            "--bound",
            "9",
            "--certificate",
            "-",
        ])
        .failed("name a file");
    assert!(!Path::new(&directory.path("-")).exists());
}

#[test]
fn huge_files_are_refused() {
    let directory = Here::empty();
    // No disk is needed for it.
    let file = fs::File::create(directory.path("huge")).unwrap();
    file.set_len(1 << 40).unwrap();
    for command in [
        ["verify", "check", "huge"].as_slice(),
        &["verify", "snapping", "--program", "huge"],
        &["verify", "program", "huge"],
    ] {
        directory.run_soon(command).failed("bytes");
    }
}

#[test]
fn the_largest_certificate_is_not_too_large() {
    let directory = Here::empty();
    let bound = format!("1{}", "0".repeat(298)); // 2^990 < 10^298 < 2^993
    let prove = [
        "verify",
        "snapping",
        "--epsilon",
        "1",
        "--bound",
        &bound,
        "--precision",
        "1000",
    ];
    let run = directory.run_soon(&[prove.as_slice(), &["--certificate", "c.json"]].concat());
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert_eq!(
        directory.run_soon(&["verify", "check", "c.json"]).status,
        Some(0)
    );
}
