//! The mechanism in exact arithmetic: real Laplace noise, rounded to the grid.

use lastbit_exact::{Rational, Rounding};
use lastbit_lanes::{Kernel, Lanes};
use lastbit_noise::Laplace;
use lastbit_noise::entropy::Entropy;

use super::place::Placement;
use super::setting::{Centring, Setting};
use super::{SnappingError, check_finite};

const BLOCK: usize = Laplace::BLOCK;

/// Words asked for at a time: some blocks of them.
const WORDS: usize = 8 * BLOCK;

/// What an exact release needs: all public.
#[derive(Clone, Debug)]
pub(super) struct ExactDraw {
    laplace: Laplace,
    centring: Centring,
    /// `2^-grid_exponent`; NaN, which sends every draw to the second tier, where that is no normal
    /// double.
    steps_per_unit: f64,
    /// How far the steps computed in doubles can be from the exact ones.
    steps_error: f64,
}

impl ExactDraw {
    pub(super) fn new(setting: &Setting) -> ExactDraw {
        let exponent = setting.grid_exponent.get();
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
        // `Centring` is off by at most 2^-51 of the largest bound; scaling by a power of two is
        // exact unless it underflows, which costs at most 2^-1074 steps.
        let steps_error = largest
            .times_power_of_two(-exponent - 51)
            .to_f64(Rounding::Up)
            .max(f64::MIN_POSITIVE);
        ExactDraw {
            laplace: Laplace::new(&setting.scale, exponent)
                .expect("a scale and a grid within the doubles"),
            centring: Centring::of(&setting.bounds),
            steps_per_unit,
            steps_error,
        }
    }

    /// One release of an exact value, clamped and centred.
    pub(super) fn draw(
        &self,
        place: &Placement,
        centred: &Rational,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        Ok(place.cell(&self.laplace.draw(centred, entropy)?))
    }

    /// One release of a finite double.
    #[inline]
    pub(super) fn draw_f64(
        &self,
        setting: &Setting,
        place: &Placement,
        value: f64,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        let word = entropy.word()?;
        let steps = self.centring.apply(value) * self.steps_per_unit;
        match self.laplace.try_cell(word, steps, self.steps_error) {
            Some(cell) => Ok(place.cell_f64(cell)),
            None => self.resolve_f64(setting, place, word, value, entropy),
        }
    }

    /// The second tier for a double. Apart, so that the first saves no registers for it.
    #[cold]
    #[inline(never)]
    fn resolve_f64(
        &self,
        setting: &Setting,
        place: &Placement,
        word: u64,
        value: f64,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        let centred = setting.centred(&check_finite(0, value)?);
        self.resolve(place, word, &centred, entropy)
    }

    /// One release for each of the finite doubles, in blocks.
    pub(super) fn draw_slice(
        &self,
        setting: &Setting,
        place: &Placement,
        values: &[f64],
        outputs: &mut [f64],
        entropy: &mut impl Entropy,
    ) -> Result<(), SnappingError> {
        self.blocks(
            place,
            self.steps_error,
            |first, locations| {
                Lanes::widest().run(Locate {
                    centring: &self.centring,
                    steps_per_unit: self.steps_per_unit,
                    values: &values[first..],
                    locations,
                });
            },
            |i| Ok(setting.centred(&check_finite(i, values[i])?)),
            outputs,
            entropy,
        )
    }

    /// Many releases of one exact value, clamped and centred, in blocks.
    pub(super) fn draw_repeated(
        &self,
        setting: &Setting,
        place: &Placement,
        centred: &Rational,
        outputs: &mut [f64],
        entropy: &mut impl Entropy,
    ) -> Result<(), SnappingError> {
        let steps = centred
            .times_power_of_two(-setting.grid_exponent.get())
            .to_f64(Rounding::NearestEven);
        self.blocks(
            place,
            steps.abs() * f64::EPSILON,
            |_, locations| locations.fill(steps),
            |_| Ok(centred.clone()),
            outputs,
            entropy,
        )
    }

    /// Fills `outputs` with draws. `locate` tells the locations of a block, in steps, from the
    /// number of its first on; each is within `error` of the exact location, `centred`.
    fn blocks(
        &self,
        place: &Placement,
        error: f64,
        locate: impl Fn(usize, &mut [f64]),
        centred: impl Fn(usize) -> Result<Rational, SnappingError>,
        outputs: &mut [f64],
        entropy: &mut impl Entropy,
    ) -> Result<(), SnappingError> {
        let mut words = [0u64; WORDS];
        let mut locations = [0.0; BLOCK];
        let mut cells = [0.0; BLOCK];
        let mut first = 0;
        for outputs in outputs.chunks_mut(WORDS) {
            entropy.fill(&mut words[..outputs.len()])?;
            let (words, _) = words.as_chunks::<BLOCK>();
            for (outputs, words) in outputs.chunks_mut(BLOCK).zip(words) {
                locate(first, &mut locations[..outputs.len()]);
                let decided = self.laplace.try_block(words, &locations, error, &mut cells);
                Lanes::widest().run(Place {
                    place,
                    cells: &cells,
                    outputs,
                });
                if !decided {
                    for (i, output) in outputs.iter_mut().enumerate() {
                        let (word, location) = (words[i], locations[i]);
                        if self.laplace.try_cell(word, location, error).is_none() {
                            *output = self.resolve(place, word, &centred(first + i)?, entropy)?;
                        }
                    }
                }
                first += outputs.len();
            }
        }
        Ok(())
    }

    /// The second tier, around the exact location.
    #[cold]
    fn resolve(
        &self,
        place: &Placement,
        word: u64,
        centred: &Rational,
        entropy: &mut impl Entropy,
    ) -> Result<f64, SnappingError> {
        let cell = self.laplace.resolve_at(word, centred, entropy)?;
        Ok(place.cell(&cell))
    }
}

/// The locations of values in steps.
struct Locate<'a> {
    centring: &'a Centring,
    steps_per_unit: f64,
    values: &'a [f64],
    locations: &'a mut [f64],
}

impl Kernel for Locate<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (centring, steps_per_unit) = (*self.centring, self.steps_per_unit);
        for (location, value) in self.locations.iter_mut().zip(self.values) {
            *location = centring.apply(*value) * steps_per_unit;
        }
    }
}

/// The outputs for cells.
struct Place<'a> {
    place: &'a Placement,
    cells: &'a [f64; BLOCK],
    outputs: &'a mut [f64],
}

impl Kernel for Place<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (output, cell) in self.outputs.iter_mut().zip(self.cells) {
            *output = self.place.cell_f64(*cell);
        }
    }
}
