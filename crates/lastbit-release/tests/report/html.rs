//! The page: well-formed, self-contained, accessible, and harmless whatever names are in it.

use super::clinic::{HOSTILE, cell, clinic, renamed};
use lastbit_release::present::{Bins, Picture, Report, html, text as in_text};

/// A minimal reader of the page: the tags in order, each with its attributes, and the texts between
/// them. Panics where the page is not well-formed.
struct Page {
    tags: Vec<(String, Vec<(String, String)>)>,
    texts: Vec<String>,
}

const VOID: [&str; 6] = ["meta", "!doctype", "line", "rect", "path", "circle"];

fn read(page: &str) -> Page {
    let mut open: Vec<String> = Vec::new();
    let mut read = Page {
        tags: Vec::new(),
        texts: Vec::new(),
    };
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        assert!(!text.contains('>'), "a lone > in {text:?}");
        read.texts.push(unescape(text));
        rest = &rest[start + 1..];
        let end = rest.find('>').expect("every tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "tags nest");
            continue;
        }
        let (name, attributes) = attributes(tag.trim_end_matches('/'));
        if !VOID.contains(&name.as_str()) {
            open.push(name.clone());
        }
        if name == "style" {
            let end = rest.find("</style>").expect("the style ends");
            assert!(!rest[..end].contains("url(") && !rest[..end].contains("@import"));
            rest = &rest[end..];
        }
        read.tags.push((name, attributes));
    }
    assert!(open.is_empty(), "left open: {open:?}");
    read
}

fn attributes(tag: &str) -> (String, Vec<(String, String)>) {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut list = Vec::new();
    while let Some((key, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').expect("a quoted value");
        let key = key.trim();
        assert!(
            key.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
            "{key:?}"
        );
        list.push((key.to_owned(), unescape(value)));
        rest = after;
    }
    assert!(["", "html"].contains(&rest.trim()), "{rest:?}");
    (name.to_owned(), list)
}

fn unescape(text: &str) -> String {
    let plain = text.split("&amp;").all(|part| {
        ["&lt;", "&gt;", "&quot;", "&#39;", "&nbsp;"]
            .iter()
            .fold(part.to_owned(), |part, entity| part.replace(entity, ""))
            .find('&')
            .is_none()
    });
    assert!(plain, "an entity that is not ours in {text:?}");
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", "\u{a0}"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c))
}

/// The tags by name, but for the labels of axes: fewer long ones fit.
fn names(page: &Page) -> Vec<&str> {
    let names = page.tags.iter().map(|(name, _)| name.as_str());
    names.filter(|name| *name != "text").collect()
}

fn tags<'a>(page: &'a Page, name: &str) -> Vec<&'a Vec<(String, String)>> {
    page.tags
        .iter()
        .filter(|(tag, _)| tag == name)
        .map(|(_, attributes)| attributes)
        .collect()
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let page = read(&html(&clinic()));
    for (name, attributes) in &page.tags {
        assert!(
            !["script", "link", "img", "iframe", "object", "use", "base"].contains(&name.as_str()),
            "{name}"
        );
        for (key, value) in attributes {
            assert!(
                !key.starts_with("on") && key != "src" && key != "style",
                "{key}"
            );
            assert!(key != "href" || value.starts_with('#'), "{value}");
        }
    }
    let policy = tags(&page, "meta")
        .into_iter()
        .flatten()
        .find(|(_, value)| value.starts_with("default-src"))
        .expect("a policy");
    assert_eq!(policy.1, "default-src 'none'; style-src 'unsafe-inline'");
}

#[test]
fn every_number_is_there_with_its_error() {
    let report = clinic();
    let page = read(&html(&report));
    let text: String = page.texts.concat().replace('−', "-");
    for statistic in &report.statistics {
        for cell in &statistic.cells {
            if let (Some(value), Some(error)) = (&cell.value, &cell.error) {
                assert!(text.contains(value.as_str()), "{value}");
                assert!(text.contains(&format!("±\u{a0}{error}")), "{error}");
            }
        }
    }
    assert!(text.contains("withheld"));
    assert!(text.contains("95\u{a0}%"));
}

#[test]
fn pictures_and_tables_speak_to_readers_of_screens() {
    let report = clinic();
    let page = read(&html(&report));
    let ids: Vec<String> = page
        .tags
        .iter()
        .flat_map(|(_, attributes)| attributes)
        .filter(|(key, _)| key == "id")
        .map(|(_, value)| value.clone())
        .collect();
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "ids are unique");
    let pictures = tags(&page, "svg");
    // A wide and a narrow one for each statistic with bars, two for the histogram of two groups.
    let bars = report
        .statistics
        .iter()
        .filter(|one| one.picture == Picture::Bars)
        .count();
    assert_eq!(pictures.len(), 2 * bars);
    for picture in pictures {
        assert!(picture.contains(&("role".into(), "img".into())));
        let (_, names) = picture
            .iter()
            .find(|(key, _)| key == "aria-labelledby")
            .unwrap();
        assert!(
            names.split(' ').all(|id| ids.iter().any(|own| own == id)),
            "{names}"
        );
    }
    for head in tags(&page, "th") {
        assert!(head.iter().any(|(key, _)| key == "scope"));
    }
}

#[test]
fn hostile_names_stay_text() {
    let plain = read(&html(&renamed("x")));
    for name in HOSTILE {
        let long = name.repeat(300);
        for name in [name, &long] {
            let page = read(&html(&renamed(name)));
            if !name.is_empty() {
                assert!(names(&page) == names(&plain), "{name:?} changed the tags");
            }
            let texts = page.texts.concat();
            assert!(
                !texts.contains(|c: char| c.is_control() && c != '\n'),
                "{name:?}"
            );
            assert!(!texts.contains('\u{202e}'), "{name:?}");
        }
    }
    // What is left of a name is the name.
    let page = read(&html(&renamed(HOSTILE[0])));
    assert!(page.texts.iter().any(|text| text == HOSTILE[0]));
}

/// Numbers that no picture likes: the page stays well-formed and draws no NaN.
#[test]
fn odd_numbers_are_drawn_or_left_out() {
    let odd = [
        "0", "-0.5", "1e300", "-1e300", "1/3", "1e-300", "", "NaN", "∞", "12x",
    ];
    let mut sets: Vec<Vec<&str>> = odd.iter().map(|one| vec![*one, *one]).collect();
    sets.push(odd.to_vec());
    for kind in ["count", "histogram", "mean", "quantiles"] {
        for values in &sets {
            for error in ["0", "3", "1e300", ""] {
                let mut report = clinic();
                let mut one = report.statistics[2].clone();
                one.kind = kind.into();
                one.cells = values
                    .iter()
                    .map(|value| cell(&[], "label", value, error))
                    .collect();
                report.statistics = vec![one];
                let page = html(&report);
                read(&page);
                // Without a number there is no picture.
                let is_none = |value: &&str| ["", "NaN", "∞", "12x"].contains(value);
                let Some(start) = page.find("<svg") else {
                    assert!(values.iter().all(is_none), "{kind} {values:?}");
                    continue;
                };
                let drawing = &page[start..page.find("</svg>").unwrap()];
                assert!(
                    !drawing.contains("NaN\"") && !drawing.contains("inf"),
                    "{kind} {values:?}"
                );
            }
        }
    }
}

/// The histogram of these bins, one picture for wide screens and one for narrow ones.
fn histogram(edges: &[i64], counts: &[u32]) -> Report {
    let mut report = clinic();
    let mut one = report.statistics[2].clone();
    assert_eq!(one.kind, "histogram");
    let pairs = || edges.windows(2);
    let labels = pairs().map(|pair| format!("[{}, {})", pair[0], pair[1]));
    one.cells = labels
        .zip(counts)
        .map(|(label, count)| cell(&[], &label, &count.to_string(), "30"))
        .collect();
    one.bins = Some(Bins {
        edges: edges.iter().map(i64::to_string).collect(),
        widths: pairs()
            .map(|pair| (pair[1] - pair[0]).to_string())
            .collect(),
        unit: "years".into(),
    });
    report.statistics = vec![one];
    report
}

/// The area of a column is its number, so that a wide bin does not look fuller than it is.
#[test]
fn columns_of_unequal_bins_are_as_wide_as_their_bins_and_have_the_area_of_their_numbers() {
    let (edges, counts) = ([0, 18, 40, 65, 120], [1800, 4400, 2500, 5500]);
    let report = histogram(&edges, &counts);
    let page = html(&report);
    let read_page = read(&page);
    let number = |tag: &[(String, String)], key: &str| -> f64 {
        let (_, value) = tag.iter().find(|(name, _)| name == key).unwrap();
        value.parse().unwrap()
    };
    let columns: Vec<(f64, f64)> = tags(&read_page, "rect")
        .into_iter()
        .map(|tag| (number(tag, "width") + 1.0, number(tag, "height")))
        .collect();
    assert_eq!(columns.len(), 8);
    for picture in columns.chunks(4) {
        let (wide, high) = picture[0];
        for (index, (width, height)) in picture.iter().enumerate() {
            let bin = (edges[index + 1] - edges[index]) as f64 / 18.0;
            assert!((width / wide - bin).abs() < 0.02 * bin, "{picture:?}");
            let area = f64::from(counts[index]) / 1800.0;
            let drawn = width * height / (wide * high);
            assert!((drawn / area - 1.0).abs() < 0.02, "{picture:?}");
        }
    }
    let text = read_page.texts.concat();
    let unit = &report.statistics[0].unit;
    let axis = format!("{unit} ÷ width of the bin in years");
    for words in [&axis, "the area of a column shows how many are in its bin"] {
        assert!(text.contains(words), "{words}");
    }
    for edge in edges {
        assert!(page.contains(&format!(">{edge}</text>")), "{edge}");
    }
    assert!(in_text(&report).contains("a bar shows how many are in its"));
    // Bins of one width, and of months, are columns of one width.
    for edges in [[0, 10, 20, 30, 40], [0, 31, 59, 90, 120]] {
        let even = histogram(&edges, &counts);
        assert!(!html(&even).contains("different widths"));
        assert!(!in_text(&even).contains("different widths"));
    }
    // A bin that nobody would see has a bar like the others, and a word about it.
    let page = html(&histogram(&[0, 1, 10, 100, 1000], &counts));
    assert!(page.contains("a bar shows how many are in its bin, not how close together"));
    assert!(!page.contains("÷ width"));
}

#[test]
fn a_rehearsal_names_no_row_of_a_ledger() {
    let mut report = clinic();
    assert!(html(&report).contains("Ledger row"));
    report.invented = true;
    report.receipt.ledger_row = 0;
    assert!(!html(&report).contains("Ledger row"));
}

#[test]
fn long_reports_are_cut_and_say_so() {
    let mut report: Report = clinic();
    report.statistics.truncate(2);
    let groups = &mut report.statistics[1];
    groups.cells = (0..100_000)
        .map(|index| cell(&[&format!("group {index}")], "", &index.to_string(), "5"))
        .collect();
    let page = html(&report);
    assert!(page.len() < 400_000, "{}", page.len());
    // Numbers in sentences are written as those in tables.
    let gap = "<span class=\"g\">000</span>";
    assert!(page.contains(&format!("… and 99{gap} more rows")));
    assert!(page.contains(&format!("The picture shows 60 of 100{gap} numbers.")));
    report.statistics[1].cells.clear();
    assert!(html(&report).contains("No group was large enough"));
}

/// Writes the page where LASTBIT_TEST_PAGE says, for people who want to look at it.
#[test]
fn the_sample_page_is_written_on_request() {
    if let Some(path) = std::env::var_os("LASTBIT_TEST_PAGE") {
        std::fs::write(path, html(&clinic())).unwrap();
    }
}

#[test]
fn labels_by_two_keys_are_drawn_whole() {
    let mut report = clinic();
    let statistic = &mut report.statistics[1];
    statistic.by = vec!["region".into(), "occupation".into()];
    let regions = ["North-East Midlands", "South-West Highlands"];
    let labels = regions.map(|region| [region, "Professional occupations"]);
    statistic.cells = labels
        .iter()
        .zip(["15210", "12874"])
        .map(|(group, value)| cell(group, "", value, "310"))
        .collect();
    let page = read(&html(&report));
    // In the wide picture each key has a line; in the narrow one labels stand above their bars.
    for part in [
        "North-East Midlands",
        "South-West Highlands",
        "Professional occupations",
    ] {
        let drawn = page.texts.iter().filter(|text| *text == part);
        assert!(drawn.count() >= 2, "{part}");
    }
}
