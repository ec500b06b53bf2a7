//! On a terminal: questions, colours, and how wide.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::{Here, plan};

/// What a command did whose every stream was a terminal.
struct Seen {
    status: Option<i32>,
    /// Everything on the screen, what was typed too.
    screen: String,
}

/// Runs the command on a terminal of its own, on which this was typed. Its width is not known.
fn on_terminal(here: &Here, arguments: &[&str], typed: &str, settings: &[(&str, &str)]) -> Seen {
    on_terminal_of(0, here, arguments, typed, settings)
}

/// [`on_terminal`] of so many columns.
fn on_terminal_of(
    columns: u16,
    here: &Here,
    arguments: &[&str],
    typed: &str,
    settings: &[(&str, &str)],
) -> Seen {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize {
        ws_row: if columns == 0 { 0 } else { 50 },
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let side = || -> Stdio {
        let path = name.to_str().unwrap();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .unwrap();
        OwnedFd::from(file).into()
    };
    let mut command = here.command(arguments);
    command.stdin(side()).stdout(side()).stderr(side());
    command.env("TERM", "xterm");
    command.envs(settings.iter().copied());
    let mut child = command.spawn().unwrap();
    // The command has its own ends of the terminal; when they are closed, reading ends.
    drop(command);
    let mut master = File::from(master);
    master.write_all(typed.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    // At the end of a terminal Linux reports an error of input.
    while let Ok(read) = master.read(&mut part) {
        if read == 0 {
            break;
        }
        bytes.extend_from_slice(&part[..read]);
    }
    Seen {
        status: child.wait().unwrap().code(),
        screen: String::from_utf8_lossy(&bytes).into_owned(),
    }
}

#[test]
fn more_than_half_of_what_is_left_is_asked_for() {
    let here = Here::new();
    for (typed, arguments) in [
        ("no\n", &["release", "plan.toml"][..]),
        ("\n", &["release", "plan.toml"]),
        ("\u{4}", &["release", "plan.toml"]),
    ] {
        let seen = on_terminal(&here, arguments, typed, &[]);
        assert_eq!(seen.status, Some(1), "{}", seen.screen);
        assert!(
            seen.screen.contains("This spends everything that is left"),
            "{}",
            seen.screen
        );
        assert!(
            seen.screen.contains("nothing was read or spent; --yes"),
            "{}",
            seen.screen
        );
        assert!(!here.path("lastbit.ledger").exists());
    }
    let seen = on_terminal(&here, &["release", "plan.toml"], "yes\n", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("1"));
    // More than half is not everything, and `y` is not the word.
    let here = Here::new();
    here.write("plan.toml", format!("{}[spend]\nepsilon = 0.6\n", plan(50)));
    let seen = on_terminal(&here, &["release", "plan.toml"], "y\n", &[]);
    assert_eq!(seen.status, Some(1), "{}", seen.screen);
    let told = "This spends more than half of what is left: ε = 0.6 of ε = 1.";
    assert!(seen.screen.contains(told), "{}", seen.screen);
    assert!(!here.path("lastbit.ledger").exists());
    let seen = on_terminal(&here, &["release", "plan.toml"], "yes\n", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.6"));
}

#[test]
fn a_loss_that_protects_little_is_asked_for() {
    let here = Here::new();
    let huge = plan(50).replace("epsilon = 1", "epsilon = 1000");
    // Much less than half of the budget, and still no protection.
    here.write("plan.toml", format!("{huge}[spend]\nepsilon = 100\n"));
    let seen = on_terminal(&here, &["release", "plan.toml"], "no\n", &[]);
    assert_eq!(seen.status, Some(1), "{}", seen.screen);
    assert!(
        seen.screen.contains("ε = 100 protects little"),
        "{}",
        seen.screen
    );
    assert!(!here.path("lastbit.ledger").exists());
    let seen = on_terminal(&here, &["release", "plan.toml", "--yes"], "", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
}

#[test]
fn a_release_on_changed_data_is_asked_for() {
    let here = Here::new();
    here.write(
        "plan.toml",
        format!("{}[spend]\nepsilon = 0.25\n", plan(50)),
    );
    let release = ["release", "plan.toml"];
    let seen = on_terminal(&here, &release, "yes\n", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    let data = here.read("people.csv");
    here.write("people.csv", format!("{data}5\n"));
    let seen = on_terminal(&here, &release, "no\n", &[]);
    assert_eq!(seen.status, Some(1), "{}", seen.screen);
    assert!(
        seen.screen.contains("The data changed since"),
        "{}",
        seen.screen
    );
    assert!(
        seen.screen.contains("nothing was spent; --yes"),
        "{}",
        seen.screen
    );
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.25"));
    let seen = on_terminal(&here, &release, "yes\n", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.5"));
    // Asked beforehand, nobody is asked.
    here.write("people.csv", data + "6\n");
    let seen = on_terminal(&here, &["release", "plan.toml", "--yes"], "", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    assert!(!seen.screen.contains("Go on?"));
}

#[test]
fn the_first_release_of_a_plan_asks_once_and_names_what_costs_nothing() {
    let here = Here::new();
    // A tenth, and nothing else to ask about.
    let small = format!("{}[spend]\nepsilon = 0.1\n", plan(50));
    here.write("plan.toml", &small);
    let release = ["release", "plan.toml"];
    let words = |seen: &Seen| {
        let words: Vec<&str> = seen.screen.split_whitespace().collect();
        words.join(" ")
    };
    let seen = on_terminal(&here, &release, "no\n", &[]);
    assert_eq!(seen.status, Some(1), "{}", seen.screen);
    for part in [
        "not released from this ledger before",
        "`lastbit inspect plan.toml --not-private`",
        "`lastbit rehearse plan.toml`",
        "nothing was read or spent; --yes",
    ] {
        assert!(words(&seen).contains(part), "{}", seen.screen);
    }
    assert!(!here.path("lastbit.ledger").exists());
    let seen = on_terminal(&here, &release, "yes\n", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    assert_eq!(seen.screen.matches("Go on?").count(), 1, "{}", seen.screen);
    // Again on the same data: free, and no question. Another plan: its first.
    let seen = on_terminal(&here, &release, "", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    assert!(!seen.screen.contains("Go on?"), "{}", seen.screen);
    here.write("plan.toml", small.replace("[0, 50, 100]", "[0, 60, 100]"));
    let seen = on_terminal(&here, &release, "no\n", &[]);
    assert_eq!(seen.status, Some(1), "{}", seen.screen);
    // `--yes` asks nothing, nor is anybody asked where nobody can answer.
    let seen = on_terminal(&here, &["release", "plan.toml", "--yes"], "", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    here.write("plan.toml", small.replace("[0, 50, 100]", "[0, 70, 100]"));
    let piped = here.run(&release).succeeded();
    // It is said that the names are those of another plan.
    let told = "so this release buys them again, with new noise.\n";
    assert!(piped.err.starts_with("All 2 statistics") && piped.err.contains(told));
}

#[test]
fn one_release_asks_one_question() {
    let here = Here::new();
    // Everything, a loss that protects little, and a plan that is new here.
    let huge = plan(50).replace("epsilon = 1", "epsilon = 1000");
    here.write("plan.toml", &huge);
    let seen = on_terminal(&here, &["release", "plan.toml"], "yes\n", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    assert_eq!(seen.screen.matches("Go on?").count(), 1, "{}", seen.screen);
    for part in ["protects little", "everything", "not released from"] {
        assert!(seen.screen.contains(part), "{}", seen.screen);
    }
    // The same on changed data, with more than half of what is left.
    let here = Here::new();
    let most = |spend: &str| format!("{}[spend]\nepsilon = {spend}\n", plan(50));
    here.write("plan.toml", most("0.4"));
    let release = ["release", "plan.toml"];
    here.run(&release).succeeded();
    let data = here.read("people.csv");
    here.write("people.csv", data + "6\n");
    let seen = on_terminal(&here, &release, "yes\n", &[]);
    assert_eq!(seen.status, Some(0), "{}", seen.screen);
    assert_eq!(seen.screen.matches("Go on?").count(), 1, "{}", seen.screen);
    for part in ["data changed", "more than half of what is left"] {
        assert!(seen.screen.contains(part), "{}", seen.screen);
    }
}

#[test]
fn colours_are_for_terminals_that_have_them() {
    let here = Here::new();
    let escape = "\u{1b}[";
    let shown = |arguments: &[&str], settings: &[(&str, &str)], coloured: bool| {
        let screen = on_terminal(&here, arguments, "", settings).screen;
        let is = screen.contains(escape);
        assert_eq!(is, coloured, "{arguments:?} {settings:?}: {screen}");
    };
    for arguments in [
        &["rehearse", "plan.toml"][..],
        &["plan", "plan.toml"],
        &["plan", "none.toml"],
        &["--help"],
    ] {
        shown(arguments, &[], true);
        for setting in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
            shown(arguments, &[setting], false);
        }
        let piped = here.run(arguments);
        assert!(!piped.out.contains(escape) && !piped.err.contains(escape));
    }
    // Bars alone are of another colour than the text.
    let seen = on_terminal(&here, &["rehearse", "plan.toml"], "", &[]);
    assert!(seen.screen.contains("\u{1b}[36m█"), "{}", seen.screen);
}

#[test]
fn a_parquet_table_is_not_printed_on_a_terminal() {
    let here = Here::new();
    let seen = on_terminal(
        &here,
        &["release", "plan.toml", "--yes", "--parquet", "-"],
        "",
        &[],
    );
    assert_eq!(seen.status, Some(2), "{}", seen.screen);
    assert!(seen.screen.contains("name a file"), "{}", seen.screen);
    assert!(!here.path("lastbit.ledger").exists());
}

/// What stands on terminals of 80 and 120 columns, character by character. The report is one that a
/// ledger has, so that chance decides nothing. `TRYCMD=overwrite` writes the texts anew.
#[test]
fn terminals_of_80_and_120_columns_show_what_is_stored_here() {
    let data = |name: &str| {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        tests.join(name)
    };
    let here = Here::empty();
    for name in ["shares.toml", "visits.csv"] {
        let bytes = fs::read(data("data/version-0.1.0").join(name)).unwrap();
        here.write(name, bytes);
    }
    let ledger = fs::read(data("data/version-0.1.0/stored.sqlite")).unwrap();
    here.write("clinic.ledger", ledger);
    here.set_mode("clinic.ledger", 0o600);
    fs::create_dir(here.path("other")).unwrap();
    let wages = fs::read(data("cmd/plan.in/wages.toml")).unwrap();
    here.write("other/wages.toml", wages);
    for (name, arguments) in [
        ("plan", &["plan", "other/wages.toml"][..]),
        ("plan-again", &["plan", "shares.toml"]),
        ("release", &["release", "shares.toml", "--quiet"]),
        ("show", &["ledger", "show", "clinic.ledger"]),
        ("history", &["ledger", "history", "clinic.ledger"]),
        (
            "convert",
            &["convert", "--from", "zcdp:0.125", "--delta", "1e-6"],
        ),
    ] {
        for columns in [80, 120] {
            let seen = on_terminal_of(columns, &here, arguments, "", &[("NO_COLOR", "1")]);
            assert_eq!(seen.status, Some(0), "{}", seen.screen);
            let screen = seen.screen.replace("\r\n", "\n");
            let widest = screen.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(usize::from(columns)), "{screen}");
            let stored = data("data/terminal").join(format!("{name}-{columns}.txt"));
            if std::env::var_os("TRYCMD").is_some_and(|set| set == "overwrite") {
                fs::create_dir_all(data("data/terminal")).unwrap();
                fs::write(&stored, &screen).unwrap();
            }
            let expected = fs::read_to_string(&stored).unwrap_or_default();
            assert_eq!(screen, expected, "{}", stored.display());
        }
    }
}
