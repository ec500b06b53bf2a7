//! Reports as one page: no scripts, no network, no fonts, light and dark, for screens, paper and
//! screen readers.

mod areas;
pub(crate) mod chart;
mod columns;
mod escape;
mod method;
mod svg;
mod table;

use lastbit_exact::{Rational, Rounding};

pub use escape::escape;
pub(crate) use escape::{marked, name, unbroken};
pub use svg::{rung, svg, tick};

use super::guess::About;
use super::method::capitalised;
use super::sentences::{INVENTED, NO_GROUP, TOO_NOISY, UNEVEN, guarantee, lead, terms};
use super::text::{error as error_text, error_with, label_header, what};
use super::vocabulary::of_grid;
use super::{Cell, Picture, PublishedStatistic, Report};
use crate::statistic::{Mark, Word};
use areas::Areas;
use chart::{Bar, Drawing};
use escape::{grouped, grouped_within};
use table::table;

/// What columns show that are as wide as their bins.
const AREAS: &str = "Bins are of different widths: the area of a column shows how many are in its \
                     bin, and its height how close together they lie.";

/// The most marks of a picture, and the most pictures of a statistic; the table has more.
const MOST_MARKS: usize = 60;
const MOST_PANELS: usize = 24;

/// The report as one HTML page.
pub fn html(report: &Report) -> String {
    let mark = match report.invented {
        true => format!("<p class=\"invented\" role=\"note\">{INVENTED}</p>\n"),
        false => String::new(),
    };
    let mut body = mark.clone();
    if report.invented {
        // On every page that is printed, behind the text.
        body += "<p class=\"watermark\" aria-hidden=\"true\">INVENTED</p>\n";
    }
    body += &format!(
        "<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n",
        name(&report.title),
        escape(&lead(report)).replace(" %", "&nbsp;%")
    );
    let notes = |about: About| {
        let notes = report.notes.iter();
        notes.filter(move |note| About::of(note) == about)
    };
    for note in notes(About::Loss) {
        body += &format!("<p>{}</p>\n", marked(note));
    }
    for note in notes(About::Warning) {
        body += &format!("<p class=\"invented\">{}</p>\n", marked(note));
    }
    body += &format!(
        "<details class=\"notes\">\n<summary>In the words of the field, and what \
         counts</summary>\n<ul>\n<li>{}</li>\n",
        unbroken(&guarantee(report))
    );
    for note in notes(About::Rest) {
        body += &format!("<li>{}</li>\n", marked(note));
    }
    body += "</ul>\n</details>\n";
    body += &contents(report);
    body += "</header>\n<main>\n";
    for (index, statistic) in report.statistics.iter().enumerate() {
        body += &section(report, statistic, index);
    }
    body += "</main>\n";
    body += &footer(report);
    body += &mark;
    let title = match report.invented {
        true => format!("Invented: {}", report.title),
        false => report.title.clone(),
    };
    document(&title, &body)
}

/// A whole page around a body, which is safe already. Its policy forbids everything except its own
/// style.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"lastbit\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n\
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

fn section(report: &Report, statistic: &PublishedStatistic, index: usize) -> String {
    let mut text = format!(
        "<section id=\"s{index}\" aria-labelledby=\"h{index}\">\n<h2 id=\"h{index}\">{}</h2>\n<p \
         class=\"about\">{}</p>\n{}",
        name(&statistic.name),
        about(statistic),
        rows_about(&statistic.about)
    );
    if let [cell] = statistic.cells.as_slice() {
        text += &format!(
            "<p class=\"headline\">{}{}{}</p>\n",
            label_before(statistic, cell),
            value(cell),
            error_after(cell, &statistic.unit)
        );
    } else if statistic.cells.is_empty() {
        text += &format!("<p class=\"withheld\">{NO_GROUP}</p>\n");
    } else {
        if statistic.picture == Picture::Bars {
            text += &pictures(statistic, index, report);
        }
        text += &table(statistic);
    }
    for term in terms(statistic, &report.confidence) {
        text += &format!(
            "<p class=\"about term\">{}</p>\n",
            grouped_within(&escape(&term))
        );
    }
    text + &receipt(report, statistic) + "</section>\n"
}

fn label_before(statistic: &PublishedStatistic, cell: &Cell) -> String {
    let mut parts: Vec<String> = cell.group.clone();
    if !cell.label.is_empty() {
        parts.push(match label_header(statistic) {
            "of" => cell.label.clone(),
            header => format!("{header} {}", cell.label),
        });
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("<span class=\"error\">{}:</span> ", name(&parts.join(", "))),
    }
}

/// The group as a heading; a number says little without its key: `ward 7`.
fn group_words(statistic: &PublishedStatistic, cell: &Cell) -> String {
    let keys = cell.group.iter().enumerate();
    let words = keys.map(|(index, key)| match statistic.by.get(index) {
        Some(by) if number(Some(key)).is_some() => format!("{} {key}", statistic.title(by)),
        _ => key.clone(),
    });
    words.collect::<Vec<_>>().join(chart::BETWEEN_KEYS)
}

/// "Mean of age by ward, in years."
fn about(statistic: &PublishedStatistic) -> String {
    let kind = capitalised(&statistic.kind);
    format!("{}.", what(statistic, &kind, &|text| name(text)))
}

/// Which rows the numbers are about.
pub(crate) fn rows_about(about: &[String]) -> String {
    if about.is_empty() {
        return String::new();
    }
    let phrases: Vec<String> = about.iter().map(|one| marked(one)).collect();
    format!("<p class=\"about\">Of {}.</p>\n", phrases.join("; "))
}

fn value(cell: &Cell) -> String {
    match &cell.value {
        Some(_) if cell.too_noisy => format!("<span class=\"withheld\">{TOO_NOISY}</span>"),
        Some(value) => grouped(value),
        None => "<span class=\"withheld\">withheld</span>".into(),
    }
}

/// The error as the page writes numbers.
pub(super) fn error_html(cell: &Cell) -> String {
    error_with(cell, &grouped, &escape).replace("± ", "±&nbsp;")
}

/// The unit and the error; the unit follows the number that it belongs to.
fn error_after(cell: &Cell, unit: &str) -> String {
    let unit = match unit.is_empty() || cell.value.is_none() {
        true => String::new(),
        false => format!(" <span class=\"error\">{}</span>", name(unit)),
    };
    let error = match &cell.error {
        Some(_) => format!(" <span class=\"error\">{}</span>", error_html(cell)),
        None => String::new(),
    };
    match cell.too_noisy {
        // Then the error includes the number itself.
        true => error + &unit,
        false => unit + &error,
    }
}

/// One picture, or for a grouped histogram or quantiles one for each group, on the same scale.
fn pictures(statistic: &PublishedStatistic, index: usize, report: &Report) -> String {
    let mark = Word::of(&statistic.kind).mark();
    let uneven = match (mark, &statistic.bins) {
        (Mark::Columns, Some(bins)) => bins.uneven().map(|_| Areas::of(bins, &statistic.unit)),
        _ => None,
    };
    let (drawing, of_bins) = match uneven {
        None => (Drawing::Marks(mark), ""),
        Some(None) => (Drawing::Marks(Mark::Bars), UNEVEN),
        Some(Some(areas)) => (Drawing::Areas(areas), AREAS),
    };
    let labelled = statistic.cells.iter().any(|cell| !cell.label.is_empty());
    let mut panels: Vec<(String, Vec<Bar>)> = Vec::new();
    let mut cut = false;
    for cell in &statistic.cells {
        let group = match labelled || cell.group.len() > 1 {
            true => group_words(statistic, cell),
            false => cell.group.concat(),
        };
        let (panel, label) = if labelled && !cell.group.is_empty() {
            (group, cell.label.clone())
        } else if labelled {
            (String::new(), cell.label.clone())
        } else {
            (String::new(), group)
        };
        let place = panels.iter().rposition(|(last, _)| *last == panel);
        let full = match place.map(|place| panels[place].1.len()) {
            Some(marks) => marks == MOST_MARKS,
            None => panels.len() == MOST_PANELS,
        };
        if full {
            cut = true;
            continue;
        }
        let bar = Bar {
            label,
            value: number(cell.value.as_deref()).filter(|_| !cell.too_noisy),
            // An error in ranks has no length on this scale.
            error: number(cell.error.as_deref()).filter(|_| cell.error_unit.is_empty()),
            text: match &cell.value {
                Some(_) if cell.too_noisy => "too noisy".into(),
                Some(value) => value.clone(),
                None => "withheld".into(),
            },
            error_text: error_text(cell),
        };
        let index = place.map_or(0, |place| panels[place].1.len());
        let bar = match &drawing {
            Drawing::Areas(areas) => areas.raised(index, bar),
            Drawing::Marks(_) => bar,
        };
        match place {
            Some(place) => panels[place].1.push(bar),
            None => panels.push((panel, vec![bar])),
        }
    }
    if panels
        .iter()
        .flat_map(|(_, bars)| bars)
        .all(|bar| bar.value.is_none())
    {
        // An axis without a mark says nothing.
        return String::new();
    }
    let all = statistic.cells.len();
    let ends = [&statistic.least, &statistic.most].map(|end| number(end.as_deref()));
    let scale = chart::scale(panels.iter().flat_map(|(_, bars)| bars), mark, ends);
    let mut text = String::from("<figure>\n");
    let many = panels.len() > 1;
    let mut unsaid = false;
    if many {
        text += "<div class=\"panels\">\n";
    }
    for (panel, (group, bars)) in panels.iter().enumerate() {
        let title = match group.is_empty() {
            true => statistic.name.clone(),
            false => format!("{}: {group}", statistic.name),
        };
        let id = format!("p{index}-{panel}");
        let mut draw = |id: &str, narrow| {
            let drawn = chart::draw(bars, &drawing, &scale, id, &title, narrow);
            unsaid |= drawn.contains(chart::UNSAID);
            drawn
        };
        if many {
            let drawn = draw(&id, true);
            text += &format!("<div>\n<h3>{}</h3>\n{drawn}</div>\n", name(group));
        } else {
            // One for wide screens and paper, and one for telephones, where the wide one would
            // shrink its letters.
            text += &format!(
                "<div class=\"wide\">\n{}</div>\n<div class=\"narrow\">\n{}</div>\n",
                draw(&id, false),
                draw(&format!("{id}-n"), true)
            );
        }
    }
    if many {
        text += "</div>\n";
    }
    let shown: usize = panels.iter().map(|(_, bars)| bars.len()).sum();
    let part = match cut {
        true => grouped_within(&format!(" The picture shows {shown} of {all} numbers.")),
        false => String::new(),
    };
    let unsaid = match unsaid {
        true => " A question mark stands for a number that is too noisy to say, or withheld.",
        false => "",
    };
    text + &format!(
        "<figcaption>{} {of_bins} The table has the numbers.{unsaid}{part}</figcaption>\n\
         </figure>\n",
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

fn receipt(report: &Report, statistic: &PublishedStatistic) -> String {
    // A rehearsal has no ledger.
    let row = match report.invented {
        true => String::new(),
        false => report.receipt.ledger_row.to_string(),
    };
    let rows = [
        ("Mechanism", statistic.mechanism.as_str()),
        ("Loss", &statistic.loss),
        ("Grid of values", &of_grid(&statistic.grid)),
        ("Proof", &report.receipt.certificate),
        ("Ledger row", &row),
        ("Plan", &report.receipt.plan),
    ];
    format!(
        "<details class=\"receipt\">\n<summary>Receipt</summary>\n{}</details>\n",
        definitions(&rows)
    )
}

fn footer(report: &Report) -> String {
    format!("<footer>\n{}</footer>\n", method::method(report))
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
    escape(&super::method::percent(confidence)).replace(' ', "&nbsp;")
}
