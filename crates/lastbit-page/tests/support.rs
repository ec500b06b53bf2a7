//! A page in a thread, and the smallest client that can break its rules.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use lastbit_page::{Page, PageLimits, Settings};
use serde_json::Value;

/// A page of a directory.
pub struct Served {
    directory: Arc<tempfile::TempDir>,
    /// `127.0.0.1:port`.
    pub host: String,
    /// `/session`.
    pub base: String,
    pub token: String,
}

/// An answer, as it came.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (own, value) = line.split_once(':')?;
            own.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }
}

pub const PLAN: &str = r#"# A plan.
title = "Wages"          # of everybody
[source]
files = "wages.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[spend]
epsilon = 0.25           # a quarter
[columns.wage]
lower = 0
upper = 10_000           # the tariff
unit = "EUR"
[columns.place]
categories = ["north", "south"]
[[statistics]]
name = "people"
kind = "count"
by = "place"
[[statistics]]
name = "mean wage"
kind = "mean"
of = "wage"
expected_rows = 400
"#;

pub const ROWS: &str = "wage,place\n1000,north\n2000,south\n3000,north\n";

/// Asks until there is an answer; a minute or two on a busy machine are no fault.
pub fn wait_for<T>(ask: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < Duration::from_secs(180), "it never came");
        thread::sleep(Duration::from_millis(20));
    }
}

impl Served {
    pub fn new() -> Served {
        Served::with(PageLimits::default())
    }

    pub fn with(limits: PageLimits) -> Served {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("plan.toml"), PLAN).unwrap();
        fs::write(directory.path().join("wages.csv"), ROWS).unwrap();
        Served::over(Arc::new(directory), limits)
    }

    /// A second server of the same directory.
    pub fn beside(&self) -> Served {
        Served::over(Arc::clone(&self.directory), PageLimits::default())
    }

    fn over(directory: Arc<tempfile::TempDir>, limits: PageLimits) -> Served {
        let page = Page::bind(Settings {
            directory: directory.path().to_owned(),
            listen: "127.0.0.1:0".parse().unwrap(),
            behind_proxy: None,
            limits,
        })
        .unwrap();
        let address = page.address();
        // It ends with the process.
        thread::spawn(move || page.serve());
        let rest = address.strip_prefix("http://").unwrap();
        let (host, rest) = rest.split_once('/').unwrap();
        let (session, token) = rest.split_once("/?token=").unwrap();
        Served {
            directory,
            host: host.to_owned(),
            base: format!("/{session}"),
            token: token.to_owned(),
        }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Sends bytes as they are, and reads until the server closes.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(120)))
            .unwrap();
        // A server that refuses may close before it has read all.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Answer {
            status: status.unwrap_or(0),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// A request with exactly these headers.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        self.raw(format!("{text}\r\n{body}").as_bytes())
    }

    /// Exchanges the token for the cookie.
    pub fn log_in(&self) -> String {
        let path = format!("{}/?token={}", self.base, self.token);
        let answer = self.request("GET", &path, &[("Host", &self.host)], "");
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    pub fn get(&self, cookie: &str, path: &str) -> Answer {
        let path = format!("{}{path}", self.base);
        self.request(
            "GET",
            &path,
            &[("Host", &self.host), ("Cookie", cookie)],
            "",
        )
    }

    pub fn post(&self, cookie: &str, path: &str, body: &Value) -> Answer {
        let path = format!("{}{path}", self.base);
        let origin = format!("http://{}", self.host);
        self.request(
            "POST",
            &path,
            &[
                ("Host", &self.host),
                ("Cookie", cookie),
                ("Origin", &origin),
                ("Content-Type", "application/json"),
            ],
            &body.to_string(),
        )
    }
}
