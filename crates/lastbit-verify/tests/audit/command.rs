//! Mechanisms behind commands: lines in, lines out, and everything that can go wrong between.

use std::time::{Duration, Instant};

use lastbit::Confidence;
use lastbit_exact::Rational;
use lastbit_verify::audit::{
    AuditClaim, AuditLimits, CommandError, Feature, Output, Samples, audit_samples, run_command,
};

fn run(command: &str, arguments: &[&str], draws: usize) -> Result<Samples, CommandError> {
    limited(command, arguments, draws, &AuditLimits::default())
}

fn limited(
    command: &str,
    arguments: &[&str],
    draws: usize,
    limits: &AuditLimits,
) -> Result<Samples, CommandError> {
    let arguments: Vec<String> = arguments.iter().map(|text| text.to_string()).collect();
    run_command(command, &arguments, ["0", "1"], draws, limits)
}

/// Short for an answer, long in all.
const IMPATIENT: AuditLimits = AuditLimits {
    answer: Duration::from_secs(4),
    total: Duration::from_secs(100),
};

/// Whether a process of this number runs (a zombie does not).
fn runs(id: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{id}/stat"));
    state.is_ok_and(|text| !text.contains(") Z "))
}

#[test]
fn a_python_one_liner_whose_loss_is_twice_its_claim_is_found() {
    let program = "
import random, sys
for line in sys.stdin:
    print(float(line) + random.choice([-1, 1]) * random.expovariate(2))";
    let samples = run("python3", &["-c", program], 40_000).unwrap();
    let confidence: Confidence = "0.9999999999".parse().unwrap();
    let claim = AuditClaim::pure(Rational::ONE);
    let report = audit_samples(&samples, &claim, &confidence, true, &Feature::ALL);
    assert!(report.refutes_claim(), "{report:?}");
}

#[test]
fn outputs_come_back_in_the_order_of_the_inputs() {
    let samples = run("cat", &[], 50_000).unwrap(); // far more than a pipe holds
    for (value, outputs) in [0.0, 1.0].into_iter().zip(&samples.outputs) {
        assert_eq!(outputs.len(), 50_000);
        assert!(
            outputs
                .iter()
                .all(|output| matches!(output, Output::Number(x) if *x == value))
        );
    }
}

#[test]
fn a_command_that_reads_everything_before_it_writes_does_not_block() {
    let program = "import sys; lines = sys.stdin.readlines(); sys.stdout.writelines(lines)";
    let samples = run("python3", &["-c", program], 50_000).unwrap();
    assert_eq!(samples.outputs[1].len(), 50_000);
}

#[test]
fn words_infinities_and_nan_are_outputs() {
    let lines = "nan\\ninf\\n-0.0\\nperhaps\\n\\nperhaps\\n";
    let samples = run(
        "sh",
        &["-c", &format!("cat > /dev/null; printf '{lines}'")],
        3,
    )
    .unwrap();
    assert_eq!(samples.words, ["perhaps", ""]);
    let shown = format!("{:?}", samples.outputs);
    assert_eq!(
        shown,
        "[[Number(NaN), Number(-0.0), Word(1)], [Number(inf), Word(0), Word(0)]]"
    );
}

#[test]
fn a_command_that_cannot_start_is_named() {
    let error = run("no-such-command-here", &[], 10).unwrap_err();
    assert!(matches!(error, CommandError::Start { .. }));
    assert!(error.to_string().contains("no-such-command-here"));
}

#[test]
fn a_command_that_fails_is_an_error_whatever_it_wrote() {
    let error = run("sh", &["-c", "cat; exit 3"], 10).unwrap_err();
    assert!(
        matches!(error, CommandError::Failed { lines: 20, .. }),
        "{error}"
    );
    let early = run("sh", &["-c", "exit 3"], 100_000).unwrap_err();
    assert!(matches!(early, CommandError::Failed { .. }), "{early}");
}

#[test]
fn too_few_and_too_many_lines_are_errors() {
    let few = run("sh", &["-c", "head -n 7"], 10).unwrap_err();
    assert!(
        matches!(
            few,
            CommandError::TooFewLines {
                got: 7,
                expected: 20,
                ..
            }
        ),
        "{few}"
    );
    // One that never reads and never stops.
    let many = run("yes", &[], 10).unwrap_err();
    assert!(
        matches!(many, CommandError::TooManyLines { expected: 20, .. }),
        "{many}"
    );
}

#[test]
fn a_command_that_hangs_is_ended() {
    for (script, lines_before) in [
        ("sleep 1000", 0),
        ("head -n 3; sleep 1000", 3),
        ("exec > /dev/null; cat; sleep 1000", 0),
    ] {
        let start = Instant::now();
        let error = limited("sh", &["-c", script], 10, &IMPATIENT).unwrap_err();
        assert!(
            matches!(error, CommandError::Hangs { lines, .. } if lines == lines_before),
            "{script}: {error}"
        );
        assert!(start.elapsed() < Duration::from_secs(60), "{script}");
    }
}

#[test]
fn the_time_in_all_is_limited_too() {
    let limits = AuditLimits {
        answer: Duration::from_secs(100),
        total: Duration::from_millis(900),
    };
    let slowly = "while read x; do echo $x; sleep 0.2; done";
    let error = limited("sh", &["-c", slowly], 1000, &limits).unwrap_err();
    assert!(
        matches!(error, CommandError::TooLong { expected: 2000, .. }),
        "{error}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_command_started_ends_with_it() {
    let directory = std::env::temp_dir().join(format!("lastbit-audit-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for (name, ending) in [("hangs", "sleep 1001"), ("answers", "cat; exit 0")] {
        let file = directory.join(name);
        let script = format!(
            "sleep 1002 > /dev/null & echo $! > {}; {ending}",
            file.display()
        );
        let ended = limited("sh", &["-c", &script], 10, &IMPATIENT);
        assert_eq!(ended.is_ok(), name == "answers", "{ended:?}");
        let child = std::fs::read_to_string(&file).unwrap();
        let start = Instant::now();
        while runs(child.trim()) {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{name}: its child still runs"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn an_endless_line_is_an_error() {
    let error = run("cat", &["/dev/zero"], 10).unwrap_err();
    assert!(
        matches!(error, CommandError::LongLine { line: 1, .. }),
        "{error}"
    );
    let long = "x = 'a' * 65536; print(x); print(x + 'a')";
    let error = run("python3", &["-c", long], 1).unwrap_err();
    assert!(
        matches!(error, CommandError::LongLine { line: 2, .. }),
        "{error}"
    );
}
