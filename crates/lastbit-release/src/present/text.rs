//! Reports for a terminal.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use lastbit_exact::Rational;

use super::guess::About;
use super::html::number;
use super::method::{capitalised, definition, percent};
use super::noisy::bound;
use super::{Cell, Picture, PublishedStatistic, Receipt, Report};
use crate::clean::{label, shortened, shown, visible};
use crate::statistic::{Mark, Word};

/// The most lines of one statistic; the other forms have more.
const MOST_LINES: usize = 200;

/// The longest name, in characters. Names are broken over lines where they do not fit.
const LONGEST: usize = 200;

/// The longest note, in characters.
const LONGEST_NOTE: usize = 2000;

/// The width of the longest bar, and the least that is worth drawing.
const BAR: usize = 24;
const LEAST_BAR: usize = 8;

/// The least width of a column of names.
const LEAST_NAME: usize = 12;

/// The width that text is broken for if nothing else is said, and the widest that is easy to read.
const WIDTH: usize = 80;
const WIDEST_PROSE: usize = 100;

/// The narrowest text, in columns.
const NARROWEST: usize = 40;

/// How a part of a text is shown in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// As it is.
    Plain,
    /// A title.
    Strong,
    /// A bar.
    Bar,
    /// What must not be overlooked.
    Warning,
}

/// The report as tables: value ± error, with a bar if one helps.
pub fn text(report: &Report) -> String {
    let parts = styled_text(report);
    parts.iter().map(|(_, part)| part.as_str()).collect()
}

/// [`text`] in parts, each with its style.
pub fn styled_text(report: &Report) -> Vec<(Style, String)> {
    styled_text_within(report, WIDTH)
}

/// [`styled_text`] for a terminal of so many columns: tables may take all of them.
pub fn styled_text_within(report: &Report, width: usize) -> Vec<(Style, String)> {
    let width = width.max(NARROWEST);
    let wrapped = |text: &str, indent| wrapped_within(text, indent, width);
    let mut lines: Vec<(Style, String)> = Vec::new();
    let mut add = |style: Style, more: Vec<String>| {
        lines.extend(more.into_iter().map(|line| (style, line)));
    };
    let invented = || match report.invented {
        true => wrapped(INVENTED, 0),
        false => vec![],
    };
    add(Style::Warning, invented());
    add(Style::Strong, vec![shown(&report.title)]);
    add(Style::Plain, wrapped(&visible(&lead(report)), 0));
    let note = |note: &str| wrapped(&shortened(&visible(note), LONGEST_NOTE), 0);
    for (about, style) in [
        (About::Loss, Style::Plain),
        (About::Warning, Style::Warning),
    ] {
        for one in report.notes.iter().filter(|one| About::of(one) == about) {
            add(style, note(one));
        }
    }
    for statistic in &report.statistics {
        add(Style::Plain, vec![String::new()]);
        add(Style::Strong, wrapped(&heading(statistic), 0));
        if !statistic.about.is_empty() {
            let about: Vec<_> = statistic.about.iter().map(|one| visible(one)).collect();
            add(
                Style::Plain,
                wrapped(&format!("of {}", about.join("; ")), 2),
            );
        }
        match statistic.cells.is_empty() {
            true => add(Style::Plain, wrapped(NO_GROUP, 2)),
            false => add(
                Style::Bar,
                table(statistic, width).lines().map(str::to_owned).collect(),
            ),
        }
        let mut terms = terms(statistic, &report.confidence);
        let is_histogram = Word::of(&statistic.kind).mark() == Mark::Columns;
        if is_histogram
            && statistic
                .bins
                .as_ref()
                .is_some_and(|bins| bins.uneven().is_some())
        {
            terms.push(UNEVEN.to_owned());
        }
        for term in terms {
            add(Style::Plain, wrapped(&term, 2));
        }
        let more = statistic.cells.len().saturating_sub(MOST_LINES);
        if more > 0 {
            add(
                Style::Plain,
                vec![format!(
                    "… and {more} more: write the report as JSON, CSV or Parquet to see them"
                )],
            );
        }
    }
    add(Style::Plain, vec![String::new()]);
    add(Style::Plain, vec!["In the words of the field".to_owned()]);
    add(Style::Plain, wrapped(&visible(&guarantee(report)), 2));
    for one in report
        .notes
        .iter()
        .filter(|one| About::of(one) == About::Rest)
    {
        let one = shortened(&visible(one), LONGEST_NOTE).into_owned();
        add(Style::Plain, wrapped(&one, 2));
    }
    match report.invented {
        false => add(Style::Plain, wrapped(&receipt(&report.receipt), 0)),
        true => add(Style::Warning, invented()),
    }
    let parts = lines.into_iter().flat_map(|(style, line)| match style {
        // In the line of a table, only the bar.
        Style::Bar => {
            let bar = line.trim_end_matches(is_of_bar).len();
            let (cells, bar) = line.split_at(bar);
            [
                (Style::Plain, cells.to_owned()),
                (Style::Bar, bar.to_owned()),
                (Style::Plain, "\n".to_owned()),
            ]
        }
        style => [
            (style, line),
            (Style::Plain, String::new()),
            (Style::Plain, "\n".to_owned()),
        ],
    });
    parts.filter(|(_, part)| !part.is_empty()).collect()
}

/// What everybody should know who reads the numbers.
pub(super) fn lead(report: &Report) -> String {
    format!(
        "Noise was added to these numbers on purpose, so that they give away little about any \
         single one of those that they are about. ± says how far noise and rounding may have moved \
         a number: {} of the time no further, for each number by itself. It does not cover rows \
         that are left out, nor cells cut to their bounds.",
        percent(&report.confidence)
    )
}

/// The guarantee, in the words of the field.
pub(super) fn guarantee(report: &Report) -> String {
    format!(
        "{} with {}{}; losses added up by {}.",
        capitalised(definition(&report.loss)),
        report.loss,
        of_budget(report),
        report.accountant
    )
}

/// `, of a budget of ε = 2 for all releases about these data`; empty if the report does not say.
pub(super) fn of_budget(report: &Report) -> String {
    match report.budget.as_str() {
        "" => String::new(),
        budget if budget == report.loss => ", which is the whole budget of these data".to_owned(),
        budget => format!(", of a budget of {budget} for all releases about these data"),
    }
}

fn is_of_bar(c: char) -> bool {
    ('▉'..='▏').contains(&c) || c == '█'
}

fn receipt(receipt: &Receipt) -> String {
    format!(
        "receipt: plan {}, ledger row {} ({}), {}",
        shortened(&visible(&receipt.plan), 16),
        receipt.ledger_row,
        shortened(&visible(&receipt.ledger_hash), 16),
        visible(&receipt.time)
    )
}

/// The meaning of the words that replace numbers in a statistic.
pub(super) fn terms(statistic: &PublishedStatistic, confidence: &str) -> Vec<String> {
    let any = |is: fn(&Cell) -> bool| statistic.cells.iter().any(is);
    let mut terms = Vec::new();
    if any(|cell| cell.too_noisy) {
        let mut term = "Too noisy to say: the error is larger than the number, or allows \
                        everything that it could be."
            .to_owned();
        let mut bounds = statistic
            .cells
            .iter()
            .filter_map(|cell| bound(statistic, cell));
        if let Some(bound) = bounds.next() {
            term += &format!(" It is still a bound, such as: {bound}.");
        }
        terms.push(term);
    }
    terms.extend(by_chance(statistic, confidence));
    let at_end = |cell: &Cell| is_at_end(statistic, cell);
    if Word::of(&statistic.kind).is_within_bounds() && statistic.cells.iter().any(at_end) {
        terms.push(
            "A value at a bound of its column may lie beyond it: cells are cut there, here perhaps \
             most of them."
                .to_owned(),
        );
    }
    if any(|cell| cell.value.is_none()) {
        let why = Word::of(&statistic.kind).withheld();
        terms.push(format!("Withheld: {why}."));
    }
    terms
}

/// Whether a number is a bound of its column, or as near to one as its error, which is small: at
/// most a twentieth of what the bounds allow.
fn is_at_end(statistic: &PublishedStatistic, cell: &Cell) -> bool {
    let number = |text: &Option<String>| text.as_deref()?.parse::<Rational>().ok();
    let (Some(value), false) = (&cell.value, cell.too_noisy) else {
        return false;
    };
    let mut ends = [&statistic.least, &statistic.most].into_iter().flatten();
    let (least, most) = (number(&statistic.least), number(&statistic.most));
    let (Some(value), Some(least), Some(most)) = (number(&cell.value), least, most) else {
        // Dates and times are compared as they are written.
        return ends.any(|end| end == value);
    };
    let distance = (&value - &least).min(&most - &value);
    let error = match cell.error_unit.is_empty() {
        true => number(&cell.error).unwrap_or(Rational::ZERO),
        false => Rational::ZERO,
    };
    distance <= error && &error * &Rational::from(20u64) <= &most - &least
}

/// Where most numbers are too noisy to say: the others may be so by chance alone. A number is shown
/// if noise carried it away from what says nothing, so that a wrong one is shown more often.
fn by_chance(statistic: &PublishedStatistic, confidence: &str) -> Option<String> {
    let all = statistic.cells.len();
    let is_said = |cell: &&Cell| cell.value.is_some() && !cell.too_noisy;
    let said = statistic.cells.iter().filter(is_said).count();
    let confidence: Rational = confidence.parse().ok()?;
    let chance = &(Rational::ONE - confidence) * &Rational::from(all as u64);
    // So many may be wrong as are a fifth of those that are said.
    let is_doubtful = &chance * &Rational::from(5u64) >= Rational::from(said as u64);
    (all > 1 && said > 0 && said < all && is_doubtful).then(|| {
        format!(
            "Of {all} numbers only {said} {}. Do not take that for a finding: of so many, some \
             are further off than their ± by chance, and just those stand out.",
            match said {
                1 => "is not too noisy to say",
                _ => "are not too noisy to say",
            }
        )
    })
}

/// Printed at both ends of a rehearsal.
pub(crate) const INVENTED: &str = "INVENTED: a rehearsal. These numbers are about rows that the \
                                   plan alone made up, and about nobody; no data were read and \
                                   nothing was spent.";

/// What an empty table of discovered groups means.
pub(crate) const NO_GROUP: &str = "No group was large enough to be shown, with the noise. That \
                                   does not say that there is none: smaller groups are not shown.";

/// What bars of bins show that differ in width.
pub(crate) const UNEVEN: &str = "Bins are of different widths: a bar shows how many are in its \
                                 bin, not how close together they lie.";

/// What every error is, and is not.
pub(crate) const ERRORS: &str = "± is the error of noise and rounding, over the rows that count; \
                                 it does not cover rows that are left out, nor cells cut to their \
                                 bounds.";

/// Lines of at most 80 characters, broken at spaces, each indented by so many spaces. A longer word
/// has a line of its own.
pub fn wrapped(text: &str, indent: usize) -> Vec<String> {
    wrapped_within(text, indent, WIDTH)
}

/// [`wrapped`] for a terminal of so many columns; prose takes at most a hundred of them.
pub fn wrapped_within(text: &str, indent: usize, columns: usize) -> Vec<String> {
    let most = columns.min(WIDEST_PROSE);
    let mut lines: Vec<String> = Vec::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if width + 1 + length <= most => {
                line.push(' ');
                line.push_str(word);
                width += 1 + length;
            }
            _ => {
                lines.push(format!("{}{word}", " ".repeat(indent)));
                width = indent + length;
            }
        }
    }
    lines
}

fn name(text: &str) -> String {
    label(text, LONGEST).into_owned()
}

/// `mean of age by ward, in years`, with the kind and names written by the caller.
pub(super) fn what(
    statistic: &PublishedStatistic,
    kind: &str,
    name: &dyn Fn(&str) -> String,
) -> String {
    let list = |texts: &[String]| {
        let names = texts.iter().map(|text| name(statistic.title(text)));
        names.collect::<Vec<String>>().join(", ")
    };
    let mut text = name(kind);
    match statistic.of.as_slice() {
        [] => {}
        [of, on @ ..] if !on.is_empty() && Word::of(&statistic.kind).is_of_one() => {
            text += &format!(" of {} on {}", name(statistic.title(of)), list(on));
        }
        of => text += &format!(" of {}", list(of)),
    }
    if !statistic.by.is_empty() && statistic.by != statistic.of {
        text += &format!(" by {}", list(&statistic.by));
    }
    if !statistic.unit.is_empty() && statistic.unit != statistic.kind {
        text += &format!(", in {}", name(&statistic.unit));
    }
    text
}

/// `mean age: mean of age by ward, in years (snapping, ε = 0.1)`.
fn heading(statistic: &PublishedStatistic) -> String {
    let what = what(statistic, &statistic.kind, &|text| name(text));
    format!("{}: {what}", name(&statistic.name))
        + &format!(
            " ({}, {})",
            visible(&statistic.mechanism),
            visible(&statistic.loss)
        )
}

fn table(statistic: &PublishedStatistic, columns: usize) -> String {
    let labelled = statistic.cells.iter().any(|cell| !cell.label.is_empty());
    let bars = statistic.picture == Picture::Bars && statistic.cells.len() > 1;
    let longest = statistic
        .cells
        .iter()
        .take(MOST_LINES)
        .filter_map(|cell| number(cell.value.as_deref()))
        .fold(0.0, f64::max);
    let shown = || statistic.cells.iter().take(MOST_LINES);
    let width = |of: &dyn Fn(&Cell) -> String, head: usize| {
        let widths = shown().map(|cell| of(cell).chars().count());
        widths.max().unwrap_or(0).max(head)
    };
    let names: Vec<usize> = (0..statistic.by.len())
        .map(|key| {
            let of = |cell: &Cell| cell.group.get(key).map_or(String::new(), |one| name(one));
            let head = name(statistic.title(&statistic.by[key]));
            width(&of, head.chars().count())
        })
        .chain(labelled.then(|| {
            let head = label_header(statistic).chars().count();
            width(&|cell| name(&cell.label), head)
        }))
        .collect();
    let numbers = width(&value, "value".len()) + width(&error, "± error".len());
    let bar_width = bar_width(&names, numbers, columns);
    let bars = bars && bar_width > 0;
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(columns - 1).unwrap_or(u16::MAX));
    let keys = statistic.by.iter();
    let mut header: Vec<String> = keys.map(|key| name(statistic.title(key))).collect();
    if labelled {
        header.push(label_header(statistic).into());
    }
    let values = header.len();
    header.extend(["value".into(), "± error".into()]);
    if bars {
        header.push(String::new());
    }
    table.set_header(header);
    for cell in statistic.cells.iter().take(MOST_LINES) {
        let mut row: Vec<String> = (0..statistic.by.len())
            .map(|key| cell.group.get(key).map_or(String::new(), |one| name(one)))
            .collect();
        if labelled {
            row.push(name(&cell.label));
        }
        row.push(value(cell));
        row.push(error(cell));
        if bars {
            let drawn = number(cell.value.as_deref()).filter(|_| !cell.too_noisy);
            row.push(bar(drawn, longest, bar_width));
        }
        table.add_row(row);
    }
    // Names give way to numbers and bars, if there is room for names at all.
    let is_tight = numbers + 2 * (names.len() + 3) + LEAST_NAME * names.len() >= columns;
    for place in values..values + 3 {
        if let Some(column) = table.column_mut(place) {
            if place < values + 2 {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if !is_tight {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
    }
    table
        .to_string()
        .lines()
        .map(|line| format!(" {}", line.trim_end()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// How long bars may be beside names and numbers of these widths; zero if there is no room.
fn bar_width(names: &[usize], numbers: usize, columns: usize) -> usize {
    // Two spaces around each column.
    let room = (columns - 1).saturating_sub(numbers + 2 * (names.len() + 3));
    let all: usize = names.iter().sum();
    if room >= all + LEAST_BAR {
        return (room - all).min(BAR);
    }
    match room >= names.len() * LEAST_NAME + LEAST_BAR {
        true => LEAST_BAR,
        false => 0,
    }
}

/// The heading of a statistic's labels.
pub(super) fn label_header(statistic: &PublishedStatistic) -> &'static str {
    Word::of(&statistic.kind).label()
}

fn value(cell: &Cell) -> String {
    match &cell.value {
        Some(_) if cell.too_noisy => TOO_NOISY.into(),
        Some(value) => visible(value).into_owned(),
        None => "withheld".into(),
    }
}

/// Shown instead of a number that says nothing; the number itself is shown beside it.
pub(crate) const TOO_NOISY: &str = "too noisy to say";

/// `± 0.3`, `[31, 44], ± 12 rows in rank`, or empty; with the number itself if that is too noisy:
/// `0.1 ± 0.3`, `37 in [18, 100], ± 12 rows in rank`.
pub(super) fn error(cell: &Cell) -> String {
    let clean = |text: &str| visible(text).into_owned();
    error_with(cell, &clean, &clean)
}

/// [`error`], with numbers and words written by the caller.
pub(super) fn error_with(
    cell: &Cell,
    number: &dyn Fn(&str) -> String,
    word: &dyn Fn(&str) -> String,
) -> String {
    let bare = match &cell.error {
        Some(error) if cell.error_unit.is_empty() => format!("± {}", number(error)),
        Some(error) => format!("± {} {}", number(error), word(&cell.error_unit)),
        None => String::new(),
    };
    // The number itself, if it is not shown as the value.
    let own = match (&cell.value, cell.too_noisy) {
        (Some(value), true) => number(value),
        _ => String::new(),
    };
    match (&cell.lower, &cell.upper) {
        (Some(lower), Some(upper)) => {
            let interval = format!("[{}, {}]", number(lower), number(upper));
            let own = match own.is_empty() {
                true => interval,
                false => format!("{own} in {interval}"),
            };
            match bare.is_empty() {
                true => own,
                false => format!("{own}, {bare}"),
            }
        }
        _ if own.is_empty() => bare,
        _ => format!("{own} {bare}"),
    }
}

fn bar(value: Option<f64>, longest: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = match value {
        Some(value) if longest > 0.0 => (value / longest).clamp(0.0, 1.0),
        _ => 0.0,
    };
    let eighths = (share * (8 * width) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}
