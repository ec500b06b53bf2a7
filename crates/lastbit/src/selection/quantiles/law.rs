//! The law of several quantiles that are selected each on its own.

use lastbit_exact::Enclosure;

use super::{QuantilesDraw, QuantilesMethod, Ranks, drawing};
use crate::domains::{Atom, AtomDomain, Domain};
use crate::measurement::outside;
use crate::selection::key::{Key, places};
use crate::{Epsilon, Error, Share};

/// The law of one selection: the answer for one rank, before the answers are sorted. From
/// [`quantiles_law`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QuantileLaw<P> {
    /// The rank that is wanted, from 1.
    pub rank: u64,
    /// All numbers of the domain, ascending.
    pub runs: Vec<EqualNumbers<P>>,
}

/// Numbers beside each other, of which each is selected with the same probability.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EqualNumbers<P> {
    /// The least of them.
    pub first: P,
    /// The largest of them.
    pub last: P,
    /// How many there are.
    pub points: u128,
    /// How many ranks each is off.
    pub rank_error: u64,
    /// The probability that one of them is selected.
    pub probability: Enclosure,
}

/// The law of each selection that [`quantiles_by`](super::quantiles_by) makes with
/// [`QuantilesMethod::Split`], for rows that are not secret: it tells their order exactly.
/// Probabilities are enclosed with `hi − lo ≤ 2^-bits·lo`, as by
/// [`Choice::law`](crate::mechanisms::exponential::Choice::law).
///
/// Let k be the number of different ranks, of which there is one law each, ascending. A number x
/// that is e ranks off is selected with probability `exp(−ε·e/(2k))` over the sum of these weights.
/// The selections are independent, and then sorted.
///
/// [`QuantilesMethod::Bisection`] has no such law: where a cut falls decides among which rows the
/// next one selects.
///
/// ```
/// use lastbit::domains::AtomDomain;
/// use lastbit::selection::quantiles_law;
/// let digits = AtomDomain::bounded(0i64, 9)?;
/// let laws = quantiles_law(&digits, &["0.5".parse()?], &"2".parse()?, &[2, 4, 4], 60)?;
/// let runs = laws[0].runs.iter().map(|run| (run.first, run.last, run.rank_error));
/// assert_eq!(laws[0].rank, 2);
/// assert!(runs.eq([(0, 1, 2), (2, 3, 1), (4, 4, 0), (5, 9, 2)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn quantiles_law<P: Key + Atom>(
    element: &AtomDomain<P>,
    quantiles: &[Share],
    epsilon: &Epsilon,
    rows: &[P],
    bits: u32,
) -> Result<Vec<QuantileLaw<P>>, Error> {
    let (first, size) = places(element)?;
    if !element.contains_all(rows) {
        return Err(outside(element));
    }
    let ranks = Ranks::new(rows.len(), quantiles)?;
    let way = QuantilesDraw::new(&ranks, size, epsilon, QuantilesMethod::Split)?;
    let mut sorted: Vec<u64> = rows.iter().map(|row| row.key() - first).collect();
    sorted.sort_unstable();
    let mut laws = Vec::with_capacity(ranks.distinct.len());
    // The runs are those that a draw chooses from; what is chosen here makes no difference to them.
    way.draw(&ranks, &sorted, &mut |runs, mechanism| {
        let law = mechanism.over_runs(runs).map_err(drawing)?.law(bits);
        let mut begin = 0;
        let runs = runs.iter().zip(law).map(|(run, probability)| {
            let start = begin;
            begin += run.length;
            // Runs are not empty, and places are below the size, so that place + first is a key.
            let number = |place: u128| P::from_key(first + place as u64);
            EqualNumbers {
                first: number(start),
                last: number(begin - 1),
                points: run.length,
                // Scores are the number of rows less the error.
                rank_error: (rows.len() as i64 - run.score) as u64,
                probability,
            }
        });
        let runs = runs.collect();
        let rank = ranks.distinct[laws.len()];
        laws.push(QuantileLaw { rank, runs });
        Ok((0, 0))
    })?;
    Ok(laws)
}
