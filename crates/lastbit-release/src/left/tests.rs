use super::*;

fn left(loss: &str, left: &str) -> Left {
    let pure = |text: &str| Loss::pure(text.parse().unwrap()).unwrap();
    Left {
        ledger: None,
        left: pure(left),
        loss: pure(loss),
        more: 0,
        is_stated: false,
        before: None,
        again: None,
        refused: None,
        is_asked: false,
    }
}

#[test]
fn more_than_half_is_told_exactly() {
    for (loss, before, part) in [
        ("0.1", "0.3", Part::Half),
        ("0.15", "0.3", Part::Half),
        ("0.1500000000000000000000000000001", "0.3", Part::Most),
        ("0.3", "0.3", Part::Everything),
        ("0.3000000000000000000000000000001", "0.3", Part::TooMuch),
        ("1", "0", Part::TooMuch),
    ] {
        let one = left(loss, before);
        assert_eq!(one.part(), part, "{loss} of {before}");
        assert_eq!(one.warning().is_none(), part == Part::Half);
    }
    assert!(
        left("1", "1")
            .warning()
            .unwrap()
            .contains("spends everything")
    );
}

#[test]
fn what_was_spent_is_told_if_it_was_much() {
    let ledger = Path::new("a.ledger");
    let pure = |text: &str| Loss::pure(text.parse().unwrap()).unwrap();
    assert_eq!(left("0.5", "1").spent(ledger, &pure("0.5")), None);
    let most = left("0.6", "1").spent(ledger, &pure("0.4")).unwrap();
    assert!(most.contains("more than half of what was left. ε = 0.4 is left"));
    let all = left("1", "1").spent(ledger, &pure("0")).unwrap();
    assert!(all.contains("spent ε = 1, everything that was left. Nothing is left in a.ledger"));
}

#[test]
fn delta_counts_as_epsilon_does() {
    let loss = |e: &str, d: &str| Loss::approximate(e.parse().unwrap(), d.parse().unwrap());
    let one = Left {
        ledger: None,
        left: loss("1", "1e-6").unwrap(),
        loss: loss("0.1", "9e-7").unwrap(),
        more: 1,
        is_stated: true,
        before: None,
        again: None,
        refused: None,
        is_asked: false,
    };
    assert_eq!(one.part(), Part::Most);
    let more = Left {
        loss: loss("0.1", "2e-6").unwrap(),
        ..one.clone()
    };
    assert!(more.warning().unwrap().contains("spend δ = 0.000002, and"));
    let other = Left {
        loss: Loss::zcdp("0.1".parse().unwrap()).unwrap(),
        ..one
    };
    assert!(
        other
            .warning()
            .unwrap()
            .contains("the ledger counts otherwise")
    );
}
