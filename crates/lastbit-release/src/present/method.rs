//! The method of a release, as an office would print it: first for everybody, then in the words of
//! the field.

use lastbit_exact::Rational;

use super::guess::About;
use super::sentences::{ERRORS, INVENTED, of_budget};
use super::vocabulary::{of_grid, report_terms};
use super::wrap::wrapped;
use super::{PublishedStatistic, Report};
use crate::clean::{label, shortened, shown, visible};

/// The first line of a method as text.
pub const METHOD_MARK: &str = "How these numbers were made";

/// The longest name, in characters, and the longest note.
const LONGEST: usize = 60;
const LONGEST_NOTE: usize = 2000;

/// A part of the method: a title and its paragraphs.
pub(super) struct Part {
    pub title: &'static str,
    pub paragraphs: Vec<String>,
}

/// The part for everybody. Names in it are not clean yet.
pub(super) fn parts(report: &Report) -> Vec<Part> {
    let part = |title, paragraphs| Part { title, paragraphs };
    let (loss, others) = report.notes.split_first().map_or_else(
        || (vec![], vec![]),
        |(unit, rest)| {
            let (mut loss, others): (Vec<String>, Vec<String>) =
                rest.iter().cloned().partition(|note| is_about_loss(note));
            loss.insert(0, unit.clone());
            (loss, others)
        },
    );
    let mut parts = vec![part("What was done", vec![done(report)])];
    if !loss.is_empty() {
        let mut words = vec![
            "Noise hides what any single unit, a person or a row, contributed to the numbers. How \
             well it hides that is called the privacy loss. It limits what anybody can find out \
             about one unit from what is published, even somebody who knows all the others."
                .to_owned(),
        ];
        words.extend(loss);
        parts.push(part("Who is protected, and how well", words));
    }
    let mut rows = vec![
        "Which rows a number is about is stated beside it. The limits on how many rows of one unit \
         count, and the bounds to which values are cut, are fixed by the plan and must not be \
         chosen by the data; what they leave out is not in the published numbers."
            .to_owned(),
    ];
    rows.extend(others);
    parts.push(part("Which rows count", rows));
    parts.push(part("How far off the numbers are", errors(report)));
    let budget = match report.budget.as_str() {
        "" => String::new(),
        budget => format!(" The budget of these data is {budget}."),
    };
    parts.push(part(
        "What else can be published",
        vec![
            "The losses of all releases about the same data add up. A budget was fixed for them, \
             and each release is written into a ledger, with what it costs, before its noise is \
             drawn. When the budget is spent, nothing more can be published about these data, \
             unless those who hold them raise it, which the ledger records too. The same question \
             about the same data is answered with the same numbers, so that asking often does not \
             wear the noise away."
                .to_owned()
                + &budget,
        ],
    ));
    parts
}

fn is_about_loss(note: &str) -> bool {
    About::of(note) != About::Rest
}

fn done(report: &Report) -> String {
    let any = |is: fn(&PublishedStatistic) -> bool| report.statistics.iter().any(is);
    let added = any(|statistic| !is_selected(statistic));
    let selected = any(is_selected);
    let how = match (added, selected) {
        (_, false) => {
            "Then the counts and sums that they are made of were computed exactly, and noise, \
             drawn at random, was added to each"
        }
        (false, true) => {
            "Then each was drawn at random among all values between the bounds, those nearest to \
             the exact one most likely"
        }
        (true, true) => {
            "Then the counts and sums that they are made of were computed exactly, and noise, \
             drawn at random, was added to each; quantiles were drawn at random among all values \
             between the bounds, those nearest to the exact one most likely"
        }
    };
    format!(
        "A plan, which must not be chosen by the data, says which numbers are published, of which \
         rows, and how much noise they have. {how}. Only the numbers with noise are published here."
    )
}

fn is_selected(statistic: &PublishedStatistic) -> bool {
    statistic.mechanism.starts_with("exponential")
}

fn errors(report: &Report) -> Vec<String> {
    let mut paragraphs = vec![
        ERRORS.to_owned(),
        format!(
            "Each ± holds with probability {}, for each number by itself: among many numbers some \
             are further off. It says nothing about errors in the data, nor, if they are a sample, \
             about chance in who was asked.",
            percent(&report.confidence)
        ),
    ];
    if report.statistics.iter().any(|one| one.cells.len() > 1) {
        paragraphs.push(
            "Numbers that stand out deserve the most doubt: among many, the largest and the \
             smallest are often those that noise moved the farthest."
                .to_owned(),
        );
    }
    let noisy = |statistic: &PublishedStatistic| statistic.cells.iter().any(|cell| cell.too_noisy);
    if report.statistics.iter().any(noisy) {
        paragraphs.push(
            "A number is marked as too noisy to say if its error allows everything that it could \
             be, or is larger than the number itself and than a tenth of what it could be."
                .to_owned(),
        );
    }
    paragraphs
}

/// The terms of the field, each with its meaning.
pub(super) fn formal(report: &Report) -> Vec<(&'static str, String)> {
    let mut mechanisms: Vec<&str> = Vec::new();
    for statistic in &report.statistics {
        if !mechanisms.contains(&statistic.mechanism.as_str()) {
            mechanisms.push(&statistic.mechanism);
        }
    }
    let mut terms = vec![(
        "Guarantee",
        format!(
            "{} with {}{}, added up by the accountant “{}”.",
            capitalised(definition(&report.loss)),
            report.loss,
            of_budget(report),
            report.accountant
        ),
    )];
    if let Some(unit) = report.notes.first() {
        terms.push(("Unit and neighbours", unit.clone()));
    }
    terms.push((
        "Mechanisms",
        format!(
            "{}. Noise is drawn exactly, on a public grid, and not in floating-point arithmetic.",
            mechanisms.join("; ")
        ),
    ));
    terms.push((
        "Limits and clamping",
        "Contributions of a unit are bounded, and values clamped, as stated with each number; both \
         by the plan, which is public and must not depend on the data: the guarantee holds for a \
         given plan.".to_owned(),
    ));
    terms.push((
        "Errors",
        format!(
            "Each ± is a {} confidence bound of noise, grid and rounding, for each number by \
             itself; it is no bound of bias from limits and clamping, of sampling error, nor of \
             errors in the data.",
            percent(&report.confidence)
        ),
    ));
    terms.extend(report_terms(report));
    terms
}

/// The definition of privacy that a loss is stated in, by its symbols.
pub(super) fn definition(loss: &str) -> &'static str {
    let is_approximate = loss.contains('δ');
    match (loss.chars().next(), is_approximate) {
        (Some('ε'), false) => "pure differential privacy",
        (Some('ε'), true) => "approximate differential privacy",
        (Some('ρ'), false) => "zero-concentrated differential privacy",
        (Some('ρ'), true) => "approximate zero-concentrated differential privacy",
        (Some('μ'), false) => "Gaussian differential privacy",
        (Some('μ'), true) => "approximate Gaussian differential privacy",
        _ => "differential privacy",
    }
}

pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// How to cite the release; nothing for a rehearsal.
pub(super) fn citation(report: &Report) -> Option<String> {
    let receipt = &report.receipt;
    let day = receipt.time.split('T').next().unwrap_or_default();
    (!report.invented).then(|| {
        format!(
            "{}. Published with {} ({}), {day}. {}; plan {}, ledger row {} ({}).",
            report.title,
            definition(&report.loss),
            report.loss,
            receipt.program,
            shortened(&receipt.plan, 16),
            receipt.ledger_row,
            shortened(&receipt.ledger_hash, 16),
        )
    })
}

/// The receipt: terms, each with its meaning.
pub(super) fn receipt(report: &Report) -> Vec<(&'static str, String)> {
    let receipt = &report.receipt;
    let data = receipt.data.as_deref().unwrap_or("not published");
    vec![
        ("Loss of the release", report.loss.clone()),
        ("Budget of the data", report.budget.clone()),
        ("Added up by", report.accountant.clone()),
        ("Plan", receipt.plan.clone()),
        ("Data", data.to_owned()),
        (
            "Ledger row",
            // A rehearsal has none.
            match report.invented {
                true => String::new(),
                false => receipt.ledger_row.to_string(),
            },
        ),
        ("Hash of the row", receipt.ledger_hash.clone()),
        ("Reserved at", receipt.time.clone()),
        ("Proof", receipt.certificate.clone()),
        ("Program", receipt.program.clone()),
    ]
}

/// The method as a text of 80 columns: the part for everybody, each statistic, how to cite it, the
/// receipt, and last the words of the field.
pub fn method(report: &Report) -> String {
    let mut lines = vec![METHOD_MARK.to_owned(), "=".repeat(METHOD_MARK.len())];
    lines.push(String::new());
    if report.invented {
        lines.extend(wrapped(INVENTED, 0));
        lines.push(String::new());
    }
    lines.push(shown(&report.title));
    for part in parts(report) {
        heading(&mut lines, part.title);
        for (index, paragraph) in part.paragraphs.iter().enumerate() {
            if index > 0 {
                lines.push(String::new());
            }
            lines.extend(prose(paragraph, 0));
        }
    }
    heading(&mut lines, "The statistics");
    for statistic in &report.statistics {
        let of = match statistic.about.is_empty() {
            true => String::new(),
            false => format!(" Of {}.", statistic.about.join("; ")),
        };
        let grid = match of_grid(&statistic.grid).as_str() {
            "" => String::new(),
            grid => format!("; values: {grid}"),
        };
        let text = format!(
            "{}:{of} Noise: {}; loss: {}{grid}.",
            label(&statistic.name, LONGEST),
            statistic.mechanism,
            statistic.loss
        );
        lines.extend(prose(&text, 2));
    }
    if let Some(citation) = citation(report) {
        heading(&mut lines, "How to cite this");
        lines.extend(prose(&citation, 0));
        heading(&mut lines, "Receipt");
        terms(&mut lines, &receipt(report));
    }
    heading(&mut lines, "In the words of the field");
    terms(&mut lines, &formal(report));
    if report.invented {
        lines.push(String::new());
        lines.extend(wrapped(INVENTED, 0));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn heading(lines: &mut Vec<String>, title: &str) {
    lines.push(String::new());
    lines.push(title.to_owned());
    lines.push("-".repeat(title.chars().count()));
}

fn terms(lines: &mut Vec<String>, terms: &[(&'static str, String)]) {
    for (term, meaning) in terms.iter().filter(|(_, meaning)| !meaning.is_empty()) {
        lines.extend(prose(&format!("{term}: {meaning}"), 0));
    }
}

fn prose(text: &str, indent: usize) -> Vec<String> {
    wrapped(&shortened(&visible(text), LONGEST_NOTE), indent)
}

/// `0.95` as `95 %`.
pub(super) fn percent(confidence: &str) -> String {
    match confidence.parse::<Rational>() {
        Ok(value) => format!("{} %", &value * &Rational::from(100i64)),
        Err(_) => visible(confidence).into_owned(),
    }
}
