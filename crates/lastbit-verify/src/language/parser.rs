//! From tokens to the tree, by recursive descent.

mod expression;

use super::lexer::{Kind, Token, tokens};
use super::{
    Assignment, Diagnostic, Distribution, Parameter, Position, Program, Statement, UniformShape,
};

/// Reads a program, or says where the first error is and what to write instead.
///
/// Grammar; a new line outside parentheses is a separator, as `;` is:
///
/// ```text
/// program    = { "program" name | "parameters" parameter { "," parameter } }
///              { statement } "return" expr
/// parameter  = name [ "=" expr ]
/// statement  = name "<-" distribution | name "=" expr
/// distribution = "unif" [ "(" { "bits" ":" n | "exponents" ":" n } ")" ] | "sign"
///            | "laplace" "(" expr ")"
/// expr       = term { ("+" | "-" | "(+)" | "(-)") term }
/// term       = factor { ("*" | "/" | "(*)" | "(/)") factor }
/// factor     = "-" factor | number | name | "f" | "(" expr ")" | "ln" "(" expr ")"
///            | "ln~" "(" expr ")" | "fl" "(" expr ")" | "clamp" "(" expr "," expr ")"
///            | "round" "(" expr "," expr { "," option } ")" | "ceil2" "(" expr ")"
/// option     = "ties" ":" ("up" | "even" | "away") | "zero" ":" ("positive" | "signed")
/// ```
///
/// ```
/// use lastbit_verify::language::parse;
/// let program = parse("u <- unif\nreturn f (+) ln~(u)")?;
/// assert_eq!(parse(&program.to_string())?, program);
/// assert_eq!(parse("return f +").unwrap_err().at.to_string(), "1:11");
/// # Ok::<(), lastbit_verify::language::Diagnostic>(())
/// ```
pub fn parse(text: &str) -> Result<Program, Diagnostic> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        next: 0,
    };
    parser.program()
}

/// The most tokens of a statement: bounds the depth of a tree, so that no text exhausts the stack.
pub(super) const STATEMENT_TOKENS: usize = 256;

/// Words that name no variable, parameter or sample.
pub(super) const RESERVED: [&str; 12] = [
    "program",
    "parameters",
    "return",
    "f",
    "unif",
    "sign",
    "laplace",
    "ln",
    "fl",
    "clamp",
    "round",
    "ceil2",
];

struct Parser {
    tokens: Vec<Token>,
    next: usize,
}

impl Parser {
    fn program(&mut self) -> Result<Program, Diagnostic> {
        let mut name = None;
        let mut parameters = Vec::new();
        let mut statements = Vec::new();
        loop {
            self.skip_separators();
            self.check_length()?;
            let at = self.at();
            let Kind::Word(word) = self.kind().clone() else {
                return Err(self.unexpected(
                    "a statement",
                    "write `name = expression`, `name <- distribution` or `return expression`",
                ));
            };
            match word.as_str() {
                "program" | "parameters" if !statements.is_empty() => {
                    return Err(Diagnostic::new(
                        at,
                        format!("`{word}` comes after a statement"),
                        "move it to the top of the program",
                    ));
                }
                "program" if name.is_some() => {
                    return Err(Diagnostic::new(
                        at,
                        "the program is named twice",
                        "keep one of the names",
                    ));
                }
                "program" => {
                    self.next += 1;
                    name = Some(self.name("the program")?.0);
                }
                "parameters" => {
                    self.next += 1;
                    parameters.push(self.parameter()?);
                    while self.take(&Kind::Comma) {
                        parameters.push(self.parameter()?);
                    }
                }
                "return" => {
                    self.next += 1;
                    let result = self.expr()?;
                    self.end_of_statement()?;
                    self.skip_separators();
                    if *self.kind() != Kind::End {
                        return Err(Diagnostic::new(
                            self.at(),
                            "the program goes on after `return`",
                            "make `return` the last statement",
                        ));
                    }
                    return Ok(Program {
                        name,
                        parameters,
                        statements,
                        result,
                    });
                }
                _ => statements.push(self.statement()?),
            }
            self.end_of_statement()?;
        }
    }

    fn parameter(&mut self) -> Result<Parameter, Diagnostic> {
        let (name, at) = self.name("a parameter")?;
        let default = self.take(&Kind::Equals).then(|| self.expr()).transpose()?;
        Ok(Parameter { name, default, at })
    }

    fn statement(&mut self) -> Result<Statement, Diagnostic> {
        let (name, at) = self.name("a variable")?;
        if self.take(&Kind::Arrow) {
            let distribution = self.distribution()?;
            return Ok(Statement::Sample {
                name,
                distribution,
                at,
            });
        }
        if !self.take(&Kind::Equals) {
            return Err(self.unexpected(
                &format!("`=` or `<-` after `{name}`"),
                "assign with `name = expression`, draw with `name <- distribution`",
            ));
        }
        let value = self.expr()?;
        Ok(Statement::Assign(Assignment { name, value, at }))
    }

    fn distribution(&mut self) -> Result<Distribution, Diagnostic> {
        let remedy = "draw from `unif`, `sign` or `laplace(scale)`";
        let Kind::Word(word) = self.kind().clone() else {
            return Err(self.unexpected("a distribution", remedy));
        };
        let at = self.at();
        self.next += 1;
        match word.as_str() {
            "unif" => Ok(Distribution::Uniform(self.uniform_shape()?)),
            "sign" | "bernoulli" => Ok(Distribution::Sign),
            "laplace" => {
                let open = self.open("laplace")?;
                let scale = self.expr()?;
                self.close(open)?;
                Ok(Distribution::Laplace { scale })
            }
            _ => Err(Diagnostic::new(
                at,
                format!("`{word}` is not a distribution"),
                remedy,
            )),
        }
    }

    fn uniform_shape(&mut self) -> Result<UniformShape, Diagnostic> {
        let mut shape = UniformShape::default();
        if *self.kind() != Kind::Open {
            return Ok(shape);
        }
        let open = self.open("unif")?;
        loop {
            let (option, at) = self.option("`bits: n` or `exponents: n`")?;
            let (slot, least) = match option.as_str() {
                "bits" => (&mut shape.bits, 2),
                "exponents" => (&mut shape.exponents, 1),
                _ => {
                    return Err(Diagnostic::new(
                        at,
                        format!("`unif` has no option `{option}`"),
                        "it takes `bits: n` and `exponents: n`",
                    ));
                }
            };
            if slot.is_some() {
                return Err(given_twice(at, &option));
            }
            *slot = Some(self.count(least)?);
            if !self.take(&Kind::Comma) {
                self.close(open)?;
                return Ok(shape);
            }
        }
    }

    /// An integer from `least` to a million.
    fn count(&mut self, least: u32) -> Result<u32, Diagnostic> {
        let remedy = format!("write an integer from {least} to 1000000");
        let at = self.at();
        let Kind::Number(number) = self.kind().clone() else {
            return Err(self.unexpected("a number", &remedy));
        };
        self.next += 1;
        u32::try_from(number.floor())
            .ok()
            .filter(|n| {
                number == lastbit_exact::Rational::from(i64::from(*n))
                    && (least..=1_000_000).contains(n)
            })
            .ok_or_else(|| Diagnostic::new(at, format!("{number} is out of range"), remedy))
    }

    fn name(&mut self, what: &str) -> Result<(String, Position), Diagnostic> {
        let at = self.at();
        match self.kind().clone() {
            Kind::Word(word) if RESERVED.contains(&word.as_str()) => Err(Diagnostic::new(
                at,
                format!("`{word}` is a word of the language and cannot name {what}"),
                "choose another name",
            )),
            Kind::Word(word) => {
                self.next += 1;
                Ok((word, at))
            }
            _ => Err(self.unexpected(
                &format!("the name of {what}"),
                "write a word of letters, digits, `_` and `'`",
            )),
        }
    }

    /// `name :`.
    fn option(&mut self, options: &str) -> Result<(String, Position), Diagnostic> {
        let at = self.at();
        if let Kind::Word(word) = self.kind().clone() {
            self.next += 1;
            if self.take(&Kind::Colon) {
                return Ok((word, at));
            }
        }
        Err(Diagnostic::new(
            at,
            "an option is expected here",
            format!("write {options}"),
        ))
    }

    fn open(&mut self, function: &str) -> Result<Position, Diagnostic> {
        let at = self.at();
        if self.take(&Kind::Open) {
            return Ok(at);
        }
        Err(self.unexpected(
            &format!("`(` after `{function}`"),
            &format!("write {function}(…)"),
        ))
    }

    /// The `)` of the parenthesis opened at `open`.
    fn close(&mut self, open: Position) -> Result<(), Diagnostic> {
        if self.take(&Kind::Close) {
            return Ok(());
        }
        if *self.kind() == Kind::Comma {
            return Err(self.unexpected("`)`", "remove the arguments from here on"));
        }
        let found = self.kind().describe();
        Err(Diagnostic::new(
            open,
            format!("this `(` is not closed before {found} at {}", self.at()),
            "put `)` where the argument ends",
        ))
    }

    fn comma(&mut self, shape: &str) -> Result<(), Diagnostic> {
        if self.take(&Kind::Comma) {
            return Ok(());
        }
        Err(self.unexpected("`,`", &format!("write {shape}")))
    }

    fn end_of_statement(&mut self) -> Result<(), Diagnostic> {
        if matches!(self.kind(), Kind::Separator | Kind::End) {
            return Ok(());
        }
        Err(self.unexpected(
            "the end of the statement",
            "separate statements by a new line or `;`, and factors by `*` or `(*)`",
        ))
    }

    fn check_length(&self) -> Result<(), Diagnostic> {
        let length = self.tokens[self.next..]
            .iter()
            .take_while(|token| !matches!(token.kind, Kind::Separator | Kind::End))
            .count();
        if length <= STATEMENT_TOKENS {
            return Ok(());
        }
        Err(Diagnostic::new(
            self.at(),
            format!("this statement has more than {STATEMENT_TOKENS} words and symbols"),
            "assign a part of it to a variable first",
        ))
    }

    fn skip_separators(&mut self) {
        while self.take(&Kind::Separator) {}
    }

    fn unexpected(&self, expected: &str, remedy: &str) -> Diagnostic {
        let found = self.kind().describe();
        Diagnostic::new(
            self.at(),
            format!("expected {expected}, found {found}"),
            remedy,
        )
    }

    fn take(&mut self, kind: &Kind) -> bool {
        let found = self.kind() == kind;
        // The last token is the end, which nothing takes.
        self.next += usize::from(found);
        found
    }

    fn kind(&self) -> &Kind {
        &self.tokens[self.next].kind
    }

    fn at(&self) -> Position {
        self.tokens[self.next].at
    }
}

fn given_twice(at: Position, option: &str) -> Diagnostic {
    Diagnostic::new(
        at,
        format!("the option `{option}` is given twice"),
        "keep one of them",
    )
}
