//! From the groups of an answer to the numbers of a statistic, and back.

use std::collections::BTreeSet;
use std::sync::Arc;

use lastbit::measures::Measure;
use lastbit::tables::{
    AnswerDomain, ReachDistance, added, counts, moved, products, shares, sums, units,
};
use lastbit::{Error, Measurement};
use lastbit_exact::Rational;

use super::chain::{Answers, Chain, ToCounts, ToNumbers};
use super::{Kind, Method, Slot, Stability, unexpected};
use crate::query::{Aggregated, Answer, Group, GroupKey};

/// The groups that a statistic covers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Pick {
    /// All, because they are public.
    All,
    /// Those that a count has published.
    Only(Arc<BTreeSet<GroupKey>>),
}

impl Pick {
    /// The picked keys, in increasing order, and the group of each. A key that the answer lacks has
    /// no rows, so the numbers of two answers are about the same groups, whatever the data.
    pub(super) fn groups<'a>(
        &'a self,
        answer: &'a Answer,
        slot: &Slot,
    ) -> Vec<(&'a GroupKey, Option<&'a Group>)> {
        let groups = answer.tables.get(slot.table).into_iter().flatten();
        match self {
            Pick::All => groups.map(|group| (&group.key, Some(group))).collect(),
            Pick::Only(published) => {
                let mut there: Vec<&Group> = groups.collect();
                // Most engines answer them in this order.
                if !there.is_sorted_by(|a, b| a.key < b.key) {
                    there.sort_by(|a, b| a.key.cmp(&b.key));
                }
                let mut there = there.into_iter().peekable();
                let found = |key: &'a GroupKey| {
                    while there.next_if(|group| group.key < *key).is_some() {}
                    (key, there.next_if(|group| group.key == *key))
                };
                published.iter().map(found).collect()
            }
        }
    }
}

/// What was drawn for each group: noisy numbers, or the offsets that were
/// selected for each share.
pub type Drawn = Vec<(GroupKey, Vec<Rational>)>;

/// Groups that are unions of finer ones, all of which are public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Margin {
    /// For each finer group, the place of its group.
    pub places: Arc<[usize]>,
    /// For each key of the groups, its place among the finer keys.
    pub keys: Vec<usize>,
}

impl Margin {
    /// The groups that finer ones belong to, in increasing order.
    fn keys<'a>(&self, finer: impl Iterator<Item = &'a GroupKey>) -> Vec<GroupKey> {
        let of = |key: &GroupKey| -> Option<GroupKey> {
            self.keys
                .iter()
                .map(|&place| key.get(place).cloned())
                .collect()
        };
        let keys: BTreeSet<GroupKey> = finer.filter_map(of).collect();
        keys.into_iter().collect()
    }
}

/// The stage from an answer to the numbers of a statistic, for all picked groups.
pub fn numbers_chain(chain: &Chain, slot: &Slot, pick: Pick) -> Result<ToNumbers, Error> {
    let Some(margin) = &chain.margin else {
        return of_groups(&chain.kind, chain.groups, slot, pick);
    };
    let finer = of_groups(&chain.kind, Some(margin.places.len() as u64), slot, pick)?;
    finer >> added(Arc::clone(&margin.places))?
}

/// The numbers of the groups of the answer.
fn of_groups(
    kind: &Arc<dyn Kind>,
    groups: Option<u64>,
    slot: &Slot,
    pick: Pick,
) -> Result<ToNumbers, Error> {
    let Method::Noise(noisy) = kind.method() else {
        return Err(Error::other("this statistic has no numbers"));
    };
    let stability = noisy.stability();
    let (of, slot) = (Arc::clone(kind), slot.clone());
    let numbers = move |answer: &Arc<Answer>| -> Result<Vec<Rational>, Error> {
        let Method::Noise(noisy) = of.method() else {
            return Err(unexpected());
        };
        let mut all = Vec::new();
        for (_, group) in pick.groups(answer, &slot) {
            match group {
                // Nothing was added to its sums.
                None => all.resize(all.len() + noisy.count() as usize, Rational::ZERO),
                Some(group) => {
                    let exact = slot.of(group).ok_or_else(unexpected)?;
                    all.extend(noisy.numbers(&exact)?);
                }
            }
        }
        Ok(all)
    };
    match stability {
        Stability::Shares => shares(groups, numbers),
        Stability::Sums(row) => {
            let ends = (row.lower().clone(), row.upper().clone());
            sums(groups, ends, numbers)
        }
        Stability::Units => units(groups, numbers),
        Stability::Products(of) => products(groups, &of, numbers),
        Stability::Moved(statistic) => moved(&statistic, move |answer| {
            numbers(answer)?.pop().ok_or_else(unexpected)
        }),
    }
}

/// The stage from an answer to the rows of the keys that occur.
pub fn rows_by_key(slot: &Slot) -> Result<ToCounts, Error> {
    let slot = slot.clone();
    counts(move |answer: &Arc<Answer>| {
        let groups = answer.tables.get(slot.table).into_iter().flatten();
        groups
            .map(|group| match slot.of(group).as_deref() {
                Some([Aggregated::Rows(rows)]) => Ok((group.key.clone(), *rows)),
                _ => Err(unexpected()),
            })
            .collect()
    })
}

/// What is drawn from an answer, by group.
pub(super) type ByGroup<M> = Measurement<Answers, ReachDistance, M, Drawn>;

/// The numbers of all groups, by group. The groups are public by now.
pub(super) fn by_group<M: Measure>(
    drawn: &Measurement<AnswerDomain<Arc<Answer>>, ReachDistance, M, Vec<Rational>>,
    chain: &Chain,
    slot: &Slot,
    pick: Pick,
    each: usize,
) -> Result<ByGroup<M>, Error> {
    let (inner, slot, margin) = (drawn.clone(), slot.clone(), chain.margin.clone());
    Measurement::new(
        AnswerDomain::new(),
        ReachDistance,
        drawn.output_measure().clone(),
        move |answer: &Arc<Answer>, entropy| {
            let numbers = inner.invoke_with(answer, entropy)?;
            let groups = pick.groups(answer, &slot);
            let keys = groups.into_iter().map(|(key, _)| key);
            let groups: Vec<GroupKey> = match &margin {
                None => keys.cloned().collect(),
                Some(margin) => margin.keys(keys),
            };
            if numbers.len() != groups.len() * each {
                return Err(unexpected());
            }
            let mut numbers = numbers.into_iter();
            let mut of_group = || numbers.by_ref().take(each).collect();
            Ok(groups.into_iter().map(|key| (key, of_group())).collect())
        },
        drawn.privacy_map().clone(),
    )
}

/// The exact numbers that noise would be added to, by group; none for quantiles.
#[cfg(any(test, feature = "test-entropy"))]
pub fn exact_numbers(
    chain: &Chain,
    slot: &Slot,
    answer: &Answer,
) -> Result<Vec<Vec<Rational>>, Error> {
    let Method::Noise(noisy) = chain.kind.method() else {
        return Ok(vec![]);
    };
    let groups = answer.tables.get(slot.table).into_iter().flatten();
    let numbers: Vec<Vec<Rational>> = groups
        .map(|group| noisy.numbers(&slot.of(group).ok_or_else(unexpected)?))
        .collect::<Result<_, _>>()?;
    match &chain.margin {
        None => Ok(numbers),
        Some(margin) => {
            let sums = added(Arc::clone(&margin.places))?.invoke(&numbers.concat())?;
            Ok(sums.into_iter().map(|sum| vec![sum]).collect())
        }
    }
}
