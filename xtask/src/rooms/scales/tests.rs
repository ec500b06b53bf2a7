use super::*;

#[test]
fn planted_scales_in_python_are_named() {
    let planted = [
        "size = fraction(\"sensitivity\", sensitivity) / positive(\"epsilon\", epsilon)\n",
        "wide = moved ** 2 / (2 * size)\n",
        "wide = keys*each/size\n",
        "return mu * mu / 2\n",
    ];
    for line in planted {
        assert_eq!(python(&format!("\n{line}")), [2], "{line}");
    }
}

#[test]
fn texts_comments_and_shares_of_python_are_no_scales() {
    let text = "\"\"\"ε = sensitivity / scale,\nρ = a / (2 * b)\"\"\"  # x / y\n\
                name = 'a / \\' / b' + \"#\" + f\"1/3\"\n\
                steps = most * step / (points - 1)\n\
                part = positive(\"epsilon\", spend[\"epsilon\"]) / whole\n";
    assert_eq!(python(text), [0; 0]);
    assert_eq!(python(&format!("{text}x / y\n")), [6]);
    assert_eq!(
        python("def rows(self, sql: str, /, most=1): ...\ndef f(x, /): ...\n"),
        [0; 0]
    );
}

#[test]
fn planted_scales_in_rust_are_named() {
    let planted = "use lastbit::Scale as Wide;\n\n// Scale::new\nlet x = Wide::new(x)?;\n\
                   let y = Variance::new(squared)?;\nlet z = Norms { l1, l2_squared };\n";
    assert_eq!(rust(planted), [4, 5, 6]);
    let fine = "let x = Scale::for_epsilon(s, e); let y: Norms = one_person.norms();\n";
    assert_eq!(rust(fine), [0; 0]);
}

#[test]
fn the_tree_makes_no_scale_above() {
    check().unwrap();
}
