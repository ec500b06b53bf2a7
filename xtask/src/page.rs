//! `cargo xtask page`: the steward's page in a real browser.

mod driver;
mod server;
mod stories;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::run::Outcome;
use crate::{packages, run};

/// Debian's names; other systems have the same under names like these. Without any font a page has
/// no widths to speak of.
const PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "fonts-dejavu-core"];

/// What somebody may ask for beside the stories.
#[derive(Default)]
pub struct Wishes {
    /// Where to keep pictures of the pages.
    pictures: Option<PathBuf>,
    /// The script of axe-core, whose findings then count beside ours.
    axe: Option<PathBuf>,
}

/// Installs a browser if it may, and tells it the stories; with `--pictures DIRECTORY` keeps
/// pictures of the pages, with `--axe FILE` asks axe-core about every view, with `--program FILE`
/// takes a `lastbit` that is built already.
pub fn run(arguments: &[String]) -> Result<()> {
    let (mut wishes, mut program) = (Wishes::default(), None);
    for pair in arguments.chunks(2) {
        match pair {
            [option, path] if option == "--pictures" => wishes.pictures = Some(path.into()),
            [option, path] if option == "--axe" => wishes.axe = Some(path.into()),
            [option, path] if option == "--program" => program = Some(PathBuf::from(path)),
            _ => bail!("`page` takes --pictures DIRECTORY, --axe FILE and --program FILE"),
        }
    }
    if !installed() {
        install()?;
    }
    let lastbit = match program {
        Some(program) => program,
        None => built(&["-p", "lastbit-cli"])?,
    };
    match check(&lastbit, &wishes)? {
        Outcome::Passed(told) => println!("{told}"),
        Outcome::Skipped(why) => bail!("{why}"),
    }
    Ok(())
}

/// As a step of `cargo xtask test`: skipped, where there is no browser and none can be
/// installed, or it does not start here.
pub fn step() -> Result<Outcome> {
    if !installed() && install().is_err() {
        return Ok(Outcome::Skipped(remedy()));
    }
    // As the step of tests built it, so that little is built again.
    let lastbit = built(&["--workspace", "--exclude", "lastbit-python"])?;
    match check(&lastbit, &Wishes::default()) {
        // A browser on a busy machine can fail by itself. A fault of the page is not tried again:
        // what goes wrong by chance must be seen.
        Err(error) if error.is::<driver::BrowserFailed>() => {
            println!("{error:?}\nonce more, in a new browser:");
            check(&lastbit, &Wishes::default())
        }
        told => told,
    }
}

/// What to tell somebody who has no browser.
fn remedy() -> String {
    format!(
        "Chromium or its driver is missing; install the packages {} (the names are Debian's)",
        PACKAGES.join(" ")
    )
}

/// Tells the stories, in a browser that starts; or says why none does.
fn check(lastbit: &Path, wishes: &Wishes) -> Result<Outcome> {
    let start = Instant::now();
    let profile = server::Scratch::new("profile")?;
    let browser = match driver::Browser::start(profile.path()) {
        Ok(browser) => browser,
        Err(error) => {
            let why = format!("Chromium does not start here: {error:#}");
            return Ok(Outcome::Skipped(why));
        }
    };
    let told = stories::tell(lastbit, browser, wishes).context("the page in Chromium")?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Outcome::Passed(format!("{told}, in {seconds:.0} s")))
}

/// The program as tests have it, of these packages.
fn built(packages: &[&str]) -> Result<PathBuf> {
    run::succeed(
        run::cargo()
            .arg("test")
            .args(packages)
            .args(["--no-run", "--locked"]),
        "the command does not build; see above",
    )?;
    Ok(run::target().join("debug").join("lastbit"))
}

fn installed() -> bool {
    ["chromium", "chromedriver"].iter().all(|program| {
        Command::new(program)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}

fn install() -> Result<()> {
    match packages::install(&PACKAGES) && installed() {
        true => Ok(()),
        false => bail!("{}", remedy()),
    }
}
