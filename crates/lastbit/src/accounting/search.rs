//! The first and the last double with a property.

/// The first double from 0 up at which a property holds that holds from some point on; `None` if it
/// does not at the largest.
pub(super) fn first_double(holds: impl Fn(f64) -> bool) -> Option<f64> {
    if holds(0.0) {
        return Some(0.0);
    }
    if !holds(f64::MAX) {
        return None;
    }
    // Doubles from 0 up are ordered as their bits are.
    let (mut low, mut high) = (0u64, f64::MAX.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(f64::from_bits(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(f64::from_bits(high))
}

/// The last double from 0 up at which a property holds that fails from some point on; 0 if it never
/// holds.
pub(super) fn last_double(holds: impl Fn(f64) -> bool) -> f64 {
    match first_double(|x| !holds(x)) {
        None => f64::MAX,
        Some(0.0) => 0.0,
        Some(x) => x.next_down(),
    }
}

#[cfg(test)]
mod tests;
