//! Reports as one page: no scripts, no network, no fonts, light and dark, for screens, paper and readers of screens.

pub(crate) mod chart;
mod escape;
mod table;

use lastbit_exact::{Rational, Rounding};

pub(crate) use escape::{escape, name};

use super::clean::shortened;
use super::text::error as error_text;
use super::{Cell, Picture, Report, Statistic};
use chart::{Bar, Shape};
use escape::grouped;
use table::table;

/// The most marks of a picture, and the most pictures of a statistic; the table has more.
const MOST_MARKS: usize = 60;
const MOST_PANELS: usize = 24;

/// The report as one HTML page.
pub fn html(report: &Report) -> String {
    let mut body = format!(
        "<header>\n<h1>{}</h1>\n<p class=\"lead\">Published with differential privacy, {}. Every ± is the error at {} confidence.</p>\n",
        name(&report.title),
        escape(&report.loss),
        percent(&report.confidence)
    );
    if !report.notes.is_empty() {
        body += "<ul class=\"notes\">\n";
        for note in &report.notes {
            body += &format!("<li>{}</li>\n", name(note));
        }
        body += "</ul>\n";
    }
    body += &contents(report);
    body += "</header>\n<main>\n";
    for (index, statistic) in report.statistics.iter().enumerate() {
        body += &section(report, statistic, index);
    }
    body += "</main>\n";
    body += &footer(report);
    document(&report.title, &body)
}

/// A whole page around a body. The policy forbids everything but the style that is in it.
pub(crate) fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n\
         <body>\n{body}</body>\n</html>\n",
        escape(title),
        include_str!("style.css")
    )
}

/// A published number for drawing; `None` if there is none.
pub(crate) fn number(text: Option<&str>) -> Option<f64> {
    let value: Rational = text?.parse().ok()?;
    Some(value.to_f64(Rounding::NearestEven)).filter(|value| value.is_finite())
}

fn contents(report: &Report) -> String {
    if report.statistics.len() < 4 {
        return String::new();
    }
    let mut list = String::from("<nav aria-label=\"Statistics\">\n<ul>\n");
    for (index, statistic) in report.statistics.iter().enumerate() {
        list += &format!(
            "<li><a href=\"#s{index}\">{}</a></li>\n",
            name(&statistic.name)
        );
    }
    list + "</ul>\n</nav>\n"
}

fn section(report: &Report, statistic: &Statistic, index: usize) -> String {
    let mut text = format!(
        "<section id=\"s{index}\" aria-labelledby=\"h{index}\">\n<h2 id=\"h{index}\">{}</h2>\n<p class=\"about\">{}</p>\n",
        name(&statistic.name),
        about(statistic)
    );
    if let [cell] = statistic.cells.as_slice() {
        text += &format!(
            "<p class=\"headline\">{}{}{}</p>\n",
            label_before(cell),
            value(cell),
            error_after(cell, &statistic.unit)
        );
    } else if statistic.cells.is_empty() {
        text += "<p class=\"withheld\">No group was large enough to be published.</p>\n";
    } else {
        if statistic.picture == Picture::Bars {
            text += &pictures(statistic, index, report);
        }
        text += &table(statistic);
    }
    text + &receipt(report, statistic) + "</section>\n"
}

fn label_before(cell: &Cell) -> String {
    let mut parts: Vec<&str> = cell.group.iter().map(String::as_str).collect();
    parts.extend(Some(cell.label.as_str()).filter(|label| !label.is_empty()));
    match parts.is_empty() {
        true => String::new(),
        false => format!("<span class=\"error\">{}:</span> ", name(&parts.join(", "))),
    }
}

/// "Mean of age by ward, in years."
fn about(statistic: &Statistic) -> String {
    let list = |names: &[String]| {
        names
            .iter()
            .map(|one| name(one))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut kind = statistic.kind.chars();
    let mut text = match kind.next() {
        Some(first) => escape(&format!("{}{}", first.to_uppercase(), kind.as_str())),
        None => String::new(),
    };
    if !statistic.of.is_empty() {
        text += &format!(" of {}", list(&statistic.of));
    }
    if !statistic.by.is_empty() {
        text += &format!(" by {}", list(&statistic.by));
    }
    if !statistic.unit.is_empty() {
        text += &format!(", in {}", name(&statistic.unit));
    }
    text + "."
}

fn value(cell: &Cell) -> String {
    match &cell.value {
        Some(value) => grouped(value),
        None => "<span class=\"withheld\">withheld</span>".into(),
    }
}

fn error_after(cell: &Cell, unit: &str) -> String {
    let mut text = match &cell.error {
        Some(_) => format!(
            " <span class=\"error\">{}</span>",
            escape(&error_text(cell))
        ),
        None => String::new(),
    };
    if !unit.is_empty() && cell.value.is_some() {
        text += &format!(" <span class=\"error\">{}</span>", name(unit));
    }
    text
}

/// Counts, sums and histograms are amounts, seen from zero; the rest are places on a scale.
fn shape(statistic: &Statistic) -> Shape {
    match statistic.kind.as_str() {
        "histogram" => Shape::Columns,
        "count" | "sum" => Shape::Bars,
        _ => Shape::Dots,
    }
}

/// One picture, or for a grouped histogram or quantiles one for each group, on the same scale.
fn pictures(statistic: &Statistic, index: usize, report: &Report) -> String {
    let shape = shape(statistic);
    let labelled = statistic.cells.iter().any(|cell| !cell.label.is_empty());
    let mut panels: Vec<(String, Vec<Bar>)> = Vec::new();
    for cell in &statistic.cells {
        let group = cell.group.join(" · ");
        let (panel, label) = if labelled && !cell.group.is_empty() {
            (group, cell.label.clone())
        } else if labelled {
            (String::new(), cell.label.clone())
        } else {
            (String::new(), group)
        };
        let bar = Bar {
            label,
            value: number(cell.value.as_deref()),
            // An error in ranks is no length on this scale.
            error: number(cell.error.as_deref()).filter(|_| cell.error_unit.is_empty()),
            text: cell.value.clone().unwrap_or_else(|| "withheld".into()),
            error_text: error_text(cell),
        };
        match panels.last_mut() {
            Some((last, bars)) if *last == panel => bars.push(bar),
            _ => panels.push((panel, vec![bar])),
        }
    }
    let all: usize = panels.iter().map(|(_, bars)| bars.len()).sum();
    let cut = panels.len() > MOST_PANELS || panels.iter().any(|(_, bars)| bars.len() > MOST_MARKS);
    panels.truncate(MOST_PANELS);
    for (_, bars) in &mut panels {
        bars.truncate(MOST_MARKS);
    }
    let scale = chart::scale(panels.iter().flat_map(|(_, bars)| bars), shape);
    let mut text = String::from("<figure>\n");
    let many = panels.len() > 1;
    if many {
        text += "<div class=\"panels\">\n";
    }
    for (panel, (group, bars)) in panels.iter().enumerate() {
        let title = match group.is_empty() {
            true => statistic.name.clone(),
            false => format!("{}: {group}", statistic.name),
        };
        let id = format!("p{index}-{panel}");
        let drawn = chart::draw(bars, shape, &scale, &id, &title, many);
        if many {
            text += &format!(
                "<div>\n<h3>{}</h3>\n{drawn}</div>\n",
                name(&shortened(group, 80))
            );
        } else {
            text += &drawn;
        }
    }
    if many {
        text += "</div>\n";
    }
    let shown: usize = panels.iter().map(|(_, bars)| bars.len()).sum();
    let part = match cut {
        true => format!(" The picture shows {shown} of {all} numbers."),
        false => String::new(),
    };
    text + &format!(
        "<figcaption>{} The table has the same numbers.{part}</figcaption>\n</figure>\n",
        match panels
            .iter()
            .flat_map(|(_, bars)| bars)
            .any(|bar| bar.error.is_some())
        {
            true => format!(
                "Whiskers are errors at {} confidence.",
                percent(&report.confidence)
            ),
            false => String::new(),
        }
    )
}

fn receipt(report: &Report, statistic: &Statistic) -> String {
    let row = report.receipt.ledger_row.to_string();
    let rows = [
        ("Mechanism", statistic.mechanism.as_str()),
        ("Loss", &statistic.loss),
        ("Grid of values", &statistic.grid),
        ("Proof", &report.receipt.certificate),
        ("Ledger row", &row),
        ("Plan", &report.receipt.plan),
    ];
    format!(
        "<details>\n<summary>Receipt</summary>\n{}</details>\n",
        definitions(&rows)
    )
}

fn footer(report: &Report) -> String {
    let receipt = &report.receipt;
    let row = receipt.ledger_row.to_string();
    let rows = [
        ("Loss of the release", report.loss.as_str()),
        ("Added up by", &report.accountant),
        ("Plan", &receipt.plan),
        ("Data", receipt.data.as_deref().unwrap_or("not published")),
        ("Ledger row", &row),
        ("Hash of the row", &receipt.ledger_hash),
        ("Reserved at", &receipt.time),
        ("Proof", &receipt.certificate),
        ("Program", &receipt.program),
    ];
    format!(
        "<footer>\n<h2>How to read this</h2>\n<p>Random noise was added to every number, so that what is published would be about as likely \
         without any one person in the data. The exact value lies within the ± of the published one with probability {}, for each number by \
         itself.</p>\n<details>\n<summary>Receipt of the release</summary>\n{}</details>\n</footer>\n",
        percent(&report.confidence),
        definitions(&rows)
    )
}

fn definitions(rows: &[(&str, &str)]) -> String {
    let mut text = String::from("<dl>\n");
    for (term, meaning) in rows.iter().filter(|(_, meaning)| !meaning.is_empty()) {
        text += &format!("<dt>{term}</dt><dd><code>{}</code></dd>\n", escape(meaning));
    }
    text + "</dl>\n"
}

/// `0.95` as `95 %`.
fn percent(confidence: &str) -> String {
    match confidence.parse::<Rational>() {
        Ok(value) => format!("{}&nbsp;%", &value * &Rational::from(100i64)),
        Err(_) => escape(confidence),
    }
}
