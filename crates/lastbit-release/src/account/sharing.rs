//! One measurement, many statistics: a statistic can follow from the noisy numbers of another.
//!
//! The noisy corner sums of a mean add up to a count, those of a variance to a mean and a count,
//! and a histogram has the counts of shares. So only one of them, the host, is drawn. The others
//! follow from it, and cost nothing.

use lastbit::GridExponent;
use lastbit::tables::{Mix, MixedNoise, Noise};
use lastbit_exact::Rational;

use super::item::Item;
use crate::plan::{Allowance, Plan, Statistic};
use crate::statistic::{Method, Noised, Span};

/// A statistic that follows from the noisy numbers of another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shared {
    /// The place in the plan of the other, which is drawn.
    pub host: usize,
    /// Its name.
    pub name: String,
    /// How the numbers follow from its numbers.
    pub mix: Mix,
}

impl Shared {
    /// How the numbers follow from those drawn, unless they are the same.
    fn sums(&self) -> Option<&Mix> {
        (self.mix != Mix::Same).then_some(&self.mix)
    }

    /// The noise of the numbers of a statistic that may be shared.
    pub(super) fn noised<'a>(
        noise: &'a Noise,
        grid: GridExponent,
        shared: Option<&'a Shared>,
    ) -> Noised<'a> {
        let mix = shared.and_then(Shared::sums);
        Noised {
            drawn: MixedNoise { noise, grid, mix },
            made: None,
        }
    }
}

/// A statistic joins another only if that makes its noise at most this many times its own at the
/// same loss.
const MOST_NOISE: u64 = 2;

/// For each statistic of a plan, the host whose noise it shares. Only statistics that share the
/// budget by weight do, over the same rows and groups. The host gets the weight of a statistic that
/// joins it, so that the others pay the same as before.
pub(super) fn shared(plan: &Plan, items: &[Item]) -> Vec<Option<Shared>> {
    let spans: Vec<Option<Span>> = items
        .iter()
        .zip(&plan.statistics)
        .map(|(item, statistic)| span(plan, item, statistic))
        .collect();
    // Whether `index` follows from the numbers of `host`. If two follow from each other, the
    // earlier is the host.
    let joins = |index: usize, host: usize| -> Option<Mix> {
        let (span, of_host) = (spans[index].as_ref()?, spans[host].as_ref()?);
        let (fewer, more) = (span.numbers.len(), of_host.numbers.len());
        let is_first = fewer < more || fewer == more && host < index;
        let (a, b) = (&items[index].chain, &items[host].chain);
        if index == host || !is_first || a.reach != b.reach || a.groups != b.groups {
            return None;
        }
        if !Plan::is_same_table(&plan.statistics[index], &plan.statistics[host]) {
            return None;
        }
        let mix = span.from(of_host)?;
        // Numbers that are made to add up have independent noise.
        if plan.family(index).is_some() && matches!(&mix, Mix::Sums(all) if all.len() > 1) {
            return None;
        }
        let noise = mix.growth(&items[host].norms, &items[index].norms);
        (noise <= Rational::from(MOST_NOISE * MOST_NOISE)).then_some(mix)
    };
    let all = 0..items.len();
    // The possible hosts of each; a host joins no other.
    let candidates: Vec<Vec<(usize, Mix)>> = all
        .clone()
        .map(|index| {
            let hosts = all.clone();
            hosts
                .filter_map(|host| Some((host, joins(index, host)?)))
                .collect()
        })
        .collect();
    all.map(|index| {
        let hosts = candidates[index].iter();
        let (host, mix) = hosts
            .filter(|(host, _)| candidates[*host].is_empty())
            .min_by_key(|(host, _)| spans[*host].as_ref().map(|span| span.numbers.len()))?;
        Some(Shared {
            host: *host,
            name: plan.statistics[*host].name.clone(),
            mix: mix.clone(),
        })
    })
    .collect()
}

/// The numbers of a statistic that may share noise.
fn span(plan: &Plan, item: &Item, statistic: &Statistic) -> Option<Span> {
    let kind = &item.chain.kind;
    let is_by_weight = matches!(statistic.allowance, Allowance::Weight(_));
    // The discovered groups are known only after they were counted.
    let is_first = kind.counts_rows() && plan.is_discovered(statistic);
    let is_noisy = matches!(kind.method(), Method::Noise(_));
    kind.span()
        .filter(|_| is_by_weight && is_noisy && !is_first && item.chain.margin.is_none())
}
