use super::*;

#[test]
fn a_line_of_101_characters_is_too_wide_and_one_of_100_is_not() {
    // Characters, not bytes.
    let line = "é".repeat(WIDTH);
    assert_eq!(wide_lines(&line), []);
    assert_eq!(wide_lines(&format!("{line}\r\n{line}é\n")), [(2, 101)]);
}

#[test]
fn a_planted_line_is_named_and_what_is_built_or_hidden_is_not() {
    let root = tempfile::tempdir().unwrap();
    let wide = format!("// {}\n", "x".repeat(WIDTH));
    for folder in ["crates/a/src", "target/debug", ".hidden"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    fs::write(root.path().join("crates/a/src/fine.rs"), "fn fine() {}\n").unwrap();
    fs::write(root.path().join("crates/a/prose.md"), &wide).unwrap();
    fs::write(root.path().join("target/debug/built.rs"), &wide).unwrap();
    fs::create_dir(root.path().join("venv")).unwrap();
    fs::write(root.path().join("venv/pyvenv.cfg"), "").unwrap();
    fs::write(root.path().join("venv/installed.py"), &wide).unwrap();
    fs::write(root.path().join(".hidden/private.rs"), &wide).unwrap();
    let passed = below(root.path()).unwrap();
    assert_eq!(passed, "1 files within 100 columns");

    fs::write(
        root.path().join("crates/a/src/wide.rs"),
        format!("\n{wide}"),
    )
    .unwrap();
    let error = below(root.path()).unwrap_err().to_string();
    let planted = Path::new("crates/a/src/wide.rs").display().to_string();
    assert!(
        error.ends_with(&format!("\n  {planted}:2: 103 characters")),
        "{error}"
    );
    assert_eq!(error.lines().count(), 2, "{error}");

    fs::write(root.path().join("crates/a/script.py"), &wide).unwrap();
    let error = below(root.path()).unwrap_err().to_string();
    assert_eq!(error.lines().count(), 3, "{error}");
}

#[test]
fn manifests_pages_and_scripts_are_checked_and_plans_of_examples_are_not() {
    let root = tempfile::tempdir().unwrap();
    let wide = format!("# {}\n", "x".repeat(WIDTH));
    for folder in [".ci", ".github/workflows", "examples/clinic", "assets"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    fs::write(root.path().join("examples/clinic/plan.toml"), &wide).unwrap();
    fs::write(root.path().join("examples/clinic/report.html"), &wide).unwrap();
    assert_eq!(below(root.path()).unwrap(), "0 files within 100 columns");

    let checked = [
        ".ci/run",
        ".github/workflows/ci.yml",
        "assets/page.html",
        "examples/make.py",
        "Cargo.toml",
    ];
    for (before, file) in checked.iter().enumerate() {
        fs::write(root.path().join(file), &wide).unwrap();
        let error = below(root.path()).unwrap_err().to_string();
        assert_eq!(error.lines().count(), before + 2, "{file}: {error}");
    }
}

#[test]
fn tests_in_the_file_of_what_they_test_are_refused() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.rs"), "#[cfg(test)]\nmod tests;\n").unwrap();
    assert!(below(root.path()).is_ok());
    fs::write(
        root.path().join("b.rs"),
        "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
    )
    .unwrap();
    let error = below(root.path()).unwrap_err().to_string();
    assert!(error.starts_with("b.rs: unit tests have a file"), "{error}");
}
