//! Plans as text and form: each follows the other, and nothing is lost.

use std::fs;

use serde_json::{Value, json};

use crate::support::{PLAN, Served};

fn look(served: &Served, cookie: &str, text: &str, operations: Value) -> Value {
    let answer = served.post(
        cookie,
        "/api/plan",
        &json!({ "text": text, "operations": operations }),
    );
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

/// The value of a field.
fn field(answer: &Value, path: Value) -> Value {
    let form = &answer["form"];
    let sections =
        ["sections", "columns", "statistics"].map(|list| form[list].as_array().unwrap().clone());
    sections
        .iter()
        .flatten()
        .flat_map(|section| section["fields"].as_array().unwrap())
        .find(|field| field["path"] == path)
        .unwrap_or_else(|| panic!("no field {path}"))["value"]
        .clone()
}

#[test]
fn a_plan_of_very_many_statistics_is_refused_at_once() {
    let served = Served::new();
    let cookie = served.log_in();
    let one = |index: usize| format!("[[statistics]]\nname = \"n{index}\"\nkind = \"count\"\n");
    let text: String = core::iter::once(PLAN.to_owned())
        .chain((0..9_000).map(one))
        .collect();
    let looked = served
        .post(&cookie, "/api/plan", &json!({ "text": text }))
        .json();
    let words = looked["mistakes"][0]["message"].as_str().unwrap();
    assert!(words.contains("and there are 9002"), "{words}");
}

#[test]
fn advice_names_a_column_that_is_not_there_and_what_was_released_before() {
    let served = Served::new();
    let cookie = served.log_in();
    let advice = |text: &str| {
        served
            .post(&cookie, "/api/advice", &json!({ "text": text }))
            .json()
    };
    let fresh = advice(PLAN);
    assert!(
        fresh["names"].is_null() && fresh["before"].is_null(),
        "{fresh}"
    );
    let misspelt = advice(
        &PLAN
            .replace("columns.wage", "columns.wagee")
            .replace("\"wage\"", "\"wagee\""),
    );
    let words = misspelt["names"].as_str().unwrap();
    assert!(words.contains("did you mean `wage`?"), "{words}");
    let released = crate::releases::release(&served, &cookie, "plan.toml");
    assert!(released["done"].is_object(), "{released}");
    let same = advice(PLAN);
    let words = same["before"].as_str().unwrap();
    assert!(
        words.contains("Released before") && words.contains("at no cost"),
        "{words}"
    );
    // One more statistic: the others are bought again.
    let more = format!("{PLAN}[[statistics]]\nname = \"all\"\nkind = \"count\"\n");
    let again = advice(&more);
    let words = again["before"].as_str().unwrap();
    assert!(words.contains("`people`"), "{words}");
}

#[test]
fn a_field_changes_its_value_and_nothing_else() {
    let served = Served::new();
    let cookie = served.log_in();
    let changes = [
        (
            json!(["columns", "wage", "upper"]),
            "12_000",
            "upper = 10_000           # the tariff",
            "upper = 12_000           # the tariff",
        ),
        (
            json!(["title"]),
            "Pay \"x\"",
            "title = \"Wages\"          # of everybody",
            "title = 'Pay \"x\"'          # of everybody",
        ),
        (
            json!(["columns", "place", "categories"]),
            "north\nsouth\neast",
            "[\"north\", \"south\"]",
            "[\"north\", \"south\", \"east\"]",
        ),
        (
            json!(["spend", "epsilon"]),
            "1/3",
            "epsilon = 0.25           # a quarter",
            "epsilon = \"1/3\"           # a quarter",
        ),
        (
            json!(["statistics", 0, "by"]),
            "place, wage",
            "by = \"place\"",
            "by = [\"place\", \"wage\"]",
        ),
        (
            json!(["statistics", 1, "expected_rows"]),
            "",
            "expected_rows = 400\n",
            "",
        ),
    ];
    for (path, value, before, after) in changes {
        let answer = look(
            &served,
            &cookie,
            PLAN,
            json!([{ "do": "set", "path": path, "value": value }]),
        );
        assert_eq!(
            answer["text"].as_str().unwrap(),
            PLAN.replace(before, after),
            "{path}"
        );
        assert_eq!(field(&answer, path).as_str().unwrap(), value);
    }
    // Setting a field to what it shows changes no byte, of this plan or of the examples.
    let examples = ["clinic", "hospital", "labour"].map(|name| {
        fs::read_to_string(format!(
            "{}/../../examples/{name}/plan.toml",
            env!("CARGO_MANIFEST_DIR")
        ))
        .unwrap()
    });
    for text in examples.iter().map(String::as_str).chain([PLAN]) {
        let first = look(&served, &cookie, text, json!([]));
        let form = &first["form"];
        let mut operations = Vec::new();
        for list in ["sections", "columns", "statistics"] {
            for section in form[list].as_array().unwrap() {
                for field in section["fields"].as_array().unwrap() {
                    if field["fixed"] == false {
                        operations.push(
                            json!({ "do": "set", "path": field["path"], "value": field["value"] }),
                        );
                    }
                }
            }
        }
        assert!(operations.len() > 20);
        let again = look(&served, &cookie, text, json!(operations));
        assert_eq!(again["text"].as_str().unwrap(), text);
    }
}

#[test]
fn an_interval_is_left_out_only_by_a_false_that_stands_there() {
    let served = Served::new();
    let cookie = served.log_in();
    let median =
        "[[statistics]]\nname = \"median\"\nkind = \"quantiles\"\nof = \"wage\"\nat = [0.5]\n";
    let text = format!("{PLAN}{median}");
    let path = json!(["statistics", 2, "interval"]);
    let set = |text: &str, value: &str| {
        let set = json!([{ "do": "set", "path": path, "value": value }]);
        let answer = look(&served, &cookie, text, set);
        assert_eq!(field(&answer, path.clone()), value);
        answer
    };
    let without = set(&text, "false");
    assert_eq!(without["text"], format!("{text}interval = false\n"));
    // All of the loss is for the value: another error.
    let error = |answer: &Value| answer["price"]["statistics"][2]["error"].clone();
    let with = set(&text, "true");
    assert_eq!(with["text"], format!("{text}interval = true\n"));
    assert!(error(&with).is_string() && error(&with) != error(&without));
    let neither = set(without["text"].as_str().unwrap(), "");
    assert_eq!(neither["text"], text);
    assert_eq!(error(&neither), error(&with));
}

#[test]
fn what_a_field_cannot_hold_is_left_to_the_text() {
    let served = Served::new();
    let cookie = served.log_in();
    let text = PLAN
        .replace("[\"north\", \"south\"]", "\"months\"")
        .replace(
            "unit = \"EUR\"",
            "unit = \"EUR\"\ngrid = -4\nmissing_codes = [99, \"NA\"]",
        )
        .replace("by = \"place\"", "by = [\"a, b\"]");
    let answer = look(&served, &cookie, &text, json!([]));
    let columns = answer["form"]["columns"].as_array().unwrap();
    assert_eq!(columns[0]["more"], json!(["grid", "missing_codes"]));
    let fixed = |section: &Value, key: &str| {
        section["fields"]
            .as_array()
            .unwrap()
            .iter()
            .find(|field| field["path"].as_array().unwrap().last().unwrap() == key)
            .unwrap()["fixed"]
            .clone()
    };
    assert_eq!(fixed(&columns[1], "categories"), true);
    assert_eq!(fixed(&answer["form"]["statistics"][0], "by"), true);
    // An edit elsewhere keeps them.
    let edited = look(
        &served,
        &cookie,
        &text,
        json!([{ "do": "set", "path": ["columns", "wage", "lower"], "value": "5" }]),
    );
    assert_eq!(
        edited["text"].as_str().unwrap(),
        text.replace("lower = 0", "lower = 5")
    );
}

#[test]
fn columns_and_statistics_come_and_go() {
    let served = Served::new();
    let cookie = served.log_in();
    let answer = look(
        &served,
        &cookie,
        PLAN,
        json!([
            { "do": "add_column", "name": "age", "numbers": true },
            { "do": "add_statistic", "name": "all" },
        ]),
    );
    assert_eq!(answer["form"]["columns"][2]["title"], "age");
    assert_eq!(answer["form"]["statistics"][2]["title"], "all");
    let messages: Vec<&str> = answer["mistakes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["message"].as_str().unwrap())
        .collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(
        messages[0].starts_with("this is still to fill in: the least"),
        "{messages:?}"
    );
    assert_eq!(
        answer["mistakes"][1]["path"],
        json!(["columns", "age", "upper"])
    );
    let back = look(
        &served,
        &cookie,
        answer["text"].as_str().unwrap(),
        json!([
            { "do": "remove", "path": ["columns", "age"] },
            { "do": "remove", "path": ["statistics", 2] },
        ]),
    );
    assert_eq!(back["text"].as_str().unwrap(), PLAN);
    // Without [spend], a slider makes it beside [budget].
    let whole = PLAN.replace("[spend]\nepsilon = 0.25           # a quarter\n", "");
    let spent = look(
        &served,
        &cookie,
        &whole,
        json!([{ "do": "set", "path": ["spend", "epsilon"], "value": "0.5" }]),
    );
    assert!(
        spent["text"]
            .as_str()
            .unwrap()
            .contains("[budget]\nepsilon = 1\n\n[spend]\nepsilon = 0.5\n"),
        "{}",
        spent["text"]
    );
    assert_eq!(spent["price"]["loss"], "ε = 0.5");
}

#[test]
fn every_mistake_is_at_its_field_in_the_words_of_the_command() {
    let served = Served::new();
    let cookie = served.log_in();
    let text = PLAN
        .replace("upper = 10_000", "upper = -1")
        .replace("[\"north\", \"south\"]", "[]");
    let answer = look(&served, &cookie, &text, json!([]));
    let mistakes = answer["mistakes"].as_array().unwrap();
    assert_eq!(mistakes.len(), 2, "{mistakes:?}");
    assert_eq!(mistakes[0]["path"], json!(["columns", "wage"]));
    assert_eq!(
        mistakes[1]["path"],
        json!(["columns", "place", "categories"])
    );
    let said = lastbit_release::plan::Plan::parse(&text).unwrap_err();
    assert_eq!(mistakes[0]["message"], said.message());
    let text = PLAN
        .replace("kind = \"count\"", "kind = \"cuont\"")
        .replace("of = \"wage\"", "of = \"wgae\"");
    let answer = look(&served, &cookie, &text, json!([]));
    let paths: Vec<&Value> = answer["mistakes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["path"])
        .collect();
    assert_eq!(paths.len(), 2, "{answer}");
    assert_eq!(*paths[0], json!(["statistics", 0, "kind"]));
    assert_eq!(paths[1][1], 1);
    // A text that is no TOML has its mistake, and the form waits.
    let answer = look(&served, &cookie, "title = ", json!([]));
    assert!(answer["form"].is_null());
    assert!(
        answer["mistakes"][0]["message"]
            .as_str()
            .unwrap()
            .starts_with("not TOML")
    );
}

#[test]
fn locks_keep_errors_and_the_rest_is_shared() {
    let served = Served::new();
    let cookie = served.log_in();
    let before = look(&served, &cookie, PLAN, json!([]));
    let target = before["price"]["statistics"][1]["target"].clone();
    let locked = look(
        &served,
        &cookie,
        PLAN,
        json!([
            { "do": "share", "index": 1, "by": "error", "value": target },
            { "do": "set", "path": ["spend", "epsilon"], "value": "0.5" },
        ]),
    );
    let error = |answer: &Value, index: usize| {
        answer["price"]["statistics"][index]["about_error"]
            .as_f64()
            .unwrap()
    };
    assert!(error(&locked, 1) <= error(&before, 1));
    assert!(error(&locked, 0) < error(&before, 0));
    assert_eq!(locked["price"]["loss"], "ε = 0.5");
    let text = locked["text"].as_str().unwrap();
    let smallest = served
        .post(&cookie, "/api/advice", &json!({ "text": text }))
        .json();
    let words = smallest["smallest"].as_str().unwrap();
    assert!(
        words.starts_with("ε = 0.1") && words.ends_with("for the statistic that shares the rest"),
        "{words}"
    );
    // More than there is: the smallest sufficient budget, in the words of the command.
    let tight = look(
        &served,
        &cookie,
        text,
        json!([{ "do": "share", "index": 0, "by": "loss", "value": "0.9" }]),
    );
    let mistake = &tight["mistakes"][0];
    assert!(
        mistake["message"]
            .as_str()
            .unwrap()
            .contains("the smallest sufficient budget is"),
        "{mistake}"
    );
    assert_eq!(mistake["path"], json!(["spend"]));
    let free = look(
        &served,
        &cookie,
        text,
        json!([{ "do": "share", "index": 1, "by": "weight", "value": "1" }]),
    );
    assert!(!free["text"].as_str().unwrap().contains("error ="));
}

#[test]
fn a_plan_is_saved_unless_it_was_changed_elsewhere() {
    let served = Served::new();
    let cookie = served.log_in();
    let first = look(&served, &cookie, PLAN, json!([]));
    let text = PLAN.replace("10_000", "9_000");
    let save = |before: &Value| {
        served.post(
            &cookie,
            "/api/save",
            &json!({ "name": "plan.toml", "text": text, "before": before }),
        )
    };
    let saved = save(&first["hash"]);
    assert_eq!(saved.status, 200);
    assert_eq!(
        fs::read_to_string(served.path().join("plan.toml")).unwrap(),
        text
    );
    let again = save(&first["hash"]);
    assert_eq!(again.status, 409);
    assert!(again.body.contains("changed elsewhere"));
    let names: Vec<_> = fs::read_dir(served.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn what_is_typed_into_a_list_is_the_list() {
    let served = Served::new();
    let cookie = served.log_in();
    let draft = PLAN.replace("[\"north\", \"south\"]", "\"FILL IN: all of them\"");
    let set = |text: &str, typed: &str| {
        let path = json!(["columns", "place", "categories"]);
        let operations = json!([{ "do": "set", "path": path, "value": typed }]);
        let body = json!({ "text": text, "operations": operations });
        served.post(&cookie, "/api/plan", &body)
    };
    for (typed, list) in [
        ("north", "[\"north\"]"),
        ("north\nsouth, far\n", "[\"north\", \"south, far\"]"),
        ("[\"north\", \"south\"]", "[\"north\", \"south\"]"),
        ("[\n  \"north\", # up\n]", "[\"north\"]"),
    ] {
        for text in [draft.as_str(), PLAN] {
            let answer = set(text, typed).json();
            let line = format!("categories = {list}\n");
            let text = answer["text"].as_str().unwrap();
            assert!(text.contains(&line), "{typed}: {text}");
        }
    }
    for typed in ["[north, south]", "north\n[south", "[[1]]"] {
        let answer = set(&draft, typed);
        assert_eq!(answer.status, 409, "{typed}: {}", answer.body);
        assert!(answer.body.contains("one category a line"));
    }
    // One that is there already stays.
    let odd = PLAN.replace("\"north\"", "\"[north]\"");
    let answer = set(&odd, "[north]\neast").json();
    assert!(
        answer["text"]
            .as_str()
            .unwrap()
            .contains("[\"[north]\", \"east\"]")
    );
}

#[test]
fn lines_end_in_the_file_as_they_did() {
    let served = Served::new();
    let cookie = served.log_in();
    let file = served.path().join("plan.toml");
    fs::write(&file, PLAN.replace('\n', "\r\n")).unwrap();
    // A browser gives the text back with its own ends of lines.
    let looked = served
        .post(&cookie, "/api/plan", &json!({ "text": PLAN }))
        .json();
    let page = served.get(&cookie, "/plan/plan.toml").body;
    let hash = looked["hash"].as_str().unwrap();
    assert!(page.contains(&format!("data-hash=\"{hash}\"")));
    let text = PLAN.replace("Wages", "Pay");
    let body = json!({ "name": "plan.toml", "text": text, "before": hash });
    assert_eq!(served.post(&cookie, "/api/save", &body).status, 200);
    let saved = fs::read_to_string(&file).unwrap();
    assert_eq!(saved, text.replace('\n', "\r\n"));
}

#[test]
fn tables_are_known_in_large_letters_too() {
    let served = Served::new();
    let cookie = served.log_in();
    fs::write(served.path().join("PEOPLE.CSV"), "age,place\n1,north\n").unwrap();
    assert!(served.get(&cookie, "/draft").body.contains("PEOPLE.CSV"));
    let columns = served.post(&cookie, "/api/columns", &json!({ "table": "PEOPLE.CSV" }));
    assert_eq!(columns.json()["columns"][0]["name"], "age");
    // What may be a row in the place of names is not shown.
    fs::write(served.path().join("PEOPLE.CSV"), "Anna,34\n").unwrap();
    let row = served.post(&cookie, "/api/columns", &json!({ "table": "PEOPLE.CSV" }));
    assert!(
        row.status == 409 && !row.body.contains("Anna"),
        "{}",
        row.body
    );
}

#[test]
fn a_private_file_named_as_public_is_refused_without_its_cells() {
    let served = Served::new();
    let cookie = served.log_in();
    let rows = "wage,place\n77123,north\n77123,south\n";
    fs::write(served.path().join("wages.csv"), rows).unwrap();
    let lookup = "[[source.lookup]]\nfile = \"wages.csv\"\nkey = \"wage\"\n\
        columns = [\"place\"]\n[privacy]";
    let text = PLAN.replace("[privacy]", lookup);
    let answer = served.post(&cookie, "/api/plan", &json!({ "text": text }));
    assert!(answer.json()["price"].is_null());
    assert!(answer.body.contains("a file of the private data"));
    let mistakes = answer.json()["mistakes"].to_string();
    assert!(!mistakes.contains("77123"), "{mistakes}");
}
