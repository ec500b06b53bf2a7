//! Requests without end, and clients who never read.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use lastbit_page::PageLimits;
use serde_json::json;

use crate::support::{PLAN, Served, wait_for};

#[test]
fn bodies_have_a_limit() {
    let limits = PageLimits {
        body_bytes: 4000,
        ..PageLimits::default()
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
    let limits = PageLimits {
        head_time: Duration::from_millis(200),
        connections: 1,
        ..PageLimits::default()
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
    let limits = PageLimits {
        request_time: Duration::from_millis(500),
        connections: 1,
        ..PageLimits::default()
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
fn strangers_who_never_read_keep_nobody_out() {
    let served = Served::with(PageLimits {
        strangers: 4,
        connections: 2,
        head_time: Duration::from_secs(3600),
        ..PageLimits::default()
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
    let served = Served::with(PageLimits {
        write_time: Duration::from_millis(200),
        connections: 1,
        ..PageLimits::default()
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
