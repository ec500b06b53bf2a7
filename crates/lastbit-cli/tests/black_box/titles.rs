//! Names of columns for readers.

use crate::support::Here;

#[test]
fn a_title_is_shown_to_readers_and_names_stay_for_programs() {
    let here = Here::empty();
    here.write("people.csv", "female,AGE\n0,30\n1,40\n1,50\n");
    let plan = |title: &str| {
        format!(
            "title = \"People\"\n[source]\nfiles = \"people.csv\"\n[privacy]\n\
             neighbours = \"add-remove\"\n[budget]\nepsilon = 1\n[columns.female]\n{title}\
             labels = {{ 0 = \"men\", 1 = \"women\" }}\n[columns.AGE]\n\
             title = \"Age <years>\"\nlower = 0\nupper = 100\n\
             [[statistics]]\nname = \"ages\"\nkind = \"mean\"\nof = \"AGE\"\nby = \"female\"\n"
        )
    };
    here.write("plan.toml", plan("title = \"Sex\"\n"));
    let files = ["--html", "page.html", "--csv", "table.csv"];
    let arguments = [&["release", "plan.toml", "--yes"][..], &files].concat();
    let text = here.run(&arguments).succeeded().out;
    assert!(text.contains("ages: mean of Age <years> by Sex"), "{text}");
    assert!(text.lines().any(|line| line.trim().starts_with("Sex ")));
    let notes = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(notes.contains("Age <years> (`AGE`) is clamped to [0, 100]"));
    let page = here.read("page.html");
    // Names stand in elements of their own.
    assert!(page.contains(">Age &lt;years&gt;<") && page.contains(">Sex<"));
    assert!(!page.contains("<years>"));
    let table = here.read("table.csv");
    assert!(table.lines().next().unwrap().contains(",by.female,"));
    assert!(!table.contains("Sex"), "{table}");
    let again = here.run(&["release", "plan.toml", "--json"]).succeeded();
    let report = again.json();
    assert_eq!(report["statistics"][0]["by"][0], "female");
    assert_eq!(report["statistics"][0]["titles"]["female"], "Sex");
    // Another title is no other release.
    here.write("plan.toml", plan(""));
    let again = here.run(&["release", "plan.toml", "--json"]).succeeded();
    assert!(again.err.contains("at no cost"), "{}", again.err);
    here.write("plan.toml", plan("title = \"\"\n"));
    here.run(&["plan", "plan.toml"]).refused("`title` is empty");
}
