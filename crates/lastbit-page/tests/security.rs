//! Every rule of the page, by a request that breaks it. Each test also makes the request that keeps
//! it, so that none can pass by accident.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use lastbit_page::{Limits, Page, PageError, Settings};
use serde_json::json;

use crate::support::{PLAN, Served, wait_for};

fn settings(served: &Served, listen: &str, behind_proxy: Option<&str>) -> Settings {
    Settings {
        directory: served.path().to_owned(),
        listen: listen.parse().unwrap(),
        behind_proxy: behind_proxy.map(str::to_owned),
        limits: Limits::default(),
    }
}

#[test]
fn beyond_loopback_only_behind_a_proxy() {
    let served = Served::new();
    let refused = Page::bind(settings(&served, "0.0.0.0:0", None));
    assert!(matches!(refused, Err(PageError::NotLoopback(_))));
    let page = Page::bind(settings(&served, "0.0.0.0:0", Some("stats.example.org"))).unwrap();
    assert!(page.address().starts_with("https://stats.example.org/"));
    for host in ["", "a b", "a/b", "a\r\nX: y", "ä.example"] {
        let refused = Page::bind(settings(&served, "0.0.0.0:0", Some(host)));
        assert!(matches!(refused, Err(PageError::Host(_))), "{host:?}");
    }
}

#[test]
fn the_token_is_good_once_and_its_cookie_is_strict() {
    let served = Served::new();
    let wrong = format!("{}/?token={}", served.base, "0".repeat(32));
    let host = ("Host", served.host.as_str());
    assert_eq!(served.request("GET", &wrong, &[host], "").status, 401);
    let right = format!("{}/?token={}", served.base, served.token);
    let answer = served.request("GET", &right, &[host], "");
    assert_eq!(answer.status, 200);
    let cookie = answer.header("set-cookie").unwrap();
    for part in [
        "HttpOnly",
        "SameSite=Strict",
        &format!("Path={}/", served.base),
    ] {
        assert!(cookie.split("; ").any(|own| own == part), "{cookie}");
    }
    assert!(!cookie.contains(&served.token));
    let again = served.request("GET", &right, &[host], "");
    assert_eq!(again.status, 401);
    assert!(again.header("set-cookie").is_none());
    let value = cookie.split(';').next().unwrap();
    assert_eq!(served.get(value, "/").status, 200);
}

#[test]
fn nothing_is_there_without_the_cookie() {
    let served = Served::new();
    let cookie = served.log_in();
    for path in [
        "/",
        "/plan/plan.toml",
        "/ledger",
        "/draft",
        "/assets/page.css",
        "/api/job/1",
    ] {
        assert_eq!(served.get("", path).status, 401, "{path}");
        assert_eq!(served.get("lastbit=0", path).status, 401, "{path}");
        assert_eq!(
            served.get(&format!("{cookie}x"), path).status,
            401,
            "{path}"
        );
        assert_ne!(served.get(&cookie, path).status, 401, "{path}");
    }
    // Nor at the root, where other servers of this host would send a cookie of theirs.
    let headers = [("Host", served.host.as_str()), ("Cookie", cookie.as_str())];
    for path in ["/", "/plan/plan.toml", "/assets/page.css"] {
        assert_eq!(
            served.request("GET", path, &headers, "").status,
            404,
            "{path}"
        );
    }
}

#[test]
fn a_name_that_is_not_ours_is_refused() {
    let served = Served::new();
    let cookie = served.log_in();
    let path = format!("{}/", served.base);
    let port = served.host.rsplit_once(':').unwrap().1;
    let with = |hosts: &[&str]| {
        let mut headers: Vec<(&str, &str)> = hosts.iter().map(|host| ("Host", *host)).collect();
        headers.push(("Cookie", &cookie));
        served.request("GET", &path, &headers, "").status
    };
    assert_eq!(with(&[&served.host]), 200);
    assert_eq!(with(&[&format!("localhost:{port}")]), 200);
    let rebound = format!("evil.example:{port}");
    for host in [
        &rebound,
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        "localhost",
    ] {
        assert_eq!(with(&[host]), 421, "{host}");
    }
    assert_eq!(with(&[&served.host, &rebound]), 421);
    assert_eq!(with(&[]), 421);
    // In the line of the request it counts, too.
    let absolute = format!("http://{rebound}{path}");
    let headers = [("Host", served.host.as_str()), ("Cookie", cookie.as_str())];
    assert_eq!(served.request("GET", &absolute, &headers, "").status, 421);
}

#[test]
fn what_another_site_asks_for_is_refused() {
    let served = Served::new();
    let cookie = served.log_in();
    let origin = format!("http://{}", served.host);
    let path = format!("{}/api/plan", served.base);
    let body = json!({ "text": PLAN }).to_string();
    let post = |more: &[(&str, &str)]| {
        let mut headers = vec![("Host", served.host.as_str()), ("Cookie", cookie.as_str())];
        headers.extend(more);
        served.request("POST", &path, &headers, &body).status
    };
    let json = ("Content-Type", "application/json");
    let own = ("Origin", origin.as_str());
    assert_eq!(post(&[own, json]), 200);
    assert_eq!(post(&[own, json, ("Sec-Fetch-Site", "same-origin")]), 200);
    assert_eq!(post(&[json]), 403);
    for other in [
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        "http://localhost",
        "",
    ] {
        assert_eq!(post(&[("Origin", other), json]), 403, "{other}");
    }
    assert_eq!(post(&[own, ("Origin", "https://evil.example"), json]), 403);
    for site in ["cross-site", "same-site", "none", "x"] {
        assert_eq!(post(&[own, json, ("Sec-Fetch-Site", site)]), 403, "{site}");
    }
    // What forms can send is not taken.
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=utf-8",
    ] {
        assert_eq!(post(&[own, ("Content-Type", kind)]), 415, "{kind}");
    }
    assert_eq!(post(&[own]), 415);
    // Nor may another site embed or open a page with the cookie.
    let get = |site: &str| {
        let headers = [
            ("Host", served.host.as_str()),
            ("Cookie", cookie.as_str()),
            ("Sec-Fetch-Site", site),
        ];
        served
            .request("GET", &format!("{}/ledger", served.base), &headers, "")
            .status
    };
    assert_eq!((get("same-origin"), get("none")), (200, 200));
    assert_eq!((get("cross-site"), get("same-site")), (403, 403));
}

#[test]
fn other_methods_are_refused() {
    let served = Served::new();
    let cookie = served.log_in();
    let headers = [("Host", served.host.as_str()), ("Cookie", cookie.as_str())];
    for method in [
        "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "HEAD", "CONNECT",
    ] {
        let answer = served.request(method, &format!("{}/", served.base), &headers, "");
        assert!(
            [405, 400, 421].contains(&answer.status),
            "{method} {}",
            answer.status
        );
        assert!(answer.header("access-control-allow-origin").is_none());
    }
}

#[test]
fn every_answer_has_the_policy() {
    let served = Served::new();
    let cookie = served.log_in();
    let headers = [("Host", "evil.example")];
    let answers = [
        served.get(&cookie, "/"),
        served.get(&cookie, "/plan/plan.toml"),
        served.get(&cookie, "/assets/plan.js"),
        served.get(&cookie, "/nothing"),
        served.get(&cookie, "/plan/%ff"),
        served.get(&cookie, "/api/job/x"),
        served.get(&cookie, "/rehearsal/18446744073709551616"),
        served.get("", "/"),
        served.request("GET", "/", &headers, ""),
        served.post(&cookie, "/api/plan", &json!({ "text": PLAN })),
        served.post(&cookie, "/api/plan", &json!({})),
    ];
    for answer in &answers {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        for part in [
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            Some("same-origin")
        );
    }
    // Nothing inline that the policy would have to allow.
    for answer in &answers[..2] {
        assert!(!answer.body.contains(" style=") && !answer.body.contains("<style"));
        assert!(!answer.body.contains(" onclick") && !answer.body.contains("<script>"));
        assert!(!answer.body.contains("https://") && !answer.body.contains("//cdn"));
    }
}

#[test]
fn bodies_have_a_limit() {
    let limits = Limits {
        body_bytes: 4000,
        ..Limits::default()
    };
    let served = Served::with(limits);
    let cookie = served.log_in();
    assert_eq!(
        served
            .post(&cookie, "/api/plan", &json!({ "text": PLAN }))
            .status,
        200
    );
    let long = json!({ "text": "#".repeat(5000) });
    assert_eq!(served.post(&cookie, "/api/plan", &long).status, 413);
    // Also where the length is not told beforehand.
    let chunk = format!("{:x}\r\n{}\r\n", 3000, "#".repeat(3000));
    let request = format!(
        "POST {}/api/plan HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nOrigin: \
         http://{}\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: \
         chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n",
        served.base, served.host, served.host
    );
    assert_eq!(served.raw(request.as_bytes()).status, 413);
    // And heads: 64 kB is the most that is kept of one.
    let head = format!(
        "GET {}/ HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n",
        served.base,
        served.host,
        "x".repeat(1 << 17)
    );
    assert!([0, 431].contains(&served.raw(head.as_bytes()).status));
}

#[test]
fn a_head_that_never_ends_is_given_up() {
    let limits = Limits {
        head_time: Duration::from_millis(200),
        connections: 1,
        ..Limits::default()
    };
    let served = Served::with(limits);
    // The server closes, so that reading ends.
    let mut stream = TcpStream::connect(&served.host).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost:").unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(120)))
        .unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(!String::from_utf8_lossy(&rest).starts_with("HTTP/1.1 200"));
    // The only connection is free again. On a busy machine a head of ours may be late, too.
    let path = format!("{}/", served.base);
    wait_for(|| {
        let answer = served.request("GET", &path, &[("Host", &served.host)], "");
        (answer.status == 401).then_some(())
    });
}

#[test]
fn a_body_that_never_ends_is_given_up() {
    let limits = Limits {
        request_time: Duration::from_millis(500),
        connections: 1,
        ..Limits::default()
    };
    let served = Served::with(limits);
    let cookie = served.log_in();
    let request = format!(
        "POST {}/api/plan HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nOrigin: \
         http://{}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: \
         100\r\n\r\n{{",
        served.base, served.host, served.host
    );
    assert_eq!(served.raw(request.as_bytes()).status, 503);
    // On a busy machine half a second may be too little for an honest request, too.
    wait_for(|| (served.get(&cookie, "/").status == 200).then_some(()));
}

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

#[test]
fn strangers_who_never_read_keep_nobody_out() {
    let served = Served::with(Limits {
        strangers: 4,
        connections: 2,
        head_time: Duration::from_secs(3600),
        ..Limits::default()
    });
    let cookie = served.log_in();
    // The oldest of too many is closed.
    let mut idle: Vec<TcpStream> = (0..6)
        .map(|_| TcpStream::connect(&served.host).unwrap())
        .collect();
    idle[0]
        .set_read_timeout(Some(Duration::from_secs(120)))
        .unwrap();
    assert_eq!(idle[0].read(&mut [0]).unwrap(), 0);
    let many = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", served.host).repeat(2000);
    let silent: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(&served.host).unwrap();
            stream.set_nonblocking(true).unwrap();
            // As much as is taken; none of the answers is read.
            let _ = stream.write(many.as_bytes());
            stream
        })
        .collect();
    wait_for(|| (served.get(&cookie, "/").status == 200).then_some(()));
    drop(silent);
}

#[test]
fn a_refusal_closes_the_connection() {
    let served = Served::new();
    // Without `Connection: close` of ours: reading ends because the server closes.
    let refused = served.raw(format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", served.host).as_bytes());
    assert_eq!(refused.status, 404);
    assert_eq!(refused.header("connection"), Some("close"));
}

#[test]
fn who_has_the_cookie_and_never_reads_is_given_up() {
    let served = Served::with(Limits {
        write_time: Duration::from_millis(200),
        connections: 1,
        ..Limits::default()
    });
    let cookie = served.log_in();
    let one = format!(
        "GET {}/assets/plan.js HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n",
        served.base, served.host
    );
    let mut silent = TcpStream::connect(&served.host).unwrap();
    silent.set_nonblocking(true).unwrap();
    for _ in 0..2000 {
        if silent.write(one.as_bytes()).is_err() {
            break;
        }
    }
    // The one place is free again.
    wait_for(|| (served.get(&cookie, "/").status == 200).then_some(()));
    drop(silent);
}

#[test]
fn the_address_opened_again_in_the_same_browser_works() {
    let served = Served::new();
    let cookie = served.log_in();
    let path = format!("/?token={}", served.token);
    assert_eq!(served.get(&cookie, &path).status, 200);
    assert_eq!(served.get("lastbit=x", &path).status, 401);
}
