//! From a cell of the grid to the double that is published: the outer clamp, and the centre added
//! back.

use lastbit_exact::{Dyadic, Integer, Rational, Rounding, Short, sum_to_f64};

use super::setting::Setting;

/// A public function from cells to doubles. Whatever it does is post-processing; it must only be
/// *one* function, so that the fast and the slow path publish the same double for the same cell.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    centre: f64,
    short_centre: Short,
    grid: f64,
    grid_exponent: i64,
    /// The first cell at or beyond B: `⌈B/Λ⌉`; if B is infinite, the first at or beyond 2^1023,
    /// where outputs saturate.
    top_cell: f64,
    top_cell_exact: Integer,
    top: f64,
    bottom: f64,
}

impl Placement {
    pub(super) fn new(setting: &Setting) -> Placement {
        let centre = setting.bounds.centre().to_f64(Rounding::NearestEven);
        let grid_exponent = setting.grid_exponent.get();
        let saturation = || Rational::ONE.times_power_of_two(1023);
        let bound = setting.bound.clone().unwrap_or_else(saturation);
        let top_cell_exact = bound.times_power_of_two(-grid_exponent).ceil();
        // Rounded up if it is no double: the fast path stays below 2^51 cells, so it never compares
        // equal then.
        let top_cell = Dyadic::from(top_cell_exact.clone()).to_f64(Rounding::Up);
        let mut place = Placement {
            centre,
            short_centre: Short::try_from(centre).expect("the centre of finite bounds"),
            grid: Dyadic::power_of_two(grid_exponent).to_f64(Rounding::NearestEven),
            grid_exponent,
            top_cell,
            top_cell_exact,
            top: f64::MAX,
            bottom: -f64::MAX,
        };
        if let Some(bound) = &setting.bound {
            place.top = place.centred(bound);
            place.bottom = place.centred(&-bound);
        }
        place
    }

    /// The output for a cell that is an integer below 2^51. `Λ·cell` is exact, and
    /// finite below the top; one rounding in the sum, which the check of the setting keeps finite.
    #[inline(always)]
    pub(super) fn cell_f64(&self, cell: f64) -> f64 {
        let inside = self.centre + cell * self.grid;
        let output = if cell >= self.top_cell {
            self.top
        } else {
            inside
        };
        let output = if cell <= -self.top_cell {
            self.bottom
        } else {
            output
        };
        output + 0.0 // −0.0 becomes +0.0
    }

    /// The same function for any cell.
    pub(super) fn cell(&self, cell: &Integer) -> f64 {
        if *cell >= self.top_cell_exact {
            return self.top;
        }
        if *cell <= -&self.top_cell_exact {
            return self.bottom;
        }
        self.sum(&Dyadic::new(cell.clone(), self.grid_exponent))
    }

    /// The output for a number of binary64 mode in steps of the grid, which is clamped already.
    #[inline]
    pub(super) fn steps_f64(&self, steps: f64) -> f64 {
        self.centre + steps * self.grid + 0.0
    }

    /// The output for a centred number of multi mode, which is clamped already.
    pub(super) fn centred_dyadic(&self, value: &Dyadic) -> f64 {
        self.sum(value)
    }

    /// The same function for a number in limbs.
    #[inline]
    pub(super) fn centred_short(&self, value: &Short) -> f64 {
        sum_to_f64(&self.short_centre, value)
    }

    /// The output for a point of the law: a multiple of the grid, or ±B.
    pub(super) fn centred(&self, value: &Rational) -> f64 {
        match value.to_dyadic() {
            Some(value) => self.sum(&value),
            None => (value + &self.exact_centre()).to_f64(Rounding::NearestEven),
        }
    }

    fn exact_centre(&self) -> Rational {
        Rational::try_from(self.centre).expect("the centre of finite bounds")
    }

    fn sum(&self, value: &Dyadic) -> f64 {
        let centre = Dyadic::try_from(self.centre).expect("the centre of finite bounds");
        (&centre + value).to_f64(Rounding::NearestEven)
    }
}
