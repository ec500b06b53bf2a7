//! The ledger of the directory: what is left, its history as a picture, its reports, and whether
//! anybody changed it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use lastbit_exact::{Rational, Rounding};
use lastbit_release::clean::label;
use lastbit_release::ledger::{
    self, Account, Check, Entry, Event, Ledger, LedgerError, in_directory,
};
use lastbit_release::loss::Loss;
use lastbit_release::present::{Report, from_json, rung, svg, tick};

use crate::directory::Directory;
use crate::html::{element, escape};
use crate::jobs::Jobs;

/// The longest text of an entry, in characters.
const LONGEST: usize = 200;

/// How long a look at the ledger is good for, if its files do not change: sliders ask often. A
/// release always looks itself.
const GOOD_FOR: Duration = Duration::from_secs(2);

/// What was last seen of the ledger.
#[derive(Debug, Default)]
pub struct Left(Mutex<Option<Seen>>);

type Stamp = Vec<Option<(u64, Option<SystemTime>)>>;

#[derive(Debug)]
struct Seen {
    when: Instant,
    path: PathBuf,
    stamp: Stamp,
    account: Option<Account>,
}

impl Left {
    /// The ledger of a directory and its account; `None` if there is none yet.
    pub fn account(&self, directory: &Directory) -> Result<Option<(PathBuf, Account)>, String> {
        let path = place(directory)?;
        let stamp = stamp(&path);
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = seen.as_ref().filter(|seen| {
            seen.path == path && seen.stamp == stamp && seen.when.elapsed() < GOOD_FOR
        });
        let account = match fresh {
            Some(seen) => seen.account.clone(),
            None => match Ledger::view(&path) {
                Ok(ledger) => Some(ledger.account().clone()),
                Err(LedgerError::Missing(_)) => None,
                Err(error) => return Err(error.to_string()),
            },
        };
        *seen = Some(Seen {
            when: fresh.map_or_else(Instant::now, |seen| seen.when),
            path: path.clone(),
            stamp,
            account: account.clone(),
        });
        Ok(account.map(|account| (path, account)))
    }
}

/// Where the ledger is, or will be: in the directory itself.
pub fn place(directory: &Directory) -> Result<PathBuf, String> {
    let path = in_directory(directory.path()).map_err(|error| error.to_string())?;
    directory.check_real(&path)?;
    Ok(path)
}

fn stamp(path: &Path) -> Stamp {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    [beside(""), beside("-wal"), beside("-journal")]
        .iter()
        .map(|path| {
            let about = fs::metadata(path).ok()?;
            Some((about.len(), about.modified().ok()))
        })
        .collect()
}

/// The entries of the ledger of a directory; `None` if there is none yet.
pub fn entries(directory: &Directory) -> Result<Option<(PathBuf, Vec<Entry>, Account)>, String> {
    let path = place(directory)?;
    let mut ledger = match Ledger::view(&path) {
        Ok(ledger) => ledger,
        Err(LedgerError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let entries = ledger.entries().map_err(|error| error.to_string())?;
    let account = ledger.account().clone();
    Ok(Some((path, entries, account)))
}

/// The report of the release that was reserved in a row.
pub fn report(directory: &Directory, row: i64) -> Result<Option<Report>, String> {
    let Some((_, entries, _)) = entries(directory)? else {
        return Ok(None);
    };
    let stored = entries.iter().find_map(|entry| match &entry.event {
        Event::Settle { reserve, report } if *reserve == row => Some(report),
        _ => None,
    });
    stored
        .map(|text| from_json(text).map_err(|error| error.to_string()))
        .transpose()
}

/// The ledger, checked from its first row to its last; `None` if there is none yet.
pub fn check(directory: &Directory) -> Result<Option<Check>, String> {
    let path = place(directory)?;
    match ledger::check(&path, &[]) {
        Ok(check) => Ok(Some(check)),
        Err(LedgerError::Missing(_)) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// An entry with what was left after it.
struct Line<'a> {
    entry: &'a Entry,
    left: Loss,
    /// For drawing: which part of what could be spent is left.
    part: f64,
}

/// The account after each entry. A ledger that was opened has entries that add up.
fn running(entries: &[Entry]) -> Result<Vec<Line<'_>>, String> {
    let mut account: Option<Account> = None;
    let mut lines = Vec::with_capacity(entries.len());
    for entry in entries {
        let limit = entry.limit.as_ref();
        match (&mut account, &entry.event) {
            (Some(account), event) => account.add(event, limit)?,
            (None, Event::Budget { budget, .. }) => account = Some(Account::new(budget, limit)?),
            (None, _) => return Err("a reservation comes before any budget".to_owned()),
        }
        if let Some(account) = &account {
            lines.push(Line {
                entry,
                left: account.remaining(),
                part: part_left(account),
            });
        }
    }
    Ok(lines)
}

/// What is counted now: the budget, or what composes once something was taken so.
pub fn counted(account: &Account) -> (&Loss, &Loss) {
    match &account.composed {
        Some(composed) if composed.is_touched() => (&composed.limit, &composed.spent),
        _ => (&account.budget, &account.spent),
    }
}

fn part_left(account: &Account) -> f64 {
    let (whole, spent) = counted(account);
    match whole.main.is_zero() {
        true => 0.0,
        false => {
            let left: Rational = &(&whole.main - &spent.main) / &whole.main;
            left.to_f64(Rounding::NearestEven).clamp(0.0, 1.0)
        }
    }
}

/// The history as a picture and a table.
pub fn history(
    base: &str,
    entries: &[Entry],
    account: &Account,
    jobs: &Jobs,
) -> Result<String, String> {
    let lines = running(entries)?;
    let settled = |row: i64| {
        entries
            .iter()
            .any(|entry| matches!(&entry.event, Event::Settle { reserve, .. } if *reserve == row))
    };
    let mut out = picture(&lines, account);
    out += "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Entries of the \
        ledger\">\n<table>\n<caption>Every entry, in order</caption>\n\
        <thead><tr><th scope=\"col\">Row</th><th scope=\"col\">What</th><th \
        scope=\"col\">Entry</th><th scope=\"col\">Amount</th><th scope=\"col\">Remaining</th><th \
        scope=\"col\">Time (UTC)</th></tr></thead>\n<tbody>\n";
    for line in &lines {
        let entry = line.entry;
        let what = |text: &str| escape(&label(text, LONGEST));
        let (kind, amount, what) = match &entry.event {
            Event::Budget { budget, note } => ("budget", budget.to_string(), what(note)),
            Event::Reserve {
                loss,
                description,
                plan,
                ..
            } => (
                "reserve",
                format!("− {loss}"),
                match settled(entry.row) {
                    true => format!(
                        "<a href=\"{base}/report/{}\">{}</a>",
                        entry.row,
                        what(description)
                    ),
                    false if jobs.is_under_way(plan) => format!(
                        "{} (under way: spent, and not yet published)",
                        what(description)
                    ),
                    false => format!(
                        "{} (not settled: spent, and nothing published)",
                        what(description)
                    ),
                },
            ),
            Event::Settle { reserve, .. } => ("settle", String::new(), format!("row {reserve}")),
        };
        out += &format!(
            "<tr><th scope=\"row\">{}</th><td>{what}</td><td>{kind}</td>\
             <td>{}</td><td>{}</td><td>{}</td></tr>\n",
            entry.row,
            escape(&amount),
            escape(&line.left.to_string()),
            escape(&label(&entry.time, 40)),
        );
    }
    Ok(out + "</tbody>\n</table>\n</div>\n")
}

/// Milliseconds of a time such as 2026-01-31T23:59:59.000Z since the year 0.
fn milliseconds(time: &str) -> Option<i64> {
    let number = |from: usize, to: usize| time.get(from..to)?.parse::<u32>().ok().map(i64::from);
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    // Years that begin in March have their leap day at their end.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    let seconds = 3600 * number(11, 13)? + 60 * number(14, 16)? + number(17, 19)?;
    Some(1000 * (86_400 * days + seconds) + number(20, 23).unwrap_or(0))
}

/// Where each entry is between the first and the last, from 0 to 1, by its time. A clock that went
/// back stands still here.
fn places(lines: &[Line<'_>]) -> Vec<f64> {
    let mut latest = i64::MIN;
    let times: Vec<i64> = lines
        .iter()
        .map(|line| {
            latest = latest.max(milliseconds(&line.entry.time).unwrap_or(latest));
            latest
        })
        .collect();
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else {
        return vec![];
    };
    let span = last.saturating_sub(first).max(1) as f64;
    times
        .iter()
        .map(|&time| time.saturating_sub(first) as f64 / span)
        .collect()
}

/// Which part of what may be spent was left over time: a staircase from the first entry to the
/// last, and a little on.
fn picture(lines: &[Line<'_>], account: &Account) -> String {
    let (width, height, left, top, bottom) = (720.0, 220.0, 100.0, 14.0, 170.0);
    let y = |part: f64| bottom - part * (bottom - top);
    let (end, last) = (width - 20.0, width - 60.0);
    let places = places(lines);
    let x = |index: usize| {
        places
            .get(index)
            .map_or(end, |place| left + place * (last - left))
    };
    let (mut staircase, mut marks) = (String::new(), String::new());
    for (index, line) in lines.iter().enumerate() {
        let at = y(line.part);
        let command = if index == 0 { "M" } else { "L" };
        staircase += &format!(
            "{command}{:.1} {at:.1}L{:.1} {at:.1}",
            x(index),
            x(index + 1)
        );
        if let Event::Reserve { loss, .. } = &line.entry.event {
            let words = format!(
                "row {}, {}: {loss}; then {} remains",
                line.entry.row, line.entry.time, line.left
            );
            marks += &format!(
                "<circle class=\"mark\" cx=\"{:.1}\" cy=\"{at:.1}\" r=\"4\">{}</circle>\n",
                x(index),
                element("title", &words)
            );
        }
    }
    let time = |line: Option<&Line<'_>>| {
        line.map_or(String::new(), |line| {
            escape(&label(line.entry.time.get(..16).unwrap_or_default(), 20))
        })
    };
    let words = format!(
        "A staircase from the first entry to the last, over time: the part that was left. {} \
         remains. The table below has every step.",
        account.remaining()
    );
    let inner = format!(
        "{}{}<path class=\"axis\" d=\"M{left} {top}V{bottom}H{end:.1}\"/>\n\
         <path class=\"staircase\" d=\"{staircase}\"/>\n{marks}{}{}\n",
        rung([left, end], top, "100 %"),
        tick(left - 8.0, bottom + 4.0, "end", "0"),
        tick(left, bottom + 24.0, "start", &time(lines.first())),
        tick(end, bottom + 24.0, "end", &time(lines.last())),
    );
    let about = ["What remained over time", &words];
    let picture = svg("history", [width, height], about, &inner);
    format!("<div class=\"history\">\n{picture}</div>\n")
}

#[cfg(test)]
mod tests;
