//! The nearest tables that add up.
//!
//! Tables over subsets of some axes are given with independent noise, the same in all cells of a
//! table. Each is a sum of orthogonal parts, its interactions, one for each set A of axes: the part
//! A of a table over S ⊇ A is its margin over A, less its mean along each axis of A. The exact
//! tables have the same part A, and the noise of that part has n(S∖A)·σ² in place of σ², n(·) being
//! the number of cells. So weighted least squares treat the parts one by one: each is the mean over
//! the tables, with weights in inverse proportion to these variances, and a table is the sum of its
//! parts, spread evenly.
//!
//! The claims here hold for any weights that add up to one: the tables add up, exact tables stay as
//! they are, and [`Projection::coefficients`] are the coefficients of each noise.

use lastbit_exact::Rational;
use lastbit_exact::decimal::power_of_ten;

/// Weights are rounded to 2^-24, so that numbers stay short.
const LOG2_WEIGHTS: i64 = 24;

/// The map from noisy tables to the nearest tables that add up.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// How many values each axis has.
    sizes: Vec<usize>,
    /// The axes of each table; the last changes fastest.
    tables: Vec<Vec<usize>>,
    parts: Vec<Part>,
    /// What all cells of a table add up to, if that is public.
    total: Option<Rational>,
}

/// One interaction.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// Its axes, in increasing order.
    axes: Vec<usize>,
    /// The weight of each table.
    weights: Vec<Rational>,
}

impl Projection {
    /// A projection of tables over these axes, with these variances of their noise. There are at
    /// least one table and at most 16 axes.
    pub fn new(
        sizes: &[usize],
        tables: &[Vec<usize>],
        variances: &[Rational],
        total: Option<Rational>,
    ) -> Projection {
        let masks: Vec<u32> = tables.iter().map(|axes| mask(axes)).collect();
        let subsets = (0..1u32 << sizes.len()).filter(|a| masks.iter().any(|s| a & s == *a));
        let parts = subsets.map(|a| {
            let is_known = a == 0 && total.is_some();
            let precisions = masks.iter().zip(variances).map(|(s, variance)| {
                match is_known || a & s != a || !variance.is_positive() {
                    true => Rational::ZERO,
                    false => &Rational::ONE / &(variance * &many(sizes, s & !a)),
                }
            });
            Part {
                axes: axes(a),
                weights: shares(&precisions.collect::<Vec<_>>()),
            }
        });
        Projection {
            parts: parts.collect(),
            sizes: sizes.to_vec(),
            tables: tables.to_vec(),
            total,
        }
    }

    /// The nearest tables that add up.
    pub fn apply(&self, tables: &[Vec<Rational>]) -> Vec<Vec<Rational>> {
        let parts: Vec<Vec<Rational>> = self.parts.iter().map(|p| self.part(p, tables)).collect();
        let sizes = &self.sizes;
        let table = |own: &Vec<usize>| {
            let mut sum = vec![Rational::ZERO; cells(sizes, own)];
            for (part, values) in self.parts.iter().zip(&parts) {
                if part.axes.iter().all(|axis| own.contains(axis)) {
                    let spread = many(sizes, mask(own) & !mask(&part.axes));
                    let values: Vec<Rational> = values.iter().map(|v| v / &spread).collect();
                    for (cell, place) in sum.iter_mut().zip(places(sizes, own, &part.axes)) {
                        *cell = &*cell + &values[place];
                    }
                }
            }
            sum
        };
        self.tables.iter().map(table).collect()
    }

    /// The weighted mean of an interaction over the tables.
    fn part(&self, part: &Part, tables: &[Vec<Rational>]) -> Vec<Rational> {
        let sizes = &self.sizes;
        let mut sums = vec![Rational::ZERO; cells(sizes, &part.axes)];
        for ((own, values), weight) in self.tables.iter().zip(tables).zip(&part.weights) {
            if weight.is_zero() {
                continue;
            }
            let mut margin = vec![Rational::ZERO; sums.len()];
            for (value, place) in values.iter().zip(places(sizes, own, &part.axes)) {
                margin[place] = &margin[place] + value;
            }
            for (sum, margin) in sums.iter_mut().zip(&margin) {
                *sum = &*sum + &(weight * margin);
            }
        }
        if let (true, Some(total)) = (part.axes.is_empty(), &self.total) {
            return vec![total.clone()];
        }
        for &axis in &part.axes {
            let others: Vec<usize> = part.axes.iter().copied().filter(|o| *o != axis).collect();
            let lines = places(sizes, &part.axes, &others);
            let mut means = vec![Rational::ZERO; cells(sizes, &others)];
            for (sum, &line) in sums.iter().zip(&lines) {
                means[line] = &means[line] + sum;
            }
            let size = Rational::from(sizes[axis] as u64);
            for (sum, &line) in sums.iter_mut().zip(&lines) {
                *sum = &*sum - &(&means[line] / &size);
            }
        }
        sums
    }

    /// The coefficients of the noises in each cell of a table, the same in all cells: for each
    /// table the coefficients of its cells, and how many cells have each.
    ///
    /// **Proof.** Cells with the values s and s' of their axes: the part A of a table over S' is
    /// `Σ_{s'} Π_{j∈A} ([s_j = s'_j] − 1/n_j)·y(s')`, it has the weight of S' in A, and is spread
    /// over n(S∖A) cells. So the coefficient depends only on which of the common axes agree. ∎
    pub fn coefficients(&self, table: usize) -> Vec<Vec<(Rational, u64)>> {
        let own = mask(&self.tables[table]);
        let sizes = &self.sizes;
        let of = |(other, axes): (usize, &Vec<usize>)| {
            let theirs = mask(axes);
            let common = own & theirs;
            let agreeing = (0..=common).filter(|agree| agree & common == *agree);
            let coefficient = |agree: u32| {
                let parts = self.parts.iter().filter(|part| {
                    let a = mask(&part.axes);
                    a & common == a && !part.weights[other].is_zero()
                });
                parts.fold(Rational::ZERO, |sum, part| {
                    let a = mask(&part.axes);
                    let start = &part.weights[other] / &many(sizes, own & !a);
                    let product = part.axes.iter().fold(start, |product, &axis| {
                        let share = Rational::new(1, sizes[axis] as i64);
                        let agrees = Rational::from(u64::from(agree >> axis & 1));
                        &product * &(&agrees - &share)
                    });
                    &sum + &product
                })
            };
            let count = |agree: u32| {
                let differ = self.axes_of(common & !agree);
                let others = self.axes_of(theirs & !own);
                let differ: u64 = differ.map(|size| size as u64 - 1).product();
                differ * others.map(|size| size as u64).product::<u64>()
            };
            agreeing
                .map(|agree| (coefficient(agree), count(agree)))
                .collect()
        };
        self.tables.iter().enumerate().map(of).collect()
    }

    fn axes_of(&self, mask: u32) -> impl Iterator<Item = usize> + '_ {
        axes(mask).into_iter().map(|axis| self.sizes[axis])
    }

    /// Tables that add up, rounded to `10^-places` so that they still do.
    ///
    /// The sums of all cells up to each cell are rounded, and their differences taken along each
    /// axis. A margin of the rounded table comes in the same way from sums up to the last value of
    /// the other axes. These are the sums of the margin, so it is the rounded margin. With d axes,
    /// a cell comes from 2^d sums, each off by at most half a step.
    pub fn rounded(&self, tables: &[Vec<Rational>], decimals: i64) -> Vec<Vec<Rational>> {
        let power = power_of_ten(decimals);
        let round = |(own, values): (&Vec<usize>, &Vec<Rational>)| {
            let mut sums: Vec<Rational> = values.iter().map(|value| value * &power).collect();
            let strides = strides(&self.sizes, own);
            for (&axis, &stride) in own.iter().zip(&strides) {
                for cell in 0..sums.len() {
                    if cell / stride % self.sizes[axis] > 0 {
                        sums[cell] = &sums[cell] + &sums[cell - stride];
                    }
                }
            }
            let mut cells: Vec<Rational> = sums
                .iter()
                .map(|sum| Rational::from(sum.round_ties_up()))
                .collect();
            for (&axis, &stride) in own.iter().zip(&strides) {
                for cell in (0..cells.len()).rev() {
                    if cell / stride % self.sizes[axis] > 0 {
                        cells[cell] = &cells[cell] - &cells[cell - stride];
                    }
                }
            }
            cells.iter().map(|cell| cell / &power).collect()
        };
        self.tables.iter().zip(tables).map(round).collect()
    }

    /// The most by which [`Projection::rounded`] moves a cell of a table, in steps.
    pub fn rounding(&self, table: usize) -> Rational {
        Rational::ONE.times_power_of_two(self.tables[table].len() as i64 - 1)
    }
}

/// For each cell of a table over `own`, the place of its cell in the margin over `axes`, a subset
/// of `own`.
pub(crate) fn places(sizes: &[usize], own: &[usize], axes: &[usize]) -> Vec<usize> {
    let (from, to) = (strides(sizes, own), strides(sizes, axes));
    let steps: Vec<(usize, usize, usize)> = axes
        .iter()
        .zip(to)
        .filter_map(|(axis, to)| {
            let place = own.iter().position(|other| other == axis)?;
            Some((from[place], sizes[*axis], to))
        })
        .collect();
    let place = |cell: usize| {
        let steps = steps.iter();
        steps.map(|(from, size, to)| cell / from % size * to).sum()
    };
    (0..cells(sizes, own)).map(place).collect()
}

/// The distance between cells that differ by one in an axis.
fn strides(sizes: &[usize], axes: &[usize]) -> Vec<usize> {
    let after = |place: usize| cells(sizes, &axes[place + 1..]);
    (0..axes.len()).map(after).collect()
}

fn cells(sizes: &[usize], axes: &[usize]) -> usize {
    axes.iter().map(|&axis| sizes[axis]).product()
}

fn mask(axes: &[usize]) -> u32 {
    axes.iter().fold(0, |mask, axis| mask | 1 << axis)
}

fn axes(mask: u32) -> Vec<usize> {
    (0..32).filter(|axis| mask >> axis & 1 == 1).collect()
}

/// How many cells the axes of a mask have.
fn many(sizes: &[usize], mask: u32) -> Rational {
    let sizes = axes(mask).into_iter().map(|axis| sizes[axis] as u64);
    sizes.fold(Rational::ONE, |product, size| {
        &product * &Rational::from(size)
    })
}

/// Weights in about these proportions that add up to one; all zero if the proportions are.
fn shares(precisions: &[Rational]) -> Vec<Rational> {
    let sum = precisions.iter().fold(Rational::ZERO, |sum, p| &sum + p);
    if sum.is_zero() {
        return precisions.to_vec();
    }
    let short = |precision: &Rational| {
        let scaled = (precision / &sum).times_power_of_two(LOG2_WEIGHTS);
        Rational::from(scaled.floor()).times_power_of_two(-LOG2_WEIGHTS)
    };
    let mut shares: Vec<Rational> = precisions.iter().map(short).collect();
    let rest = shares
        .iter()
        .fold(Rational::ONE, |rest, share| &rest - share);
    // The remainder of rounding goes to the most precise.
    let best = (0..precisions.len()).max_by(|a, b| precisions[*a].cmp(&precisions[*b]));
    if let Some(best) = best {
        shares[best] = &shares[best] + &rest;
    }
    shares
}

#[cfg(test)]
mod tests;
