//! Words of programs, files and commands that would act on a terminal.

use crate::support::{Done, Here};

/// Not one character that acts on a terminal or hides, and not endless.
fn is_clean(done: &Done) {
    for text in [&done.out, &done.err] {
        let acts = |c: char| c.is_control() && c != '\n' || HIDDEN.contains(&c);
        assert!(!text.contains(acts), "{text:?}");
        assert!(text.len() < 20_000, "{} bytes", text.len());
    }
}

const HIDDEN: [char; 6] = [
    '\u{200b}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{9b}', '\u{ad}',
];

/// `clear the screen`, `write from right to left`, `nothing`, `bell`.
const HOSTILE: &str = "\u{1b}[2J\u{202e}\u{200b}\u{9b}31m\u{7}";

#[test]
fn words_of_programs_and_files_do_not_act_on_a_terminal() {
    let directory = Here::empty();
    let long = "very".repeat(100_000);
    for (name, text) in [
        ("syntax.lb", format!("x = f {HOSTILE}\nreturn x")),
        ("comment.lb", format!("return f (+) (# {HOSTILE}\n ? )")),
        (
            "line.lb",
            format!("return f (+) $ {HOSTILE}{}", " f".repeat(100_000)),
        ),
        ("name.lb", format!("return f (+) {long}")),
        ("names.lb", format!("parameters {long} = 1\nreturn f")),
        ("unread.lb", format!("return {}", "y (+) ".repeat(100_000))),
    ] {
        directory.write(name, text);
        for command in [
            ["verify", "program", name].as_slice(),
            &["verify", "snapping", "--program", name],
            &["verify", "snapping", "--program", name, "--json"],
        ] {
            is_clean(&directory.run_soon(command));
        }
    }
    let hostile = format!("{HOSTILE}.lb");
    directory.write(&hostile, "return");
    let missing = format!("missing{HOSTILE}");
    for name in [&hostile, &missing] {
        for command in [
            ["verify", "program", name].as_slice(),
            &["verify", "snapping", "--program", name],
            &["verify", "check", name],
        ] {
            let run = directory.run_soon(command);
            assert_eq!(run.status, Some(1));
            is_clean(&run);
        }
    }
    // In a certificate.
    directory.write(
        "bad.json",
        format!("{{\"format\": \"x\", \"{HOSTILE}{long}\": 1}}")
            .replace('\u{7}', "")
            .replace('\u{1b}', "\\u001b"),
    );
    let run = directory.run_soon(&["verify", "check", "bad.json", "--json"]);
    assert_eq!(run.status, Some(1));
    is_clean(&run);
}

#[test]
fn words_of_an_audited_command_do_not_act_on_a_terminal() {
    let directory = Here::empty();
    let script = format!("while read x; do printf '{HOSTILE}%s%05000d\\n' $x 0; done");
    let audit = ["audit", "--epsilon", "1", "--draws", "200"];
    for more in [["--json"].as_slice(), &[]] {
        let run =
            directory.run_soon(&[audit.as_slice(), more, &["--", "sh", "-c", &script]].concat());
        assert_eq!(run.status, Some(0), "{}", run.err);
        assert!(run.out.contains("the claim is refuted") || run.json()["refuted"] == true);
        is_clean(&run);
    }
    let name = format!("no-such-command{HOSTILE}");
    let run = directory.run_soon(&[audit.as_slice(), &["--", &name]].concat());
    run.failed("cannot start");
    is_clean(&run);
}
