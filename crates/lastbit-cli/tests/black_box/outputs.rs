//! Files that are written: never over what must stay, checked before anything is spent, with
//! nothing left behind.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{Done, Here, plan};

#[test]
fn neither_the_ledger_nor_the_plan_nor_the_data_are_written_over() {
    let here = Here::new();
    here.release();
    here.write("next.toml", plan(30));
    fs::create_dir(here.path("sub")).unwrap();
    symlink("lastbit.ledger", here.path("link")).unwrap();
    symlink(here.path(""), here.path("around")).unwrap();
    fs::hard_link(here.path("next.toml"), here.path("hard.toml")).unwrap();
    fs::hard_link(here.path("people.csv"), here.path("hard.csv")).unwrap();
    let kept = |name: &str| fs::read(here.path(name)).unwrap();
    let names = ["lastbit.ledger", "next.toml", "people.csv"];
    let before: Vec<_> = names.iter().map(|name| kept(name)).collect();
    for target in [
        "lastbit.ledger",
        "./sub/../lastbit.ledger",
        "link",
        "around/lastbit.ledger",
        "lastbit.ledger-wal",
        "lastbit.ledger-shm",
        "lastbit.ledger-journal",
        "another.ledger",
        "next.toml",
        "hard.toml",
        "people.csv",
        "around/people.csv",
        "hard.csv",
        "sub",
    ] {
        for option in ["--csv", "--html", "--parquet", "--method"] {
            for force in [false, true] {
                let mut arguments = vec!["release", "next.toml", option, target];
                arguments.extend(force.then_some("--force"));
                here.run(&arguments).refused("nothing was written");
            }
        }
        if !target.contains("ledger") {
            here.run(&["plan", "next.toml", "--html", target, "--force"])
                .refused("nothing was written");
        }
    }
    let after: Vec<_> = names.iter().map(|name| kept(name)).collect();
    assert!(before == after);
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("1"));
}

#[test]
fn a_ledger_that_is_named_is_not_written_over_either() {
    let here = Here::new();
    here.run(&["release", "plan.toml", "--ledger", "kept.sqlite"])
        .succeeded();
    for target in ["kept.sqlite", "kept.sqlite-wal", "kept.sqlite-shm"] {
        let line = [
            "release",
            "plan.toml",
            "--ledger",
            "kept.sqlite",
            "--html",
            target,
            "--force",
        ];
        here.run(&line).refused("this is the ledger");
    }
    // Nor by a command that does not know it.
    here.run(&["plan", "plan.toml", "--html", "kept.sqlite", "--force"])
        .refused("perhaps a ledger");
    here.run(&["ledger", "check", "kept.sqlite"]).succeeded();
}

#[test]
fn a_report_does_not_become_data() {
    let here = Here::new();
    fs::create_dir(here.path("data")).unwrap();
    fs::copy(here.path("people.csv"), here.path("data/people.csv")).unwrap();
    fs::create_dir(here.path("more")).unwrap();
    for files in ["data/*.csv", "./data/p*.csv", "data", "more/../data/*.csv"] {
        let files = format!("{files}\"\nformat = \"csv");
        here.write("plan.toml", plan(50).replace("people.csv", &files));
        let line = ["release", "plan.toml", "--csv", "data/peak.csv"];
        here.run(&line).refused("as data");
        assert!(!here.path("lastbit.ledger").exists());
    }
    here.run(&["release", "plan.toml", "--html", "data/page.html"])
        .succeeded();
}

#[test]
fn files_of_others_are_replaced_only_by_force() {
    let here = Here::new();
    for (option, name) in [("--html", "page.html"), ("--csv", "table.csv")] {
        here.write(name, "years of work\n");
        let line = ["release", "plan.toml", option, name];
        here.run(&line).refused("--force");
        assert!(!here.path("lastbit.ledger").exists());
        assert_eq!(here.read(name), "years of work\n");
    }
    for (option, name) in [("--html", "page.html"), ("--csv", "table.csv")] {
        here.run(&["release", "plan.toml", option, name, "--force"])
            .succeeded();
        assert!(here.read(name).contains("people"));
        // What lastbit wrote, and what is empty, may be replaced.
        here.run(&["release", "plan.toml", option, name])
            .succeeded();
        here.write(name, "");
        here.run(&["release", "plan.toml", option, name])
            .succeeded();
        assert!(here.read(name).contains("people"));
    }
    here.write("price.html", "years of work\n");
    here.run(&["plan", "plan.toml", "--html", "price.html"])
        .refused("--force");
    here.run(&["plan", "plan.toml", "--html", "price.html", "--force"])
        .succeeded();
    here.run(&["plan", "plan.toml", "--html", "price.html"])
        .succeeded();
}

#[test]
fn links_are_not_replaced() {
    let here = Here::new();
    here.write("real.html", "");
    symlink("real.html", here.path("link.html")).unwrap();
    symlink("nowhere.html", here.path("dangling.html")).unwrap();
    for target in ["link.html", "dangling.html"] {
        here.run(&["release", "plan.toml", "--html", target])
            .refused(target);
        here.run(&["release", "plan.toml", "--html", target, "--force"])
            .refused(target);
        assert!(
            fs::symlink_metadata(here.path(target))
                .unwrap()
                .is_symlink()
        );
    }
    assert!(!here.path("nowhere.html").exists());
    assert!(!here.path("lastbit.ledger").exists());
}

#[test]
fn what_cannot_be_written_is_found_before_anything_is_spent() {
    let here = Here::new();
    here.run(&["release", "plan.toml", "--html", "no/such/page.html"])
        .refused("could not write");
    here.run(&[
        "release",
        "plan.toml",
        "--csv",
        "ok.csv",
        "--html",
        "no/page.html",
    ])
    .refused("could not write");
    assert_eq!(here.files(), ["people.csv", "plan.toml"]);
    // A file and a directory that cannot be written.
    here.write("shut.html", "");
    here.set_mode("shut.html", 0o444);
    fs::create_dir(here.path("shut")).unwrap();
    here.set_mode("shut", 0o555);
    here.set_mode("", 0o777);
    for target in ["shut.html", "shut/page.html"] {
        let done = here.run_as_other(&["release", "plan.toml", "--html", target]);
        done.refused("could not write");
        assert!(!here.path("lastbit.ledger").exists());
    }
}

#[test]
fn a_dash_is_standard_output() {
    let here = Here::new();
    let csv = here
        .run(&["release", "plan.toml", "--csv", "-"])
        .succeeded();
    assert!(csv.out.starts_with("statistic,kind,of,"), "{}", csv.out);
    assert!(!csv.out.contains("receipt:"), "{}", csv.out);
    let html = here
        .run(&["release", "plan.toml", "--html", "-"])
        .succeeded();
    assert!(html.out.starts_with("<!doctype html>") && html.out.ends_with("</html>\n"));
    let price = here.run(&["plan", "plan.toml", "--html", "-"]).succeeded();
    assert!(price.out.starts_with("<!doctype html>") && price.out.ends_with("</html>\n"));
    assert!(!here.path("-").exists());
    for both in [
        ["--csv", "-", "--html", "-"].as_slice(),
        &["--csv", "-", "--json"],
        &["--csv", "same", "--html", "same"],
    ] {
        let done = here.run(&[["release", "plan.toml"].as_slice(), both].concat());
        assert_eq!(done.status, Some(2), "{}", done.err);
    }
}

#[test]
fn devices_and_pipes_are_written_to_and_stay() {
    let here = Here::new();
    assert!(
        Command::new("mkfifo")
            .arg(here.path("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let done = here.shell(
        "cat pipe >through.csv & lastbit release plan.toml --csv pipe; status=$?; wait; exit \
         $status",
    );
    done.succeeded();
    assert!(here.read("through.csv").starts_with("statistic,kind,of,"));
    assert!(
        fs::symlink_metadata(here.path("pipe"))
            .unwrap()
            .file_type()
            .is_fifo()
    );

    here.run(&["release", "plan.toml", "--html", "/dev/null"])
        .succeeded();
    let full = here.run(&["release", "plan.toml", "--html", "/dev/full"]);
    full.refused("at no cost");
    for device in ["/dev/null", "/dev/full"] {
        assert!(fs::metadata(device).unwrap().file_type().is_char_device());
    }
    let through = here
        .shell("lastbit release plan.toml --csv /dev/stdout | cat")
        .succeeded();
    assert!(
        through.out.contains("statistic,kind,of,"),
        "{}",
        through.out
    );
}

#[test]
fn permissions_follow_the_umask_and_are_never_widened() {
    let here = Here::new();
    here.shell("umask 027; lastbit release plan.toml --html a.html --csv a.csv")
        .succeeded();
    assert_eq!((here.mode("a.html"), here.mode("a.csv")), (0o640, 0o640));
    here.shell("umask 077; lastbit plan plan.toml --html b.html")
        .succeeded();
    assert_eq!(here.mode("b.html"), 0o600);
    here.set_mode("a.html", 0o600);
    here.shell("umask 000; lastbit release plan.toml --html a.html")
        .succeeded();
    assert_eq!(here.mode("a.html"), 0o600);
}

#[test]
fn killed_writes_leave_nothing_behind() {
    let here = Here::new();
    let line = [
        "release",
        "plan.toml",
        "--html",
        "page.html",
        "--csv",
        "table.csv",
    ];
    here.run(&line).succeeded();
    let begun = Instant::now();
    here.run(&line).succeeded();
    let mut whole = begun.elapsed();
    let expected = here.files();
    let mut killed = 0;
    for number in 0..400u32 {
        let mut child = here.command(&line).spawn().unwrap();
        std::thread::sleep(whole * (number * 23 % 60) / 60 + Duration::from_micros(300));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        if output.status.code().is_none() {
            killed += 1;
        } else {
            // The machine was slower when it was timed.
            whole = whole * 9 / 10;
        }
        let page = here.read("page.html");
        assert!(page.trim_end().ends_with("</html>"));
        // Between two calls of the system a file that replaces another one has a name of its own.
        let left: Vec<String> = here
            .files()
            .into_iter()
            .filter(|name| !expected.contains(name) && !name.starts_with("lastbit.ledger-"))
            .filter(|name| !name.ends_with(".lastbit-link"))
            // Locks end with their process; their files go with the next to close the ledger.
            .filter(|name| ![".lastbit.ledger.open", ".lastbit.ledger.write"].contains(&&**name))
            .collect();
        assert_eq!(left, Vec::<String>::new());
        if killed == 60 {
            break;
        }
    }
    assert!(killed > 10, "{killed} were killed");
    // What was killed between those calls is removed by the next to write there.
    here.write(
        ".page.html.7-1.lastbit-link",
        "whole, and not yet in its place",
    );
    here.run(&line).succeeded();
    assert_eq!(here.files(), expected);
}

#[test]
fn what_a_crash_left_behind_is_removed() {
    let here = Here::new();
    let old = [
        ".page.html.7-1.lastbit-tmp",
        ".lastbit.ledger.00000000000000ff.new",
        ".lastbit.ledger.00000000000000ff.new-wal",
    ];
    for name in old {
        here.write(name, "half");
        let done = Command::new("touch")
            .args(["-d", "1 hour ago"])
            .arg(here.path(name))
            .status();
        assert!(done.unwrap().success());
    }
    here.write(".page.html.8-1.lastbit-tmp", "under way");
    let done: Done = here.run(&["release", "plan.toml", "--html", "page.html"]);
    done.succeeded();
    assert_eq!(
        here.files(),
        [
            ".page.html.8-1.lastbit-tmp",
            "lastbit.ledger",
            "page.html",
            "people.csv",
            "plan.toml"
        ]
    );
}

#[test]
fn certificates_and_pictures_replace_nothing_of_others() {
    let here = Here::new();
    let prove = |file: &str| {
        here.run(&[
            "verify",
            "snapping",
            "--epsilon",
            "1.1",
            "--bound",
            "100",
            "--certificate",
            file,
        ])
    };
    here.release();
    here.write("work.json", "years of work\n");
    symlink("work.json", here.path("link.json")).unwrap();
    for file in ["work.json", "link.json", "lastbit.ledger", "no/such.json"] {
        prove(file).refused(file);
    }
    assert_eq!(here.read("work.json"), "years of work\n");
    prove("loss.json").succeeded();
    prove("loss.json").succeeded();
    here.run(&["verify", "check", "loss.json"]).succeeded();

    let draw = |file: &str| here.run(&["verify", "exhaustive", "--precision", "3", "--svg", file]);
    draw("work.json").refused("work.json");
    draw("loss.svg").succeeded();
    draw("loss.svg").succeeded();
    assert!(here.read("loss.svg").contains("<svg"));
}

#[test]
fn data_behind_links_and_patterns_are_not_written_over() {
    use std::os::unix::fs::symlink;
    for (files, output) in [
        ("data", "real.csv"),
        ("data", "else/b.csv"),
        ("day=?.csv", "day=1.csv/p.csv"),
        ("day=?.csv", "day=1.csv/new.csv"),
        ("linked/*.csv", "else/new.csv"),
    ] {
        let here = Here::new();
        for directory in ["data", "else", "day=1.csv"] {
            fs::create_dir(here.path(directory)).unwrap();
        }
        for copy in ["real.csv", "else/b.csv", "day=1.csv/p.csv"] {
            fs::copy(here.path("people.csv"), here.path(copy)).unwrap();
        }
        symlink("../real.csv", here.path("data/a.csv")).unwrap();
        symlink("../else", here.path("data/sub")).unwrap();
        symlink("else", here.path("linked")).unwrap();
        let files = format!("{files}\"\nformat = \"csv");
        here.write("plan.toml", plan(50).replace("people.csv", &files));
        let before = fs::read(here.path(output)).ok();
        here.run(&["release", "plan.toml", "--csv", output, "--force"])
            .refused("data, and nothing was written");
        assert_eq!(fs::read(here.path(output)).ok(), before, "{output}");
        assert!(!here.path("lastbit.ledger").exists());
    }
}
