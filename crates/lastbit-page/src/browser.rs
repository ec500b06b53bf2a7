//! Opening the page in a browser, where there is one.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::secret;

/// How long a browser has to read the file.
const FOR: Duration = Duration::from_secs(60);

/// Opens the address in the user's browser, if there seems to be a desktop.
///
/// The token is never on a command line, which other users of the machine could read: the browser
/// is given a file that only its owner may read, that leads to the address, and that is removed
/// after a minute. Whether something was started.
pub fn open(address: &str) -> bool {
    started(address).is_some()
}

fn started(address: &str) -> Option<()> {
    let program = program()?;
    let name = format!("lastbit-{}.html", secret::new().ok()?);
    let path = std::env::temp_dir().join(name);
    write(&path, address).ok()?;
    let started = Command::new(program)
        .arg(&path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let wait = match &started {
        Ok(_) => FOR,
        Err(_) => Duration::ZERO,
    };
    thread::spawn(move || {
        thread::sleep(wait);
        // The token in it was used by then, or is of no use to anybody.
        let _ = fs::remove_file(&path);
    });
    started.ok().map(drop)
}

fn write(path: &Path, address: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    // The address is ours: letters, digits and `/:.?=`.
    options.open(path)?.write_all(
        format!(
            "<!doctype html><meta charset=\"utf-8\"><title>lastbit</title><meta \
             http-equiv=\"refresh\" content=\"0;url={address}\"><a href=\"{address}\">Open the \
             page</a>"
        )
        .as_bytes(),
    )
}

#[cfg(target_os = "macos")]
fn program() -> Option<&'static str> {
    Some("open")
}

#[cfg(target_os = "windows")]
fn program() -> Option<&'static str> {
    Some("explorer")
}

#[cfg(not(any(target_os = "macos", target_os = "windows")))]
fn program() -> Option<&'static str> {
    let desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    desktop.then_some("xdg-open")
}
