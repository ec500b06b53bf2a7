//! Tables about the same people: what a join is by, and that people are in one group of it.

use crate::support::Here;

fn encounters(join: &str, most_groups: u64, statistics: &str) -> Here {
    let here = Here::empty();
    let rows: String = (0..300)
        .map(|i| format!("{},{},{}\n", i, i % 40, 10 + i % 7))
        .collect();
    here.write("encounters.csv", format!("ID,PATIENT,COST\n{rows}"));
    let rows: String = (0..40)
        .map(|i| format!("{i},{},{}\n", ["F", "M"][i % 2], 1940 + i))
        .collect();
    here.write("patients.csv", format!("ID,GENDER,BORN\n{rows}"));
    here.write(
        "plan.toml",
        format!(
            "[source]\nfiles = \"encounters.csv\"\n{join}[privacy]\nneighbours = \"add-remove\"\n\
             unit = \"PATIENT\"\nmost_rows = 3\nmost_groups = {most_groups}\n\
             [budget]\nepsilon = 1\n\
             [columns.GENDER]\ncategories = [\"F\", \"M\"]\n[columns.COST]\nlower = 0\nupper = 20\n\
             [columns.age]\nas = \"2020 - number(BORN)\"\nlower = 0\nupper = 100\n{statistics}"
        ),
    );
    here
}

const JOIN: &str = "[[source.join]]\nfiles = \"patients.csv\"\nunit = \"ID\"\n\
                    columns = [\"GENDER\", \"BORN\"]\n";

const BY_GENDER: &str = "[[statistics]]\nname = \"by sex\"\nkind = \"count\"\nby = \"GENDER\"\n";

/// A person has one row of the joined table, so that three groups cost no more than one.
#[test]
fn a_person_is_in_one_group_of_a_joined_column() {
    let mechanism = |most_groups| {
        let here = encounters(JOIN, most_groups, BY_GENDER);
        let price = here.run(&["plan", "plan.toml", "--json"]).succeeded();
        let price = price.json();
        let one = &price["statistics"][0];
        (one["mechanism"].to_string(), one["error"].to_string())
    };
    let one = mechanism(1);
    assert_eq!(mechanism(3), one);
    assert!(one.0.contains("\"scale\":3.0"), "{one:?}");
    // In words, and in the report, whose numbers are within its errors.
    let here = encounters(JOIN, 3, BY_GENDER);
    let released = here.run(&["release", "plan.toml", "--json"]).succeeded();
    let statistic = &released.json()["statistics"][0];
    let about = statistic["about"][0].as_str().unwrap();
    let expected = "at most 3 rows of each `PATIENT`, which has one `GENDER`,";
    assert!(about.starts_with(expected), "{about}");
    for cell in statistic["cells"].as_array().unwrap() {
        let number = |key: &str| cell[key].as_str().unwrap().parse::<f64>().unwrap();
        // 20 patients of each, three rows of each: beyond 100 with probability below 10^-14.
        assert!((number("value") - 60.0).abs() < 100.0, "{cell}");
        assert!(number("error") < 12.0, "{cell}");
    }
}

/// The column of the unit may have another name in the other table.
#[test]
fn a_join_is_by_the_unit_under_the_name_that_it_has_there() {
    let without = JOIN.replace("unit = \"ID\"\n", "");
    let here = encounters(&without, 1, BY_GENDER);
    for command in ["plan", "release"] {
        let refused = here.run(&[command, "plan.toml"]).refused(
            "`patients.csv` has no column `PATIENT`; its columns are `ID`, `GENDER`, `BORN`; a \
             private table is joined by the unit, `PATIENT`: if that column has another name \
             there, write it as `unit` in [[source.join]], such as unit = \"ID\"",
        );
        assert!(!refused.err.contains("panicked"));
    }
    let here = encounters(JOIN, 1, BY_GENDER);
    let seen = here
        .run(&["inspect", "plan.toml", "--not-private", "--json"])
        .succeeded()
        .json();
    assert!(!seen.to_string().contains("has a value in no row"));
    here.run(&["release", "plan.toml"]).succeeded();
    // A key of both tables is refused, with what to write.
    let here = encounters(&JOIN.replace("unit =", "key ="), 1, BY_GENDER);
    here.run(&["plan", "plan.toml"])
        .refused("If the unit's column has another name there, write it as `unit`");
    let own = JOIN.replace("\"BORN\"", "\"ID\"");
    let here = encounters(&own, 1, BY_GENDER);
    here.run(&["plan", "plan.toml"]).refused("other than `ID`");
}

/// What an error proposes can be done.
#[test]
fn conditions_on_computed_columns_are_explained() {
    let share = |of: &str| {
        let text = format!("[[statistics]]\nname = \"old\"\nkind = \"share\"\nof = \"{of}\"\n");
        encounters(JOIN, 1, &text)
    };
    let advice = "or ask for a condition, such as of = \"(2020 - number(BORN)) > 0\"";
    share("age").run(&["plan", "plan.toml"]).refused(advice);
    share("(2020 - number(BORN)) > 65")
        .run(&["release", "plan.toml"])
        .succeeded();
    let computed = "`age` is computed in the plan, and here it must be a column of the files";
    for command in ["plan", "release"] {
        share("age > 65")
            .run(&[command, "plan.toml"])
            .refused(computed);
        let here = encounters(&format!("where = \"age > 18\"\n{JOIN}"), 1, BY_GENDER);
        here.run(&[command, "plan.toml"]).refused(computed);
        let here = encounters(&format!("where = \"GENDER = F\"\n{JOIN}"), 1, BY_GENDER);
        here.run(&[command, "plan.toml"])
            .refused("a text is written in single quotes: 'F'");
        // A name that is almost one of the columns is that.
        let here = encounters(&format!("where = \"COSTS > 1\"\n{JOIN}"), 1, BY_GENDER);
        let refused = here.run(&[command, "plan.toml"]);
        refused.failed("did you mean `COST`?");
        assert!(!refused.err.contains("single quotes"), "{}", refused.err);
    }
    // As the error says, `where` of a statistic sees it.
    let old = format!("{BY_GENDER}where = \"age > 65\"\n");
    encounters(JOIN, 1, &old)
        .run(&["release", "plan.toml"])
        .succeeded();
}

/// A row that is its patient's and its referrer's would let one person decide cells of many.
#[test]
fn no_row_is_of_two_people() {
    let refused = |join: &str, says: &str| {
        let here = encounters(join, 1, BY_GENDER);
        std::fs::hard_link(here.path("encounters.csv"), here.path("same.csv")).unwrap();
        here.run(&["plan", "plan.toml"]).refused(says);
        here.run(&["release", "plan.toml", "--yes"]).refused(says);
    };
    let table = |files: &str, unit: &str, column: &str| {
        format!(
            "[[source.join]]\nfiles = \"{files}\"\nunit = \"{unit}\"\ncolumns = \
             [\"{column}\"]\n"
        )
    };
    let two = "a row of two people lets one of them decide";
    refused(&table("encounters.csv", "ID", "GENDER"), two);
    refused(&table("same.csv", "ID", "GENDER"), two);
    refused(
        &table("./*.csv", "ID", "GENDER"),
        "name the files of this table one by one",
    );
    let both = table("patients.csv", "ID", "GENDER") + &table("patients.csv", "GENDER", "BORN");
    refused(&both, two);
}

/// Losses about people of other columns have no sum.
#[test]
fn a_ledger_knows_whose_the_rows_of_joined_tables_are() {
    let here = encounters(JOIN, 1, BY_GENDER);
    let spend = |text: String| here.write("plan.toml", text + "[spend]\nepsilon = 0.25\n");
    spend(here.read("plan.toml"));
    here.run(&["release", "plan.toml"]).succeeded();
    spend(
        here.read("plan.toml")
            .replace("[spend]\nepsilon = 0.25\n", "")
            .replace(
                "unit = \"ID\"\ncolumns = [\"GENDER\", \"BORN\"]",
                "unit = \"BORN\"\ncolumns = [\"GENDER\"]",
            )
            .replace("number(BORN)", "number(COST)"),
    );
    here.run(&["release", "plan.toml"])
        .refused("called \"BORN\" in a joined table");
}

/// A column of the rows with one listed value is not one that a person has once.
#[test]
fn only_what_a_person_has_once_is_said_to_be_so() {
    let one = "[columns.ID]\ncategories = [\"7\"]\n[[statistics]]\nname = \"one\"\nkind = \
               \"count\"\nby = [\"GENDER\", \"ID\"]\n";
    let here = encounters(JOIN, 3, one);
    let price = here.run(&["plan", "plan.toml"]).succeeded();
    let words: String = price.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("which has one `GENDER`"), "{words}");
    assert!(!words.contains("one `ID`"), "{words}");
}
