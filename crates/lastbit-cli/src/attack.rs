//! `lastbit attack least-bits|precision|timing`.

use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use lastbit::Confidence;
use lastbit_exact::Up;
use lastbit_noise::entropy::System;
use lastbit_verify::attack::{
    Correlation, Entry, Proportion, Target, catalogue, find, least_bits, precision, timing,
};
use serde_json::{Value, json};

use crate::number::{json as number, json_lower, json_nearest, json_upper, readable, shortest};
use crate::picture::rows;
use crate::streams::write_wrapped;

/// Which attack.
#[derive(Subcommand)]
pub enum Attack {
    /// Which of two neighbouring inputs can each output have come from? (Mironov 2012)
    #[command(after_long_help = "\
Examples:
  lastbit attack least-bits --target naive-laplace
  lastbit attack least-bits --target snapping-binary64 --draws 1000000
  lastbit attack least-bits --target list")]
    LeastBits(Options),
    /// Does the precision of an output, or the size of a sum, tell the inputs apart?
    #[command(after_long_help = "\
Examples:
  lastbit attack precision --target naive-sum-f32
  lastbit attack precision --target grid-sum")]
    Precision(Options),
    /// Does the time of a call depend on the data or on the noise?
    #[command(mut_arg("draws", |draws| draws.default_value("1000000")))]
    #[command(after_long_help = "\
The input of each call is drawn at random, so shuffling is an exact test: the threshold is the \
largest correlation among 999 shuffles, which chance alone exceeds once in a thousand runs, for \
each of the two correlations.

Examples:
  lastbit attack timing --target coin-by-coin
  lastbit attack timing --target big-numbers")]
    Timing(Options),
}

#[derive(Args)]
pub struct Options {
    /// A mechanism by name; `list` to see them, `all` for every one
    #[arg(long, value_name = "NAME")]
    target: String,

    /// Draws from each input
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = draws)]
    draws: u64,

    /// Confidence of the bounds
    #[arg(
        long,
        value_name = "C",
        default_value = "0.999999",
        allow_hyphen_values = true
    )]
    confidence: Confidence,

    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Shuffles of the timing attack.
const PERMUTATIONS: u32 = 999;

impl Attack {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        let (options, run): (Options, AttackWith) = match self {
            Attack::LeastBits(options) => (options, run_least_bits),
            Attack::Precision(options) => (options, run_precision),
            Attack::Timing(options) => (options, run_timing),
        };
        match options.target.as_str() {
            "list" => list(out, options.json),
            "all" => run_all(out, &options, run),
            name => {
                let entry = find(name).with_context(|| {
                    format!("no target is called `{name}`; --target list shows them all")
                })?;
                let found = run(&mut entry.build()?, &options)?;
                if options.json {
                    writeln!(out, "{}", as_json(&entry, &found))?;
                    return Ok(());
                }
                write_wrapped(out, &format!("{}: {}", entry.name, entry.about), "  ")?;
                for line in &found.notes {
                    write_wrapped(out, &format!("- {line}"), "  ")?;
                }
                write_wrapped(out, &format!("Verdict: {}", found.verdict), "")?;
                Ok(())
            }
        }
    }
}

type AttackWith = fn(&mut Target, &Options) -> Result<Found>;

/// What an attack found, ready to print.
struct Found {
    succeeded: bool,
    verdict: String,
    notes: Vec<String>,
    json: Value,
}

fn list(out: &mut impl Write, as_json: bool) -> Result<()> {
    let entries = catalogue();
    if as_json {
        let entries: Vec<Value> = entries
            .iter()
            .map(|entry| {
                json!({
                    "name": entry.name,
                    "about": entry.about,
                    "shipped": entry.is_shipped,
                })
            })
            .collect();
        writeln!(out, "{}", Value::Array(entries))?;
        return Ok(());
    }
    let kind = |entry: &Entry| {
        if entry.is_shipped {
            "shipped"
        } else {
            "broken"
        }
    };
    let lines: Vec<(&str, String, &str)> = entries
        .iter()
        .map(|entry| (entry.name, kind(entry).to_owned(), entry.about))
        .collect();
    rows(out, &lines)?;
    Ok(())
}

fn run_all(out: &mut impl Write, options: &Options, run: AttackWith) -> Result<()> {
    let mut all = Vec::new();
    for entry in catalogue() {
        let found = run(&mut entry.build()?, options)?;
        if options.json {
            all.push(as_json(&entry, &found));
        } else {
            writeln!(out, "  {:<20} {}", entry.name, found.verdict)?;
            out.flush()?;
        }
    }
    if options.json {
        writeln!(out, "{}", Value::Array(all))?;
    }
    Ok(())
}

fn as_json(entry: &Entry, found: &Found) -> Value {
    let mut value = found.json.clone();
    value["target"] = json!(entry.name);
    value["shipped"] = json!(entry.is_shipped);
    value["succeeded"] = json!(found.succeeded);
    value["verdict"] = json!(found.verdict);
    value
}

fn run_least_bits(target: &mut Target, options: &Options) -> Result<Found> {
    let found = least_bits(target, options.draws as usize, &options.confidence)?;
    let revealed = &found.revealed;
    let loss = found.loss.best();
    let how = if found.by_preimage {
        "exactly, by its preimages"
    } else {
        "from half of the draws"
    };
    let verdict = if revealed.count > found.wrong {
        format!("{} of the outputs reveal their input.", percent(revealed))
    } else if found.loss.refutes_claim() {
        format!(
            "the bits of the outputs show a loss of at least {:.3}.",
            loss.lower_bound
        )
    } else {
        "nothing found.".to_owned()
    };
    Ok(Found {
        succeeded: found.succeeded(),
        verdict,
        notes: vec![
            inputs(target),
            format!(
                "outputs that only one input can give, known {how}: {}",
                interval(revealed)
            ),
            format!("of these attributed wrongly: {}", found.wrong),
            format!(
                "loss from bits alone: at least {:.4} (claimed ε {}), by: {}",
                loss.lower_bound,
                readable(&target.claim.epsilon),
                loss.event.describe(&[])
            ),
        ],
        json: json!({
            "attack": "least-bits",
            "by_preimage": found.by_preimage,
            "revealed": proportion(revealed),
            "wrong": found.wrong,
            "loss_lower_bound": json_lower(loss.lower_bound),
            "claimed": json_nearest(&target.claim.epsilon),
        }),
    })
}

fn run_precision(target: &mut Target, options: &Options) -> Result<Found> {
    let found = precision(target, options.draws as usize, &options.confidence)?;
    let sums = found.sums.as_ref();
    let loss = found.loss.best();
    let too_far = sums.filter(|[moved, claimed]| moved > claimed);
    let verdict = match too_far {
        Some([moved, claimed]) => format!(
            "the sum moves by {} where {} is claimed; {} of guesses are right.",
            readable(moved),
            readable(claimed),
            percent(&found.success)
        ),
        None if found.loss.refutes_claim() => format!(
            "the precision of the outputs shows a loss of at least {:.3}.",
            loss.lower_bound
        ),
        None if found.succeeded() => format!(
            "{} of guesses are right where {:.1} % may be.",
            percent(&found.success),
            Up::exact(100.0 * found.limit)
        ),
        None => "nothing found.".to_owned(),
    };
    let mut notes = vec![
        inputs(target),
        format!(
            "right guesses of the input: {}; at most {:.4} may be",
            interval(&found.success),
            Up::exact(found.limit)
        ),
        format!("guessing A if {}", found.event.describe(&[])),
        format!(
            "loss from the place of the last bit alone: at least {:.4} (claimed ε {})",
            loss.lower_bound,
            readable(&target.claim.epsilon)
        ),
    ];
    if let Some([moved, claimed]) = sums {
        notes.push(format!(
            "the sum moves by {}; claimed: {}",
            readable(moved),
            readable(claimed)
        ));
    }
    Ok(Found {
        succeeded: found.succeeded(),
        verdict,
        notes,
        json: json!({
            "attack": "precision",
            "success": proportion(&found.success),
            "limit": json_upper(Up::exact(found.limit)),
            "loss_lower_bound": json_lower(loss.lower_bound),
            "moved": sums.map(|[moved, _]| json_nearest(moved)),
            "claimed": sums.map(|[_, claimed]| json_nearest(claimed)),
        }),
    })
}

fn run_timing(target: &mut Target, options: &Options) -> Result<Found> {
    let draws = options.draws as usize;
    let found = timing(target, draws, PERMUTATIONS, &mut System::default())?;
    let line = |with: &str, c: &Correlation| {
        format!(
            "time with {with}: Spearman {:+.4}, threshold {:.4} (false alarm {})",
            c.rho,
            c.threshold,
            shortest(c.false_alarm())
        )
    };
    let with_noise = found.noise.is_some_and(|noise| noise.is_significant());
    let verdict = match (found.data.is_significant(), with_noise) {
        (true, _) => "the time goes with the data.",
        (false, true) => "the time goes with the noise.",
        (false, false) => "nothing found.",
    };
    let correlation = |c: &Correlation| {
        json!({
            "spearman": number(c.rho),
            "threshold": number(c.threshold),
            "false_alarm": number(c.false_alarm()),
            "significant": c.is_significant(),
        })
    };
    let mut notes = vec![
        format!("inputs: {} or {}", target.inputs[0], target.inputs[2]),
        format!("median time of a call: {} ns", found.median_nanoseconds),
    ];
    match &found.noise {
        Some(noise) => {
            notes.push(line("the data", &found.data));
            notes.push(line("the size of the noise", noise));
        }
        None => notes.push(line("the data, among calls of equal outputs", &found.data)),
    }
    Ok(Found {
        succeeded: found.data.is_significant() || with_noise,
        verdict: verdict.to_owned(),
        notes,
        json: json!({
            "attack": "timing",
            "data": correlation(&found.data),
            "noise": found.noise.as_ref().map(correlation),
            "median_nanoseconds": number(found.median_nanoseconds),
        }),
    })
}

fn inputs(target: &Target) -> String {
    format!("A: {}; B: {}", target.inputs[0], target.inputs[1])
}

fn percent(p: &Proportion) -> String {
    format!("{:.1} %", 100.0 * p.share())
}

fn interval(p: &Proportion) -> String {
    format!(
        "{} of {} ({}), between {:.4} and {:.4}",
        p.count,
        p.trials,
        percent(p),
        p.low,
        p.high
    )
}

fn proportion(p: &Proportion) -> Value {
    json!({
        "count": p.count,
        "trials": p.trials,
        "low": json_lower(p.low),
        "high": json_upper(p.high),
    })
}

fn draws(text: &str) -> Result<u64> {
    let draws: u64 = text
        .parse()
        .context("write a whole number of draws, such as 100000")?;
    if !(100..=100_000_000).contains(&draws) {
        bail!("draws must be between 100 and 100000000, got {draws}");
    }
    Ok(draws)
}
