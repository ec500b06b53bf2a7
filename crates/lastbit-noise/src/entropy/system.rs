use super::key_erasure::{KeyErasure, Source};
use super::keystream::Cipher;
use super::{Entropy, EntropyError};

/// The thread's own generator, seeded by the operating system: AES-256 where the processor has
/// instructions for it, else ChaCha20.
///
/// A handle of size zero: copies draw from the same generator in the same thread, and threads share
/// nothing. There is no way to choose a seed.
///
/// - *Seeds* are 256 bits from the operating system, at the first draw, again after each 1 MiB of
///   output, and in a child after `fork` ([`lastbit_fork::generation`]) before its first word.
/// - *Erasure.* Words are zeroed when handed out, and the key that made them is replaced before
///   they are; both are zeroed when the thread ends. Copies that the compiler leaves on the stack
///   are out of reach.
/// - *Failure.* When the operating system refuses a seed, the draw fails, the old state is erased,
///   and every draw fails until a seed is had.
/// - *Signal handlers* must not draw: one that interrupts a draw in its own thread would share its
///   word.
/// - *Time* depends on how many words were drawn before, never on their values.
///
/// ```
/// use lastbit_noise::entropy::{Entropy, System};
/// let mut entropy = System::default();
/// assert_ne!(entropy.word()?, entropy.word()?);
/// # Ok::<(), lastbit_noise::entropy::EntropyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct System(());

thread_local! {
    static GENERATOR: KeyErasure<OperatingSystem> = const { KeyErasure::new(OperatingSystem) };
}

impl Entropy for System {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        match GENERATOR.try_with(|generator| generator.fill(words)) {
            Ok(filled) => filled,
            Err(_) => KeyErasure::new(OperatingSystem).fill(words),
        }
    }

    #[inline]
    fn word(&mut self) -> Result<u64, EntropyError> {
        match GENERATOR.try_with(KeyErasure::word) {
            Ok(word) => word,
            Err(_) => word_of_ending_thread(),
        }
    }
}

/// The thread's generator is already erased: a word from a generator of its own.
#[cold]
fn word_of_ending_thread() -> Result<u64, EntropyError> {
    KeyErasure::new(OperatingSystem).word()
}

struct OperatingSystem;

impl Source for OperatingSystem {
    fn seed(&self, key: &mut [u8; 32]) -> Result<(), EntropyError> {
        getrandom::fill(key).map_err(EntropyError::operating_system)
    }

    #[inline]
    fn generation(&self) -> u64 {
        lastbit_fork::generation()
    }

    fn cipher(&self) -> Cipher {
        Cipher::of_this_processor()
    }
}
