//! Tables of numbers: one row for each number, or for each label with the groups side by side.

use super::escape::{escape, grouped, name};
use super::{error_html, group_words, value};
use crate::present::text::label_header;
use crate::present::{Cell, PublishedStatistic};

/// The most rows of a table; the other forms have more.
const MOST_ROWS: usize = 1000;

/// The most groups side by side.
const MOST_BESIDE: usize = 4;

/// The numbers of a statistic with their errors.
pub(super) fn table(statistic: &PublishedStatistic) -> String {
    let (rows, body) = match beside(statistic) {
        Some(groups) => (groups[0].len(), wide(statistic, &groups)),
        None => (statistic.cells.len(), long(statistic)),
    };
    let mut text = format!(
        "<div class=\"scroll\">\n<table aria-label=\"{}\">\n{body}</table>\n</div>\n",
        escape(&statistic.name)
    );
    let more = rows.saturating_sub(MOST_ROWS);
    if more > 0 {
        text += &format!(
            "<p class=\"about\">… and {} more rows, in the report as JSON or CSV.</p>\n",
            grouped(&more.to_string())
        );
    }
    text
}

/// The cells by group, if there are at least one and at most [`MOST_BESIDE`] groups, with the same
/// two or more labels in the same order.
fn beside(statistic: &PublishedStatistic) -> Option<Vec<&[Cell]>> {
    if statistic.by.is_empty() {
        return None;
    }
    let same_group = |a: &Cell, b: &Cell| a.group == b.group;
    let groups: Vec<&[Cell]> = statistic
        .cells
        .chunk_by(same_group)
        .take(MOST_BESIDE + 1)
        .collect();
    let labels =
        |group: &[Cell]| -> Vec<String> { group.iter().map(|cell| cell.label.clone()).collect() };
    let (first, rest) = groups.split_first()?;
    let fits = groups.len() <= MOST_BESIDE
        && first.len() > 1
        && rest.iter().all(|group| labels(group) == labels(first));
    fits.then_some(groups)
}

fn wide(statistic: &PublishedStatistic, groups: &[&[Cell]]) -> String {
    let mut text = format!(
        "<thead>\n<tr><th scope=\"col\" rowspan=\"2\">{}</th>",
        name(label_header(statistic))
    );
    for group in groups {
        let group = group
            .first()
            .map_or(String::new(), |cell| group_words(statistic, cell));
        text += &format!(
            "<th scope=\"colgroup\" colspan=\"2\" class=\"group\">{}</th>",
            name(&group)
        );
    }
    text += "</tr>\n<tr>";
    for _ in groups {
        text += &number_heads(statistic);
    }
    text += "</tr>\n</thead>\n<tbody>\n";
    let (first, _) = groups.split_at(1);
    for (row, cell) in first
        .iter()
        .flat_map(|group| group.iter())
        .enumerate()
        .take(MOST_ROWS)
    {
        text += &format!("<tr><th scope=\"row\">{}</th>", name(&cell.label));
        for cell in groups.iter().filter_map(|group| group.get(row)) {
            text += &number(cell);
        }
        text += "</tr>\n";
    }
    text + "</tbody>\n"
}

fn long(statistic: &PublishedStatistic) -> String {
    let labelled = statistic.cells.iter().any(|cell| !cell.label.is_empty());
    let mut text = String::from("<thead>\n<tr>");
    for key in &statistic.by {
        text += &format!("<th scope=\"col\">{}</th>", name(statistic.title(key)));
    }
    if labelled {
        text += &format!("<th scope=\"col\">{}</th>", name(label_header(statistic)));
    }
    text += &number_heads(statistic);
    text += "</tr>\n</thead>\n<tbody>\n";
    for cell in statistic.cells.iter().take(MOST_ROWS) {
        text += "<tr>";
        for key in 0..statistic.by.len() {
            let group = cell.group.get(key).map_or("", String::as_str);
            text += &format!("<th scope=\"row\">{}</th>", name(group));
        }
        if labelled {
            text += &format!("<th scope=\"row\">{}</th>", name(&cell.label));
        }
        text += &format!("{}</tr>\n", number(cell));
    }
    text + "</tbody>\n"
}

fn number_heads(statistic: &PublishedStatistic) -> String {
    let unit = match statistic.unit.as_str() {
        "" => String::new(),
        unit => format!(" ({})", name(unit)),
    };
    format!(
        "<th scope=\"col\" class=\"value\">value{unit}</th><th scope=\"col\" class=\"error\">± \
         error</th>"
    )
}

fn number(cell: &Cell) -> String {
    format!(
        "<td class=\"value\">{}</td><td class=\"error\">{}</td>",
        value(cell),
        error_html(cell)
    )
}
