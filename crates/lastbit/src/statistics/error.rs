/// Why a statistic has no range or sensitivity under the given public facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticError {
    /// Data sets without rows have no neighbours under change-one.
    #[error(
        "change-one neighbours need at least 1 row, got 0; if the number of rows is not public \
         use add/remove"
    )]
    NoRows,
    /// Limits on the number of rows that leave no two neighbours.
    #[error(
        "at least {at_least} and at most {at_most} rows leave no two data sets that differ by one \
         row; raise the upper limit, or use change-one if the number of rows is public"
    )]
    NoRoomForNeighbours {
        /// The lower limit given.
        at_least: u64,
        /// The upper limit given.
        at_most: u64,
    },
    /// The statistic is not defined on data sets this small.
    #[error("{}", too_few(.statistic, *.needed, *.rows, *.public))]
    TooFewRows {
        /// Which statistic.
        statistic: &'static str,
        /// The least number of rows on which it is defined.
        needed: u64,
        /// The least number of rows that the public facts allow.
        rows: u64,
        /// Whether the number of rows is public (change-one).
        public: bool,
    },
    /// The statistic has no finite range under these public facts.
    #[error(
        "the range {range} is not bounded; state the largest number of rows, or choose bounds and \
         clamp the value to them (clamping never adds sensitivity)"
    )]
    Unbounded {
        /// The range, for example `[0, ∞)`.
        range: String,
    },
}

fn too_few(statistic: &str, needed: u64, rows: u64, public: bool) -> String {
    let least = |n: u64| format!("{n} row{}", if n == 1 { "" } else { "s" });
    let needs = format!("a {statistic} needs at least {}", least(needed));
    if public {
        return format!(
            "{needs}, and there is {}; add rows, or choose another statistic",
            least(rows)
        );
    }
    format!(
        "{needs}, and a data set may have {rows}; promise at least {needed} if that is public \
         knowledge, use change-one if the number of rows is public, or release sums and counts and \
         divide"
    )
}
