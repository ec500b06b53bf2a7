//! Laplace noise rounded to a grid, with exactly the law of real Laplace noise rounded to that
//! grid.

mod kernel;
mod law;

pub use law::laplace_mass;

use lastbit_exact::{Integer, Rational, Rounding};
use lastbit_lanes::Lanes;

use crate::entropy::{Entropy, EntropyError};
use crate::grid::cell_between;
use crate::{GridExponent, LazyUniform, ScaleError, check_scale};

/// Draws `⌊location + S·scale·(−ln U)⌉` on the grid of multiples of `2^grid_exponent`, counted in
/// steps of the grid.
///
/// Ties go toward +∞. `S` is a fair sign and `U` a real uniform on (0, 1), both drawn bit by bit as
/// needed: the law is exactly that of the real-valued formula ([`Laplace::cell_probability`]).
///
/// ```
/// use lastbit_exact::Rational;
/// use lastbit_noise::{Laplace, entropy::System};
/// let noise = Laplace::new(&Rational::new(3, 10), -2)?;           // scale 0.3, grid 1/4
/// let steps = noise.draw(&Rational::from(5i64), &mut System::default())?;
/// println!("5 + noise, in quarters: {steps}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Time.** The first tier runs the same instructions for every word and location, and reads no
/// table. A draw that falls too near the edge of a cell goes to the second tier, whose time depends
/// on the draw: about one in 2^44, and more often for large locations: about `2^-50·M` at M steps
/// (one in 2^40 at a thousand steps, one in 2^20 at 2^30). So the time of many draws shows how far
/// away a location of very many steps is. Locations or grids beyond 2^50 steps always take the
/// second.
///
/// **Mode.** The law rests on the floating-point mode of the thread that draws, which `new` checks
/// for its own thread alone ([`lastbit_exact::environment::check`]). Draw in threads that keep the
/// default mode, or check there; measurements and snapping do so at each call.
#[derive(Clone, Debug)]
pub struct Laplace {
    /// The scale in steps of the grid.
    ratio: Rational,
    /// `ratio` rounded to nearest; NaN, which sends every draw to the second tier, where that has
    /// no relative bound.
    ratio_f64: f64,
    grid_exponent: i64,
    /// Bits of `U` with which the second tier begins.
    first_bits: usize,
}

impl Laplace {
    /// How many draws [`Laplace::try_block`] makes at once.
    pub const BLOCK: usize = kernel::BLOCK;

    /// Noise of this scale on the grid of multiples of `2^grid_exponent`.
    pub fn new(
        scale: &Rational,
        grid_exponent: impl TryInto<GridExponent, Error: Into<ScaleError>>,
    ) -> Result<Laplace, ScaleError> {
        check_scale(scale)?;
        let grid_exponent = grid_exponent.try_into().map_err(Into::into)?.get();
        let ratio = scale.times_power_of_two(-grid_exponent);
        let ratio_f64 = match ratio.to_f64(Rounding::NearestEven) {
            // Normal, with room for the products of the kernel.
            r if (1e-290..1e290).contains(&r) => r,
            _ => f64::NAN,
        };
        // An error of 2^-64 steps decides nearly all.
        let magnitude = ratio.ceil_log2().unwrap_or(0).max(0) as usize;
        Ok(Laplace {
            ratio,
            ratio_f64,
            grid_exponent,
            first_bits: magnitude + 96,
        })
    }

    /// The scale counted in steps of the grid.
    pub fn scale_in_steps(&self) -> &Rational {
        &self.ratio
    }

    /// One draw around `location`, in steps.
    ///
    /// In a thread of the default floating-point mode: see [`Laplace`].
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

    /// [`Laplace::resolve`] around a location that is not yet counted in steps.
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
    /// `steps`; an integer below 2^51. `None`: go on with [`Laplace::resolve`] and the same word.
    #[inline]
    pub fn try_cell(&self, word: u64, steps: f64, error: f64) -> Option<f64> {
        kernel::single(word, steps, error, self.ratio_f64)
    }

    /// [`Laplace::try_cell`] for a block; `false` if some draw is undecided (the others are right
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
        let negative = word >> 63 == 1;
        let mut uniform = LazyUniform::with_prefix(word << 1 >> 1, kernel::UNIFORM_BITS);
        let mut bits = self.first_bits;
        loop {
            uniform.refine_to(bits, entropy)?;
            if let Some((near, far)) = uniform.negative_ln(bits as u32) {
                let near = &self.ratio * &Rational::from(near);
                let far = &self.ratio * &Rational::from(far);
                if let Some(cell) = cell_between(steps, negative, &near, &far) {
                    return Ok(cell);
                }
            }
            bits *= 2;
        }
    }
}
