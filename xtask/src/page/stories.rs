//! What people do with the page, in a real browser.

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

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";

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
    let times = stage.times().context("price after a slider moves")?;
    write!(
        said,
        "6 stories, {} views without a finding; {times}",
        stage.checked
    )?;
    Ok(said)
}

const ROWS: usize = 4000;

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

    /// From an empty directory with a table to a published report.
    fn newcomer(&mut self) -> Result<()> {
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

    /// From the list of plans to the confirmation and back, without a pointer.
    fn keys(&mut self) -> Result<()> {
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

    /// A locked statistic keeps its error while the budget moves; the others follow; the text has
    /// it.
    fn locks(&mut self) -> Result<()> {
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

    /// Two tabs confirm at once, and the budget is enough for one of them. The other is told so,
    /// and so is a third.
    fn races(&mut self) -> Result<()> {
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
            "document.getElementById('left-warning').textContent.startsWith('This will be \
             refused')",
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

    /// A server that is killed while it releases: the page says so, the ledger is right, and a new
    /// server goes on.
    fn killed(&mut self) -> Result<()> {
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

    /// How long the price takes in the browser after a slider moves: stated, and no condition.
    fn times(&mut self) -> Result<String> {
        let directory = Scratch::new("times")?;
        let examples = crate::run::root().join("examples/clinic/plan.toml");
        directory.write("clinic.toml", &fs::read_to_string(examples)?)?;
        let mut many = String::from(
            "title = \"Many\"\nexpected_rows = 1000\n[source]\nfiles = \
             \"x.csv\"\n[privacy]\nneighbours = \"add-remove\"\n[budget]\nepsilon = 1\ndelta = \
             1e-9\n[columns.x]\nlower = 0\nupper = 100\n[columns.g]\ncategories = [\"a\", \"b\", \
             \"c\"]\n",
        );
        for index in 0..200 {
            let kind = [
                "kind = \"count\"\nby = \"g\"",
                "kind = \"sum\"\nof = \"x\"",
                "kind = \"mean\"\nof = \"x\"\nby = \"g\"",
            ][index % 3];
            let _ = writeln!(
                many,
                "[[statistics]]\nname = \"s{index}\"\n{kind}\nwhere = \"x > {index}\""
            );
        }
        directory.write("many.toml", &many)?;
        let served = self.serve(&directory)?;
        let idle = served.memory();
        let mut medians = Vec::new();
        for name in ["clinic.toml", "many.toml"] {
            self.open(&served, name)?;
            if name == "clinic.toml" {
                self.check("clinic")?;
            }
            let median = self.browser.run_async(TIMES)?;
            medians.push(median.as_f64().context("no time")?);
        }
        self.quiet()?;
        let memory = idle.map_or("unknown".to_owned(), |bytes| {
            format!("{:.1} MB", bytes as f64 / 1e6)
        });
        Ok(format!(
            "price after a slider moves, median in the browser: clinic {:.0} ms, 200 statistics \
             {:.0} ms; idle server {memory}",
            medians[0], medians[1]
        ))
    }
}

/// Moves the slider of the whole budget 15 times, and hands over the median time until the new
/// price is on the page.
const TIMES: &str = r"
const done = arguments[0];
const range = document.getElementById('slider-spend');
const price = document.getElementById('price');
const times = [];
const once = () => {
  if (price.getAttribute('aria-busy') !== 'false') { setTimeout(once, 5); return; }
  if (times.length === 15) { times.sort((a, b) => a - b); done(times[7]); return; }
  const start = performance.now();
  const watch = new MutationObserver(() => {
    watch.disconnect();
    times.push(performance.now() - start);
    setTimeout(once, 400);
  });
  watch.observe(price, { childList: true });
  range.value = String(900 - 20 * times.length);
  range.dispatchEvent(new Event('input'));
};
once();
";

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
