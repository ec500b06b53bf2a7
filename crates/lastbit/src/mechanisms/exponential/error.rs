use lastbit_noise::entropy::EntropyError;

/// Why nothing was selected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// No candidate at all, or only runs of length 0.
    #[error("there is no candidate to select from; give at least one")]
    Empty,
    /// NaN or an infinity.
    #[error(
        "the score of candidate {index} is {value}, and scores must be finite; clamp the scores \
         to public bounds"
    )]
    NotFinite {
        /// Which candidate, from 0.
        index: usize,
        /// Its score.
        value: f64,
    },
    /// More winners wanted than there are candidates.
    #[error("asked for the top {wanted} of {candidates} candidates; ask for at most {candidates}")]
    TooMany {
        /// How many were asked for.
        wanted: usize,
        /// How many there are.
        candidates: usize,
    },
    /// Scores without a public number of candidates, or with too few.
    #[error(
        "the number of candidates is public and at least {least}; give the domain of the scores \
         that size with `with_size`"
    )]
    SizeNeeded {
        /// The least number of candidates.
        least: usize,
    },
    /// The entropy source failed.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}
