//! From an empty directory with a table to a published report.

use anyhow::{Result, ensure};
use serde_json::json;

use super::{SETTLED, Stage, visits};
use crate::page::driver::key::TAB;
use crate::page::server::{Scratch, Served};

const ROWS: usize = 4000;

impl Stage<'_> {
    /// From an empty directory with a table to a published report.
    pub(super) fn newcomer(&mut self) -> Result<()> {
        let directory = Scratch::new("newcomer")?;
        directory.write("visits.csv", &visits(ROWS))?;
        let served = self.serve(&directory)?;
        self.check("empty")?;
        let browser = &self.browser;
        browser.click("main a")?;
        browser.until("document.getElementById('look') !== null")?;
        browser.click("#look")?;
        browser.until("document.querySelectorAll('#columns tbody tr').length === 3")?;
        let columns = browser.text("#columns")?;
        ensure!(
            columns.contains("cost") && !columns.contains("4999"),
            "{columns}"
        );
        self.check("draft")?;
        let browser = &self.browser;
        browser.fill("#name", "visits")?;
        browser.click("#write")?;
        browser.until(SETTLED)?;
        browser.until("document.querySelectorAll('.mistakes li').length > 8")?;
        self.check("filling")?;
        let browser = &self.browser;
        for (field, value) in [
            ("f-title", "Visits"),
            ("f-privacy-unit", ""),
            ("f-privacy-most_95rows", ""),
            ("f-privacy-most_95groups", ""),
            ("f-budget-epsilon", "1"),
            ("f-spend-epsilon", "0.25"),
            ("f-columns-age-lower", "0"),
            ("f-columns-age-upper", "100"),
            ("f-columns-age-categories", ""),
            ("f-columns-cost-lower", "0"),
            ("f-columns-cost-upper", "5000"),
            ("f-columns-cost-categories", ""),
            ("f-columns-ward-lower", ""),
            ("f-columns-ward-upper", ""),
            ("f-columns-ward-categories", "medicine\nsurgery\nchildren"),
        ] {
            let css = format!("#{field}");
            let out = format!("document.getElementById('{field}-out')");
            let is_open = browser.run(&format!("return {out} !== null"))? == json!(true);
            match (value, is_open) {
                ("", true) => browser.click(&format!("{css}-out"))?,
                (value, _) => browser.fill(&css, value)?,
            }
            // The field is filled, or gone from the text.
            browser.until(&format!("{SETTLED} && {out} === null"))?;
        }
        // Every row is a different person, so that no limit leaves any out: the page says so, and
        // the statistic goes.
        browser.until(
            "document.querySelector('.mistakes')?.innerText.includes('no limit leaves any out')",
        )?;
        let fold = "details[data-of='[\"statistics\",1]']";
        browser.run(&format!(
            "document.querySelector({}).open = true",
            json!(fold)
        ))?;
        browser.click(&format!("{fold} > button"))?;
        browser.until("document.getElementById('loss')?.textContent === 'ε = 0.25'")?;
        browser.fill("#add-statistic", "mean cost")?;
        browser.click("#add-statistic-yes")?;
        browser.until("document.getElementById('f-statistics-1-kind') !== null")?;
        browser.until(SETTLED)?;
        browser
            .run("document.getElementById('f-statistics-1-kind').closest('details').open = true")?;
        browser.keys("#f-statistics-1-kind", &format!("mean{TAB}"))?;
        browser.until("document.querySelectorAll('.mistakes li').length === 1")?;
        browser.fill("#f-statistics-1-of", "cost")?;
        browser.until("document.getElementById('loss') !== null")?;
        browser.until(SETTLED)?;
        browser.click("#save")?;
        browser.until("document.getElementById('status').textContent === 'Saved.'")?;
        browser.click("#rehearse")?;
        browser.click("#rehearsal")?;
        browser.until("document.body.innerText.includes('A rehearsal: invented rows')")?;
        ensure!(
            !directory.path().join("lastbit.ledger").exists(),
            "a rehearsal made a ledger"
        );
        self.check("rehearsal")?;
        self.open(&served, "visits.toml")?;
        let browser = &self.browser;
        browser.click("#release")?;
        browser.until("document.getElementById('confirm').open")?;
        let words = browser.text("#confirm-words")?;
        ensure!(
            words.contains("This spends ε = 0.25") && words.contains("afterwards ε = 0.75"),
            "{words}"
        );
        self.check("confirm")?;
        let browser = &self.browser;
        browser.click("#confirm-yes")?;
        browser.click("#report")?;
        browser.until(
            "document.body.innerText.includes('mean cost') && document.querySelector('.steward') \
             !== null",
        )?;
        let links = browser.run(
            "return [...document.querySelectorAll('.steward a[download]')].map((a) => \
             a.textContent).join(' ')",
        )?;
        ensure!(
            links
                .as_str()
                .is_some_and(|links| links.starts_with("HTML CSV JSON")),
            "{links}"
        );
        let csv = browser.run_async(
            "const done = arguments[0]; fetch(document.querySelectorAll('.steward \
             a[download]')[1].href).then((answer) => answer.text()).then(done)",
        )?;
        ensure!(
            csv.as_str()
                .is_some_and(|csv| csv.starts_with("statistic,kind")),
            "{csv}"
        );
        self.check("report")?;
        self.browser.go(&served.at("/ledger"))?;
        self.browser
            .until("document.querySelector('.history') !== null")?;
        self.check("ledger")?;
        self.browser.go(&served.at("/ledger/check"))?;
        self.browser
            .until("document.body.innerText.includes('Passed: 3 entries')")?;
        self.check("check")?;
        self.browser.go(&served.at("/"))?;
        self.check("plans")?;
        self.changed(&directory, &served)
    }

    /// The data changed since the same was released: it is said, and asked.
    fn changed(&mut self, directory: &Scratch, served: &Served) -> Result<()> {
        directory.write("visits.csv", &visits(ROWS / 2))?;
        self.open(served, "visits.toml")?;
        self.browser.click("#release")?;
        self.browser.click("#confirm-yes")?;
        self.browser
            .until("document.getElementById('again').open")?;
        let words = self.browser.text("#again-words")?;
        ensure!(words.contains("New numbers spend again"), "{words}");
        self.check("again")?;
        self.browser.click("#again-yes")?;
        self.browser
            .until("document.getElementById('report') !== null")?;
        self.browser.go(&served.at("/ledger"))?;
        self.browser
            .until("document.querySelector('.account').innerText.includes('ε = 0.5')")?;
        self.quiet()
    }
}
