//! From a sealed answer, once paid for, to a report.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::sync::Arc;
use std::thread;

use lastbit::Beta;
use lastbit::tables::Tails;
use lastbit_exact::Rational;
use lastbit_noise::entropy::Entropy;

use super::ReleaseError;
use crate::account::{Price, Prices};
use crate::cell::{made_cell, on_scale};
use crate::consistent::Member;
use crate::ledger::Reserved;
use crate::plan::{Neighbours, Plan, Statistic};
use crate::present::{
    self, Bins, Cell, Picture, Receipt, Report, SCHEMA, about, is_too_noisy, loss_words, mechanism,
    notes, published_grid,
};
use crate::query::{Aggregate, Answer, GroupKey, KeyValue, Sealed};
use crate::schema::{Column, Numbers};
use crate::statistic::{Drawn, Errors, Method, Noised, Pick, Published, Slot};

/// Keys of groups that a count has published.
type Keys = Arc<BTreeSet<GroupKey>>;

/// Draws every statistic and writes the report.
pub fn report(
    plan: &Plan,
    prices: &Prices,
    slots: &[Slot],
    answer: &Sealed<Answer>,
    reserved: &Reserved,
    entropy: &mut dyn Entropy,
) -> Result<Report, ReleaseError> {
    let beta = plan.confidence.beta();
    let mut published: Vec<(usize, Keys)> = Vec::new();
    let mut all_drawn: Vec<Option<Drawn>> = vec![None; plan.statistics.len()];
    let whole = prices.whole(slots).map_err(ReleaseError::internal)?;
    let mut drawing = whole
        .open(answer, reserved)
        .map_err(ReleaseError::internal)?;
    let order = prices.drawn();
    for (place, &index) in order.iter().enumerate() {
        let (statistic, price, slot) = (
            &plan.statistics[index],
            &prices.statistics[index],
            &slots[index],
        );
        let counted = price.threshold.is_some();
        let pick = match counted || !plan.is_discovered(statistic) {
            true => Pick::All,
            // Without such a count no group may be shown; `plan::check` makes sure that there is
            // one.
            false => {
                let groups = published.iter().find(|(table, _)| *table == slot.table);
                let (_, groups) = groups.ok_or_else(ReleaseError::unexpected)?;
                Pick::Only(Arc::clone(groups))
            }
        };
        let drawn = drawing
            .draw(&price.paid(slot), pick, entropy)
            .map_err(ReleaseError::internal)?;
        let drawn = statistic.kind.shown(drawn);
        // Only what is drawn later asks which groups were published.
        let is_asked = |later: &usize| {
            prices.statistics[*later].threshold.is_none()
                && plan.is_discovered(&plan.statistics[*later])
                && slots[*later].table == slot.table
        };
        if counted && order[place + 1..].iter().any(is_asked) {
            let keys = drawn.iter().map(|(key, _)| key.clone()).collect();
            published.push((slot.table, Arc::new(keys)));
        }
        all_drawn[index] = Some(drawn);
    }
    let mut noisy = all_noisy(prices, all_drawn).ok_or_else(ReleaseError::unexpected)?;
    let rounding = add_up(plan, prices, &mut noisy)?;
    let mut statistics = Vec::with_capacity(plan.statistics.len());
    for (index, statistic) in plan.statistics.iter().enumerate() {
        let (price, drawn) = (&prices.statistics[index], &noisy[index]);
        let cells = cells(plan, statistic, price, (drawn, &rounding[index]), &beta);
        statistics.push(written(plan, statistic, price, cells));
    }
    order_by_size(plan, &mut statistics);
    Ok(Report {
        schema: SCHEMA,
        invented: false,
        title: plan.title.clone(),
        notes: notes(plan, &prices.loss),
        loss: prices.loss.to_string(),
        budget: plan.budget.to_string(),
        accountant: prices.accountant.name().to_owned(),
        confidence: plan.confidence.get().to_string(),
        statistics,
        receipt: receipt(plan, reserved),
    })
}

/// The noisy numbers of every statistic, from those that were drawn: its own, or sums of those of
/// the statistic whose noise it shares.
fn all_noisy(prices: &Prices, mut all_drawn: Vec<Option<Drawn>>) -> Option<Vec<Drawn>> {
    let mixed = |price: &Price| -> Option<Drawn> {
        let shared = price.shared.as_ref()?;
        let groups = all_drawn.get(shared.host)?.as_ref()?.iter();
        let mixed = groups.map(|(key, numbers)| (key.clone(), shared.mix.apply(numbers)));
        Some(mixed.collect())
    };
    let mixed: Vec<Option<Drawn>> = prices.statistics.iter().map(mixed).collect();
    let places = mixed.into_iter().zip(&mut all_drawn);
    places
        .map(|(mixed, own)| mixed.or_else(|| own.take()))
        .collect()
}

/// Makes the numbers of each family add up, and says how far that rounded each.
fn add_up(
    plan: &Plan,
    prices: &Prices,
    noisy: &mut [Drawn],
) -> Result<Vec<Vec<Rational>>, ReleaseError> {
    let mut rounding = vec![vec![]; noisy.len()];
    for family in &plan.families {
        let of = |member: &Member| prices.statistics[member.statistic].tied.as_ref();
        let Some(tied) = family.members.first().and_then(of) else {
            return Err(ReleaseError::unexpected());
        };
        let mut tables = Vec::new();
        for member in &family.members {
            let groups = noisy[member.statistic].iter();
            let cells: Vec<Rational> = groups.flat_map(|(_, cells)| cells.clone()).collect();
            if cells.len() as u64 != family.cells(member) {
                return Err(ReleaseError::unexpected());
            }
            tables.push(cells);
        }
        let nearest = tied.projection.apply(&tables);
        let rounded = tied.projection.rounded(&nearest, tied.decimals);
        for ((member, nearest), rounded) in family.members.iter().zip(nearest).zip(rounded) {
            let pairs = nearest.iter().zip(&rounded);
            rounding[member.statistic] = pairs.map(|(a, b)| (a - b).abs()).collect();
            let mut rounded = rounded.into_iter();
            for (_, cells) in &mut noisy[member.statistic] {
                cells
                    .iter_mut()
                    .zip(&mut rounded)
                    .for_each(|(cell, value)| *cell = value);
            }
        }
    }
    Ok(rounding)
}

fn receipt(plan: &Plan, reserved: &Reserved) -> Receipt {
    Receipt {
        plan: reserved.plan().to_owned(),
        data: plan.publish_fingerprint.then(|| reserved.data().to_owned()),
        ledger_row: reserved.row(),
        ledger_hash: reserved.hash().to_owned(),
        time: reserved.time().to_owned(),
        certificate:
            "exact sampling: every number has the law of its mechanism's theorem, with no rounding \
             term"
                .to_owned(),
        program: concat!("lastbit ", env!("CARGO_PKG_VERSION")).to_owned(),
    }
}

/// Checks what the answer decides before [`report`]: the public number of rows is right, and the
/// answer has what the statistics need.
pub fn check(
    plan: &Plan,
    prices: &Prices,
    slots: &[Slot],
    answer: &Answer,
) -> Result<(), ReleaseError> {
    if let Neighbours::ChangeOne { rows: Some(rows) } = plan.neighbours
        && rows != answer.rows
    {
        return Err(ReleaseError::Rows {
            plan: rows,
            data: answer.rows,
        });
    }
    for (price, slot) in prices.statistics.iter().zip(slots) {
        let groups = answer.tables.get(slot.table);
        for group in groups.ok_or_else(ReleaseError::unexpected)? {
            let exact = slot.of(group);
            let exact = exact.ok_or_else(ReleaseError::unexpected)?;
            if let Method::Noise(noisy) = price.chain.kind.method() {
                noisy.numbers(&exact).map_err(ReleaseError::internal)?;
            }
        }
    }
    Ok(())
}

/// A group, and the numbers that were drawn for it.
type DrawnGroup = (GroupKey, Vec<Rational>);

/// Fewer groups than these are not worth a thread.
const MANY_GROUPS: usize = 1 << 12;

/// The cells of all groups that were drawn, many of them by several threads.
fn cells(
    plan: &Plan,
    statistic: &Statistic,
    price: &Price,
    (drawn, rounding): (&Drawn, &[Rational]),
    beta: &Beta,
) -> Vec<Cell> {
    let part = |drawn: &[DrawnGroup]| {
        let tails = &Tails::default();
        let errors = Errors { tails, beta };
        cells_of(plan, statistic, price, (drawn, rounding), errors)
    };
    // The roundings of numbers that were made to add up are in the order of all groups.
    if drawn.len() < MANY_GROUPS || !rounding.is_empty() {
        return part(drawn);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let parts = drawn.chunks(drawn.len().div_ceil(threads));
        let running: Vec<_> = parts
            .map(|drawn| scope.spawn(move || part(drawn)))
            .collect();
        let done = running.into_iter().map(|thread| thread.join());
        done.flat_map(|cells| cells.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The cells of these groups.
fn cells_of(
    plan: &Plan,
    statistic: &Statistic,
    price: &Price,
    (drawn, rounding): (&[DrawnGroup], &[Rational]),
    errors: Errors<'_>,
) -> Vec<Cell> {
    let labels: Vec<Vec<String>> = statistic
        .by
        .iter()
        .map(|key| plan.column(key).map_or(vec![], Column::labels))
        .collect();
    let label = |(labels, value): (&Vec<String>, &KeyValue)| match value {
        KeyValue::Discovered(text) => text.clone(),
        KeyValue::Public(index) => labels.get(*index).cloned().unwrap_or_default(),
    };
    let (scale, (least, most)) = (statistic.kind.scale(), statistic.kind.range());
    let range = (least.as_ref(), most.as_ref());
    let mut cells = Vec::with_capacity(drawn.len());
    let mut rounding = rounding.iter();
    for (key, numbers) in drawn {
        let mut group: Vec<String> = labels.iter().zip(&**key).map(label).collect();
        let values = match (price.chain.kind.method(), price.noised(), &price.tied) {
            (Method::Noise(noisy), Some(noised), Some(tied)) => {
                let labelled = statistic.kind.labels().into_iter().zip(numbers);
                let made = labelled
                    .zip(&mut rounding)
                    .map(|((label, number), rounding)| {
                        let made = Noised {
                            made: Some(tied.off_by(rounding)),
                            ..noised
                        };
                        let error = noisy.error(&made, price.rows, errors);
                        made_cell(label, number, error, tied.decimals, noisy.is_whole())
                    });
                made.collect()
            }
            (Method::Noise(noisy), Some(noised), None) => {
                let published = Published {
                    noised,
                    error: price.error,
                    errors,
                };
                noisy.cells(numbers, published)
            }
            (Method::Selection(selected), ..) => selected.cells(numbers, price.error),
            // `Chain` refuses such a pair.
            (Method::Noise(_), None, _) => vec![],
        };
        let last = values.len().saturating_sub(1);
        cells.extend(values.into_iter().enumerate().map(|(place, cell)| Cell {
            // Most groups have one cell.
            group: match place == last {
                true => mem::take(&mut group),
                false => group.clone(),
            },
            too_noisy: is_too_noisy(&cell, range, scale.is_calendar()),
            ..on_scale(cell, scale)
        }));
    }
    cells
}

fn written(
    plan: &Plan,
    statistic: &Statistic,
    price: &Price,
    cells: Vec<Cell>,
) -> present::PublishedStatistic {
    let kind = &statistic.kind;
    let is_calendar = kind.scale().is_calendar();
    let bars = kind.is_binned() || !statistic.by.is_empty() && !is_calendar;
    let (least, most) = kind.range();
    // A condition is shown in the words of the plan.
    let derived = kind.derives();
    let as_written = |name: &str| match derived.iter().find(|(own, _)| *own == name) {
        Some((_, expression)) => expression.written().to_owned(),
        None => name.to_owned(),
    };
    let weights = kind.weights();
    present::PublishedStatistic {
        name: statistic.name.clone(),
        kind: kind.word().to_owned(),
        of: kind.of().into_iter().map(as_written).collect(),
        weights: weights.map(str::to_owned),
        // A date needs no unit.
        unit: match is_calendar {
            true => String::new(),
            false => kind.unit(),
        },
        by: statistic.by.clone(),
        titles: {
            let named = (kind.of().into_iter())
                .chain(weights)
                .chain(statistic.by.iter().map(String::as_str));
            let column = |name: &str| Some((name.to_owned(), plan.column(name)?.title.clone()?));
            named.filter_map(column).collect()
        },
        about: about(plan, statistic, price),
        mechanism: mechanism(price).to_owned(),
        loss: loss_words(price),
        grid: published_grid(price),
        adds_up_with: price.tied.as_ref().map_or(vec![], |tied| tied.with.clone()),
        picture: if bars { Picture::Bars } else { Picture::Table },
        bins: match kind.aggregates().as_slice() {
            [Aggregate::Bins(numbers)] if kind.is_binned() => bins(numbers),
            _ => None,
        },
        cells,
        // Numbers made to add up may lie beyond the ends, where pictures stop.
        least: least
            .filter(|_| price.tied.is_none())
            .map(|end| end.to_string()),
        most: most
            .filter(|_| price.tied.is_none())
            .map(|end| end.to_string()),
    }
}

/// The bins of a column.
fn bins(numbers: &Numbers) -> Option<Bins> {
    let (edges, scale) = (numbers.edges.as_ref()?, numbers.scale);
    Some(Bins {
        edges: edges.iter().map(|edge| scale.show(edge)).collect(),
        widths: edges
            .windows(2)
            .map(|pair| (&pair[1] - &pair[0]).to_string())
            .collect(),
        unit: match scale.is_calendar() {
            true => scale.unit().to_owned(),
            false => numbers.unit.clone(),
        },
    })
}

/// Discovered groups in the order of their published counts, the largest first: their names do not
/// say which matter.
fn order_by_size(plan: &Plan, statistics: &mut [present::PublishedStatistic]) {
    let discovered = |index: usize| plan.is_discovered(&plan.statistics[index]);
    // The first count by some keys orders all statistics by them.
    let mut counts: Vec<usize> = Vec::new();
    for (index, statistic) in statistics.iter().enumerate() {
        let is_same = |other: &usize| statistics[*other].by == statistic.by;
        if discovered(index)
            && plan.statistics[index].kind.counts_rows()
            && !counts.iter().any(is_same)
        {
            counts.push(index);
        }
    }
    for count in counts {
        let by = statistics[count].by.clone();
        let mut counted = mem::take(&mut statistics[count].cells);
        let order = Order::by_size(&counted);
        for (index, statistic) in statistics.iter_mut().enumerate() {
            if index != count && statistic.by == by && discovered(index) {
                order.apply(&counted, &mut statistic.cells);
            }
        }
        order.apply_to_its_own(&mut counted);
        statistics[count].cells = counted;
    }
}

/// An order of groups: the place of each.
struct Order(Vec<usize>);

impl Order {
    /// The groups of these counts, the largest first; of equal ones, in the order of their names.
    fn by_size(cells: &[Cell]) -> Order {
        // Counts are whole.
        let whole = |cell: &Cell| match &cell.value {
            None => Some(None),
            Some(value) => value.parse::<i128>().ok().map(Some),
        };
        let number = |cell: &Cell| cell.value.as_ref()?.parse::<Rational>().ok();
        let order = match cells.iter().map(whole).collect::<Option<Vec<_>>>() {
            Some(sizes) => sorted(cells, sizes),
            None => sorted(cells, cells.iter().map(number).collect()),
        };
        let mut places = vec![0; cells.len()];
        for (place, index) in order.into_iter().enumerate() {
            places[index] = place;
        }
        Order(places)
    }

    /// Brings cells into the order of these counted groups. Most have the same groups, one cell
    /// each, in the same order as the counts.
    fn apply(&self, counted: &[Cell], cells: &mut [Cell]) {
        let groups = counted.iter().map(|cell| &cell.group);
        if groups.clone().eq(cells.iter().map(|cell| &cell.group)) {
            return self.apply_to_its_own(cells);
        }
        let places: HashMap<&Vec<String>, usize> = groups.zip(self.0.iter().copied()).collect();
        cells.sort_by_cached_key(|cell| places.get(&cell.group).copied());
    }

    /// Brings cells whose groups are those that were ordered, one cell each, into the order.
    fn apply_to_its_own(&self, cells: &mut [Cell]) {
        let mut places = self.0.clone();
        for index in 0..places.len() {
            // Each swap brings one cell to its place for good.
            while places[index] != index {
                let place = places[index];
                cells.swap(index, place);
                places.swap(index, place);
            }
        }
    }
}

/// The places of cells by these sizes, the largest first; of equal ones, in the order of groups.
fn sorted<N: Ord>(cells: &[Cell], sizes: Vec<N>) -> Vec<usize> {
    let mut order: Vec<(Reverse<N>, usize)> = sizes.into_iter().map(Reverse).zip(0..).collect();
    match cells.is_sorted_by_key(|cell| &cell.group) {
        true => order.sort_unstable(),
        false => order.sort_by(|(a, i), (b, j)| {
            let by_group = || cells[*i].group.cmp(&cells[*j].group);
            a.cmp(b).then_with(by_group)
        }),
    }
    order.into_iter().map(|(_, index)| index).collect()
}

#[cfg(test)]
mod tests;
