//! `cargo xtask bench`

use anyhow::{Result, bail};

use crate::run;

/// Runs the named benchmarks, or all; what follows `--` goes to criterion.
pub fn run(arguments: &[String]) -> Result<()> {
    let (names, for_criterion) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let known: Vec<String> = run::files_of_members("benches", ".rs")?
        .iter()
        .filter_map(|path| path.file_stem())
        .map(|stem| stem.to_string_lossy().into_owned())
        .collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        bail!(
            "there is no benchmark `{unknown}`; there are: {}",
            known.join(", ")
        );
    }
    // Benchmarks are named one by one: plain `cargo bench` would also hand criterion's arguments to
    // the unit tests.
    let chosen = if names.is_empty() { &known } else { names };
    if chosen.is_empty() {
        bail!("there is no benchmark yet; add one as benches/benches/<benchmark>.rs");
    }
    let mut cargo = run::cargo();
    cargo.args(["bench", "--workspace", "--exclude", "lastbit-python"]);
    for name in chosen {
        cargo.args(["--bench", name]);
    }
    cargo.arg("--").args(for_criterion);
    run::succeed(&mut cargo, "a benchmark failed")
}
