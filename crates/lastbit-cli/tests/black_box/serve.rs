//! What `lastbit serve` writes where it was started: its address, and no data.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::hostile::{SECRETS, hostile};

/// What a server answers to a request with this cookie and body.
fn ask(address: &str, line: &str, cookie: &str, body: &str) -> String {
    let host = address.split('/').nth(2).unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(120)))
        .unwrap();
    write!(
        stream,
        "{line} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_server_writes_its_address_and_no_data() {
    let here = hostile();
    let mut server = here.command(&["serve", "--no-open", "."]).spawn().unwrap();
    let mut out = BufReader::new(server.stdout.take().unwrap());
    let mut address = String::new();
    out.read_line(&mut address).unwrap();
    let address = address.trim();
    let path = &address[address.rfind("://").unwrap() + 3..];
    let path = &path[path.find('/').unwrap()..];
    let base = path.split("/?token=").next().unwrap();
    let told = ask(address, &format!("GET {path}"), "", "");
    let (_, cookie) = told
        .split_once("set-cookie: ")
        .unwrap_or_else(|| panic!("{told}"));
    let cookie = cookie.split(';').next().unwrap();
    let plan = here.read("plan.toml");
    let body = |plan: &str| serde_json::json!({ "text": plan, "not_private": true }).to_string();
    // Reads rows, and shows what is not listed to the one who holds them.
    let inspect = format!("POST {base}/api/inspect");
    let seen = ask(address, &inspect, cookie, &body(&plan));
    assert!(seen.starts_with("HTTP/1.1 200"), "{seen}");
    // Fails after it read rows, and fails at once.
    let asked = [
        (inspect, body(&here.read("rows.toml"))),
        (format!("POST {base}/api/inspect"), body(SECRETS[0])),
        (format!("POST {base}/api/plan"), SECRETS[1].to_owned()),
        (format!("GET {base}/{}", SECRETS[2]), String::new()),
    ];
    for (line, body) in asked {
        let refused = ask(address, &line, cookie, &body);
        assert!(refused.starts_with("HTTP/1.1 "), "{refused}");
    }
    server.kill().unwrap();
    server.wait().unwrap();
    let (mut rest, mut err) = (String::new(), String::new());
    out.read_to_string(&mut rest).unwrap();
    let mut errors = server.stderr.take().unwrap();
    errors.read_to_string(&mut err).unwrap();
    let said = format!("{rest}{err}");
    for secret in SECRETS {
        assert!(!said.contains(secret), "{said}");
    }
    assert_eq!(err, "");
}
