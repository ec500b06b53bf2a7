//! The known word nearest to a misspelled one.

/// Longer words are not compared.
const MOST_COMPARED: usize = 100;

/// The known word that is most alike, if at most a third of the letters differ.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    known
        .into_iter()
        .filter(|name| name.len() <= MOST_COMPARED && letters <= MOST_COMPARED)
        .map(|name| (distance(word, name), name))
        .min()
        .filter(|(distance, _)| 3 * distance <= letters)
        .map(|(_, name)| name)
}

/// How many letters must be changed, added or removed (any case) to make one word the other.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
