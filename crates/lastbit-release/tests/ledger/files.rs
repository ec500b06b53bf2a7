//! Files that are no ledger, or none any more: one clear error each, and nothing is made or
//! changed.

use std::fs;
use std::path::{Path, PathBuf};

use lastbit_release::ledger::{Ledger, LedgerError, Outcome, Request, check};
use lastbit_release::loss::Loss;
use rusqlite::Connection;
use tempfile::TempDir;

fn pure(epsilon: &str) -> Loss {
    Loss::pure(epsilon.parse().unwrap()).unwrap()
}

fn request(plan: &str, epsilon: &str) -> Request {
    Request {
        plan: plan.into(),
        data: "data".into(),
        loss: pure(epsilon),
        description: "a count".into(),
    }
}

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ledger");
    (directory, path)
}

/// A closed ledger with some releases: ε = 0.75 spent of 1.
fn sample() -> (TempDir, PathBuf) {
    let (directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    for plan in ["a", "b", "c"] {
        let Outcome::Reserved(reserved) = ledger.reserve(&request(plan, "0.25")).unwrap() else {
            panic!("nothing was settled");
        };
        let report = format!("{{\"plan\":\"{plan}\",\"pad\":\"{}\"}}", "x".repeat(3000));
        ledger.settle(reserved, &report).unwrap();
    }
    (directory, path)
}

/// Every way to open the file gives the error; its bytes stay, and nothing appears beside it.
fn assert_refused(path: &Path, says: &str) {
    let directory = path.parent().unwrap();
    let names = || fs::read_dir(directory).map_or(0, Iterator::count);
    let before = (fs::read(path).ok(), names());
    for error in [
        Ledger::open(path, &pure("1")).unwrap_err(),
        Ledger::open_existing(path).unwrap_err(),
        Ledger::view(path).unwrap_err(),
        check(path, &[]).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(text.contains(says), "{text}");
    }
    assert!(
        (fs::read(path).ok(), names()) == before,
        "something changed"
    );
}

#[test]
fn files_that_are_something_else_are_left_as_they_are() {
    let (_directory, path) = place();
    fs::write(&path, "").unwrap();
    assert_refused(&path, "the file is empty, so it is not a ledger");
    fs::write(&path, "plan,loss\n1,2\n").unwrap();
    assert_refused(&path, "it is not a SQLite database");
    fs::write(&path, vec![0xA5; 50_000]).unwrap();
    assert_refused(&path, "it is not a SQLite database");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_refused(&path, "it is a directory");
}

#[test]
fn databases_of_other_programs_are_left_as_they_are() {
    let (_directory, path) = place();
    let db = Connection::open(&path).unwrap();
    db.execute_batch("CREATE TABLE people (name TEXT)").unwrap();
    drop(db);
    assert_refused(&path, "it is a SQLite database of another program");
}

#[test]
fn a_ledger_of_another_format_names_both_formats() {
    let (_directory, path) = sample();
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", 3).unwrap();
    drop(db);
    assert_refused(&path, "has format 3, this program reads format 2");
}

#[test]
fn a_missing_directory_or_file_is_named() {
    let (directory, path) = place();
    let lost = directory.path().join("no/such/place/a.ledger");
    let error = Ledger::open(&lost, &pure("1")).unwrap_err();
    assert!(matches!(error, LedgerError::NoDirectory(_)), "{error}");
    assert!(error.to_string().contains("create it first"), "{error}");
    assert!(!directory.path().join("no").exists());
    for error in [
        Ledger::open_existing(&path).unwrap_err(),
        Ledger::view(&path).unwrap_err(),
        check(&path, &[]).unwrap_err(),
    ] {
        assert!(matches!(error, LedgerError::Missing(_)), "{error}");
    }
    assert!(!path.exists());
    assert!(Ledger::open(Path::new(""), &pure("1")).is_err());
    assert!(Ledger::open(Path::new("/"), &pure("1")).is_err());
}

#[test]
fn a_read_only_ledger_is_seen_and_not_spent() {
    let (directory, path) = sample();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    for error in [
        Ledger::open(&path, &pure("1")).unwrap_err(),
        Ledger::open_existing(&path).unwrap_err(),
    ] {
        assert!(matches!(error, LedgerError::ReadOnly(_)), "{error}");
        assert!(error.to_string().contains("allow writing"), "{error}");
    }
    let mut ledger = Ledger::view(&path).unwrap();
    assert_eq!(ledger.account().spent, pure("0.75"));
    assert_eq!(ledger.entries().unwrap().len(), 7);
    let error = ledger.reserve(&request("d", "0.1")).unwrap_err();
    assert!(matches!(error, LedgerError::ReadOnly(_)), "{error}");
    assert!(check(&path, &[]).unwrap().passed());
    drop(directory);
}

#[cfg(unix)]
#[test]
fn a_second_name_is_refused_and_a_left_over_draft_is_cleared() {
    let (directory, path) = sample();
    let other = directory.path().join("b.ledger");
    fs::hard_link(&path, &other).unwrap();
    assert_refused(&path, "another name (a hard link)");
    fs::remove_file(&other).unwrap();
    let draft = directory.path().join(".a.ledger.0123456789abcdef.new");
    fs::hard_link(&path, &draft).unwrap();
    assert_eq!(
        Ledger::open(&path, &pure("1")).unwrap().account().spent,
        pure("0.75")
    );
    assert!(!draft.exists());
    let nowhere = directory.path().join("nowhere");
    std::os::unix::fs::symlink(directory.path().join("not there"), &nowhere).unwrap();
    let error = Ledger::open(&nowhere, &pure("1")).unwrap_err();
    assert!(matches!(error, LedgerError::CannotPlace { .. }), "{error}");
    // A symbolic link is the same file under the same log.
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut one = Ledger::open(&path, &pure("1")).unwrap();
    let mut two = Ledger::open(&link, &pure("1")).unwrap();
    let _ = one.reserve(&request("d", "0.2")).unwrap();
    assert!(two.reserve(&request("e", "0.2")).unwrap_err().is_refused());
}

#[cfg(target_os = "linux")]
const MOUNTED: &str = "LASTBIT_TEST_MOUNTED";

/// In a process of its own, in which a ledger is mounted under a second name: that is refused, the
/// first is not, and neither is one whose directory is mounted. In the test run proper: nothing.
#[cfg(target_os = "linux")]
#[test]
fn mounted() {
    let Some(directory) = std::env::var_os(MOUNTED).map(PathBuf::from) else {
        return;
    };
    assert_refused(&directory.join("there/b.ledger"), "(a bind mount)");
    std::os::unix::fs::symlink("there/b.ledger", directory.join("link")).unwrap();
    let error = Ledger::view(&directory.join("link")).unwrap_err();
    assert!(matches!(error, LedgerError::Mounted(_)), "{error}");
    for path in ["a.ledger", "whole/a.ledger"] {
        Ledger::open_existing(&directory.join(path)).unwrap();
    }
    println!("looked at");
}

/// Two names of a file without a second hard link, as `docker run -v a.ledger:/there/b.ledger`
/// makes them, have two logs and two locks.
#[cfg(target_os = "linux")]
#[test]
fn a_ledger_that_is_mounted_by_itself_is_refused() {
    const SCRIPT: &str = "mount --bind \"$1/a.ledger\" \"$1/there/b.ledger\" && \
        mount --bind \"$1\" \"$1/whole\" || exit 77; \
        exec \"$2\" --exact ledger::files::mounted --nocapture";
    let (directory, _) = sample();
    for name in ["there", "whole"] {
        fs::create_dir(directory.path().join(name)).unwrap();
    }
    fs::write(directory.path().join("there/b.ledger"), "").unwrap();
    let run = std::process::Command::new("unshare")
        .args(["--mount", "sh", "-c", SCRIPT, "sh"])
        .arg(directory.path())
        .arg(std::env::current_exe().unwrap())
        .env(MOUNTED, directory.path())
        .output();
    let Ok(run) = run else {
        return eprintln!("SKIPPED: there is no `unshare` here, so nothing is mounted");
    };
    let (out, err) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    // `unshare` ends with 1, and the script with 77, where this user may not mount.
    if run.status.code() == Some(77) || err.starts_with("unshare:") {
        return eprintln!("SKIPPED: nothing may be mounted here: {err}");
    }
    assert!(
        run.status.success() && out.contains("looked at"),
        "{out}{err}"
    );
}

/// Linux refuses a lock for one alone on NFS to whoever has the file open for reading only.
#[cfg(target_os = "linux")]
#[test]
fn locks_that_are_there_already_are_opened_for_writing() {
    let (directory, path) = sample();
    let (_one, _two) = (
        Ledger::view(&path).unwrap(),
        Ledger::open_existing(&path).unwrap(),
    );
    let lock = directory.path().join(".a.ledger.open");
    let mut found = 0;
    for entry in fs::read_dir("/proc/self/fd").unwrap().flatten() {
        if !fs::read_link(entry.path()).is_ok_and(|file| file == lock) {
            continue;
        }
        let about = Path::new("/proc/self/fdinfo").join(entry.file_name());
        let about = fs::read_to_string(about).unwrap();
        let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = u32::from_str_radix(flags.unwrap().trim(), 8).unwrap();
        // The last two bits are those of `O_RDWR`.
        assert_eq!(flags & 3, 2, "{about}");
        found += 1;
    }
    assert_eq!(found, 2);
}

#[cfg(target_os = "linux")]
const SHARED: &str = "LASTBIT_TEST_SHARED";

/// In a process of another user: opens a ledger. In the test run proper: nothing.
#[cfg(target_os = "linux")]
#[test]
fn another_user() {
    if let Some(path) = std::env::var_os(SHARED) {
        Ledger::open_existing(Path::new(&path)).unwrap();
        println!("opened");
    }
}

/// A new lock is its maker's alone until it has the permissions of the ledger.
#[cfg(target_os = "linux")]
#[test]
fn a_lock_that_another_user_is_making_is_waited_for() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let (directory, path) = sample();
    let set_mode = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    if fs::metadata(&path).unwrap().uid() != 0 {
        return eprintln!("SKIPPED: only root may start a process of another user");
    }
    set_mode(directory.path(), 0o777);
    set_mode(&path, 0o666);
    let lock = directory.path().join(".a.ledger.open");
    fs::write(&lock, "").unwrap();
    set_mode(&lock, 0o600);
    let started = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::files::another_user", "--nocapture"])
        .env(SHARED, &path)
        .current_dir(directory.path())
        .uid(65534)
        .gid(65534)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn();
    let started = match started {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return eprintln!("SKIPPED: another user may not run this program: {error}");
        }
        started => started.unwrap(),
    };
    std::thread::sleep(std::time::Duration::from_millis(300));
    set_mode(&lock, 0o666);
    let ended = started.wait_with_output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr),
    );
    assert!(
        ended.status.success() && out.contains("opened"),
        "{out}{err}"
    );
}

/// A deterministic stream of numbers below a bound.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// Whatever bytes of the file change, either every way to open it is an error or the ledger is just
/// what it was: the same entries, the same remaining budget.
#[test]
fn damaged_bytes_are_an_error_or_no_change_at_all() {
    let (directory, path) = sample();
    let bytes = fs::read(&path).unwrap();
    let truth = Ledger::view(&path).unwrap();
    let (rows, head) = truth.head();
    let numbers = &mut Numbers(0x1a57_b175);
    let copy = directory.path().join("copy");
    let mut refused = 0;
    for round in 0..600 {
        let mut damaged = bytes.clone();
        match round % 4 {
            0 => {
                let at = numbers.below(damaged.len());
                damaged[at] ^= 1 << numbers.below(8);
            }
            1 => {
                let from = numbers.below(damaged.len());
                let to = damaged.len().min(from + 1 + numbers.below(600));
                for byte in &mut damaged[from..to] {
                    *byte = numbers.below(256) as u8;
                }
            }
            2 => {
                let page = 4096 * numbers.below(damaged.len() / 4096);
                damaged[page..page + 4096].fill(0);
            }
            _ => damaged.truncate(numbers.below(damaged.len())),
        }
        fs::write(&copy, &damaged).unwrap();
        match Ledger::open_existing(&copy) {
            Ok(mut ledger) => {
                assert_eq!(ledger.head(), (rows, head));
                assert_eq!(ledger.account(), truth.account());
                // Appending may meet the damage, and then nothing is granted.
                match ledger.reserve(&request("d", "0.25")) {
                    Ok(_) => assert_eq!(ledger.account().spent, pure("1")),
                    Err(error) => assert!(!error.is_refused(), "{error}"),
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.is_refused() && !error.to_string().is_empty());
            }
        }
        fs::write(&copy, &damaged).unwrap();
        if let Ok(found) = check(&copy, &[])
            && found.passed()
        {
            assert_eq!((found.entries, found.head.as_str()), (rows, head));
        }
        for beside in ["copy-wal", "copy-shm"] {
            let _ = fs::remove_file(directory.path().join(beside));
        }
    }
    assert!(refused > 300, "{refused} of 600");
}
