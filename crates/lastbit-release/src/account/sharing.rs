//! One measurement, many statistics: a statistic can follow from the noisy numbers of another.
//!
//! The noisy corner sums of a mean add up to a count, those of a variance to a mean and a count,
//! and a histogram has the counts of shares. So only one of them, the host, is drawn. The others
//! follow from it, and cost nothing. The host gets the weight of a statistic that joins it, so that
//! the others pay the same as before.
//!
//! A sum of noises is larger than a noise of its own at the same loss. So a statistic joins only if
//! its error does not grow: a host of little weight is no host for a statistic of much.

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
    /// The noise of the numbers of a statistic that may be shared.
    pub(super) fn noised<'a>(
        noise: &'a Noise,
        grid: GridExponent,
        shared: Option<&'a Shared>,
    ) -> Noised<'a> {
        let mix = shared.map_or(&Mix::Same, |shared| &shared.mix);
        Noised {
            drawn: MixedNoise { noise, grid, mix },
            made: None,
        }
    }
}

/// A statistic joins another only if that makes its noise at most this many times its own at the
/// same loss.
const MOST_NOISE: u64 = 2;

/// Which statistics of a plan may follow from which others. Only statistics that share the budget
/// by weight do, over the same rows and groups.
#[derive(Clone)]
pub(super) struct Joins {
    /// For each statistic its possible hosts, and how many numbers each of them draws.
    hosts: Vec<Vec<(usize, usize, Mix)>>,
}

impl Joins {
    /// All that a plan allows.
    pub fn new(plan: &Plan, items: &[Item]) -> Joins {
        let spans: Vec<Option<Span>> = items
            .iter()
            .zip(&plan.statistics)
            .map(|(item, statistic)| span(plan, item, statistic))
            .collect();
        // Whether `index` follows from the numbers of `host`. If two follow from each other, the
        // earlier is the host.
        let joins = |index: usize, host: usize| -> Option<(usize, usize, Mix)> {
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
            (noise <= Rational::from(MOST_NOISE * MOST_NOISE)).then_some((host, more, mix))
        };
        let all = 0..items.len();
        let hosts = |index: usize| all.clone().filter_map(|host| joins(index, host)).collect();
        Joins {
            hosts: all.clone().map(hosts).collect(),
        }
    }

    /// For each statistic the host whose noise it shares, if any: of those that join no other, the
    /// one that draws the fewest numbers.
    pub fn chosen(&self, plan: &Plan) -> Vec<Option<Shared>> {
        let of = |hosts: &Vec<(usize, usize, Mix)>| {
            let hosts = hosts
                .iter()
                .filter(|(host, ..)| self.hosts[*host].is_empty());
            let (host, _, mix) = hosts.min_by_key(|(_, numbers, _)| *numbers)?;
            Some(Shared {
                host: *host,
                name: plan.statistics[*host].name.clone(),
                mix: mix.clone(),
            })
        };
        self.hosts.iter().map(of).collect()
    }

    /// Keeps a statistic from joining this host.
    pub fn forbid(&mut self, index: usize, host: usize) {
        self.hosts[index].retain(|(other, ..)| *other != host);
    }
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
