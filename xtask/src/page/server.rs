//! The command under test.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// A directory that is removed with this.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Result<Scratch> {
        let path = crate::run::target()
            .join("page")
            .join(format!("{}-{name}", std::process::id()));
        // What an earlier process of this number left.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path)?;
        Ok(Scratch(path.canonicalize()?))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        Ok(fs::write(self.0.join(name), text)?)
    }

    pub fn read(&self, name: &str) -> Result<String> {
        Ok(fs::read_to_string(self.0.join(name))?)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// `lastbit serve` of a directory; killed with this.
pub struct Served {
    child: Child,
    pub address: String,
}

impl Served {
    pub fn start(lastbit: &Path, directory: &Path) -> Result<Served> {
        let mut child = Command::new(lastbit)
            .args(["serve", "--no-open"])
            .arg(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("could not start {}", lastbit.display()))?;
        let output = child.stdout.take().context("stdout is piped")?;
        let mut address = String::new();
        BufReader::new(output).read_line(&mut address)?;
        let served = Served {
            child,
            address: address.trim().to_owned(),
        };
        if !served.address.starts_with("http://127.0.0.1:") {
            bail!(
                "lastbit serve printed no address, but \"{}\"",
                served.address
            );
        }
        Ok(served)
    }

    /// The address of a path, without the token.
    pub fn at(&self, path: &str) -> String {
        let base = self.address.split("/?token=").next().unwrap_or_default();
        format!("{base}{path}")
    }

    /// As `kill -9` does.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// The time that processors have worked for it, in milliseconds; Linux only.
    pub fn worked(&self) -> Option<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // After the name, which may hold anything: 11 fields, and then the time as a user and
        // that of the system, in hundredths of a second.
        let (_, fields) = stat.rsplit_once(')')?;
        let times = fields.split_whitespace().skip(11).take(2);
        let hundredths: f64 = times.filter_map(|time| time.parse::<f64>().ok()).sum();
        Some(10.0 * hundredths)
    }

    /// The memory that it has now, in bytes; Linux only.
    pub fn memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(1024 * kilobytes)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
