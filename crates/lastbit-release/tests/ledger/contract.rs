//! Reserve, settle, refuse, recall: what a ledger promises when nothing fails.

use std::path::Path;

use lastbit_exact::Rational;
use lastbit_release::ledger::{Asked, Event, Ledger, LedgerError, Outcome, Request, Reserved};
use lastbit_release::loss::{Loss, LossMeasure};
use proptest::prelude::*;

use super::support::{number, place, pure, request};

fn reserved(outcome: Outcome) -> Reserved {
    match outcome {
        Outcome::Reserved(reserved) => reserved,
        Outcome::Stored(stored) => panic!("stored: {stored:?}"),
    }
}

#[test]
fn one_minus_seven_tenths_is_three_tenths() {
    let (_directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let first = reserved(ledger.reserve(&request("a", pure("0.7"))).unwrap());
    assert_eq!(first.row(), 2);
    assert_eq!(first.loss(), &pure("0.7"));
    assert_eq!(ledger.account().remaining().to_string(), "ε = 0.3");
    let error = ledger.reserve(&request("b", pure("0.5"))).unwrap_err();
    assert!(error.is_refused());
    let quoted = ledger.path().display().to_string();
    assert_eq!(
        error.to_string(),
        format!(
            "the budget does not cover this release, so nothing was spent\n  \
             requested:  ε = 0.5\n  remaining:  ε = 0.3\n  difference: ε = 0.2\n\
             ask for less, or raise the budget with `lastbit ledger budget {quoted} \
             --epsilon 1.2`, and in the plan"
        )
    );
    // Exactly what is left is not refused.
    let _ = reserved(ledger.reserve(&request("b", pure("0.3"))).unwrap());
    assert!(ledger.account().remaining().main.is_zero());
}

/// The hash of a row is published. Were it a function of the fingerprint and of public things, it
/// would tell neighbouring data apart.
#[test]
fn what_is_published_of_a_row_does_not_tell_data_apart() {
    let (directory, path) = place();
    let fingerprint = "c0ffee".repeat(10);
    let mut seen = Vec::new();
    for path in [path, directory.path().join("b.ledger")] {
        let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
        let ask = Request {
            data: fingerprint.clone(),
            ..request("a", pure("0.5"))
        };
        let first = reserved(ledger.reserve(&ask).unwrap());
        assert_eq!(first.data(), fingerprint);
        ledger.settle(first, "{}").unwrap();
        assert!(matches!(ledger.reserve(&ask).unwrap(), Outcome::Stored(_)));
        let entries = ledger.entries().unwrap();
        let Event::Reserve { data, .. } = &entries[1].event else {
            panic!("row 2 is the reservation");
        };
        seen.push(data.clone());
        for entry in std::fs::read_dir(directory.path()).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            assert!(!bytes.windows(60).any(|part| part == fingerprint.as_bytes()));
        }
    }
    assert_ne!(seen[0], seen[1]);
}

/// ε = 0.5 for a row and ε = 0.5 for a patient with twenty rows are not ε = 1 for anybody.
#[test]
fn losses_of_different_units_are_not_added() {
    let (_directory, path) = place();
    let open =
        |path: &Path, protects| Ledger::open_on(path, Asked::new(&pure("1"), None, protects));
    let mut ledger = open(&path, "each row, added or removed").unwrap();
    let _ = reserved(ledger.reserve(&request("a", pure("0.5"))).unwrap());
    ledger.set_budget(&pure("1"), "again").unwrap();
    assert!(open(&path, "each row, added or removed").is_ok());
    for other in [
        "all rows of one \"patient\", added or removed",
        "each row, changed",
        "",
    ] {
        let error = open(&path, other).unwrap_err();
        assert!(matches!(error, LedgerError::ProtectsDiffers { .. }));
        assert!(error.to_string().contains(other), "{error}");
    }
    let (_directory, path) = place();
    drop(Ledger::open(&path, &pure("1")).unwrap());
    let error = open(&path, "each row, changed").unwrap_err();
    assert!(
        error.to_string().contains("nothing that it names"),
        "{error}"
    );
}

#[test]
fn thirds_add_up_to_one() {
    let (_directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let third = || Loss::pure(Rational::new(1, 3)).unwrap();
    let _ = ledger.reserve(&request("a", third())).unwrap();
    assert_eq!(ledger.account().remaining().to_string(), "ε = 2/3");
    let _ = ledger.reserve(&request("b", third())).unwrap();
    let _ = ledger.reserve(&request("c", third())).unwrap();
    let error = ledger.reserve(&request("d", pure("1e-900"))).unwrap_err();
    assert!(error.is_refused(), "{error}");
}

#[test]
fn both_parts_of_an_approximate_budget_are_kept() {
    let (_directory, path) = place();
    let loss = |e, d| Loss::approximate(number(e), number(d)).unwrap();
    let mut ledger = Ledger::open(&path, &loss("1", "1e-6")).unwrap();
    let _ = ledger.reserve(&request("a", loss("0.1", "6e-7"))).unwrap();
    let error = ledger
        .reserve(&request("b", loss("0.1", "6e-7")))
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("requested:  ε = 0.1, δ = 6e-7\n"), "{text}");
    assert!(text.contains("remaining:  ε = 0.9, δ = 4e-7\n"), "{text}");
    assert!(text.contains("difference: ε = 0, δ = 2e-7\n"), "{text}");
    assert!(text.contains("--epsilon 1 --delta 0.0000012`"), "{text}");
    let _ = ledger.reserve(&request("b", loss("0.9", "4e-7"))).unwrap();
}

#[test]
fn the_same_release_again_is_free_and_byte_for_byte_the_same() {
    let (_directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let asked = request("a", pure("1"));
    let report = "{\"value\":\"42 \u{1f9ee} \0 ' \\\" \"}\r\n";
    let first = reserved(ledger.reserve(&asked).unwrap());
    let row = first.row();
    ledger.settle(first, report).unwrap();
    drop(ledger);
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let spent = ledger.account().spent.clone();
    let head = ledger.head().1.to_owned();
    for _ in 0..3 {
        let Outcome::Stored(stored) = ledger.reserve(&asked).unwrap() else {
            panic!("paid twice");
        };
        assert_eq!((stored.reserve, stored.row), (row, row + 1));
        assert_eq!(stored.report, report);
    }
    assert_eq!(ledger.account().spent, spent);
    assert_eq!(ledger.head().1, head);
    // Other data, or another plan, are another release.
    let other = Request {
        data: "other".into(),
        ..asked.clone()
    };
    assert!(ledger.reserve(&other).unwrap_err().is_refused());
    let other = request("b", pure("1"));
    assert!(ledger.reserve(&other).unwrap_err().is_refused());
}

#[test]
fn a_dropped_reservation_stays_spent_and_stores_nothing() {
    let (_directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    drop(ledger.reserve(&request("a", pure("0.6"))).unwrap());
    drop(ledger);
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    assert_eq!(ledger.account().spent, pure("0.6"));
    assert_eq!(ledger.unsettled(), [2]);
    let error = ledger.reserve(&request("a", pure("0.6"))).unwrap_err();
    assert!(error.is_refused());
}

#[test]
fn a_reservation_settles_in_its_own_ledger_only() {
    let (directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let mut other = Ledger::open(&directory.path().join("b.ledger"), &pure("1")).unwrap();
    let mine = reserved(ledger.reserve(&request("a", pure("0.1"))).unwrap());
    let theirs = reserved(other.reserve(&request("a", pure("0.1"))).unwrap());
    assert_eq!(mine.row(), theirs.row());
    assert_ne!(mine.hash(), theirs.hash());
    let error = other.settle(mine, "{}").unwrap_err();
    assert!(
        matches!(error, LedgerError::NotReserved { row: 2, .. }),
        "{error}"
    );
    other.settle(theirs, "{}").unwrap();
    assert_eq!(ledger.unsettled(), [2]);
    assert!(other.unsettled().is_empty());
}

#[test]
fn a_plan_with_another_budget_is_told_what_to_do() {
    let (_directory, path) = place();
    drop(Ledger::open(&path, &pure("1")).unwrap());
    drop(Ledger::open(&path, &pure("1.000")).unwrap());
    for (budget, remedy) in [
        (pure("2"), "--epsilon 2`"),
        (pure("0.5"), "--epsilon 0.5`"),
        (Loss::zcdp(number("1")).unwrap(), "--rho 1`"),
    ] {
        let error = Ledger::open(&path, &budget).unwrap_err();
        assert!(
            matches!(error, LedgerError::BudgetDiffers { .. }),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.contains("the ledger's is ε = 1;"), "{text}");
        assert!(text.contains(remedy), "{text}");
    }
}

#[test]
fn a_change_of_budget_is_recorded_and_never_below_what_was_spent() {
    let (_directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let mut other = Ledger::open(&path, &pure("1")).unwrap();
    let _ = ledger.reserve(&request("a", pure("0.7"))).unwrap();
    let error = other.set_budget(&pure("0.69"), "").unwrap_err();
    assert!(
        error.to_string().contains("ε = 0.7 is already spent"),
        "{error}"
    );
    let error = other
        .set_budget(&Loss::zcdp(number("9")).unwrap(), "")
        .unwrap_err();
    assert!(
        matches!(error, LedgerError::MeasureDiffers { .. }),
        "{error}"
    );
    other.set_budget(&pure("0.7"), "enough").unwrap();
    assert!(
        ledger
            .reserve(&request("b", pure("0.3")))
            .unwrap_err()
            .is_refused()
    );
    other.set_budget(&pure("2"), "the board agreed").unwrap();
    let _ = ledger.reserve(&request("b", pure("1.3"))).unwrap();
    let kinds: Vec<String> = ledger
        .entries()
        .unwrap()
        .iter()
        .map(|entry| match &entry.event {
            Event::Budget { budget, note } => format!("{budget}: {note}"),
            Event::Reserve { loss, .. } => format!("- {loss}"),
            Event::Settle { .. } => "settle".into(),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "ε = 1: first budget",
            "- ε = 0.7",
            "ε = 0.7: enough",
            "ε = 2: the board agreed",
            "- ε = 1.3",
        ]
    );
    assert_eq!(ledger.account().remaining(), Loss::zero(LossMeasure::Pure));
}

#[test]
fn losses_that_cannot_be_kept_are_refused_before_anything_is_written() {
    let (_directory, path) = place();
    let mut bad = pure("1");
    bad.main = number("-1");
    assert!(matches!(
        Ledger::open(&path, &bad),
        Err(LedgerError::Loss(_))
    ));
    assert!(!path.exists());
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    let head = ledger.head().1.to_owned();
    let negative = ledger.reserve(&request("a", bad)).unwrap_err();
    assert_eq!(negative.to_string(), "ε must not be negative, got -1");
    let long = ledger.reserve(&request("a", pure("1e-1000"))).unwrap_err();
    assert!(matches!(long, LedgerError::TooManyDigits(1002)), "{long}");
    let other = ledger
        .reserve(&request("a", Loss::zcdp(number("0.1")).unwrap()))
        .unwrap_err();
    assert!(
        other.to_string().contains("in the measure pure, not zcdp"),
        "{other}"
    );
    assert_eq!(ledger.head().1, head);
}

#[test]
fn every_name_of_a_file_works_and_leaves_the_ledger_alone_in_its_directory() {
    for name in [
        ":memory:",
        "file:x?mode=memory",
        "%41 #?.ledger",
        "it's \"here\".db",
        "-x",
        "表.ledger",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
        let kept = reserved(ledger.reserve(&request("a", pure("1"))).unwrap());
        ledger.settle(kept, "{}").unwrap();
        drop(ledger);
        let names: Vec<_> = std::fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(names, [name]);
        assert_eq!(Ledger::view(&path).unwrap().account().spent, pure("1"));
    }
}

#[test]
fn the_file_alone_has_every_entry_while_the_ledger_is_open() {
    let (directory, path) = place();
    let mut ledger = Ledger::open(&path, &pure("1")).unwrap();
    for step in 0..5 {
        let kept = reserved(
            ledger
                .reserve(&request(&step.to_string(), pure("0.1")))
                .unwrap(),
        );
        ledger.settle(kept, "{}").unwrap();
        let copy = directory.path().join("copy");
        std::fs::copy(&path, &copy).unwrap();
        let copied = Ledger::view(&copy).unwrap();
        assert_eq!(copied.head(), ledger.head());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        ..ProptestConfig::default()
    })]

    /// `spent` is the exact sum of what was granted; a request is refused if and only if it does
    /// not fit, however many handles share the file.
    #[test]
    fn requests_are_granted_exactly_while_they_fit(
        asked in proptest::collection::vec((0u32..40, 1u32..60, 0usize..3), 1..25),
    ) {
        let (_directory, path) = place();
        let budget = pure("5");
        let mut handles: Vec<Ledger> =
            (0..3).map(|_| Ledger::open(&path, &budget).unwrap()).collect();
        let mut spent = Rational::ZERO;
        for (index, (numerator, denominator, handle)) in asked.into_iter().enumerate() {
            let amount = Rational::new(numerator, denominator);
            let loss = Loss::pure(amount.clone()).unwrap();
            let outcome = handles[handle].reserve(&request(&index.to_string(), loss));
            let sum = &spent + &amount;
            if sum <= budget.main {
                prop_assert!(outcome.is_ok());
                spent = sum;
            } else {
                prop_assert!(outcome.unwrap_err().is_refused());
            }
            prop_assert_eq!(&handles[handle].account().spent.main, &spent);
        }
    }
}
