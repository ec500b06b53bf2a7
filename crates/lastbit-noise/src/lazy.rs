//! A uniform real that is known to as many bits as were asked for.

use lastbit_exact::{Dyadic, Integer, Natural, ln_enclosure};

use crate::entropy::{Entropy, EntropyError};

/// A real number `U`, uniform on (0, 1), of which the first bits have been drawn:
/// `lower ≤ U ≤ upper`.
///
/// A sampler evaluates its function on the enclosure; when that does not decide the answer, it asks
/// for more bits of the *same* `U`. The answer is then a function of a real uniform, so its law is
/// that of the real-valued function.
///
/// ```
/// use lastbit_exact::Dyadic;
/// use lastbit_noise::LazyUniform;
/// let uniform = LazyUniform::with_prefix(0b101, 3);
/// assert_eq!(uniform.lower(), Dyadic::new(5, -3));
/// assert_eq!(uniform.upper(), Dyadic::new(6, -3));
/// ```
#[derive(Clone, Debug)]
pub struct LazyUniform {
    bits: Natural,
    length: usize,
}

impl LazyUniform {
    /// A uniform whose first `length` bits are the low `length` bits of `prefix`.
    pub fn with_prefix(prefix: u64, length: u32) -> LazyUniform {
        debug_assert!(length == 64 || prefix >> length == 0);
        LazyUniform {
            bits: Natural::from(prefix),
            length: length as usize,
        }
    }

    /// A uniform of which 64 bits are drawn.
    pub fn draw(entropy: &mut impl Entropy) -> Result<LazyUniform, EntropyError> {
        Ok(LazyUniform::with_prefix(entropy.word()?, 64))
    }

    /// Draws bits until at least `length` are known.
    pub fn refine_to(
        &mut self,
        length: usize,
        entropy: &mut impl Entropy,
    ) -> Result<(), EntropyError> {
        while self.length < length {
            self.bits = (&self.bits << 64) | Natural::from(entropy.word()?);
            self.length += 64;
        }
        Ok(())
    }

    /// How many bits are known.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The largest dyadic known to be at or below `U`.
    pub fn lower(&self) -> Dyadic {
        Dyadic::new(Integer::from(self.bits.clone()), -(self.length as i64))
    }

    /// The smallest dyadic known to be at or above `U`.
    pub fn upper(&self) -> Dyadic {
        Dyadic::new(
            Integer::from(&self.bits + Natural::ONE),
            -(self.length as i64),
        )
    }

    /// Encloses `−ln U`: `low ≤ −ln U ≤ high`, each end within `2^-precision` of the logarithm of
    /// an end of the enclosure of `U`. `None` while only zeros were drawn, as there is no upper end
    /// yet.
    pub fn negative_ln(&self, precision: u32) -> Option<(Dyadic, Dyadic)> {
        if self.bits.is_zero() {
            return None;
        }
        let low = -ln_enclosure(&self.upper(), precision).hi();
        let high = -ln_enclosure(&self.lower(), precision).lo();
        Some((low, high))
    }
}
