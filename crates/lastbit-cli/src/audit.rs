//! `lastbit audit -- COMMAND…`.

use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use lastbit::{Confidence, Epsilon, parse_number};
use lastbit_exact::Rational;
use lastbit_verify::audit::{
    AuditClaim, AuditFinding, AuditLimits, CommandError, Feature, audit_samples, run_command,
};
use serde_json::{Value, json};

use crate::number::{json_lower, json_nearest, readable};
use crate::streams::write_wrapped;
use lastbit_release::clean::shown;

#[derive(Args)]
#[command(
    before_long_help = "\
Runs any mechanism behind a command and bounds its loss from below: at the stated confidence, ε is \
at least what is printed. The \
command reads one value per line on standard input and writes one output per line on standard \
output: numbers, NaN, or words. It \
is run once, on --draws lines of each of two neighbouring inputs in turn. One half of the outputs \
chooses an event (a threshold, a set \
of values, of last bits, of low bits), the other half bounds its two probabilities by Clopper and \
Pearson. No bound is a proof of \
privacy: an audit only finds what is wrong.",
    after_long_help = "\
Examples:
  Laplace noise of half the scale that ε = 1 needs, as a line of Python:
    lastbit audit --epsilon 1 -- python3 -c '
    import random, sys
    for line in sys.stdin:
        print(float(line) + random.choice([-1, 1]) * random.expovariate(2))'
  Randomized response with words, between the inputs no and yes:
    lastbit audit --epsilon 1 --inputs no,yes -- awk 'BEGIN{srand()} \
{print rand() < 0.75 ? $0 : ($0 == \"no\" ? \"yes\" : \"no\")}'"
)]
pub struct Audit {
    /// The loss that the mechanism claims: ε > 0
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Epsilon,

    /// The δ that it claims, from 0 to below 1
    #[arg(
        long,
        value_name = "D",
        default_value = "0",
        allow_hyphen_values = true,
        value_parser = delta,
    )]
    delta: Rational,

    /// Draws from each of the two inputs
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    draws: u64,

    /// Confidence of the lower bound
    #[arg(
        long,
        value_name = "C",
        default_value = "0.999",
        allow_hyphen_values = true
    )]
    confidence: Confidence,

    /// Two neighbouring inputs, as the command reads them
    #[arg(
        long,
        value_name = "A,B",
        default_value = "0,1",
        allow_hyphen_values = true
    )]
    inputs: String,

    /// Seconds that the command may take for a line of output; then it is ended, with its children
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    timeout: Duration,

    /// Seconds that it may take in all
    #[arg(long, value_name = "S", default_value = "3600", value_parser = seconds)]
    total_timeout: Duration,

    /// Exit with status 1 if the claim is refuted
    #[arg(long)]
    strict: bool,

    /// Machine-readable output
    #[arg(long)]
    json: bool,

    /// The mechanism, and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl Audit {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let (program, arguments) = self
            .command
            .split_first()
            .context("give a command after `--`")?;
        let (a, b) = self
            .inputs
            .split_once(',')
            .context("--inputs takes two values with a comma between them, such as 0,1")?;
        if a.contains('\n') || b.contains('\n') {
            bail!("--inputs takes two values of one line each");
        }
        if !(4..=1_000_000_000).contains(&self.draws) {
            bail!("--draws must be from 4 to 1000000000, got {}", self.draws);
        }
        let claim = AuditClaim {
            epsilon: self.epsilon.get().clone(),
            delta: self.delta.clone(),
        };
        let limits = AuditLimits {
            answer: self.timeout,
            total: self.total_timeout,
        };
        let samples = run_command(program, arguments, [a, b], self.draws as usize, &limits)
            .map_err(|error| cleaned(error, program))?;
        let report = audit_samples(&samples, &claim, &self.confidence, true, &Feature::ALL);
        let words: Vec<String> = samples.words.iter().map(|word| shown(word)).collect();
        let described = |finding: &AuditFinding| finding.event.describe(&words);
        let best = report.best();
        let refuted = report.refutes_claim();
        if self.json {
            let finding = |finding: &AuditFinding| -> Value {
                json!({
                    "likelier": finding.likelier.name(),
                    "event": described(finding),
                    "counts": finding.counts,
                    "trials": finding.trials,
                    "lower_bound": json_lower(finding.lower_bound),
                })
            };
            let text = json!({
                "epsilon": json_nearest(&claim.epsilon),
                "delta": json_nearest(&claim.delta),
                "confidence": json_nearest(self.confidence.get()),
                "draws": self.draws,
                "lower_bound": json_lower(best.lower_bound),
                "refuted": refuted,
                "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
            });
            writeln!(out, "{text}")?;
        } else {
            let at_delta = match claim.delta.is_zero() {
                true => String::new(),
                false => format!(" for the claimed δ = {}", readable(&claim.delta)),
            };
            for finding in &report.findings {
                let text = format!(
                    "{} from {}: {} of {}; from the other: {} of {}; ε ≥ {:.4}{at_delta}",
                    described(finding),
                    finding.likelier.name(),
                    finding.counts[0],
                    finding.trials,
                    finding.counts[1],
                    finding.trials,
                    finding.lower_bound,
                );
                write_wrapped(out, &text, "  ")?;
            }
            if let (true, Some(why)) = (refuted, best.event.meaning()) {
                write_wrapped(out, why, "")?;
            }
            let verdict = if refuted {
                "the claim is refuted"
            } else {
                "the claim is not refuted, which does not prove it"
            };
            let text = format!(
                "Verdict: {verdict}. ε is at least {:.4}{at_delta}, at confidence {}; claimed {}.",
                best.lower_bound,
                readable(self.confidence.get()),
                stated(&claim),
            );
            write_wrapped(out, &text, "")?;
        }
        if refuted && self.strict {
            out.flush()?;
            bail!("the claim ε = {} is refuted", stated(&claim));
        }
        Ok(())
    }
}

/// What is claimed: `1`, or `1, δ = 0.1`.
fn stated(claim: &AuditClaim) -> String {
    match claim.delta.is_zero() {
        true => readable(&claim.epsilon),
        false => format!(
            "{}, δ = {}",
            readable(&claim.epsilon),
            readable(&claim.delta)
        ),
    }
}

/// The error, with the name of the command made safe to show.
fn cleaned(error: CommandError, program: &str) -> anyhow::Error {
    let text = format!("{:#}", anyhow::Error::from(error));
    anyhow!(text.replace(program, &shown(program)))
}

fn seconds(text: &str) -> Result<Duration> {
    let seconds: f64 = text
        .parse()
        .context("write a number of seconds, such as 60")?;
    if !(0.001..=1e7).contains(&seconds) {
        bail!("write a number of seconds from 0.001 to 10000000, got {seconds}");
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn delta(text: &str) -> Result<Rational> {
    let delta = parse_number("delta", text)?;
    if delta.is_negative() || delta >= Rational::ONE {
        bail!("delta must be from 0 to below 1, got {delta}");
    }
    Ok(delta)
}
