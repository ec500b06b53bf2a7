use super::*;

/// What needs no Coq.
#[test]
fn no_file_assumes_and_pages_name_and_quote_what_files_say() {
    let files = sources().unwrap();
    for (name, text) in &files {
        source::check(name, text).unwrap();
    }
    assert!(pages(&files).unwrap().contains_key("snapping_closed"));
}
