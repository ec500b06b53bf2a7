//! Keys alone.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use serde_json::json;

use super::{SETTLED, Stage, plan, visits};
use crate::page::driver::key::{ENTER, LEFT, TAB};
use crate::page::server::Scratch;

impl Stage<'_> {
    /// From the list of plans to the confirmation and back, and from there to the files of the
    /// published report, without a pointer.
    pub(super) fn keys(&mut self) -> Result<()> {
        let directory = Scratch::new("keys")?;
        directory.write("visits.csv", &visits(100))?;
        directory.write("plan.toml", &plan("Keys", "0.25"))?;
        let served = self.serve(&directory)?;
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
        // The dialog gives the focus back, so that one key opens it again.
        on("#release")?;
        browser.press(ENTER)?;
        browser.until("document.getElementById('confirm').open")?;
        on("#confirm-yes")?;
        browser.press(ENTER)?;
        browser.until(&format!(
            "{SETTLED} && document.getElementById('report') !== null"
        ))?;
        on("#report")?;
        browser.press(ENTER)?;
        browser.until("document.querySelector('.steward') !== null")?;
        let downloads = Scratch::new("downloads")?;
        browser.chromium(
            "Browser.setDownloadBehavior",
            json!({ "behavior": "allow", "downloadPath": downloads.path() }),
        )?;
        for (form, begins) in [
            ("html", "<!doctype html>"),
            ("csv", "statistic,kind"),
            ("json", "{"),
            ("parquet", "PAR1"),
        ] {
            on(&format!(".steward a[href$='/{form}']"))?;
            browser.press(ENTER)?;
            let path = downloads.path().join(format!("report-2.{form}"));
            let start = Instant::now();
            // A download has its name when it is whole.
            while !path.exists() {
                ensure!(
                    start.elapsed() < Duration::from_secs(90),
                    "no {form} was downloaded"
                );
                sleep(Duration::from_millis(20));
            }
            let file = fs::read(&path)?;
            ensure!(
                file.starts_with(begins.as_bytes()),
                "{form}: {}",
                String::from_utf8_lossy(&file)
            );
        }
        // And to the ledger, which has it.
        on(".steward a[href$='/ledger']")?;
        browser.press(ENTER)?;
        browser.until("document.querySelector('.account') !== null")?;
        let account = browser.text(".account")?;
        ensure!(account.contains("Remaining\nε = 0.75"), "{account}");
        drop(served);
        self.quiet()
    }
}
