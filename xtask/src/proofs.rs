//! `cargo xtask proofs`: builds the Coq proofs, and checks what they assume.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::run::Outcome;
use crate::{packages, run};

mod assumptions;
mod certificates;
mod source;

/// Debian's names; other systems have the same four under names like these.
const PACKAGES: [&str; 4] = [
    "coq",
    "libcoq-flocq",
    "libcoq-coquelicot",
    "libcoq-interval",
];

/// Pages that name theorems.
const PAGES: [&str; 3] = [
    "proofs/README.md",
    "docs/verification.md",
    "docs/paper-map.md",
];

/// Installs Coq if it may, builds everything and checks it; with `--coqchk` once more by Coq's own
/// checker of compiled files.
pub fn run(arguments: &[String]) -> Result<()> {
    let again = match arguments {
        [] => false,
        [only] if only == "--coqchk" => true,
        [other, ..] => bail!("`proofs` takes --coqchk or nothing, got `{other}`"),
    };
    if !installed() {
        install()?;
    }
    println!("{}", check()?);
    if again {
        println!("{}", coqchk(&sources()?)?);
    }
    Ok(())
}

/// As a step of `cargo xtask test`: skipped, where there is no Coq and none can be installed.
pub fn step() -> Result<Outcome> {
    if !installed() && install().is_err() {
        return Ok(Outcome::Skipped(remedy()));
    }
    check().map(Outcome::Passed)
}

/// What to tell somebody who has no Coq.
fn remedy() -> String {
    format!(
        "Coq or a library is missing; install the packages {} (the names are Debian's)",
        PACKAGES.join(" ")
    )
}

fn check() -> Result<String> {
    let start = Instant::now();
    let files = sources()?;
    for (name, text) in &files {
        source::check(name, text)?;
    }
    let named = pages(&files)?;
    let prints = fingerprints(&files)?;
    let built = build(&files, &prints)?;
    let print = prints.values().map(String::as_str).collect::<String>();
    let theorems = assumptions::check(&directory(), &named, &print)?;
    let seconds = start.elapsed().as_secs_f64();
    let certificates = certificates::check(&directory())?;
    Ok(format!(
        "{} files, {built} built now in {seconds:.1} s; {theorems} theorems named on pages, their \
         assumptions as listed; {certificates}",
        files.len()
    ))
}

/// The theorems that pages name, with their modules; each is in a file that the page links. What a
/// page quotes, some file says.
fn pages(files: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    let mut theorems = BTreeMap::new();
    for page in PAGES {
        let text = fs::read_to_string(run::root().join(page))
            .with_context(|| format!("could not read {page}"))?;
        for quoted in source::quoted(&text) {
            if !files.values().any(|text| source::says(text, &quoted)) {
                bail!("{page}: no file says what is quoted there, `{quoted}`");
            }
        }
        for (name, modules) in source::named_theorems(&text) {
            let defines = |module: &&String| {
                files
                    .get(*module)
                    .is_some_and(|text| source::defines(text, &name))
            };
            let Some(module) = modules.iter().find(defines) else {
                bail!("{page}: there is no `{name}` in {}.v", modules.join(".v, "));
            };
            theorems.insert(name, module.clone());
        }
    }
    Ok(theorems)
}

/// Where the proofs are built, beside everything else that is.
fn directory() -> PathBuf {
    run::target().join("proofs")
}

fn coqc(directory: &Path, file: &Path) -> Command {
    let mut coqc = Command::new("coqc");
    // Loading Coquelicot warns of its own coercions.
    coqc.current_dir(directory)
        .args(["-q", "-w", "-ambiguous-paths", "-Q"])
        .arg(directory)
        .arg("Lastbit")
        .arg(file);
    coqc
}

/// Whether coqc starts and finds the libraries.
fn installed() -> bool {
    let directory = directory();
    let file = directory.join("libraries.v");
    let text = "From Flocq Require Core. From Coquelicot Require Coquelicot. From Interval Require \
        Tactic.\n";
    fs::create_dir_all(&directory).is_ok()
        && fs::write(&file, text).is_ok()
        && coqc(&directory, &file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
}

fn install() -> Result<()> {
    match packages::install(&PACKAGES) && installed() {
        true => Ok(()),
        false => bail!("{}", remedy()),
    }
}

/// The files of proofs/, by module name.
fn sources() -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for path in run::children(&run::root().join("proofs"))? {
        if path.extension().is_some_and(|extension| extension == "v") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = fs::read_to_string(&path)
                .with_context(|| format!("could not read {}", path.display()))?;
            files.insert(name.into_owned(), text);
        }
    }
    Ok(files)
}

/// What is known of a file while others are built.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Building,
    Done,
    Failed,
}

/// Compiles what changed, or depends on what changed, on all cores; how many files that were.
fn build(files: &BTreeMap<String, String>, prints: &BTreeMap<String, String>) -> Result<usize> {
    let directory = directory();
    fs::create_dir_all(&directory)?;
    let states: BTreeMap<&str, State> = files
        .keys()
        .map(|name| {
            let stamp = fs::read_to_string(directory.join(format!("{name}.stamp")));
            let is_built = stamp.is_ok_and(|stamp| stamp == prints[name])
                && directory.join(format!("{name}.vo")).exists();
            let state = if is_built {
                State::Done
            } else {
                State::Waiting
            };
            (name.as_str(), state)
        })
        .collect();
    let count = states.values().filter(|s| **s == State::Waiting).count();
    let shared = (Mutex::new(states), Condvar::new());
    let cores = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..cores.min(count) {
            scope.spawn(|| {
                while let Some(name) = take(files, &shared) {
                    let built = compile(&directory, name, &files[name], &prints[name]);
                    if let Err(error) = &built {
                        eprintln!("{error:#}");
                    }
                    let state = if built.is_ok() {
                        State::Done
                    } else {
                        State::Failed
                    };
                    lock(&shared.0).insert(name, state);
                    shared.1.notify_all();
                }
            });
        }
    });
    let states = lock(&shared.0);
    let missing: Vec<_> = states
        .iter()
        .filter(|(_, state)| **state != State::Done)
        .map(|(name, _)| format!("proofs/{name}.v"))
        .collect();
    if !missing.is_empty() {
        bail!("not proved: {}; see above", missing.join(", "));
    }
    Ok(count)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The next file whose dependencies are built; waits for one, or `None` when nothing is left to do.
fn take<'a>(
    files: &'a BTreeMap<String, String>,
    shared: &(Mutex<BTreeMap<&'a str, State>>, Condvar),
) -> Option<&'a str> {
    let mut states = lock(&shared.0);
    loop {
        if states.values().any(|state| *state == State::Failed) {
            return None;
        }
        let ready = files.iter().find(|(name, text)| {
            states[name.as_str()] == State::Waiting
                && source::imports(text)
                    .iter()
                    .all(|import| states.get(import.as_str()) == Some(&State::Done))
        });
        if let Some((name, _)) = ready {
            states.insert(name, State::Building);
            return Some(name);
        }
        if !states.values().any(|state| *state == State::Building) {
            return None;
        }
        states = shared
            .1
            .wait(states)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
    }
}

fn compile(directory: &Path, name: &str, text: &str, print: &str) -> Result<()> {
    let start = Instant::now();
    let file = directory.join(format!("{name}.v"));
    fs::write(&file, text)?;
    let output = coqc(directory, &file)
        .output()
        .context("could not start coqc")?;
    if !output.status.success() {
        bail!(
            "proofs/{name}.v:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::write(directory.join(format!("{name}.stamp")), print)?;
    println!("   {name:<14}{:>7.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// A number for each file that changes with its text, its dependencies and the compiler.
fn fingerprints(files: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    let version = Command::new("coqc").arg("--version").output()?.stdout;
    let mut prints: BTreeMap<String, String> = BTreeMap::new();
    while prints.len() < files.len() {
        let before = prints.len();
        for (name, text) in files {
            let imports = source::imports(text);
            if let Some(unknown) = imports.iter().find(|import| !files.contains_key(*import)) {
                bail!("proofs/{name}.v imports {unknown}, which proofs/ does not have");
            }
            let known: Option<Vec<_>> = imports.iter().map(|import| prints.get(import)).collect();
            if let (false, Some(known)) = (prints.contains_key(name), known) {
                let mut hasher = DefaultHasher::new();
                (&version, text, known).hash(&mut hasher);
                prints.insert(name.clone(), format!("{:016x}", hasher.finish()));
            }
        }
        if prints.len() == before {
            bail!("files of proofs/ import each other in a circle");
        }
    }
    Ok(prints)
}

/// Has coqchk check the compiled files anew: the kernel alone, without tactics or notations. The
/// libraries below are taken as they are.
fn coqchk(files: &BTreeMap<String, String>) -> Result<String> {
    let start = Instant::now();
    let mut coqchk = Command::new("coqchk");
    coqchk
        .args(["-silent", "-o", "-bytecode-compiler", "yes", "-Q"])
        .arg(directory())
        .arg("Lastbit");
    for name in files.keys() {
        coqchk.arg("-norec").arg(format!("Lastbit.{name}"));
    }
    let output = coqchk.output().context("could not start coqchk")?;
    let summary = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("coqchk: {}", String::from_utf8_lossy(&output.stderr));
    }
    for switch in [
        "type-in-type",
        "unsafe (co)fixpoints",
        "positivity is assumed",
    ] {
        if !source::is_none(&summary, switch) {
            bail!("coqchk: a check is switched off in some library ({switch}):\n{summary}");
        }
    }
    Ok(format!(
        "checked again by coqchk in {:.1} s",
        start.elapsed().as_secs_f64()
    ))
}

#[cfg(test)]
mod tests;
