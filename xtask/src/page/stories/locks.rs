//! Locks and sliders.

use anyhow::{Result, ensure};
use serde_json::json;

use super::{SETTLED, Stage, plan, visits};
use crate::page::driver::key::{END, HOME, LEFT, RIGHT};
use crate::page::server::Scratch;

impl Stage<'_> {
    /// A locked statistic keeps its error while the budget moves; the others follow; the text has
    /// it.
    pub(super) fn locks(&mut self) -> Result<()> {
        let directory = Scratch::new("locks")?;
        directory.write("visits.csv", &visits(100))?;
        directory.write("plan.toml", &plan("Locks", "0.25"))?;
        let served = self.serve(&directory)?;
        self.open(&served, "plan.toml")?;
        let browser = &self.browser;
        let errors = || -> Result<Vec<String>> {
            browser.until(SETTLED)?;
            (0..3)
                .map(|index| browser.text(&format!("#now-{index}")))
                .collect()
        };
        let before = errors()?;
        browser.click("#lock-1")?;
        browser.until(
            "document.getElementById('text').value.includes('error =') && \
             document.getElementById('by-1').value === 'error'",
        )?;
        let locked = errors()?;
        browser.keys("#slider-spend", END)?;
        browser.until("document.getElementById('loss').textContent === 'ε = 1'")?;
        let wide = errors()?;
        ensure!(
            locked[1] == wide[1],
            "the locked error moved from {} to {}",
            locked[1],
            wide[1]
        );
        ensure!(
            before[0] != wide[0] && before[2] != wide[2],
            "the others did not: {before:?} {wide:?}"
        );
        browser.until(
            "document.getElementById('smallest-line').textContent.includes('Smallest budget that \
             keeps every lock')",
        )?;
        // What the lock needs is more than there is.
        browser.keys("#slider-spend", HOME)?;
        browser.until(
            "document.querySelector('.mistakes')?.innerText.includes('the smallest sufficient \
             budget is')",
        )?;
        browser.until(
            "document.querySelector('#form \
             .mistake[data-of=\\'[\"spend\"]\\']').textContent.includes('do not fit')",
        )?;
        self.check("infeasible")?;
        let browser = &self.browser;
        browser.keys("#slider-spend", &END.repeat(2))?;
        browser.until("document.getElementById('loss')?.textContent === 'ε = 1'")?;
        // An error by its slider: a smaller one costs more.
        let part = browser
            .run("return document.getElementById('part-1').value")?
            .as_f64()
            .unwrap_or_default();
        browser.keys("#slider-1", &LEFT.repeat(20))?;
        browser.until(&format!(
            "{SETTLED} && document.getElementById('part-1').value > {part}"
        ))?;
        browser.keys("#slider-1", &RIGHT.repeat(20))?;
        browser.until(SETTLED)?;
        // A weight by its slider.
        let weighed = browser.text("#now-0")?;
        browser.keys("#slider-0", &RIGHT.repeat(100))?;
        browser.until(&format!(
            "{SETTLED} && document.getElementById('text').value.includes('weight =') && \
             document.getElementById('now-0').innerText !== {}",
            json!(weighed)
        ))?;
        browser.click("#lock-1")?;
        browser.until("!document.getElementById('text').value.includes('error =')")?;
        // The comment is where it was, and the file is as it was until it is saved.
        ensure!(
            browser
                .run("return document.getElementById('text').value")?
                .as_str()
                .is_some_and(|text| text.contains("# of this release")),
            "a comment is gone"
        );
        ensure!(
            directory.read("plan.toml")? == plan("Locks", "0.25"),
            "the file changed unasked"
        );
        browser.until(SETTLED)?;
        self.check("sliders")?;
        self.browser.click("#save")?;
        self.browser
            .until("document.getElementById('status').textContent === 'Saved.'")?;
        ensure!(
            directory.read("plan.toml")?.contains("weight ="),
            "nothing was saved"
        );
        // The text leads the form, too.
        self.in_text("upper = 5000", "upper = 6000")?;
        self.browser
            .until("document.getElementById('f-columns-cost-upper').value === '6000'")?;
        self.browser.until(SETTLED)?;
        self.quiet()
    }

    /// Changes the text, as typing does.
    fn in_text(&self, from: &str, to: &str) -> Result<()> {
        let script = format!(
            "const text = document.getElementById('text'); const before = text.value; text.value \
             = before.replace({}, {}); text.dispatchEvent(new Event('input')); return text.value \
             !== before",
            json!(from),
            json!(to)
        );
        ensure!(
            self.browser.run(&script)? == json!(true),
            "the text has no {from}"
        );
        Ok(())
    }
}
