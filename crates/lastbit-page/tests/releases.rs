//! Rehearsals, releases and the ledger.

use std::fs;

use serde_json::{Value, json};

use crate::support::{PLAN, Served, wait_for};

/// Asks for the release of a plan as it stands, and waits for its end.
pub fn release(served: &Served, cookie: &str, name: &str) -> Value {
    release_again(served, cookie, name, None)
}

/// The same, knowing that the data changed since what a row of the ledger has.
fn release_again(served: &Served, cookie: &str, name: &str, again: Option<i64>) -> Value {
    let text = fs::read_to_string(served.path().join(name)).unwrap();
    let looked = served
        .post(cookie, "/api/plan", &json!({ "text": text }))
        .json();
    let price = &looked["price"];
    let started = served.post(
        cookie,
        "/api/release",
        &json!({
            "name": name,
            "hash": looked["hash"],
            "identity": price["identity"],
            "loss": price["loss"],
            "again": again,
        }),
    );
    assert_eq!(started.status, 200, "{}", started.body);
    let job = started.json()["job"].as_u64().unwrap();
    let ended = ["done", "question", "error"];
    wait_for(|| {
        let state = served.get(cookie, &format!("/api/job/{job}")).json();
        ended
            .iter()
            .any(|end| state.get(*end).is_some())
            .then_some(state)
    })
}

#[test]
fn a_release_spends_once_and_its_report_is_kept() {
    let served = Served::new();
    let cookie = served.log_in();
    let done = release(&served, &cookie, "plan.toml");
    let row = done["done"]["row"].as_i64().unwrap();
    assert_eq!(done["done"]["before"], Value::Null);
    let again = release(&served, &cookie, "plan.toml");
    assert_eq!(again["done"]["row"], row);
    assert!(again["done"]["before"].is_string());
    let ledger = served.get(&cookie, "/ledger").body;
    assert!(
        ledger.contains("<dt>Spent</dt><dd>ε = 0.25</dd>"),
        "{ledger}"
    );
    assert!(ledger.contains(&format!("/report/{row}\"")));
    assert!(
        served
            .get(&cookie, "/ledger/check")
            .body
            .contains("Passed: 3 entries")
    );
    let report = served.get(&cookie, &format!("/report/{row}"));
    assert!(report.body.contains("mean wage") && report.body.contains("aria-label=\"Downloads\""));
    let policy = report.header("content-security-policy").unwrap();
    assert!(policy.contains("style-src 'self' 'sha256-") && !policy.contains("unsafe"));
    assert!(!report.body.contains("unsafe-inline"));
    for (form, kind, mark) in [
        ("csv", "text/csv", "statistic,kind"),
        ("json", "application/json", "\"schema\""),
        ("html", "text/html", "<!doctype html>"),
        ("parquet", "application/vnd.apache.parquet", "PAR1"),
    ] {
        let file = served.get(&cookie, &format!("/report/{row}/{form}"));
        assert!(file.header("content-type").unwrap().starts_with(kind));
        assert!(file.body.contains(mark));
        let name = format!("attachment; filename=\"report-{row}.{form}\"");
        assert_eq!(file.header("content-disposition"), Some(name.as_str()));
    }
    assert_eq!(served.get(&cookie, "/report/1").status, 404);
}

#[test]
fn only_what_was_confirmed_is_released() {
    let served = Served::new();
    let cookie = served.log_in();
    let looked = served
        .post(&cookie, "/api/plan", &json!({ "text": PLAN }))
        .json();
    let ask = |hash: &Value, identity: &Value, loss: &Value| {
        served.post(
            &cookie,
            "/api/release",
            &json!({ "name": "plan.toml", "hash": hash, "identity": identity, "loss": loss }),
        )
    };
    let (hash, price) = (&looked["hash"], &looked["price"]);
    assert_eq!(ask(hash, &price["identity"], &json!("ε = 0.1")).status, 409);
    assert_eq!(ask(hash, &json!("0"), &price["loss"]).status, 409);
    assert_eq!(
        ask(&json!("0"), &price["identity"], &price["loss"]).status,
        409
    );
    fs::write(
        served.path().join("plan.toml"),
        PLAN.replace("0.25", "0.75"),
    )
    .unwrap();
    let changed = ask(hash, &price["identity"], &price["loss"]);
    assert_eq!(changed.status, 409);
    assert!(changed.body.contains("not the one whose price you saw"));
    assert!(!served.path().join("lastbit.ledger").exists());
}

#[test]
fn an_exhausted_budget_refuses_in_the_words_of_the_command() {
    let served = Served::new();
    let cookie = served.log_in();
    for (name, epsilon) in [("a.toml", "0.75"), ("b.toml", "0.5")] {
        fs::write(served.path().join(name), PLAN.replace("0.25", epsilon)).unwrap();
    }
    assert!(release(&served, &cookie, "a.toml")["done"].is_object());
    let refused = release(&served, &cookie, "b.toml");
    let words = refused["error"].as_str().unwrap();
    for part in [
        "the budget does not cover this release",
        "\n  requested:",
        "\n  remaining:",
        "\n  difference:",
    ] {
        assert!(words.contains(part), "{words}");
    }
    let text = fs::read_to_string(served.path().join("b.toml")).unwrap();
    let looked = served
        .post(&cookie, "/api/plan", &json!({ "text": text }))
        .json();
    assert_eq!(looked["price"]["left"]["refused"], true);
    assert!(
        looked["price"]["left"]["warning"]
            .as_str()
            .unwrap()
            .starts_with("This will be refused")
    );
}

#[test]
fn releases_that_race_do_not_overspend() {
    let served = Served::new();
    race(&served, &[&served]);
}

#[test]
fn releases_of_two_servers_that_race_do_not_overspend() {
    let served = Served::new();
    race(&served, &[&served, &served.beside()]);
}

/// Six releases at once, by these servers in turn: the budget covers two of them.
fn race(served: &Served, servers: &[&Served]) {
    let cookies: Vec<String> = servers.iter().map(|server| server.log_in()).collect();
    let names: Vec<String> = (0..6).map(|index| format!("p{index}.toml")).collect();
    for (index, name) in names.iter().enumerate() {
        fs::write(
            served.path().join(name),
            PLAN.replace("0.25", &format!("0.4{index}")),
        )
        .unwrap();
    }
    let ended: Vec<Value> = std::thread::scope(|scope| {
        let servers = servers.iter().zip(&cookies).cycle();
        let threads: Vec<_> = names
            .iter()
            .zip(servers)
            .map(|(name, (server, cookie))| scope.spawn(move || release(server, cookie, name)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let done = ended
        .iter()
        .filter(|state| state["done"].is_object())
        .count();
    assert_eq!(done, 2, "{ended:?}");
    for (server, cookie) in servers.iter().zip(&cookies) {
        assert!(server.get(cookie, "/ledger/check").body.contains("Passed"));
    }
}

#[test]
fn data_that_changed_are_released_again_only_by_who_knows_it() {
    let served = Served::new();
    let cookie = served.log_in();
    let row = release(&served, &cookie, "plan.toml")["done"]["row"]
        .as_i64()
        .unwrap();
    fs::write(served.path().join("wages.csv"), "wage,place\n1,north\n").unwrap();
    let spent = || {
        let page = served.get(&cookie, "/ledger").body;
        let (_, rest) = page.split_once("<dt>Spent</dt><dd>").unwrap();
        rest.split_once('<').unwrap().0.to_owned()
    };
    for again in [None, Some(row + 1)] {
        let asked = release_again(&served, &cookie, "plan.toml", again);
        assert_eq!(asked["question"]["row"], row, "{asked}");
        let words = asked["question"]["words"].as_str().unwrap();
        assert!(
            words.contains("The data changed") && words.contains("ε = 0.25 of ε = 0.75"),
            "{words}"
        );
        assert_eq!(spent(), "ε = 0.25");
    }
    let done = release_again(&served, &cookie, "plan.toml", Some(row));
    assert!(done["done"]["row"].as_i64().unwrap() > row, "{done}");
    assert_eq!(spent(), "ε = 0.5");
}

#[test]
fn prices_are_those_of_the_ledger_that_composes() {
    let served = Served::new();
    let cookie = served.log_in();
    let plan = |spend: &str| {
        PLAN.replace("epsilon = 1\n", "epsilon = 1\ndelta = 1e-6\n")
            .replace("epsilon = 0.25           # a quarter", spend)
    };
    let price = |text: &str| {
        let looked = served
            .post(&cookie, "/api/plan", &json!({ "text": text }))
            .json();
        looked["price"].clone()
    };
    let plain = plan("epsilon = 0.1\ndelta = 1e-8");
    let before = price(&plain);
    assert_eq!(before["loss"], "ε = 0.1, δ = 0");
    fs::write(served.path().join("part.toml"), plan("part = 0.1")).unwrap();
    let part = price(&plan("part = 0.1"));
    assert!(part["loss"].as_str().unwrap().starts_with("ρ = "), "{part}");
    assert_eq!(part["spend"]["key"], "part");
    assert!(release(&served, &cookie, "part.toml")["done"].is_object());
    // From now on everything composes: the price is another one, and it is the one that is
    // released.
    let after = price(&plain);
    assert!(
        after["loss"].as_str().unwrap().starts_with("ρ = "),
        "{after}"
    );
    assert!(after["left"].get("error").is_none(), "{after}");
    fs::write(served.path().join("plain.toml"), &plain).unwrap();
    let looked = served
        .post(&cookie, "/api/plan", &json!({ "text": plain }))
        .json();
    let stale = served.post(
        &cookie,
        "/api/release",
        &json!({
            "name": "plain.toml", "hash": looked["hash"],
            "identity": before["identity"], "loss": before["loss"],
        }),
    );
    assert_eq!(stale.status, 409, "{}", stale.body);
    assert!(release(&served, &cookie, "plain.toml")["done"].is_object());
    assert!(served.get(&cookie, "/ledger/check").body.contains("Passed"));
}

#[test]
fn a_rehearsal_reads_and_spends_nothing() {
    let served = Served::new();
    let cookie = served.log_in();
    fs::remove_file(served.path().join("wages.csv")).unwrap();
    let answer = served
        .post(&cookie, "/api/rehearse", &json!({ "text": PLAN }))
        .json();
    let page = served.get(&cookie, &format!("/rehearsal/{}", answer["number"]));
    assert_eq!(page.status, 200);
    assert!(
        page.body
            .contains("A rehearsal: invented rows, nothing spent")
    );
    assert!(!served.path().join("lastbit.ledger").exists());
}

#[test]
fn a_draft_is_of_names_alone() {
    let served = Served::new();
    let cookie = served.log_in();
    let columns = served.post(&cookie, "/api/columns", &json!({ "table": "wages.csv" }));
    assert_eq!(
        columns.json()["columns"],
        json!([{ "name": "wage", "of": "no type declared" }, { "name": "place", "of": "no type \
            declared" }])
    );
    let drafted = served.post(
        &cookie,
        "/api/draft",
        &json!({ "table": "wages.csv", "name": "new" }),
    );
    assert_eq!(drafted.json()["name"], "new.toml");
    let text = fs::read_to_string(served.path().join("new.toml")).unwrap();
    assert!(
        text.contains("[columns.\"wage\"]")
            && !text.contains("2000")
            && !text.contains("north\\\"\n")
    );
    let again = served.post(
        &cookie,
        "/api/draft",
        &json!({ "table": "wages.csv", "name": "new" }),
    );
    assert_eq!(again.status, 409);
    let looked = served
        .post(&cookie, "/api/plan", &json!({ "text": text }))
        .json();
    let mistakes = looked["mistakes"].as_array().unwrap();
    assert!(mistakes.len() > 8);
    assert!(
        mistakes.iter().all(|mistake| mistake["path"].is_array()),
        "{mistakes:?}"
    );
}

#[test]
fn data_are_inspected_only_by_those_who_say_that_they_know() {
    let served = Served::new();
    let cookie = served.log_in();
    let ask = |known: bool| {
        served.post(
            &cookie,
            "/api/inspect",
            &json!({ "text": PLAN, "not_private": known }),
        )
    };
    assert_eq!(ask(false).status, 409);
    let lines = ask(true).json();
    assert!(
        lines["lines"][0]
            .as_str()
            .unwrap()
            .starts_with("NOT PRIVATE")
    );
}

#[test]
fn two_tabs_that_confirm_the_same_pay_once() {
    let served = Served::new();
    let cookie = served.log_in();
    // So many rows that the first is still under way when the second comes, on most machines; on
    // any, it is paid once.
    let rows = "1000,north\n2000,south\n".repeat(100_000);
    fs::write(
        served.path().join("wages.csv"),
        format!("wage,place\n{rows}"),
    )
    .unwrap();
    let looked = served
        .post(&cookie, "/api/plan", &json!({ "text": PLAN }))
        .json();
    let price = &looked["price"];
    let confirmed = json!({
        "name": "plan.toml", "hash": looked["hash"], "identity": price["identity"],
        "loss": price["loss"], "remaining": price["left"]["remaining"],
    });
    let ask = || served.post(&cookie, "/api/release", &confirmed);
    let both = std::thread::scope(|scope| {
        let tabs = [scope.spawn(ask), scope.spawn(ask)];
        tabs.map(|tab| tab.join().unwrap())
    });
    for answer in both {
        // The second may also come after the end of the first.
        if answer.status != 200 {
            assert_eq!(answer.status, 409);
            assert!(answer.body.contains("another release came first"));
            continue;
        }
        let job = answer.json()["job"].as_u64().unwrap();
        let end = wait_for(|| {
            let state = served.get(&cookie, &format!("/api/job/{job}")).json();
            state.get("done").is_some().then_some(state)
        });
        assert_eq!(end["done"]["row"], 2, "{end}");
    }
    let ledger = served.get(&cookie, "/ledger").body;
    assert!(
        ledger.contains("<dt>Spent</dt><dd>ε = 0.25</dd>"),
        "{ledger}"
    );
}

#[test]
fn a_release_is_refused_if_less_is_left_than_was_seen() {
    let served = Served::new();
    let cookie = served.log_in();
    let other = PLAN.replace("epsilon = 0.25", "epsilon = 0.3");
    fs::write(served.path().join("other.toml"), &other).unwrap();
    let looked = served
        .post(&cookie, "/api/plan", &json!({ "text": other }))
        .json();
    let price = &looked["price"];
    assert_eq!(price["left"]["remaining"], "ε = 1");
    assert!(release(&served, &cookie, "plan.toml")["done"].is_object());
    let late = served.post(
        &cookie,
        "/api/release",
        &json!({
            "name": "other.toml", "hash": looked["hash"], "identity": price["identity"],
            "loss": price["loss"], "remaining": price["left"]["remaining"],
        }),
    );
    assert_eq!(late.status, 409, "{}", late.body);
    assert!(late.body.contains("another release came first"));
}

#[test]
fn a_ledger_that_cannot_be_read_is_not_one_without_the_report() {
    let served = Served::new();
    let cookie = served.log_in();
    fs::write(served.path().join("lastbit.ledger"), "no ledger").unwrap();
    for path in ["/report/2", "/report/2/csv"] {
        let answer = served.get(&cookie, path);
        assert_eq!(answer.status, 409, "{}", answer.body);
        assert!(!answer.body.contains("has no report under this number"));
    }
}
