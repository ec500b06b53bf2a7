//! Inputs that are nearly right.

use lastbit_testing::Cases;

/// No input is longer: limits on length are tested elsewhere, and long inputs are slow.
const MOST_BYTES: usize = 1 << 16;

/// Words that parsers stumble over.
const HARD: &[&str] = &[
    "",
    "0",
    "-0",
    "1e999999999",
    "1e-999999999",
    "9223372036854775808",
    "18446744073709551616",
    "0.1",
    "nan",
    "inf",
    "-1",
    "1/0",
    "null",
    "true",
    "{}",
    "[]",
    "[[",
    "((((((((",
    "\"\"\"",
    "\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "é",
    "#",
    "//",
    ";",
    ",",
    "=",
    "..",
    "2^-1074",
    "2^4096",
];

/// Changes inputs of a corpus: the same seed gives the same inputs.
pub struct Mutator {
    cases: Cases,
    corpus: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// From at least one input.
    pub fn new(seed: u64, corpus: Vec<Vec<u8>>) -> Mutator {
        assert!(!corpus.is_empty(), "a corpus of nothing");
        let mut words: Vec<Vec<u8>> = corpus
            .iter()
            .flat_map(|input| words(input).map(|(from, to)| input[from..to].to_vec()))
            .chain(HARD.iter().map(|word| word.as_bytes().to_vec()))
            .collect();
        words.sort();
        words.dedup();
        Mutator {
            cases: Cases(seed),
            corpus,
            words,
        }
    }

    /// The next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.cases.pick(&self.corpus);
        loop {
            self.change(&mut input);
            input.truncate(MOST_BYTES);
            if self.cases.one_in(3) {
                return input;
            }
        }
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let (from, to) = self.range(input.len());
        match self.cases.below(9) {
            0 if !input.is_empty() => {
                let at = self.below(input.len());
                input[at] ^= 1 << self.cases.below(8);
            }
            1 if !input.is_empty() => {
                let at = self.below(input.len());
                input[at] = self
                    .cases
                    .pick(&[0, 1, 0x7f, 0x80, 0xff, b'0', b'"', b'\n']);
            }
            2 => drop(input.drain(from..to)),
            3 => input.truncate(from),
            4 => {
                let copy = input[from..to].to_vec();
                input.splice(to..to, copy);
            }
            5 => {
                // Deep nesting and long runs.
                let times = 1usize << self.cases.below(15);
                let times = times.min(MOST_BYTES / (to - from).max(1));
                let copies = input[from..to].repeat(times);
                input.splice(from..to, copies);
            }
            6 => {
                let other = self.cases.pick(&self.corpus);
                let (a, b) = self.range(other.len());
                input.splice(from..to, other[a..b].iter().copied());
            }
            _ => {
                let word = self.cases.pick(&self.words);
                let places: Vec<(usize, usize)> = words(input).collect();
                let (from, to) = match places.len() {
                    0 => (from, from),
                    count => places[self.below(count)],
                };
                input.splice(from..to, word);
            }
        }
    }

    fn below(&mut self, n: usize) -> usize {
        self.cases.below(n as u64) as usize
    }

    /// A range of so many bytes, mostly a short one.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let from = self.below(length + 1);
        let most = 1usize << self.cases.below(13);
        let to = from + self.below(most.min(length - from) + 1);
        (from, to)
    }
}

/// Where words, numbers and single signs are.
fn words(input: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let in_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at;
        let first = *input.get(from)?;
        at += 1;
        while in_word(first) && input.get(at).is_some_and(|byte| in_word(*byte)) {
            at += 1;
        }
        Some((from, at))
    })
}
