//! A closed tab.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::{Stage, plan, visits};
use crate::page::server::{Scratch, Served};

/// Confirms, and tells whether the release was over when it was first asked for.
const CONFIRMED: &str = r"
const done = arguments[0];
document.getElementById('confirm-yes').click();
const asked = () => performance.getEntriesByType('resource')
  .some((entry) => entry.name.includes('/api/job/'));
const once = () => {
  if (asked()) done(document.getElementById('report') !== null);
  else setTimeout(once, 1);
};
once();
";

impl Stage<'_> {
    /// A tab that is closed while its release is under way: it is made all the same, and paid once.
    /// One that is closed at the moment of the click has released, or has not: the same release
    /// asked for again is paid once.
    pub(super) fn closed(&mut self) -> Result<()> {
        let directory = Scratch::new("closed")?;
        directory.write("visits.csv", &visits(1_000_000))?;
        directory.write("a.toml", &plan("Followed", "0.25"))?;
        directory.write("b.toml", &plan("At once", "0.5"))?;
        let served = self.serve(&directory)?;
        let first = self.browser.current()?;
        self.confirming(&served, "a.toml")?;
        let is_over = self.browser.run_async(CONFIRMED)?;
        self.browser.close()?;
        self.browser.switch(&first)?;
        ensure!(
            is_over == serde_json::json!(false),
            "the release was over before the tab was closed"
        );
        self.accounts(&served, 1, "Spent\nε = 0.25\nRemaining\nε = 0.75")?;
        self.confirming(&served, "b.toml")?;
        self.browser
            .run("document.getElementById('confirm-yes').click()")?;
        self.browser.close()?;
        self.browser.switch(&first)?;
        // The other may end after the price is seen, and before it is confirmed: then the page
        // says so, and is asked again.
        for _ in 0..2 {
            self.open(&served, "b.toml")?;
            self.browser.click("#release")?;
            self.browser.click("#confirm-yes")?;
            let end = self.browser.until(
                "document.getElementById('report') ? 'report' : \
                 document.getElementById('refusal')?.textContent",
            )?;
            let words = end.as_str().unwrap_or_default();
            if words == "report" {
                break;
            }
            ensure!(words.contains("another release came first"), "{words}");
        }
        self.accounts(&served, 2, "Spent\nε = 0.75\nRemaining\nε = 0.25")?;
        self.browser.click("td a")?;
        self.browser
            .until("document.body.innerText.includes('mean cost')")?;
        self.ledger_is_right(&directory)?;
        self.quiet()
    }

    /// Opens a plan in a new tab, up to the confirmation of its release.
    fn confirming(&self, served: &Served, name: &str) -> Result<()> {
        self.browser.tab()?;
        self.open(served, name)?;
        self.browser.click("#release")?;
        self.browser
            .until("document.getElementById('confirm').open")
            .map(|_| ())
    }

    /// Waits until the ledger has so many reports and says this of its budget, and checks that it
    /// has no other entries, in an order that nobody changed.
    fn accounts(&self, served: &Served, reports: usize, words: &str) -> Result<()> {
        let start = Instant::now();
        let page = loop {
            self.browser.go(&served.at("/ledger"))?;
            let page = self.browser.text("main")?;
            let links = self
                .browser
                .run("return document.querySelectorAll('td a[href*=\"/report/\"]').length")?;
            if links == serde_json::json!(reports) {
                break page;
            }
            if start.elapsed() > Duration::from_secs(90) {
                bail!("the ledger does not settle:\n{page}");
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        ensure!(page.contains(words), "{page}");
        ensure!(!page.contains("not settled"), "{page}");
        self.browser.go(&served.at("/ledger/check"))?;
        let entries = 1 + 2 * reports;
        self.browser.until(&format!(
            "document.body.innerText.includes('Passed: {entries} entries')"
        ))?;
        self.browser.go(&served.at("/ledger")).map(|_| ())
    }
}
