//! `lastbit query`: one question in SQL, as statistics of a plan.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lastbit_exact::Rational;
use lastbit_release::left::price_at;
use lastbit_release::loss::{Loss, LossMeasure};
use lastbit_release::plan::Plan;
use lastbit_release::present::warning;
use lastbit_release::release::{Changed, Released, released_before};
use lastbit_release::select::{ask, ask_as_planned};

use crate::Usage;
use crate::forms::Forms;
use crate::ledger::warn_if_exposed;
use crate::left::{Left, Question, account, is_somebody_there};
use crate::output::Guard;
use crate::plan::print_price;
use crate::release::{LedgerPlace, goes_on, released, silent};
use crate::streams::{Stdout, say};

const TEACH: &str = "\
Answers `select … from … [where …] [group by …]` about the table of a plan, with count(*), \
sum(x), avg(x), variance(x), median(x) and quantile(x, 0.9). The plan has the source, the privacy \
unit, the budget, and bounds or categories of every column in the question; its own statistics \
are left out. What cannot be private is refused with the reason. Say what the question may spend; \
--price shows what it would cost and how exact it would be, and reads no data. The question \
spends through the ledger, and the same question again is answered from the ledger at no cost.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Query {
    /// The plan
    plan: PathBuf,

    /// The statement
    #[arg(value_name = "SELECT")]
    statement: String,

    /// What it may spend, for a budget of epsilon
    #[arg(long, value_name = "E", conflicts_with = "rho")]
    epsilon: Option<Rational>,

    /// The part of the budget's delta that it may spend [default: none]
    #[arg(long, value_name = "D", requires = "epsilon")]
    delta: Option<Rational>,

    /// What it may spend, for a budget of rho
    #[arg(long, value_name = "R")]
    rho: Option<Rational>,

    /// Show the price, and answer nothing
    #[arg(long)]
    price: bool,

    /// The ledger; one per data set [default: the one beside the plan; if there is none yet,
    /// lastbit.ledger]
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,

    #[command(flatten)]
    forms: Forms,

    /// Do not ask before spending more than half of what is left, or again on changed data
    #[arg(long)]
    yes: bool,
}

impl Query {
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        self.forms.check()?;
        let plan = Plan::read(&self.plan)?;
        let spend = self.spend(&plan)?;
        let is_asked = spend.is_some();
        let asked = match spend {
            Some(spend) => ask(&plan, &self.statement, &spend)?,
            None => ask_as_planned(&plan, &self.statement)?,
        };
        let place = LedgerPlace::of(&self.plan, self.ledger.as_deref())?;
        let ledger = place.path()?;
        let (prices, mut left) = price_at(&asked, &ledger)?;
        left.is_asked = is_asked;
        if self.price {
            return print_price(out, &asked, &prices, left);
        }
        warn_if_exposed(&ledger);
        let mut guard = Guard::new(&self.plan, &plan);
        guard.add_ledger(&ledger);
        let forms = self.forms.prepare(&guard)?;
        let mut question = Question::about(&left);
        // On the same data it is free, and on changed data it asks what is to ask then.
        if let (false, Ok(None)) = (self.yes, released_before(&asked, &ledger)) {
            question.ask()?;
            question = Question::default();
        }
        let mut go_on = |changed: &Changed| goes_on(changed, &question, self.yes, false);
        let done = released(&asked, &place, silent(), &mut go_on)?;
        match &done {
            Released::Stored { row, time, .. } => say(&format!(
                "This was asked before: row {row} of the ledger, {time}. The same numbers again, \
                 at no cost."
            )),
            Released::New(_) if self.yes || !is_somebody_there() => {
                if let Some(sentence) = warning(&prices.loss) {
                    say(&sentence);
                }
            }
            Released::New(_) => {}
        }
        forms.show(done.report(), out)?;
        if let Ok(Some(now)) = account(&ledger) {
            let left = Left::of(&asked, &prices.loss, Some((&ledger, &now)));
            say(&format!("{} is left.", left.left));
        }
        Ok(())
    }

    /// What it may spend, in the measure of the budget; `None` if `[spend]` of the plan says it. It
    /// must be stated: without it, a question would spend everything.
    fn spend(&self, plan: &Plan) -> Result<Option<Loss>> {
        let spend = match (plan.budget.measure, &self.epsilon, &self.rho) {
            (LossMeasure::Zcdp, None, Some(rho)) => Loss::zcdp(rho.clone())?,
            (LossMeasure::Pure, Some(epsilon), None) if self.delta.is_none() => {
                Loss::pure(epsilon.clone())?
            }
            (LossMeasure::Approximate, Some(epsilon), None) => {
                let delta = self.delta.clone().unwrap_or(Rational::ZERO);
                Loss::approximate(epsilon.clone(), delta)?
            }
            (_, None, None) if plan.spend != plan.budget => return Ok(None),
            (LossMeasure::Zcdp, ..) => bail!(Usage(
                "say what the question may spend, in the measure of the plan's budget: --rho 0.01"
                    .into()
            )),
            (LossMeasure::Pure, ..) => bail!(Usage(
                "say what the question may spend, in the measure of the plan's budget: --epsilon \
                 0.1"
                .into()
            )),
            _ => bail!(Usage(
                "say what the question may spend, in the measure of the plan's budget: --epsilon \
                 0.1 --delta 1e-9"
                    .into()
            )),
        };
        if !spend.main.is_positive() {
            bail!(Usage("what the question may spend must be positive".into()));
        }
        if !spend.fits(&plan.budget) {
            bail!(
                "the question may not spend more than the budget of the plan, {}",
                plan.budget
            );
        }
        Ok(Some(spend))
    }
}
