//! `lastbit verify` and `lastbit audit` from outside: what a certificate is about, files that are
//! none, words that act on a terminal, and commands that hang.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use lastbit_exact::Rational;

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

const UNCLAMPED: &str = "program small
parameters epsilon = 2, Delta = 2^-9, lambda = 1, Lambda = 1, B = 16
u <- unif
s <- sign
x = f (*) 2^10
w = x (+) s (*) (lambda (*) ln~(u))
return clamp(round(w, Lambda), B)
";

#[test]
fn the_premise_of_a_program_that_scales_without_a_clamp_is_about_the_scaled_query() {
    let directory = Here::empty();
    directory.write("gap.lb", UNCLAMPED);
    let proved = directory.run_soon(&[
        "verify",
        "snapping",
        "--program",
        "gap.lb",
        "--certificate",
        "gap.json",
    ]);
    assert_eq!(proved.status, Some(0), "{}", proved.err);
    let checked = directory.run_soon(&["verify", "check", "gap.json"]);
    for text in [proved.out, checked.out] {
        assert!(
            text.contains("|f| ≤ 0.015625, as the program does not clamp"),
            "{text}"
        );
    }
    // The same certificate with the premise that was stated once, and without any.
    let text = fs::read_to_string(directory.path("gap.json")).unwrap();
    let line = "    \"query_within\": \"0.015625\",\n";
    assert!(text.contains(line));
    for (name, other) in [
        ("b.json", "    \"query_within\": \"16\",\n"),
        ("none.json", ""),
    ] {
        directory.write(name, text.replace(line, other));
        directory
            .run_soon(&["verify", "check", name])
            .failed("claim.query_within");
    }
    directory
        .run_soon(&["verify", "check", "gap.json", "--clamped"])
        .failed("it asks for |f| ≤ 0.015625");
}

#[test]
fn check_says_what_it_accepted() {
    let directory = Here::empty();
    let prove = [
        "verify",
        "snapping",
        "--epsilon",
        "0.7",
        "--bound",
        "100",
        "--sensitivity",
        "3",
    ];
    let written = ["--precision", "60", "--certificate", "c.json"];
    assert_eq!(
        directory
            .run_soon(&[prove.as_slice(), &written].concat())
            .status,
        Some(0)
    );
    let text = directory.run_soon(&["verify", "check", "c.json"]).out;
    for words in [
        "60 bits",
        "Delta        3",
        "Lambda       8",
        "B            100",
        "clamp(round(clamp(f, B)",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let run = directory.run_soon(&["verify", "check", "c.json", "--json"]);
    let json = run.json();
    assert_eq!(json["accepted"], true);
    let claim = &json["claim"];
    assert_eq!(
        (&claim["precision"], &claim["sensitivity"]),
        (&60.into(), &"3".into())
    );
    assert_eq!(
        (&claim["grid"], &claim["bound"]),
        (&"8".into(), &"100".into())
    );
    assert_eq!(claim["query_within"], serde_json::Value::Null);
    let number = |value: &serde_json::Value| value.as_str().unwrap().parse::<Rational>().unwrap();
    // λ is 3/0.7, rounded up to 60 bits.
    let scale = number(&claim["scale"]);
    let ideal: Rational = "30/7".parse().unwrap();
    assert!(scale >= ideal && scale < &ideal + &Rational::ONE.times_power_of_two(-57));
    let certified = number(&json["certified_exactly"]);
    assert!(certified > "0.7".parse().unwrap() && certified < "0.70001".parse().unwrap());
}

#[test]
fn a_certificate_of_other_numbers_than_were_asked_for_is_refused() {
    let directory = Here::empty();
    let prove = [
        "verify",
        "snapping",
        "--epsilon",
        "1.1",
        "--bound",
        "100",
        "--certificate",
        "c.json",
    ];
    assert_eq!(directory.run_soon(&prove).status, Some(0));
    let check = |more: &[&str]| {
        directory.run_soon(&[["verify", "check", "c.json"].as_slice(), more].concat())
    };
    let right = [
        "--precision",
        "53",
        "--sensitivity",
        "1",
        "--bound",
        "100",
        "--grid",
        "1",
        "--epsilon",
        "1.1",
        "--loss",
        "1.1001",
        "--clamped",
        "--scale",
        "0.90909090909090909091",
    ];
    let run = check(&right);
    assert_eq!(run.status, Some(0), "{}", run.err);
    for (wrong, words) in [
        (["--precision", "54"], "precision is 53, not 54"),
        (["--sensitivity", "2"], "Delta is 1, not 2"),
        (["--bound", "101"], "B is 100, not 101"),
        (["--grid", "2"], "Lambda is 1, not 2"),
        (["--epsilon", "1"], "the ideal loss is"),
        (["--loss", "1.1"], "the certified loss is"),
        (["--scale", "0.9"], "lambda is"),
    ] {
        check(&wrong).failed(words);
        let json = check(&[wrong.as_slice(), &["--json"]].concat()).json();
        assert_eq!(json["accepted"], false);
        assert!(json["differences"][0].as_str().unwrap().contains(words));
    }
}

#[test]
fn a_certificate_is_tied_to_a_program() {
    let directory = Here::empty();
    directory.write("gap.lb", UNCLAMPED);
    let prove = [
        "verify",
        "snapping",
        "--program",
        "gap.lb",
        "--certificate",
        "c.json",
    ];
    assert_eq!(directory.run_soon(&prove).status, Some(0));
    let check =
        |program: &str| directory.run_soon(&["verify", "check", "c.json", "--program", program]);
    assert_eq!(check("gap.lb").status, Some(0));
    for (change, words) in [
        (("2^10", "2^9"), "the program is"),
        (("f (*) 2^10", "clamp(f (*) 2^10, B)"), "the program is"),
        (("B = 16", "B = 17"), "B is 16, not 17"),
        (
            ("Delta = 2^-9", "Delta = 2^-8"),
            "Delta is 0.001953125, not 0.00390625",
        ),
        (
            ("s (*) (lambda", "lambda (*) (lambda"),
            "no certificate is about this program",
        ),
    ] {
        directory.write("other.lb", UNCLAMPED.replace(change.0, change.1));
        check("other.lb").failed(words);
    }
    // Other words for the same program.
    directory.write(
        "same.lb",
        UNCLAMPED
            .replace("2^10", "1024")
            .replace("x =", "scaled =")
            .replace("= x ", "= scaled "),
    );
    let run = check("same.lb");
    assert_eq!(run.status, Some(0), "{}", run.err);
}

/// The same certificate with every number, every space and the order of the fields written in
/// another way.
#[test]
fn other_spellings_of_a_certificate_are_accepted_and_other_numbers_are_not() {
    let directory = Here::empty();
    let prove = [
        "verify",
        "snapping",
        "--epsilon",
        "1",
        "--bound",
        "6.5",
        "--certificate",
        "c.json",
    ];
    assert_eq!(directory.run_soon(&prove).status, Some(0));
    let text = fs::read_to_string(directory.path("c.json")).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["claim"]["bound"] = "13/2".into();
    value["claim"]["noise"][0] = "* 1.0".into();
    value["claim"]["sensitivity"] = "1e0".into();
    value["epsilon"] = "2/2".into();
    // Fields in the opposite order, without spaces.
    let fields: Vec<String> = value
        .as_object()
        .unwrap()
        .iter()
        .rev()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    let respelled = format!("\n\t{{{}}}", fields.join(","));
    assert_ne!(respelled, text);
    directory.write("respelled.json", &respelled);
    let [one, other] = ["c.json", "respelled.json"].map(|name| {
        let run = directory.run_soon(&["verify", "check", name, "--json"]);
        assert_eq!(run.status, Some(0), "{name}: {}", run.err);
        run.json()
    });
    assert_eq!(one, other);
    directory.write("wrong.json", respelled.replace("13/2", "13.1/2"));
    directory
        .run_soon(&["verify", "check", "wrong.json"])
        .failed("refused at");
    // A field given twice, one that is unknown, and text after the end.
    for wrong in [
        respelled.replacen('{', "{\"epsilon\":\"1\",", 1),
        respelled.replacen('{', "{\"comment\":\"1\",", 1),
        format!("{respelled} {respelled}"),
    ] {
        directory.write("wrong.json", wrong);
        directory
            .run_soon(&["verify", "check", "wrong.json"])
            .failed("not readable");
    }
}

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

/// The number that stands behind a word.
fn behind(text: &str, word: &str) -> Rational {
    let rest = text
        .split_once(word)
        .unwrap_or_else(|| panic!("{word}: {text}"))
        .1;
    let number = rest.split_whitespace().next().unwrap();
    number
        .trim_end_matches(',')
        .parse()
        .unwrap_or_else(|error| panic!("{number}: {error}"))
}

/// The decimals of the text, read exactly, against the exact numbers of the certificate.
#[test]
fn printed_losses_are_bounds_as_text() {
    let directory = Here::empty();
    for i in 1..=40 {
        let epsilon = format!("0.{:03}", 17 * i);
        let common = [
            "verify",
            "snapping",
            "--epsilon",
            &epsilon,
            "--bound",
            "1000",
            "--precision",
        ];
        for precision in ["20", "53", "118"] {
            let prove = [common.as_slice(), &[precision, "--certificate", "c.json"]].concat();
            let [text, json] = [&[] as &[&str], &["--json"]]
                .map(|more| directory.run_soon(&[prove.as_slice(), more].concat()).out);
            let file = fs::read_to_string(directory.path("c.json")).unwrap();
            let certificate: serde_json::Value = serde_json::from_str(&file).unwrap();
            let exact = |name: &str| {
                certificate[name]
                    .as_str()
                    .unwrap()
                    .parse::<Rational>()
                    .unwrap()
            };
            assert!(
                behind(&text, "certified loss") >= exact("certified"),
                "{text}"
            );
            assert!(behind(&text, "ideal loss") >= exact("epsilon"), "{text}");
            let added = &exact("certified") - &exact("epsilon");
            assert!(behind(&text, "rounding adds") >= added, "{text}");
            for case in certificate["cases"].as_array().unwrap() {
                let words = format!("  {:<28}", case["output"].as_str().unwrap());
                let excess = case["excess"]
                    .as_str()
                    .unwrap()
                    .parse::<Rational>()
                    .unwrap();
                assert!(behind(&text, &words) >= excess, "{text}");
            }
            let json_number = |name: &str| {
                let rest = json.split_once(&format!("\"{name}\":")).unwrap().1;
                rest.split([',', '}'])
                    .next()
                    .unwrap()
                    .parse::<Rational>()
                    .unwrap()
            };
            assert!(json_number("certified") >= exact("certified"), "{json}");
            assert!(json_number("epsilon") >= exact("epsilon"), "{json}");
            let check = directory.run_soon(&["verify", "check", "c.json"]).out;
            assert!(
                behind(&check, "the loss is at most") >= exact("certified"),
                "{check}"
            );
        }
    }
}

#[test]
fn printed_lower_bounds_of_an_audit_are_below_the_bound() {
    let directory = Here::empty();
    for draws in (100..3000).step_by(170) {
        // The command publishes its input: the counts, and so the bounds, are the same in every
        // run.
        let audit = |more: &[&str]| {
            let draws = draws.to_string();
            let common = ["audit", "--epsilon", "1", "--draws", &draws];
            directory.run_soon(&[common.as_slice(), more, &["--", "cat"]].concat())
        };
        let exact: Rational = audit(&["--json"]).json()["lower_bound"]
            .to_string()
            .parse()
            .unwrap();
        let text = audit(&[]).out;
        for word in ["ε ≥", "ε is at least"] {
            let printed = behind(&text, word);
            assert!(
                printed <= exact && printed > &exact - &"0.0001".parse().unwrap(),
                "{text}"
            );
        }
    }
}
