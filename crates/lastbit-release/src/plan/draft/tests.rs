use super::*;
use crate::plan::Plan;

/// How a value begins that is to fill in.
const QUOTED: &str = "\"FILL IN";

fn column(name: &str, of: Option<DeclaredType>) -> Declared {
    let name = name.to_owned();
    Declared { name, of }
}

fn columns() -> Vec<Declared> {
    vec![
        column("patient_id", Some(DeclaredType::Number)),
        column("age, in\n\"years\" \u{202e}", None),
        column("ward", Some(DeclaredType::Text)),
        column("smokes", Some(DeclaredType::Boolean)),
        column("when", Some(DeclaredType::Other("Date32".to_owned()))),
    ]
}

#[test]
fn a_draft_is_refused_place_by_place_until_it_is_filled() {
    let read = "the schema of the file";
    let mut text = draft("clinic.parquet", None, read, &columns(), 8);
    assert!(!text.contains('\u{202e}'));
    let mut filled = 0;
    while let Some(at) = text.find(QUOTED) {
        let error = Plan::parse(&text).unwrap_err();
        assert!(
            error.message().starts_with("this is still to fill in"),
            "{error}"
        );
        let line = text[..at].rfind('\n').unwrap() + 1;
        let end = at + text[at..].find('\n').unwrap();
        let key = text[line..at].trim_end_matches(" = ").to_owned();
        // If there is a choice, the numbers.
        let is_choice = text[..line].ends_with("upper = 4\n");
        let is_date = text[at..end].contains(" day ");
        let value = match key.as_str() {
            "lower" if is_date => "lower = 2024-01-01".to_owned(),
            "upper" if is_date => "upper = 2024-12-31".to_owned(),
            "title" => "title = \"Clinic\"".to_owned(),
            "unit" => "unit = \"patient_id\"".to_owned(),
            "categories" if is_choice => String::new(),
            "categories" => "categories = [\"a\", \"b\"]".to_owned(),
            "lower" => "lower = 0".to_owned(),
            "epsilon" => "epsilon = 1".to_owned(),
            _ => format!("{key} = 4"),
        };
        text.replace_range(line..end, &value);
        filled += 1;
    }
    assert!(filled > 8, "{filled}");
    let plan = Plan::parse(&text).unwrap();
    // All except the one that says who.
    assert_eq!(plan.columns.len(), 4);
    assert_eq!(plan.columns[0].name, columns()[1].name);
    assert!(plan.statistics.iter().any(|s| s.kind.word() == "left-out"));
}

#[test]
fn columns_of_a_long_draft_are_comments() {
    let of = |most| draft("clinic.csv", Some(b';'), "its header", &columns(), most);
    let (open, closed) = (of(5), of(4));
    assert!(open.contains("\n[columns.\"ward\"]") && closed.contains("\n# [columns.\"ward\"]"));
    for text in [&open, &closed] {
        assert!(text.contains("files = \"clinic.csv\"\n"));
        assert!(text.contains("\ndelimiter = \";\"\n"));
    }
    // What is left to fill in has nothing to do with columns.
    let places = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.filter(|line| line.contains(QUOTED)).count()
    };
    assert_eq!(places(&closed), 5);
    assert!(places(&open) > 8);
}

#[test]
fn names_tell_people_and_dates() {
    for name in [
        "id",
        "RespId",
        "PatientID",
        "person_id",
        "id_patient",
        "UserId",
        "subject",
        "patient_nbr",
        "member number",
    ] {
        assert!(sounds_like_who(name), "{name}");
    }
    for name in [
        "paid",
        "covid",
        "Valid",
        "grid",
        "ID number",
        "wage",
        "number_outpatient",
    ] {
        assert!(!sounds_like_who(name), "{name}");
        assert!(name == "ID number" || !sounds_like_number(name), "{name}");
    }
    for name in ["encounter_id", "VendorID", "id_visit"] {
        assert!(!sounds_like_who(name) && sounds_like_number(name), "{name}");
    }
    assert!(!sounds_like_who("admission_type_id") && !sounds_like_number("admission_type_id"));
    for name in [
        "birthday",
        "Birthdate",
        "admission_date",
        "dob",
        "date_of_birth",
        "ScheduledDay",
        "visit_day",
    ] {
        assert!(sounds_like_date(name), "{name}");
    }
    for name in ["update", "candidate", "day", "Monday", "wage"] {
        assert!(!sounds_like_date(name), "{name}");
    }
}

#[test]
fn a_comment_may_say_what_is_to_fill_in() {
    assert!(check_filled("# lower = \"FILL IN: x\"\nlower = 1").is_ok());
    let error = check_filled("a = 1\nlower = \"FILL IN: the least\"\nu = \"FILL IN\"").unwrap_err();
    assert_eq!(
        error.message(),
        "this is still to fill in: the least (and one more place)"
    );
    assert_eq!(error.place().unwrap().line, 2);
}

#[test]
fn every_value_to_fill_in_is_found_where_it_begins() {
    let text = concat!(
        "a = \"FILL IN: é\"  # see\n",
        "b = [\"FILL IN\", 'it', \"FILL IN: [\\\"n\\\"]\"]\n",
        "c = 1  # \"FILL IN: x\"\nd = \"a # \\\" \"\n",
        "e = \"FILL IN: open\n",
    );
    let found = unfilled(text);
    let what: Vec<&str> = found.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(what, ["é", "", "[\"n\"]", "open"]);
    for one in &found {
        assert!(text[one.at..].starts_with("\"FILL IN"), "{one:?}");
    }
    assert_eq!(found[0].to_string(), "this is still to fill in: é");
    assert_eq!(found[1].to_string(), "this is still to fill in");
}
