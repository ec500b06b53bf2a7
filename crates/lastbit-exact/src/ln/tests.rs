use super::*;

/// A full-period generator: reproducible inputs without a dependency.
struct Mix(u64);

impl Mix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    /// Positive and finite, every exponent alike.
    fn positive(&mut self) -> f64 {
        f64::from_bits(self.next() % f64::INFINITY.to_bits()).max(5e-324)
    }
}

#[test]
fn double_double_agrees_with_fixed_point() {
    let mut mix = Mix(1);
    for i in 0..1_000_000 {
        let x = match i % 4 {
            0 | 1 => mix.positive(),
            2 => 0.5 + (mix.next() >> 11) as f64 * f64::EPSILON / 2.0,
            _ => 1.0 + (mix.next() as i64 >> (11 + mix.next() % 50)) as f64 * f64::EPSILON / 8.0,
        };
        if x == 1.0 || !is_positive_normal(x) {
            continue;
        }
        let slow = by_fixed::<2>(x).unwrap();
        let fast = double_double::ln(x);
        match fast.neighbours() {
            Some(pair) => assert_eq!(pair, (slow.below, slow.above), "{x:e}"),
            None => {}
        }
        match fast.nearest() {
            Some(nearest) => assert_eq!(nearest, slow.nearest, "{x:e}"),
            None => {}
        }
    }
}

#[test]
fn special_values() {
    for rounding in Rounding::ALL {
        assert_eq!(ln(1.0, rounding).to_bits(), 0);
        for zero in [0.0, -0.0] {
            assert_eq!(ln(zero, rounding), f64::NEG_INFINITY);
        }
        assert_eq!(ln(f64::INFINITY, rounding), f64::INFINITY);
        for bad in [-1.0, -5e-324, f64::NEG_INFINITY, f64::NAN, -f64::NAN] {
            assert!(ln(bad, rounding).is_nan());
        }
    }
    assert_eq!(ln_bounds(1.0), (0.0, 0.0));
    assert_eq!(ln_bounds(0.0), (f64::NEG_INFINITY, f64::NEG_INFINITY));
}
