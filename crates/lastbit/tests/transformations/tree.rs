//! Answers from trees: ranges, quantiles, and consistency by least squares, without noise and with
//! any.

use lastbit::Share;
use lastbit::transformations::{Edges, Tree};
use lastbit_exact::Rational;
use proptest::prelude::*;

/// Every node of a tree from its leaves, by the definition: parents sum `branching` children.
fn nodes(leaves: &[i64], branching: usize) -> Vec<i64> {
    let mut levels = vec![leaves.to_vec()];
    while levels[0].len() > 1 {
        let above = levels[0]
            .chunks(branching)
            .map(|family| family.iter().sum());
        let above = above.collect();
        levels.insert(0, above);
    }
    levels.concat()
}

/// The leaves below each node, in the order of nodes.
fn leaves_below(leaves: usize, branching: usize) -> Vec<Vec<usize>> {
    let mut levels = vec![(0..leaves).map(|leaf| vec![leaf]).collect::<Vec<_>>()];
    while levels[0].len() > 1 {
        let above = levels[0].chunks(branching).map(|family| family.concat());
        let above = above.collect();
        levels.insert(0, above);
    }
    levels.concat()
}

fn rational(x: i64) -> Rational {
    Rational::from(x)
}

#[test]
fn every_range_is_the_sum_of_few_nodes() {
    for leaves in 1..=17 {
        for branching in 2..=5 {
            let shape = Tree::new(leaves, branching).unwrap();
            let counts: Vec<i64> = (0..leaves).map(|leaf| 1 << leaf).collect();
            let nodes = nodes(&counts, branching);
            assert_eq!(nodes.len(), shape.nodes());
            for from in 0..=leaves {
                for to in from..=leaves {
                    let expected: i64 = counts[from..to].iter().sum();
                    assert_eq!(shape.range(&nodes, from..to).unwrap(), rational(expected));
                    let parts = shape.range_nodes(from..to).unwrap();
                    assert!(parts.len() <= 2 * (branching - 1) * shape.levels());
                }
            }
            assert_eq!(shape.range_nodes(0..leaves).unwrap(), [0]);
        }
    }
}

/// The fewest nodes that cover a range, by the definition: a node stays unless its parent is in the
/// range as well.
#[test]
fn no_range_takes_more_nodes_than_it_needs() {
    for leaves in 1..=17 {
        for branching in 2..=4 {
            let shape = Tree::new(leaves, branching).unwrap();
            let below = leaves_below(leaves, branching);
            for from in 0..leaves {
                for to in from + 1..=leaves {
                    let inside = |node: &Vec<usize>| node[0] >= from && node[node.len() - 1] < to;
                    let kept = (0..below.len()).filter(|&node| inside(&below[node]));
                    // Earlier nodes are higher up.
                    let highest = kept.filter(|&node| {
                        !below[..node]
                            .iter()
                            .any(|above| inside(above) && above.contains(&below[node][0]))
                    });
                    let mut highest: Vec<usize> = highest.collect();
                    let mut found = shape.range_nodes(from..to).unwrap();
                    highest.sort_unstable();
                    found.sort_unstable();
                    assert_eq!(found, highest, "{from}..{to} of {leaves} by {branching}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_quantile_is_the_first_leaf_that_reaches_the_rank(
        counts in prop::collection::vec(0..5i64, 1..30),
        branching in 2..6usize,
        q in 0..=20i64,
    ) {
        let shape = Tree::new(counts.len(), branching).unwrap();
        let total: i64 = counts.iter().sum();
        prop_assume!(total > 0);
        let share = Share::new(Rational::new(q, 20)).unwrap();
        let found = shape.quantile(&nodes(&counts, branching), &share).unwrap();
        let wanted = share.get() * &rational(total);
        let mut below = 0;
        let mut expected = None;
        for (leaf, &count) in counts.iter().enumerate() {
            if count > 0 && wanted <= rational(below + count) {
                expected = Some((leaf, (wanted.clone() - rational(below)) / rational(count)));
                break;
            }
            below += count;
        }
        prop_assert_eq!(Some((found.leaf(), found.fraction().clone())), expected);
    }

    #[test]
    fn a_noisy_quantile_is_always_a_position(
        leaves in 1..30usize,
        branching in 2..6usize,
        noise in prop::collection::vec(-5..5i64, 80),
        q in 0..=7i64,
    ) {
        let shape = Tree::new(leaves, branching).unwrap();
        let share = Share::new(Rational::new(q, 7)).unwrap();
        let position = shape.quantile(&noise[..shape.nodes()], &share).unwrap();
        prop_assert!(position.leaf() < leaves);
        prop_assert!(!position.fraction().is_negative() && *position.fraction() <= Rational::ONE);
    }

    /// The least-squares solution is the consistent tree from which the residuals are orthogonal to
    /// every leaf's column.
    #[test]
    fn the_consistent_tree_solves_the_normal_equations(
        leaves in 1..20usize,
        branching in 2..5usize,
        noise in prop::collection::vec(-50..50i64, 50),
        public in prop::option::of(0..100u64),
    ) {
        let shape = Tree::new(leaves, branching).unwrap();
        let released = &noise[..shape.nodes()];
        let fitted = shape.consistent(released, public).unwrap();
        let below = leaves_below(leaves, branching);
        let first_leaf = shape.nodes() - leaves;
        for (node, below) in below.iter().enumerate() {
            let sum = below
                .iter()
                .fold(Rational::ZERO, |sum, &leaf| sum + fitted[first_leaf + leaf].clone());
            prop_assert_eq!(&fitted[node], &sum);
        }
        let residual = |leaf: usize| {
            let above = (0..shape.nodes()).filter(|&node| below[node].contains(&leaf));
            // A public root is not fitted.
            let above = above.filter(|&node| public.is_none() || node > 0);
            above.fold(Rational::ZERO, |sum, node| {
                sum + rational(released[node]) - fitted[node].clone()
            })
        };
        match public {
            None => {
                for leaf in 0..leaves {
                    prop_assert!(residual(leaf).is_zero());
                }
            }
            Some(total) => {
                prop_assert_eq!(&fitted[0], &Rational::from(total));
                // Under the constraint on the sum of all leaves the residuals are all the same.
                for leaf in 1..leaves {
                    prop_assert_eq!(residual(leaf), residual(0));
                }
            }
        }
    }

    #[test]
    fn a_consistent_tree_stays_as_it_is(
        counts in prop::collection::vec(-9..9i64, 1..30),
        branching in 2..6usize,
    ) {
        let shape = Tree::new(counts.len(), branching).unwrap();
        let nodes = nodes(&counts, branching);
        let fitted = shape.consistent(&nodes, None).unwrap();
        prop_assert_eq!(fitted, nodes.into_iter().map(rational).collect::<Vec<_>>());
    }
}

#[test]
fn the_value_of_a_quantile_lies_in_its_bin() {
    let edges = Edges::new([0_i64, 10, 30]).unwrap().with_null_bin();
    let half = Rational::new(1, 2);
    let value = |bin| edges.value(bin, &half);
    assert_eq!(value(0), Some(rational(0)));
    assert_eq!(value(1), Some(rational(5)));
    assert_eq!(value(2), Some(rational(20)));
    assert_eq!(value(3), Some(rational(30)));
    assert_eq!(value(4), None);
    assert_eq!(edges.value(1, &rational(7)), Some(rational(10)));
}
