use super::*;

#[test]
fn a_row_in_the_place_of_names_is_not_told() {
    let directory = tempfile::tempdir().unwrap();
    let mut source = Files::of_file("x.csv").unwrap();
    source.base = directory.path().to_owned();
    let mut ask = |file: &str, text: &str| {
        std::fs::write(directory.path().join(file), text).unwrap();
        source.format = Files::of_file(file).unwrap().format;
        source.paths = vec![file.to_owned()];
        declared(&source)
    };
    for row in [
        "Anna,34\n",
        "Anna,,north\n",
        "Anna,Anna\n",
        "Anna,-1e3\n",
        "Anna,2024-01-03\n",
        "Anna,2024-01-03T10:00:00Z\n",
        "Anna,12 %\n",
        "Anna,$3.50\n",
        "Anna,+49 30 123\n",
        "Anna,NA\n",
        "Anna,True\n",
        "Anna,anna@example.org\n",
    ] {
        let message = ask("x.csv", row).unwrap_err().to_string();
        assert!(message.contains("may be a row"), "{message}");
        assert!(!message.contains("Anna") && !message.contains("34"));
    }
    let error = ask("x.jsonl", "{\"1234\": 1}\n").unwrap_err();
    assert!(!error.to_string().contains("1234"));
    assert_eq!(ask("x.csv", "name,age2\n").unwrap().len(), 2);
    assert_eq!(ask("x.csv", "2020_income,e-mail,t0\n").unwrap().len(), 3);
    assert_eq!(ask("x.jsonl", "{\"a\": 7}\n").unwrap().len(), 1);
}
