//! The ends of lines, which a text area forgets and an editor of TOML makes one.

/// A text with every line ended by `\n`.
pub fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A text with the ends of lines that it had before: as they were in what is the same at its
/// beginning and end, and as most were in what is new between.
pub fn kept(before: &str, after: &str) -> String {
    if !before.contains("\r\n") {
        return plain(after);
    }
    let lines = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
    let (old, new) = (lines(before), lines(after));
    let words = |line: &str| {
        line.trim_end_matches('\n')
            .trim_end_matches('\r')
            .to_owned()
    };
    let same = |pair: &(&&str, &&str)| words(pair.0) == words(pair.1);
    let first = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - first;
    let ends = old.iter().rev().zip(new.iter().rev());
    let last = ends.take_while(same).count().min(rest);
    let carried = old.iter().filter(|line| line.ends_with("\r\n")).count();
    let most = match 2 * carried >= old.len() {
        true => "\r\n",
        false => "\n",
    };
    let mut out = String::with_capacity(after.len() + new.len());
    for (index, line) in new.iter().enumerate() {
        let as_before = match index {
            index if index < first => Some(old[index]),
            index if index >= new.len() - last => Some(old[old.len() - (new.len() - index)]),
            _ => None,
        };
        out += &words(line);
        let end = match as_before {
            Some(line) if line.ends_with("\r\n") => "\r\n",
            Some(line) if line.ends_with('\n') => "\n",
            _ => most,
        };
        // The last line may have no end.
        if line.ends_with('\n') {
            out += end;
        }
    }
    out
}

#[cfg(test)]
mod tests;
