//! Every target for a few seconds, and a planted fault that must be found.

use std::path::Path;
use std::time::Duration;

use lastbit_fuzz::{TARGETS, Target, hunt};

/// How long each target runs, in seconds, unless `LASTBIT_FUZZ_SECONDS` says otherwise.
const SECONDS: f64 = 3.0;

/// The first input that is tried depends on it; another run with it tries the same inputs.
const SEED: u64 = 1;

fn run(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let seconds = number("LASTBIT_FUZZ_SECONDS").unwrap_or(SECONDS);
    let seed = number("LASTBIT_FUZZ_SEED").map_or(SEED, |seed| seed as u64);
    let kept = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let last = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}"));
    let time = Duration::from_secs_f64(seconds);
    match hunt(target, seed, time, &kept, &last) {
        Ok(tried) => println!("{name}: {tried} inputs in {seconds} s"),
        Err(found) => {
            std::fs::write(&last, &found.input).unwrap();
            panic!(
                "{found}\nthe input is in {}; see fuzz/README.md",
                last.display()
            );
        }
    }
}

macro_rules! each {
    ($($name:ident)*) => {
        $(#[test] fn $name() { run(stringify!($name)); })*

        #[test]
        fn every_target_has_a_test() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

each! { certificate csv json ledger number parquet plan program report select }

/// A reader of `[[ … ]] = number` with a fault behind three conditions.
fn planted(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Some((name, value)) = text.split_once('=')
        && name.trim_end().ends_with("]]")
        && value.trim_start().starts_with('-')
    {
        panic!("planted");
    }
}

#[test]
fn a_planted_panic_is_found_and_shortened() {
    let target = Target {
        name: "planted",
        run: planted,
        corpus: || vec![b"[[statistics]]\nname = \"x\"\nloss = -1\n[[y]]\n".to_vec()],
    };
    let last = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-planted");
    let nothing_kept = Path::new("no such folder");
    let found = hunt(&target, SEED, Duration::from_secs(60), nothing_kept, &last).unwrap_err();
    assert_eq!(found.what, "panicked: planted");
    assert_eq!(found.input, b"]]=-", "{found}");
}
