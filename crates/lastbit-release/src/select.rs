//! A `select` statement as statistics of a plan: what an analyst asks, in the words of SQL.
//!
//! Only what can be private has a meaning: counts, sums, means, variances and quantiles of a
//! table's rows, by columns of the plan. Everything else is refused with the reason. Bounds,
//! categories and limits come from the plan.

use std::fmt::Write as _;
use std::thread;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, Query,
    Select, SelectItem, SetExpr, Statement, TableFactor,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::clean::shown;
use crate::loss::Loss;
use crate::plan::{Plan, PlanError, quoted};

/// Longer statements are refused.
const MOST_BYTES: usize = 1 << 14;

/// The deepest nesting of parentheses and functions, because the parser recurses.
const MOST_NESTED: usize = 40;

/// The most words and signs of a statement. A chain of operators is a tree of half that depth,
/// which is written and dropped by recursion, at more than 8 KB a step.
const MOST_WORDS: usize = 1000;

/// The parser's stack, whatever the caller's is.
const STACK: usize = 64 << 20;

/// Why a statement cannot be answered privately, and what to ask instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SelectError(String);

impl SelectError {
    fn new(message: impl Into<String>) -> SelectError {
        SelectError(message.into())
    }
}

/// Why a query is refused.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The statement has no private meaning.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The statistics do not fit the plan.
    #[error("{}", .0.message())]
    Plan(PlanError),
}

/// The plan with the statistics of a statement in place of its own, and so much to spend, whatever
/// the plan says in `[spend]`.
///
/// ```
/// use lastbit_release::loss::Loss;
/// use lastbit_release::plan::Plan;
/// use lastbit_release::select::ask;
/// let plan = Plan::parse(r#"
///     [source]
///     files = "visits.csv"
///     [privacy]
///     neighbours = "add-remove"
///     [budget]
///     epsilon = 1
///     [columns.ward]
///     categories = ["medicine", "surgery"]
///     [columns.cost]
///     lower = 0
///     upper = 10_000
///     [[statistics]]
///     name = "visits"
///     kind = "count"
/// "#)?;
/// let spend = Loss::pure("0.1".parse()?)?;
/// let question = "select ward, count(*), avg(cost) from visits where cost > 0 group by ward";
/// let asked = ask(&plan, question, &spend)?;
/// assert_eq!(asked.statistics.len(), 2);
/// assert_eq!(asked.spend, spend);
/// let refused = ask(&plan, "select max(cost) from visits", &spend).unwrap_err();
/// assert!(refused.to_string().contains("one row"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ask(plan: &Plan, statement: &str, spend: &Loss) -> Result<Plan, QueryError> {
    let mut asked = ask_as_planned(plan, statement)?;
    asked.spend = spend.clone();
    // A part of the budget would decide the loss in its place.
    asked.part = None;
    Ok(asked)
}

/// [`ask`] with what the plan itself says in `[spend]`.
pub fn ask_as_planned(plan: &Plan, statement: &str) -> Result<Plan, QueryError> {
    let text = statistics(statement)?;
    let mut asked = plan.with_statistics(&text).map_err(QueryError::Plan)?;
    asked.title = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(asked)
}

/// The statistics of a statement, in the TOML of plans.
pub fn statistics(statement: &str) -> Result<String, SelectError> {
    if statement.len() > MOST_BYTES {
        return Err(SelectError::new(format!(
            "the statement has {} bytes, and {MOST_BYTES} are allowed; ask less at once",
            statement.len()
        )));
    }
    let failed = || SelectError::new("the parser failed; write the statement in another way");
    thread::scope(|scope| {
        thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || read(statement))
            .map_err(|_| failed())?
            .join()
            .map_err(|_| failed())?
    })
}

fn read(statement: &str) -> Result<String, SelectError> {
    // What cannot be cut into words is refused by the parser, with its place.
    let tokens = Tokenizer::new(&GenericDialect {}, statement).tokenize();
    let is_word = |token: &&Token| !matches!(token, Token::Whitespace(_));
    let words = tokens.iter().flatten().filter(is_word).count();
    if words > MOST_WORDS {
        return Err(SelectError::new(format!(
            "the statement has {words} words and signs, and {MOST_WORDS} are allowed; ask less at \
             once"
        )));
    }
    let parsed = Parser::new(&GenericDialect {})
        .with_recursion_limit(MOST_NESTED)
        .try_with_sql(statement)
        .and_then(|mut parser| parser.parse_statements())
        .map_err(|error| {
            SelectError::new(format!("this is not SQL: {}", shown(&error.to_string())))
        })?;
    let [Statement::Query(query)] = parsed.as_slice() else {
        return Err(SelectError::new(
            "ask one `select … from … [where …] [group by …]`; nothing else is answered",
        ));
    };
    let select = plain_select(query)?;
    let keys = keys(select)?;
    let filter = select.selection.as_ref().map(Expr::to_string);
    let mut text = String::new();
    let mut names: Vec<String> = Vec::new();
    for item in &select.projection {
        let (expression, alias) = match item {
            SelectItem::UnnamedExpr(expression) => (expression, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(&alias.value)),
            _ => {
                return Err(SelectError::new(
                    "`*` would publish rows of people; ask for statistics such as count(*), \
                     avg(x), sum(x), median(x)",
                ));
            }
        };
        match expression {
            Expr::Identifier(name) if keys.contains(&name.value) => {}
            Expr::Identifier(name) => {
                return Err(SelectError::new(format!(
                    "`{}` would publish single rows; group by it, or ask for a statistic of it \
                     such as avg({0})",
                    shown(&name.value)
                )));
            }
            Expr::Function(function) => {
                let name = alias.map_or_else(|| function.to_string(), String::clone);
                if names.contains(&name) {
                    return Err(SelectError::new(format!(
                        "`{}` is asked twice, which would cost twice; leave one out, or name it \
                         with `as`",
                        shown(&name)
                    )));
                }
                text += &statistic(function, &name, &keys, filter.as_deref())?;
                names.push(name);
            }
            other => {
                return Err(SelectError::new(format!(
                    "`{}` is computed from what is published: ask for its parts, and compute it \
                     yourself at no cost",
                    shown(&other.to_string())
                )));
            }
        }
    }
    if names.is_empty() {
        return Err(SelectError::new(
            "nothing is asked but groups; add a statistic such as count(*)",
        ));
    }
    Ok(text)
}

/// The one `select` of a query, if it has only a list, a table, a condition and groups.
fn plain_select(query: &Query) -> Result<&Select, SelectError> {
    let refuse = |message: &str| Err(SelectError::new(message));
    let select = match query.body.as_ref() {
        SetExpr::Select(select) => select,
        _ => return refuse("ask one `select`; combine what is published yourself, at no cost"),
    };
    if query.with.is_some() {
        return refuse("`with` is not answered; query the table itself");
    }
    if query.order_by.is_some() || query.limit_clause.is_some() || query.fetch.is_some() {
        return refuse(
            "leave out `order by` and `limit`: sort and shorten what is published yourself, at no \
             cost",
        );
    }
    if select.distinct.is_some() {
        return refuse(
            "`distinct` would publish which values there are; group by a column of the plan and \
             ask count(*)",
        );
    }
    if select.having.is_some() {
        return refuse(
            "`having` would look at exact numbers; choose among the published groups yourself, at \
             no cost",
        );
    }
    let [from] = select.from.as_slice() else {
        return refuse("ask of one table, which is the plan's: `from visits`");
    };
    if !from.joins.is_empty() {
        return refuse(
            "a query has no joins; join public tables with [[source.lookup]] in the plan",
        );
    }
    let TableFactor::Table { name, .. } = &from.relation else {
        return refuse("ask of one table, which is the plan's: `from visits`");
    };
    // Any other clause of SQL would change this text.
    let list: Vec<String> = select
        .projection
        .iter()
        .map(SelectItem::to_string)
        .collect();
    let mut plain = format!("SELECT {} FROM {name}", list.join(", "));
    if let Some(filter) = &select.selection {
        let _ = write!(plain, " WHERE {filter}");
    }
    if let GroupByExpr::Expressions(keys, modifiers) = &select.group_by
        && modifiers.is_empty()
        && !keys.is_empty()
    {
        let keys: Vec<String> = keys.iter().map(Expr::to_string).collect();
        let _ = write!(plain, " GROUP BY {}", keys.join(", "));
    }
    if query.to_string() != plain {
        return refuse("only `select … from … [where …] [group by …]` is answered");
    }
    Ok(select)
}

fn keys(select: &Select) -> Result<Vec<String>, SelectError> {
    let GroupByExpr::Expressions(keys, _) = &select.group_by else {
        return Err(SelectError::new(
            "`group by all` is not answered; name the columns",
        ));
    };
    let name = |key: &Expr| match key {
        Expr::Identifier(name) => Ok(name.value.clone()),
        other => Err(SelectError::new(format!(
            "`group by {}` is not a column; derive one in the plan, and group by it",
            shown(&other.to_string())
        ))),
    };
    keys.iter().map(name).collect()
}

fn statistic(
    function: &Function,
    name: &str,
    keys: &[String],
    filter: Option<&str>,
) -> Result<String, SelectError> {
    let called = function.name.to_string().to_lowercase();
    if let Some(why) = refused(&called) {
        return Err(SelectError::new(format!("{called}(…): {why}")));
    }
    if called == "count"
        && function
            .to_string()
            .to_lowercase()
            .starts_with("count(distinct ")
    {
        return Err(SelectError::new(format!(
            "`{}`: one row can change how many values there are; if the column is the unit of the \
             plan, write a statistic of kind = \"units\" into the plan, which counts them",
            shown(&function.to_string())
        )));
    }
    let arguments = arguments(function, &called)?;
    let (kind, of, at) = match (called.as_str(), arguments.as_slice()) {
        ("count", [FunctionArgExpr::Wildcard]) => ("count", None, None),
        ("count", _) => {
            return Err(SelectError::new(
                "only count(*) is answered; to count rows that have a value add `where … is not \
                 null`",
            ));
        }
        ("sum", [of]) => ("sum", Some(column(of)?), None),
        ("avg" | "mean", [of]) => ("mean", Some(column(of)?), None),
        ("variance" | "var_samp", [of]) => ("variance", Some(column(of)?), None),
        ("median", [of]) => ("quantiles", Some(column(of)?), Some("0.5".to_owned())),
        ("quantile", [of, FunctionArgExpr::Expr(Expr::Value(at))]) => {
            ("quantiles", Some(column(of)?), Some(at.to_string()))
        }
        _ => {
            return Err(SelectError::new(format!(
                "`{}` is not answered; ask count(*), sum(x), avg(x), variance(x), median(x) or \
                 quantile(x, 0.9)",
                shown(&function.to_string())
            )));
        }
    };
    let mut text = format!(
        "[[statistics]]\nname = {}\nkind = \"{kind}\"\n",
        quoted(name)
    );
    // Writing to a String cannot fail.
    if let Some(of) = of {
        let _ = writeln!(text, "of = {}", quoted(of));
    }
    if let Some(at) = at {
        let _ = writeln!(text, "at = [{}]", quoted(&at));
    }
    if !keys.is_empty() {
        let keys: Vec<String> = keys.iter().map(|key| quoted(key)).collect();
        let _ = writeln!(text, "by = [{}]", keys.join(", "));
    }
    if let Some(filter) = filter {
        let _ = writeln!(text, "where = {}", quoted(filter));
    }
    Ok(text)
}

/// Functions of SQL that no private statistic computes.
fn refused(name: &str) -> Option<&'static str> {
    Some(match name {
        "min" | "max" | "first" | "last" | "any_value" | "first_value" | "last_value" => {
            "this is the cell of one row; ask for quantile(x, 0.01) or quantile(x, 0.99)"
        }
        "stddev" | "stddev_samp" | "stddev_pop" => {
            "ask for variance(x), and take its root yourself"
        }
        "var_pop" | "covar_pop" => "ask for variance(x), of samples",
        "covar_samp" | "corr" | "regr_slope" | "regr_intercept" => {
            "it has a statistic of its own; write it into the plan"
        }
        "string_agg" | "array_agg" | "group_concat" | "listagg" | "mode" | "json_agg" => {
            "it would publish cells of people; ask for a count by a column of the plan"
        }
        "approx_distinct" | "approx_count_distinct" => {
            "one row can change how many values there are; make the column the unit of the plan, \
             and write a statistic of kind = \"units\" into it"
        }
        _ => return None,
    })
}

/// The arguments of a function that has no other clauses.
fn arguments<'a>(
    function: &'a Function,
    called: &str,
) -> Result<Vec<&'a FunctionArgExpr>, SelectError> {
    let odd = || {
        SelectError::new(format!(
            "`{}`: {called} is answered with plain arguments only, without distinct, filter, order \
             or window; filter with `where`",
            shown(&function.to_string())
        ))
    };
    let FunctionArguments::List(list) = &function.args else {
        return Err(odd());
    };
    let plain = format!("{}({})", function.name, {
        let texts: Vec<String> = list.args.iter().map(FunctionArg::to_string).collect();
        texts.join(", ")
    });
    if function.to_string() != plain {
        return Err(odd());
    }
    let unnamed = |argument: &'a FunctionArg| match argument {
        FunctionArg::Unnamed(argument) => Ok(argument),
        _ => Err(odd()),
    };
    list.args.iter().map(unnamed).collect()
}

fn column(argument: &FunctionArgExpr) -> Result<&str, SelectError> {
    match argument {
        FunctionArgExpr::Expr(Expr::Identifier(Ident { value, .. })) => Ok(value),
        other => Err(SelectError::new(format!(
            "`{}` is not a column; derive one in the plan, with bounds, and use that",
            shown(&other.to_string())
        ))),
    }
}
