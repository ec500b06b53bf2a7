//! SQL text to the parser's tree, within bounds.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use sqlparser::ast::{Expr, Spanned};
use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use super::MOST_BYTES;
use super::error::{ExpressionError, Place};

/// The most words and symbols of an expression. A chain of operators is a tree of half that depth,
/// which is dropped by recursion, at a few hundred bytes a step.
const MOST_TOKENS: usize = 4000;

/// The deepest nesting of parentheses, functions and cases, because the parser recurses.
const MOST_NESTED: usize = 40;

/// SQL's expressions without the additions of single databases. Names are letters of any alphabet,
/// digits, `_` and `$`; others are quoted.
#[derive(Debug)]
pub(crate) struct Plain;

impl Dialect for Plain {
    fn is_identifier_start(&self, c: char) -> bool {
        c.is_alphabetic() || c == '_'
    }

    fn is_identifier_part(&self, c: char) -> bool {
        c.is_alphanumeric() || c == '_' || c == '$'
    }
}

/// The parser's stack. Unoptimised, it takes about 100 KB for each level of nesting; and a little
/// for what calls it.
const STACK: usize = 34 << 20;

thread_local! {
    /// Whether this thread has such a stack.
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Why nothing came of what runs on a large stack.
pub(crate) enum Failed {
    /// No thread could be started.
    NoThread,
    /// It panicked.
    Panicked(Box<dyn Any + Send>),
}

/// Runs on a stack that is large enough for the parser, whoever calls. What it runs starts no
/// further thread for that: a plan of hundreds of expressions takes one.
pub(crate) fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, Failed> {
    if IS_LARGE.get() {
        return catch_unwind(AssertUnwindSafe(run)).map_err(Failed::Panicked);
    }
    thread::scope(|scope| {
        thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                IS_LARGE.set(true);
                run()
            })
            .map_err(|_| Failed::NoThread)?
            .join()
            .map_err(Failed::Panicked)
    })
}

/// Applies `mean` to the parser's tree of a text, on a stack that is large enough for any caller.
pub(super) fn read<T: Send>(
    text: &str,
    mean: impl FnOnce(&Expr) -> Result<T, ExpressionError> + Send,
) -> Result<T, ExpressionError> {
    on_large_stack(|| mean(&parse(text)?)).unwrap_or_else(|_| {
        Err(ExpressionError::new(
            Place::default(),
            "the parser failed; write it in another way",
        ))
    })
}

/// The parser's tree of a text.
fn parse(text: &str) -> Result<Expr, ExpressionError> {
    let start = Place { line: 1, column: 1 };
    if text.len() > MOST_BYTES {
        return Err(ExpressionError::new(
            start,
            format!(
                "the expression has {} bytes, and {MOST_BYTES} are allowed; split it into derived \
                 columns",
                text.len()
            ),
        ));
    }
    let tokens = Tokenizer::new(&Plain, text)
        .tokenize_with_location()
        .map_err(|error| ExpressionError::new(place(error.location), error.message))?;
    let is_word = |token: &Token| !matches!(token, Token::Whitespace(_));
    let words = tokens.iter().filter(|token| is_word(&token.token)).count();
    if words == 0 {
        return Err(ExpressionError::new(
            start,
            "the expression is empty; write for example: age >= 18",
        ));
    }
    if words > MOST_TOKENS {
        return Err(ExpressionError::new(
            start,
            format!(
                "the expression has {words} words and signs, and {MOST_TOKENS} are allowed; split \
                 it into derived columns"
            ),
        ));
    }
    let is_deep = nested(&tokens) >= MOST_NESTED;
    let mut parser = Parser::new(&Plain)
        .with_recursion_limit(MOST_NESTED)
        .with_tokens_with_locations(tokens);
    // Where the parser tries several readings, its own limit shows as a word that it does not
    // expect.
    let tree = parser.parse_expr().map_err(|error| match is_deep {
        true => too_deep(),
        false => refusal(error, text),
    })?;
    let next = parser.peek_token();
    match next.token {
        Token::EOF => Ok(tree),
        _ if is_deep => Err(too_deep()),
        other => Err(ExpressionError::new(
            place(next.span.start),
            format!(
                "`{}` is not expected here; is an operator, a quote or a comma missing before it? \
                 Names with other characters than \
                 letters, digits and _ are written in double quotes",
                crate::clean::shown(&other.to_string())
            ),
        )),
    }
}

/// How deep parentheses, cases and `not` are nested.
fn nested(tokens: &[TokenWithSpan]) -> usize {
    let (mut open, mut negations, mut most) = (0usize, 0, 0);
    for token in tokens {
        let keyword = match &token.token {
            Token::Whitespace(_) => continue,
            Token::Word(word) => word.keyword,
            _ => Keyword::NoKeyword,
        };
        negations = match keyword {
            Keyword::NOT => negations + 1,
            _ => 0,
        };
        match (&token.token, keyword) {
            (Token::LParen, _) | (_, Keyword::CASE) => open += 1,
            (Token::RParen, _) | (_, Keyword::END) => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open + negations);
    }
    most
}

fn too_deep() -> ExpressionError {
    ExpressionError::new(
        Place::default(),
        format!(
            "the expression is nested {MOST_NESTED} deep or deeper; split it into derived columns"
        ),
    )
}

/// The parser's error. Its place is at the end of its message; without one, it is the end of the
/// text.
fn refusal(error: ParserError, expression: &str) -> ExpressionError {
    let (ParserError::ParserError(message) | ParserError::TokenizerError(message)) = error else {
        return too_deep();
    };
    let split = message.rsplit_once(" at Line: ").and_then(|(text, rest)| {
        let (line, column) = rest.split_once(", Column: ")?;
        Some((text, line.parse().ok()?, column.parse().ok()?))
    });
    let (text, at) = match split {
        Some((text, line, column)) => (text, Place { line, column }),
        None => (message.as_str(), end(expression)),
    };
    let text = crate::clean::shown(text);
    ExpressionError::new(at, format!("this is no SQL expression: {text}"))
}

/// After the last character that is not a space.
fn end(text: &str) -> Place {
    let text = text.trim_end();
    let last = text.rsplit('\n').next().unwrap_or_default();
    Place {
        line: text.matches('\n').count() as u64 + 1,
        column: last.chars().count() as u64 + 1,
    }
}

fn place(location: Location) -> Place {
    Place {
        line: location.line,
        column: location.column,
    }
}

/// Where an expression starts. The parser's own function recurses, and a chain may be long.
pub(super) fn start(mut tree: &Expr) -> Place {
    loop {
        tree = match tree {
            Expr::BinaryOp { left: next, .. }
            | Expr::Nested(next)
            | Expr::IsTrue(next)
            | Expr::IsNotTrue(next)
            | Expr::IsFalse(next)
            | Expr::IsNotFalse(next)
            | Expr::IsNull(next)
            | Expr::IsNotNull(next)
            | Expr::IsUnknown(next)
            | Expr::IsNotUnknown(next)
            | Expr::IsDistinctFrom(next, _)
            | Expr::IsNotDistinctFrom(next, _)
            | Expr::UnaryOp { expr: next, .. }
            | Expr::Cast { expr: next, .. }
            | Expr::InList { expr: next, .. }
            | Expr::InSubquery { expr: next, .. }
            | Expr::InUnnest { expr: next, .. }
            | Expr::Between { expr: next, .. }
            | Expr::Like { expr: next, .. }
            | Expr::ILike { expr: next, .. }
            | Expr::SimilarTo { expr: next, .. }
            | Expr::RLike { expr: next, .. }
            | Expr::AnyOp { left: next, .. }
            | Expr::AllOp { left: next, .. }
            | Expr::AtTimeZone {
                timestamp: next, ..
            }
            | Expr::Extract { expr: next, .. }
            | Expr::Ceil { expr: next, .. }
            | Expr::Floor { expr: next, .. }
            | Expr::Substring { expr: next, .. }
            | Expr::Trim { expr: next, .. }
            | Expr::Position { expr: next, .. }
            | Expr::Collate { expr: next, .. } => next,
            Expr::Interval(interval) => &interval.value,
            Expr::Identifier(name) => return place(name.span.start),
            Expr::CompoundIdentifier(names) => {
                return names
                    .first()
                    .map_or(Place::default(), |name| place(name.span.start));
            }
            Expr::Value(value) => return place(value.span.start),
            Expr::TypedString(text) => return place(text.value.span.start),
            Expr::Function(call) => return place(call.name.span().start),
            Expr::Case { case_token, .. } => return place(case_token.0.span.start),
            Expr::Subquery(query)
            | Expr::Exists {
                subquery: query, ..
            } => {
                return place(query.span().start);
            }
            _ => return Place::default(),
        };
    }
}
