//! Processes that are killed, that race, and that run out of space: never overspent, never a number
//! shown that is not in the ledger, always reopenable.
//!
//! The processes are this test program itself, run for its test `worker` alone. A worker shows a
//! line only after its settlement returned.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lastbit_exact::Rational;
use lastbit_release::ledger::{Event, Ledger, LedgerError, Outcome, Request, check};
use lastbit_release::loss::Loss;

const LEDGER: &str = "LASTBIT_TEST_LEDGER";
const BUDGET: &str = "LASTBIT_TEST_BUDGET";
const SECONDS: &str = "LASTBIT_TEST_SECONDS";
const NAME: &str = "LASTBIT_TEST_NAME";
const PADDING: &str = "LASTBIT_TEST_PADDING";

/// What workers show begins with this, among the lines of the test harness.
const SHOWN: &str = "released ";
const REFUSED: &str = "refused";
const FAILED: &str = "failed: ";

fn pure(epsilon: &Rational) -> Loss {
    Loss::pure(epsilon.clone()).unwrap()
}

/// In a process of its own: reserves, settles and shows, again and again. In the test run proper:
/// nothing.
#[test]
fn worker() {
    let Some(path) = std::env::var_os(LEDGER) else {
        return;
    };
    let variable = |name: &str| std::env::var(name).unwrap();
    let budget: Rational = variable(BUDGET).parse().unwrap();
    let until = Instant::now() + Duration::from_secs_f64(variable(SECONDS).parse().unwrap());
    let name = variable(NAME);
    let padding = "x".repeat(variable(PADDING).parse().unwrap());
    let mut out = std::io::stdout().lock();
    let mut show = |line: String| {
        // One write, so that a kill shows a line whole or cut, never two in one.
        out.write_all(line.as_bytes()).unwrap();
        out.flush().unwrap();
    };
    let release = |ledger: &mut Ledger, index: u64| -> Result<String, LedgerError> {
        let request = Request {
            plan: format!("{name}-{index}"),
            data: "data".into(),
            loss: pure(&Rational::new(1 + index % 5, 10_007)),
            description: String::new(),
        };
        match ledger.reserve(&request)? {
            Outcome::Reserved(reserved) => {
                let report = format!("{name}-{index}-{}{padding}", reserved.row());
                ledger.settle(reserved, &report)?;
                Ok(report)
            }
            Outcome::Stored(stored) => Ok(stored.report),
        }
    };
    let mut ledger = match Ledger::open(Path::new(&path), &pure(&budget)) {
        // The budget of a race is raised under way.
        Err(LedgerError::BudgetDiffers { .. }) => Ledger::open_existing(Path::new(&path)),
        opened => opened,
    }
    .unwrap();
    show("\n".into());
    for index in 0.. {
        if Instant::now() > until {
            break;
        }
        match release(&mut ledger, index) {
            Ok(report) => show(format!("{SHOWN}{}\n", report.trim_end_matches('x'))),
            Err(error) if error.is_refused() => {
                show(format!("{REFUSED}\n"));
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => {
                show(format!("{FAILED}{error}\n"));
                break;
            }
        }
    }
}

struct Worker {
    process: Child,
    name: String,
}

fn command(path: &Path, budget: &Rational, seconds: f64, name: &str, padding: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "ledger::crash::worker",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(LEDGER, path)
        .env(BUDGET, budget.to_string())
        .env(SECONDS, seconds.to_string())
        .env(NAME, name)
        .env(PADDING, padding.to_string())
        .stderr(Stdio::null());
    command
}

/// Starts a worker whose output goes to a file, which a kill does not lose.
fn start(path: &Path, budget: &Rational, seconds: f64, name: String) -> Worker {
    let shown = path.parent().unwrap().join(&name);
    let process = command(path, budget, seconds, &name, 0)
        .stdout(File::create(shown).unwrap())
        .spawn()
        .unwrap();
    Worker { process, name }
}

/// The whole lines that a worker showed.
fn lines(path: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(path.parent().unwrap().join(name)).unwrap();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    text[..whole].lines().map(str::to_owned).collect()
}

/// What a worker showed as released.
fn shown(path: &Path, name: &str) -> Vec<String> {
    lines(path, name)
        .iter()
        .filter_map(|line| line.strip_prefix(SHOWN))
        .map(str::to_owned)
        .collect()
}

/// Adds the ledger up anew, row by row: never above the budget in force. Returns the settled
/// reports.
fn assert_never_overspent(ledger: &mut Ledger) -> HashSet<String> {
    let mut budget = Rational::ZERO;
    let mut spent = Rational::ZERO;
    let mut reports = HashSet::new();
    for entry in ledger.entries().unwrap() {
        match entry.event {
            Event::Budget { budget: new, .. } => budget = new.main,
            Event::Reserve { loss, .. } => spent = &spent + &loss.main,
            Event::Settle { report, .. } => {
                assert!(reports.insert(report.trim_end_matches('x').to_owned()));
            }
        }
        assert!(spent <= budget, "row {}", entry.row);
    }
    assert_eq!(ledger.account().spent.main, spent);
    reports
}

/// 220 kills at random moments: from before the ledger exists to the middle of any write, two
/// processes at once, a new ledger every twenty kills.
#[test]
fn killed_processes_leave_a_ledger_that_opens_and_has_all_that_was_shown() {
    let directory = tempfile::tempdir().unwrap();
    let budget: Rational = "0.05".parse().unwrap();
    let mut state = 0x6b69_6c6c_u64;
    let mut pause = |most_micros: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Duration::from_micros((state >> 11) % most_micros)
    };
    let (mut kills, mut released, mut wasted) = (0, 0, 0);
    for round in 0..11 {
        let home = directory.path().join(round.to_string());
        fs::create_dir(&home).unwrap();
        let path = home.join("ledger");
        let mut all = Vec::new();
        for pair in 0..10 {
            let mut workers: Vec<Worker> = (0..2)
                .map(|one| start(&path, &budget, 60.0, format!("{pair}-{one}")))
                .collect();
            for worker in &mut workers {
                std::thread::sleep(pause(60_000));
                worker.process.kill().unwrap();
                assert!(!worker.process.wait().unwrap().success(), "killed in time");
                kills += 1;
            }
            all.extend(workers.into_iter().map(|worker| worker.name));
            if !path.exists() {
                continue;
            }
            let mut ledger = Ledger::open(&path, &pure(&budget)).unwrap();
            let reports = assert_never_overspent(&mut ledger);
            for name in &all {
                for report in shown(&path, name) {
                    assert!(reports.contains(&report), "{report} is not in the ledger");
                }
            }
            assert!(check(&path, &[]).unwrap().passed());
        }
        released += all
            .iter()
            .map(|name| shown(&path, name).len())
            .sum::<usize>();
        wasted += Ledger::open(&path, &pure(&budget))
            .unwrap()
            .unsettled()
            .len();
    }
    assert!(
        kills >= 200 && released > 0,
        "{kills} kills, {released} released"
    );
    println!("{kills} kills, {released} releases shown, {wasted} reservations wasted");
}

/// Sixteen processes and one budget, which is raised under way so that there is always something to
/// fight for. Four seconds, or as many as LASTBIT_RACE_SECONDS says.
#[test]
fn racing_processes_never_overspend() {
    let seconds: f64 =
        std::env::var("LASTBIT_RACE_SECONDS").map_or(4.0, |text| text.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let budget = Rational::new(10, 10_007);
    let mut workers: Vec<Worker> = (0..16)
        .map(|index| start(&path, &budget, seconds, format!("worker-{index}")))
        .collect();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
        // Only when all is spent, so that however slow the disk is, some requests are refused.
        if let Ok(mut ledger) = Ledger::open_existing(&path)
            && ledger.account().remaining().main < Rational::new(1, 10_007)
        {
            let more = &ledger.account().budget.main + &Rational::new(50, 10_007);
            ledger.set_budget(&pure(&more), "more").unwrap();
        }
    }
    for worker in &mut workers {
        assert!(worker.process.wait().unwrap().success());
    }
    let mut ledger = Ledger::open_existing(&path).unwrap();
    let reports = assert_never_overspent(&mut ledger);
    let (mut released, mut refused) = (0, 0);
    for worker in &workers {
        let lines = lines(&path, &worker.name);
        assert!(
            !lines.iter().any(|line| line.starts_with(FAILED)),
            "{lines:?}"
        );
        refused += lines.iter().filter(|line| *line == REFUSED).count();
        for report in shown(&path, &worker.name) {
            assert!(reports.contains(&report), "{report} is not in the ledger");
            released += 1;
        }
    }
    // Nobody was killed: all that was settled was shown, once.
    assert_eq!(released, reports.len());
    assert!(
        released > 0 && refused > 0,
        "{released} released, {refused} refused"
    );
    assert!(check(&path, &[]).unwrap().passed());
    println!("{seconds} s: {released} released, {refused} refused");
}

/// A limit on the size of files stops the worker at some write, as a full disk does. Whatever it
/// showed is in the ledger, which opens and grants again when there is room.
#[cfg(unix)]
#[test]
fn out_of_space_is_an_error_and_the_ledger_opens_again() {
    let directory = tempfile::tempdir().unwrap();
    let budget = Rational::from(1i64);
    for blocks in [0, 1, 9, 40, 64, 100, 150, 217] {
        let path = directory.path().join(format!("{blocks}.ledger"));
        // The signal of the limit is ignored, so that writes fail instead; children inherit that.
        let inner = command(&path, &budget, 60.0, "ledger::crash::worker", 2500);
        let mut outer = Command::new("sh");
        outer
            .arg("-c")
            .arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""))
            .arg("sh")
            .arg(inner.get_program())
            .args(inner.get_args());
        for (name, value) in inner.get_envs() {
            outer.env(name, value.unwrap());
        }
        // A pipe has no limit.
        let output = outer.stderr(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        if !path.exists() {
            assert!(!output.status.success() && !said.contains(SHOWN), "{said}");
            let names: Vec<_> = fs::read_dir(directory.path()).unwrap().flatten().collect();
            assert!(
                !names
                    .iter()
                    .any(|name| name.file_name().to_string_lossy().ends_with(".new")),
                "{names:?}"
            );
            continue;
        }
        let failed = said.lines().find_map(|line| line.strip_prefix(FAILED));
        let failed = failed.unwrap_or_else(|| panic!("{blocks}: {said}"));
        assert!(
            failed.contains("the disk failed") || failed.contains("no space is left"),
            "{failed}"
        );
        let mut ledger = Ledger::open(&path, &pure(&budget)).unwrap();
        let reports = assert_never_overspent(&mut ledger);
        for report in said.lines().filter_map(|line| line.strip_prefix(SHOWN)) {
            assert!(reports.contains(report), "{report} is not in the ledger");
        }
        let request = Request {
            plan: "later".into(),
            data: "data".into(),
            loss: pure(&Rational::new(1, 2)),
            description: String::new(),
        };
        let _ = ledger.reserve(&request).unwrap();
        assert!(check(&path, &[]).unwrap().passed());
    }
}
