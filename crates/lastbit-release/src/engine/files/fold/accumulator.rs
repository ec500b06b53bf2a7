//! One aggregate, summed over rows in every group.
//!
//! No sum overflows: a table has at most 2^40 rows, and a word is at most 2^52, so that sums are at
//! most 2^92; where products are summed, words are at most 2^40, so that these sums are at most
//! 2^120. Fine products are at most 2^104, and their sums carry beyond 128 bits.

use hashbrown::HashMap;
use lastbit_exact::Integer;

use super::NO_PLACE;
use crate::engine::layout::{AggregateLayout, NONE};
use crate::query::{Aggregated, LOG2_SHARE};

/// One aggregate over all groups.
#[derive(Debug)]
pub(super) enum Accumulator {
    Rows(Vec<u64>),
    Kept(KeptUnits),
    Sum(usize, Vec<Sum>),
    Moments(usize, Vec<Moments>),
    Products(usize, usize, Vec<Products>),
    FineProducts(usize, usize, Vec<FineProducts>),
    Counts(usize, usize, Vec<u64>),
    Offsets(usize, Vec<HashMap<u64, u64>>),
    /// For each group the rows, the sums of the columns, and of the products of all pairs.
    Gram(Vec<usize>, Vec<u128>),
}

/// How many sums a Gram matrix of so many columns has in a group.
fn gram_sums(columns: usize) -> usize {
    1 + columns + columns * (columns + 1) / 2
}

/// At most 2^40 units, so that the sum is at most 2^70.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeptUnits {
    units: u64,
    cut: u64,
    left_out: u128,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    rows: u64,
    sum: u128,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    rows: u64,
    sum: u128,
    squares: u128,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Products {
    rows: u64,
    sum_x: u128,
    sum_y: u128,
    products: u128,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FineProducts {
    sums: Products,
    /// In units of 2^128: at most 2^16.
    carry: u64,
}

impl FineProducts {
    fn add(&mut self, other: Products, carry: u64) {
        let Products {
            rows,
            sum_x,
            sum_y,
            products,
        } = other;
        self.sums.rows += rows;
        self.sums.sum_x += sum_x;
        self.sums.sum_y += sum_y;
        let (sum, overflowed) = self.sums.products.overflowing_add(products);
        self.sums.products = sum;
        self.carry += carry + u64::from(overflowed);
    }
}

impl Accumulator {
    pub(super) fn new(aggregate: &AggregateLayout) -> Accumulator {
        match *aggregate {
            AggregateLayout::Rows => Accumulator::Rows(Vec::new()),
            AggregateLayout::Kept => Accumulator::Kept(KeptUnits::default()),
            AggregateLayout::Sum(x) => Accumulator::Sum(x, Vec::new()),
            AggregateLayout::Moments(x) => Accumulator::Moments(x, Vec::new()),
            AggregateLayout::Products(x, y) => Accumulator::Products(x, y, Vec::new()),
            AggregateLayout::FineProducts(x, y) => Accumulator::FineProducts(x, y, Vec::new()),
            AggregateLayout::Counts { feature, values } => {
                Accumulator::Counts(feature, values, Vec::new())
            }
            AggregateLayout::Offsets(x) => Accumulator::Offsets(x, Vec::new()),
            AggregateLayout::Gram(ref columns) => Accumulator::Gram(columns.clone(), Vec::new()),
        }
    }

    /// Adds a unit with so many rows in the groups of the table, of which the limits keep so many.
    pub(super) fn add_unit(&mut self, rows: u64, kept: u64) {
        if let (Accumulator::Kept(state), 1..) = (self, rows) {
            state.units += 1;
            state.cut += u64::from(kept < rows);
            // A unit has less than 2^32 rows.
            let left_out = (u128::from(rows - kept) << LOG2_SHARE) / u128::from(rows);
            state.left_out += left_out;
        }
    }

    /// Makes room for so many groups.
    pub(super) fn grow(&mut self, groups: usize) {
        match self {
            Accumulator::Rows(state) => state.resize(groups, 0),
            Accumulator::Kept(_) => {}
            Accumulator::Sum(_, state) => state.resize(groups, Sum::default()),
            Accumulator::Moments(_, state) => state.resize(groups, Moments::default()),
            Accumulator::Products(_, _, state) => state.resize(groups, Products::default()),
            Accumulator::FineProducts(_, _, state) => state.resize(groups, FineProducts::default()),
            Accumulator::Counts(_, values, state) => state.resize(groups * *values, 0),
            Accumulator::Offsets(_, state) => state.resize_with(groups, HashMap::new),
            Accumulator::Gram(columns, state) => {
                state.resize(groups * gram_sums(columns.len()), 0);
            }
        }
    }

    /// Adds rows, given the place of the group of each and, by feature, the words of each.
    pub(super) fn add<'a>(&mut self, ids: &[u32], words: &impl Fn(usize) -> &'a [u64]) {
        let counted = |x: usize| {
            let rows = ids.iter().zip(words(x));
            rows.filter(|(id, word)| **id != NO_PLACE && **word != NONE)
                .map(|(id, word)| (*id as usize, *word))
        };
        match self {
            // Units are added by themselves.
            Accumulator::Kept(_) => {}
            Accumulator::Rows(state) => {
                for id in ids.iter().filter(|id| **id != NO_PLACE) {
                    state[*id as usize] += 1;
                }
            }
            Accumulator::Sum(x, state) => {
                for (id, word) in counted(*x) {
                    state[id].rows += 1;
                    state[id].sum += u128::from(word);
                }
            }
            Accumulator::Moments(x, state) => {
                for (id, word) in counted(*x) {
                    let group = &mut state[id];
                    group.rows += 1;
                    group.sum += u128::from(word);
                    group.squares += u128::from(word) * u128::from(word);
                }
            }
            Accumulator::Products(x, y, state) => {
                let rows = ids.iter().zip(words(*x)).zip(words(*y));
                for ((id, x), y) in rows {
                    if *id == NO_PLACE || *x == NONE || *y == NONE {
                        continue;
                    }
                    let group = &mut state[*id as usize];
                    group.rows += 1;
                    group.sum_x += u128::from(*x);
                    group.sum_y += u128::from(*y);
                    group.products += u128::from(*x) * u128::from(*y);
                }
            }
            Accumulator::FineProducts(x, y, state) => {
                let rows = ids.iter().zip(words(*x)).zip(words(*y));
                for ((id, x), y) in rows {
                    if *id == NO_PLACE || *x == NONE || *y == NONE {
                        continue;
                    }
                    let (x, y) = (u128::from(*x), u128::from(*y));
                    let row = Products {
                        rows: 1,
                        sum_x: x,
                        sum_y: y,
                        products: x * y,
                    };
                    state[*id as usize].add(row, 0);
                }
            }
            Accumulator::Counts(x, values, state) => {
                for (id, word) in counted(*x) {
                    state[id * *values + word as usize] += 1;
                }
            }
            Accumulator::Offsets(x, state) => {
                for (id, word) in counted(*x) {
                    *state[id].entry(word).or_insert(0) += 1;
                }
            }
            Accumulator::Gram(columns, state) => {
                let words: Vec<&[u64]> = columns.iter().map(|x| words(*x)).collect();
                let each = gram_sums(columns.len());
                for (row, id) in ids.iter().enumerate() {
                    if *id == NO_PLACE || words.iter().any(|column| column[row] == NONE) {
                        continue;
                    }
                    let group = &mut state[*id as usize * each..][..each];
                    group[0] += 1;
                    let mut pairs = 1 + words.len();
                    for (i, x) in words.iter().enumerate() {
                        let x = u128::from(x[row]);
                        group[1 + i] += x;
                        for y in &words[i..] {
                            group[pairs] += x * u128::from(y[row]);
                            pairs += 1;
                        }
                    }
                }
            }
        }
    }

    /// Adds the other's group `i` to the group `ids[i]`.
    pub(super) fn merge(&mut self, other: Accumulator, ids: &[u32]) {
        let ids = ids.iter().map(|id| *id as usize);
        match (self, other) {
            (Accumulator::Rows(mine), Accumulator::Rows(theirs)) => {
                for (id, rows) in ids.zip(theirs) {
                    mine[id] += rows;
                }
            }
            (Accumulator::Kept(mine), Accumulator::Kept(theirs)) => {
                mine.units += theirs.units;
                mine.cut += theirs.cut;
                mine.left_out += theirs.left_out;
            }
            (Accumulator::Sum(_, mine), Accumulator::Sum(_, theirs)) => {
                for (id, theirs) in ids.zip(theirs) {
                    mine[id].rows += theirs.rows;
                    mine[id].sum += theirs.sum;
                }
            }
            (Accumulator::Moments(_, mine), Accumulator::Moments(_, theirs)) => {
                for (id, theirs) in ids.zip(theirs) {
                    let mine = &mut mine[id];
                    mine.rows += theirs.rows;
                    mine.sum += theirs.sum;
                    mine.squares += theirs.squares;
                }
            }
            (Accumulator::Products(_, _, mine), Accumulator::Products(_, _, theirs)) => {
                for (id, theirs) in ids.zip(theirs) {
                    let mine = &mut mine[id];
                    mine.rows += theirs.rows;
                    mine.sum_x += theirs.sum_x;
                    mine.sum_y += theirs.sum_y;
                    mine.products += theirs.products;
                }
            }
            (Accumulator::FineProducts(_, _, mine), Accumulator::FineProducts(_, _, theirs)) => {
                for (id, theirs) in ids.zip(theirs) {
                    mine[id].add(theirs.sums, theirs.carry);
                }
            }
            (Accumulator::Counts(_, values, mine), Accumulator::Counts(_, _, theirs)) => {
                for (id, theirs) in ids.zip(theirs.chunks(*values)) {
                    for (mine, theirs) in mine[id * *values..].iter_mut().zip(theirs) {
                        *mine += theirs;
                    }
                }
            }
            (Accumulator::Offsets(_, mine), Accumulator::Offsets(_, theirs)) => {
                for (id, theirs) in ids.zip(theirs) {
                    for (offset, rows) in theirs {
                        *mine[id].entry(offset).or_insert(0) += rows;
                    }
                }
            }
            (Accumulator::Gram(columns, mine), Accumulator::Gram(_, theirs)) => {
                let each = gram_sums(columns.len());
                for (id, theirs) in ids.zip(theirs.chunks(each)) {
                    for (mine, theirs) in mine[id * each..].iter_mut().zip(theirs) {
                        *mine += theirs;
                    }
                }
            }
            // Both were made from the same aggregate of the layout.
            _ => unreachable!("aggregates of one layout"),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Accumulator::Rows(state) | Accumulator::Counts(_, _, state) => state.len() * 8,
            Accumulator::Kept(_) => 0,
            Accumulator::Sum(_, state) => size_of_val(state.as_slice()),
            Accumulator::Moments(_, state) => size_of_val(state.as_slice()),
            Accumulator::Products(_, _, state) => size_of_val(state.as_slice()),
            Accumulator::FineProducts(_, _, state) => size_of_val(state.as_slice()),
            Accumulator::Gram(_, state) => size_of_val(state.as_slice()),
            Accumulator::Offsets(_, state) => state
                .iter()
                .map(|offsets| 48 + offsets.capacity() * 17)
                .sum(),
        }
    }

    /// The exact integers of a group; those of offsets are handed out once.
    pub(super) fn value(&mut self, id: usize) -> Aggregated {
        match self {
            Accumulator::Rows(state) => Aggregated::Rows(state[id]),
            Accumulator::Kept(state) => Aggregated::Kept {
                units: state.units,
                cut: state.cut,
                left_out: Integer::from(state.left_out),
            },
            Accumulator::Sum(_, state) => Aggregated::Sum {
                rows: state[id].rows,
                sum: Integer::from(state[id].sum),
            },
            Accumulator::Moments(_, state) => Aggregated::Moments {
                rows: state[id].rows,
                sum: Integer::from(state[id].sum),
                squares: Integer::from(state[id].squares),
            },
            Accumulator::Products(_, _, state) => Aggregated::Products {
                rows: state[id].rows,
                sum_x: Integer::from(state[id].sum_x),
                sum_y: Integer::from(state[id].sum_y),
                products: Integer::from(state[id].products),
            },
            Accumulator::FineProducts(_, _, state) => {
                let FineProducts { sums, carry } = state[id];
                Aggregated::Products {
                    rows: sums.rows,
                    sum_x: Integer::from(sums.sum_x),
                    sum_y: Integer::from(sums.sum_y),
                    products: (Integer::from(carry) << 128) + Integer::from(sums.products),
                }
            }
            Accumulator::Gram(columns, state) => {
                let each = gram_sums(columns.len());
                let sums = state[id * each..][..each].iter().copied();
                let rest: Vec<Integer> = sums.clone().skip(1).map(Integer::from).collect();
                let (sums, products) = rest.split_at(columns.len());
                Aggregated::Gram {
                    // At most 2^40.
                    rows: state[id * each] as u64,
                    sums: sums.to_vec(),
                    products: products.to_vec(),
                }
            }
            Accumulator::Counts(_, values, state) => {
                Aggregated::Counts(state[id * *values..(id + 1) * *values].to_vec())
            }
            Accumulator::Offsets(_, state) => {
                let mut offsets: Vec<(u64, u64)> = state[id].drain().collect();
                offsets.sort_unstable();
                Aggregated::Offsets(offsets)
            }
        }
    }
}
