//! Two tabs race, and a refusal.

use anyhow::{Result, ensure};

use super::{Stage, plan, visits};
use crate::page::server::Scratch;

impl Stage<'_> {
    /// Two tabs confirm at once, and the budget is enough for one of them. The other is told so,
    /// and so is a third.
    pub(super) fn races(&mut self) -> Result<()> {
        let directory = Scratch::new("races")?;
        directory.write("visits.csv", &visits(400_000))?;
        directory.write("a.toml", &plan("One", "0.6"))?;
        directory.write("b.toml", &plan("Other", "0.7"))?;
        let served = self.serve(&directory)?;
        let first = self.browser.current()?;
        let ready = |name: &str| -> Result<()> {
            self.open(&served, name)?;
            self.browser.click("#release")?;
            self.browser
                .until("document.getElementById('confirm').open")
                .map(|_| ())
        };
        ready("a.toml")?;
        let second = self.browser.tab()?;
        ready("b.toml")?;
        let click = "document.getElementById('confirm-yes').click()";
        self.browser.run(click)?;
        self.browser.switch(&first)?;
        self.browser.run(click)?;
        let mut released = 0;
        for tab in [&first, &second] {
            self.browser.switch(tab)?;
            let end = self.browser.until(
                "document.getElementById('report') ? 'report' : \
                 document.getElementById('refusal')?.textContent",
            )?;
            let words = end.as_str().unwrap_or_default();
            match words {
                "report" => released += 1,
                // What is left is not what this tab saw.
                words if words.contains("another release came first") => {}
                words => ensure!(
                    [
                        "the budget does not cover this release",
                        "requested:",
                        "remaining:",
                        "difference:"
                    ]
                    .iter()
                    .all(|part| words.contains(part)),
                    "{words}"
                ),
            }
        }
        ensure!(
            released == 1,
            "{released} of two releases were made, and there is a budget for one"
        );
        self.browser.close()?;
        self.browser.switch(&first)?;
        // Nothing fits any more: the page says so before anybody asks.
        directory.write("c.toml", &plan("Third", "0.9"))?;
        self.open(&served, "c.toml")?;
        self.browser.until(
            "[...document.querySelectorAll('#left-warning, #advice')].some((place) => \
             place.textContent.includes('This will be refused'))",
        )?;
        self.browser.click("#release")?;
        self.browser.click("#confirm-yes")?;
        self.browser.until(
            "document.getElementById('refusal')?.textContent.includes('the budget does not cover \
             this release')",
        )?;
        self.check("refused")?;
        self.ledger_is_right(&directory)?;
        self.quiet()
    }
}
