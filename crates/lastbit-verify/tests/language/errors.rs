//! What is wrong with a program is said with line, column and remedy.

use lastbit_verify::language::{Checked, LIBRARY, parse};

/// The errors of a text: one of the parser, or all of the checks.
fn errors(text: &str) -> Vec<String> {
    match parse(text) {
        Err(error) => vec![error.to_string()],
        Ok(program) => match Checked::new(program) {
            Ok(_) => vec![],
            Err(errors) => errors.iter().map(ToString::to_string).collect(),
        },
    }
}

fn assert_error(text: &str, expected: &str) {
    assert_eq!(errors(text), [expected], "{text}");
}

#[test]
fn syntax_errors() {
    assert_error(
        "return f +",
        "1:11: expected an expression, found the end of the program; write a number, a name, `f`, \
         a function such as ln(…), or an expression in parentheses",
    );
    assert_error(
        "u <- unif\nx = 3 u\nreturn x",
        "2:7: expected the end of the statement, found `u`; separate statements by a new line or \
         `;`, and factors by `*` or `(*)`",
    );
    assert_error(
        "u <- unif\ny = ln~(u\nz = 3\nreturn y",
        "2:8: this `(` is not closed before `z` at 3:1; put `)` where the argument ends",
    );
    assert_error(
        "u <- uniform\nreturn u",
        "1:6: `uniform` is not a distribution; draw from `unif`, `sign` or `laplace(scale)`",
    );
    assert_error(
        "return f + unif",
        "1:12: `unif` is a distribution, not a number; draw it into a variable first: `u <- unif`",
    );
    assert_error(
        "x == f",
        "1:4: expected an expression, found `=`; write a number, a name, `f`, a function such as \
         ln(…), or an expression in parentheses",
    );
    assert_error(
        "x f\nreturn x",
        "1:3: expected `=` or `<-` after `x`, found `f`; assign with `name = expression`, draw \
         with `name <- distribution`",
    );
    assert_error(
        "return clamp(f)",
        "1:15: expected `,`, found `)`; write clamp(x, B)",
    );
    assert_error(
        "return clamp(f, 1, 2)",
        "1:18: expected `)`, found `,`; remove the arguments from here on",
    );
    assert_error(
        "return round(f, 1, ties: down)",
        "1:26: `ties` cannot be `down`; write `up`, `even` or `away`",
    );
    assert_error(
        "return round(f, 1, tie: up)",
        "1:20: `round` has no option `tie`; it takes `ties: …` and `zero: …`",
    );
    assert_error(
        "return round(f, 1, zero: signed, zero: signed)",
        "1:34: the option `zero` is given twice; keep one of them",
    );
    assert_error(
        "u <- unif(bits: 1)\nreturn u",
        "1:17: 1 is out of range; write an integer from 2 to 1000000",
    );
    assert_error(
        "return exp(f)",
        "1:8: there is no function `exp`; the functions are ln, ln~, fl, round, clamp and ceil2; \
         multiply with `*` or `(*)`",
    );
    assert_error(
        "f = 3\nreturn f",
        "1:1: `f` is a word of the language and cannot name a variable; choose another name",
    );
    assert_error(
        "x = 3\nparameters B\nreturn x",
        "2:1: `parameters` comes after a statement; move it to the top of the program",
    );
    assert_error(
        "return 1\nx = 2",
        "2:1: the program goes on after `return`; make `return` the last statement",
    );
    assert_error(
        "x = 2",
        "1:6: expected a statement, found the end of the program; write `name = expression`, \
         `name <- distribution` or `return expression`",
    );
    assert_error(
        "return 3^2",
        "1:8: this is not a power of two; write 2^k with an integer k within ±4096, such as 2^-10",
    );
    assert_error(
        "return f $ 2",
        "1:10: the character `$` has no meaning here; remove it, or put it behind `#` in a comment",
    );
    // Columns count characters, not bytes.
    assert_error(
        "return λ ⊕ %",
        "1:12: the character `%` has no meaning here; remove it, or put it behind `#` in a comment",
    );
}

#[test]
fn a_text_of_any_size_or_depth_gives_an_error_and_not_a_crash() {
    for text in [
        format!("return {}f{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("return {}f", "-".repeat(100_000)),
        format!("return f{}", " + f".repeat(100_000)),
    ] {
        let message = errors(&text).concat();
        assert!(
            message.ends_with("assign a part of it to a variable first"),
            "{message}"
        );
    }
}

#[test]
fn unbound_variables() {
    assert_error(
        "return x",
        "1:8: `x` is not bound; assign it, draw it, or declare it as a parameter first",
    );
    assert_error(
        "return lambda * f",
        "1:8: `lambda` is not bound; declare it at the top: `parameters lambda`",
    );
    assert_error(
        "x = y\ny = 1\nreturn x",
        "1:5: `y` is not bound; move its definition above this line",
    );
    assert_error(
        "parameters lambda\nreturn lamda * f",
        "2:8: `lamda` is not bound; did you mean `lambda`?",
    );
    assert_error(
        "x = x + 1\nreturn x",
        "1:5: `x` is not bound; move its definition above this line",
    );
    assert_eq!(
        errors("return a + b").len(),
        2,
        "all are told, not only the first"
    );
}

#[test]
fn names_bound_twice() {
    assert_error(
        "u <- unif\nu <- unif\nreturn u",
        "2:1: `u` is sampled twice, first at 1:1; give the second sample a name of its own",
    );
    assert_error(
        "x = 1\nx = 2\nreturn x",
        "2:1: `x` is assigned twice, first at 1:1; use a new name, such as `x'`",
    );
    assert_error(
        "parameters B, B\nreturn B",
        "1:15: the parameter `B` is declared twice, first at 1:12; remove one of the declarations",
    );
    assert_error(
        "u <- unif\nu = 2\nreturn u",
        "2:1: `u` is already a sample, bound at 1:1; use a new name, such as `u'`",
    );
    assert_error(
        "parameters B\nB <- sign\nreturn B",
        "2:1: `B` is already a parameter, bound at 1:12; use a new name, such as `B'`",
    );
}

#[test]
fn samples_used_without_monotonicity() {
    let remedy = "let `u` enter once, through + - ln, and products and quotients whose other side \
        keeps its sign";
    assert_error(
        "u <- unif\nreturn f (+) u (*) (1 (-) u)",
        &format!("2:16: the output is not monotone in the sample `u` because of this; {remedy}"),
    );
    assert_error(
        "u <- unif\ny = ln~(u)\nz = u (-) y\nreturn f (+) z",
        &format!("3:7: the output is not monotone in the sample `u` because of this; {remedy}"),
    );
    assert_error(
        "u <- unif\nreturn f (*) u",
        &format!("2:10: the output is not monotone in the sample `u` because of this; {remedy}"),
    );
    assert_error(
        "u <- unif; s <- sign; t <- sign\nreturn (s (+) t (+) u) (*) u",
        &format!("2:24: the output is not monotone in the sample `u` because of this; {remedy}"),
    );
    // What does not reach the output does no harm.
    assert_eq!(errors("u <- unif\nx = u * (1 - u)\nreturn f"), [""; 0]);
    // 1 − u > 0, and both factors fall: a product of two positive numbers falls too.
    assert_eq!(errors("u <- unif\nreturn (1 - u) * (2 - u)"), [""; 0]);
}

#[test]
fn divisions_by_zero_and_logarithms_of_nothing() {
    assert_error(
        "return f / 0",
        "1:10: this divides by zero; divide by a number that is not zero",
    );
    assert_error(
        "x = 2 (/) f\nreturn x",
        "1:7: this divides by `f`, which may be zero; divide by a parameter, or by what keeps off \
         zero for all inputs",
    );
    assert_error(
        "u <- unif\nreturn 1 / (u - 0.5)",
        "2:10: this divides by `u - 0.5`, which may be zero; divide by a parameter, or by what \
         keeps off zero for all inputs",
    );
    assert_error(
        "return ln(f)",
        "1:8: `f` may be zero or negative, where there is no logarithm; take the logarithm of a \
         uniform sample or of another positive number",
    );
    assert_error(
        "u <- unif\nreturn ln~(ln~(u))",
        "2:8: `ln~(u)` may be zero or negative, where there is no logarithm; take the logarithm \
         of a uniform sample or of another positive number",
    );
    // 1 − u and ln u keep off 0; rounded, 1 ⊖ u does as well, as nothing but 0 rounds to 0.
    assert_eq!(errors("u <- unif\nreturn 1 / (1 - u) - 1 / ln(u)"), [""; 0]);
    assert_eq!(errors("u <- unif\nreturn ln~(1 (-) u)"), [""; 0]);
}

#[test]
fn arithmetics_are_not_mixed() {
    assert_error(
        "u <- unif\nreturn f + 2 (*) u",
        "2:10: the real `+` has a floating operand; write `(+)`, or round the real expression \
         once with fl(…)",
    );
    assert_error(
        "parameters epsilon\nu <- unif\nreturn (1 / epsilon) (*) ln~(u)",
        "3:22: the rounded `(*)` has a real operand; round the operand with fl(…), or write `*` \
         throughout",
    );
    assert_error(
        "u <- unif\ny = ln(u)\nreturn f (+) y",
        "3:10: the rounded `(+)` has a real operand; round the operand with fl(…), or write `+` \
         throughout",
    );
    assert_error(
        "u <- unif\nreturn ln(u (+) 1)",
        "2:8: the real `ln` has a floating operand; write `ln~`, or round the real expression \
         once with fl(…)",
    );
    // Rounded once, as a fused operation does.
    assert_eq!(
        errors("u <- unif\ny = ln~(u)\nreturn fl(f + 2 * y)"),
        [""; 0]
    );
    assert_eq!(
        errors("parameters epsilon\nu <- unif\nreturn fl(1 / epsilon) (*) ln~(u)"),
        [""; 0]
    );
}

#[test]
fn constants_that_are_none() {
    assert_error(
        "x = 2\nreturn clamp(f, x)",
        "2:17: `x` is not a constant; use numbers and parameters here, with + - * / and ceil2",
    );
    assert_error(
        "return round(f, f)",
        "1:17: `f` is not a constant; use numbers and parameters here, with + - * / and ceil2",
    );
    assert_error(
        "parameters Lambda = ceil2(lambda), lambda\nreturn f",
        "1:27: `lambda` is not bound; declare it at the top: `parameters lambda`",
    );
    assert_error(
        "return ceil2(f)",
        "1:8: `ceil2` stands only in constant expressions; declare a parameter with that value: \
         `parameters Lambda = ceil2(lambda)`",
    );
}

#[test]
fn too_many_signs() {
    let signs: String = (0..7).map(|i| format!("s{i} <- sign\n")).collect();
    assert_error(
        &format!("{signs}return f"),
        "7:1: `s6` is sign number 7; use at most 6 signs: every choice of them is looked at",
    );
}

#[test]
fn the_place_is_marked_in_the_source() {
    let text = "u <- unif\nreturn x + u";
    let error = &Checked::new(parse(text).unwrap()).unwrap_err()[0];
    assert_eq!(
        error.with_source(text, str::to_owned),
        "2:8: `x` is not bound; assign it, draw it, or declare it as a parameter first\n  |\n2 | \
         return x + u\n  |        ^"
    );
}

#[test]
fn every_program_of_the_library_passes() {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/programs")).unwrap();
    assert_eq!(files.count(), LIBRARY.len(), "every file is in the library");
    for (name, text) in LIBRARY {
        assert_eq!(errors(text), [""; 0], "{name}");
    }
}

#[test]
fn a_query_that_meets_noise_unclamped_is_told() {
    let told: Vec<&str> = LIBRARY
        .iter()
        .filter(|(_, text)| {
            let checked = Checked::new(parse(text).unwrap()).unwrap();
            checked.unclamped_query().is_some()
        })
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(told, ["naive_laplace", "snapping_without_inner_clamp"]);
    // A clamp after the noise is none before it.
    let late = Checked::new(parse("u <- unif\nx = clamp(f (+) u, 1)\nreturn x").unwrap()).unwrap();
    assert_eq!(late.unclamped_query().unwrap().at.to_string(), "2:13");
}
