use super::*;

/// Products, sums and quotients that round: fused or reassociated they would have other bits.
struct Sums<'a>(&'a [f64; 67], &'a mut [f64; 67]);

impl Kernel for Sums<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let mut total = 0.0;
        for (x, y) in self.0.iter().zip(self.1) {
            *y = *x * *x + (*x - 1.0 / 3.0) * (1.0 / *x);
            total += *y;
        }
        total
    }
}

#[test]
fn every_width_gives_the_same_bits() {
    let numbers = core::array::from_fn(|i| 0.1 + i as f64 / 7.0);
    let mut expected = [0.0; 67];
    let total = Lanes::BASELINE.run(Sums(&numbers, &mut expected));
    for lanes in Lanes::all() {
        let mut found = [0.0; 67];
        assert_eq!(
            lanes.run(Sums(&numbers, &mut found)).to_bits(),
            total.to_bits()
        );
        assert_eq!(
            found.map(f64::to_bits),
            expected.map(f64::to_bits),
            "{lanes:?}"
        );
    }
}

#[test]
fn all_begins_with_the_baseline_and_ends_with_the_widest() {
    let all = Lanes::all();
    assert_eq!(all.first(), Some(&Lanes::BASELINE));
    assert_eq!(all.last(), Some(&Lanes::widest()));
}
