//! The mechanism in exact arithmetic: real Laplace noise, rounded to the grid.

use lastbit_exact::{Rational, Rounding};
use lastbit_noise::Laplace;
use lastbit_noise::entropy::Entropy;

use super::place::Place;
use super::setting::{Centring, Setting};
use super::{Error, check_finite};

const BLOCK: usize = Laplace::BLOCK;

/// What an exact release needs: all public.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    laplace: Laplace,
    centring: Centring,
    /// `2^-grid_exponent`; NaN, which sends every draw to the second tier, where that is no normal double.
    steps_per_unit: f64,
    /// How far the steps computed in doubles can be from the exact ones.
    steps_error: f64,
}

impl Exact {
    pub(super) fn new(setting: &Setting) -> Exact {
        let exponent = setting.grid_exponent;
        let steps_per_unit = if (-1000..=1000).contains(&exponent) {
            f64::from_bits(((1023 - exponent) as u64) << 52)
        } else {
            f64::NAN
        };
        let largest = setting
            .bounds
            .lower()
            .abs()
            .max(setting.bounds.upper().abs());
        // `Centring` is off by at most 2^-51 of the largest bound; scaling by a power of two is exact unless it underflows,
        // which costs at most 2^-1074 steps.
        let steps_error = largest
            .scale(-exponent - 51)
            .to_f64(Rounding::Up)
            .max(f64::MIN_POSITIVE);
        Exact {
            laplace: Laplace::new(&setting.scale, exponent).expect("a scale is positive"),
            centring: Centring::of(&setting.bounds),
            steps_per_unit,
            steps_error,
        }
    }

    /// One release of an exact value, clamped and centred.
    pub(super) fn release(
        &self,
        place: &Place,
        centred: &Rational,
        entropy: &mut impl Entropy,
    ) -> Result<f64, Error> {
        Ok(place.cell(&self.laplace.sample(centred, entropy)?))
    }

    /// One release of a finite double.
    #[inline]
    pub(super) fn release_f64(
        &self,
        setting: &Setting,
        place: &Place,
        value: f64,
        entropy: &mut impl Entropy,
    ) -> Result<f64, Error> {
        let word = entropy.word()?;
        let steps = self.centring.apply(value) * self.steps_per_unit;
        match self.laplace.try_cell(word, steps, self.steps_error) {
            Some(cell) => Ok(place.cell_f64(cell)),
            None => self.resolve(setting, place, word, value, entropy),
        }
    }

    /// One release for each of the finite doubles, in blocks.
    pub(super) fn release_slice(
        &self,
        setting: &Setting,
        place: &Place,
        values: &[f64],
        outputs: &mut [f64],
        entropy: &mut impl Entropy,
    ) -> Result<(), Error> {
        let mut words = [0u64; BLOCK];
        let mut steps = [0.0; BLOCK];
        let mut cells = [0.0; BLOCK];
        for (values, outputs) in values.chunks(BLOCK).zip(outputs.chunks_mut(BLOCK)) {
            let n = values.len();
            entropy.fill(&mut words[..n])?;
            for (steps, value) in steps.iter_mut().zip(values) {
                *steps = self.centring.apply(*value) * self.steps_per_unit;
            }
            let decided = self
                .laplace
                .try_block(&words, &steps, self.steps_error, &mut cells);
            for (output, cell) in outputs.iter_mut().zip(&cells) {
                *output = place.cell_f64(*cell);
            }
            if !decided {
                for i in 0..n {
                    let undecided = self
                        .laplace
                        .try_cell(words[i], steps[i], self.steps_error)
                        .is_none();
                    if undecided {
                        outputs[i] = self.resolve(setting, place, words[i], values[i], entropy)?;
                    }
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn resolve(
        &self,
        setting: &Setting,
        place: &Place,
        word: u64,
        value: f64,
        entropy: &mut impl Entropy,
    ) -> Result<f64, Error> {
        let centred = setting.centred(&check_finite(0, value)?);
        let steps = centred.scale(-setting.grid_exponent);
        let cell = self.laplace.resolve(word, &steps, entropy)?;
        Ok(place.cell(&cell))
    }
}
