use super::*;

fn made() -> Vec<Member> {
    let manifest = |folder: &str, name: &str, rest: &str| {
        let text = format!("[package]\nname = \"{name}\"\n{rest}");
        (PathBuf::from(folder), text)
    };
    read(&[
        manifest(
            "crates/lastbit-exact",
            "lastbit-exact",
            "[dev-dependencies]\nlastbit-testing.workspace = true\n",
        ),
        manifest(
            "crates/lastbit",
            "lastbit",
            "[dependencies]\nlastbit-exact.workspace = \
             true\n[dev-dependencies]\nlastbit-testing.workspace = true\n",
        ),
        manifest(
            "crates/lastbit-testing",
            "lastbit-testing",
            "[dependencies]\nlastbit = { workspace = true, optional = true }\n",
        ),
        manifest(
            "crates/lastbit-cli",
            "lastbit-cli",
            "[dependencies]\nlastbit = { workspace = true }\nanyhow.workspace = true\n",
        ),
        manifest(
            "fuzz",
            "lastbit-fuzz",
            "[dependencies]\nlastbit.workspace = true\n",
        ),
    ])
}

fn names(of: &[&str]) -> BTreeSet<String> {
    of.iter().map(|name| name.to_string()).collect()
}

fn of(files: &[&str]) -> Concerned {
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    concerned(&made(), &files)
}

#[test]
fn manifests_are_read() {
    let made = made();
    assert_eq!(made[1].uses, names(&["lastbit-exact", "lastbit-testing"]));
    assert_eq!(made[3].uses, names(&["lastbit"]));
}

#[test]
fn a_change_concerns_what_is_above_and_not_what_is_below_by_way_of_the_tests() {
    let concerned = of(&["crates/lastbit/src/solve.rs"]);
    assert_eq!(concerned.changed, names(&["lastbit"]));
    assert_eq!(
        concerned.dependents,
        names(&["lastbit-cli", "lastbit-fuzz"])
    );
    let below = of(&["crates/lastbit-exact/tests/ln.rs"]);
    assert_eq!(
        below.dependents,
        names(&["lastbit", "lastbit-cli", "lastbit-fuzz"])
    );
}

#[test]
fn a_helper_of_the_tests_concerns_all_that_use_it() {
    let concerned = of(&["crates/lastbit-testing/src/cases.rs"]);
    assert!(
        concerned
            .dependents
            .is_superset(&names(&["lastbit", "lastbit-exact"]))
    );
}

#[test]
fn files_of_no_crate_concern_their_readers_or_all_or_nobody() {
    assert_eq!(of(&["Cargo.lock"]).changed.len(), 5);
    assert!(of(&["docs/report.md"]).changed.contains("lastbit-release"));
    assert_eq!(of(&["proofs/Closed.v"]), Concerned::default());
    assert_eq!(of(&[]), Concerned::default());
}

#[test]
fn a_published_crate_has_what_registries_show() {
    let mut published = 0;
    for member in members().unwrap() {
        let folder = run::root().join(&member.folder);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if manifest.contains("\npublish = false\n") {
            continue;
        }
        published += 1;
        for line in ["\ndescription = ", "\n[package.metadata.docs.rs]\n"] {
            assert!(manifest.contains(line), "{} lacks {line:?}", member.name);
        }
        assert!(folder.join("README.md").is_file(), "{}", member.name);
    }
    assert_eq!(published, 9);
}
