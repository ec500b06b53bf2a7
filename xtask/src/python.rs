//! `cargo xtask python`, `wheel` and `site`: the Python package, and the pages that need it.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::run::{self, Outcome};

/// The file of the packages that the tests run with, each with its version.
const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// The same with the oldest versions that the package works with.
const OLDEST_REQUIREMENTS: &str = "python/tests/requirements-oldest.txt";

/// The libraries whose programs the guide has beside ours.
const PEERS: &str = "python/tests/requirements-peers.txt";

/// Tumult Analytics, which starts Spark and so takes minutes.
const TUMULT: &str = "python/tests/requirements-tumult.txt";

/// The tests of their programs.
const OF_PEERS: [&str; 2] = ["-k", "what_others_do"];

/// What builds the wheel.
const MATURIN: &str = "maturin==1.16.0";

/// What turns documents into pages.
const MARKDOWN: &str = "markdown==3.11.3";

/// The oldest Python that the package runs with.
const OLDEST: (u32, u32) = (3, 10);

/// No newer one is looked for.
const NEWEST_MINOR: u32 = 20;

/// The Python that is taken where nobody names one.
const USUAL: &str = "python3";

/// `cargo xtask python`: with `--python PROGRAM`, another Python than `python3`; with `--oldest`,
/// the oldest versions of other packages; with `--tumult`, only the program of Tumult Analytics
/// that the guide has; the other arguments go to pytest.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut program = USUAL.to_owned();
    let mut requirements = REQUIREMENTS;
    let mut rest = Vec::new();
    let mut given = arguments.iter();
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--python" => {
                program = given
                    .next()
                    .context("--python needs a program, such as python3.10")?
                    .clone();
            }
            "--oldest" => requirements = OLDEST_REQUIREMENTS,
            "--tumult" => requirements = TUMULT,
            _ => rest.push(argument.clone()),
        }
    }
    match environment(&program, &Wanted::File(requirements))? {
        Ok(python) if requirements == TUMULT => {
            let chosen = OF_PEERS.map(str::to_owned);
            pytest(&python, &assembled(&python)?, &chosen)
        }
        Ok(python) => tested(&python, &rest).map(|summary| println!("{summary}")),
        Err(why) => bail!("{why}"),
    }
}

/// As a step of `cargo xtask test`: skipped, where there is no Python, it has no venv module, or
/// the packages cannot be installed. The oldest packages run in the oldest Python that answers, and
/// the others in the newest, too.
pub fn step() -> Result<Outcome> {
    let python = match environment(USUAL, &Wanted::File(REQUIREMENTS))? {
        Ok(python) => python,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let mut summary = tested(&python, &[])?;
    let (oldest, newest) = ends(answering());
    let mut others: Vec<(&str, &str, String, &[&str])> = vec![
        (
            &oldest.program,
            OLDEST_REQUIREMENTS,
            format!("with the oldest packages in {oldest}"),
            &[],
        ),
        (USUAL, PEERS, "beside other libraries".to_owned(), &OF_PEERS),
    ];
    if newest.version != version(USUAL) {
        let how = format!("in {newest}");
        others.push((&newest.program, REQUIREMENTS, how, &[]));
    }
    // One build serves all: the native part works with every Python.
    for (program, file, how, chosen) in others {
        match environment(program, &Wanted::File(file))? {
            Ok(python) => {
                let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
                pytest(&python, &site_packages(), &chosen)?;
                summary.push_str(&format!("; {how}, too"));
            }
            Err(why) => summary.push_str(&format!("; NOT {how}: {why}")),
        }
    }
    summary.push_str(
        "; NOT beside Tumult Analytics, which takes minutes: cargo xtask python --tumult",
    );
    Ok(Outcome::Passed(summary))
}

/// A Python that may be there.
#[derive(Clone)]
struct Interpreter {
    program: String,
    version: Option<(u32, u32)>,
}

impl Interpreter {
    fn new(program: impl Into<String>) -> Interpreter {
        let program = program.into();
        Interpreter {
            version: version(&program),
            program,
        }
    }
}

impl fmt::Display for Interpreter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some((major, minor)) => write!(f, "Python {major}.{minor}"),
            None => write!(f, "{}", self.program),
        }
    }
}

/// The Pythons that answer, new enough: by their names, and those of pyenv, whose names answer only
/// where somebody chose them.
fn answering() -> Vec<Interpreter> {
    let named = (OLDEST.1..=NEWEST_MINOR).map(|minor| format!("python3.{minor}"));
    let programs = [USUAL.to_owned()]
        .into_iter()
        .chain(named)
        .chain(of_pyenv());
    programs
        .map(Interpreter::new)
        .filter(|one| one.version.is_some())
        .collect()
}

/// The programs of pyenv's versions; none without pyenv.
fn of_pyenv() -> Vec<String> {
    let said = |arguments: &[&str]| {
        let output = isolated("pyenv").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let versions = said(&["versions", "--bare"]).unwrap_or_default();
    versions
        .lines()
        .filter_map(|version| said(&["prefix", version.trim()]))
        .map(|prefix| format!("{prefix}/bin/python"))
        .collect()
}

/// The oldest and the newest of them; the usual one, if none answers.
fn ends(found: Vec<Interpreter>) -> (Interpreter, Interpreter) {
    let usual = || Interpreter::new(USUAL);
    let oldest = found.iter().min_by_key(|one| one.version).cloned();
    // Of two that are as new, the last would be taken: the usual one is first.
    let newest = found.iter().rev().max_by_key(|one| one.version).cloned();
    (oldest.unwrap_or_else(usual), newest.unwrap_or_else(usual))
}

/// `cargo xtask site`: the guide, the notebooks and the references of both languages, as pages.
pub fn site() -> Result<()> {
    let python = match environment(USUAL, &Wanted::Packages(&[MARKDOWN]))? {
        Ok(python) => python,
        Err(why) => bail!("{why}"),
    };
    run::succeed(
        run::cargo()
            .args("doc --workspace --exclude lastbit-python --lib --no-deps --locked".split(' ')),
        "rustdoc failed; see above",
    )?;
    let package = assembled(&python)?;
    let place = run::target().join("site");
    run::succeed(
        isolated(&python)
            .arg(run::root().join("docs/site.py"))
            .args([&place, &run::target().join("doc")])
            .env("PYTHONPATH", package),
        "the pages could not be written; see above",
    )?;
    println!("open {}", place.join("index.html").display());
    Ok(())
}

/// `cargo xtask wheel`
pub fn wheel() -> Result<()> {
    let python = match environment(USUAL, &Wanted::Packages(&[MATURIN]))? {
        Ok(python) => python,
        Err(why) => bail!("{why}"),
    };
    let wheels = run::target().join("wheels");
    let start = Instant::now();
    run::succeed(
        isolated(&python)
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

/// What an environment has.
enum Wanted {
    /// What a file of requirements lists.
    File(&'static str),
    /// These packages.
    Packages(&'static [&'static str]),
}

/// A Python program, as tests are to run it: without what the user's environment adds.
fn isolated(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .env_remove("PYTHONHOME")
        .env_remove("PYTHONPATH")
        .env_remove("PYTHONSTARTUP")
        .env("PYTHONUTF8", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// The Python of a virtual environment under target/ that has these packages; or why there is none.
fn environment(program: &str, wanted: &Wanted) -> Result<Result<PathBuf, String>> {
    let Some(version) = version(program) else {
        return Ok(Err(format!(
            "the Python package is not tested: {program} is not installed, or older than {}.{}",
            OLDEST.0, OLDEST.1
        )));
    };
    let suffix = match wanted {
        Wanted::File(REQUIREMENTS) => "",
        Wanted::File(PEERS) => "-peers",
        Wanted::File(TUMULT) => "-tumult",
        Wanted::File(_) => "-oldest",
        Wanted::Packages(_) => "-build",
    };
    let place = run::target().join(format!("python-{}.{}{suffix}", version.0, version.1));
    let python = place.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let works = |arguments: &[&str]| {
        isolated(&python)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !works(&["-m", "pip", "--version"]) {
        // Half of one, or one whose Python is gone, would be taken for whole.
        let _ = fs::remove_dir_all(&place);
        let made = isolated(program).args(["-m", "venv"]).arg(&place).status();
        if !made.is_ok_and(|status| status.success()) || !works(&["-m", "pip", "--version"]) {
            let _ = fs::remove_dir_all(&place);
            return Ok(Err(format!(
                "the Python package is not tested: {program} has no working venv module (Debian: \
                 python3-venv)"
            )));
        }
    }
    let mut install = isolated(&python);
    install.args("-m pip install --quiet --disable-pip-version-check".split(' '));
    // An index that does not answer is given up soon.
    install.args("--retries 2 --timeout 20 --only-binary :all:".split(' '));
    let listed = match wanted {
        Wanted::File(file) => {
            install.arg("-r").arg(run::root().join(file));
            format!("what {file} lists")
        }
        Wanted::Packages(packages) => {
            install.args(*packages);
            packages.join(", ")
        }
    };
    if !install.status().is_ok_and(|status| status.success()) {
        return Ok(Err(format!(
            "the Python package is not tested: pip could not install {listed}; this needs a \
             package index such as PyPI"
        )));
    }
    Ok(Ok(python))
}

/// The version of a Python, if it is new enough.
fn version(program: &str) -> Option<(u32, u32)> {
    let output = isolated(program)
        .args(["-c", "import sys; print(*sys.version_info[:2])"])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().split_once(' ')?;
    let version = (major.parse().ok()?, minor.parse().ok()?);
    (version >= OLDEST).then_some(version)
}

/// Lints, builds, tests and type-checks the package.
fn tested(python: &Path, arguments: &[String]) -> Result<String> {
    let lints = "clippy -p lastbit-python --locked -- -D warnings";
    run::succeed(
        extension(&mut run::cargo(), python).args(lints.split(' ')),
        &format!("mend what clippy names above; repeat with: cargo {lints}"),
    )?;
    let site = assembled(python)?;
    let package = site.join("lastbit");
    run::succeed(
        isolated(python)
            .args(["-m", "mypy", "--strict", "--config-file"])
            .arg(run::root().join("python/pyproject.toml"))
            .arg("--cache-dir")
            .arg(run::target().join("python-mypy"))
            .arg(&package)
            .current_dir(&site),
        "mend the types that mypy names above",
    )?;
    pytest(python, &site, arguments)?;
    Ok("tests, doctests and types of the Python package passed".to_owned())
}

/// Runs the tests with the package that was put together before.
fn pytest(python: &Path, site: &Path, arguments: &[String]) -> Result<()> {
    run::succeed(
        isolated(python)
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .arg(run::root().join("python/tests"))
            .args(arguments)
            // Not beside the sources, which lack the native part and would be found first.
            .current_dir(site)
            .env_remove("PYTEST_ADDOPTS")
            .env("PYTHONPATH", site),
        "tests of the Python package failed; repeat one with: cargo xtask python -k NAME",
    )
}

/// Where the package is put together.
fn site_packages() -> PathBuf {
    run::target().join("python-site")
}

/// Builds the package with the profile for development, puts it together as the wheel would be, and
/// says where: the directory to import it from.
fn assembled(python: &Path) -> Result<PathBuf> {
    run::succeed(
        extension(&mut run::cargo(), python).args(["build", "-p", "lastbit-python", "--locked"]),
        "the native part of the Python package does not build; see above",
    )?;
    let site = site_packages();
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
    Ok(site)
}

/// As maturin builds it: an extension of this Python, which links no Python.
fn extension<'a>(cargo: &'a mut Command, python: &Path) -> &'a mut Command {
    let path = env::var_os("PYO3_PYTHON").unwrap_or_else(|| python.into());
    cargo
        .env("PYO3_BUILD_EXTENSION_MODULE", "1")
        .env("PYO3_PYTHON", path)
}
