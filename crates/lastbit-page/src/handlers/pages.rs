//! Pages that a browser goes to.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use lastbit_release::present::{self, Report};
use sha2::{Digest, Sha256};

use crate::answer::{self, Answer};
use crate::directory::hash;
use crate::html::{element, escape, in_path, notice, page};
use crate::ledger;
use crate::server::Shared;

/// The plans of the directory, and what its ledger has left.
pub async fn home(State(shared): State<Shared>) -> Answer {
    shared.work(|shared| answer::html(home_page(shared))).await
}

fn home_page(shared: &Shared) -> String {
    let base = shared.guard().base();
    let mut body = String::from("<h1>Plans</h1>\n");
    let listing = match shared.directory().list() {
        Ok(listing) => listing,
        Err(error) => return page(&base, "Plans", "Plans", None, &notice("bad", &error)),
    };
    if listing.plans.is_empty() {
        body += &format!(
            "<p>There is no plan here yet. <a href=\"{base}/draft\">Draft one</a> from a table of \
             this directory.</p>\n"
        );
    } else {
        body += "<ul class=\"cards\">\n";
        for name in &listing.plans {
            let title = shared
                .directory()
                .read_plan(name)
                .ok()
                .and_then(|text| title(&text));
            body += &format!(
                "<li><a href=\"{base}/plan/{}\">{}</a>{}</li>\n",
                in_path(name),
                element("b", name),
                title.map_or(String::new(), |title| format!(
                    " {}",
                    element("span", &title)
                ))
            );
        }
        body += "</ul>\n";
    }
    body += "<h2>Ledger</h2>\n";
    body += &match shared.left().account(shared.directory()) {
        Err(error) => notice("bad", &error),
        Ok(None) => {
            "<p>There is no ledger yet: the first release makes it, with the budget of its \
             plan.</p>\n"
                .to_owned()
        }
        Ok(Some((_, account))) => format!(
            "<p>{} of {} remains. <a href=\"{base}/ledger\">History</a></p>\n",
            escape(&account.remaining().to_string()),
            escape(&account.budget.to_string())
        ),
    };
    page(&base, "Plans", "Plans", None, &body)
}

fn title(text: &str) -> Option<String> {
    let document = toml_edit::Document::parse(text).ok()?;
    Some(document.as_table().get("title")?.as_str()?.to_owned())
}

/// A plan: its text, its form and its price.
pub async fn plan(State(shared): State<Shared>, Path(name): Path<String>) -> Answer {
    shared
        .work(move |shared| {
            let base = shared.guard().base();
            let text = match shared.directory().read_plan(&name) {
                Ok(text) => text,
                Err(error) => {
                    let body = format!("<h1>No plan</h1>\n{}", notice("bad", &error));
                    let mut answer = answer::html(page(&base, "No plan", "Plans", None, &body));
                    *answer.status_mut() = StatusCode::NOT_FOUND;
                    return answer;
                }
            };
            // A line break after the tag of a text area is not part of it.
            let body = filled(
                include_str!("../../assets/plan.html"),
                &[
                    ("name", &escape(&name)),
                    ("hash", &hash(&text)),
                    ("text", &format!("\n{}", escape_exactly(&text))),
                ],
            );
            answer::html(page(&base, &name, "Plans", Some("plan.js"), &body))
        })
        .await
}

/// A template with its places `{{key}}` filled, in one pass: what is put in is never looked at
/// again, whatever it says.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut parts = template.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let place = part.split_once("}}").and_then(|(key, rest)| {
            let (_, value) = values.iter().find(|(own, _)| *own == key)?;
            Some((value, rest))
        });
        match place {
            Some((value, rest)) => out += &format!("{value}{rest}"),
            None => out += &format!("{{{{{part}"),
        }
    }
    out
}

/// For a text area: every character as it is.
fn escape_exactly(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// A table to draft a plan for.
pub async fn draft(State(shared): State<Shared>) -> Answer {
    shared
        .work(|shared| {
            let base = shared.guard().base();
            let tables = shared.directory().list().map(|listing| listing.tables);
            let body = match tables {
                Err(error) => notice("bad", &error),
                Ok(tables) if tables.is_empty() => {
                    "<h1>Draft</h1>\n<p>There is no table here: put a CSV, Parquet or JSON lines \
                     file into the directory.</p>\n"
                        .to_owned()
                }
                Ok(tables) => {
                    let options: String =
                        tables.iter().map(|name| element("option", name)).collect();
                    filled(
                        include_str!("../../assets/draft.html"),
                        &[("tables", &options)],
                    )
                }
            };
            answer::html(page(&base, "Draft", "Draft", Some("draft.js"), &body))
        })
        .await
}

/// The history of the ledger.
pub async fn ledger(State(shared): State<Shared>) -> Answer {
    shared
        .work(|shared| {
            let base = shared.guard().base();
            let body = match ledger::entries(shared.directory()) {
                Err(error) => notice("bad", &error),
                Ok(None) => {
                    "<p>There is no ledger yet: the first release makes it.</p>\n".to_owned()
                }
                Ok(Some((path, entries, account))) => {
                    let exposed = match lastbit_release::ledger::exposure(&path) {
                        Some(mode) => notice(
                            "bad",
                            &format!(
                                "Others may open this ledger (its mode is {mode}), and who can \
                                 read it can confirm a guess of the data; close it to them with \
                                 chmod 600."
                            ),
                        ),
                        None => String::new(),
                    };
                    format!(
                        "{exposed}<dl class=\"account\"><dt>Budget</dt><dd>{}</dd>\
                         <dt>Spent</dt><dd>{}</dd><dt>Remaining</dt><dd>{}</dd></dl>\n\
                         {}<p><a class=\"button\" href=\"{base}/ledger/check\">\
                         Check every entry</a></p>\n",
                        escape(&account.budget.to_string()),
                        escape(&ledger::counted(&account).1.to_string()),
                        escape(&account.remaining().to_string()),
                        ledger::history(&base, &entries, &account, shared.jobs())
                            .unwrap_or_else(|error| notice("bad", &error))
                    )
                }
            };
            answer::html(page(
                &base,
                "Ledger",
                "Ledger",
                None,
                &format!("<h1>Ledger</h1>\n{body}"),
            ))
        })
        .await
}

/// Whether anybody changed the ledger.
pub async fn check(State(shared): State<Shared>) -> Answer {
    shared
        .work(|shared| {
            let base = shared.guard().base();
            let body = match ledger::check(shared.directory()) {
                Err(error) => notice("bad", &error),
                Ok(None) => "<p>There is no ledger yet.</p>\n".to_owned(),
                Ok(Some(check)) => {
                    let mut body = match check.passed() {
                        true => notice(
                            "good",
                            &format!("Passed: {} entries, each as it was written.", check.entries),
                        ),
                        false => notice("bad", "Failed: the ledger is not as it was written."),
                    };
                    body += "<ul>\n";
                    for fault in &check.faults {
                        let row = fault
                            .row
                            .map_or(String::new(), |row| format!("row {row}: "));
                        body += &element("li", &format!("{row}{}", fault.what));
                    }
                    for note in &check.notes {
                        body += &element("li", note);
                    }
                    body += "</ul>\n";
                    body + &format!(
                        "<p>Head: <code>{}</code>. Keep it elsewhere: it shows later whether \
                         entries were removed from the end.</p>\n",
                        escape(&check.head)
                    )
                }
            };
            answer::html(page(
                &base,
                "Check of the ledger",
                "Ledger",
                None,
                &format!(
                    "<h1>Check of the ledger</h1>\n{body}<p><a href=\"{base}/ledger\">Back to the \
                     ledger</a></p>\n"
                ),
            ))
        })
        .await
}

fn missing(base: &str) -> Answer {
    let body = "<h1>No report</h1>\n<p>The ledger has no report under this number.</p>\n";
    let mut answer = answer::html(page(base, "No report", "Ledger", None, body));
    *answer.status_mut() = StatusCode::NOT_FOUND;
    answer
}

/// A released report, as its own page.
pub async fn report(State(shared): State<Shared>, Path(row): Path<i64>) -> Answer {
    shared
        .work(move |shared| {
            let base = shared.guard().base();
            match ledger::report(shared.directory(), row) {
                Ok(Some(report)) => {
                    let here = format!("{base}/report/{row}");
                    let forms: String = DOWNLOADS
                        .iter()
                        .map(|(form, name, _)| {
                            format!("<li><a href=\"{here}/{form}\" download>{name}</a></li>")
                        })
                        .collect();
                    let bar = format!(
                        "<nav class=\"steward\" aria-label=\"Report\"><a \
                         href=\"{base}/ledger\">Ledger</a><ul \
                         aria-label=\"Downloads\">{forms}</ul></nav>"
                    );
                    shown(&base, &report, &bar)
                }
                Ok(None) => missing(&base),
                Err(error) => unreadable(&base, &error),
            }
        })
        .await
}

/// A rehearsed report.
pub async fn rehearsal(State(shared): State<Shared>, Path(number): Path<u64>) -> Answer {
    shared
        .work(move |shared| {
            let base = shared.guard().base();
            match shared.jobs().rehearsal(number) {
                Some(report) => {
                    let bar = format!(
                        "<nav class=\"steward\" aria-label=\"Report\"><a \
                         href=\"{base}/\">Plans</a><b>A rehearsal: invented rows, nothing \
                         spent</b></nav>"
                    );
                    shown(&base, &report, &bar)
                }
                None => missing(&base),
            }
        })
        .await
}

/// The page of a report under our policy: its one style is allowed by its hash, and its own weaker
/// policy is left out.
fn shown(base: &str, report: &Report, bar: &str) -> Answer {
    let text = present::html(report);
    let style = text
        .split_once("<style>")
        .and_then(|(_, rest)| rest.split_once("</style>"))
        .map_or("", |(style, _)| style);
    let sha256 = base64(&Sha256::digest(style.as_bytes()));
    let own = text
        .split_once("<meta http-equiv=\"Content-Security-Policy\"")
        .and_then(|(_, rest)| rest.split_once('>'))
        .map(|(policy, _)| format!("<meta http-equiv=\"Content-Security-Policy\"{policy}>"));
    let text = match own {
        Some(own) => text.replacen(&own, "", 1),
        None => text,
    };
    let text = text
        .replacen(
            "</head>",
            &format!(
                "<link rel=\"stylesheet\" href=\"{base}/assets/report.css\">\n\
                 <link rel=\"icon\" href=\"{base}/assets/icon.svg\" type=\"image/svg+xml\">\n\
                 </head>"
            ),
            1,
        )
        .replacen("<body>", &format!("<body>\n{bar}"), 1);
    answer::html_with_style(text, &sha256)
}

/// Forms of a report: in its path, for people, and its type.
const DOWNLOADS: &[(&str, &str, &str)] = &[
    ("html", "HTML", "text/html; charset=utf-8"),
    ("csv", "CSV", "text/csv; charset=utf-8"),
    ("json", "JSON", "application/json"),
    #[cfg(feature = "engine")]
    ("parquet", "Parquet", "application/vnd.apache.parquet"),
];

/// A released report, to keep.
pub async fn download(
    State(shared): State<Shared>,
    Path((row, form)): Path<(i64, String)>,
) -> Answer {
    shared
        .work(move |shared| {
            let known = DOWNLOADS.iter().find(|download| download.0 == form);
            let Some((form, _, kind)) = known else {
                return missing(&shared.guard().base());
            };
            match ledger::report(shared.directory(), row) {
                Ok(Some(report)) => {
                    let bytes = match *form {
                        "html" => present::html(&report).into_bytes(),
                        "csv" => present::csv(&report).into_bytes(),
                        #[cfg(feature = "engine")]
                        "parquet" => match present::parquet(&report) {
                            Ok(bytes) => bytes,
                            Err(_) => return missing(&shared.guard().base()),
                        },
                        _ => present::to_json(&report).into_bytes(),
                    };
                    answer::download(kind, row, form, bytes)
                }
                Ok(None) => missing(&shared.guard().base()),
                Err(error) => unreadable(&shared.guard().base(), &error),
            }
        })
        .await
}

/// A ledger that cannot be read: not that it has no such report.
fn unreadable(base: &str, error: &str) -> Answer {
    let body = format!("<h1>No report</h1>\n{}", notice("bad", error));
    let mut answer = answer::html(page(base, "Ledger", "Ledger", None, &body));
    *answer.status_mut() = StatusCode::CONFLICT;
    answer
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, at| {
            word << 8 | u32::from(three.get(at).copied().unwrap_or(0))
        });
        for at in 0..4 {
            out.push(match at <= three.len() {
                true => char::from(DIGITS[(word >> (18 - 6 * at) & 63) as usize]),
                false => '=',
            });
        }
    }
    out
}

#[cfg(test)]
mod tests;
