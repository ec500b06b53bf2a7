//! What people do with the page, in a real browser.

mod closed;
mod keys;
mod killed;
mod locks;
mod newcomer;
mod races;
mod times;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::Wishes;
use super::driver::Browser;
use super::server::{Scratch, Served};

/// Finds what a page lacks for those who hear it or use keys alone.
const ACCESSIBLE: &str = include_str!("accessible.js");

/// Hands over what axe-core finds serious or worse.
const AXE: &str = r"
const done = arguments[0];
window.axe.run(document).then(
  (all) => done(
    all.violations
      .filter((one) => ['serious', 'critical'].includes(one.impact))
      .map((one) => `${one.id}: ${one.nodes[0].html}`),
  ),
  (error) => done([String(error)]),
);
";

/// Everything that stories share.
struct Stage<'a> {
    lastbit: &'a Path,
    browser: Browser,
    pictures: Option<&'a Path>,
    axe: Option<String>,
    /// Pages whose accessibility was checked.
    checked: usize,
}

/// Tells all stories; says what was found.
pub fn tell(lastbit: &Path, browser: Browser, wishes: &Wishes) -> Result<String> {
    let pictures = wishes.pictures.as_deref();
    let axe = wishes.axe.as_ref().map(fs::read_to_string);
    if let Some(directory) = pictures {
        fs::create_dir_all(directory)?;
    }
    let mut stage = Stage {
        lastbit,
        browser,
        pictures,
        axe: axe.transpose().context("the script of axe-core")?,
        checked: 0,
    };
    let mut said = String::new();
    stage.newcomer().context("a newcomer publishes a report")?;
    stage.keys().context("keys alone")?;
    stage.locks().context("locks and sliders")?;
    stage.races().context("two tabs race, and a refusal")?;
    stage.killed().context("a killed server")?;
    stage.closed().context("a closed tab")?;
    let times = stage.times().context("price after a slider moves")?;
    write!(
        said,
        "7 stories, {} views without a finding; {times}",
        stage.checked
    )?;
    Ok(said)
}

/// Visits of invented people.
fn visits(rows: usize) -> String {
    let mut text = String::from("age,ward,cost\n");
    for row in 0..rows {
        let ward = ["medicine", "surgery", "children"][row % 3];
        let _ = writeln!(text, "{},{ward},{}", row * 7 % 100, row * 13 % 5000);
    }
    text
}

/// A plan that spends so much of a budget of 1.
fn plan(title: &str, spend: &str) -> String {
    format!(
        "title = \"{title}\"\nexpected_rows = 1000\n\
         [source]\nfiles = \"visits.csv\"\n\
         [privacy]\nneighbours = \"add-remove\"\n\
         [budget]\nepsilon = 1\n\
         [spend]\nepsilon = {spend} # of this release\n\
         [columns.age]\nedges = [0, 18, 65, 100]\n\
         [columns.cost]\nlower = 0\nupper = 5000\nunit = \"EUR\"\n\
         [columns.ward]\ncategories = [\"medicine\", \"surgery\", \"children\"]\n\
         [[statistics]]\nname = \"visits by ward\"\nkind = \"count\"\nby = \"ward\"\n\
         [[statistics]]\nname = \"mean cost\"\nkind = \"mean\"\nof = \"cost\"\n\
         [[statistics]]\nname = \"ages\"\nkind = \"histogram\"\nof = \"age\"\n"
    )
}

/// Whether the price is that of the text, and nothing is under way.
const SETTLED: &str = "document.getElementById('price')?.getAttribute('aria-busy') === 'false'";

impl Stage<'_> {
    fn serve(&self, directory: &Scratch) -> Result<Served> {
        let served = Served::start(self.lastbit, directory.path())?;
        self.browser.go(&served.address)?;
        // From the welcome to the page, without the token in the address.
        self.browser
            .until("location.search === '' && document.querySelector('nav') !== null")?;
        Ok(served)
    }

    fn open(&self, served: &Served, name: &str) -> Result<()> {
        self.browser.go(&served.at(&format!("/plan/{name}")))?;
        self.browser.until(SETTLED)?;
        // What comes a moment later moves the buttons below it.
        self.browser
            .until("document.getElementById('advice').getAttribute('aria-busy') !== 'true'")?;
        Ok(())
    }

    /// Looks at a page in light and dark, wide and at 400 pixels.
    fn check(&mut self, name: &str) -> Result<()> {
        for (dark, width) in [(false, 1280), (true, 1280), (false, 400), (true, 400)] {
            self.browser.size(width, 900)?;
            self.browser.dark(dark)?;
            let findings = self.browser.run(ACCESSIBLE)?;
            let found = findings.as_array().context("no list of findings")?;
            let scheme = if dark { "dark" } else { "light" };
            ensure!(
                found.is_empty(),
                "{name}, {scheme}, {width} pixels wide:\n{findings:#}"
            );
            if let Some(axe) = &self.axe {
                let found = self.browser.run_async(&format!("{axe};{AXE}"))?;
                ensure!(
                    found.as_array().is_some_and(Vec::is_empty),
                    "{name}, {scheme}, {width} pixels wide, axe:\n{found:#}"
                );
            }
            if let Some(directory) = self.pictures {
                let png = decoded(&self.browser.picture()?);
                fs::write(directory.join(format!("{name}-{scheme}-{width}.png")), png)?;
            }
            self.checked += 1;
        }
        self.browser.size(1280, 900)?;
        self.browser.dark(false)?;
        self.names(name)
    }

    /// That Chromium's own tree for screen readers has a name for everything that can be used.
    fn names(&self, page: &str) -> Result<()> {
        let tree = self
            .browser
            .chromium("Accessibility.getFullAXTree", json!({}))?;
        for node in tree["nodes"].as_array().into_iter().flatten() {
            let role = node["role"]["value"].as_str().unwrap_or_default();
            let used = [
                "button",
                "link",
                "textbox",
                "slider",
                "checkbox",
                "combobox",
                "meter",
                "progressbar",
                "image",
                "img",
            ];
            let name = node["name"]["value"].as_str().unwrap_or_default().trim();
            if node["ignored"] != json!(true) && used.contains(&role) && name.is_empty() {
                bail!("{page}: a {role} has no name for screen readers: {node}");
            }
        }
        Ok(())
    }

    /// That the browser refused nothing, but for answers that are meant to be refusals.
    fn quiet(&self) -> Result<()> {
        let complaints = self.browser.complaints()?;
        let meant = |line: &String| {
            line.contains("status of 409")
                || line.contains("net::ERR_")
                || line.contains("'beforeunload'")
                || line.contains("favicon.ico")
        };
        let bad: Vec<_> = complaints.iter().filter(|line| !meant(line)).collect();
        ensure!(bad.is_empty(), "the browser complains: {bad:#?}");
        Ok(())
    }

    fn ledger_is_right(&self, directory: &Scratch) -> Result<()> {
        let path = directory.path().join("lastbit.ledger");
        if !path.exists() {
            return Ok(());
        }
        let status = Command::new(self.lastbit)
            .args(["ledger", "check"])
            .arg(&path)
            .output()?
            .status;
        ensure!(status.success(), "the ledger fails its check");
        Ok(())
    }
}

fn decoded(base64: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut out = Vec::new();
    for four in base64.trim_end_matches('=').as_bytes().chunks(4) {
        let word = four.iter().fold(0, |word, &c| word << 6 | digit(c)) << (6 * (4 - four.len()));
        out.extend(&word.to_be_bytes()[1..four.len()]);
    }
    out
}
