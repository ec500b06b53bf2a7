//! `cargo xtask fuzz`

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::run;

/// Runs the fuzz targets for longer than the tests do, with another seed each time.
pub fn run(arguments: &[String]) -> Result<()> {
    let (seconds, target) = match arguments {
        [] => ("60", None),
        [seconds] => (seconds.as_str(), None),
        [seconds, target] => (seconds.as_str(), Some(target)),
        _ => bail!("`fuzz` takes seconds and a target, such as: cargo xtask fuzz 60 plan"),
    };
    if seconds.parse::<f64>().is_err() {
        bail!("`{seconds}` is not a number of seconds, such as 60");
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let seed = now.as_secs().to_string();
    let mut cargo = run::cargo();
    cargo
        .args(["test", "-p", "lastbit-fuzz", "--test", "integration", "--"])
        .arg("--nocapture")
        .env("LASTBIT_FUZZ_SECONDS", seconds)
        .env("LASTBIT_FUZZ_SEED", &seed);
    if let Some(target) = target {
        let known = targets()?;
        if !known.contains(target) {
            bail!(
                "there is no target `{target}`; there are: {}",
                known.join(", ")
            );
        }
        cargo.args(["--exact", target]);
    }
    println!("seed {seed}");
    run::succeed(&mut cargo, "a reader failed; the input is named above")
}

/// The names of all targets: lines `"plan": plan::run, plan::corpus;` of their list.
fn targets() -> Result<Vec<String>> {
    let path = run::root().join("fuzz/src/targets/mod.rs");
    let text =
        fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    Ok(text
        .lines()
        .filter_map(|line| {
            Some(
                line.trim()
                    .strip_prefix('"')?
                    .split_once("\":")?
                    .0
                    .to_owned(),
            )
        })
        .collect())
}
