//! What is wrong with a plan, each mistake at its place, in the words of the command line.

use lastbit_release::clean;
use lastbit_release::plan::{Address, Plan, Unfilled, unfilled};
use serde_json::{Value, json};

use super::fields::{Places, Read, Step};
use crate::directory::Directory;
use crate::html::in_lines;

/// The most statistics of a plan that is priced here.
const MOST_STATISTICS: usize = 1000;

/// The most mistakes that are shown.
const MOST: usize = 50;

/// A mistake in a plan.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The byte of the text, if it has one.
    pub at: Option<usize>,
    /// What it is about, if that is not what stands at its place.
    pub path: Option<Vec<Step>>,
    /// What is wrong, and what to do.
    pub message: String,
    /// Whether nothing is wrong but that a draft is not filled in there.
    pub unfilled: bool,
}

impl Mistake {
    /// For the script: the words, and where they belong.
    pub fn json(&self, text: &str, places: &Places) -> Value {
        let path = match (&self.path, self.at) {
            (Some(path), _) => Some(path.as_slice()),
            (None, Some(at)) => places.at(at),
            (None, None) => None,
        };
        let path: Option<Vec<Value>> = path.map(|path| path.iter().map(Step::json).collect());
        // For the selection of a text area, which counts in UTF-16.
        let before = self.at.map(|at| &text[..at]);
        json!({
            "message": clean::shortened(&in_lines(&self.message), 2000),
            "path": path,
            "unfilled": self.unfilled,
            "line": before.map(|before| before.matches('\n').count() + 1),
            "offset": before.map(|before| before.encode_utf16().count()),
        })
    }
}

/// The plan, or what is wrong with it. A mistake in a column or statistic does not hide those in
/// others.
pub fn read(directory: &Directory, read: &Read<'_>) -> (Option<Plan>, Vec<Mistake>) {
    let text = read.text;
    let mut found = to_fill_in(text);
    if found.is_empty() {
        found = outside(directory, read);
    }
    if found.is_empty() && text.matches("kind").count() > MOST_STATISTICS {
        found.extend(too_many(read));
    }
    if !found.is_empty() {
        return (None, found);
    }
    let parse = |text: &str| Plan::parse_in(text, directory.path());
    // A plan without mistakes is the usual one, and needs no places.
    if let Ok(plan) = parse(text) {
        return (Some(plan), found);
    }
    let places = Places::of(read);
    let sections = places.sections(text.len());
    let mut rest = text.to_owned();
    let mut lacks_columns = false;
    while found.len() < MOST {
        let error = match parse(&rest) {
            Ok(_) => break,
            Err(error) => error,
        };
        let at = error.place().map(|place| byte(&rest, place));
        let section = at.and_then(|at| {
            let within = sections
                .iter()
                .find(|(start, end, _)| (*start..*end).contains(&at))?;
            match within.2 {
                [Step::Key(key), _] if key == "columns" || key == "statistics" => Some(within),
                _ => None,
            }
        });
        let in_statistic =
            section.is_some_and(|(.., path)| path[0] == Step::Key("statistics".into()));
        // What a section that was taken out would have made right is no mistake.
        let doubtful = !found.is_empty()
            && (section.is_none()
                || (in_statistic && lacks_columns)
                || error.message().contains("published by a count"));
        if doubtful {
            break;
        }
        found.push(Mistake {
            at,
            path: None,
            message: error.message().to_owned(),
            unfilled: false,
        });
        let Some((start, end, _)) = section else {
            break;
        };
        lacks_columns |= !in_statistic;
        rest = blanked(&rest, *start, *end);
    }
    (None, found)
}

/// Every value that is still to fill in.
fn to_fill_in(text: &str) -> Vec<Mistake> {
    let mistake = |place: Unfilled| Mistake {
        at: Some(place.at),
        path: None,
        message: place.to_string(),
        unfilled: true,
    };
    unfilled(text).into_iter().map(mistake).collect()
}

/// That there are more statistics than the page prices while somebody types: the time and memory of
/// a price grow with the square of them.
fn too_many(read: &Read<'_>) -> Option<Mistake> {
    let statistics = read.root()?.get("statistics")?;
    let tables = statistics.as_array_of_tables().map(|list| list.len());
    let many = tables.or_else(|| Some(statistics.as_array()?.len()))?;
    (many > MOST_STATISTICS).then(|| Mistake {
        at: None,
        path: None,
        message: format!(
            "this page prices at most {MOST_STATISTICS} statistics, and there are {many}; use the \
             command line, or several plans"
        ),
        unfilled: false,
    })
}

/// Files that are not in the directory, and what would read such files.
fn outside(directory: &Directory, read: &Read<'_>) -> Vec<Mistake> {
    let Some(source) = read.root().and_then(|root| root.get("source")) else {
        return vec![];
    };
    let mut paths = Vec::new();
    let mut take = |item: &toml_edit::Item, is_lookup: bool| {
        let values: Vec<_> = match item.as_array() {
            Some(array) => array.iter().collect(),
            None => item.as_value().into_iter().collect(),
        };
        for value in values {
            if let Some(path) = value.as_str() {
                paths.push((value.span(), path.to_owned(), is_lookup));
            }
        }
    };
    if let Some(files) = source.get("files") {
        take(files, false);
    }
    if let Some(file) = source.get("password_file") {
        take(file, false);
    }
    for (list, key) in [("lookup", "file"), ("join", "files")] {
        let mut index = 0;
        while let Some(table) = source.get(list).and_then(|tables| tables.get(index)) {
            if let Some(file) = table.get(key) {
                take(file, list == "lookup");
            }
            index += 1;
        }
    }
    let mut mistakes = vec![];
    if let Some(value) = source.get("database").and_then(toml_edit::Item::as_value)
        && let Some(Ok(address)) = value.as_str().map(Address::parse)
    {
        if let Some(file) = address.file() {
            paths.push((value.span(), file.to_owned(), false));
        }
        if let Some(who) = address.reads_elsewhere() {
            mistakes.push(Mistake {
                at: value.span().map(|span| span.start),
                path: None,
                message: format!(
                    "{who} reads files wherever they are, and this page only those of its \
                     directory; use the command line"
                ),
                unfilled: false,
            });
        }
    }
    let refused = |(span, path, is_lookup): (Option<std::ops::Range<usize>>, String, bool)| {
        let checked = directory
            .check_written(&path)
            .and_then(|()| match is_lookup {
                true => directory.check_real(&directory.path().join(&path)),
                false => Ok(()),
            });
        Some(Mistake {
            at: span.map(|span| span.start),
            path: None,
            message: checked.err()?,
            unfilled: false,
        })
    };
    mistakes.extend(paths.into_iter().filter_map(refused));
    mistakes
}

/// The byte of a place.
fn byte(text: &str, place: lastbit_release::plan::Place) -> usize {
    let lines = text.split_inclusive('\n');
    let before: usize = lines.take(place.line - 1).map(str::len).sum();
    let line = &text[before.min(text.len())..];
    let characters = line.chars().take(place.column - 1);
    before + characters.map(char::len_utf8).sum::<usize>()
}

/// The text with spaces from one byte to another: every other byte and line stays where it is.
fn blanked(text: &str, start: usize, end: usize) -> String {
    let mut out = text[..start].to_owned();
    for c in text[start..end].chars() {
        match c {
            '\n' => out.push('\n'),
            c => out.extend(std::iter::repeat_n(' ', c.len_utf8())),
        }
    }
    out + &text[end..]
}
