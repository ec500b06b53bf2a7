//! One ledger for a directory, closed to others, and readable where nothing can be written.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::{Here, plan};

#[test]
fn first_releases_that_start_together_spend_one_budget() {
    for round in 0..5 {
        let here = Here::new();
        let names: Vec<String> = (1..=4).map(|number| format!("plan{number}.toml")).collect();
        for (number, name) in names.iter().enumerate() {
            here.write(name, plan(10 + number as u32));
        }
        let started: Vec<_> = names
            .iter()
            .map(|name| here.command(&["release", name]).spawn().unwrap())
            .collect();
        let done: Vec<_> = started
            .into_iter()
            .map(|child| child.wait_with_output().unwrap())
            .collect();
        let paid = done.iter().filter(|output| output.status.success()).count();
        let ledgers: Vec<String> = here
            .files()
            .into_iter()
            .filter(|name| name.ends_with(".ledger"))
            .collect();
        assert_eq!(ledgers, ["lastbit.ledger"], "round {round}");
        assert_eq!(paid, 1, "round {round}");
        assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("1"));
        for output in done.iter().filter(|output| !output.status.success()) {
            assert_eq!(output.status.code(), Some(1));
            assert!(String::from_utf8_lossy(&output.stderr).contains("remaining"));
        }
    }
}

/// Whether the ledger composes or adds up plainly, and whatever came before.
#[test]
fn the_same_release_that_starts_together_is_paid_once() {
    let composing = plan(20).replace("epsilon = 1", "epsilon = 1\ndelta = 1e-6");
    assert_ne!(composing, plan(20));
    let spending = |text: &str, spent: &str| format!("{text}[spend]\n{spent}\n");
    let plans = [
        plan(20),
        spending(&plan(20), "epsilon = 0.1"),
        spending(&composing, "part = \"1/10\""),
        composing,
    ];
    for (round, text) in plans.into_iter().enumerate() {
        let here = Here::new();
        here.write("plan.toml", text);
        let started: Vec<_> = (0..6)
            .map(|_| here.command(&["release", "plan.toml"]).spawn().unwrap())
            .collect();
        let printed: Vec<Vec<u8>> = started
            .into_iter()
            .map(|child| {
                let output = child.wait_with_output().unwrap();
                let err = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "round {round}: {err}");
                output.stdout
            })
            .collect();
        let history = here.run(&["ledger", "history", "lastbit.ledger", "--json"]);
        let paid = history
            .succeeded()
            .out
            .matches("\"kind\": \"reserve\"")
            .count();
        assert_eq!(paid, 1, "round {round}");
        let first = &printed[0];
        assert!(printed.iter().all(|one| one == first), "round {round}");
        let left: Vec<String> = here
            .files()
            .into_iter()
            .filter(|n| n.contains("turn"))
            .collect();
        assert!(left.is_empty(), "round {round}: {left:?}");
    }
}

/// Otherwise the mistakes of a first plan would be fixed for all that come after it.
#[test]
fn a_release_that_fails_leaves_no_ledger() {
    let here = Here::new();
    let counted = plan(20)
        .replace("\"add-remove\"", "\"change-one\"\nrows = 123456")
        .replace("[[statistics]]\nname = \"people\"\nkind = \"count\"\n", "");
    here.write("plan.toml", counted);
    here.run(&["release", "plan.toml"]).refused("123456");
    assert_eq!(here.files(), ["people.csv", "plan.toml"]);
    here.write("plan.toml", plan(20));
    here.run(&["release", "plan.toml"]).succeeded();
}

#[test]
fn a_ledger_of_another_name_stays_the_one_of_its_directory() {
    let here = Here::new();
    here.run(&["release", "plan.toml", "--ledger", "plan.ledger"])
        .succeeded();
    here.write("other.toml", plan(30));
    here.run(&["release", "other.toml"]).refused("remaining");
    assert!(!here.path("lastbit.ledger").exists());
    here.run(&["release", "plan.toml"]).succeeded();

    // With a second one nobody can know which is meant.
    fs::copy(here.path("plan.ledger"), here.path("copy.ledger")).unwrap();
    let unclear = here
        .run(&["release", "plan.toml"])
        .refused("several ledgers");
    for words in ["copy.ledger", "plan.ledger", "--ledger", "ledger show"] {
        assert!(unclear.err.contains(words), "{}", unclear.err);
    }
    here.run(&["release", "plan.toml", "--ledger", "plan.ledger"])
        .succeeded();
}

#[test]
fn a_plan_behind_a_link_from_another_directory_has_no_ledger_by_itself() {
    let here = Here::new();
    fs::create_dir(here.path("home")).unwrap();
    fs::rename(here.path("plan.toml"), here.path("home/plan.toml")).unwrap();
    symlink("home/plan.toml", here.path("link.toml")).unwrap();
    here.run(&["release", "link.toml"]).refused("--ledger");
    assert_eq!(here.files(), ["home", "link.toml", "people.csv"]);
    here.run(&["release", "link.toml", "--ledger", "mine.ledger"])
        .succeeded();

    // A link beside the plan is another name for it, and so is a link to its directory.
    here.write("plan.toml", plan(50));
    symlink("plan.toml", here.path("again.toml")).unwrap();
    here.run(&["release", "again.toml"]).succeeded();
    symlink(here.path(""), here.path("around")).unwrap();
    let again = here.run(&["release", "around/plan.toml"]).succeeded();
    assert!(again.err.contains("at no cost"), "{}", again.err);
}

#[test]
fn no_file_of_a_ledger_is_ever_open_to_others() {
    let here = Here::new();
    let done = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut seen = Vec::new();
            while !done.load(Ordering::Relaxed) {
                for entry in fs::read_dir(here.path("")).unwrap().flatten() {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if !name.contains("ledger") {
                        continue;
                    }
                    if let Ok(about) = entry.metadata() {
                        use std::os::unix::fs::MetadataExt;
                        seen.push((name, about.mode() & 0o777));
                    }
                }
                std::thread::sleep(Duration::from_micros(200));
            }
            seen
        });
        let released = here.shell("umask 000; lastbit release plan.toml");
        done.store(true, Ordering::Relaxed);
        released.succeeded();
        watch.join().unwrap()
    });
    assert!(!seen.is_empty());
    for (name, mode) in seen {
        assert_eq!(mode, 0o600, "{name} had the mode {mode:o}");
    }
    assert_eq!(here.mode("lastbit.ledger"), 0o600);
    assert_eq!(here.files(), ["lastbit.ledger", "people.csv", "plan.toml"]);
}

#[test]
fn a_ledger_that_others_can_read_is_warned_of() {
    let here = Here::new();
    here.release();
    let quiet = here.run(&["ledger", "show", "lastbit.ledger"]).succeeded();
    assert_eq!(quiet.err, "");
    for mode in [0o644, 0o640, 0o604] {
        here.set_mode("lastbit.ledger", mode);
        for arguments in [
            ["ledger", "show", "lastbit.ledger"].as_slice(),
            &["ledger", "history", "lastbit.ledger"],
            &["ledger", "check", "lastbit.ledger"],
            &["ledger", "budget", "lastbit.ledger", "--epsilon", "1"],
            &["release", "plan.toml"],
        ] {
            let warned = here.run(arguments).succeeded();
            assert!(
                warned.err.contains("warning: lastbit.ledger"),
                "{}",
                warned.err
            );
            assert!(warned.err.contains("chmod 600"), "{}", warned.err);
        }
    }
}

#[test]
fn a_ledger_is_shown_and_checked_where_nothing_can_be_written() {
    let here = Here::new();
    here.release();
    let shown = here.run(&["ledger", "show", "lastbit.ledger"]).succeeded();
    // For the copy of the command that others run.
    here.run_as_other(&["--version"]).succeeded();
    here.set_mode("", 0o555);
    // The owner's permission to write is none of others.
    for mode in [0o644, 0o444] {
        here.set_mode("lastbit.ledger", mode);
        for word in ["show", "check", "history"] {
            let looked = here
                .run_as_other(&["ledger", word, "lastbit.ledger"])
                .succeeded();
            if word == "show" {
                assert_eq!(looked.out, shown.out);
            }
        }
    }
    here.run_as_other(&["ledger", "budget", "lastbit.ledger", "--epsilon", "2"])
        .refused("cannot be written");
    here.set_mode("", 0o755);
}

#[test]
fn entries_in_a_log_that_cannot_be_read_are_not_passed_over() {
    let here = Here::new();
    here.release();
    here.write("lastbit.ledger-wal", vec![7; 5000]);
    here.set_mode("lastbit.ledger-wal", 0o444);
    here.set_mode("lastbit.ledger", 0o444);
    here.run_as_other(&["--version"]).succeeded();
    here.set_mode("", 0o555);
    here.run_as_other(&["ledger", "check", "lastbit.ledger"])
        .refused("-wal");
    here.set_mode("", 0o755);
}

#[test]
fn the_check_of_a_damaged_ledger_does_not_advise_itself() {
    let here = Here::new();
    here.release();
    let whole = fs::read(here.path("lastbit.ledger")).unwrap();
    for (at, length) in [(100, 300), (0x1000, 200), (200, 3000)] {
        here.write("lastbit.ledger", &whole);
        let mut file = fs::OpenOptions::new()
            .write(true)
            .open(here.path("lastbit.ledger"))
            .unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&vec![0xa5; length]).unwrap();
        let checked = here.run(&["ledger", "check", "lastbit.ledger"]);
        assert_eq!(checked.status, Some(1), "{}{}", checked.out, checked.err);
        assert!(
            !checked.err.contains("`lastbit ledger check"),
            "{}",
            checked.err
        );
        here.run(&["release", "plan.toml"]).refused("");
    }
}

#[test]
fn a_file_of_sqlite_is_neither_a_ledger_nor_the_log_of_a_new_one() {
    let here = Here::new();
    for name in ["lastbit.ledger-wal", "x-journal", "y-shm"] {
        here.run(&["release", "plan.toml", "--ledger", name])
            .refused("are SQLite's");
        assert!(!here.path(name).exists());
    }
    here.write("lastbit.ledger-wal", "the log of a ledger that is gone");
    here.run(&["release", "plan.toml"]).refused("is left of it");
    assert!(!here.path("lastbit.ledger").exists());
}

/// Every size of a small disk: there is a whole ledger or none, and with room it works. Needs the
/// right to mount.
#[test]
fn a_full_disk_leaves_no_half_ledger() {
    let here = Here::new();
    std::fs::create_dir(here.path("disk")).unwrap();
    let mount = |options: &str| {
        std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(here.path("disk"))
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let mut refused = 0;
    for kib in (40..=88).step_by(4) {
        if !mount(&format!("size={kib}k")) {
            eprintln!("skipped: a small disk cannot be mounted here; run the test as root");
            return;
        }
        for name in ["people.csv", "plan.toml"] {
            std::fs::copy(here.path(name), here.path("disk").join(name)).unwrap();
        }
        let release = ["release", "disk/plan.toml"];
        refused += u32::from(here.run(&release).status != Some(0));
        assert!(mount("remount,size=10m"));
        here.run(&release).succeeded();
        here.run(&["ledger", "check", "disk/lastbit.ledger"])
            .succeeded();
        let unmounted = std::process::Command::new("umount")
            .arg(here.path("disk"))
            .status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
    assert!(refused >= 4, "{refused} of the disks were too small");
}

/// A plan about people of many visits, whose unit is what `rest` makes of it.
fn visits(unit: &str, lookup: &str, columns: &str) -> String {
    format!(
        "[source]\nfiles = \"visits.csv\"\n{lookup}\n[privacy]\nneighbours = \"add-remove\"\n\
         unit = \"{unit}\"\nmost_rows = 1\n[budget]\nepsilon = 10\n[spend]\nepsilon = 1\n\
         {columns}\n[[statistics]]\nname = \"visits\"\nkind = \"count\"\n"
    )
}

/// One name, two meanings: by another table, in a table instead of the file, by other codes, and by
/// a table or codes of a key that a table is looked up by.
#[test]
fn a_ledger_refuses_a_unit_that_is_made_of_something_else() {
    let table = |file: &str, key: &str, column: &str| {
        format!("[[source.lookup]]\nfile = \"{file}\"\nkey = \"{key}\"\ncolumns = [\"{column}\"]")
    };
    let codes = |name: &str, codes: &str| {
        format!("[columns.{name}]\ndiscover = true\nmissing_codes = {codes}\n")
    };
    let by = |expression: &str| format!("[columns.w]\nas = \"{expression}\"\ndiscover = true\n");
    let deep = |first: &str| {
        let tables = [table(first, "v", "h"), table("k.csv", "h", "k")].join("\n");
        visits("w", &tables, &by("concat(k, u)"))
    };
    let coded = |list: &str| {
        let columns = by("coalesce(u, v)") + &codes("u", list);
        visits("w", "", &columns)
    };
    let keyed = |list: &str| visits("h", &table("l1.csv", "v", "h"), &codes("v", list));
    let pairs = [
        (
            visits("u", "", ""),
            visits("u", &table("look.csv", "v", "u"), ""),
        ),
        (
            visits("w", &table("l1.csv", "v", "h"), &by("h")),
            visits("w", &table("l2.csv", "v", "h"), &by("h")),
        ),
        (visits("w", "", &by("coalesce(u, v)")), coded("[1, 2]")),
        (coded("[1, 2]"), coded("[1]")),
        (deep("l1.csv"), deep("l2.csv")),
        (keyed("[1]"), keyed("[2]")),
    ];
    for (index, (first, second)) in pairs.iter().enumerate() {
        let here = Here::empty();
        here.write("visits.csv", "u,v\n1,1\n1,2\n1,3\n2,1\n2,2\n");
        here.write("look.csv", "v,u\n1,p\n2,q\n3,r\n");
        here.write("l1.csv", "v,h\n1,p\n2,p\n3,p\n");
        here.write("l2.csv", "v,h\n1,p\n2,q\n3,r\n");
        here.write("k.csv", "h,k\np,1\nq,2\nr,3\n");
        for (plan, other) in [(first, second), (second, first)] {
            let ledger = here.path("lastbit.ledger");
            here.write("plan.toml", plan);
            here.release();
            here.write("plan.toml", other);
            let refused = here.run(&["release", "plan.toml"]);
            assert_eq!(refused.status, Some(1), "pair {index}: {}", refused.out);
            assert!(
                refused.err.contains("have no sum"),
                "{index}: {}",
                refused.err
            );
            assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("1"));
            fs::remove_file(ledger).unwrap();
        }
    }
}

/// What changes nothing about who is a unit is no reason to refuse: the name of a table's file and
/// its layout, columns and tables that the unit is not made of, the order of codes, and codes of
/// the unit's own column, whose rows count nowhere.
#[test]
fn a_ledger_takes_plans_whose_unit_is_made_of_the_same() {
    let here = Here::empty();
    here.write("visits.csv", "u,v\n1,1\n1,2\n1,3\n2,1\n2,2\n");
    here.write("one.csv", "v,h,z\n1,p,4\n2,p,5\n");
    here.write("two.csv", "z,v,h\n9,2,p\n4,1.0,p\n");
    let table = |file: &str, columns: &str| {
        format!("[[source.lookup]]\nfile = \"{file}\"\nkey = \"v\"\ncolumns = {columns}")
    };
    let codes = |name: &str, codes: &str| {
        format!("[columns.{name}]\ndiscover = true\nmissing_codes = {codes}\n")
    };
    let by = "[columns.w]\nas = \"coalesce(h, u)\"\ndiscover = true\n";
    let groups = [
        vec![
            visits("u", "", ""),
            visits("u", "", &codes("u", "[2]")),
            visits("u", &table("one.csv", "[\"h\"]"), &codes("v", "[2]")),
        ],
        vec![
            visits(
                "w",
                &table("one.csv", "[\"h\", \"z\"]"),
                &(codes("u", "[1, 2]") + by),
            ),
            visits(
                "w",
                &table("two.csv", "[\"h\"]"),
                &(codes("u", "[2, 1]") + by),
            ),
        ],
    ];
    for plans in groups {
        let ledger = here.path("lastbit.ledger");
        for (count, plan) in plans.iter().enumerate() {
            // Another name: another release.
            let name = format!("visits {count}");
            here.write(
                "plan.toml",
                plan.replace("\"visits\"", &format!("\"{name}\"")),
            );
            here.release();
        }
        let spent = plans.len().to_string();
        assert_eq!(here.spent("lastbit.ledger"), Some(spent));
        fs::remove_file(ledger).unwrap();
    }
    // Such a unit is named as it always was, so that old ledgers stay in use.
    here.write("plan.toml", visits("u", "", &codes("u", "[2]")));
    here.release();
    let history = here
        .run(&["ledger", "history", "lastbit.ledger", "--json"])
        .succeeded();
    let first = "protects all rows of one \\\"u\\\", added or removed\"";
    assert!(history.out.contains(first), "{}", history.out);
}
