use lastbit_exact::{Rational, Up};

use super::rows::RowPath;
use crate::metrics::{
    Contribution, ContributionDistance, L1Distance, L2Distance, LInfDistance, Metric,
};

/// How vectors and maps of counts are compared: [`L1Distance`], [`L2Distance`] or [`LInfDistance`],
/// and for maps also [`ContributionDistance`].
///
/// ```compile_fail
/// fn is_norm<N: lastbit::transformations::Norm>() {}
/// is_norm::<lastbit::metrics::SymmetricDistance>();
/// ```
pub trait Norm: Metric + sealed::Bound {}

impl Norm for L1Distance {}
impl Norm for L2Distance {}
impl Norm for LInfDistance {}
impl Norm for ContributionDistance {}

/// What rows do to a vector made of several histograms, each of which counts every row once, in one
/// entry, with its weight.
#[derive(Clone, Debug)]
pub struct Levels {
    /// How many histograms there are.
    pub(super) all: u64,
    /// In how many of them there are two entries, so that a row can move.
    pub(super) divided: u64,
    /// The bounds of a weight.
    pub(super) lightest: Rational,
    pub(super) heaviest: Rational,
}

impl Levels {
    /// One histogram of unit weights with at least two bins.
    pub(super) fn histogram() -> Levels {
        Levels::weighted(Rational::ONE, Rational::ONE)
    }

    /// One histogram with at least two bins.
    pub(super) fn weighted(lightest: Rational, heaviest: Rational) -> Levels {
        Levels {
            all: 1,
            divided: 1,
            lightest,
            heaviest,
        }
    }

    /// Several histograms of unit weights; the first has one bin, the others have more.
    pub(super) fn tree(levels: u64) -> Levels {
        Levels {
            all: levels,
            divided: levels.saturating_sub(1),
            ..Levels::histogram()
        }
    }

    /// `m`: the largest size of a weight.
    fn most(&self) -> Rational {
        self.lightest.abs().max(self.heaviest.abs())
    }

    fn width(&self) -> Rational {
        &self.heaviest - &self.lightest
    }
}

pub(super) mod sealed {
    use super::*;

    pub trait Bound: Metric {
        /// The largest distance after these steps.
        ///
        /// Let a weight lie in `[a, b]`, with `m = max(|a|, |b|)`. A row added or removed moves one
        /// entry of each of the `h` histograms by at most `m`. A row changed moves, in each divided
        /// histogram, either two entries by at most `m` each, or one by at most `b − a ≤ 2m`; with
        /// unit weights it moves nothing in a histogram of one entry. Per step:
        ///
        /// | | added or removed | changed |
        /// |---|---|---|
        /// | L1 | `h·m` | `h·2m` |
        /// | L2 | `√h·m` | `√h·max(√2·m, b − a)` |
        /// | L∞ | `m` | `max(m, b − a)` |
        /// | entries moved | `h` | `2h` |
        ///
        /// and norms of a path add up. Steps that repeat the worst one reach the bound; a
        /// contribution, entries moved and L∞ together, only for one step.
        fn bound(steps: RowPath, levels: &Levels) -> Self::Distance;
    }

    impl Bound for L1Distance {
        fn bound(steps: RowPath, levels: &Levels) -> Rational {
            match steps {
                RowPath::AddRemoves(rows) => {
                    Rational::from(rows) * Rational::from(levels.all) * levels.most()
                }
                RowPath::Changes(rows) => {
                    Rational::from(rows)
                        * Rational::from(levels.divided)
                        * levels.most().times_power_of_two(1)
                }
            }
        }
    }

    impl Bound for L2Distance {
        fn bound(steps: RowPath, levels: &Levels) -> Up {
            let square = |x: Rational| &x * &x;
            let (rows, levels_hit, worst) = match steps {
                RowPath::AddRemoves(rows) => (rows, levels.all, square(levels.most())),
                RowPath::Changes(rows) => (
                    rows,
                    levels.divided,
                    square(levels.most())
                        .times_power_of_two(1)
                        .max(square(levels.width())),
                ),
            };
            let squares = square(Rational::from(rows)) * Rational::from(levels_hit) * worst;
            Up::from_rational(&squares).sqrt()
        }
    }

    impl Bound for LInfDistance {
        fn bound(steps: RowPath, levels: &Levels) -> Rational {
            match steps {
                RowPath::AddRemoves(rows) => Rational::from(rows) * levels.most(),
                RowPath::Changes(_) if levels.divided == 0 => Rational::ZERO,
                RowPath::Changes(rows) => Rational::from(rows) * levels.most().max(levels.width()),
            }
        }
    }
    impl Bound for ContributionDistance {
        fn bound(steps: RowPath, levels: &Levels) -> Contribution {
            let moved = match steps {
                RowPath::AddRemoves(rows) => rows.saturating_mul(levels.all),
                RowPath::Changes(rows) => rows.saturating_mul(levels.divided).saturating_mul(2),
            };
            // Neither number is negative; and 2^64 − 1 keys are more than there can be.
            Contribution::new(moved, LInfDistance::bound(steps, levels))
                .expect("a product of numbers that are zero or more")
        }
    }
}
