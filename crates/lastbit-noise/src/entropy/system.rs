use super::{Entropy, EntropyError};

/// The operating system's randomness.
///
/// ```
/// use lastbit_noise::entropy::{Entropy, System};
/// let mut entropy = System::default();
/// assert_ne!(entropy.word()?, entropy.word()?);
/// # Ok::<(), lastbit_noise::entropy::EntropyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct System(());

impl Entropy for System {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        words.iter_mut().try_for_each(|word| {
            *word = getrandom::u64().map_err(EntropyError::operating_system)?;
            Ok(())
        })
    }
}
