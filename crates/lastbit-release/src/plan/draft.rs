//! A draft of a plan, from only the names and declared types of columns.

use std::fmt;

use super::PlanError;
use crate::clean::is_hidden;

/// The beginning of a text that is still to fill in.
pub const FILL_IN: &str = "FILL IN";

/// The longest line of a comment, in characters.
const MOST_WIDE: usize = 100;

/// The most columns of a draft.
const MOST_COLUMNS: usize = 1000;

/// A column as its file declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// The type of its cells, if the format declares it.
    pub of: Option<DeclaredType>,
}

/// What a file declares about the cells of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredType {
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// `true` or `false`.
    Boolean,
    /// Another type, in the words of the format.
    Other(String),
}

/// A commented plan for a file with these columns, which is refused until it is filled in. `read`
/// says what was read of the file, and `delimiter` what is between its cells, if its name does not
/// say so. If there are more than `most_open` columns, their sections are comments: no statistic
/// of a draft needs them.
pub fn draft(
    file: &str,
    delimiter: Option<u8>,
    read: &str,
    columns: &[Declared],
    most_open: usize,
) -> String {
    let made = format!("A draft of a plan. It was made from {read}.");
    let mut text = format!(
        "{}{INTRODUCTION}\n[source]\nfiles = {}\n",
        comment(&made),
        quoted(file)
    );
    if let Some(delimiter) = delimiter {
        let delimiter = quoted(&char::from(delimiter).to_string());
        text += &format!("# Between cells, by the look of the header:\ndelimiter = {delimiter}\n");
    }
    text += PRIVACY;
    let who = columns.iter().map(|column| &column.name);
    let mut who: Vec<&String> = who.filter(|name| sounds_like_who(name)).collect();
    // Beside another, a bare `id` is most often that of the row.
    who.sort_by_key(|name| name.eq_ignore_ascii_case("id"));
    if !who.is_empty() {
        let last_is_row = who.len() > 1 && who[who.len() - 1].eq_ignore_ascii_case("id");
        let names: Vec<_> = who.iter().map(|name| quoted(name)).collect();
        text += &comment(&format!(
            "By their names, these columns may say who: {}{}.",
            names.join(", "),
            match last_is_row {
                true => " (or does the last one only number the rows?)",
                false => "",
            }
        ));
    }
    let numbers: Vec<_> = (columns.iter().map(|column| &column.name))
        .filter(|name| sounds_like_number(name) && !sounds_like_who(name))
        .map(|name| quoted(name))
        .collect();
    if !numbers.is_empty() {
        text += &comment(&format!(
            "These number something, people or not: {}.",
            numbers.join(", ")
        ));
    }
    text += UNIT;
    text += BUDGET;
    let is_open = columns.len() <= most_open;
    text += match is_open {
        true => OPEN,
        false => CLOSED,
    };
    text += COLUMNS;
    for column in columns.iter().take(MOST_COLUMNS) {
        text += &match sounds_like_who(&column.name) {
            true => format!(
                "\n# {} may say who, by its name: as the unit it needs no section.\n",
                quoted(&column.name)
            ),
            false if is_open => section(column),
            false => closed(&section(column)),
        };
    }
    if columns.len() > MOST_COLUMNS {
        text += &format!(
            "\n# … and {} more columns; add a section for each one that a statistic needs.\n",
            columns.len() - MOST_COLUMNS
        );
    }
    text + STATISTICS
}

const INTRODUCTION: &str = "\
#
# Fill in every value that begins with FILL IN; until then the plan is refused, and costs nothing.
# Whatever you write here becomes public. Take it from what anybody may know (a rule, a tariff, last
# year's report), and never from these data: bounds chosen by looking at them are not protected.
# Then: `lastbit plan` shows the cost, `lastbit rehearse` the report on invented rows,
# `lastbit inspect --not-private`, for your eyes alone, categories that are spelled in another way,
# and `lastbit release` spends. Every key is explained in docs/plan.md.

title = \"FILL IN: what the report is called\"
# A guess of the rows in a group, for the errors of means and shares before the release. Only where
# a statistic asks for an `error` does it decide the loss and the noise.
expected_rows = 1000
";

const PRIVACY: &str = "
[privacy]
# The loss bounds what the presence of one unit changes.
neighbours = \"add-remove\"
# The unit: rows with the same value of this column are one person, protected with all rows.
";

const UNIT: &str = "\
# Delete `unit`, `most_rows` and `most_groups` if every row is a different person.
unit = \"FILL IN: the column that says who\"
# The most rows of one person that count in a group; more are left out, and no error covers them.
most_rows = \"FILL IN: a number that hardly anybody exceeds, such as 4\"
# The most groups of a statistic in which one person counts:
most_groups = 1
";

const BUDGET: &str = "
[budget]
# For all releases about these data, ever. After ε = 1 somebody who was evenly unsure about one
# person can become at most 73.2 % sure; after ε = 0.1, 52.5 %; after ε = 5, 99.4 %.
epsilon = \"FILL IN: the budget of the data set, such as 1\"

[spend]
# What this release may use of it. Without this section it uses everything, and is the only one.
epsilon = \"FILL IN: what this release may use, such as 0.25\"
";

const OPEN: &str = "
# What is public about each column. Delete the sections that no statistic needs.
";

const CLOSED: &str = "
# What is public about each column. There are many, and no statistic below needs one yet: remove
# the `# ` at the start of the lines of those that you use.
";

const COLUMNS: &str = "\
#   lower, upper  of numbers: cells beyond are cut to these; wide enough for hardly any cell, and no
#                 wider, since errors grow with them. unit = \"years\" says what they measure.
#   categories    of texts: the public list. Other cells are left out, or count as `other` says.
#   discover      instead of them: true publishes the values that many people share; it takes a
#                 `delta` in [budget].
#   date          true, of dates such as 2024-01-31; lower and upper are dates too.
";

const STATISTICS: &str = "
# What is published. Statistics share what may be spent, unless they have a `loss` or an `error`.
[[statistics]]
name = \"rows\"
kind = \"count\"

# Which share of the people have more rows than count, so that readers know what is left out.
# Delete it if every row is a different person.
[[statistics]]
name = \"left out by the limits\"
kind = \"left-out\"
weight = 0.25

# More of them, for example, with a column of numbers and one of categories:
# [[statistics]]
# name = \"mean of a column by another\"
# kind = \"mean\"          # or sum, variance, histogram, quantiles
# of = \"a column of numbers\"
# by = [\"a column of categories\"]
# error = 2              # the smallest loss that keeps the error within this
";

/// A sentence as lines of a comment.
fn comment(sentence: &str) -> String {
    let mut lines = String::from("#");
    let mut width = 1;
    for word in sentence.split(' ') {
        if width + 1 + word.chars().count() > MOST_WIDE {
            lines += "\n#";
            width = 1;
        }
        width += 1 + word.chars().count();
        lines.push(' ');
        lines += word;
    }
    lines + "\n"
}

/// A section as a comment.
fn closed(section: &str) -> String {
    let comment = |line: &str| match line {
        "" => "\n".to_owned(),
        line => format!("# {line}\n"),
    };
    section.lines().map(comment).collect()
}

/// The section of a column.
fn section(column: &Declared) -> String {
    let head = format!("\n[columns.{}]", quoted(&column.name));
    let numbers = "lower = \"FILL IN: the least that can be, such as 0\"\nupper = \"FILL IN: the \
                   most that can be, such as 120\"\n";
    let texts = "categories = \"FILL IN: all of them, as [\\\"north\\\", \\\"south\\\"]\"\n";
    match &column.of {
        Some(DeclaredType::Number) => format!("{head}  # declared as numbers\n{numbers}"),
        Some(DeclaredType::Text) => format!("{head}  # declared as texts\n{texts}"),
        Some(DeclaredType::Boolean) => {
            format!("{head}  # declared as true or false\ncategories = [\"false\", \"true\"]\n")
        }
        Some(DeclaredType::Other(what)) if is_calendar(what) => {
            format!("{head}  # declared as dates\n{DATES}")
        }
        Some(DeclaredType::Other(what)) => {
            let what: String = what.chars().filter(|c| !is_hidden(*c)).take(80).collect();
            format!("{head}  # declared as {what}\n{texts}")
        }
        None if sounds_like_date(&column.name) => {
            format!("{head}  # of dates, by its name\n{DATES}")
        }
        None => format!(
            "{head}  # of numbers keep the bounds, of texts the categories\n{numbers}{texts}"
        ),
    }
}

const DATES: &str = "date = true\nlower = \"FILL IN: the first day that can be, such as \
                     2024-01-01\"\nupper = \"FILL IN: the last day that can be, such as \
                     2024-12-31\"\n";

/// Whether a declared type means dates or timestamps.
fn is_calendar(declared: &str) -> bool {
    declared.starts_with("Date") || declared.starts_with("Timestamp")
}

/// Whether a name sounds like a date.
fn sounds_like_date(name: &str) -> bool {
    // `AppointmentDay`, and not `day` or `Monday`.
    let stem = name
        .strip_suffix("Day")
        .or_else(|| name.strip_suffix("_day"));
    let is_day = stem.is_some_and(|stem| stem.ends_with(|c: char| c.is_lowercase()));
    let name = name.to_lowercase();
    let is_other = ["update", "candidate", "mandate"]
        .iter()
        .any(|end| name.ends_with(end));
    let is_date = name.ends_with("date") || name.starts_with("date");
    is_day
        || is_date && !is_other
        || name.contains("birthday")
        || name == "dob"
        || name.ends_with("_dob")
}

/// Whether a name sounds like a person's number.
fn sounds_like_who(name: &str) -> bool {
    const PEOPLE: [&str; 13] = [
        "person",
        "patient",
        "customer",
        "user",
        "client",
        "member",
        "respondent",
        "resp",
        "participant",
        "subject",
        "employee",
        "case",
        "pupil",
    ];
    const NUMBERS: [&str; 7] = ["id", "nbr", "no", "nr", "num", "number", "key"];
    const TOGETHER: [&str; 10] = [
        "id",
        "pid",
        "uid",
        "uuid",
        "ssn",
        "respid",
        "caseid",
        "userid",
        "personid",
        "patientid",
    ];
    // Those two need a number beside them.
    let is_person = |word: &str| PEOPLE.contains(&word) && word != "case" && word != "resp";
    let words = words(name);
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [word] => TOGETHER.contains(&word) || is_person(word),
        [.., whose, number] if NUMBERS.contains(&number) => PEOPLE.contains(&whose),
        ["id", .., whose] => PEOPLE.contains(&whose),
        [.., word] => is_person(word),
        [] => false,
    }
}

/// Whether a name says that its values number something, which may be people.
fn sounds_like_number(name: &str) -> bool {
    let words = words(name);
    let has = |word: &str| words.iter().any(|own| own == word);
    words.len() > 1 && (words[0] == "id" || words[words.len() - 1] == "id") && !has("type")
}

/// The words of a name in small letters: `patient_nbr`, `PatientID` and `id-patient` have two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        if !character.is_alphanumeric() || before.is_lowercase() && character.is_uppercase() {
            words.push(String::new());
        }
        if character.is_alphanumeric() {
            let last = words.len() - 1;
            words[last].extend(character.to_lowercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A basic string of TOML without hidden characters.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            _ if is_hidden(c) || c.is_control() => {
                out += &format!("\\U{:08X}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A value of a plan that is still to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfilled {
    /// The byte of the text where it begins.
    pub at: usize,
    /// What belongs there, in the words of the draft; empty if it does not say.
    pub what: String,
}

impl fmt::Display for Unfilled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what.as_str() {
            "" => f.write_str("this is still to fill in"),
            what => write!(f, "this is still to fill in: {what}"),
        }
    }
}

/// Every value of the text of a plan that begins with [`FILL_IN`], in their order; comments are no
/// values.
pub fn unfilled(text: &str) -> Vec<Unfilled> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        for (at, value) in strings(line) {
            if let Some(what) = value.strip_prefix(FILL_IN) {
                found.push(Unfilled {
                    at: start + at,
                    what: what.trim_start_matches(':').trim().replace("\\\"", "\""),
                });
            }
        }
        start += line.len();
    }
    found
}

/// The basic strings of a line of TOML as they are written, each with the byte of its first quote.
/// One that does not end there ends with the line.
fn strings(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'', '#']) {
        let (mark, inside) = rest[at..].split_at(1);
        if mark == "#" {
            break;
        }
        let mut is_escaped = false;
        let end = inside.find(|c: char| {
            let is_end = !is_escaped && mark.contains(c);
            is_escaped = !is_escaped && c == '\\' && mark == "\"";
            is_end
        });
        let (value, after) = inside.split_at(end.unwrap_or(inside.len()));
        if mark == "\"" {
            found.push((line.len() - rest.len() + at, value));
        }
        rest = after.get(1..).unwrap_or_default();
    }
    found
}

/// Refuses a plan with values that are still to fill in: the first, and how many more.
pub(super) fn check_filled(text: &str) -> Result<(), PlanError> {
    let places = unfilled(text);
    let Some(first) = places.first() else {
        return Ok(());
    };
    let more = match places.len() {
        1 => String::new(),
        2 => " (and one more place)".to_owned(),
        many => format!(" (and {} more places)", many - 1),
    };
    Err(PlanError::at(text, first.at, format!("{first}{more}")))
}

#[cfg(test)]
mod tests;
