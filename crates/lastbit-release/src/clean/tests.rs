use super::*;

/// Every text of up to four of these parts.
fn texts() -> Vec<String> {
    let parts = ["\\", "u", "{", "}", "\u{200b}", "200b", " ", "a"];
    let mut texts = vec![String::new()];
    let mut last = texts.clone();
    for _ in 0..5 {
        last = last
            .iter()
            .flat_map(|text| parts.iter().map(move |part| format!("{text}{part}")))
            .collect();
        texts.extend(last.clone());
    }
    texts.sort();
    texts.dedup();
    texts
}

#[test]
fn different_texts_look_different() {
    let texts = texts();
    for look in [
        (|text| visible(text).into_owned()) as fn(&str) -> String,
        |text| label(text, 100).into_owned(),
    ] {
        let mut seen: Vec<String> = texts.iter().map(|text| look(text)).collect();
        assert!(!seen.iter().any(|text| text.contains(is_hidden)));
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), texts.len());
    }
}

#[test]
fn whatever_is_not_seen_is_hidden() {
    for c in [
        '\0',
        '\u{7}',
        '\t',
        '\n',
        '\r',
        '\u{1b}',
        '\u{7f}',
        '\u{85}',
        '\u{9b}',
        '\u{a0}',
        '\u{ad}',
        '\u{200b}',
        '\u{200d}',
        '\u{200e}',
        '\u{2028}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{3000}',
        '\u{3164}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{e0041}',
    ] {
        assert!(is_hidden(c), "{:x}", u32::from(c));
    }
    for c in [
        ' ', 'a', 'é', 'ж', '漢', '字', '€', '−', 'ا', '😀', '\u{301}',
    ] {
        assert!(!is_hidden(c), "{c}");
    }
}

#[test]
fn json_keeps_its_meaning() {
    let value = serde_json::json!({"a\u{202e}": ["\u{9b}2J", "\u{e0041}\u{1b}\n", "plain"]});
    let text = serde_json::to_string_pretty(&value).unwrap();
    let safe = json(&text);
    assert!(!safe.contains(|c| c != '\n' && is_hidden(c)), "{safe}");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&safe).unwrap(),
        value
    );
}

#[test]
fn long_texts_are_cut_and_labels_still_differ() {
    let long = "\u{1b}".repeat(1 << 24);
    assert!(shown(&long).len() < 3000);
    assert!(path(Path::new(&long)).chars().count() <= MOST_SHOWN + 1);
    assert_eq!(label(&long, 40).chars().count(), 40);
    assert_ne!(label(&"x".repeat(41), 40), label(&"x".repeat(42), 40));
}

#[cfg(unix)]
#[test]
fn paths_that_are_no_text_are_shown() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"/data/\xff\xfe\x1b[2Jx");
    assert_eq!(path(Path::new(name)), r"/data/\x{ff}\x{fe}\u{1b}[2Jx");
}
