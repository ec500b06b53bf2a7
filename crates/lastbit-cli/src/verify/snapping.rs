//! `lastbit verify snapping`: a certificate of the loss of the floating mode.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use lastbit::{Epsilon, Sensitivity};
use lastbit_exact::{Down, Rational, Up};
use lastbit_verify::certificate::{
    Accepted, Certificate, CertificateReport, Claim, Finding, Gap, check, coq, corner_claims,
    prove, prove_program, search, smallest_slope,
};
use lastbit_verify::language::Diagnostic;
use serde_json::{Value, json};

use super::source::Source;
use crate::number::{json_lower, json_nearest, json_up, json_upper, lower, named, upper};
use crate::output::{Guard, Kind, Output};
use lastbit_release::clean::shown;

#[derive(Args)]
#[command(
    before_long_help = "\
Proves that snapping in p-bit floating point loses at most a certain amount, for all inputs in \
[-B, B] and all outputs, and writes the proof down as a certificate that `lastbit verify check` \
can check without trusting the prover. The scale is D/E' rounded up to p bits. Beside the \
certified loss stand the published formulas, and the least constants (c1, c2) for which E'(1 + c1 \
(B/D) eta) + c2 eta is certified, eta = 2^-p.

With --program, a program of the language is proved instead. If it does not meet the premises of \
the theorem, the first that fails is named with its place in the source, and a search at a few \
bits looks for two inputs that the program tells apart.",
    after_long_help = "\
Examples:
  lastbit verify snapping --epsilon 0.1 --bound 1000 --certificate loss.json
  lastbit verify snapping --epsilon 1 --bound 1e12 --precision 118
  lastbit verify snapping --epsilon 1 --bound 1000 --coq loss.v
  lastbit verify snapping --program crates/lastbit-verify/programs/broken_short_uniform.lb \
--precision 16
  lastbit verify snapping --constants --precision 53"
)]
pub struct Snapping {
    /// Privacy loss of the ideal mechanism: ε' > 0; with --program its parameter `epsilon`
    #[arg(
        long,
        value_name = "E'",
        allow_hyphen_values = true,
        required_unless_present_any = ["program", "constants"]
    )]
    epsilon: Option<Epsilon>,

    /// Bound of inputs and outputs; with --program its parameter `B`
    #[arg(
        long,
        value_name = "B",
        allow_hyphen_values = true,
        value_parser = named("bound"),
        required_unless_present_any = ["program", "constants"]
    )]
    bound: Option<Rational>,

    /// How far one person can move the query [default: 1]; with --program its parameter `Delta`
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    sensitivity: Option<Sensitivity>,

    /// Significant bits of the arithmetic
    #[arg(
        long,
        value_name = "P",
        default_value_t = 53,
        value_parser = clap::value_parser!(u32).range(2..=1000),
    )]
    precision: u32,

    /// A program to prove instead of the shipped mechanism; `-` reads it from standard input
    #[arg(long, value_name = "FILE", conflicts_with = "constants")]
    program: Option<PathBuf>,

    /// Write the certificate here
    #[arg(long, value_name = "FILE", conflicts_with = "constants")]
    certificate: Option<PathBuf>,

    /// Write the certificate as a Coq file here, for `coqc` and the project's proofs
    #[arg(long, value_name = "FILE", conflicts_with = "constants", value_parser = coq_file)]
    coq: Option<PathBuf>,

    /// The least constants that are certified over a grid of settings, instead of one setting
    #[arg(long, conflicts_with_all = ["epsilon", "bound", "sensitivity"])]
    constants: bool,

    /// Machine-readable output; losses are rounded up
    #[arg(long)]
    json: bool,
}

impl Snapping {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        if self.constants {
            return self.print_constants(out);
        }
        match &self.program {
            Some(file) => self.program(file, out),
            None => {
                let one = Rational::ONE;
                let (Some(epsilon), Some(bound)) = (&self.epsilon, &self.bound) else {
                    bail!("--epsilon and --bound are needed");
                };
                let sensitivity = self.sensitivity.as_ref().map_or(&one, |d| d.get());
                let claim = Claim::shipped(epsilon.get(), sensitivity, bound, self.precision);
                let certificate = prove(&claim)?;
                self.accept(&claim, &certificate, out)?;
                Ok(())
            }
        }
    }

    /// Checks the certificate before anything is said, writes it, and prints the report.
    fn accept(
        &self,
        claim: &Claim,
        certificate: &Certificate,
        out: &mut impl Write,
    ) -> Result<CertificateReport> {
        let accepted = check(certificate).map_err(|bad| anyhow!("the checker refuses: {bad}"))?;
        if let Some(file) = &self.certificate {
            if file.as_os_str() == "-" {
                bail!("the report goes to standard output; name a file for the certificate");
            }
            let text = serde_json::to_string_pretty(certificate)? + "\n";
            Output::prepare(file, Kind::Certificate, &Guard::default(), false)?
                .write_file(&text)?;
        }
        if let Some(file) = &self.coq {
            let text = coq(claim, certificate).context("the certificate has no Coq form")?;
            Output::prepare(file, Kind::Coq, &Guard::default(), false)?.write_file(&text)?;
        }
        let report = CertificateReport::new(claim, &accepted);
        if self.json {
            let value = in_json(&report, claim, certificate, &accepted);
            writeln!(out, "{value}")?;
        } else {
            in_text(&report, claim, certificate, &accepted, out)?;
        }
        Ok(report)
    }

    fn program(&self, file: &Path, out: &mut impl Write) -> Result<()> {
        let source = Source::read(file)?;
        let mut values = BTreeMap::new();
        for (parameter, value) in [
            ("epsilon", self.epsilon.as_ref().map(Epsilon::get)),
            ("B", self.bound.as_ref()),
            ("Delta", self.sensitivity.as_ref().map(Sensitivity::get)),
        ] {
            if let Some(value) = value {
                values.insert(parameter.to_owned(), value.clone());
            }
        }
        let instance = source.instance(source.checked()?, &values)?;
        let claimed = instance.parameters().get("epsilon").cloned();
        let claimed = claimed.unwrap_or(Rational::ONE);
        match prove_program(&instance, self.precision) {
            Ok((claim, certificate)) => {
                let report = self.accept(&claim, &certificate, out)?;
                if report.exceeds(&claimed) {
                    let found = search(&instance, None, &claimed);
                    self.print_finding(found.as_ref(), out)?;
                    bail!(
                        "{}: the program claims epsilon = {}, but its noise gives {}",
                        source.name,
                        shown(&claimed.to_string()),
                        upper(Up::from_rational(&report.epsilon))
                    );
                }
                Ok(())
            }
            Err(gap) => {
                let found = search(&instance, Some(gap.premise), &claimed);
                self.print_gap(&gap, found.as_ref(), out)?;
                let problem = Diagnostic {
                    at: gap.at,
                    problem: format!("the proof needs {}", gap.premise),
                    remedy: gap.detail.clone(),
                };
                Err(anyhow!(source.located(&problem)))
            }
        }
    }

    fn print_gap(&self, gap: &Gap, found: Option<&Finding>, out: &mut impl Write) -> Result<()> {
        if self.json {
            let value = json!({
                "certified": Value::Null,
                "premise": gap.premise.to_string(),
                "line": gap.at.line,
                "column": gap.at.column,
                "detail": gap.detail,
                "reason": gap.premise.reason(),
                "found": found.map(finding_in_json),
            });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "Not certified. The premise that fails: {}",
            gap.premise
        )?;
        writeln!(out, "  why it is needed: {}", gap.premise.reason())?;
        self.print_finding(found, out)
    }

    fn print_finding(&self, found: Option<&Finding>, out: &mut impl Write) -> Result<()> {
        if self.json {
            return Ok(());
        }
        let Some(found) = found else {
            writeln!(out, "Search found no pair of inputs to compare.")?;
            return Ok(());
        };
        let bound = found
            .bound
            .as_ref()
            .map_or(String::new(), |bound| format!(", B = {bound}"));
        let verdict = if found.is_counterexample() {
            "Counterexample"
        } else {
            "No counterexample found; the largest loss"
        };
        writeln!(out, "{verdict} at {} bits{bound}:", found.precision)?;
        writeln!(
            out,
            "  f = {}, f' = {}, output {}: loss {} ({} allowed)",
            Rational::from(&found.value),
            Rational::from(&found.neighbour),
            found.printed_output(),
            if found.loss.is_finite() {
                lower(Down::exact(found.loss))
            } else {
                "infinite".to_owned()
            },
            if found.allowed == f64::MAX {
                "finite".to_owned()
            } else {
                upper(Up::exact(found.allowed))
            },
        )?;
        Ok(())
    }

    fn print_constants(&self, out: &mut impl Write) -> Result<()> {
        let claims = corner_claims(self.precision);
        let mut reports = Vec::new();
        for claim in &claims {
            let accepted = check(&prove(claim)?).map_err(|bad| anyhow!("{bad}"))?;
            reports.push(CertificateReport::new(claim, &accepted));
        }
        let rows: Vec<(i64, Rational)> = [0, 2, 3, 4]
            .into_iter()
            .map(|c2| (c2, smallest_slope(&reports, c2)))
            .collect();
        if self.json {
            let rows: Vec<_> = rows
                .iter()
                .map(|(c2, c1)| json!({ "c1": json_up(c1), "c2": c2 }))
                .collect();
            let value =
                json!({ "precision": self.precision, "settings": claims.len(), "constants": rows });
            writeln!(out, "{value}")?;
            return Ok(());
        }
        writeln!(
            out,
            "Certified in {} settings at {} bits: E'(1 + c1 (B/D) eta) + c2 eta with",
            claims.len(),
            self.precision
        )?;
        for (c2, c1) in rows {
            writeln!(out, "  c1 = {c1}, c2 = {c2}")?;
        }
        Ok(())
    }
}

/// coqc names the module after the file.
fn coq_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_word && path.extension().is_some_and(|extension| extension == "v") {
        return Ok(path);
    }
    Err("coqc needs a name of letters, digits and `_` that ends in .v, such as loss.v".to_owned())
}

fn ratio(report: &CertificateReport, value: &Rational) -> Up {
    Up::from_rational(&(&report.certified / value))
}

/// What rounding adds, as a share of what a formula allows for it.
fn share(report: &CertificateReport, value: &Rational) -> Up {
    let allowed = value - &report.epsilon;
    Up::from_rational(&(&(&report.certified - &report.epsilon) / &allowed))
}

fn in_text(
    report: &CertificateReport,
    claim: &Claim,
    certificate: &Certificate,
    accepted: &Accepted,
    out: &mut impl Write,
) -> Result<()> {
    let up = |x: &Rational| upper(Up::from_rational(x));
    let hundredths = |x: &Rational| format!("{:.2}", Up::from_rational(x));
    let row = |out: &mut dyn Write, name: &str, value: &str, note: &str| {
        writeln!(out, "  {name:<17}{value:<24}{note}")
    };
    row(
        out,
        "certified loss",
        &up(&report.certified),
        "for all queries as assumed and all outputs",
    )?;
    row(
        out,
        "ideal loss",
        &up(&report.epsilon),
        "of the same noise over the real numbers",
    )?;
    let excess = up(&(&report.certified - &report.epsilon));
    let in_eta = format!(
        "{} η at {} bits",
        hundredths(&report.excess_in_eta()),
        claim.precision
    );
    row(out, "rounding adds", &excess, &in_eta)?;
    let slope = report.least_slope(&Rational::from(2i64));
    let constants = format!("({}, 2)", hundredths(&slope));
    row(
        out,
        "least (c₁, c₂)",
        &constants,
        "of ε'(1 + c₁(B/Δ)η) + c₂η in this setting",
    )?;
    for (i, assumption) in accepted.assumptions().iter().enumerate() {
        let name = if i == 0 { "assumed" } else { "" };
        writeln!(out, "  {name:<17}{assumption}")?;
    }
    writeln!(
        out,
        "Formulas, and what rounding adds as a share of what they allow:"
    )?;
    for formula in core::iter::once(&report.charged).chain(&report.published) {
        let charged = if formula == &report.charged {
            "  charged"
        } else {
            ""
        };
        writeln!(
            out,
            "  {:<44}{:<24}{:.3}{charged}",
            formula.text,
            up(&formula.value),
            share(report, &formula.value)
        )?;
    }
    writeln!(out, "What rounding adds, by output:")?;
    for case in &certificate.cases {
        let excess: Option<Rational> = case.excess.parse().ok();
        let excess = excess.map_or("infinite".to_owned(), |x| up(&x));
        writeln!(out, "  {:<28}{excess}", case.output)?;
    }
    writeln!(
        out,
        "Checked: {} statements in {} boxes.",
        accepted.steps,
        certificate.boxes.len()
    )?;
    Ok(())
}

fn in_json(
    report: &CertificateReport,
    claim: &Claim,
    certificate: &Certificate,
    accepted: &Accepted,
) -> Value {
    let formula = |f: &lastbit_verify::certificate::Formula| {
        json!({
            "text": f.text,
            "value": json_up(&f.value),
            "ratio": json_upper(ratio(report, &f.value)),
            "share": json_upper(share(report, &f.value)),
        })
    };
    let cases: Vec<_> = certificate
        .cases
        .iter()
        .map(|case| json!({ "output": case.output, "excess": case.excess }))
        .collect();
    json!({
        "certified": json_up(&report.certified),
        "certified_exactly": certificate.certified,
        "formula": json_up(&report.charged.value),
        "ratio": json_upper(ratio(report, &report.charged.value)),
        "epsilon": json_up(&report.epsilon),
        "excess": certificate.excess,
        "excess_in_eta": json_up(&report.excess_in_eta()),
        "least_c1_for_c2_2": json_up(&report.least_slope(&Rational::from(2i64))),
        "precision": claim.precision,
        "scale": json_nearest(&claim.scale()),
        "bound": json_nearest(&claim.bound),
        "charged": formula(&report.charged),
        "published": report.published.iter().map(formula).collect::<Vec<_>>(),
        "cases": cases,
        "assumes_bounded_input": accepted.claim.query_within.is_some(),
        "query_within": accepted.claim.query_within.as_ref().map(Rational::to_string),
        "assumptions": accepted.assumptions(),
        "checked_statements": accepted.steps,
    })
}

fn finding_in_json(found: &Finding) -> Value {
    json!({
        "counterexample": found.is_counterexample(),
        "precision": found.precision,
        "bound": found.bound.as_ref().map(json_nearest),
        "f": Rational::from(&found.value).to_string(),
        "f_prime": Rational::from(&found.neighbour).to_string(),
        "output": found.printed_output(),
        "loss": found.loss.is_finite().then(|| json_lower(Down::exact(found.loss))),
        "infinite": found.loss.is_infinite(),
        "allowed": json_upper(Up::exact(found.allowed)),
    })
}
