//! `cargo xtask python` and `cargo xtask wheel`: the Python package, outside of all other steps,
//! which need no Python.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::run;

/// What the tests use.
const PACKAGES: &[&str] = &[
    "pytest", "mypy", "numpy", "pandas", "polars", "pyarrow", "duckdb",
];

/// The oldest Python that the package runs with.
const OLDEST: (u32, u32) = (3, 10);

/// `cargo xtask python`, with arguments for pytest.
pub fn run(arguments: &[String]) -> Result<()> {
    match environment(PACKAGES)? {
        Ok(python) => tested(&python, arguments).map(|summary| println!("{summary}")),
        Err(why) => bail!("{why}"),
    }
}

/// `cargo xtask wheel`
pub fn wheel() -> Result<()> {
    let python = match environment(&["maturin"])? {
        Ok(python) => python,
        Err(why) => bail!("{why}"),
    };
    let wheels = run::target().join("wheels");
    let start = Instant::now();
    run::succeed(
        Command::new(&python)
            .args(["-m", "maturin", "build", "--release", "--locked", "--out"])
            .arg(&wheels)
            .arg("--manifest-path")
            .arg(run::root().join("python/Cargo.toml"))
            .current_dir(run::root()),
        "maturin could not build the wheel; see above",
    )?;
    let seconds = start.elapsed().as_secs();
    let newest = run::children(&wheels)?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .max_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok())
        .context("maturin made no wheel")?;
    println!(
        "{}: {:.1} MB, built in {} min {} s",
        newest.display(),
        fs::metadata(&newest)?.len() as f64 / 1e6,
        seconds / 60,
        seconds % 60
    );
    Ok(())
}

/// The Python of a virtual environment under target/ that has these packages; or why there is none.
fn environment(packages: &[&str]) -> Result<Result<PathBuf, String>> {
    let Some(version) = version() else {
        return Ok(Err(format!(
            "the Python package is not tested: python3 {}.{} or later is not installed",
            OLDEST.0, OLDEST.1
        )));
    };
    let place = run::target().join(format!("python-{}.{}", version.0, version.1));
    let python = place.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    if !python.exists() {
        let made = Command::new("python3")
            .args(["-m", "venv"])
            .arg(&place)
            .status();
        if !made.is_ok_and(|status| status.success()) {
            // Half of one would be taken for whole the next time.
            let _ = fs::remove_dir_all(&place);
            return Ok(Err(
                "the Python package is not tested: python3 has no working venv module (Debian: \
                 python3-venv)"
                    .to_owned(),
            ));
        }
    }
    let installed = Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(packages)
        .status();
    if !installed.is_ok_and(|status| status.success()) {
        return Ok(Err(format!(
            "the Python package is not tested: pip could not install {}; this needs a package \
             index",
            packages.join(", ")
        )));
    }
    Ok(Ok(python))
}

/// The version of `python3`, if it is new enough.
fn version() -> Option<(u32, u32)> {
    let output = Command::new("python3")
        .args(["-c", "import sys; print(*sys.version_info[:2])"])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().split_once(' ')?;
    let version = (major.parse().ok()?, minor.parse().ok()?);
    (version >= OLDEST).then_some(version)
}

/// Lints, builds, tests and type-checks the package: with the profile for development, which is
/// quick to build. The package is put together by hand, as the wheel would be.
fn tested(python: &Path, arguments: &[String]) -> Result<String> {
    let lints = "clippy -p lastbit-python --locked -- -D warnings";
    run::succeed(
        extension(&mut run::cargo(), python).args(lints.split(' ')),
        &format!("mend what clippy names above; repeat with: cargo {lints}"),
    )?;
    run::succeed(
        extension(&mut run::cargo(), python).args(["build", "-p", "lastbit-python", "--locked"]),
        "the native part of the Python package does not build; see above",
    )?;
    let site = run::target().join("python-site");
    let package = site.join("lastbit");
    // What was left out since must not be found.
    if package.exists() {
        fs::remove_dir_all(&package).context("could not remove the package of the last run")?;
    }
    fs::create_dir_all(&package).context("could not make the package")?;
    let sources = run::root().join("python/lastbit");
    for path in run::children(&sources)? {
        if let Some(name) = path.file_name()
            && path.is_file()
        {
            fs::copy(&path, package.join(name)).context("could not copy the package")?;
        }
    }
    let (library, native) = if cfg!(windows) {
        ("_lastbit.dll", "_lastbit.pyd")
    } else if cfg!(target_os = "macos") {
        ("lib_lastbit.dylib", "_lastbit.abi3.so")
    } else {
        ("lib_lastbit.so", "_lastbit.abi3.so")
    };
    fs::copy(
        run::target().join("debug").join(library),
        package.join(native),
    )
    .context("could not find the native part that was built")?;
    run::succeed(
        Command::new(python)
            .args(["-m", "mypy", "--strict", "--config-file"])
            .arg(run::root().join("python/pyproject.toml"))
            .arg("--cache-dir")
            .arg(run::target().join("python-mypy"))
            .arg(&package)
            .current_dir(&site),
        "mend the types that mypy names above",
    )?;
    run::succeed(
        Command::new(python)
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .arg(run::root().join("python/tests"))
            .args(arguments)
            // Not beside the sources, which lack the native part and would be found first.
            .current_dir(&site)
            .env("PYTHONPATH", &site)
            .env("PYTHONDONTWRITEBYTECODE", "1"),
        "tests of the Python package failed; repeat one with: cargo xtask python -k NAME",
    )?;
    Ok("tests, doctests and types of the Python package passed".to_owned())
}

/// As maturin builds it: an extension of this Python, which links no Python.
fn extension<'a>(cargo: &'a mut Command, python: &Path) -> &'a mut Command {
    let path = env::var_os("PYO3_PYTHON").unwrap_or_else(|| python.into());
    cargo
        .env("PYO3_BUILD_EXTENSION_MODULE", "1")
        .env("PYO3_PYTHON", path)
}
