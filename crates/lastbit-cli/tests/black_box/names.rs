//! Names from elsewhere: nothing in them acts on a terminal, none is long, and two that differ look
//! different.

use crate::support::{Done, Here};

/// Clears the screen, turns the direction of writing, is not seen, begins a line of its own.
const HOSTILE: &str = "\u{1b}[2J\u{9b}31m\u{202e}evil\u{200b}\u{7}\r\nerror: all is lost\u{2028}";

/// The same in a basic string of TOML or JSON.
fn escaped() -> String {
    HOSTILE
        .chars()
        .map(|c| format!("\\u{:04x}", u32::from(c)))
        .collect()
}

#[track_caller]
fn clean(done: Done) -> Done {
    for text in [&done.out, &done.err] {
        let acts = |c: char| {
            c != '\n'
                && (c.is_control()
                    || ('\u{200b}'..='\u{200f}').contains(&c)
                    || ('\u{2028}'..='\u{202e}').contains(&c)
                    || ('\u{2066}'..='\u{2069}').contains(&c))
        };
        assert!(!text.contains(acts), "{text:?}");
        assert!(
            !text
                .lines()
                .any(|line| line.starts_with("error: all is lost")),
            "{text}"
        );
        assert!(text.len() < 100_000, "{} bytes", text.len());
    }
    done
}

fn hostile_plan(file: &str) -> String {
    let bad = escaped();
    format!(
        r#"
title = "{bad}"
[source]
files = "{file}"
format = "csv"
[privacy]
neighbours = "add-remove"
unit = "{bad}"
most_rows = 2
[budget]
epsilon = 1
[columns.ward]
categories = ["a", "a\u200b", "{bad}"]
[columns."{bad}1"]
lower = 0
upper = 100
unit = "{bad}"
[[statistics]]
name = "{bad}"
kind = "count"
by = "ward"
[[statistics]]
name = "years"
kind = "sum"
of = "{bad}1"
"#
    )
}

#[test]
fn names_in_plans_and_data_do_not_act() {
    let here = Here::new();
    let file = format!("data{HOSTILE}.csv");
    here.write(
        &file,
        format!("ward,\"{HOSTILE}\",\"{HOSTILE}1\"\na,p1,5\n\"a\u{200b}\",p2,6\n"),
    );
    let named = format!("plan{HOSTILE}.toml");
    here.write(&named, hostile_plan(&format!("data{}.csv", escaped())));
    let ledger = format!("kept{HOSTILE}.ledger");
    for arguments in [
        ["plan", &named].as_slice(),
        &["plan", &named, "--json"],
        &["release", &named, "--ledger", &ledger],
        &["release", &named, "--ledger", &ledger, "--json"],
        &[
            "release",
            &named,
            "--ledger",
            &ledger,
            "--html",
            "page.html",
            "--csv",
            "table.csv",
        ],
        &["ledger", "show", &ledger],
        &["ledger", "history", &ledger],
        &["ledger", "history", &ledger, "--json"],
        &["ledger", "check", &ledger],
    ] {
        clean(here.run(arguments).succeeded());
    }
    let page = here.read("page.html");
    assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{9b}']));
    assert!(page.contains(r"\u{202e}evil\u{200b}"), "{page}");
    // Programs get the true text.
    let json = here
        .run(&["release", &named, "--ledger", &ledger, "--json"])
        .succeeded();
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(report["title"], HOSTILE);
    assert!(here.read("table.csv").contains("a\u{200b}"));
}

#[test]
fn groups_that_differ_look_different() {
    let here = Here::new();
    here.write("people.csv", "ward\na\n");
    here.write(
        "plan.toml",
        r#"
[source]
files = "people.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.ward]
categories = ["a", "a\u200b", "\u2060a", "a b", "a\u00a0b"]
[[statistics]]
name = "people"
kind = "count"
by = "ward"
"#,
    );
    let text = here
        .run(&["release", "plan.toml", "--html", "page.html"])
        .succeeded();
    for group in [r"a\u{200b}", r"\u{2060}a", "a b", r"a\u{a0}b"] {
        assert!(text.out.contains(group), "{}", text.out);
        assert!(here.read("page.html").contains(group));
    }
}

#[test]
fn errors_do_not_act_and_are_short() {
    let here = Here::new();
    let named = format!("no{HOSTILE}.toml");
    let long = "x".repeat(100_000);
    let bad = format!("--ledger={HOSTILE}");
    for arguments in [
        ["release", named.as_str()].as_slice(),
        &["plan", &named],
        &["ledger", "show", &named],
        &["ledger", "check", "plan.toml", "--report", &named],
        &["verify", "program", &named],
        &["verify", "check", &named],
        &[HOSTILE],
        &["release", "plan.toml", &bad, HOSTILE],
        &[
            "release",
            "plan.toml",
            "--html",
            &format!("{HOSTILE}/x.html"),
        ],
        &["convert", "--from", HOSTILE, "--to", "zcdp"],
        &["convert", "--from", &long, "--to", "zcdp"],
        &["plan", &long],
    ] {
        let done = clean(here.run(arguments));
        assert!(matches!(done.status, Some(1 | 2)), "{}", done.err);
        assert!(!done.err.is_empty());
    }
    // In the plan.
    for text in [
        format!("\"{}\" = 1\n", escaped()),
        format!("title = \"{HOSTILE}\"\n"),
        format!("[source]\nfiles = \"{}\"\n", escaped()),
        hostile_plan("people.csv").replace("kind = \"sum\"", &format!("kind = \"{}\"", escaped())),
        hostile_plan("people.csv").replace("by = \"ward\"", &format!("by = \"{}\"", escaped())),
        hostile_plan("people.csv").replace("kind = \"sum\"", "kind = \"sum\"\nerror = 1e-30"),
        hostile_plan("people.csv"),
        hostile_plan("nowhere.csv").replace("nowhere", &escaped()),
    ] {
        here.write("hostile.toml", &text);
        let done = clean(here.run(&["release", "hostile.toml"]));
        assert_eq!(done.status, Some(1), "{text}");
    }
}

#[test]
fn a_bad_header_is_not_printed_whole() {
    let here = Here::new();
    let name = HOSTILE.repeat(300_000);
    for header in [name.clone(), format!("\"{name}\",\"{name}\"")] {
        here.write("people.csv", format!("{header}\n1\n"));
        let done = clean(here.run(&["release", "plan.toml"]));
        assert_eq!(done.status, Some(1));
        assert!(done.err.len() < 20_000, "{} bytes", done.err.len());
    }
}

#[test]
fn words_of_audited_commands_and_lines_of_programs_do_not_act() {
    let here = Here::new();
    here.write(
        "mechanism.sh",
        "while read -r x; do printf '\\033[2J\\302\\233word%s\\n' \"$x\"; done\n",
    );
    let audited = [
        "audit",
        "--epsilon",
        "1",
        "--draws",
        "50",
        "--",
        "sh",
        "mechanism.sh",
    ];
    clean(here.run(&audited).succeeded());
    here.write("program.lb", format!("x = {HOSTILE}\nreturn x\n"));
    let done = clean(here.run(&["verify", "program", "program.lb"]));
    assert!(matches!(done.status, Some(1 | 2)), "{}", done.err);
}
