//! Random words: the [`Entropy`] trait, its one error, and the operating system behind [`System`].

mod key_erasure;
mod keystream;
mod system;

pub use system::System;

/// A source of independent uniform 64-bit words.
///
/// Samplers read bits from the most significant bit of the first word on.
///
/// ```
/// use lastbit_noise::entropy::{Entropy, EntropyError, System};
/// fn fair_sign(entropy: &mut impl Entropy) -> Result<i32, EntropyError> {
///     Ok(if entropy.word()? >> 63 == 0 { 1 } else { -1 })
/// }
/// assert_eq!(fair_sign(&mut System::default())?.abs(), 1);
/// # Ok::<(), EntropyError>(())
/// ```
pub trait Entropy {
    /// Overwrites every word with a fresh uniform one. After an error the words are unspecified and
    /// must not be used.
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError>;

    /// One fresh uniform word.
    fn word(&mut self) -> Result<u64, EntropyError> {
        let mut word = [0];
        self.fill(&mut word)?;
        Ok(word[0])
    }
}

impl<E: Entropy + ?Sized> Entropy for &mut E {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        (**self).fill(words)
    }

    fn word(&mut self) -> Result<u64, EntropyError> {
        (**self).word()
    }
}

/// No randomness could be had, so nothing was drawn.
///
/// ```
/// use lastbit_noise::entropy::EntropyError;
/// assert!(EntropyError::exhausted().is_exhausted());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct EntropyError(
    // Boxed for the sake of success: a pointer is as wide as a word, so `Result<u64, EntropyError>`
    // fits two registers.
    Box<Kind>,
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Kind {
    #[error(
        "the operating system gave no randomness, so nothing was drawn; allow the getrandom \
         system call or /dev/urandom, then try again"
    )]
    OperatingSystem(#[source] getrandom::Error),
    #[error("the entropy source has no words left; give it more, or draw from the system")]
    Exhausted,
}

impl EntropyError {
    /// The error of a finite source that has no words left.
    pub fn exhausted() -> EntropyError {
        EntropyError(Box::new(Kind::Exhausted))
    }

    /// Whether a finite source ran out.
    pub fn is_exhausted(&self) -> bool {
        matches!(*self.0, Kind::Exhausted)
    }

    /// Whether the operating system refused.
    pub fn is_operating_system(&self) -> bool {
        matches!(*self.0, Kind::OperatingSystem(_))
    }

    fn operating_system(source: getrandom::Error) -> EntropyError {
        EntropyError(Box::new(Kind::OperatingSystem(source)))
    }
}
