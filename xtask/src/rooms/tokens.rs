//! Rust text as words and signs: as much as is needed to follow paths. Comments, texts and
//! lifetimes are left out.

/// A word or a sign, with its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// An identifier or keyword without `r#`, `::`, or one other character.
    pub text: String,
    /// Where it begins.
    pub line: usize,
}

/// The words and signs of a text, in order.
pub fn tokens(text: &str) -> Vec<Token> {
    let characters: Vec<char> = text.chars().collect();
    let mut reader = Reader {
        text: &characters,
        at: 0,
        line: 1,
    };
    let mut found = Vec::new();
    while let Some(next) = reader.peek(0) {
        let line = reader.line;
        let mut add = |text: String| found.push(Token { text, line });
        match next {
            '/' if reader.peek(1) == Some('/') => reader.skip_while(|c| c != '\n'),
            '/' if reader.peek(1) == Some('*') => reader.skip_block(),
            '"' => reader.skip_text(),
            '\'' => reader.skip_quote(),
            c if c.is_alphabetic() || c == '_' => match reader.raw_hashes() {
                Some(hashes) => reader.skip_raw(hashes),
                None => {
                    let word = reader.word();
                    match (word.as_str(), reader.peek(0), reader.peek(1)) {
                        // A byte or C text, and a byte.
                        ("b" | "c", Some('"'), _) => reader.skip_text(),
                        ("b", Some('\''), _) => reader.skip_quote(),
                        ("r", Some('#'), Some(_)) => {
                            reader.step();
                            add(reader.word());
                        }
                        _ => add(word),
                    }
                }
            },
            c if c.is_ascii_digit() => reader.skip_while(|c| c.is_alphanumeric() || c == '_'),
            ':' if reader.peek(1) == Some(':') => {
                reader.step();
                reader.step();
                add("::".to_owned());
            }
            c => {
                reader.step();
                if !c.is_whitespace() {
                    add(c.to_string());
                }
            }
        }
    }
    found
}

struct Reader<'a> {
    text: &'a [char],
    at: usize,
    line: usize,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn step(&mut self) {
        if self.peek(0) == Some('\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    fn skip_while(&mut self, is: impl Fn(char) -> bool) {
        while self.peek(0).is_some_and(&is) {
            self.step();
        }
    }

    fn word(&mut self) -> String {
        let start = self.at;
        self.skip_while(|c| c.is_alphanumeric() || c == '_');
        self.text[start..self.at].iter().collect()
    }

    /// Block comments nest.
    fn skip_block(&mut self) {
        let mut depth = 0;
        while let Some(next) = self.peek(0) {
            match (next, self.peek(1)) {
                ('/', Some('*')) => {
                    depth += 1;
                    self.step();
                }
                ('*', Some('/')) => {
                    depth -= 1;
                    self.step();
                }
                _ => {}
            }
            self.step();
            if depth == 0 {
                return;
            }
        }
    }

    fn skip_text(&mut self) {
        self.step();
        while let Some(next) = self.peek(0) {
            if next == '\\' {
                self.step();
            }
            self.step();
            if next == '"' {
                return;
            }
        }
    }

    /// A character, or the name of a lifetime.
    fn skip_quote(&mut self) {
        self.step();
        if self.peek(0) == Some('\\') {
            self.step();
            self.step();
            self.skip_while(|c| c != '\'');
            self.step();
        } else if self.peek(1) == Some('\'') {
            self.step();
            self.step();
        } else {
            self.word();
        }
    }

    /// Of a raw text that begins here, how many `#` it has.
    fn raw_hashes(&self) -> Option<usize> {
        let prefix = match (self.peek(0)?, self.peek(1)?) {
            ('r', _) => 1,
            ('b' | 'c', 'r') => 2,
            _ => return None,
        };
        let rest = &self.text[self.at + prefix..];
        let hashes = rest.iter().take_while(|c| **c == '#').count();
        (rest.get(hashes) == Some(&'"')).then_some(hashes)
    }

    fn skip_raw(&mut self, hashes: usize) {
        self.skip_while(|c| c != '"');
        self.step();
        while let Some(next) = self.peek(0) {
            let ends = next == '"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#'));
            self.step();
            if ends {
                (0..hashes).for_each(|_| self.step());
                return;
            }
        }
    }
}
