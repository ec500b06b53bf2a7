use super::*;
use crate::schema::Files;

#[test]
fn patterns_match_as_the_engine_reads_them_or_more() {
    for (pattern, name, is) in [
        ("*.csv", "a.csv", true),
        ("*.csv", "a.csv.gz", false),
        ("a*b*", "ab", true),
        ("a*b*", "a", false),
        ("p-?.csv", "p-1.csv", true),
        ("p-?.csv", "p-11.csv", false),
        ("p[0-9].csv", "p7.csv", true),
        ("p[!]x].csv", "p7.csv", true),
        ("p[0-9].csv", "p.csv", false),
        ("**", "", true),
    ] {
        let all = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(is_like(&all(pattern), &all(name)), is, "{pattern} {name}");
    }
}

#[test]
fn a_file_is_known_by_every_name() {
    let base = tempfile::tempdir().unwrap();
    let at = |name: &str| base.path().join(name);
    fs::create_dir_all(at("data/deep")).unwrap();
    for name in ["people.csv", "data/deep/more.csv", "wards.csv"] {
        fs::write(at(name), "a\n").unwrap();
    }
    fs::hard_link(at("people.csv"), at("same.txt")).unwrap();
    let source = |path: &str| {
        let mut source = Files::of_file("x.csv").unwrap();
        source.paths = vec![path.to_owned()];
        source.base = base.path().to_owned();
        Source::Files(source)
    };
    for (given, file, is) in [
        ("people.csv", "people.csv", true),
        ("people.csv", "data/../people.csv", true),
        ("people.csv", "wards.csv", false),
        ("p*.csv", "people.csv", true),
        ("p*.csv", "wards.csv", false),
        ("data", "data/deep/more.csv", true),
        ("data", "people.csv", false),
        ("**/m*.csv", "data/deep/more.csv", true),
        ("d*/deep", "data/deep/more.csv", true),
        ("none.csv", "people.csv", false),
        ("people.csv", "none.csv", false),
    ] {
        assert_eq!(reads(&source(given), &at(file)), is, "{given} {file}");
    }
    #[cfg(unix)]
    {
        assert!(reads(&source("people.csv"), &at("same.txt")));
        std::os::unix::fs::symlink(at("people.csv"), at("data/link.csv")).unwrap();
        std::os::unix::fs::symlink(base.path(), at("data/up")).unwrap();
        assert!(reads(&source("data"), &at("people.csv")));
        assert!(!reads(&source("data"), &at("wards.csv")));
    }
}
