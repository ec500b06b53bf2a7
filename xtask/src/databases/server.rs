//! A PostgreSQL server in a temporary directory, reached by a socket in it: no port is taken, and
//! nothing outlives it.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{packages, run};

/// A server that runs.
pub struct Server {
    directory: PathBuf,
    programs: PathBuf,
    user: Option<(u32, u32)>,
    keeper: Child,
}

impl Server {
    pub fn start() -> Result<Server> {
        let programs = match programs() {
            Some(programs) => programs,
            None if packages::install(&["postgresql"]) => programs().context(REMEDY)?,
            None => bail!("{REMEDY}"),
        };
        // initdb refuses root.
        let user = match id(&["-u"])? {
            0 => Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)),
            _ => None,
        };
        let directory = directory(user.is_some())?;
        if let Some((uid, gid)) = user {
            chown(&directory, Some(uid), Some(gid)).context("could not give away a directory")?;
        }
        let keeper = keeper(&directory, &programs, user)?;
        let server = Server {
            directory,
            programs,
            user,
            keeper,
        };
        server.succeed(
            "initdb",
            &[
                "-D",
                "data",
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
            ],
        )?;
        // One user needs a password; nobody from elsewhere gets in at all.
        fs::write(
            server.directory.join("data/pg_hba.conf"),
            "local all secretive scram-sha-256\nlocal all all trust\n",
        )?;
        let socket = server.directory.display().to_string();
        let options = format!(
            "-k {socket} -c listen_addresses= -c fsync=off -c full_page_writes=off -c \
             max_connections=100"
        );
        server.succeed(
            "pg_ctl",
            &[
                "-D", "data", "-w", "-t", "120", "-s", "-l", "log", "-o", &options, "start",
            ],
        )?;
        Ok(server)
    }

    /// Where its owner reaches it.
    pub fn url(&self) -> String {
        format!(
            "postgresql://postgres@/postgres?host={}",
            self.directory.display()
        )
    }

    /// A file of passwords that is not there.
    pub fn no_passwords(&self) -> PathBuf {
        self.directory.join("no passwords")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command
            .current_dir(&self.directory)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    fn succeed(&self, program: &str, arguments: &[&str]) -> Result<()> {
        // Into a file: the server keeps what it inherits open for as long as it runs.
        let words = self.directory.join(format!("{program}.words"));
        let file = fs::File::create(&words)?;
        let status = self
            .command(program)
            .args(arguments)
            .stdout(file.try_clone()?)
            .stderr(file)
            .status()
            .with_context(|| format!("could not start {program}"))?;
        if !status.success() {
            let log = |path: &Path| fs::read_to_string(path).unwrap_or_default();
            eprintln!("{}{}", log(&words), log(&self.directory.join("log")));
            bail!("{program} failed; see above");
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It reads the end of its input, and stops the server.
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A process that stops the server and removes its directory when its input ends: so also when this
/// program is killed.
fn keeper(directory: &Path, programs: &Path, user: Option<(u32, u32)>) -> Result<Child> {
    // The data are thrown away, so the server need not write them.
    let script =
        "cat > /dev/null; \"$1/pg_ctl\" -D data -m immediate -w -t 60 -s stop; rm -rf \"$2\"/*";
    let mut command = Command::new("sh");
    command
        .args(["-c", script, "sh"])
        .args([programs, directory])
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // An interrupt from the terminal is for others.
        .process_group(0);
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    command
        .spawn()
        .context("could not start what stops the server")
}

const REMEDY: &str = "the server is not installed; install the package postgresql (the name is \
    Debian's), as root: apt-get install postgresql";

/// Where initdb and pg_ctl are: of Debian's versions the newest, or where the shell finds them.
fn programs() -> Option<PathBuf> {
    let has =
        |directory: &Path| directory.join("initdb").exists() && directory.join("pg_ctl").exists();
    let version = |path: &PathBuf| -> u32 {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.parse().unwrap_or(0)
    };
    let mut versions = run::children(Path::new("/usr/lib/postgresql")).unwrap_or_default();
    versions.sort_by_key(version);
    let debian = versions.into_iter().rev().map(|path| path.join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    debian
        .chain(std::env::split_paths(&path))
        .find(|directory| has(directory))
}

fn id(arguments: &[&str]) -> Result<u32> {
    let output = Command::new("id").args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .parse()
        .with_context(|| format!("`id {}` gives no number", arguments.join(" ")))
}

/// A new directory with a short name: a socket's is at most 107 bytes long. If it is for another
/// user, where everybody gets.
fn directory(is_for_another: bool) -> Result<PathBuf> {
    let base = match std::env::temp_dir() {
        own if is_for_another || own.as_os_str().len() > 60 => PathBuf::from("/tmp"),
        base => base,
    };
    for attempt in 0..100 {
        let directory = base.join(format!("lastbit-{}-{attempt}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).context("could not make a temporary directory"),
        }
    }
    bail!("could not make a temporary directory in {}", base.display())
}
