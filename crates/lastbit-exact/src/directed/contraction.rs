//! Boxes and bounds that follow from wider ones.

use super::{Interval, Up};

/// The most steps that shrink a box.
const ROUNDS: usize = 8;

/// A step that leaves more than this part of a box is the last.
const ENOUGH: f64 = 0.98;

impl Interval {
    /// The last of a chain of boxes, each following from the one before, as long as they shrink.
    /// `None` if there is nothing in both a box and the next.
    ///
    /// Contract: if x is in the first box, and `next` of every box with x has x, then x is in the
    /// result.
    ///
    /// ```
    /// use lastbit_exact::Interval;
    /// // x = cos x lies in [0, 1], and 1 − x²/2 ≤ cos x ≤ 1 − x²/2 + x⁴/24.
    /// let next = |x: Interval| {
    ///     let low = Interval::ONE - x * x / Interval::from(2);
    ///     low.hull(low + x.powi(4) / Interval::from(24))
    /// };
    /// let found = Interval::UNIT.contracted(next).unwrap();
    /// assert!(found.contains(0.7390851332151607) && found.width().get() < 0.99);
    /// assert_eq!(Interval::UNIT.contracted(|x| x + Interval::from(2)), None);
    /// ```
    pub fn contracted(self, next: impl Fn(Interval) -> Interval) -> Option<Interval> {
        let mut now = self;
        for _ in 0..ROUNDS {
            let smaller = now.intersect(next(now))?;
            let enough = smaller.width().get() > ENOUGH * now.width().get();
            now = smaller;
            if enough {
                break;
            }
        }
        Some(now)
    }

    /// So many parts, of about the same width, that cover a finite interval.
    ///
    /// ```
    /// use lastbit_exact::Interval;
    /// let quarters = Interval::UNIT.parts(4);
    /// assert_eq!(quarters[1], Interval::new(0.25, 0.5)?);
    /// assert_eq!(quarters.into_iter().reduce(Interval::hull), Some(Interval::UNIT));
    /// # Ok::<(), lastbit_exact::BoundError>(())
    /// ```
    pub fn parts(self, parts: u32) -> Vec<Interval> {
        let (low, high) = (self.lo(), self.hi());
        // Any increasing points will do, because adjacent parts share theirs.
        let at = |part: u32| {
            let place = low + (high - low) * f64::from(part) / f64::from(parts);
            Interval::point(place.clamp(low, high))
        };
        let ends = |part: u32| match part {
            0 => Interval::point(low),
            _ if part == parts => Interval::point(high),
            _ => at(part),
        };
        (0..parts)
            .map(|part| ends(part).hull(ends(part + 1)))
            .collect()
    }
}

impl Up {
    /// The smallest bounds of so many rounds, in each of which bounds follow from the ones before.
    ///
    /// Contract: if numbers are within the first bounds, and within `next` of all bounds that they
    /// are within, they are within the result.
    ///
    /// ```
    /// use lastbit_exact::Up;
    /// // Of x ≤ 8 and x ≤ 1 + x/2 follows nearly x ≤ 2.
    /// let next = |bounds: &[Up]| vec![Up::ONE + bounds[0] * Up::exact(0.5)];
    /// assert_eq!(Up::tightened(vec![Up::exact(8.0)], 2, next), [Up::exact(3.5)]);
    /// ```
    pub fn tightened(
        mut bounds: Vec<Up>,
        rounds: usize,
        next: impl Fn(&[Up]) -> Vec<Up>,
    ) -> Vec<Up> {
        for _ in 0..rounds {
            let smaller = next(&bounds);
            for (bound, smaller) in bounds.iter_mut().zip(smaller) {
                *bound = bound.min(smaller);
            }
        }
        bounds
    }
}
