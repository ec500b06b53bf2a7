//! The geometric distribution, as the whole part of an exponential.

use lastbit_exact::{Integer, Interval, Rational};

use crate::entropy::{Entropy, EntropyError};
use crate::{Laplace, ScaleError};

/// `P(k) = (1 − e^(-1/scale))·e^(-k/scale)`, `k = 0, 1, 2, …`: exactly the law of
/// `⌊scale·(−ln U)⌋`.
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_noise::{Geometric, entropy::System};
/// let waiting = Geometric::new(&Rational::from(2i64))?.draw(&mut System::default())?;
/// assert!(waiting >= 0.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Geometric {
    /// One-sided use of the two-sided sampler: with a positive sign,
    /// `⌊−½ + scale·(−ln U)⌉ = ⌊scale·(−ln U)⌋`.
    laplace: Laplace,
}

impl Geometric {
    /// The distribution with ratio `e^(-1/scale)`.
    pub fn new(scale: &Rational) -> Result<Geometric, ScaleError> {
        Ok(Geometric {
            laplace: Laplace::new(scale, 0)?,
        })
    }

    /// One draw.
    pub fn draw(&self, entropy: &mut impl Entropy) -> Result<Integer, EntropyError> {
        let word = entropy.word()? & (u64::MAX >> 1);
        match self.laplace.try_cell(word, -0.5, 0.0) {
            Some(cell) => Ok(Integer::from(cell as i64)),
            None => self.laplace.resolve(word, &Rational::new(-1, 2), entropy),
        }
    }

    /// `P(draw = k)`, enclosed; zero for `k < 0`.
    pub fn probability(&self, k: &Integer) -> Interval {
        if *k < Integer::ZERO {
            return Interval::point(0.0);
        }
        let scale = self.laplace.scale_in_steps();
        let decay = Interval::from_rational(&-(&Rational::from(k.clone()) / scale)).exp();
        let step = -Interval::from_rational(&-(&Rational::ONE / scale)).exp_m1();
        decay * step
    }
}
