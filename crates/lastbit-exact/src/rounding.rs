use crate::Natural;

/// Where a real number goes when it does not fit a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest representable number; a tie goes to the one with an even last bit.
    NearestEven,
    /// Toward +∞: `result ≥ exact`.
    Up,
    /// Toward −∞: `result ≤ exact`.
    Down,
    /// Toward zero: `|result| ≤ |exact|`.
    TowardZero,
}

impl Rounding {
    /// All four directions, for tests and tables.
    pub const ALL: [Rounding; 4] = [
        Rounding::NearestEven,
        Rounding::Up,
        Rounding::Down,
        Rounding::TowardZero,
    ];

    /// The direction that the magnitude of a number of this sign takes.
    pub(crate) fn of_magnitude(self, negative: bool) -> Magnitude {
        match (self, negative) {
            (Rounding::NearestEven, _) => Magnitude::NearestEven,
            (Rounding::Up, false) | (Rounding::Down, true) => Magnitude::Away,
            _ => Magnitude::Truncate,
        }
    }
}

/// A rounding direction as seen by a magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Magnitude {
    NearestEven,
    Away,
    Truncate,
}

impl Magnitude {
    /// Whether `kept + fraction`, `0 ≤ fraction < 1`, rounds to `kept + 1`.
    ///
    /// `against_half` orders the fraction against one half; `inexact` says that it is not zero.
    pub(crate) fn increments(
        self,
        kept_is_odd: bool,
        against_half: core::cmp::Ordering,
        inexact: bool,
    ) -> bool {
        use core::cmp::Ordering::*;
        match self {
            Magnitude::Truncate => false,
            Magnitude::Away => inexact,
            Magnitude::NearestEven => match against_half {
                Less => false,
                Greater => true,
                Equal => kept_is_odd,
            },
        }
    }
}

/// `magnitude / 2^drop` rounded to an integer.
pub(crate) fn shift_right_rounded(
    magnitude: &Natural,
    drop: usize,
    direction: Magnitude,
) -> Natural {
    if drop == 0 {
        return magnitude.clone();
    }
    let kept = magnitude >> drop;
    let inexact = magnitude.trailing_zeros().is_some_and(|zeros| zeros < drop);
    let half = magnitude.bit(drop - 1);
    let above = magnitude
        .trailing_zeros()
        .is_some_and(|zeros| zeros < drop - 1);
    let against_half = match (half, above) {
        (false, _) => core::cmp::Ordering::Less,
        (true, false) => core::cmp::Ordering::Equal,
        (true, true) => core::cmp::Ordering::Greater,
    };
    if direction.increments(kept.bit(0), against_half, inexact) {
        kept + Natural::ONE
    } else {
        kept
    }
}
