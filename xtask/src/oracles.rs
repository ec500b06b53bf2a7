//! `cargo xtask oracles`

use std::process::Command;

use anyhow::{Result, bail};

use crate::run;

/// Makes the oracle vectors again, each script in its own directory.
pub fn run() -> Result<()> {
    let scripts: Vec<_> = run::files_of_members("tests/data", ".py")?
        .into_iter()
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("make_"))
        })
        .collect();
    if scripts.is_empty() {
        bail!("no crate has a script tests/data/make_*.py");
    }
    let environment = run::target().join("oracles");
    let python = environment.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    if !python.exists() {
        println!("Making a Python environment in {}", environment.display());
        run::succeed(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment),
            "python3 could not make a virtual environment; install Python 3.9 or later with its \
             venv module",
        )?;
    }
    run::succeed(
        Command::new(&python).args([
            "-m", "pip", "install", "--quiet", "gmpy2", "mpmath", "duckdb",
        ]),
        "pip could not install gmpy2, mpmath and duckdb; this needs the network",
    )?;
    for script in &scripts {
        println!("{}", script.strip_prefix(run::root())?.display());
        let directory = script.parent().expect("a script lies in a directory");
        run::succeed(
            Command::new(&python).arg(script).current_dir(directory),
            &format!("{} failed", script.display()),
        )?;
    }
    println!("\nWhat changed (nothing, if the vectors were up to date):");
    run::succeed(
        Command::new("git")
            .args(["status", "--short", "--", "crates"])
            .current_dir(run::root()),
        "git could not compare the vectors; compare them by hand",
    )
}
