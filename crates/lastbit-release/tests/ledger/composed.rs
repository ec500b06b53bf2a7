//! Ledgers that compose: what an analyst who chooses as they go can reach, what is refused, and how
//! old ledgers move on.

use std::path::{Path, PathBuf};

use lastbit::conversions::pure_to_zcdp;
use lastbit_exact::{Rational, Up};
use lastbit_release::ledger::{
    Account, Currency, Event, Ledger, LedgerError, Limit, Outcome, Request, Terms, check,
};
use lastbit_release::loss::{Loss, Measure};
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

fn approximate(epsilon: &str, delta: &str) -> Loss {
    Loss::approximate(number(epsilon), number(delta)).unwrap()
}

fn rho(amount: &str, delta: &str) -> Loss {
    Loss::new(Measure::ApproximateZcdp, number(amount), number(delta)).unwrap()
}

fn request(plan: &str, loss: Loss) -> Request {
    Request {
        plan: plan.into(),
        data: "data".into(),
        loss,
        description: format!("the release of {plan}"),
    }
}

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ledger");
    (directory, path)
}

fn taken(ledger: &mut Ledger, plan: &str, loss: Loss) {
    match ledger.reserve(&request(plan, loss)).unwrap() {
        Outcome::Reserved(reserved) => ledger.settle(reserved, "{}").unwrap(),
        Outcome::Stored(stored) => panic!("stored: {stored:?}"),
    }
}

/// What an analyst may ask for, one after another.
#[derive(Clone)]
struct Offer {
    /// The loss of randomized response, or the δ of an event that tells everything.
    kind: Kind,
    /// What the ledger is charged.
    loss: Loss,
}

#[derive(Clone, Copy)]
enum Kind {
    Response(f64),
    Threshold(f64),
}

fn reserve(loss: &Loss) -> Event {
    Event::Reserve {
        loss: loss.clone(),
        plan: String::new(),
        data: String::new(),
        description: String::new(),
    }
}

/// The account after an offer, if the ledger's rule takes it.
fn after(account: &Account, loss: &Loss) -> Option<Account> {
    (account.admits(loss) > 0).then(|| {
        let plain = loss.measure == account.budget.measure;
        let own = account.composed.as_ref().filter(|_| plain);
        let limit = own.map(|own| {
            let left = account.budget.minus(&account.spent.plus(loss));
            Limit::new(&own.terms, &left)
        });
        let mut next = account.clone();
        next.add(&reserve(loss), limit.as_ref()).unwrap();
        next
    })
}

/// The largest δ at ε that an analyst reaches who chooses from a menu after each answer, as long as
/// the rule takes it: by trying everything.
fn best_attack<A: Clone>(
    account: &A,
    rule: &dyn Fn(&A, &Loss) -> Option<A>,
    menu: &[Offer],
    loss: f64,
    epsilon: f64,
    depth: u32,
) -> f64 {
    let mut best = (1.0 - (epsilon - loss).exp()).max(0.0);
    if depth == 0 {
        return best;
    }
    for offer in menu {
        let Some(next) = rule(account, &offer.loss) else {
            continue;
        };
        let go = |loss: f64| best_attack(&next, rule, menu, loss, epsilon, depth - 1);
        best = best.max(match offer.kind {
            Kind::Response(each) => {
                let truth = 1.0 / (1.0 + (-each).exp());
                truth * go(loss + each) + (1.0 - truth) * go(loss - each)
            }
            Kind::Threshold(delta) => delta + (1.0 - delta) * go(loss),
        });
    }
    best
}

fn zcdp(each: f64) -> Loss {
    let rho = pure_to_zcdp(Up::exact(each)).unwrap();
    let rho = Rational::try_from(rho.get()).unwrap();
    Loss::new(Measure::ApproximateZcdp, rho, Rational::ZERO).unwrap()
}

fn exact(x: f64) -> Rational {
    Rational::try_from(x).unwrap()
}

/// Responses in both ways that a ledger takes them, and thresholds in both.
fn menu(epsilon: f64, delta: f64) -> Vec<Offer> {
    let response = |each: f64| Kind::Response(each);
    let (small, large) = (0.25 * epsilon, 0.5 * epsilon);
    let plain = |each: f64| Loss::approximate(exact(each), Rational::ZERO).unwrap();
    let tenth = 0.1 * delta;
    let threshold = Kind::Threshold(tenth);
    vec![
        Offer {
            kind: response(small),
            loss: zcdp(small),
        },
        Offer {
            kind: response(large),
            loss: zcdp(large),
        },
        Offer {
            kind: response(large),
            loss: plain(large),
        },
        Offer {
            kind: threshold,
            loss: Loss::approximate(Rational::ZERO, exact(tenth)).unwrap(),
        },
        Offer {
            kind: threshold,
            loss: Loss::new(Measure::ApproximateZcdp, Rational::ZERO, exact(tenth)).unwrap(),
        },
    ]
}

#[test]
fn no_adaptive_analyst_exceeds_the_rule_of_a_ledger() {
    for (epsilon, delta) in [(1.0, 0.2), (0.5, 0.1)] {
        let budget = Loss::approximate(exact(epsilon), exact(delta)).unwrap();
        let terms = Terms {
            currency: Currency::Zcdp,
            thresholds: exact(0.125 * delta),
        };
        let account = Account::new(&budget, Some(&Limit::new(&terms, &budget))).unwrap();
        let menu = menu(epsilon, delta);
        let rule = |account: &Account, loss: &Loss| after(account, loss);
        let reached = best_attack(&account, &rule, &menu, 0.0, epsilon, 5);
        assert!(reached <= delta, "{reached} of {delta}");
        assert!(reached > 0.3 * delta, "{reached} of {delta}");
        // Planted: a ledger that adds up what is taken plainly and what composes apart from each
        // other, each up to the whole budget.
        let limit = terms.limit(&budget);
        let apart = |(plain, composed): &(Loss, Loss), loss: &Loss| {
            let (sum, limit) = match loss.measure {
                Measure::Approximate => (plain.plus(loss), budget.clone()),
                _ => (composed.plus(loss), limit.clone()),
            };
            sum.fits(&limit).then(|| match loss.measure {
                Measure::Approximate => (sum, composed.clone()),
                _ => (plain.clone(), sum),
            })
        };
        let nothing = (
            Loss::zero(Measure::Approximate),
            Loss::zero(terms.measure()),
        );
        let reached = best_attack(&nothing, &apart, &menu, 0.0, epsilon, 5);
        assert!(
            reached > delta || epsilon < 1.0,
            "the attack misses: {reached} of {delta}"
        );
    }
}

#[test]
fn what_composes_is_refused_in_three_lines_in_its_own_currency() {
    let (_directory, path) = place();
    let budget = approximate("2", "1e-7");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    let limit = ledger.account().composed.clone().unwrap().limit;
    assert_eq!(limit.delta, number("1e-8"));
    // About (√(ln(1/δ) + ε) − √ln(1/δ))², and a little more by the best Rényi order.
    assert!(
        limit.main > number("0.07") && limit.main < number("0.08"),
        "{limit}"
    );
    for step in 0..10 {
        let tenth = Loss::new(limit.measure, &limit.main / &number("10"), number("1e-9"));
        let tenth = tenth.unwrap();
        assert_eq!(ledger.account().admits(&tenth), 10 - step);
        taken(&mut ledger, &step.to_string(), tenth);
    }
    let account = ledger.account().clone();
    assert!(account.remaining().main.is_zero() && account.remaining().delta.is_zero());
    assert_eq!(account.epsilon_left(), Some(Rational::ZERO));
    let spent = account.epsilon_spent().unwrap();
    assert!(spent <= number("2") && spent > number("1.999"), "{spent}");
    let error = ledger
        .reserve(&request("more", rho("0.01", "0")))
        .unwrap_err();
    let text = error.to_string();
    assert!(error.is_refused());
    assert!(
        text.contains("\n  requested:  ρ = 0.01\n  remaining:  ρ = 0\n  difference: ρ = 0.01\n"),
        "{text}"
    );
    // The budget that it names is enough, and little more.
    let epsilon = text.split("--epsilon ").nth(1).unwrap();
    let epsilon = epsilon.split(' ').next().unwrap();
    assert!(
        number(epsilon) > number("2.1") && number(epsilon) < number("2.2"),
        "{epsilon}"
    );
    ledger
        .set_budget(&approximate(epsilon, "1e-7"), "")
        .unwrap();
    taken(&mut ledger, "more", rho("0.01", "0"));
    // δ of thresholds takes more δ in all.
    let error = ledger
        .reserve(&request("keys", rho("0", "1e-8")))
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("difference: ρ = 0, δ = 1e-8"), "{text}");
    assert!(text.contains("--delta 1.1e-7 --thresholds 2e-8`"), "{text}");
    let terms = Terms {
        currency: Currency::Zcdp,
        thresholds: number("2e-8"),
    };
    let raised = approximate(epsilon, "1.1e-7");
    ledger.set_terms(&raised, |_| Some(terms), "").unwrap();
    taken(&mut ledger, "keys", rho("0", "1e-8"));
    assert!(check(&path, &[]).unwrap().passed());
}

#[test]
fn a_release_that_takes_everything_closes_the_ledger_and_others_keep_it_open() {
    let (_directory, path) = place();
    let budget = approximate("1", "1e-6");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    let mut other = Ledger::open(&path, &budget).unwrap();
    taken(&mut ledger, "whole", budget.clone());
    for loss in [
        rho("1e-9", "0"),
        rho("0", "1e-12"),
        approximate("1e-9", "0"),
    ] {
        let error = other.reserve(&request("a", loss)).unwrap_err();
        assert!(error.is_refused(), "{error}");
    }
    // Raised, what is new composes with nothing of the old.
    other.set_budget(&approximate("2", "2e-6"), "more").unwrap();
    let own = other.account().composed.clone().unwrap();
    assert_eq!(own.limit, own.terms.limit(&approximate("1", "1e-6")));
    taken(&mut other, "a", rho("0.001", "0"));
    // From then on nothing is taken plainly.
    let error = ledger
        .reserve(&request("b", approximate("0.1", "1e-7")))
        .unwrap_err();
    assert!(matches!(error, LedgerError::Composes { .. }), "{error}");
    // What was stored is found in whatever way it was priced.
    let again = ledger.reserve(&request("whole", rho("0.01", "0"))).unwrap();
    assert!(matches!(again, Outcome::Stored(_)));
    assert!(check(&path, &[]).unwrap().passed());
}

#[test]
fn terms_are_fixed_once_something_was_released() {
    let (_directory, path) = place();
    let budget = approximate("1", "1e-6");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    let terms = |currency, thresholds: &str| Terms {
        currency,
        thresholds: number(thresholds),
    };
    // Before, anything goes that leaves something.
    let gaussian = terms(Currency::Gaussian, "0");
    ledger
        .set_terms(&budget, |_| Some(gaussian.clone()), "")
        .unwrap();
    let error = ledger
        .reserve(&request("a", rho("0.001", "0")))
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::MeasureDiffers { .. }),
        "{error}"
    );
    let squared = Loss::new(Measure::ApproximateGaussian, number("0.01"), Rational::ZERO).unwrap();
    assert_eq!(ledger.account().admits(&squared), 5);
    let all = terms(Currency::Zcdp, "1e-6");
    let error = ledger.set_terms(&budget, |_| Some(all), "").unwrap_err();
    assert!(error.to_string().contains("leave nothing"), "{error}");
    let zcdp = terms(Currency::Zcdp, "5e-7");
    ledger
        .set_terms(&budget, |_| Some(zcdp.clone()), "")
        .unwrap();
    taken(&mut ledger, "a", rho("0.001", "0"));
    let head = ledger.head().1.to_owned();
    // Erratum 17: who has seen a result may not move δ between noise and thresholds, nor change the
    // currency.
    for (budget, other) in [
        (budget.clone(), terms(Currency::Gaussian, "5e-7")),
        (budget.clone(), terms(Currency::Zcdp, "4e-7")),
        (budget.clone(), terms(Currency::Zcdp, "6e-7")),
        (approximate("1", "1.05e-6"), terms(Currency::Zcdp, "6e-7")),
    ] {
        let error = ledger.set_terms(&budget, |_| Some(other), "").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("fixed once something was released"),
            "{error}"
        );
    }
    assert_eq!(ledger.head().1, head);
    let error = ledger
        .set_budget(&approximate("0.01", "1e-6"), "")
        .unwrap_err();
    assert!(error.to_string().contains("is already spent"), "{error}");
    // More of both is no trade; less of one than some budget had, and more of the other, is.
    let raised = approximate("1", "2e-6");
    let more = terms(Currency::Zcdp, "6e-7");
    ledger.set_terms(&raised, |_| Some(more), "").unwrap();
    let error = ledger
        .set_budget(&approximate("0.9", "2e-6"), "")
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("fixed once something was released"),
        "{error}"
    );
    ledger.set_budget(&approximate("1.5", "2e-6"), "").unwrap();
    ledger.set_budget(&approximate("1.2", "2e-6"), "").unwrap();
    assert!(check(&path, &[]).unwrap().passed());
}

const COLUMNS: &str =
    "previous row time kind measure main delta plan data description reserve report";

/// A ledger as the versions before wrote it: format 1, a budget and one release that is settled.
fn old_ledger(path: &Path) {
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "application_id", 0x4c42_4c47)
        .unwrap();
    db.pragma_update(None, "user_version", 1).unwrap();
    for statement in [
        "CREATE TABLE entries (row INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, \
         measure TEXT, main TEXT, delta TEXT, plan TEXT, data TEXT, description TEXT, reserve \
         INTEGER, report TEXT, previous TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
        "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), entries INTEGER NOT NULL, \
         hash TEXT NOT NULL) STRICT",
        "CREATE TRIGGER entries_are_final BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, \
         'entries of a ledger are final'); END",
        "CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries \
         of a ledger stay'); END",
        "CREATE TRIGGER entries_follow BEFORE INSERT ON entries WHEN NEW.row <> (SELECT entries + \
         1 FROM head) BEGIN SELECT RAISE(ABORT, 'entries of a ledger follow each other'); END",
        "CREATE TRIGGER head_stays BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'the head of a \
         ledger stays'); END",
        "INSERT INTO head VALUES (1, 0, '')",
    ] {
        db.execute(statement, []).unwrap();
    }
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let identity = "ab".repeat(32);
    let data = hex(&Sha256::digest(format!(
        "lastbit-ledger-data\n{identity}\ndata"
    )));
    let mut previous = identity;
    for row in 1..=3 {
        let column = |name: &str| -> Option<String> {
            let text = |text: &str| Some(text.to_owned());
            match (name, row) {
                ("previous", _) => Some(previous.clone()),
                ("row", _) => Some(row.to_string()),
                ("time", _) => text("2026-03-01T09:30:00.000Z"),
                ("kind", _) => text(["budget", "reserve", "settle"][row - 1]),
                ("measure", 1 | 2) => text("approximate"),
                ("main", 1) => text("2"),
                ("delta", 1) => text("0.0000001"),
                ("main", 2) => text("0.5"),
                ("delta", 2) => text("0.00000001"),
                ("plan", 2) => text("a"),
                ("data", 2) => Some(data.clone()),
                ("description", 1) => text("first budget"),
                ("description", 2) => text("the release of a"),
                ("reserve", 3) => text("2"),
                ("report", 3) => text("{\"a\":1}"),
                _ => None,
            }
        };
        let mut canonical = "lastbit-ledger-1\n".to_owned();
        for name in COLUMNS.split(' ') {
            canonical += &match column(name) {
                Some(value) => format!("{name}={}:{value}\n", value.len()),
                None => format!("{name}=-\n"),
            };
        }
        let hash = hex(&Sha256::digest(&canonical));
        let value = |name: &str| column(name);
        db.execute(
            "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            rusqlite::params![
                row as i64,
                value("time"),
                value("kind"),
                value("measure"),
                value("main"),
                value("delta"),
                value("plan"),
                value("data"),
                value("description"),
                value("reserve").map(|row| row.parse::<i64>().unwrap()),
                value("report"),
                previous.clone(),
                hash,
            ],
        )
        .unwrap();
        db.execute(
            "UPDATE head SET entries = ?1, hash = ?2",
            rusqlite::params![row as i64, hash],
        )
        .unwrap();
        previous = hash;
    }
}

fn version(path: &Path) -> i64 {
    let db = Connection::open(path).unwrap();
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap()
}

#[test]
fn old_ledgers_keep_their_sums_until_they_are_told_to_compose() {
    let (_directory, path) = place();
    old_ledger(&path);
    let budget = approximate("2", "1e-7");
    let mut ledger = Ledger::open(&path, &budget).unwrap();
    // Open in two processes at once, of which one does not move it on.
    let mut other = Ledger::open(&path, &budget).unwrap();
    assert_eq!(ledger.account().remaining(), approximate("1.5", "9e-8"));
    assert_eq!(ledger.account().composed, None);
    let stored = ledger
        .reserve(&request("a", approximate("2", "0")))
        .unwrap();
    assert!(matches!(stored, Outcome::Stored(stored) if stored.report == "{\"a\":1}"));
    taken(&mut ledger, "b", approximate("0.5", "1e-8"));
    let error = ledger
        .reserve(&request("c", rho("0.001", "0")))
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::MeasureDiffers { .. }),
        "{error}"
    );
    let error = ledger
        .reserve(&request("c", approximate("1.1", "0")))
        .unwrap_err();
    assert!(
        error.to_string().contains("remaining:  ε = 1, δ = 8e-8"),
        "{error}"
    );
    assert_eq!(version(&path), 1);
    // What is left composes from here on.
    let terms = Terms {
        currency: Currency::Zcdp,
        thresholds: number("1e-8"),
    };
    ledger
        .set_terms(&budget, |_| Some(terms.clone()), "compose")
        .unwrap();
    assert_eq!(version(&path), 2);
    let limit = terms.limit(&approximate("1", "8e-8"));
    let mut quarter = rho("0", "0");
    quarter.main = &limit.main / &number("4");
    taken(&mut other, "c", quarter.clone());
    assert_eq!(other.account().admits(&quarter), 3);
    taken(&mut ledger, "d", quarter.clone());
    let mut last = quarter;
    last.main = last.main.times_power_of_two(1);
    taken(&mut other, "e", last);
    assert!(
        ledger
            .reserve(&request("f", rho("1e-9", "0")))
            .unwrap_err()
            .is_refused()
    );
    let found = check(&path, &[]).unwrap();
    assert!(found.passed(), "{:?}", found.faults);
    let stored = other.reserve(&request("a", approximate("2", "0"))).unwrap();
    assert!(matches!(stored, Outcome::Stored(_)));
}

/// The first entry that only the new format can hold makes it one, in one transaction.
#[test]
fn a_ledger_that_cannot_be_moved_on_stays_as_it_was() {
    let (_directory, path) = place();
    old_ledger(&path);
    let mut ledger = Ledger::open_existing(&path).unwrap();
    let usual = Terms::usual(&approximate("0.4", "1e-7"));
    let error = ledger
        .set_terms(&approximate("0.4", "1e-7"), |_| usual, "")
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::BudgetBelowSpent { .. }),
        "{error}"
    );
    drop(ledger);
    assert_eq!(version(&path), 1);
    assert_eq!(Ledger::view(&path).unwrap().head().0, 3);
}

/// The program of `docs/ledger.md` follows ledgers that compose, and finds a limit that is too
/// large.
#[test]
fn the_documented_python_program_follows_what_composes() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ledger.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let program = guide.split("```python\n").nth(1).unwrap();
    let program = program.split("```").next().unwrap();
    let run = |path: &Path| {
        let output = std::process::Command::new("python3")
            .args(["-c", program])
            .arg(path)
            .output()
            .expect("python3 runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), said, wrong)
    };
    for currency in [Currency::Zcdp, Currency::Gaussian] {
        let (_directory, path) = place();
        old_ledger(&path);
        let mut ledger = Ledger::open_existing(&path).unwrap();
        let terms = Terms {
            currency,
            thresholds: number("1e-8"),
        };
        let budget = approximate("2", "1e-7");
        ledger
            .set_terms(&budget, |_| Some(terms.clone()), "")
            .unwrap();
        let tenth = Loss::new(terms.measure(), number("0.001"), number("1e-9")).unwrap();
        taken(&mut ledger, "b", tenth);
        let (fine, said, wrong) = run(&path);
        assert!(fine, "{wrong}");
        assert!(
            said.starts_with("6 entries, approximate 1/2 of 2 spent, "),
            "{said}"
        );
        assert!(said.contains(" 1/1000 of "), "{said}");
        // A limit above what is private, written as if by this program.
        let entries = ledger.entries().unwrap();
        let most = &entries[3].limit.as_ref().unwrap().most;
        let more = (most * &number("1.01")).to_string();
        drop(ledger);
        let db = Connection::open(&path).unwrap();
        let triggers: Vec<(String, String)> = db
            .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        for (name, _) in &triggers {
            db.execute(&format!("DROP TRIGGER {name}"), []).unwrap();
        }
        let mut previous = String::new();
        for row in 4..=6 {
            let names: Vec<String> = format!("{COLUMNS} currency thresholds most")
                .split(' ')
                .map(str::to_owned)
                .collect();
            if row == 4 {
                db.execute("UPDATE entries SET most = ?1 WHERE row = 4", [&more])
                    .unwrap();
            } else {
                db.execute(
                    "UPDATE entries SET previous = ?1 WHERE row = ?2",
                    rusqlite::params![previous, row],
                )
                .unwrap();
            }
            let column = |name: &str| -> Option<String> {
                let text = format!("SELECT CAST({name} AS TEXT) FROM entries WHERE row = {row}");
                db.query_row(&text, [], |row| row.get(0)).unwrap()
            };
            let limited = column("most").is_some();
            let mut canonical = format!("lastbit-ledger-{}\n", 1 + i32::from(limited));
            for name in &names[..if limited { 15 } else { 12 }] {
                canonical += &match column(name) {
                    Some(value) => format!("{name}={}:{value}\n", value.len()),
                    None => format!("{name}=-\n"),
                };
            }
            let hash = Sha256::digest(&canonical);
            previous = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            db.execute(
                "UPDATE entries SET hash = ?1 WHERE row = ?2",
                rusqlite::params![previous, row],
            )
            .unwrap();
        }
        db.execute("UPDATE head SET hash = ?1", [&previous])
            .unwrap();
        for (_, create) in &triggers {
            db.execute(create, []).unwrap();
        }
        drop(db);
        let (fine, _, wrong) = run(&path);
        assert!(
            !fine && wrong.contains("row 4 allows more than is private"),
            "{wrong}"
        );
        let error = Ledger::view(&path).unwrap_err();
        assert!(matches!(error, LedgerError::Altered { .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains("is the most that is known to be private"),
            "{error}"
        );
    }
}
