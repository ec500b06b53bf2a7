//! The query of a plan whose rows are in a database, checked: it makes at most one row of each row
//! of one table, out of that row alone.
//!
//! So a unit's rows of the query are a function of that unit's rows of the table, and the loss
//! bounds what the unit changes. Everything that is allowed is written out here; what the parser
//! knows beyond that is refused, also when a later version of it learns more: what is allowed is
//! written anew, and must be all that the parser found.

use sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, CeilFloorKind, DataType, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, ObjectName, ObjectNamePart, Query,
    Select, SelectItem, SetExpr, Statement, TableFactor, UnaryOperator, Value,
};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::clean::shown;
use crate::expression::{Plain, on_large_stack};

/// The longest query, in bytes, the most words and signs of it, and how deep it may be nested: for
/// the parser's recursion.
const MOST_BYTES: usize = 64 << 10;
const MOST_TOKENS: usize = 4000;
const MOST_NESTED: usize = 40;

/// Functions of their arguments alone, with the same value for ever.
const FUNCTIONS: [&str; 17] = [
    "abs", "coalesce", "concat", "greatest", "least", "left", "length", "lower", "mod", "nullif",
    "replace", "right", "round", "sign", "substr", "trunc", "upper",
];

/// Words that databases read as the clock or the session, where no quotes make them columns.
const SESSION: [&str; 11] = [
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
    "user",
];

/// Columns that say where and when a row was stored, which others decide.
const STORED: [&str; 10] = [
    "_metadata",
    "_rowid_",
    "cmax",
    "cmin",
    "ctid",
    "oid",
    "rowid",
    "tableoid",
    "xmax",
    "xmin",
];

/// The query in one notation, with every part in parentheses, or why it is refused.
pub fn checked(text: &str) -> Result<String, String> {
    if text.len() > MOST_BYTES {
        return Err(format!(
            "it has {} bytes, and {MOST_BYTES} are allowed; make it a view",
            text.len()
        ));
    }
    on_large_stack(|| check(text))
        .unwrap_or_else(|_| Err("the parser failed; write it in another way".to_owned()))
}

fn check(text: &str) -> Result<String, String> {
    let tokens = Tokenizer::new(&Plain, text)
        .tokenize_with_location()
        .map_err(|error| shown(&error.message))?;
    let is_word = |token: &Token| !matches!(token, Token::Whitespace(_));
    if tokens.iter().filter(|token| is_word(&token.token)).count() > MOST_TOKENS {
        return Err(format!(
            "it has more than {MOST_TOKENS} words and signs; make it a view"
        ));
    }
    let mut parser = Parser::new(&Plain)
        .with_recursion_limit(MOST_NESTED)
        .with_tokens_with_locations(tokens);
    let mut statements = parser.parse_statements().map_err(|error| match error {
        ParserError::RecursionLimitExceeded => {
            format!("it is nested more than {MOST_NESTED} deep; make it a view")
        }
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => shown(&message),
    })?;
    let query = match (statements.pop(), statements.is_empty()) {
        (Some(Statement::Query(query)), true) => query,
        _ => return Err("it must be one SELECT".to_owned()),
    };
    let select = select(&query)?;
    // What is allowed, written as the parser writes it, must be all that there is.
    if written(select, Written::AsParsed)? != query.to_string() {
        return Err(
            "it has more than SELECT … FROM … WHERE …; leave the rest out, or make it a view"
                .to_owned(),
        );
    }
    written(select, Written::InParentheses)
}

/// Names what is refused; the comparison in [`check`] finds what is not named here.
fn select(query: &Query) -> Result<&Select, String> {
    let refuse = |what: &str, why: &str| Err(format!("{what} {why}"));
    const OTHERS: &str = "depends on other rows, so that one person could change the rows of \
        others; leave it to the plan, which bounds that";
    if query.with.is_some() {
        return refuse("WITH", "is not allowed; one SELECT over one table is");
    }
    if query.order_by.is_some() {
        return refuse("ORDER BY", "has no meaning here; leave it out");
    }
    if query.limit_clause.is_some() || query.fetch.is_some() {
        return refuse("LIMIT", OTHERS);
    }
    let SetExpr::Select(select) = query.body.as_ref() else {
        return refuse(
            "UNION and the like",
            "are not allowed; one SELECT over one table is",
        );
    };
    if select.distinct.is_some() {
        return refuse("DISTINCT", OTHERS);
    }
    let grouped = match &select.group_by {
        GroupByExpr::Expressions(by, modifiers) => !by.is_empty() || !modifiers.is_empty(),
        GroupByExpr::All(_) => true,
    };
    if grouped || select.having.is_some() {
        return refuse("GROUP BY", OTHERS);
    }
    if select.qualify.is_some() || !select.named_window.is_empty() {
        return refuse("a window", OTHERS);
    }
    if select.from.len() != 1 || select.from.iter().any(|from| !from.joins.is_empty()) {
        return refuse(
            "a join",
            "could give one row many times, or make it depend on others; name one table, and look \
             up in public tables with [[source.lookup]]",
        );
    }
    Ok(select)
}

/// How a query is written.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    /// As the parser writes it, to compare.
    AsParsed,
    /// With every part in parentheses, so that no database binds it otherwise than the parser.
    InParentheses,
}

fn written(select: &Select, how: Written) -> Result<String, String> {
    let mut items = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for item in &select.projection {
        let (text, name) = match item {
            SelectItem::UnnamedExpr(expr @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_))) => {
                let text = expression(expr, how)?;
                (text, name_of(expr))
            }
            SelectItem::UnnamedExpr(expr) => {
                // Says first what is wrong inside.
                expression(expr, how)?;
                return Err(format!(
                    "a column that is computed needs a name: add AS and a name after `{}`",
                    shown(&expr.to_string())
                ));
            }
            SelectItem::ExprWithAlias { expr, alias } => (
                format!("{} AS {}", expression(expr, how)?, ident(alias)?),
                Some(alias.value.to_lowercase()),
            ),
            SelectItem::Wildcard(_) if select.projection.len() == 1 => ("*".to_owned(), None),
            _ => {
                return Err(
                    "it must name its columns one by one, or take all of them with * alone"
                        .to_owned(),
                );
            }
        };
        if let Some(name) = name {
            if names.contains(&name) {
                return Err(format!("two columns are called `{}`", shown(&name)));
            }
            names.push(name);
        }
        items.push(text);
    }
    let table = match select.from.first().map(|from| &from.relation) {
        Some(TableFactor::Table { name, alias, .. }) => {
            let alias = match alias {
                None => String::new(),
                Some(alias) => {
                    let word = if alias.explicit || how == Written::InParentheses {
                        " AS"
                    } else {
                        ""
                    };
                    format!("{word} {}", ident(&alias.name)?)
                }
            };
            format!("{}{alias}", object_name(name)?)
        }
        _ => return Err("it must read one table, by its name".to_owned()),
    };
    let mut text = format!("SELECT {} FROM {table}", items.join(", "));
    if let Some(filter) = &select.selection {
        text += &format!(" WHERE {}", expression(filter, how)?);
    }
    Ok(text)
}

fn name_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(name.value.to_lowercase()),
        Expr::CompoundIdentifier(names) => names.last().map(|name| name.value.to_lowercase()),
        _ => None,
    }
}

fn ident(name: &Ident) -> Result<String, String> {
    match name.quote_style {
        None | Some('"') if !name.value.contains('\0') => Ok(name.to_string()),
        _ => Err("names are quoted with double quotes".to_owned()),
    }
}

fn object_name(name: &ObjectName) -> Result<String, String> {
    let parts = name.0.iter().map(|part| match part {
        ObjectNamePart::Identifier(name) => ident(name),
        _ => Err("it must read one table, by its name".to_owned()),
    });
    Ok(parts.collect::<Result<Vec<_>, _>>()?.join("."))
}

fn column(names: &[Ident]) -> Result<String, String> {
    let Some(last) = names.last() else {
        return Err("a column has no name".to_owned());
    };
    let lower = last.value.to_lowercase();
    if last.quote_style.is_none() && names.len() == 1 && SESSION.contains(&lower.as_str()) {
        return Err(format!(
            "`{lower}` is the clock or the session, and a release must be the same when it is \
             asked again; quote it if it is a column"
        ));
    }
    // Of every part: the first may be a record whose fields are named after it.
    let mut parts = names.iter().map(|name| name.value.to_lowercase());
    if let Some(stored) = parts.find(|name| STORED.contains(&name.as_str())) {
        return Err(format!(
            "`{stored}` says where a row is stored, which depends on other rows"
        ));
    }
    let parts: Result<Vec<_>, _> = names.iter().map(ident).collect();
    Ok(parts?.join("."))
}

fn expression(expr: &Expr, how: Written) -> Result<String, String> {
    let part = |expr: &Expr| -> Result<String, String> {
        let text = expression(expr, how)?;
        let is_closed = matches!(
            expr,
            Expr::Identifier(_)
                | Expr::CompoundIdentifier(_)
                | Expr::Value(_)
                | Expr::Nested(_)
                | Expr::Function(_)
        );
        Ok(match how == Written::InParentheses && !is_closed {
            true => format!("({text})"),
            false => text,
        })
    };
    let not = |negated: bool| if negated { "NOT " } else { "" };
    Ok(match expr {
        Expr::Identifier(name) => column(std::slice::from_ref(name))?,
        Expr::CompoundIdentifier(names) => column(names)?,
        Expr::Value(value) => match &value.value {
            Value::Number(..) | Value::Boolean(_) | Value::Null => value.to_string(),
            Value::SingleQuotedString(text) if !text.contains(['\0', '\\']) => value.to_string(),
            Value::SingleQuotedString(_) => {
                return Err(
                    "a text with a backslash or NUL means different things to different databases"
                        .to_owned(),
                );
            }
            _ => return Err(refused(expr)),
        },
        Expr::Nested(inner) => format!("({})", expression(inner, how)?),
        Expr::UnaryOp { op, expr } => match op {
            UnaryOperator::Not => format!("NOT {}", part(expr)?),
            UnaryOperator::Plus | UnaryOperator::Minus => format!("{op}{}", part(expr)?),
            _ => return Err(refused(expr)),
        },
        Expr::BinaryOp { left, op, right } => {
            use BinaryOperator as B;
            match op {
                B::Plus | B::Minus | B::Multiply | B::Divide | B::Modulo | B::StringConcat => {}
                B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq | B::And | B::Or => {}
                _ => return Err(refused(expr)),
            }
            format!("{} {op} {}", part(left)?, part(right)?)
        }
        Expr::IsNull(x) => format!("{} IS NULL", part(x)?),
        Expr::IsNotNull(x) => format!("{} IS NOT NULL", part(x)?),
        Expr::IsTrue(x) => format!("{} IS TRUE", part(x)?),
        Expr::IsNotTrue(x) => format!("{} IS NOT TRUE", part(x)?),
        Expr::IsFalse(x) => format!("{} IS FALSE", part(x)?),
        Expr::IsNotFalse(x) => format!("{} IS NOT FALSE", part(x)?),
        Expr::InList {
            expr,
            list,
            negated,
        } => {
            let list: Result<Vec<_>, _> = list.iter().map(&part).collect();
            format!("{} {}IN ({})", part(expr)?, not(*negated), list?.join(", "))
        }
        Expr::Between {
            expr,
            negated,
            low,
            high,
        } => format!(
            "{} {}BETWEEN {} AND {}",
            part(expr)?,
            not(*negated),
            part(low)?,
            part(high)?
        ),
        Expr::Like {
            negated,
            any: false,
            expr,
            pattern,
            escape_char: None,
        } => format!("{} {}LIKE {}", part(expr)?, not(*negated), part(pattern)?),
        Expr::Case {
            operand,
            conditions,
            else_result,
            ..
        } => {
            let mut text = String::from("CASE");
            if let Some(operand) = operand {
                text += &format!(" {}", part(operand)?);
            }
            for CaseWhen { condition, result } in conditions {
                text += &format!(" WHEN {} THEN {}", part(condition)?, part(result)?);
            }
            if let Some(result) = else_result {
                text += &format!(" ELSE {}", part(result)?);
            }
            text + " END"
        }
        Expr::Cast {
            kind: CastKind::Cast,
            expr,
            data_type,
            format: None,
        } => {
            if !is_plain(data_type) {
                return Err(format!(
                    "a cast to `{}` is not allowed; to a number, a text, a date, a time or a \
                     boolean it is",
                    shown(&data_type.to_string())
                ));
            }
            format!("CAST({} AS {data_type})", part(expr)?)
        }
        Expr::Ceil {
            expr,
            field: CeilFloorKind::DateTimeField(sqlparser::ast::DateTimeField::NoDateTime),
        } => format!("CEIL({})", part(expr)?),
        Expr::Floor {
            expr,
            field: CeilFloorKind::DateTimeField(sqlparser::ast::DateTimeField::NoDateTime),
        } => format!("FLOOR({})", part(expr)?),
        Expr::Trim {
            trim_where: None,
            trim_what: None,
            expr,
            trim_characters: None,
        } => format!("TRIM({})", part(expr)?),
        Expr::Function(called) => function(called, how)?,
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => {
            return Err(
                "a query inside of the query reads other rows; look up in public tables \
                with [[source.lookup]]"
                    .to_owned(),
            );
        }
        _ => return Err(refused(expr)),
    })
}

fn refused(expr: &Expr) -> String {
    format!(
        "`{}` is not allowed: what a row becomes must depend on that row alone, in a way that \
         this program knows",
        shown(&expr.to_string())
    )
}

fn function(called: &Function, how: Written) -> Result<String, String> {
    let name = called.name.to_string();
    if called.over.is_some() {
        return Err(format!(
            "`{}` looks at other rows, so that one person could change the rows of others; leave \
             it to the plan",
            shown(&name)
        ));
    }
    if !FUNCTIONS.contains(&name.to_lowercase().as_str()) {
        return Err(format!(
            "the function `{}` is not allowed: it may look at other rows, at the clock or at \
             chance; allowed are {}, ceil, floor and trim",
            shown(&name),
            FUNCTIONS.join(", ")
        ));
    }
    let FunctionArguments::List(list) = &called.args else {
        return Err(format!("`{}` must have arguments", shown(&name)));
    };
    let argument = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => expression(expr, how),
        _ => Err(format!("`{}` must have plain arguments", shown(&name))),
    };
    let arguments: Result<Vec<_>, _> = list.args.iter().map(argument).collect();
    Ok(format!("{name}({})", arguments?.join(", ")))
}

fn is_plain(data_type: &DataType) -> bool {
    use DataType as D;
    matches!(
        data_type,
        D::Boolean
            | D::Bool
            | D::SmallInt(None)
            | D::Int(None)
            | D::Integer(None)
            | D::BigInt(None)
            | D::Real
            | D::Float(_)
            | D::Double(_)
            | D::DoublePrecision
            | D::Numeric(_)
            | D::Decimal(_)
            | D::Text
            | D::Varchar(_)
            | D::Date
            | D::Timestamp(None, _)
    )
}

#[cfg(test)]
mod tests;
