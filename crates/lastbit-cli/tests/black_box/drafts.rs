//! Drafts of tables in every format.

use crate::support::Here;

#[test]
fn a_draft_of_every_format_names_columns_and_is_refused_until_filled() {
    let here = Here::empty();
    here.write("a.csv", "person_id,\"the \"\"age\"\"\"\n1,2\n");
    here.write("a.jsonl", "{\"person_id\": 1, \"town\": \"x\"}\n");
    for (file, column) in [
        ("a.csv", r#"[columns."the \"age\""]"#),
        ("a.jsonl", "[columns.\"town\"]"),
    ] {
        let draft = here.run(&["draft", file]).succeeded().out;
        assert!(draft.contains(column), "{draft}");
        assert!(draft.contains("may say who: \"person_id\""));
        here.write("plan.toml", &draft);
        here.run(&["plan", "plan.toml"]).refused("still to fill in");
        here.run(&["rehearse", "plan.toml"])
            .refused("still to fill in");
        here.run(&["release", "plan.toml"])
            .refused("still to fill in");
    }
    here.run(&["draft", "none.csv"]).refused("none.csv");
    here.write("a.bin", "x");
    here.run(&["draft", "a.bin"]).refused("ends in .csv");
    assert_eq!(here.files(), ["a.bin", "a.csv", "a.jsonl", "plan.toml"]);
}
