//! What is said is the reason, and what it proposes can be done.

use crate::support::{Here, plan};

fn visits(unit: &str, epsilon: &str) -> String {
    format!(
        "[source]\nfiles = \"visits.csv\"\n[privacy]\nneighbours = \"add-remove\"\n\
         unit = \"{unit}\"\nmost_rows = 3\n[budget]\nepsilon = 2\n[spend]\nepsilon = {epsilon}\n\
         [[statistics]]\nname = \"visits\"\nkind = \"count\"\n"
    )
}

/// A ledger about other units refuses a plan whatever it spends, and `plan` says so before.
#[test]
fn another_unit_is_refused_for_that_reason() {
    let here = Here::empty();
    here.write("visits.csv", "ID,PATIENT\n1,7\n2,7\n3,8\n");
    here.write("plan.toml", visits("ID", "1.5"));
    here.run(&["release", "plan.toml", "--yes"]).succeeded();
    for epsilon in ["0.1", "2"] {
        here.write("plan.toml", visits("PATIENT", epsilon));
        let priced = here.run(&["plan", "plan.toml"]).succeeded();
        let words = priced.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let reason = "the plan protects all rows of one \"PATIENT\", added or removed, and the \
                      ledger is about all rows of one \"ID\", added or removed; their losses have \
                      no sum";
        assert!(words.contains(&format!("This will be refused: {}", "lastbit.ledger")));
        assert!(words.contains(reason), "{words}");
        assert!(words.contains("adds up for these people"), "{words}");
        assert!(!words.contains("it would spend"), "{words}");
        let json = here.run(&["plan", "plan.toml", "--json"]).succeeded();
        assert!(json.json()["refused"].as_str().unwrap().contains(reason));
        // As the release does.
        here.run(&["release", "plan.toml", "--yes"]).refused(reason);
    }
    // Its own plan is not refused.
    here.write("plan.toml", visits("ID", "0.1"));
    let json = here.run(&["plan", "plan.toml", "--json"]).succeeded();
    assert!(json.json()["refused"].is_null());
}

#[test]
fn a_question_that_asks_too_much_is_told_its_own_options() {
    let here = Here::new();
    let spent = "[budget]\nepsilon = 1\n[spend]\nepsilon = 0.9";
    here.write(
        "plan.toml",
        plan(50).replace("[budget]\nepsilon = 1", spent),
    );
    here.run(&["release", "plan.toml", "--yes"]).succeeded();
    let ask = |spend: &str| {
        let statement = "select count(*) from people";
        let arguments = [
            "query",
            "plan.toml",
            statement,
            "--epsilon",
            spend,
            "--price",
        ];
        let done = here.run(&arguments).succeeded();
        done.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let words = ask("0.5");
    assert!(words.contains("To take less, say less with --epsilon."));
    assert!(!words.contains("[spend]"), "{words}");
    // The statistics of the plan itself have [spend].
    let priced = here.run(&["plan", "plan.toml"]).succeeded().out;
    assert!(!priced.contains("--epsilon"), "{priced}");
}

/// An accountant that cannot price a plan is named, without the messages of its parts.
#[test]
fn other_accountants_are_named_without_their_errors() {
    let here = Here::new();
    let text = plan(50).replace("epsilon = 1", "epsilon = 1\ndelta = 1e-6");
    here.write("plan.toml", text);
    let statement = "select count(*) from people";
    let arguments = [
        "query",
        "plan.toml",
        statement,
        "--epsilon",
        "0.1",
        "--price",
    ];
    let words = here.run(&arguments).succeeded().out;
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("not possible here: zcdp"), "{words}");
    assert!(!words.contains("no finite epsilon"), "{words}");
}

#[test]
fn several_ledgers_are_the_reason_that_nothing_is_known_to_be_left() {
    let here = Here::new();
    here.release();
    std::fs::copy(here.path("lastbit.ledger"), here.path("other.ledger")).unwrap();
    let words = here.run(&["plan", "plan.toml"]).succeeded().out;
    assert!(words.contains("unknown") && words.contains("the reason is below"));
    assert!(!words.contains("cannot be read"), "{words}");
    assert!(words.contains("several ledgers lie beside the plan"));
}

/// An audit says for which δ its bound holds, and what last bits mean.
#[test]
fn an_audit_says_what_it_found() {
    let here = Here::empty();
    let audit = |command: &str| {
        let line = format!("lastbit audit --epsilon 1 --draws 1000 {command}");
        here.shell(&line).succeeded().out
    };
    let found = audit("--delta 0.2 -- cat");
    let verdict = found
        .lines()
        .skip_while(|line| !line.starts_with("Verdict"));
    let verdict = verdict.collect::<Vec<_>>().join(" ");
    assert!(verdict.contains("for the claimed δ = 0.2"), "{found}");
    assert!(verdict.starts_with("Verdict: the claim is refuted."));
    assert!(verdict.ends_with("claimed 1, δ = 0.2."), "{verdict}");
    assert!(!found.contains("last bits"), "{found}");
    // Numbers of one range, which end in a half for one of the inputs.
    let halves = "-- sh -c 'i=0; while read x; do i=$((i+1)); \
                  if [ $x = 0 ]; then echo $i; else echo $i.5; fi; done'";
    let found = audit(halves);
    let words = found.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("The last bits of the outputs tell the inputs apart"));
    for text in [&found, &audit("--delta 0.2 -- cat")] {
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
    }
}

/// A program whose noise is half of what it claims is not passed over.
#[test]
fn a_program_that_claims_too_little_is_told() {
    let here = Here::empty();
    let program = |divisor: &str| {
        format!(
            "program half\nparameters epsilon = 1, Delta = 1, \
             lambda = Delta / epsilon / {divisor}, Lambda = ceil2(lambda), \
             B = 1024\nu <- unif\ns <- sign\nx = clamp(f, B)\n\
             w = x (+) s (*) (lambda (*) ln~(u))\nreturn clamp(round(w, Lambda), B)\n"
        )
    };
    here.write("half.lb", program("2"));
    let done = here.run(&["verify", "program", "half.lb"]);
    done.failed("the program claims epsilon = 1, but its noise gives 2");
    assert!(
        done.out
            .contains("claim        epsilon = 1, but the noise gives 2")
    );
    let json = here.run(&["verify", "program", "half.lb", "--json"]);
    json.failed("claims less than its noise gives");
    assert_eq!(json.json()["claim_is_false"], true);
    here.write("whole.lb", program("1"));
    let done = here.run(&["verify", "program", "whole.lb"]).succeeded();
    assert!(!done.out.contains("claim "), "{}", done.out);
}

#[test]
fn a_draft_speaks_of_files_and_not_of_a_plan() {
    let here = Here::empty();
    here.write("people.txt", "a,b\n1,2\n");
    let refused = here.run(&["draft", "people.txt"]).refused("ends in .csv");
    assert!(!refused.err.contains("format ="), "{}", refused.err);
    let refused = here.run(&["draft", "nope.csv"]).refused("no file at");
    assert!(!refused.err.contains("the plan"), "{}", refused.err);
}
