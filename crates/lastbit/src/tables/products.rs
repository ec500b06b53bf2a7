use lastbit_exact::Rational;

use super::numbers::{ToNumbers, vectors};
use crate::Error;
use crate::metrics::Norms;

/// Which sums of the cells of a row, and of their products, are taken: those of every column, and
/// of some pairs of columns.
///
/// With `a = 2t − 1` for the place t of a cell between its bounds, 0 at the lower and 1 at the
/// upper, a row adds `(½, a_i/2, a_i·a_j)`: one number for the row, one for each column, and one
/// for each pair.
///
/// ```
/// use lastbit::tables::Products;
/// use lastbit::Rational;
/// let all = Products::new(2, vec![(0, 1)])?;
/// // Two rows at the places (0, 1) and (1, 1): sums of places 1 and 2, and of products 1.
/// let whole = |n: u64| Rational::from(n);
/// let numbers = all.centred(&whole(2), &[whole(1), whole(2)], |_, _| whole(1))?;
/// assert_eq!(numbers, [whole(1), whole(0), whole(1), whole(0)]);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Products {
    columns: usize,
    pairs: Vec<(usize, usize)>,
}

impl Products {
    /// Of so many columns, and of these pairs (i, j) of them, with i ≤ j and none of them twice.
    pub fn new(columns: usize, pairs: Vec<(usize, usize)>) -> Result<Products, Error> {
        let is_bad = |&(i, j): &(usize, usize)| i > j || j >= columns;
        let twice = |at: usize| pairs[..at].contains(&pairs[at]);
        if pairs.iter().any(is_bad) || (0..pairs.len()).any(twice) {
            return Err(Error::space(
                "the pairs of columns must be of those that there are, each once, the smaller \
                 first",
            ));
        }
        Ok(Products { columns, pairs })
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The pairs of columns whose products are taken.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// How many numbers a group has.
    pub fn count(&self) -> usize {
        1 + self.columns + self.pairs.len()
    }

    /// The place of a column among the numbers.
    pub fn of_column(&self, column: usize) -> usize {
        1 + column
    }

    /// The place of a pair among the numbers, in either order; `None` if it is not taken.
    pub fn of_pair(&self, i: usize, j: usize) -> Option<usize> {
        let pair = (i.min(j), i.max(j));
        let place = self.pairs.iter().position(|other| *other == pair)?;
        Some(1 + self.columns + place)
    }

    /// The numbers of a group, from its rows, the sums of the places of each column, and those of
    /// the products of the places of each pair: `Σa/2 = Σt − n/2`, and
    /// `Σ(2s − 1)(2t − 1) = 4Σst − 2Σs − 2Σt + n`.
    pub fn centred(
        &self,
        rows: &Rational,
        places: &[Rational],
        products: impl Fn(usize, usize) -> Rational,
    ) -> Result<Vec<Rational>, Error> {
        if places.len() != self.columns {
            return Err(Error::other(
                "there must be a sum of places for each column",
            ));
        }
        let half = rows.times_power_of_two(-1);
        let mut numbers = vec![half.clone()];
        numbers.extend(places.iter().map(|place| place - &half));
        for &(i, j) in &self.pairs {
            let sums = (&places[i] + &places[j]).times_power_of_two(1);
            numbers.push(&(&products(i, j).times_power_of_two(2) - &sums) + rows);
        }
        Ok(numbers)
    }

    /// The norms of what a row adds.
    ///
    /// **Proof.** Every `a` is in [−1, 1], so each of the 1 + columns first numbers is at most ½ in
    /// magnitude, and each product at most 1: `L1 ≤ (1 + columns)/2 + pairs` and
    /// `L2² ≤ (1 + columns)/4 + pairs`. A row whose cells are all at a bound meets both. ∎
    fn of_row(&self) -> Norms {
        let singles = Rational::from(1 + self.columns as u64);
        let pairs = Rational::from(self.pairs.len() as u64);
        Norms {
            l1: &singles.times_power_of_two(-1) + &pairs,
            l2_squared: &singles.times_power_of_two(-2) + &pairs,
        }
    }
}

/// Sums of products of columns: to each group its rows add what [`Products`] says. `numbers` gives
/// those of all groups, each by [`Products::centred`] from cells between their bounds. `groups` as
/// for [`shares`](super::shares).
///
/// **Proof.** A row adds a vector of the norms proved in [`Products`], in its own group only; the
/// rest is the proof of [`vectors`]. ∎
pub fn products<A: Clone + Send + Sync + 'static>(
    groups: Option<u64>,
    of: &Products,
    numbers: impl Fn(&A) -> Result<Vec<Rational>, Error> + Send + Sync + 'static,
) -> Result<ToNumbers<A>, Error> {
    vectors(groups, of.of_row(), numbers)
}
