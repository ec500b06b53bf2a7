//! What a plan says before anything is spent, and how wide.

use super::hostile::hostile;
use crate::support::{Done, Here, plan};

#[test]
fn a_plan_says_what_is_left_and_a_pipe_is_never_asked() {
    let here = Here::new();
    let some = |edge| format!("{}[spend]\nepsilon = 0.6\n", plan(edge));
    let shown = here.run(&["plan", "plan.toml"]).succeeded().out;
    assert!(
        shown.contains("This spends everything that is left, ε = 1"),
        "{shown}"
    );
    here.write("plan.toml", some(50));
    let shown = here.run(&["plan", "plan.toml"]).succeeded().out;
    assert!(
        shown.contains("This spends more than half of what is left"),
        "{shown}"
    );
    // No terminal, no question; what was taken is told.
    let done = here.run_with(&["release", "plan.toml"], "no\n").succeeded();
    let told = "This release spent ε = 0.6, more than half of what was left. ε = 0.4 is left in ";
    assert!(done.err.contains(told), "{}", done.err);
    here.write("next.toml", some(40));
    let next = here
        .run(&["plan", "next.toml", "--json"])
        .succeeded()
        .json();
    assert_eq!(next["left"]["exact"], "0.4");
    assert_eq!(next["spends_everything"], false);
    let shown = here.run(&["plan", "next.toml"]).succeeded().out;
    assert!(shown.contains("This will be refused"), "{shown}");
    here.run(&["release", "next.toml"]).failed("0.4");
}

#[test]
fn a_plan_that_was_released_says_that_it_costs_nothing_on_the_same_data() {
    let here = Here::new();
    let released = here.run(&["release", "plan.toml", "--json"]).succeeded();
    let receipt = &released.json()["receipt"];
    let time = receipt["time"].as_str().unwrap();
    let shown = here.run(&["plan", "plan.toml"]).succeeded().out;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = format!(
        "Released before, in row 2 of the ledger, {time}: on the same data, the same numbers come \
         from there, at no cost. On data that changed since, it will be refused: it would spend \
         ε = 1, and ε = 0 is left."
    );
    assert!(words.contains(&told), "{shown}");
    let json = here.run(&["plan", "plan.toml", "--json"]).succeeded();
    assert_eq!(json.json()["released_before"]["ledger_row"], 2);
    here.run(&["plan", "plan.toml", "--html", "price.html"])
        .succeeded();
    assert!(here.read("price.html").contains(&told));
    // The same row as in the receipt.
    assert_eq!(receipt["ledger_row"], 2);
    let again = here.run(&["release", "plan.toml"]).succeeded();
    let told = format!("before: row 2 of the ledger, {time}");
    assert!(again.err.contains(&told), "{}", again.err);
    // Another plan was not.
    here.write("next.toml", plan(40));
    let json = here.run(&["plan", "next.toml", "--json"]).succeeded();
    assert!(json.json()["released_before"].is_null());
}

#[test]
fn prices_and_rehearsals_fit_80_columns() {
    let here = hostile();
    here.write("people.toml", plan(50));
    for arguments in [
        ["plan", "plan.toml"],
        ["plan", "people.toml"],
        ["rehearse", "plan.toml"],
        ["rehearse", "people.toml"],
    ] {
        let out = here.run(&arguments).succeeded().out;
        let longest = out.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(longest.chars().count() <= 80, "{longest}");
    }
}

/// In a pipe tables and prose are made for 80 columns, whatever `COLUMNS` says, and help follows
/// it. What terminals show is in `terminal.rs`.
#[test]
fn pipes_have_tables_of_80_columns() {
    let here = hostile();
    here.run(&["release", "plan.toml"]).succeeded();
    let at = |columns: &str, arguments: &[&str]| {
        let mut command = here.command(arguments);
        command.env("COLUMNS", columns);
        Done::of(command).succeeded().out
    };
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max();
    for arguments in [
        &["plan", "plan.toml"][..],
        &["inspect", "plan.toml", "--not-private"],
        &["release", "plan.toml"],
        &["release", "plan.toml", "--method", "-"],
        &["ledger", "show", "lastbit.ledger"],
        &["ledger", "history", "lastbit.ledger"],
    ] {
        let [narrow, wide] = ["80", "120"].map(|columns| at(columns, arguments));
        assert_eq!(narrow, wide, "{arguments:?}");
        assert!(widest(&narrow) <= Some(80), "{narrow}");
    }
    for command in [
        "draft", "inspect", "ledger", "plan", "rehearse", "release", "query",
    ] {
        for (columns, most) in [("80", 80), ("120", 120)] {
            let help = at(columns, &[command, "--help"]);
            assert!(widest(&help) <= Some(most), "{columns}: {help}");
        }
    }
}

#[test]
fn a_loss_that_protects_little_is_warned_of_everywhere() {
    let here = Here::new();
    here.write(
        "plan.toml",
        plan(50).replace("epsilon = 1", "epsilon = 1000"),
    );
    for arguments in [
        &["plan", "plan.toml"][..],
        &["plan", "plan.toml", "--json"],
        &["plan", "plan.toml", "--html", "-"],
        &["rehearse", "plan.toml", "--html", "-"],
        &["release", "plan.toml", "--json"],
        &["convert", "--from", "pure:1000"],
    ] {
        let out = here.run(arguments).succeeded().out;
        let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("protects little"), "{out}");
    }
    let out = here.run(&["convert", "--from", "pure:1"]).succeeded().out;
    assert!(out.contains("73.2 %") && !out.contains("WARNING"), "{out}");
}

#[test]
fn what_is_computed_is_shown_in_the_words_of_the_plan() {
    let here = Here::empty();
    here.write(
        "plan.toml",
        r#"
title = "T"
expected_rows = 1000
[source]
files = "t.csv"
[privacy]
neighbours = "add-remove"
unit = "household"
most_rows = 5
[budget]
epsilon = 1
[columns.household]
as = "concat(street, house)"
discover = true
[[statistics]]
name = "of age"
kind = "share"
of = "age >= 18"
"#,
    );
    let report = here.run(&["rehearse", "plan.toml", "--json"]).succeeded();
    let statistic = &report.json()["statistics"][0];
    assert_eq!(statistic["of"][0], "age >= 18");
    let about = statistic["about"].as_array().unwrap();
    let derived = "`household` is `concat(street, house)`";
    assert!(about.iter().any(|phrase| phrase == derived), "{about:?}");
}

/// A plan about large numbers, with Gaussian noise and a quantile.
const LARGE: &str = r#"
title = "Wages of 10000 people"
accountant = "zcdp"
expected_rows = 50_000
[source]
files = "wages.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
delta = 1e-6
[columns.wage]
lower = 0
upper = 1_000_000
unit = "EUR"
[[statistics]]
name = "12345"
kind = "sum"
of = "wage"
[[statistics]]
name = "middle"
kind = "quantiles"
of = "wage"
at = [0.5]
"#;

#[test]
fn pages_of_prices_write_numbers_as_those_of_reports() {
    let here = Here::empty();
    here.write("plan.toml", LARGE);
    let json = here
        .run(&["plan", "plan.toml", "--json"])
        .succeeded()
        .json();
    let error = json["statistics"][0]["error"].as_f64().unwrap();
    assert!(error >= 1e6, "{error}");
    let million = "1<span class=\"g\">000</span><span class=\"g\">000</span>";
    for command in ["plan", "rehearse"] {
        let page = here
            .run(&[command, "plan.toml", "--html", "-"])
            .succeeded()
            .out;
        assert!(page.contains(&format!("above {million} as {million}")));
        // No number of five digits stands anywhere in one piece, but in names and hashes.
        let (_, body) = page.split_once("<body>").unwrap();
        let texts = body.split('<').filter_map(|part| part.split_once('>'));
        for (tag, text) in texts {
            let is_name = ["bdi", "code", "title", "h1"].contains(&tag);
            let numbers = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
            let mut wholes = numbers.filter_map(|number| number.split('.').next());
            let is_long = wholes.any(|whole| whole.len() > 4);
            assert!(is_name || !is_long, "{command}: <{tag}>{text}");
        }
    }
}

#[test]
fn words_of_the_field_are_explained_where_they_stand() {
    let here = Here::empty();
    here.write("plan.toml", LARGE);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let price = [
        "“10 % from”: the smallest group",
        "“ρ”: a loss in zero-concentrated differential privacy (zCDP)",
        "“Scale” and “σ”: how large the noise is",
        "“Selection”: a value is drawn at random",
        "“Grid”: a public step",
        "“Accountant”: a rule that adds up the losses",
    ];
    let text = words(&here.run(&["plan", "plan.toml"]).succeeded().out);
    let page = here.run(&["plan", "plan.toml", "--html", "-"]).succeeded();
    for part in price {
        assert!(text.contains(part), "{part}: {text}");
        assert!(page.out.contains(part), "{part}");
    }
    let report = [
        "Loss: a bound on what anybody can find out about one unit",
        "δ: a probability up to which this may fail; ρ: a loss in zero-concentrated",
        "Accountant: the rule that adds up the losses of statistics; zcdp adds up ρ.",
        "Grid: a public step",
    ];
    for form in [
        &["rehearse", "plan.toml"][..],
        &["rehearse", "plan.toml", "--method", "-"],
    ] {
        let text = words(&here.run(form).succeeded().out);
        for part in report {
            assert!(text.contains(part), "{form:?}: {part}: {text}");
        }
    }
    let page = here
        .run(&["rehearse", "plan.toml", "--html", "-"])
        .succeeded()
        .out;
    let told = "<dt>Grid of values</dt><dd><code>multiples of 2^";
    assert!(
        page.contains(told) && page.contains("<dt>Accountant</dt><dd>the rule"),
        "{page}"
    );
    // What does not occur is not explained.
    here.write("plain.toml", plan(50));
    let text = words(&here.run(&["plan", "plain.toml"]).succeeded().out);
    assert!(
        !text.contains("“ρ”") && !text.contains("“Selection”"),
        "{text}"
    );
}
