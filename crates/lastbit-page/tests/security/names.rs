//! Names of files, and texts of others: none leads out of the directory, into a header or markup.

use std::fs;

use serde_json::json;

use crate::support::{PLAN, Served};

#[test]
fn names_lead_nowhere_but_into_the_directory() {
    let served = Served::new();
    let cookie = served.log_in();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.toml"), "title = \"secret\"\n").unwrap();
    fs::create_dir(served.path().join("sub")).unwrap();
    fs::write(served.path().join("sub/plan.toml"), PLAN).unwrap();
    fs::write(served.path().join(".hidden.toml"), PLAN).unwrap();
    assert_eq!(served.get(&cookie, "/plan/plan.toml").status, 200);
    let beside = outside.path().join("secret.toml");
    let absolute = beside.to_str().unwrap().replace('/', "%2F");
    let names = [
        "..%2Fsecret.toml",
        "%2e%2e%2Fsecret.toml",
        "..%5Csecret.toml",
        "sub%2Fplan.toml",
        "sub/plan.toml",
        ".hidden.toml",
        "wages.csv",
        "plan.toml%00",
        "plan.toml%0A",
        ".",
        "..",
        "%2E%2E",
        "nothing.toml",
        &absolute,
    ];
    for name in names {
        let answer = served.get(&cookie, &format!("/plan/{name}"));
        assert_eq!(answer.status, 404, "{name}");
        assert!(!answer.body.contains("the tariff"), "{name}");
    }
    for name in [
        "../new.toml",
        "sub/new.toml",
        "/tmp/new.toml",
        "new",
        ".new.toml",
        "a\u{202e}.toml",
        "",
    ] {
        let saved = served.post(
            &cookie,
            "/api/save",
            &json!({ "name": name, "text": "x = 1", "before": "" }),
        );
        assert_eq!(saved.status, 409, "{name:?}");
        if name != "new" {
            let drafted = served.post(
                &cookie,
                "/api/draft",
                &json!({ "table": "wages.csv", "name": name }),
            );
            assert_eq!(drafted.status, 409, "{name:?}");
        }
    }
    for table in [
        "../wages.csv",
        "/etc/passwd",
        "plan.toml",
        "sub",
        "nothing.csv",
    ] {
        let columns = served.post(&cookie, "/api/columns", &json!({ "table": table }));
        assert_eq!(columns.status, 409, "{table}");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn plans_read_nothing_outside_of_the_directory() {
    let served = Served::new();
    let cookie = served.log_in();
    let look = |text: &str| {
        served
            .post(&cookie, "/api/plan", &json!({ "text": text }))
            .json()
    };
    assert!(look(PLAN)["price"].is_object());
    for files in [
        "\"../wages.csv\"",
        "\"/etc/x.csv\"",
        "[\"wages.csv\", \"a/../../b.csv\"]",
    ] {
        let text = PLAN.replace("\"wages.csv\"", files);
        let answer = look(&text);
        assert!(answer["price"].is_null(), "{files}");
        let words = answer["mistakes"][0]["message"].as_str().unwrap();
        assert!(words.contains("leads out of the directory"), "{words}");
        assert_eq!(answer["mistakes"][0]["path"], json!(["source", "files"]));
        let rehearsed = served.post(&cookie, "/api/rehearse", &json!({ "text": text }));
        assert_eq!(rehearsed.status, 409);
    }
    let lookup = format!(
        "{PLAN}[[source.lookup]]\nfile = \"../other.csv\"\nkey = \"place\"\ncolumns = [\"x\"]\n"
    );
    let answer = look(&lookup);
    let join = format!(
        "{PLAN}[[source.join]]\nfiles = [\"wages.csv\", \"/etc/x.csv\"]\ncolumns = [\"x\"]\n"
    );
    let joined = look(&join);
    assert!(
        joined["mistakes"][0]["message"]
            .as_str()
            .unwrap()
            .contains("leads out")
    );
    assert!(
        answer["mistakes"][0]["message"]
            .as_str()
            .unwrap()
            .contains("leads out")
    );
}

#[cfg(unix)]
#[test]
fn links_out_of_the_directory_are_refused() {
    use std::os::unix::fs::symlink;
    let served = Served::new();
    let cookie = served.log_in();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("plan.toml"), PLAN).unwrap();
    fs::write(outside.path().join("wages.csv"), crate::support::ROWS).unwrap();
    symlink(
        outside.path().join("plan.toml"),
        served.path().join("link.toml"),
    )
    .unwrap();
    symlink(
        outside.path().join("wages.csv"),
        served.path().join("link.csv"),
    )
    .unwrap();
    symlink(outside.path(), served.path().join("away")).unwrap();
    assert_eq!(served.get(&cookie, "/plan/link.toml").status, 404);
    let home = served.get(&cookie, "/").body;
    assert!(home.contains("plan.toml") && !home.contains("link.toml"));
    let columns = served.post(&cookie, "/api/columns", &json!({ "table": "link.csv" }));
    assert_eq!(columns.status, 409);
    for files in ["link.csv", "away/wages.csv", "away/*.csv"] {
        let text = PLAN.replace("\"wages.csv\"", &format!("\"{files}\""));
        fs::write(served.path().join("linked.toml"), &text).unwrap();
        let looked = served
            .post(&cookie, "/api/plan", &json!({ "text": text }))
            .json();
        let released = served.post(
            &cookie,
            "/api/release",
            &json!({
                "name": "linked.toml",
                "hash": looked["hash"],
                "identity": looked["price"]["identity"],
                "loss": looked["price"]["loss"],
            }),
        );
        assert_eq!(released.status, 409, "{files}");
        assert!(released.body.contains("leads out"), "{}", released.body);
        let inspected = served.post(
            &cookie,
            "/api/inspect",
            &json!({ "text": text, "not_private": true }),
        );
        assert_eq!(inspected.status, 409, "{files}");
    }
    // A ledger elsewhere would be another budget.
    fs::write(outside.path().join("far.ledger"), "").unwrap();
    symlink(
        outside.path().join("far.ledger"),
        served.path().join("near.ledger"),
    )
    .unwrap();
    assert!(served.get(&cookie, "/ledger").body.contains("leads out"));
    assert!(!served.path().join("lastbit.ledger").exists());
}

#[test]
fn no_name_reaches_a_header() {
    let served = Served::new();
    let cookie = served.log_in();
    let name = "a b\"'é;x.toml";
    fs::write(served.path().join(name), PLAN).unwrap();
    let answer = served.get(&cookie, "/plan/a%20b%22%27%C3%A9%3Bx.toml");
    assert_eq!(answer.status, 200);
    assert!(
        answer.head.is_ascii() && !answer.head.contains("a b"),
        "{}",
        answer.head
    );
    for row in ["1%0D%0AX:%20y", "..", "x", "-1", "99999999999999999999"] {
        let answer = served.get(&cookie, &format!("/report/{row}/csv"));
        assert!([400, 404].contains(&answer.status), "{row}");
        assert!(answer.header("x").is_none() && answer.header("content-disposition").is_none());
    }
}

#[test]
fn texts_of_others_are_never_markup() {
    let served = Served::new();
    let cookie = served.log_in();
    let evil = "</textarea><script>alert(1)</script>";
    let text = PLAN.replace("Wages", evil);
    fs::write(served.path().join("evil <b>.toml"), &text).unwrap();
    for path in ["/", "/plan/evil%20%3Cb%3E.toml"] {
        let answer = served.get(&cookie, path);
        assert_eq!(answer.status, 200);
        assert!(
            !answer.body.contains("<script>") && !answer.body.contains("<b>.toml"),
            "{path}"
        );
    }
}
