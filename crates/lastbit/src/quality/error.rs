use lastbit_exact::Rational;

/// Why there is no such quality, or no selection by it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QualityError {
    /// A domain without points.
    #[error("the domain has no points; give it a size of at least 1")]
    EmptyDomain,
    /// A domain of more points than a step function counts.
    #[error("the domain has more than 2^127 points; choose a coarser one")]
    DomainTooLarge,
    /// A run without points.
    #[error("run {index} has no points; leave it out")]
    EmptyRun {
        /// Which run.
        index: usize,
    },
    /// Data that is not in ascending order.
    #[error("the data is not sorted: item {index} is below the one before it; sort it first")]
    NotSorted {
        /// Which item.
        index: usize,
    },
    /// Data beyond the domain.
    #[error(
        "the data has points outside the domain of {size} points; clamp them into it, or enlarge it"
    )]
    OutsideDomain {
        /// How many points the domain has.
        size: u128,
    },
    /// An interval that is not within the domain.
    #[error(
        "the interval has no points, or some beyond the domain of {size} points; choose one inside"
    )]
    BadInterval {
        /// How many points the domain has.
        size: u128,
    },
    /// A rank that no data point has.
    #[error("rank {rank} does not exist among {count} data points; choose one from 1 to {count}")]
    NoSuchRank {
        /// The rank asked for.
        rank: u64,
        /// How many data points there are.
        count: usize,
    },
    /// A quality that falls and rises again. Where it does so is data.
    #[error(
        "the quality is not quasi-concave: at point {middle} it is below both point {left} and \
         point {right}; use the plain exponential mechanism, or a quality that rises and then \
         falls"
    )]
    NotQuasiConcave {
        /// A point of higher quality on the left.
        left: u128,
        /// The point in the valley.
        middle: u128,
        /// A point of higher quality on the right.
        right: u128,
    },
    /// A quality over another domain than the mechanism was built for.
    #[error("the quality is over {got} points and the mechanism for {wanted}; make them equal")]
    OtherSize {
        /// What the mechanism was built for.
        wanted: u128,
        /// The size of the quality's domain.
        got: u128,
    },
    /// A promise that says nothing.
    #[error(
        "the promise must be positive, got {promise}; promise a quality that the best point \
         surely has"
    )]
    PromiseNotPositive {
        /// The promise given.
        promise: Rational,
    },
    /// A promise that no data can keep.
    #[error(
        "the promise {promise} is above {optimum}, the highest quality that any point can have; \
         lower it to at most that"
    )]
    PromiseAboveOptimum {
        /// The promise given.
        promise: Rational,
        /// The highest possible quality.
        optimum: i64,
    },
    /// No level at all.
    #[error("the number of levels must be at least 1, got 0; 2 is Flat-Concave")]
    NoLevels,
    /// A promise beyond 2^62 when counted in the unit that promise and α need, or a unit below
    /// 2^-40.
    #[error(
        "promise and alpha have too many digits to count qualities in exact units; round them to \
         fewer, or lower the promise"
    )]
    UnitTooFine,
    /// A domain with NaN or infinities.
    #[error(
        "the domain admits NaN or infinities, which have no place among numbers; use one without"
    )]
    Unordered,
    /// A statistic of no data.
    #[error("there are no data points; a quantile needs at least 1")]
    NoData,
    /// No quantile at all.
    #[error("no quantile was asked for; give at least 1")]
    NoQuantiles,
    /// More rows than scores can count.
    #[error("the data has too many rows for exact scores; give at most {most}")]
    TooManyRows {
        /// The most that can be counted.
        most: usize,
    },
    /// A number of rows that a ball cannot hold.
    #[error("a ball cannot hold {count} of {rows} rows; ask for 1 to {rows}")]
    NoSuchCount {
        /// The number asked for.
        count: u64,
        /// How many rows there are.
        rows: usize,
    },
    /// Floats on a grid without bounds.
    #[error(
        "the domain has no bounds, so that its grid has no ends; give it a lower and an upper bound"
    )]
    NoBounds,
    /// A rank error below 0.
    #[error("a rank error is 0 or more, got {error}; it counts the rows between two ranks")]
    NegativeRankError {
        /// What was given.
        error: Rational,
    },
}
