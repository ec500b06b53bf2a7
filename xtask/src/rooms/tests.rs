use super::*;

const DESIGN: &str = "# Design\n### Rooms, from the ground up\n\nWords.\n\n```text\n\
                      ground · cellar\nplan = kinds\ntop\n```\n";

const NONE: [usize; 0] = [];

fn faults(room: &str, depth: usize, text: &str) -> Vec<usize> {
    let storeys = storeys(DESIGN).unwrap();
    let lines = faults_of(&storeys, room, depth, text).into_iter();
    lines.map(|(line, _)| line).collect()
}

#[test]
fn rooms_use_rooms_below_and_those_of_one_storey_each_other() {
    assert_eq!(
        faults("top", 1, "use crate::plan::Plan;\nuse crate::ground;\n"),
        NONE
    );
    assert_eq!(faults("plan", 1, "use crate::kinds::Kind;\n"), NONE);
    assert_eq!(
        faults("kinds", 2, "use crate::plan::Plan;\nuse super::Kind;\n"),
        NONE
    );
    assert_eq!(faults("plan", 2, "use crate::plan::reader;\n"), NONE);
}

#[test]
fn planted_uses_of_rooms_above_and_beside_are_named() {
    assert_eq!(faults("plan", 1, "\nuse crate::top::Top;\n"), [2]);
    assert_eq!(faults("ground", 1, "use crate::cellar::Wine;\n"), [1]);
    assert_eq!(faults("ground", 1, "fn f(x: crate::plan::Plan) {}\n"), [1]);
    assert_eq!(faults("plan", 1, "use crate::unknown::X;\n"), [1]);
    let group = "use crate::{\n    ground,\n    top::{self, plan},\n};\n";
    assert_eq!(faults("plan", 1, group), [3]);
    assert_eq!(faults("top", 1, group), NONE);
    assert_eq!(
        faults("top", 1, "use crate::*;\nuse crate::{self};\n"),
        [1, 2]
    );
    assert_eq!(faults("ground", 1, "use super::top::Top;\n"), [1]);
    assert_eq!(faults("ground", 2, "use super::super::top::Top;\n"), [1]);
}

#[test]
fn planted_uses_under_another_name_are_named() {
    assert_eq!(faults("ground", 1, "use crate::top as low;\n"), [1]);
    assert_eq!(faults("ground", 1, "use crate as house;\n"), [1]);
    assert_eq!(faults("ground", 2, "use super::super as house;\n"), [1]);
    assert_eq!(faults("ground", 1, "use crate::\n    top::Top;\n"), [2]);
    let renamed = "use lastbit::metrics::{Norms as Pair, Other};\nlet x = Pair { l1 };\n";
    assert_eq!(faults("ground", 1, renamed), [2]);
    let alias = "type Wide = lastbit::Scale;\nlet x = Wide::new(x)?;\n";
    assert_eq!(faults("ground", 1, alias), [2]);
    let module = "use lastbit::metrics as m;\nlet x = m::Contribution::new(x);\n";
    assert_eq!(faults("ground", 1, module), [2]);
}

#[test]
fn texts_characters_and_comments_are_no_paths() {
    let text = "let a = \"crate::top\"; /* crate::top /* nested */ crate::top */\n\
                let b = r#\"crate::\"top\"#; let c = b\"crate::top\\\"\"; // crate::top\n\
                fn f<'a>(x: &'a str, y: char) -> bool { y == '\"' || y == '\\'' }\n\
                use crate::top::Top;\n";
    assert_eq!(faults("ground", 1, text), [4]);
    let words = tokens::tokens("r#type::x 'a' 'b \u{e9}t\u{e9} 0x1f \"\n\" y");
    let words: Vec<_> = words
        .iter()
        .map(|token| (&*token.text, token.line))
        .collect();
    let expected = [
        ("type", 1),
        ("::", 1),
        ("x", 1),
        ("\u{e9}t\u{e9}", 1),
        ("y", 2),
    ];
    assert_eq!(words, expected);
}

#[test]
fn planted_sensitivities_scales_and_searches_are_named() {
    let norms = "    let norms = Norms {\n        l1: most,\n    };\n";
    assert_eq!(faults("ground", 1, norms), [1]);
    assert_eq!(faults("ground", 1, "\nlet s = Scale::new(x)?;\n"), [2]);
    assert_eq!(faults("ground", 1, "let m = f64::midpoint(a, b);\n"), [1]);
    let ratio = "let scale = &host.norms.l1 / &own.norms.l1;\n";
    assert_eq!(faults("ground", 1, ratio), [1]);
    let squares = "let v = &noised.noise.variance() * &squares;\n";
    assert_eq!(faults("ground", 1, squares), [1]);
    let sum = "let main = &self.main + &other.main;\n";
    assert_eq!(faults("ground", 1, sum), [1]);
    assert_eq!(faults("ground", 1, "use lastbit::metrics::Norms;\n"), NONE);
}

#[test]
fn comments_tests_and_other_crates_do_not_count() {
    assert_eq!(faults("ground", 1, "/// See [`crate::top::Top`].\n"), NONE);
    let tests = "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::top::Top;\n}\n";
    assert_eq!(faults("ground", 1, tests), NONE);
    assert_eq!(faults("ground", 1, "use some_crate::top::Top;\n"), NONE);
    // What is only built for tests, and is not the module of tests, counts.
    let entropy = "#[cfg(test)]\nuse crate::top::Top;\n";
    assert_eq!(faults("ground", 1, entropy), [2]);
}

#[test]
fn a_tree_is_checked_against_the_list() {
    let source = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = source.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod plan;\n");
    for name in ["ground.rs", "cellar.rs", "top.rs", "kinds/mod.rs"] {
        write(name, "");
    }
    write("plan/mod.rs", "use crate::kinds::Kind;\n");
    write("plan/tests.rs", "use crate::top::Top;\n");
    let storeys = storeys(DESIGN).unwrap();
    let passed = below(&storeys, source.path()).unwrap();
    assert_eq!(passed, "5 files of 5 rooms use rooms below");

    write("plan/inner/deep.rs", "use crate::top::Top;\n");
    write("attic.rs", "");
    fs::remove_file(source.path().join("cellar.rs")).unwrap();
    let error = below(&storeys, source.path()).unwrap_err().to_string();
    for part in [
        "deep.rs:1: `plan` uses `top`, which is not below it",
        "the room `attic` is not listed",
        "the room `cellar` is listed and does not exist",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(error.lines().count(), 4, "{error}");
}

#[test]
fn the_rooms_of_the_tree_are_in_order() {
    check().unwrap();
}
