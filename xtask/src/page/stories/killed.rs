//! A killed server.

use anyhow::Result;

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
        self.ledger_is_right(&directory)?;
        self.quiet()
    }
}
