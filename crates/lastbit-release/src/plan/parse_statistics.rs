//! The statistics of a plan.

use lastbit::Confidence;
use lastbit_exact::{Rational, UBig};

use super::parse::first_twice;
use super::reader::{Table, Value};
use super::{Kind, PlanError, Share, Statistic};
use crate::loss::Measure;

/// Shares are fractions of at most this denominator, so that it times 2^40 rows is within 62 bits.
const MOST_PARTS: u32 = 1_000_000;

#[derive(Clone, Copy, PartialEq)]
enum Word {
    Count,
    Sum,
    Mean,
    Variance,
    Covariance,
    Histogram,
    Quantiles,
}

/// The statistics, and for each where it stands.
pub fn statistics<'a>(
    root: &Table<'a>,
    confidence: &Confidence,
    measure: Measure,
) -> Result<(Vec<Statistic>, Vec<Value<'a>>), PlanError> {
    let list = root.need("statistics", "a table [[statistics]]")?.list()?;
    if list.is_empty() {
        return Err(root.error("the plan has no statistics; add a table [[statistics]]"));
    }
    let statistics: Vec<Statistic> = list
        .iter()
        .enumerate()
        .map(|(index, value)| statistic(index, value, confidence, measure))
        .collect::<Result<_, _>>()?;
    let names: Vec<String> = statistics.iter().map(|s| s.name.clone()).collect();
    if let Some(twice) = first_twice(&names) {
        let place = names.iter().rposition(|name| name == twice).unwrap_or(0);
        return Err(list[place].error(format!(
            "two statistics are called \"{twice}\"; give one of them another name"
        )));
    }
    Ok((statistics, list))
}

fn statistic(
    index: usize,
    value: &Value<'_>,
    confidence: &Confidence,
    measure: Measure,
) -> Result<Statistic, PlanError> {
    let unnamed = value.table(format!("statistic {}", index + 1))?;
    let name = unnamed
        .need("name", "name = \"mean age\"")?
        .string()?
        .to_owned();
    if name.is_empty() {
        return Err(unnamed.error(format!("{} has an empty name", unnamed.name())));
    }
    let table = value.table(format!("statistic \"{name}\""))?;
    table.get("name");
    let word = table.need("kind", "kind = \"mean\"")?.word(&[
        ("count", Word::Count),
        ("sum", Word::Sum),
        ("mean", Word::Mean),
        ("variance", Word::Variance),
        ("covariance", Word::Covariance),
        ("histogram", Word::Histogram),
        ("quantiles", Word::Quantiles),
    ])?;
    let kind = kind(&table, word)?;
    let by = match table.get("by") {
        None => vec![],
        Some(value) => {
            let by = value.strings()?;
            if let Some(twice) = first_twice(&by) {
                return Err(value.error(format!("`by` lists `{twice}` twice")));
            }
            by
        }
    };
    let share = share(&table, confidence, measure)?;
    let expected_rows = table
        .get("expected_rows")
        .map(|value| value.count())
        .transpose()?;
    table.finish()?;
    Ok(Statistic {
        name,
        kind,
        by,
        share,
        expected_rows,
    })
}

fn kind(table: &Table<'_>, word: Word) -> Result<Kind, PlanError> {
    let of = table.get("of");
    let at = table.get("at");
    if let (Some(at), true) = (&at, word != Word::Quantiles) {
        return Err(at.error("`at` is for quantiles; leave it out"));
    }
    if word == Word::Count {
        return match of {
            None => Ok(Kind::Count),
            Some(of) => Err(of.error("a count is of rows; leave out `of`")),
        };
    }
    let needed = if word == Word::Covariance { 2 } else { 1 };
    let of = of.ok_or_else(|| {
        table.error(format!(
            "{} lacks `of`, the column that it is of",
            table.name()
        ))
    })?;
    let mut columns = of.strings()?;
    if columns.len() != needed {
        return Err(of.error(format!(
            "{} must be of {needed} column{}, got {}",
            table.name(),
            if needed == 1 { "" } else { "s" },
            columns.len()
        )));
    }
    // There are as many columns as the kind needs.
    let mut next = || columns.remove(0);
    Ok(match word {
        Word::Count => Kind::Count,
        Word::Sum => Kind::Sum(next()),
        Word::Mean => Kind::Mean(next()),
        Word::Variance => Kind::Variance(next()),
        Word::Histogram => Kind::Histogram(next()),
        Word::Covariance => Kind::Covariance(next(), next()),
        Word::Quantiles => Kind::Quantiles {
            column: next(),
            at: shares(table, at)?,
        },
    })
}

/// Shares of the rows, increasing; the median if none are given.
fn shares(table: &Table<'_>, at: Option<Value<'_>>) -> Result<Vec<Rational>, PlanError> {
    let Some(at) = at else {
        return Ok(vec![Rational::new(1, 2)]);
    };
    let shares: Vec<Rational> = if at.is_number() {
        vec![at.number()?]
    } else {
        at.list()?
            .iter()
            .map(Value::number)
            .collect::<Result<_, _>>()?
    };
    if shares.is_empty() {
        return Err(at.error(format!("{} asks for no quantile", table.name())));
    }
    if let Some(outside) = shares
        .iter()
        .find(|share| share.is_negative() || **share > Rational::ONE)
    {
        return Err(at.error(format!(
            "a quantile is at a share from 0 to 1, got {outside}"
        )));
    }
    if shares
        .iter()
        .any(|share| *share.denominator() > UBig::from(MOST_PARTS))
    {
        return Err(at.error("a quantile is at a share of at most six decimals"));
    }
    if shares.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(at.error("`at` must increase"));
    }
    Ok(shares)
}

fn share(table: &Table<'_>, confidence: &Confidence, measure: Measure) -> Result<Share, PlanError> {
    let loss = table.get("loss");
    let weight = table.get("weight");
    let error = table.get("error");
    let own = table.get("confidence");
    if let (Some(own), None) = (&own, &error) {
        return Err(own.error(
            "`confidence` of a statistic belongs to an `error` target; add one, or leave it out",
        ));
    }
    match (loss, weight, error) {
        (None, None, None) => Ok(Share::Weight(Rational::ONE)),
        (Some(loss), None, None) => Ok(Share::Loss(loss.positive().map_err(|error| {
            let name = if measure == Measure::Zcdp { "ρ" } else { "ε" };
            loss.error(format!("{} ({name})", error.message()))
        })?)),
        (None, Some(weight), None) => Ok(Share::Weight(weight.positive()?)),
        (None, None, Some(error)) => Ok(Share::Error {
            target: error.positive()?,
            confidence: match own {
                None => confidence.clone(),
                Some(own) => Confidence::new(own.fraction()?)
                    .map_err(|error| own.error(error.to_string()))?,
            },
        }),
        _ => Err(table.error(format!(
            "{} has more than one of `loss`, `weight` and `error`; keep one",
            table.name()
        ))),
    }
}
