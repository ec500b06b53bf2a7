//! From text to tokens.

use lastbit_exact::{Dyadic, Rational};

use super::{Diagnostic, OperationArithmetic, Operator, Position};

/// A token and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// An identifier or keyword; Greek letters are spelled out.
    Word(String),
    Number(Rational),
    Operator(Operator, OperationArithmetic),
    /// `ln~`.
    RoundedLn,
    Open,
    Close,
    Comma,
    Colon,
    Equals,
    Arrow,
    /// A new line outside parentheses, or `;`.
    Separator,
    End,
}

impl Kind {
    /// How an error message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Number(number) => format!("the number {number}"),
            Kind::Operator(operator, arithmetic) => {
                format!("`{}`", super::printer::symbol(*operator, *arithmetic))
            }
            Kind::RoundedLn => "`ln~`".into(),
            Kind::Open => "`(`".into(),
            Kind::Close => "`)`".into(),
            Kind::Comma => "`,`".into(),
            Kind::Colon => "`:`".into(),
            Kind::Equals => "`=`".into(),
            Kind::Arrow => "`<-`".into(),
            Kind::Separator => "the end of the statement".into(),
            Kind::End => "the end of the program".into(),
        }
    }
}

/// The largest magnitude of k in a literal `2^k`; its decimal has fewer digits than [`Rational`]
/// reads.
pub(super) const POWER_LIMIT: i64 = 4096;

/// All tokens of a text, the last of kind [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Diagnostic> {
    let mut lexer = Lexer {
        rest: text,
        at: Position { line: 1, column: 1 },
        depth: 0,
    };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        let end = token.kind == Kind::End;
        tokens.push(token);
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    at: Position,
    /// How many parentheses are open: inside them a new line is a space.
    depth: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Result<Token, Diagnostic> {
        self.skip_blanks();
        let at = self.at;
        let kind = self.kind(at)?;
        match kind {
            Kind::Open => self.depth += 1,
            Kind::Close => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Ok(Token { kind, at })
    }

    fn kind(&mut self, at: Position) -> Result<Kind, Diagnostic> {
        // Longest first: `(+)` before `(`, `<-` before `-`.
        for (text, kind) in symbols() {
            if self.rest.starts_with(text) {
                self.advance(text.len());
                return Ok(kind);
            }
        }
        match self.rest.chars().next() {
            None => Ok(Kind::End),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(at),
            Some(c) if c.is_alphabetic() || c == '_' => Ok(self.word()),
            Some('<') => Err(Diagnostic::new(
                at,
                "`<` begins nothing",
                "write `name <- distribution` to draw a sample",
            )),
            Some('^') => Err(Diagnostic::new(
                at,
                "`^` stands only in powers of two",
                "write 2^k with an integer k, such as 2^-10",
            )),
            Some(c) => Err(Diagnostic::new(
                at,
                format!("the character `{c}` has no meaning here"),
                "remove it, or put it behind `#` in a comment",
            )),
        }
    }

    fn word(&mut self) -> Kind {
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
            .unwrap_or(self.rest.len());
        let word = self.advance(end);
        if word == "LN" {
            return Kind::RoundedLn;
        }
        if word == "ln" && self.rest.starts_with('~') {
            self.advance(1);
            return Kind::RoundedLn;
        }
        let spelled = match word {
            "λ" => "lambda",
            "Λ" => "Lambda",
            "ε" | "ϵ" => "epsilon",
            "Δ" | "∆" => "Delta",
            other => other,
        };
        Kind::Word(spelled.to_owned())
    }

    fn number(&mut self, at: Position) -> Result<Kind, Diagnostic> {
        let digits = self.span(0, |c| c.is_ascii_digit() || c == '.');
        let mut end = digits;
        if self.rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(self.rest[end + 1..].starts_with(['+', '-']));
            let exponent = self.span(end + 1 + sign, |c| c.is_ascii_digit());
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        let text = self.advance(end);
        if let Some(power) = self.rest.strip_prefix('^') {
            return self.power(at, text, power);
        }
        let number = text.parse::<Rational>().map_err(|error| {
            Diagnostic::new(at, format!("`{text}` is not a number"), format!("{error}"))
        })?;
        Ok(Kind::Number(number))
    }

    /// `2^k`, the lexer standing before the `^` of which `after` is the rest.
    fn power(&mut self, at: Position, base: &str, after: &str) -> Result<Kind, Diagnostic> {
        let sign = usize::from(after.starts_with('-'));
        let end = self.span(1 + sign, |c| c.is_ascii_digit());
        let exponent = self.rest[1..end].parse::<i64>().ok();
        match exponent.filter(|k| base == "2" && k.abs() <= POWER_LIMIT) {
            Some(k) => {
                self.advance(end);
                Ok(Kind::Number(Rational::from(&Dyadic::power_of_two(k))))
            }
            None => Err(Diagnostic::new(
                at,
                "this is not a power of two",
                format!("write 2^k with an integer k within ±{POWER_LIMIT}, such as 2^-10"),
            )),
        }
    }

    /// Where the characters that satisfy `test`, from byte `start` on, end.
    fn span(&self, start: usize, test: impl Fn(char) -> bool) -> usize {
        self.rest[start..]
            .find(|c: char| !test(c))
            .map_or(self.rest.len(), |length| start + length)
    }

    fn skip_blanks(&mut self) {
        loop {
            let blank = |c: char| c.is_whitespace() && (c != '\n' || self.depth > 0);
            let end = self.span(0, blank);
            self.advance(end);
            if !self.rest.starts_with('#') {
                return;
            }
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.advance(end);
        }
    }
}

impl<'a> Lexer<'a> {
    /// Consumes `bytes` bytes.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            if c == '\n' {
                self.at = Position {
                    line: self.at.line + 1,
                    column: 1,
                };
            } else {
                self.at.column += 1;
            }
        }
        self.rest = rest;
        taken
    }
}

fn symbols() -> [(&'static str, Kind); 27] {
    use OperationArithmetic::{Real, Rounded};
    use Operator::{Add, Divide, Multiply, Subtract};
    [
        ("(+)", Kind::Operator(Add, Rounded)),
        ("(-)", Kind::Operator(Subtract, Rounded)),
        ("(−)", Kind::Operator(Subtract, Rounded)),
        ("(*)", Kind::Operator(Multiply, Rounded)),
        ("(×)", Kind::Operator(Multiply, Rounded)),
        ("(/)", Kind::Operator(Divide, Rounded)),
        ("(÷)", Kind::Operator(Divide, Rounded)),
        ("⊕", Kind::Operator(Add, Rounded)),
        ("⊖", Kind::Operator(Subtract, Rounded)),
        ("⊗", Kind::Operator(Multiply, Rounded)),
        ("⊘", Kind::Operator(Divide, Rounded)),
        ("<-", Kind::Arrow),
        ("←", Kind::Arrow),
        ("+", Kind::Operator(Add, Real)),
        ("-", Kind::Operator(Subtract, Real)),
        ("−", Kind::Operator(Subtract, Real)),
        ("*", Kind::Operator(Multiply, Real)),
        ("×", Kind::Operator(Multiply, Real)),
        ("/", Kind::Operator(Divide, Real)),
        ("÷", Kind::Operator(Divide, Real)),
        ("(", Kind::Open),
        (")", Kind::Close),
        (",", Kind::Comma),
        (":", Kind::Colon),
        ("=", Kind::Equals),
        (";", Kind::Separator),
        ("\n", Kind::Separator),
    ]
}
