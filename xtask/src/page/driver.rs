//! Chromium by WebDriver: JSON over plain HTTP to its driver.

use core::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

/// Keys that have no character, as WebDriver writes them.
pub mod key {
    pub const TAB: &str = "\u{e004}";
    pub const ENTER: &str = "\u{e007}";
    pub const END: &str = "\u{e010}";
    pub const HOME: &str = "\u{e011}";
    pub const LEFT: &str = "\u{e012}";
    pub const RIGHT: &str = "\u{e014}";
}

/// How long anything may take on a busy machine before it counts as broken.
const PATIENCE: Duration = Duration::from_secs(90);

/// How long a measurement of many prices may take.
const LONG: Duration = Duration::from_secs(300);

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// That the browser or its driver failed, and not the page.
#[derive(Debug)]
pub struct BrowserFailed;

impl fmt::Display for BrowserFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the browser or its driver failed")
    }
}

/// Errors of WebDriver that tell nothing of a page.
const OWN_ERRORS: [&str; 4] = [
    "invalid session id",
    "session not created",
    "tab crashed",
    "unknown error",
];

/// A browser, killed with this.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// A new browser with nothing in its profile that shows a page.
    pub fn start(profile: &Path) -> Result<Browser> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            // Nothing of who runs this: no home, no proxy, no place for temporary files whose name
            // is too long for a socket.
            .env("HOME", profile)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("TMPDIR")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_RUNTIME_DIR")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("could not start chromedriver")?;
        let output = driver.stdout.take().context("stdout is piped")?;
        let mut browser = Browser {
            driver,
            port: 0,
            session: String::new(),
        };
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some((_, port)) = line.split_once("started successfully on port ") {
                    // It writes more, and must not wait for a reader.
                    let _ = tell.send(port.trim_end_matches('.').parse::<u16>());
                }
            }
        });
        browser.port = match told.recv_timeout(PATIENCE) {
            Ok(Ok(port)) => port,
            _ => bail!("chromedriver named no port"),
        };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--no-proxy-server",
            "--disable-background-networking",
            "--disable-background-timer-throttling",
            "--disable-backgrounding-occluded-windows",
            "--disable-renderer-backgrounding",
            "--disable-component-update",
            "--disable-sync",
            "--force-color-profile=srgb",
            "--lang=en",
            "--window-size=1280,900",
            &format!("--user-data-dir={}", profile.join("chromium").display()),
        ];
        let answer = browser.http(
            "POST",
            "/session",
            &json!({ "capabilities": { "alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": { "args": arguments },
                "goog:loggingPrefs": { "browser": "ALL" },
                "unhandledPromptBehavior": "accept",
            } } }),
        )?;
        browser.session = answer["sessionId"]
            .as_str()
            .context("chromedriver started no browser")?
            .to_owned();
        // One whose pages crash is none.
        browser.go("data:text/html,<title>lastbit</title>x")?;
        browser.until("document.title === 'lastbit' && document.body.innerText === 'x'")?;
        browser.picture()?;
        Ok(browser)
    }

    fn http(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let value = self.exchange(method, path, body).context(BrowserFailed)?;
        let Some(error) = value.get("error") else {
            return Ok(value);
        };
        let error = error.as_str().unwrap_or_default();
        let message = value["message"].as_str().unwrap_or_default();
        let words = anyhow!(
            "{path}: {error}: {}",
            message.lines().next().unwrap_or_default()
        );
        Err(match OWN_ERRORS.contains(&error) {
            true => words.context(BrowserFailed),
            false => words,
        })
    }

    /// What the driver answers, errors of its own included.
    fn exchange(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(LONG + PATIENCE))?;
        let body = if method != "POST" {
            String::new()
        } else {
            body.to_string()
        };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line == "\r\n" {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        let mut answer: Value = serde_json::from_slice(&answer)?;
        Ok(answer["value"].take())
    }

    fn post(&self, path: &str, body: Value) -> Result<Value> {
        self.http("POST", &format!("/session/{}{path}", self.session), &body)
    }

    pub fn go(&self, address: &str) -> Result<()> {
        self.post("/url", json!({ "url": address })).map(|_| ())
    }

    /// What a function body returns in the page.
    pub fn run(&self, script: &str) -> Result<Value> {
        self.post("/execute/sync", json!({ "script": script, "args": [] }))
    }

    /// What a function body hands to its last argument.
    pub fn run_async(&self, script: &str) -> Result<Value> {
        self.post("/timeouts", json!({ "script": LONG.as_millis() as u64 }))?;
        self.post("/execute/async", json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression is true in the page.
    pub fn until(&self, expression: &str) -> Result<Value> {
        let start = Instant::now();
        loop {
            // While a page loads there may be nothing to ask.
            let last = self.run(&format!("return {expression};"));
            if let Ok(value) = &last
                && !matches!(value, Value::Null | Value::Bool(false))
                && *value != json!("")
            {
                return Ok(value.clone());
            }
            if start.elapsed() > PATIENCE {
                if last
                    .as_ref()
                    .is_err_and(|error| error.is::<BrowserFailed>())
                {
                    return last;
                }
                let seen = self
                    .run("return location.href + '\\n' + document.body.innerText")
                    .unwrap_or_default();
                bail!(
                    "this never came true: {expression} (last: {last:?})\n{}",
                    seen.as_str().unwrap_or_default()
                );
            }
            thread::sleep(Duration::from_millis(30));
        }
    }

    fn element(&self, css: &str) -> Result<String> {
        let quoted = json!(css);
        self.until(&format!("document.querySelector({quoted}) !== null"))?;
        let found = self.post("/element", json!({ "using": "css selector", "value": css }))?;
        found[ELEMENT]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| anyhow!("no element {css}"))
    }

    /// Clicks as a hand does: on what is there and not covered.
    pub fn click(&self, css: &str) -> Result<()> {
        let element = self.element(css)?;
        self.run(&format!(
            "document.querySelector({}).scrollIntoView({{ block: 'center' }})",
            json!(css)
        ))?;
        self.post(&format!("/element/{element}/click"), json!({}))
            .map(|_| ())
    }

    /// Replaces what a field holds, by keys, and leaves it.
    pub fn fill(&self, css: &str, text: &str) -> Result<()> {
        let element = self.element(css)?;
        // Select all, then write over it; Tab leaves the field, which is when it takes effect.
        let keys = match text.is_empty() {
            true => "\u{e009}a\u{e000}\u{e003}\u{e004}".to_owned(),
            false => format!("\u{e009}a\u{e000}{text}\u{e004}"),
        };
        self.post(
            &format!("/element/{element}/value"),
            json!({ "text": keys }),
        )
        .map(|_| ())
    }

    /// Sends keys to an element.
    pub fn keys(&self, css: &str, text: &str) -> Result<()> {
        let element = self.element(css)?;
        self.post(
            &format!("/element/{element}/value"),
            json!({ "text": text }),
        )
        .map(|_| ())
    }

    /// Sends keys to whatever has the focus.
    pub fn press(&self, keys: &str) -> Result<()> {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                [
                    json!({ "type": "keyDown", "value": key.to_string() }),
                    json!({ "type": "keyUp", "value": key.to_string() }),
                ]
            })
            .collect();
        self.post(
            "/actions",
            json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }),
        )
        .map(|_| ())
    }

    pub fn text(&self, css: &str) -> Result<String> {
        let value = self.run(&format!(
            "return document.querySelector({}).innerText",
            json!(css)
        ))?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// A new tab, which is then the current one.
    pub fn tab(&self) -> Result<String> {
        let tab = self.post("/window/new", json!({ "type": "tab" }))?;
        let handle = tab["handle"].as_str().context("no tab")?.to_owned();
        self.switch(&handle)?;
        Ok(handle)
    }

    pub fn current(&self) -> Result<String> {
        let handle = self.http(
            "GET",
            &format!("/session/{}/window", self.session),
            &Value::Null,
        )?;
        Ok(handle.as_str().unwrap_or_default().to_owned())
    }

    pub fn switch(&self, handle: &str) -> Result<()> {
        self.post("/window", json!({ "handle": handle }))
            .map(|_| ())
    }

    pub fn close(&self) -> Result<()> {
        self.http(
            "DELETE",
            &format!("/session/{}/window", self.session),
            &Value::Null,
        )
        .map(|_| ())
    }

    /// A command of Chromium's own protocol.
    pub fn chromium(&self, command: &str, parameters: Value) -> Result<Value> {
        self.post(
            "/goog/cdp/execute",
            json!({ "cmd": command, "params": parameters }),
        )
    }

    pub fn size(&self, width: u32, height: u32) -> Result<()> {
        self.chromium(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false }),
        )
        .map(|_| ())
    }

    pub fn dark(&self, dark: bool) -> Result<()> {
        let value = if dark { "dark" } else { "light" };
        self.chromium(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] }),
        )
        .map(|_| ())
    }

    /// A picture of what is seen, as base64 of PNG.
    pub fn picture(&self) -> Result<String> {
        let picture = self.http(
            "GET",
            &format!("/session/{}/screenshot", self.session),
            &Value::Null,
        )?;
        Ok(picture.as_str().unwrap_or_default().to_owned())
    }

    /// What the browser complained about since the last time.
    pub fn complaints(&self) -> Result<Vec<String>> {
        let log = self.post("/se/log", json!({ "type": "browser" }))?;
        Ok(log
            .as_array()
            .into_iter()
            .flatten()
            .filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING")
            .map(|entry| entry["message"].as_str().unwrap_or_default().to_owned())
            .collect())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; the driver is ours to end.
        let _ = self.http(
            "DELETE",
            &format!("/session/{}", self.session),
            &Value::Null,
        );
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
