use core::fmt::Debug;

use lastbit_exact::{Dyadic, Integer, Interval, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, EntropyError};
use lastbit_noise::{Gaussian, GridExponent, Laplace};

use super::NoisyNumber;
use super::value::NoiseGrid;
use crate::Error;

/// Noise that can be added to numbers of type `T`.
pub trait Draw<T: NoisyNumber>: Debug + Send + Sync + 'static {
    /// The noisy number.
    fn one(&self, value: &T, entropy: &mut dyn Entropy) -> Result<T::Output, Error>;

    /// The noisy numbers, each with noise of its own, given one by one to `publish`.
    fn many<'a>(
        &self,
        values: impl Iterator<Item = &'a T>,
        entropy: &mut dyn Entropy,
        mut publish: impl FnMut(T::Output),
    ) -> Result<(), Error> {
        for value in values {
            publish(self.one(value, entropy)?);
        }
        Ok(())
    }
}

/// How many draws [`GridNoise::try_block`] makes at once.
const BLOCK: usize = 64;

/// A sampler of real noise rounded to a grid, in two tiers: see [`Laplace`] and [`Gaussian`].
pub trait GridNoise: Debug + Send + Sync + 'static {
    /// First tier: an integer below 2^51, or undecided.
    fn try_cell(&self, word: u64, steps: f64, error: f64) -> Option<f64>;

    /// First tier for a block; `false` if some draw is undecided.
    fn try_block(
        &self,
        words: &[u64; BLOCK],
        steps: &[f64; BLOCK],
        error: f64,
        cells: &mut [f64; BLOCK],
    ) -> bool;

    /// Second tier, around the exact location.
    fn resolve(
        &self,
        word: u64,
        location: &Rational,
        entropy: &mut dyn Entropy,
    ) -> Result<Integer, EntropyError>;

    /// `P(noisy location ≤ cell)`, enclosed.
    fn cumulative(&self, location: &Rational, cell: &Integer) -> Interval;
}

macro_rules! grid_noise {
    ($type:ty) => {
        impl GridNoise for $type {
            #[inline]
            fn try_cell(&self, word: u64, steps: f64, error: f64) -> Option<f64> {
                <$type>::try_cell(self, word, steps, error)
            }

            #[inline]
            fn try_block(
                &self,
                words: &[u64; BLOCK],
                steps: &[f64; BLOCK],
                error: f64,
                cells: &mut [f64; BLOCK],
            ) -> bool {
                <$type>::try_block(self, words, steps, error, cells)
            }

            fn resolve(
                &self,
                word: u64,
                location: &Rational,
                mut entropy: &mut dyn Entropy,
            ) -> Result<Integer, EntropyError> {
                self.resolve_at(word, location, &mut entropy)
            }

            fn cumulative(&self, location: &Rational, cell: &Integer) -> Interval {
                self.cumulative_probability(location, cell)
            }
        }
    };
}
grid_noise!(Laplace);
grid_noise!(Gaussian);

/// Real noise around a value, rounded to the multiples of a power of two.
#[derive(Clone, Debug)]
pub struct OnGrid<N> {
    noise: N,
    grid: NoiseGrid,
}

impl<N: GridNoise> OnGrid<N> {
    /// A sampler that was made for a grid, which is one for numbers of type
    /// `T`.
    pub(in super::super) fn new<T: NoisyNumber>(
        noise: N,
        grid: GridExponent,
    ) -> Result<OnGrid<N>, Error> {
        T::check_grid(grid.get())?;
        Ok(OnGrid {
            noise,
            grid: NoiseGrid::new(grid.get()),
        })
    }

    /// The cells of noisy numbers, each with noise of its own, given one by one to `publish`.
    pub(in super::super) fn cells<'a, T: NoisyNumber>(
        &self,
        mut values: impl Iterator<Item = &'a T>,
        entropy: &mut dyn Entropy,
        mut publish: impl FnMut(GridPoint),
    ) -> Result<(), Error> {
        let mut words = [0; BLOCK];
        let mut steps = [0.0; BLOCK];
        let mut cells = [0.0; BLOCK];
        let mut block: Vec<&T> = Vec::with_capacity(BLOCK);
        loop {
            block.clear();
            block.extend(values.by_ref().take(BLOCK));
            if block.is_empty() {
                return Ok(());
            }
            entropy.fill(&mut words[..block.len()])?;
            let mut error = 0.0f64;
            for (value, place) in block.iter().zip(&mut steps) {
                let (location, its_error) = value.in_steps(&self.grid);
                *place = location;
                // A NaN is not kept by `max`; its location is then NaN too, and undecided.
                error = error.max(its_error);
            }
            if self.noise.try_block(&words, &steps, error, &mut cells) {
                for cell in &cells[..block.len()] {
                    publish(GridPoint::Small(*cell));
                }
                continue;
            }
            for ((word, steps), value) in words.iter().zip(&steps).zip(&block) {
                publish(match self.noise.try_cell(*word, *steps, error) {
                    Some(cell) => GridPoint::Small(cell),
                    None => self.resolve(*word, *value, entropy)?,
                });
            }
        }
    }

    /// The number that is published for a cell.
    #[inline]
    pub(in super::super) fn output<T: NoisyNumber>(&self, cell: &GridPoint) -> T::Output {
        match cell {
            GridPoint::Small(cell) => T::from_small_cell(*cell, &self.grid),
            GridPoint::Big(cell) => T::from_cell(cell, &self.grid),
        }
    }

    /// The second tier.
    #[cold]
    fn resolve<T: NoisyNumber>(
        &self,
        word: u64,
        value: &T,
        entropy: &mut dyn Entropy,
    ) -> Result<GridPoint, Error> {
        let location = value.to_rational().ok_or_else(not_a_number)?;
        Ok(GridPoint::Big(
            self.noise.resolve(word, &location, entropy)?,
        ))
    }
}

/// A place on the grid, counted in steps.
pub enum GridPoint {
    /// From the first tier: an integer below 2^51.
    Small(f64),
    /// From the second tier.
    Big(Integer),
}

/// A public number of steps that cells are compared with.
#[derive(Clone, Debug)]
pub struct Bar {
    exact: Integer,
    /// Rounded up. If that is not exact, the bar is beyond 2^53, and a small cell lies on the same
    /// side of both.
    small: f64,
}

impl Bar {
    pub(in super::super) fn new(exact: Integer) -> Bar {
        let small = Dyadic::from(exact.clone()).to_f64(Rounding::Up);
        Bar { exact, small }
    }

    /// Whether the cell is at or above the bar.
    #[inline]
    pub(in super::super) fn is_reached(&self, cell: &GridPoint) -> bool {
        match cell {
            GridPoint::Small(cell) => *cell >= self.small,
            GridPoint::Big(cell) => *cell >= self.exact,
        }
    }

    /// The number of steps.
    pub(in super::super) fn steps(&self) -> &Integer {
        &self.exact
    }
}

impl<T: NoisyNumber, N: GridNoise> Draw<T> for OnGrid<N> {
    #[inline]
    fn one(&self, value: &T, entropy: &mut dyn Entropy) -> Result<T::Output, Error> {
        let word = entropy.word()?;
        let (steps, error) = value.in_steps(&self.grid);
        let cell = match self.noise.try_cell(word, steps, error) {
            Some(cell) => GridPoint::Small(cell),
            None => self.resolve(word, value, entropy)?,
        };
        Ok(self.output::<T>(&cell))
    }

    fn many<'a>(
        &self,
        values: impl Iterator<Item = &'a T>,
        entropy: &mut dyn Entropy,
        mut publish: impl FnMut(T::Output),
    ) -> Result<(), Error> {
        self.cells(values, entropy, |cell| publish(self.output::<T>(&cell)))
    }
}

/// No domain with a metric of differences holds such a value, so that this is a second line of
/// defence.
fn not_a_number() -> Error {
    Error::unbounded(
        "noise cannot be added to NaN and infinities; clamp the values and replace the nulls first",
    )
}
