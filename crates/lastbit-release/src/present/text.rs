//! Reports for a terminal.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

use super::bar::bar;
use super::guess::About;
use super::html::number;
use super::sentences::{INVENTED, NO_GROUP, TOO_NOISY, UNEVEN, guarantee, lead, terms};
use super::vocabulary::report_terms;
use super::wrap::{WIDTH, wrapped_within};
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
    for (term, meaning) in report_terms(report) {
        add(Style::Plain, wrapped(&format!("{term}: {meaning}"), 2));
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

fn name(text: &str) -> String {
    label(text, LONGEST).into_owned()
}

/// `mean of age weighted by days by ward, in years`, with the kind and names written by the caller.
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
    if let Some(weights) = &statistic.weights {
        text += &format!(" weighted by {}", name(statistic.title(weights)));
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
            let head = name(label_header(statistic));
            width(&|cell| name(&cell.label), head.chars().count())
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
        header.push(name(label_header(statistic)));
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
            let share = match drawn {
                Some(value) if longest > 0.0 => value / longest,
                _ => 0.0,
            };
            row.push(bar(share, bar_width));
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

/// The heading of a statistic's labels: categories are headed by their column.
pub(super) fn label_header(statistic: &PublishedStatistic) -> &str {
    match (Word::of(&statistic.kind).label(), statistic.of.as_slice()) {
        ("of", [of]) => statistic.title(of),
        (header, _) => header,
    }
}

fn value(cell: &Cell) -> String {
    match &cell.value {
        Some(_) if cell.too_noisy => TOO_NOISY.into(),
        Some(value) => visible(value).into_owned(),
        None => "withheld".into(),
    }
}

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
