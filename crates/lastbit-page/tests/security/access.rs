//! Who may ask: addresses, tokens, cookies, names of hosts, other sites, methods and the policy.

use lastbit_page::{Page, PageError, PageLimits, Settings};
use serde_json::json;

use crate::support::{PLAN, Served};

fn settings(served: &Served, listen: &str, behind_proxy: Option<&str>) -> Settings {
    Settings {
        directory: served.path().to_owned(),
        listen: listen.parse().unwrap(),
        behind_proxy: behind_proxy.map(str::to_owned),
        limits: PageLimits::default(),
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
fn the_address_opened_again_in_the_same_browser_works() {
    let served = Served::new();
    let cookie = served.log_in();
    let path = format!("/?token={}", served.token);
    assert_eq!(served.get(&cookie, &path).status, 200);
    assert_eq!(served.get("lastbit=x", &path).status, 401);
}
