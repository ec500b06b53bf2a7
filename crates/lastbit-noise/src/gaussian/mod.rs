//! Normal noise rounded to a grid, with exactly the law of real normal noise rounded to that grid.

mod deviation;
mod kernel;
mod law;
mod quantile;
mod table;
mod tail;
#[cfg(test)]
mod tests;

pub use law::gaussian_mass;

use lastbit_exact::{Integer, Rational, Rounding};
use lastbit_lanes::Lanes;

use crate::entropy::{Entropy, EntropyError};
use crate::grid::cell_between;
use crate::{
    GRID_EXPONENT_LIMIT, GridExponent, LazyUniform, ScaleError, check_scale, check_scale_within,
};

use deviation::Deviation;

/// Draws `⌊location + σ·Z⌉` on the grid of multiples of `2^grid_exponent`, counted in steps of the
/// grid.
///
/// Ties go toward +∞. `Z` is a real standard normal: `Z = Φ⁻¹(U)` for a real uniform `U` on (0, 1),
/// drawn bit by bit as needed. So the law is exactly that of the real-valued formula
/// ([`Gaussian::cell_probability`]), and the draw is monotone in the bits.
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_noise::{Gaussian, entropy::System};
/// let noise = Gaussian::new(&Rational::new(3, 10), -2)?;          // σ = 0.3, grid 1/4
/// let steps = noise.draw(&Rational::from(5i64), &mut System::default())?;
/// println!("5 + noise, in quarters: {steps}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Time and words.** A draw reads one word of entropy. The first tier has no branch on the word
/// or the location; its one table lookup (10 kB) is at an address that depends on the noise. About
/// one draw in 2^40 is not decided there, because `|Z| > 7.3`, or because the sum is very near the
/// edge of a cell; the second tier, some 100 µs, reads one or two words more, and its time depends
/// on the draw. More draws go there, in proportion, if the noise or the location has more than 2^7
/// or 2^10 steps; and if the grid is coarser than `2^10·σ`, for locations halfway between two
/// points of it. All do where either reaches 2^50 steps.
///
/// **Mode.** The law rests on the floating-point mode of the thread that draws, which `new` checks
/// for its own thread alone ([`lastbit_exact::environment::check`]). Draw in threads that keep the
/// default mode, or check there; measurements and snapping do so at each call.
#[derive(Clone, Debug)]
pub struct Gaussian {
    /// `σ` in steps of the grid.
    deviation: Deviation,
    /// `σ` rounded to nearest; NaN, which sends every draw to the second tier, where that has no
    /// relative bound.
    ratio_f64: f64,
    grid_exponent: i64,
    /// Bits of `Z` with which the second tier begins.
    first_bits: usize,
}

impl Gaussian {
    /// How many draws [`Gaussian::try_block`] makes at once.
    pub const BLOCK: usize = kernel::BLOCK;

    /// Noise of this standard deviation on the grid of multiples of `2^grid_exponent`.
    pub fn new(
        sigma: &Rational,
        grid_exponent: impl TryInto<GridExponent, Error: Into<ScaleError>>,
    ) -> Result<Gaussian, ScaleError> {
        check_scale(sigma)?;
        let grid_exponent = grid_exponent.try_into().map_err(Into::into)?.get();
        let in_steps = sigma.times_power_of_two(-grid_exponent);
        Ok(Gaussian::with(Deviation::Rational(in_steps), grid_exponent))
    }

    /// Noise of this variance, whose root need not be rational, on the grid of multiples of
    /// `2^grid_exponent`.
    ///
    /// ```
    /// use lastbit_exact::Rational;
    /// use lastbit_noise::{Gaussian, entropy::System};
    /// let noise = Gaussian::with_variance(&Rational::from(2i64), 0)?;  // σ = √2
    /// noise.draw(&Rational::ZERO, &mut System::default())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_variance(
        variance: &Rational,
        grid_exponent: impl TryInto<GridExponent, Error: Into<ScaleError>>,
    ) -> Result<Gaussian, ScaleError> {
        check_scale_within(variance, 2 * GRID_EXPONENT_LIMIT)?;
        let grid_exponent = grid_exponent.try_into().map_err(Into::into)?.get();
        let in_steps = variance.times_power_of_two(-2 * grid_exponent);
        Ok(Gaussian::with(
            Deviation::of_variance(&in_steps),
            grid_exponent,
        ))
    }

    fn with(deviation: Deviation, grid_exponent: i64) -> Gaussian {
        let ratio_f64 = match deviation.to_f64() {
            // Normal, with room for the products of the kernel.
            r if (1e-290..1e290).contains(&r) => r,
            _ => f64::NAN,
        };
        // An error of 2^-64 steps decides nearly all.
        let first_bits = deviation.magnitude() + 64;
        Gaussian {
            deviation,
            ratio_f64,
            grid_exponent,
            first_bits,
        }
    }

    /// One draw around `location`, in steps.
    ///
    /// In a thread of the default floating-point mode: see [`Gaussian`].
    pub fn draw(
        &self,
        location: &Rational,
        entropy: &mut impl Entropy,
    ) -> Result<Integer, EntropyError> {
        let steps = location.times_power_of_two(-self.grid_exponent);
        let word = entropy.word()?;
        let approximate = steps.to_f64(Rounding::NearestEven);
        let error = approximate.abs() * f64::EPSILON;
        match self.try_cell(word, approximate, error) {
            Some(cell) => Ok(Integer::from(cell as i64)),
            None => self.resolve(word, &steps, entropy),
        }
    }

    /// [`Gaussian::resolve`] around a location that is not yet counted in steps.
    #[cold]
    pub fn resolve_at(
        &self,
        word: u64,
        location: &Rational,
        entropy: &mut impl Entropy,
    ) -> Result<Integer, EntropyError> {
        self.resolve(
            word,
            &location.times_power_of_two(-self.grid_exponent),
            entropy,
        )
    }

    /// First tier: the cell that `word` decides for every location, in steps, within `error` of
    /// `steps`; an integer below 2^51. `None`: go on with [`Gaussian::resolve`] and the same word.
    #[inline]
    pub fn try_cell(&self, word: u64, steps: f64, error: f64) -> Option<f64> {
        kernel::single(word, steps, error, self.ratio_f64)
    }

    /// [`Gaussian::try_cell`] for a block; `false` if some draw is undecided (the others are right
    /// all the same).
    #[inline]
    pub fn try_block(
        &self,
        words: &[u64; Self::BLOCK],
        steps: &[f64; Self::BLOCK],
        error: f64,
        cells: &mut [f64; Self::BLOCK],
    ) -> bool {
        Lanes::widest().run(kernel::Block {
            words,
            locations: steps,
            location_error: error,
            ratio: self.ratio_f64,
            cells,
        })
    }

    /// Second tier: the draw that begins with `word`, around the exact location in steps; more bits
    /// of the same `U` are drawn until the cell is certain.
    #[cold]
    pub fn resolve(
        &self,
        word: u64,
        steps: &Rational,
        entropy: &mut impl Entropy,
    ) -> Result<Integer, EntropyError> {
        let complement = kernel::complement(word);
        let mut entropy = Complemented {
            complement,
            entropy,
        };
        // The tail probability: Z = ±Q⁻¹(tail).
        let mut tail = LazyUniform::with_prefix(kernel::tail_bits(word), 64);
        let mut bits = self.first_bits;
        loop {
            // So many significant bits of the tail leave |Z| uncertain by about 2^-bits.
            while significant_bits(&tail) < bits + 2 {
                tail.refine_to(tail.length() + 1, &mut entropy)?;
            }
            let z = quantile::upper_quantiles(&tail.lower(), &tail.upper(), bits as u32);
            let (sigma_lo, sigma_hi) = self.deviation.bounds(bits as u32);
            let near = &sigma_lo * &Rational::from(z.lo());
            let far = &sigma_hi * &Rational::from(z.hi());
            if let Some(cell) = cell_between(steps, complement == 0, &near, &far) {
                return Ok(cell);
            }
            bits *= 2;
        }
    }
}

/// How many bits of the number are known from its first one on.
fn significant_bits(tail: &LazyUniform) -> usize {
    match tail.lower().floor_log2() {
        // top ≥ −length
        Some(top) => (tail.length() as i64 + top + 1) as usize,
        None => 0,
    }
}

/// A stream of which every bit is flipped, or none.
struct Complemented<'a, E> {
    complement: u64,
    entropy: &'a mut E,
}

impl<E: Entropy> Entropy for Complemented<'_, E> {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        self.entropy.fill(words)?;
        words.iter_mut().for_each(|word| *word ^= self.complement);
        Ok(())
    }
}
