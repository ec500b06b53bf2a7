use super::*;

#[test]
fn a_proof_that_assumes_is_refused_with_its_line() {
    for (text, word) in [
        ("Lemma a : True.\nProof. admit. Qed.", "2: `admit`"),
        ("Lemma a : False.\nProof.\nAdmitted.", "3: `Admitted`"),
        ("Axiom a : False.", "1: `Axiom`"),
        ("Parameter a : False.", "1: `Parameter`"),
        ("Section A. End A. Hypothesis h : False.", "1: `Hypothesis`"),
        ("Variable p : Z.", "1: `Variable`"),
        ("Unset Guard Checking.", "1: `Guard`"),
        ("Unset Universe Checking.", "1: `Universe`"),
        (
            "#[bypass_check(universes)]\nDefinition a := 1.",
            "1: `bypass_check`",
        ),
        ("Conjecture a : False.", "1: `Conjecture`"),
        (
            "Program Definition a : False := _.\nAdmit Obligations.",
            "2: `Admit`",
        ),
        ("Declare Module A : T.", "1: `Module`"),
        ("Module A. End A. Variable h : False.", "1: `Module`"),
        ("Load \"../a\".", "1: `Load`"),
        ("Primitive a := #int63_add.", "1: `Primitive`"),
        // What stands before the command, or between it and the last one
        ("Time Variable h : False.", "1: `Variable`"),
        ("#[local]\nContext (h : False).", "2: `Context`"),
        ("Check 0.\tVariable h : False.", "1: `Variable`"),
        // A section only looks open
        (
            "Definition a (\nSection : nat) := 0.\nVariable h : False.",
            "3: `Variable`",
        ),
        // A comment only looks open
        (
            "Check \"(*\".\nAxiom a : False.\nCheck \"*)\".",
            "2: `Axiom`",
        ),
        // A dependency that the build would not see
        ("Require Import Lastbit.Old.", "1: import"),
        ("From Lastbit Require Export Old.", "1: import"),
    ] {
        let error = check("A", text).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn sections_and_comments_are_free_to_say_it() {
    let text = "(* Axiom (* Admitted *) admit \"*)\" Axiom *)\nSection A.\nVariable p : Z.\n\
        Hypothesis h : p = p.\nLemma b : p = p.\nProof. reflexivity. Qed.\nEnd A.\n";
    assert!(check("A", text).is_ok());
}

#[test]
fn imports_are_read_from_every_sentence_but_not_from_comments() {
    let text = "From Lastbit Require Import A B\n  C.\n(* From Lastbit Require Import D. *)\n\
        From Lastbit Require Import E.\n";
    assert_eq!(imports(text), ["A", "B", "C", "E"]);
}

#[test]
fn what_a_page_quotes_is_what_a_file_says() {
    let page = "```coq\nTheorem a : forall x, x = x.\nCheck a.\n```\n```text\nLemma b : 1.\n```\n";
    let quoted = quoted(page);
    assert_eq!(quoted, ["Theorema:forallx,x=x."]);
    let says = |text| says(text, &quoted[0]);
    assert!(says(
        "Check 0. (* the law *)\nTheorem a :\n  forall x, x = x.\nProof. reflexivity. Qed."
    ));
    assert!(!says("Theorem a : forall x, x <= x."));
    assert!(!says("(* Theorem a : forall x, x = x. *)"));
}

#[test]
fn axioms_are_listed_by_question() {
    let printed = "== 0\nAxioms:\nb.y : forall x,\n  x = x\na.x\n  : nat\n== 1\n\
        Closed under the global context\n";
    let lists = axioms(printed);
    assert_eq!(lists.len(), 2);
    assert!(lists[0].iter().eq(["a.x", "b.y"]));
    assert!(lists[1].iter().eq(["nothing"]));
}

#[test]
fn a_check_that_is_switched_off_shows_in_the_summary() {
    let summary = "* Axioms:\n    a\n* Inductives whose positivity is assumed: <none>\n\
        * relying on type-in-type:\n    b\n";
    assert!(is_none(summary, "positivity is assumed"));
    assert!(!is_none(summary, "type-in-type"));
    assert!(!is_none("", "type-in-type"));
}

#[test]
fn the_two_forms_of_a_loss_compare() {
    let coq = "Definition loss_digits : decimal :=\n  {| digits := 1002; zeros := 4 |}.\n";
    let json = "{\n  \"certified\": \"0.1002\"\n}";
    assert_eq!(stated_loss(coq), Some(("1002".to_owned(), 4)));
    assert_eq!(stated_loss(coq), certified_loss(json));
    assert_ne!(stated_loss(coq), certified_loss("\"certified\": \"1.002\""));
}

#[test]
fn theorems_are_read_off_rows_links_and_steps() {
    let page = "| claim | `a_b`, `c'` | [A.v](A.v), [B.v](B.v) |\n\
                | idea | source; in Coq [`d`](../proofs/D.v) | `code::x` | `test` |\n\
                **Step** ([E.v](../proofs/E.v): `e`, `f`)**.** and `g`\n";
    let named: Vec<_> = named_theorems(page)
        .into_iter()
        .map(|(name, modules)| format!("{name} {}", modules.join(" ")))
        .collect();
    assert_eq!(named, ["a_b A B", "c' A B", "d D", "e E", "f E"]);
}

#[test]
fn a_name_in_a_comment_or_a_proof_is_no_theorem() {
    let text = "(* Theorem a : *)\nLemma b : True.\nProof. apply c. Qed.\n";
    assert!(defines(text, "b"));
    assert!(!defines(text, "a") && !defines(text, "c"));
}
