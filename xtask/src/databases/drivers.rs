//! Drivers of databases, from where they are published, under target/.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::run;

/// The versions that are tested.
const POSTGRESQL: &str = "adbc-driver-postgresql==1.13.0";
const DUCKDB: &str = "1.5.6-r.1";

fn directory() -> PathBuf {
    run::target().join("databases")
}

/// Runs a command whose words are of use only if it fails.
fn quiet(command: &mut Command, remedy: &str) -> Result<()> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| remedy.to_owned())?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        bail!("{remedy}");
    }
    Ok(())
}

/// The ADBC driver of PostgreSQL, from its Python package.
pub fn postgresql() -> Result<PathBuf> {
    let environment = directory().join("python");
    let library = "libadbc_driver_postgresql.so";
    let find = || find(&environment, library);
    if let Some(found) = find() {
        return Ok(found);
    }
    fs::create_dir_all(directory())?;
    quiet(
        Command::new("python3")
            .args(["-m", "venv"])
            .arg(&environment),
        "python3 cannot make a virtual environment; install Python with its venv module",
    )?;
    quiet(
        Command::new(environment.join("bin/python"))
            .args(["-m", "pip", "install", "--quiet", POSTGRESQL]),
        &format!("pip cannot install {POSTGRESQL}; this needs the network"),
    )?;
    find().with_context(|| format!("{POSTGRESQL} has no {library}"))
}

/// The library of DuckDB, which is its own driver, from the package for Node.
pub fn duckdb() -> Result<PathBuf> {
    let architecture = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "x64",
        ("linux", "aarch64") => "arm64",
        (system, processor) => bail!("its library is not known for {system} on {processor}"),
    };
    let directory = directory().join(format!("duckdb-{DUCKDB}"));
    let library = directory.join("package/libduckdb.so");
    if library.exists() {
        return Ok(library);
    }
    let package = format!("@duckdb/node-bindings-linux-{architecture}@{DUCKDB}");
    // Made whole beside, and then named: an interrupted download is no library.
    let partial = directory.with_extension("partial");
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial)?;
    quiet(
        Command::new("npm")
            .args(["pack", "--silent", &package])
            .current_dir(&partial),
        &format!("npm cannot fetch {package}; install npm (Debian: npm); this needs the network"),
    )?;
    let archive = run::children(&partial)?;
    let [archive] = archive.as_slice() else {
        bail!("npm packed {} files", archive.len());
    };
    quiet(
        Command::new("tar")
            .arg("xzf")
            .arg(archive)
            .current_dir(&partial),
        "tar cannot unpack it",
    )?;
    let _ = fs::remove_dir_all(&directory);
    fs::rename(&partial, &directory)?;
    match library.exists() {
        true => Ok(library),
        false => bail!("{package} has no libduckdb.so"),
    }
}

/// The first file of this name below a directory.
fn find(directory: &Path, name: &str) -> Option<PathBuf> {
    for path in run::children(directory).ok()? {
        if path.is_dir() && !path.is_symlink() {
            if let Some(found) = find(&path, name) {
                return Some(found);
            }
        } else if path.file_name().is_some_and(|file| file == name) {
            return Some(path);
        }
    }
    None
}
