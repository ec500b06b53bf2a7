//! The method of a release at the end of its page, with the words of the field in a fold.

use super::definitions;
use super::escape::{escape, marked, name};
use crate::present::Report;
use crate::present::method::{citation, formal, parts, receipt};

/// How the numbers were made, what they promise, and how to cite them.
pub(super) fn method(report: &Report) -> String {
    let mut text = String::from("<h2>How these numbers were made</h2>\n");
    for part in parts(report) {
        text += &format!("<h3>{}</h3>\n", part.title);
        for paragraph in &part.paragraphs {
            text += &format!("<p>{}</p>\n", marked(paragraph));
        }
    }
    if let Some(citation) = citation(report) {
        text += &format!(
            "<h3>How to cite this</h3>\n<p class=\"cite\">{}</p>\n",
            name(&citation)
        );
    }
    text += "<details>\n<summary>In the words of the field</summary>\n<dl>\n";
    for (term, meaning) in formal(report) {
        text += &format!("<dt>{term}</dt><dd>{}</dd>\n", escape(&meaning));
    }
    let rows = receipt(report);
    let rows: Vec<_> = rows
        .iter()
        .map(|(term, meaning)| (*term, meaning.as_str()))
        .collect();
    text + &format!(
        "</dl>\n</details>\n<details>\n<summary>Receipt of the release</summary>\n{}</details>\n",
        definitions(&rows)
    )
}
