//! Audited commands that hang, and audits that are killed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::Here;

#[cfg(target_os = "linux")]
#[test]
fn an_audited_command_that_hangs_is_ended_with_its_children() {
    let directory = Here::empty();
    let script = "sleep 2003 & echo $! > child; sleep 2004";
    let audit = ["audit", "--epsilon", "1", "--draws", "10", "--timeout", "5"];
    let run = directory.run_soon(&[audit.as_slice(), &["--", "sh", "-c", script]].concat());
    run.failed("no line of output in 5 s");
    let child = fs::read_to_string(directory.path("child")).unwrap();
    // It was told to end, and does so when the system comes to it.
    let is_gone = || {
        let state = fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        state.map_or(true, |text| text.contains(") Z ") || text.contains(") X "))
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !is_gone() && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(is_gone());
    directory
        .run_soon(&[
            "audit",
            "--epsilon",
            "1",
            "--draws",
            "10",
            "--",
            "cat",
            "/dev/zero",
        ])
        .failed("line 1 of the output of `cat` has more than 65536 bytes");
    let slowly = "while read x; do echo $x; sleep 0.1; done";
    directory
        .run_soon(&[
            "audit",
            "--epsilon",
            "1",
            "--total-timeout",
            "0.5",
            "--",
            "sh",
            "-c",
            slowly,
        ])
        .failed("--total-timeout");
}

/// Whoever ends the audit, also with no chance to clean up, ends what it started.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_audit_leaves_nothing_behind() {
    let directory = Here::empty();
    let script = "echo $$ > child; sleep 2005";
    let mut audit = directory
        .command(&["audit", "--epsilon", "1", "--", "sh", "-c", script])
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let patiently = |done: &dyn Fn() -> bool| {
        while !done() {
            assert!(Instant::now() < until, "still running");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let child = || fs::read_to_string(directory.path("child")).unwrap_or_default();
    patiently(&|| child().ends_with('\n'));
    audit.kill().unwrap();
    audit.wait().unwrap();
    patiently(&|| !Path::new("/proc").join(child().trim()).exists());
}
