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

/// A directory that is made whole beside its place, and then named: an interrupted download is not
/// taken for one.
fn whole(place: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let partial = place.with_extension("partial");
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial)?;
    make(&partial)?;
    let _ = fs::remove_dir_all(place);
    fs::rename(&partial, place).context("could not name a directory under target/")
}

/// The ADBC driver of PostgreSQL, from its Python package.
pub fn postgresql() -> Result<PathBuf> {
    let library = "libadbc_driver_postgresql.so";
    let place = directory().join(name_of(POSTGRESQL));
    if let Some(found) = find(&place, library) {
        return Ok(found);
    }
    environment(&place, &["--no-deps", POSTGRESQL])?;
    find(&place, library).with_context(|| format!("{POSTGRESQL} has no {library}"))
}

/// An environment of Python with a package, such as `name==1.0`, and what it needs.
pub fn python_package(package: &str) -> Result<PathBuf> {
    let place = directory().join(name_of(package));
    if !place.join("bin/python").exists() {
        environment(&place, &[package])?;
    }
    Ok(place)
}

fn name_of(package: &str) -> String {
    package.replace("==", "_").replace('.', "_")
}

fn environment(place: &Path, install: &[&str]) -> Result<()> {
    whole(place, |environment| {
        quiet(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(environment),
            "python3 cannot make a virtual environment; install Python with its venv module \
             (Debian: python3-venv)",
        )?;
        let mut pip = Command::new(environment.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(install);
        let package = install.last().unwrap_or(&"nothing");
        quiet(
            &mut pip,
            &format!("pip cannot install {package}; this needs a package index"),
        )
    })
}

/// The library of DuckDB, which is its own driver, from the package for Node.
pub fn duckdb() -> Result<PathBuf> {
    let architecture = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "x64",
        ("linux", "aarch64") => "arm64",
        (system, processor) => bail!("its library is not known for {system} on {processor}"),
    };
    let directory = directory().join(format!("duckdb-{}", DUCKDB.replace('.', "_")));
    let library = directory.join("package/libduckdb.so");
    if library.exists() {
        return Ok(library);
    }
    whole(&directory, |partial| {
        let archive = partial.join("archive.tgz");
        fetch(architecture, partial, &archive)?;
        let mut tar = Command::new("tar");
        tar.arg("xzf").arg(&archive).current_dir(partial);
        quiet(&mut tar, "tar cannot unpack the library of DuckDB")
    })?;
    match library.exists() {
        true => Ok(library),
        false => bail!("the package of DuckDB has no libduckdb.so"),
    }
}

/// The package for Node: by npm, which knows what somebody has set for it, or else from where npm
/// would take it.
fn fetch(architecture: &str, partial: &Path, archive: &Path) -> Result<()> {
    let name = format!("node-bindings-linux-{architecture}");
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", &format!("@duckdb/{name}@{DUCKDB}")])
        .current_dir(partial)
        .stdin(Stdio::null());
    if npm.output().is_ok_and(|output| output.status.success())
        && let [packed] = run::children(partial)?.as_slice()
    {
        return fs::rename(packed, archive).context("could not name what npm fetched");
    }
    let url = format!("https://registry.npmjs.org/@duckdb/{name}/-/{name}-{DUCKDB}.tgz");
    let program = "import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])";
    let mut python = Command::new("python3");
    python.args(["-c", program, &url]).arg(archive);
    quiet(
        &mut python,
        &format!("neither npm nor python3 can fetch {url}; this needs the network"),
    )
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
