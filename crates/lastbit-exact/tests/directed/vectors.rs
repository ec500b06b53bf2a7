//! `exp`, `exp_m1`, `ln`, `ln_1p` against MPFR: each bound holds, and is at most one f64 from the
//! tightest.

use lastbit_exact::{Down, Interval, Up};

fn check(
    vectors: &str,
    up: impl Fn(Up) -> Up,
    down: impl Fn(Down) -> Down,
    both: impl Fn(Interval) -> Interval,
) {
    let mut count = 0;
    let mut wide = 0;
    for line in vectors.lines() {
        let (x, below) = line.split_once(' ').expect("two columns");
        let number = |hex: &str| f64::from_bits(u64::from_str_radix(hex, 16).expect("bits"));
        let (x, below) = (number(x), number(below));
        // No f64 but the excluded 0 (1 for ln) has an f64 as its image, so the tightest upper bound
        // is the next f64.
        let above = below.next_up();
        let (lo, hi) = (down(Down::exact(x)).get(), up(Up::exact(x)).get());
        assert!(lo <= below, "{x:e}: lower bound {lo:e} above {below:e}");
        assert!(hi >= above, "{x:e}: upper bound {hi:e} below {above:e}");
        assert!(lo >= below.next_down(), "{x:e}: {lo:e} is loose");
        assert!(hi <= above.next_up(), "{x:e}: {hi:e} is loose");
        assert!(hi <= lo.next_up().next_up(), "{x:e}: [{lo:e}, {hi:e}] wide");
        assert!(lo != 0.0 || lo.is_sign_positive(), "{x:e}: a negative zero");
        assert!(hi != 0.0 || hi.is_sign_positive(), "{x:e}: a negative zero");
        let interval = both(Interval::point(x));
        assert_eq!((interval.lo(), interval.hi()), (lo, hi));
        count += 1;
        wide += u32::from(hi != lo.next_up());
    }
    assert!(count > 8000);
    // A looser bound is rare: the kernels err by less than 2^-9 ulp. Powers of two are rounded by a
    // third-order term.
    assert!(wide * 50 < count, "{wide} of {count} are 2 ulp wide");
}

#[test]
fn exp_is_enclosed_within_two_ulp() {
    check(
        include_str!("../data/directed_exp.txt"),
        Up::exp,
        Down::exp,
        Interval::exp,
    );
}

#[test]
fn exp_m1_is_enclosed_within_two_ulp() {
    check(
        include_str!("../data/directed_exp_m1.txt"),
        Up::exp_m1,
        Down::exp_m1,
        Interval::exp_m1,
    );
}

#[test]
fn ln_is_enclosed_within_two_ulp() {
    check(
        include_str!("../data/directed_ln.txt"),
        Up::ln,
        Down::ln,
        Interval::ln,
    );
}

#[test]
fn ln_1p_is_enclosed_within_two_ulp() {
    check(
        include_str!("../data/directed_ln_1p.txt"),
        Up::ln_1p,
        Down::ln_1p,
        Interval::ln_1p,
    );
}
