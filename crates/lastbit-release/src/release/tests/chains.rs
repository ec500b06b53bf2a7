//! The exact law, the last bits and an audit of whole chains, from the table to what is published.

use std::sync::Arc;

use lastbit::Confidence;
use lastbit::measures::MaxDivergence;
use lastbit_exact::{Dyadic, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, EntropyError};
use lastbit_verify::attack::{Input, Target, TargetError, least_bits};
use lastbit_verify::audit::{AuditClaim, Output, Side, audit};
use lastbit_verify::exact::divergence::log_ratio;

use super::memory::{Memory, Row};
use crate::account::price;
use crate::plan::Plan;
use crate::statistic::{Drawn, Pick, Scan, WholeChain, query};

/// One statistic, of a column `x` from 0 to 4 or by discovered towns.
fn plan(budget: &str, statistic: &str) -> Plan {
    Plan::parse(&format!(
        r#"
expected_rows = 10
accountant = "pure"
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
[budget]
{budget}
[columns.x]
edges = [0, 2, 4]
grid = 0
[columns.town]
discover = true
[[statistics]]
name = "one"
{statistic}
"#
    ))
    .unwrap()
}

fn rows(column: &'static str, cells: &[&str]) -> Vec<Row> {
    let row = |cell: &&str| Row::from([(column, (*cell).to_owned())]);
    cells.iter().map(row).collect()
}

/// The given word first, then words just below the middle.
struct First(Option<u64>);

impl Entropy for First {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        for word in words {
            *word = self.0.take().unwrap_or(u64::MAX >> 1);
        }
        Ok(())
    }
}

/// The chain of the one statistic of a plan, and two neighbouring tables.
struct Pair {
    chain: WholeChain<MaxDivergence>,
    loss: Rational,
    delta: Rational,
    tables: [Scan; 2],
}

impl Pair {
    /// A table, and the same table without its last row.
    fn new(plan: &Plan, table: &[Row]) -> Pair {
        let prices = price(plan).unwrap();
        let (query, slots) = query(plan, [5; 32]);
        let one = &prices.statistics[0];
        let chain = one.paid(&slots[0]).pure(Pick::All).unwrap();
        let proved = chain.map(&1).unwrap();
        // What is charged is what the chain proves.
        assert_eq!(*proved.loss(), one.loss);
        let threshold = one.threshold.as_ref();
        let delta = threshold.map_or(Rational::ZERO, |threshold| threshold.delta.clone());
        assert!(Rational::try_from(proved.delta().get()).unwrap() <= delta);
        let tables = [table, &table[..table.len() - 1]].map(|rows| -> Scan {
            let answer = Arc::new(Memory::new(rows.to_vec()).answer(&query));
            Arc::new(move || Ok(Arc::clone(&answer)))
        });
        Pair {
            chain,
            loss: one.loss.clone(),
            delta,
            tables,
        }
    }

    fn epsilon(&self) -> f64 {
        self.loss.to_f64(Rounding::NearestEven)
    }

    fn claim(&self) -> AuditClaim {
        AuditClaim {
            epsilon: self.loss.clone(),
            delta: self.delta.clone(),
        }
    }

    /// How many of the 2^64 first words give a number of at most `bound`. The first bit of Laplace
    /// noise is its sign. The numbers are monotone in the bits after it, so halving finds where
    /// they pass the bound, to within two words.
    fn cumulative(&self, side: usize, number: &dyn Fn(&Drawn) -> i64, bound: i64) -> u128 {
        let is_at_most = |word: u64| {
            let drawn = self
                .chain
                .invoke_with(&self.tables[side], &mut First(Some(word)));
            number(&drawn.unwrap()) <= bound
        };
        const HALF: u64 = 1 << 63;
        let in_half = |sign: u64| -> u128 {
            let (mut low, mut high) = (sign + 1, sign + (HALF - 2));
            let first = is_at_most(low);
            if first == is_at_most(high) {
                return if first { u128::from(HALF) } else { 0 };
            }
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                match is_at_most(middle) == first {
                    true => low = middle,
                    false => high = middle,
                }
            }
            let below = u128::from(high - sign);
            if first {
                below
            } else {
                u128::from(HALF) - below
            }
        };
        in_half(0) + in_half(HALF)
    }

    /// Bounds of the largest loss at a number of the range, from the exact laws of both tables.
    fn exact_loss(&self, number: &dyn Fn(&Drawn) -> i64, range: std::ops::Range<i64>) -> [f64; 2] {
        let law = |side| -> Vec<u128> {
            let at_most = |bound| self.cumulative(side, number, bound);
            range.clone().map(|k| at_most(k) - at_most(k - 1)).collect()
        };
        let (mut low, mut high) = (0f64, 0f64);
        for (a, b) in law(0).into_iter().zip(law(1)) {
            // Both ends of a mass are right to within four words, a negligible part of it.
            assert!(a > 1 << 36 && b > 1 << 36, "{a} {b}");
            let part = |words: u128| Dyadic::new(words, -64);
            for (larger, smaller) in [(a, b), (b, a)] {
                low = low.max(log_ratio(&part(larger - 8), &part(smaller + 8)).lo());
                high = high.max(log_ratio(&part(larger + 8), &part(smaller - 8)).hi());
            }
        }
        [low, high]
    }

    fn draw(&self, side: Side) -> Drawn {
        self.chain.invoke(&self.tables[side as usize]).unwrap()
    }

    /// Whether an audit refutes the claim; wrongly so with probability at most 1e-9.
    fn is_refuted(&self, claim: &AuditClaim, number: &dyn Fn(&Drawn) -> f64) -> bool {
        let draw = |side| Ok::<_, ()>(Output::Number(number(&self.draw(side))));
        let report = audit(draw, 20_000, claim, &confidence()).unwrap();
        report.refutes_claim()
    }
}

fn confidence() -> Confidence {
    "0.999999999".parse().unwrap()
}

/// The first number of what is drawn, in whole units.
fn first(drawn: &Drawn) -> i64 {
    let (_, numbers) = drawn.first().unwrap();
    i64::try_from(numbers[0].floor()).unwrap()
}

#[test]
fn the_exact_loss_of_a_chain_is_its_map_at_one_unit() {
    // The row that comes or goes moves only the first number, by 1. The others keep their law, and
    // have noise of their own.
    for (statistic, range) in [
        ("kind = \"count\"", -15..18),
        ("kind = \"histogram\"\nof = \"x\"", -15..18),
        ("kind = \"mean\"\nof = \"x\"", -15..18),
    ] {
        for epsilon in ["0.5", "1"] {
            let plan = plan(&format!("epsilon = {epsilon}"), statistic);
            let pair = Pair::new(&plan, &rows("x", &["3", "1", "0"]));
            let [low, high] = pair.exact_loss(&first, range.clone());
            let epsilon = pair.epsilon();
            assert!(
                low <= epsilon && epsilon <= high + 1e-12,
                "{statistic}: {low} {high}"
            );
            assert!(high - low < 1e-9, "{statistic}: {low} {high}");
        }
    }
}

/// The key of one row is published with a probability of at most δ, and hardly less; without the
/// row, never.
#[test]
fn the_exact_delta_of_a_thresholded_count_is_within_its_price() {
    let plan = plan(
        "epsilon = 1\ndelta = 1e-6",
        "kind = \"count\"\nby = \"town\"",
    );
    let pair = Pair::new(&plan, &rows("town", &["oslo"]));
    let published = |drawn: &Drawn| drawn.len() as i64;
    let kept_back = pair.cumulative(0, &published, 0);
    let found = ((1u128 << 64) - kept_back) as f64 / 2f64.powi(64);
    let delta = pair.delta.to_f64(Rounding::NearestEven);
    assert!(found <= delta * (1.0 + 1e-9), "{found} above {delta}");
    // The next smaller threshold would be reached e times as often.
    assert!(found > delta / 2.72, "{found} far below {delta}");
    assert_eq!(pair.cumulative(1, &published, 0), 1 << 64);
    // For a key of many rows, the loss is that of the noise on its count.
    let pair = Pair::new(&plan, &rows("town", &["oslo"; 40]));
    let count = |drawn: &Drawn| if drawn.is_empty() { 0 } else { first(drawn) };
    let [low, high] = pair.exact_loss(&count, 25..55);
    let epsilon = pair.epsilon();
    assert!(low <= epsilon && epsilon <= high + 1e-12, "{low} {high}");
}

#[test]
fn an_audit_of_a_chain_refutes_half_of_its_price_and_not_its_price() {
    let table = rows("x", &["1", "4", "2", "0"]);
    let number = |drawn: &Drawn, place: usize| {
        let (_, numbers) = drawn.first().unwrap();
        numbers[place].to_f64(Rounding::NearestEven)
    };
    for statistic in [
        "kind = \"count\"",
        "kind = \"histogram\"\nof = \"x\"",
        "kind = \"mean\"\nof = \"x\"",
    ] {
        let pair = Pair::new(&plan("epsilon = 4", statistic), &table);
        let first = |drawn: &Drawn| number(drawn, 0);
        assert!(!pair.is_refuted(&pair.claim(), &first), "{statistic}");
        let half = AuditClaim::pure(pair.loss.times_power_of_two(-1));
        assert!(pair.is_refuted(&half, &first), "{statistic}");
    }
    // A value and the ends of its interval share the loss of a quantile, so each alone loses less.
    let statistic = "kind = \"quantiles\"\nof = \"x\"\nat = [0]";
    let pair = Pair::new(&plan("epsilon = 8", statistic), &table);
    for place in 0..3 {
        let one = |drawn: &Drawn| number(drawn, place);
        assert!(!pair.is_refuted(&pair.claim(), &one), "{place}");
    }
    let little = AuditClaim::pure(pair.loss.times_power_of_two(-4));
    assert!(pair.is_refuted(&little, &|drawn| number(drawn, 0)));
    // Without an interval the value has all of the loss, and loses more.
    let alone = format!("{statistic}\ninterval = false");
    let pair = Pair::new(&plan("epsilon = 8", &alone), &table);
    assert!(!pair.is_refuted(&pair.claim(), &|drawn| number(drawn, 0)));
    let part = AuditClaim::pure(pair.loss.times_power_of_two(-3));
    assert!(pair.is_refuted(&part, &|drawn| number(drawn, 0)));
}

/// The last bits of what is published do not tell which of two tables it comes from.
#[test]
fn the_least_bits_of_a_chain_say_nothing() {
    let table = rows("x", &["1", "4", "3"]);
    for statistic in [
        "kind = \"count\"",
        "kind = \"sum\"\nof = \"x\"",
        "kind = \"mean\"\nof = \"x\"",
        "kind = \"variance\"\nof = \"x\"",
        "kind = \"histogram\"\nof = \"x\"",
    ] {
        let pair = Pair::new(&plan("epsilon = 1", statistic), &table);
        let claim = pair.claim();
        let draw = move |input: Input| {
            let side = match input {
                Input::A | Input::Far => Side::A,
                Input::B => Side::B,
            };
            let drawn = pair.draw(side);
            let last = drawn[0].1.last();
            let last = last.ok_or_else(|| TargetError::new("nothing was drawn"))?;
            Ok(last.to_f64(Rounding::NearestEven))
        };
        let mut target = Target::new(claim, ["with a row", "without it", ""], None, draw);
        let found = least_bits(&mut target, 20_000, &confidence()).unwrap();
        assert!(!found.succeeded(), "{statistic}: {found:?}");
    }
}
