//! Many cuts of one data set by recursive bisection: the plan, the draw and its price.

use lastbit_exact::{Integer, Interval, Rational, Up};

use crate::mechanisms::exponential::{Exponential, Run};
use crate::{Epsilon, Error, Sensitivity};

/// A tree of selections. Each cuts its part of the data in two at a fraction of it; the two parts
/// go to the children.
pub(super) struct Bisection {
    root: Option<Box<Node>>,
    count: usize,
}

struct Node {
    /// Which of the targets this cut is for.
    index: usize,
    /// The part of the rows that should be below the cut: `numerator/denominator`, strictly between
    /// 0 and 1.
    numerator: i64,
    denominator: i64,
    mechanism: Exponential,
    below: Option<Box<Node>>,
    above: Option<Box<Node>>,
}

impl Bisection {
    /// For targets that ascend strictly, strictly between 0 and `whole`, in any unit, at a loss of
    /// `epsilon` in all for one changed row. `whole` times the number of rows must be below 2^63.
    ///
    /// A node with fraction f has scores of sensitivity `max(f, 1 − f)` when a row is added to its
    /// part or removed from it; it is charged half of the loss of its level for each of the two.
    pub fn new(targets: &[i64], whole: i64, epsilon: &Epsilon) -> Result<Bisection, Error> {
        let levels = levels(targets.len()).max(1);
        let half = epsilon.get() / &Rational::from(2 * u64::from(levels));
        let ends: Vec<i64> = [&[0], targets, &[whole]].concat();
        Ok(Bisection {
            root: Node::build(&ends, 0, targets.len() + 1, &Epsilon::new(half)?)?,
            count: targets.len(),
        })
    }

    /// The cuts, ascending: of `0..=size`, where cut c has the places `0..c` below it. The places
    /// of the rows are ascending and below `size`.
    pub fn draw(
        &self,
        places: &[u128],
        size: u128,
        choose: &mut impl FnMut(&[Run<i64>], &Exponential) -> Result<(usize, u128), Error>,
    ) -> Result<Vec<u128>, Error> {
        let mut cuts = vec![0; self.count];
        if let Some(root) = &self.root {
            root.draw(places, (0, size), choose, &mut cuts)?;
        }
        Ok(cuts)
    }

    /// With probability at least `1 − beta`, every cut has a number of rows below it that is at
    /// most this far from its target, over `size + 1` cuts.
    pub fn error(&self, size: u128, beta: &Rational) -> Up {
        let each = beta / &Rational::from(self.count.max(1) as u64);
        let odds = &(&Rational::ONE / &each) - &Rational::ONE;
        let odds = odds * Rational::from(Integer::from(size));
        let ln = if odds <= Rational::ONE {
            Up::ZERO
        } else {
            Interval::from_rational(&odds).ln().upper()
        };
        self.root
            .as_ref()
            .map_or(Up::ZERO, |root| root.error(ln, Up::ZERO, Up::ZERO))
    }
}

/// `⌈log2(count + 1)⌉`: how many levels a tree of so many cuts has.
pub(super) fn levels(count: usize) -> u32 {
    usize::BITS - count.leading_zeros()
}

impl Node {
    /// The targets strictly between the ends `from` and `to`; the one in the middle is the root.
    fn build(
        ends: &[i64],
        from: usize,
        to: usize,
        epsilon: &Epsilon,
    ) -> Result<Option<Box<Node>>, Error> {
        if to - from < 2 {
            return Ok(None);
        }
        let middle = from.midpoint(to);
        let part = Rational::new(ends[middle] - ends[from], ends[to] - ends[from]);
        // Both are at most the difference of two ends.
        let numerator = i64::try_from(part.numerator()).unwrap_or(1);
        let denominator = i64::try_from(part.denominator()).unwrap_or(1);
        let sensitivity = numerator.max(denominator - numerator);
        Ok(Some(Box::new(Node {
            index: middle - 1,
            numerator,
            denominator,
            mechanism: Exponential::new(epsilon, &Sensitivity::new(Rational::from(sensitivity))?),
            below: Node::build(ends, from, middle, epsilon)?,
            above: Node::build(ends, middle, to, epsilon)?,
        })))
    }

    /// Cuts the rows at `places`, all in `from..to`.
    fn draw(
        &self,
        places: &[u128],
        (from, to): (u128, u128),
        choose: &mut impl FnMut(&[Run<i64>], &Exponential) -> Result<(usize, u128), Error>,
        cuts: &mut [u128],
    ) -> Result<(), Error> {
        // |below·denominator − wanted| ≤ rows·whole < 2^63.
        let wanted = self.numerator * places.len() as i64;
        let score = |below: usize| -(below as i64 * self.denominator - wanted).abs();
        // Cuts with the same rows below them; the run of index i has i rows below.
        let start = |run: usize| match run.checked_sub(1) {
            None => from,
            Some(last) => places[last] + 1,
        };
        let runs: Vec<Run<i64>> = (0..=places.len())
            .map(|i| Run {
                length: places.get(i).copied().unwrap_or(to) + 1 - start(i),
                score: score(i),
            })
            .collect();
        let (run, offset) = choose(&runs, &self.mechanism)?;
        let cut = start(run) + offset;
        cuts[self.index] = cut;
        let (below, above) = places.split_at(run);
        if let Some(node) = &self.below {
            node.draw(below, (from, cut), choose, cuts)?;
        }
        if let Some(node) = &self.above {
            node.draw(above, (cut, to), choose, cuts)?;
        }
        Ok(())
    }

    /// The largest error of this cut and those under it, where the ends of the part are off by at
    /// most so much: the fraction of a part whose ends are off by e and e' is off by
    /// `(1 − f)e + fe'`; to which come half a row, as rows are whole, and what the selection loses.
    fn error(&self, ln: Up, from: Up, to: Up) -> Up {
        let part = Rational::new(self.numerator, self.denominator);
        let rest = &Rational::ONE - &part;
        let per_row = self.mechanism.rate() * &Rational::from(self.denominator);
        let lost = Up::from_rational(&(&Rational::ONE / &per_row)) * ln;
        let inherited = Up::from_rational(&rest) * from + Up::from_rational(&part) * to;
        let own = inherited + lost + Up::exact(0.5);
        let children = [(&self.below, from, own), (&self.above, own, to)];
        children
            .into_iter()
            .filter_map(|(child, from, to)| Some(child.as_ref()?.error(ln, from, to)))
            .fold(own, Up::max)
    }
}
