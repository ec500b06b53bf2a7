//! Programs of mechanisms.

use lastbit_verify::language::{Checked, LIBRARY, parse};

/// A program that is read is printed as a text that is read as well, but for its length, and is
/// checked.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(program) = parse(text) {
        let printed = program.to_string();
        match parse(&printed) {
            Ok(again) => assert_eq!(again.to_string(), printed),
            // Parentheses that are printed and were not needed count as words.
            Err(error) if error.to_string().contains("more than 256 words") => {}
            Err(error) => panic!("what was printed is not read: {error}"),
        }
        let _ = Checked::new(program);
    }
}

/// The programs of the library.
pub fn corpus() -> Vec<Vec<u8>> {
    LIBRARY
        .iter()
        .map(|(_, text)| text.as_bytes().to_vec())
        .collect()
}
