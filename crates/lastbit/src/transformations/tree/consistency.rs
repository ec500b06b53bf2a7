use lastbit_exact::Rational;

use super::Tree;
use crate::domains::Number;
use crate::transformations::TransformationError;

impl Tree {
    /// The tree in which every node is the sum of its children that is nearest to the released
    /// nodes in least squares, exactly.
    ///
    /// If every node was released with independent noise of the same variance, no other unbiased
    /// linear estimate has a smaller variance. `total`, if given, is the public number of rows, and
    /// the root is set to it.
    ///
    /// *Proof.* Upward: the best estimate of a node from its subtree combines its own value
    /// (variance 1) with the sum of its children's estimates (variance `v = Σ v_c`) by inverse
    /// variance: `(v·y + Σ z_c)/(v + 1)`, with variance `v/(v + 1)`. Downward: what the final value
    /// of a node exceeds the sum of its children's estimates is shared among them in proportion to
    /// their variances, which is least squares for independent estimates under one linear
    /// constraint. ∎
    ///
    /// ```
    /// use lastbit::transformations::Tree;
    /// let shape = Tree::new(2, 2)?;
    /// let nodes: Vec<String> =
    ///     shape.consistent(&[13_i64, 4, 6], None)?.iter().map(|x| x.to_string()).collect();
    /// assert_eq!(nodes, ["12", "5", "7"]);
    /// # Ok::<(), lastbit::transformations::TransformationError>(())
    /// ```
    pub fn consistent(
        &self,
        nodes: &[impl Number],
        total: Option<u64>,
    ) -> Result<Vec<Rational>, TransformationError> {
        let mut estimates = self.exact(nodes)?;
        let mut variances = vec![Rational::ONE; self.nodes()];
        for (level, i, node) in self.inner_nodes().rev() {
            let (sum, variance) = self.sum_children(level, i, &estimates, &variances);
            let weight = (&variance + &Rational::ONE)
                .recip()
                .expect("variances are positive");
            estimates[node] = (&(&estimates[node] * &variance) + &sum) * weight.clone();
            variances[node] = variance * weight;
        }
        if let Some(total) = total {
            estimates[0] = Rational::from(total);
        }
        for (level, i, node) in self.inner_nodes() {
            let (sum, variance) = self.sum_children(level, i, &estimates, &variances);
            // A sum of positive variances.
            let excess = (&estimates[node] - &sum) / variance;
            for child in self.children(level, i) {
                estimates[child] = &estimates[child] + &(&excess * &variances[child]);
            }
        }
        Ok(estimates)
    }

    /// Every node that has children, from the root: its level, its place there, its number.
    fn inner_nodes(&self) -> impl DoubleEndedIterator<Item = (usize, usize, usize)> + '_ {
        (0..self.levels() - 1).flat_map(|level| {
            self.level(level)
                .enumerate()
                .map(move |(i, n)| (level, i, n))
        })
    }

    fn sum_children(
        &self,
        level: usize,
        i: usize,
        estimates: &[Rational],
        variances: &[Rational],
    ) -> (Rational, Rational) {
        let zero = (Rational::ZERO, Rational::ZERO);
        self.children(level, i)
            .fold(zero, |(sum, variance), child| {
                (&sum + &estimates[child], &variance + &variances[child])
            })
    }
}
