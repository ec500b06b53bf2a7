//! `lastbit plan`: the cost of a plan and the errors of its numbers, without reading any data.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use lastbit_release::account::Prices;
use lastbit_release::clean::{self, label, shown};
use lastbit_release::ledger::Account;
use lastbit_release::left::price_from;
use lastbit_release::plan;
use lastbit_release::present::{
    ACCOUNTANTS, HEADER, Style, WARNING, about, counted, how_large, loss_in_words, noise_terms,
    plan_warnings, price_html, price_json, price_terms, words, wrapped_within,
};
use lastbit_release::release::{Identity, remember};

use crate::Usage;
use crate::engine::check_names;
use crate::left::{Left, account};
use crate::output::{Guard, Kind, Output};
use crate::picture::rows;
use crate::release::LedgerPlace;
use crate::streams::{Stdout, say, width};

const TEACH: &str = "\
A plan is a TOML file: a source, public bounds, whose presence is protected, a budget and \
statistics. Its schema is in docs/plan.md, and examples/ has some plans. This command reads no \
row and spends nothing: of files that are there it reads the names of columns. It shows what \
`lastbit release` will spend on each statistic and how far each published number will be from the \
exact one, with the plan's confidence. Errors are rounded up.";

/// The longest text of a table, in characters.
const LONGEST: usize = 200;

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct PlanArgs {
    /// The plan
    plan: PathBuf,

    /// The ledger whose remaining budget is shown [default: the one beside the plan, if there is
    /// one]
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,

    /// Machine-readable output
    #[arg(long)]
    json: bool,

    /// Write a page with pictures to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Replace a file that lastbit did not write
    #[arg(long)]
    force: bool,
}

impl PlanArgs {
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        let plan = plan::Plan::read(&self.plan)?;
        check_names(&plan)?;
        let account = self.account();
        if self.ledger.is_some() {
            account
                .as_ref()
                .map_err(|error| anyhow::anyhow!("{error:#}"))?;
        }
        let known = account.as_ref().ok().and_then(Option::as_ref);
        let known = known.map(|(path, account)| (&**path, account));
        let (prices, mut left) = price_from(&plan, known)
            .map_err(|error| anyhow::anyhow!("{}: {error}", clean::path(&self.plan)))?;
        if let Some((path, _)) = known {
            remember(&plan, path, &mut left);
        }
        let left = account.as_ref().map(|_| left);
        if let Err(error) = &account
            && (self.json || self.html.is_some())
        {
            // On a terminal it stands among the warnings.
            say(&format!("warning: {error:#}"));
        }
        if let Some(path) = &self.html {
            let guard = Guard::new(&self.plan, &plan);
            let output = Output::prepare(path, Kind::Html, &guard, self.force)?;
            let page = output.is_stdout();
            if page && self.json {
                bail!(Usage(
                    "standard output has room for one of --json and --html -".into()
                ));
            }
            output.write(price_html(&plan, &prices, left.as_ref().ok()), out)?;
            if page {
                return Ok(());
            }
        }
        if self.json {
            let hash = Identity::new(&plan, &prices).hex();
            let value = price_json(&plan, &prices, &hash, left.as_ref().ok());
            serde_json::to_writer_pretty(&mut *out, &value)?;
            writeln!(out)?;
            return Ok(());
        }
        print(out, &plan, &prices, &left)
    }
}

impl PlanArgs {
    /// The ledger of the plan, if there is one yet, and its account.
    fn account(&self) -> Result<Option<(PathBuf, Account)>> {
        let path = LedgerPlace::of(&self.plan, self.ledger.as_deref())?.path()?;
        Ok(account(&path)?.map(|account| (path, account)))
    }
}

/// The price of a plan, for people.
pub fn print_price(out: &mut Stdout, plan: &plan::Plan, prices: &Prices, left: Left) -> Result<()> {
    print(out, plan, prices, &Ok(left))
}

/// What other accountants would do, in brackets.
fn others(prices: &Prices) -> String {
    let others = || {
        let offers = prices.comparison.iter();
        offers.filter(|offer| offer.accountant != prices.accountant)
    };
    let mut words: Vec<String> = others()
        .filter(|offer| offer.outcome.is_ok())
        .map(|offer| match offer.relative_error {
            Some(ratio) => format!("{}: {}", offer.accountant.name(), how_large(ratio)),
            None => offer.accountant.name().to_owned(),
        })
        .collect();
    let cannot: Vec<&str> = others()
        .filter(|offer| offer.outcome.is_err())
        .map(|offer| offer.accountant.name())
        .collect();
    if !cannot.is_empty() {
        words.push(format!("not possible here: {}", cannot.join(", ")));
    }
    match words.is_empty() {
        true => String::new(),
        false => format!("({})", words.join("; ")),
    }
}

fn print(
    out: &mut Stdout,
    plan: &plan::Plan,
    prices: &Prices,
    left: &Result<Left, &anyhow::Error>,
) -> Result<()> {
    out.write_styled(Style::Strong, &shown(&plan.title))?;
    writeln!(out, "\n")?;
    let others = others(prices);
    let of_release = match prices.loss.measure == plan.budget.measure {
        true => "of the whole release",
        false => "of the whole release, as its ledger adds up",
    };
    let (rest, rest_meaning) = match left {
        Ok(left) => (left.left.to_string(), left.meaning()),
        Err(_) => ("unknown".to_owned(), "the reason is below".to_owned()),
    };
    rows(
        out,
        &[
            ("loss", prices.loss.to_string(), of_release),
            ("budget", plan.budget.to_string(), "of the data set"),
            ("left", rest, &rest_meaning),
            ("accountant", prices.accountant.name().to_owned(), &others),
            (
                "confidence",
                plan.confidence.get().to_string(),
                "with which each error bound holds, for each number by itself",
            ),
            (
                "plan",
                Identity::new(plan, prices).hex()[..16].to_owned(),
                "the first digits of the hash of what is computed, with which noise",
            ),
        ],
    )?;
    writeln!(out)?;
    let of_plan = loss_in_words(plan, &prices.loss)
        .into_iter()
        .chain(plan_warnings(plan));
    let of_plan = of_plan.map(|sentence| match sentence.starts_with(WARNING) {
        true => (Style::Warning, sentence),
        false => (Style::Plain, sentence),
    });
    let taken = match left {
        // What costs nothing again is no alarm.
        Ok(left) => left.warning().map(|sentence| match left.before {
            Some(_) => (Style::Plain, sentence),
            None => (Style::Warning, sentence),
        }),
        Err(error) => Some((Style::Plain, format!("{error:#}"))),
    };
    let width = width();
    let wrapped = |text: &str, indent| wrapped_within(text, indent, width);
    for (style, sentence) in of_plan.chain(taken) {
        for line in wrapped(&clean::visible(&sentence), 2) {
            out.write_styled(style, &line)?;
            writeln!(out)?;
        }
    }
    writeln!(out)?;
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    let priced = || plan.statistics.iter().zip(&prices.statistics);
    let short = |word: &str| label(word, LONGEST).into_owned();
    let [name, _, loss, error, .., tenth] = HEADER;
    table.set_header([name, error, loss, tenth]);
    for (statistic, price) in priced() {
        let [name, _, loss, error, .., tenth] = words(statistic, price);
        table.add_row([name, error, loss, tenth].map(|word| short(&word)));
    }
    // Padding at the end of lines is useless.
    for line in table.to_string().lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)?;
    let what = "How many numbers, with which noise on which grid, within which bounds, of which \
                rows; errors do not cover rows that are left out, nor cells cut to their bounds:";
    for line in wrapped(what, 0) {
        writeln!(out, "{line}")?;
    }
    for (statistic, price) in priced() {
        let [name, numbers, _, _, noise, grid, bound, _] = words(statistic, price);
        let about = about(plan, statistic, price).join("; ");
        let numbers = counted(&numbers);
        let text = format!(
            "{}: {numbers}; {noise}, grid {grid}, within {bound}; of {about}",
            short(&name)
        );
        for line in wrapped(&clean::visible(&text), 2) {
            writeln!(out, "{line}")?;
        }
    }
    for why in &plan.apart {
        for line in wrapped(&clean::visible(why), 2) {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out)?;
    writeln!(out, "No row was read and nothing was spent. The words:")?;
    let terms = price_terms(plan, prices).into_iter();
    let accountants = ACCOUNTANTS.to_owned();
    for term in terms.chain(noise_terms(prices)).chain([accountants]) {
        for line in wrapped(&term, 2) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
