//! Keys alone.

use anyhow::{Result, bail, ensure};
use serde_json::json;

use super::{SETTLED, Stage, plan, visits};
use crate::page::driver::key::{ENTER, LEFT, TAB};
use crate::page::server::Scratch;

impl Stage<'_> {
    /// From the list of plans to the confirmation and back, without a pointer.
    pub(super) fn keys(&mut self) -> Result<()> {
        let directory = Scratch::new("keys")?;
        directory.write("visits.csv", &visits(100))?;
        directory.write("plan.toml", &plan("Keys", "0.25"))?;
        let _served = self.serve(&directory)?;
        let browser = &self.browser;
        let on = |what: &str| -> Result<()> {
            for _ in 0..300 {
                if browser.run(&format!(
                    "return document.activeElement.matches({})",
                    json!(what)
                ))? == json!(true)
                {
                    let outline = browser
                        .run("return getComputedStyle(document.activeElement).outlineStyle")?;
                    ensure!(outline != json!("none"), "{what} shows no focus");
                    return Ok(());
                }
                browser.press(TAB)?;
            }
            bail!("no key leads to {what}")
        };
        on(".cards a")?;
        browser.press(ENTER)?;
        browser.until(SETTLED)?;
        on("#slider-spend")?;
        let before = browser.text("#loss")?;
        browser.press(LEFT)?;
        browser.until(&format!(
            "{SETTLED} && document.getElementById('loss').textContent !== {}",
            json!(before)
        ))?;
        on("#lock-0")?;
        browser.press(" ")?;
        browser.until("document.getElementById('text').value.includes('error =')")?;
        browser.until(SETTLED)?;
        browser.run("document.querySelector('.skip').focus()")?;
        on("#release")?;
        browser.press(ENTER)?;
        browser.until("document.getElementById('confirm').open")?;
        // The dialog has the focus, and Escape leaves it.
        ensure!(
            browser.run(
                "return document.getElementById('confirm').contains(document.activeElement)"
            )? == json!(true),
            "the dialog has no focus"
        );
        browser.press("\u{e00c}")?;
        browser.until("!document.getElementById('confirm').open")?;
        ensure!(
            !directory.path().join("lastbit.ledger").exists(),
            "Escape released"
        );
        self.quiet()
    }
}
