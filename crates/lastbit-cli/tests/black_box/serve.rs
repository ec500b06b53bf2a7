//! What `lastbit serve` writes where it was started: its address, and no data. What Ctrl-C leaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout};
use std::time::Duration;

use serde_json::{Value, json};

use super::hostile::{SECRETS, hostile};
use crate::support::Here;

/// A server of a directory; killed with this.
struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    address: String,
    /// The path below which it answers.
    base: String,
    cookie: String,
}

impl Server {
    /// Starts one, and exchanges its token for a cookie.
    fn of(here: &Here) -> Server {
        let mut child = here.command(&["serve", "--no-open", "."]).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut server = Server {
            child,
            out,
            address: String::new(),
            base: String::new(),
            cookie: String::new(),
        };
        server.out.read_line(&mut server.address).unwrap();
        let address = server.address.trim();
        let path = &address[address.rfind("://").unwrap() + 3..];
        let path = path[path.find('/').unwrap()..].to_owned();
        server.base = path.split("/?token=").next().unwrap().to_owned();
        let told = server.exchange(&format!("GET {path}"), "");
        let (_, cookie) = told
            .split_once("set-cookie: ")
            .unwrap_or_else(|| panic!("{told}"));
        server.cookie = cookie.split(';').next().unwrap().to_owned();
        server
    }

    /// What it answers to a method and a path below its own.
    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        self.exchange(&format!("{method} {}{path}", self.base), body)
    }

    fn exchange(&self, line: &str, body: &str) -> String {
        let host = self.address.split('/').nth(2).unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(120)))
            .unwrap();
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n\
             {body}",
            self.cookie,
            body.len()
        )
        .unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_writes_its_address_and_no_data() {
    let here = hostile();
    let mut server = Server::of(&here);
    let plan = here.read("plan.toml");
    let body = |plan: &str| json!({ "text": plan, "not_private": true }).to_string();
    // Reads rows, and shows what is not listed to the one who holds them.
    let seen = server.ask("POST", "/api/inspect", &body(&plan));
    assert!(seen.starts_with("HTTP/1.1 200"), "{seen}");
    // Fails after it read rows, and fails at once.
    let asked = [
        ("POST", "/api/inspect", body(&here.read("rows.toml"))),
        ("POST", "/api/inspect", body(SECRETS[0])),
        ("POST", "/api/plan", SECRETS[1].to_owned()),
        ("GET", &format!("/{}", SECRETS[2]), String::new()),
    ];
    for (method, path, body) in asked {
        let refused = server.ask(method, path, &body);
        assert!(refused.starts_with("HTTP/1.1 "), "{refused}");
    }
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let (mut rest, mut err) = (String::new(), String::new());
    server.out.read_to_string(&mut rest).unwrap();
    let mut errors = server.child.stderr.take().unwrap();
    errors.read_to_string(&mut err).unwrap();
    let said = format!("{rest}{err}");
    for secret in SECRETS {
        assert!(!said.contains(secret), "{said}");
    }
    assert_eq!(err, "");
}

#[cfg(target_os = "linux")]
mod interrupted {
    use std::fs;
    use std::process::Command;
    use std::thread::sleep;
    use std::time::Instant;

    use super::*;
    use crate::support::plan;

    impl Server {
        fn json(&self, method: &str, path: &str, body: &Value) -> Value {
            let answer = self.ask(method, path, &body.to_string());
            let (_, body) = answer.split_once("\r\n\r\n").unwrap();
            serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
        }

        /// Confirms the release of `plan.toml`; the number of its job.
        fn confirm(&self, here: &Here) -> u64 {
            let text = json!({ "text": here.read("plan.toml") });
            let looked = self.json("POST", "/api/plan", &text);
            let price = &looked["price"];
            let confirmed = json!({
                "name": "plan.toml",
                "hash": looked["hash"],
                "identity": price["identity"],
                "loss": price["loss"],
                "remaining": price["left"]["remaining"],
            });
            let started = self.json("POST", "/api/release", &confirmed);
            let job = started["job"].as_u64();
            job.unwrap_or_else(|| panic!("{started}"))
        }

        /// The end of a release.
        fn done(&self, job: u64) -> Value {
            let begun = Instant::now();
            loop {
                let state = self.json("GET", &format!("/api/job/{job}"), &json!(null));
                if state.get("done").is_some() {
                    return state["done"].clone();
                }
                assert!(state.get("error").is_none(), "{state}");
                assert!(begun.elapsed() < Duration::from_secs(120), "{state}");
                sleep(Duration::from_millis(20));
            }
        }

        /// Ends it as Ctrl-C does, as soon as something is so.
        fn interrupt(&mut self, is_so: impl Fn(&Server) -> bool) {
            let begun = Instant::now();
            while !is_so(self) {
                assert!(begun.elapsed() < Duration::from_secs(120), "it never was");
                sleep(Duration::from_millis(1));
            }
            // A process that was started in the background may ignore the first signal, and not
            // the second.
            for signal in ["-INT", "-TERM"] {
                let _ = Command::new("kill")
                    .args([signal, &self.child.id().to_string()])
                    .status();
            }
            let status = self.child.wait().unwrap();
            assert_eq!(status.code(), None, "it ended by itself: {status}");
        }

        /// The bytes that it has read.
        fn has_read(&self) -> u64 {
            let io = fs::read_to_string(format!("/proc/{}/io", self.child.id()));
            let io = io.unwrap_or_default();
            let read = io.lines().find_map(|line| line.strip_prefix("rchar: "));
            read.and_then(|read| read.parse().ok()).unwrap_or(0)
        }
    }

    /// A plan that spends a quarter of its budget, of a table that one thread reads from its start
    /// to its end.
    fn quarter(rows: usize) -> Here {
        let here = Here::new();
        here.write("people.csv", format!("age\n{}", "\"41\"\n".repeat(rows)));
        let spend = "epsilon = 1\n[spend]\nepsilon = 0.25\n";
        here.write("plan.toml", plan(50).replace("epsilon = 1\n", spend));
        here
    }

    /// What was spent; the whole chain is checked.
    fn spent(here: &Here) -> String {
        let spent = here.spent("lastbit.ledger");
        if spent.is_some() {
            here.run(&["ledger", "check", "lastbit.ledger"]).succeeded();
        }
        spent.unwrap_or("0".to_owned())
    }

    #[test]
    fn an_interrupt_while_a_server_reads_data_costs_nothing() {
        for rows in [6_000_000, 12_000_000, 24_000_000, 48_000_000] {
            let here = quarter(rows);
            let mut server = Server::of(&here);
            let before = server.has_read();
            server.confirm(&here);
            // The data are read twice, and this is within the second time.
            let size = fs::metadata(here.path("people.csv")).unwrap().len();
            server.interrupt(|server| server.has_read() > before + size + size / 8);
            // On a busy machine the release may be over: more rows take longer.
            if spent(&here) != "0" {
                continue;
            }
            let next = Server::of(&here);
            let done = next.done(next.confirm(&here));
            assert_eq!(done["before"], Value::Null, "{done}");
            assert_eq!(spent(&here), "0.25");
            return;
        }
        panic!("every release had ended before");
    }

    #[test]
    fn an_interrupt_of_a_server_that_has_reserved_leaves_a_ledger_that_adds_up() {
        for moment in [0, 1, 2, 4, 8, 16] {
            let here = quarter(1000);
            let mut server = Server::of(&here);
            server.confirm(&here);
            let ledger = here.path("lastbit.ledger");
            server.interrupt(|_| {
                ledger.exists() && {
                    sleep(Duration::from_millis(moment));
                    true
                }
            });
            let first = spent(&here);
            assert!(["0", "0.25"].contains(&first.as_str()), "{first}");
            let next = Server::of(&here);
            let done = next.done(next.confirm(&here));
            // What was published before is published again; what was not is paid for.
            let is_published = !done["before"].is_null();
            let expected = match (first.as_str(), is_published) {
                ("0", false) | ("0.25", true) => "0.25",
                ("0.25", false) => "0.5",
                _ => panic!("{first} was spent, and {done} was published before"),
            };
            assert_eq!(spent(&here), expected);
        }
    }
}
