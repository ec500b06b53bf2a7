//! A killed server.

use anyhow::{Result, ensure};

use super::{Stage, plan, visits};
use crate::page::server::Scratch;

impl Stage<'_> {
    /// A server that is killed while it releases: the page says so, the ledger is right, and a new
    /// server goes on.
    pub(super) fn killed(&mut self) -> Result<()> {
        let directory = Scratch::new("killed")?;
        directory.write("visits.csv", &visits(400_000))?;
        directory.write("plan.toml", &plan("Killed", "0.4"))?;
        let mut served = self.serve(&directory)?;
        self.open(&served, "plan.toml")?;
        self.browser.click("#release")?;
        self.browser.click("#confirm-yes")?;
        // The release is under way, or done.
        self.browser.until(
            "!document.getElementById('progress-line').hidden \
             || document.getElementById('report') !== null",
        )?;
        served.kill()?;
        // Whatever the page has seen by now, it asks again.
        self.browser
            .run("document.getElementById('text').dispatchEvent(new Event('input'))")?;
        self.browser.until(
            "document.getElementById('status').textContent.includes('The server does not answer')",
        )?;
        self.ledger_is_right(&directory)?;
        let served = self.serve(&directory)?;
        self.open(&served, "plan.toml")?;
        self.browser.click("#release")?;
        self.browser.click("#confirm-yes")?;
        self.browser
            .until("document.getElementById('report') !== null")?;
        ensure!(
            directory.path().join("lastbit.ledger").exists(),
            "a release has no ledger"
        );
        self.ledger_is_right(&directory)?;
        self.quiet()
    }
}
