//! The first and the last double with a property.

use core::convert::Infallible;

use crate::search::{find_largest, find_smallest};

/// The first double from 0 up at which a property holds that holds from some point on; `None` if it
/// does not at the largest.
pub(super) fn first_double(holds: impl Fn(f64) -> bool) -> Option<f64> {
    let Ok(found) = find_smallest(0.0..=f64::MAX, |x| Ok::<_, Infallible>(holds(x)));
    found
}

/// The last double from 0 up at which a property holds that fails from some point on; 0 if it never
/// holds.
pub(super) fn last_double(holds: impl Fn(f64) -> bool) -> f64 {
    let Ok(found) = find_largest(0.0..=f64::MAX, |x| Ok::<_, Infallible>(holds(x)));
    found.unwrap_or(0.0)
}

#[cfg(test)]
mod tests;
