//! `Format` at tiny precisions, every mantissa, against integer fractions and 200-bit enclosures.

use lastbit_exact::{
    Dyadic, Enclosure, Format, FormatError, Rounding, exp_enclosure, ln_enclosure,
};

/// `n/d` rounded to `p` bits, in 128-bit integers alone.
fn reference(n: i128, d: i128, p: u32, rounding: Rounding) -> Dyadic {
    let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
    if n == 0 {
        return Dyadic::ZERO;
    }
    // The exponent of the last place: 2^(p−1) ≤ |n/d| 2^-e < 2^p.
    let scaled = |e: i32| {
        if e >= 0 { (n, d << e) } else { (n << -e, d) }
    };
    let e = (-40..40)
        .find(|&e| {
            let (n, d) = scaled(e);
            n.abs() < d << p
        })
        .expect("operands are small");
    let (n, d) = scaled(e);
    let floor = n.div_euclid(d);
    let rest = n.rem_euclid(d);
    let ceil = floor + i128::from(rest != 0);
    let kept = match rounding {
        Rounding::Down => floor,
        Rounding::Up => ceil,
        Rounding::TowardZero if n > 0 => floor,
        Rounding::TowardZero => ceil,
        Rounding::NearestEven if 2 * rest < d => floor,
        Rounding::NearestEven if 2 * rest > d => ceil,
        Rounding::NearestEven if floor % 2 == 0 => floor,
        Rounding::NearestEven => ceil,
    };
    Dyadic::new(kept, e.into())
}

/// Every `p`-bit mantissa, both signs.
fn mantissas(p: u32) -> impl Iterator<Item = i128> + Clone {
    (1i128 << (p - 1)..1 << p).flat_map(|m| [m, -m])
}

#[test]
fn sums_are_correctly_rounded_for_every_pair_of_mantissas() {
    for p in 2..=6 {
        let format = Format::new(p).unwrap();
        for m in mantissas(p) {
            for n in mantissas(p) {
                for gap in 0..=2 * p as usize + 4 {
                    // x = m 2^gap, y = n: all gaps of exponents on one side, the other by symmetry
                    // below.
                    let (x, y) = (Dyadic::new(m, gap as i64), Dyadic::new(n, 0));
                    let (sum, difference) = ((m << gap) + n, (m << gap) - n);
                    for rounding in Rounding::ALL {
                        let expected = reference(sum, 1, p, rounding);
                        assert_eq!(format.add(&x, &y, rounding), expected);
                        assert_eq!(format.add(&y, &x, rounding), expected);
                        let expected = reference(difference, 1, p, rounding);
                        assert_eq!(format.sub(&x, &y, rounding), expected);
                        assert_eq!(
                            format.sub(&y, &x, rounding),
                            reference(-difference, 1, p, rounding)
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn products_and_quotients_are_correctly_rounded_for_every_pair_of_mantissas() {
    for p in 2..=6 {
        let format = Format::new(p).unwrap();
        for m in mantissas(p) {
            for n in mantissas(p) {
                for exponent in [-7, 0, 3] {
                    let (x, y) = (Dyadic::new(m, exponent), Dyadic::new(n, -2));
                    for rounding in Rounding::ALL {
                        assert_eq!(
                            format.mul(&x, &y, rounding),
                            reference(m * n, 1, p, rounding).times_power_of_two(exponent - 2)
                        );
                        assert_eq!(
                            format.div(&x, &y, rounding),
                            Ok(reference(m, n, p, rounding).times_power_of_two(exponent + 2))
                        );
                    }
                }
            }
        }
    }
}

/// The neighbours of a positive or negative number of the format.
fn neighbours(x: &Dyadic, p: u32) -> (Dyadic, Dyadic) {
    let top = x.floor_log2().unwrap();
    let outward = Dyadic::power_of_two(top - i64::from(p) + 1);
    let inward = if x.abs() == Dyadic::power_of_two(top) {
        outward.times_power_of_two(-1)
    } else {
        outward.clone()
    };
    if x.is_negative() {
        (x - &outward, x + &inward)
    } else {
        (x - &inward, x + &outward)
    }
}

/// That `result` is what rounding makes of every number of the enclosure, by the definition of each
/// direction.
fn decided(result: &Dyadic, enclosure: &Enclosure, p: u32, rounding: Rounding) -> bool {
    let (below, above) = neighbours(result, p);
    let (lo, hi) = (enclosure.lo(), enclosure.hi());
    let down = result <= lo && hi < &above;
    let up = &below < lo && hi <= result;
    match rounding {
        Rounding::Down => down,
        Rounding::Up => up,
        Rounding::TowardZero if result.is_positive() => down,
        Rounding::TowardZero => up,
        Rounding::NearestEven => {
            &(&below + result).times_power_of_two(-1) < lo
                && hi < &(result + &above).times_power_of_two(-1)
        }
    }
}

#[test]
fn logarithms_are_correctly_rounded_for_every_mantissa() {
    for p in 2..=6 {
        let format = Format::new(p).unwrap();
        for m in mantissas(p).filter(|&m| m > 0) {
            for exponent in -20..=20 {
                let x = Dyadic::new(m, exponent);
                if x == Dyadic::ONE {
                    continue;
                }
                let enclosure = ln_enclosure(&x, 200);
                for rounding in Rounding::ALL {
                    let result = format.ln(&x, rounding).unwrap();
                    assert!(format.contains(&result));
                    assert!(
                        decided(&result, &enclosure, p, rounding),
                        "ln {x:?} to {p} bits {rounding:?}: {result:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn exponentials_are_correctly_rounded_for_every_mantissa() {
    for p in 2..=6 {
        let format = Format::new(p).unwrap();
        for m in mantissas(p) {
            for exponent in -24..=4 {
                let x = Dyadic::new(m, exponent);
                let enclosure = exp_enclosure(&x, 200);
                for rounding in Rounding::ALL {
                    let result = format.exp(&x, rounding).unwrap();
                    assert!(format.contains(&result));
                    assert!(
                        decided(&result, &enclosure, p, rounding),
                        "exp {x:?} to {p} bits {rounding:?}: {result:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn exact_cases() {
    for p in [2, 53, 1000] {
        let format = Format::new(p).unwrap();
        for rounding in Rounding::ALL {
            assert_eq!(format.ln(&Dyadic::ONE, rounding), Ok(Dyadic::ZERO));
            assert_eq!(format.exp(&Dyadic::ZERO, rounding), Ok(Dyadic::ONE));
            assert_eq!(
                format.add(&Dyadic::ZERO, &Dyadic::ZERO, rounding),
                Dyadic::ZERO
            );
            assert_eq!(
                format.sub(&Dyadic::ONE, &Dyadic::ONE, rounding),
                Dyadic::ZERO
            );
            assert_eq!(
                format.mul(&Dyadic::ZERO, &Dyadic::ONE, rounding),
                Dyadic::ZERO
            );
            assert_eq!(
                format.div(&Dyadic::ZERO, &Dyadic::from(-3), rounding),
                Ok(Dyadic::ZERO)
            );
            assert_eq!(
                format.div(&Dyadic::from(-6), &Dyadic::from(2), rounding),
                Ok(Dyadic::from(-3))
            );
        }
    }
}

#[test]
fn what_has_no_result_is_refused() {
    assert_eq!(Format::new(1), Err(FormatError::Precision(1)));
    assert_eq!(Format::new(1001), Err(FormatError::Precision(1001)));
    let format = Format::BINARY64;
    let up = Rounding::Up;
    assert_eq!(
        format.div(&Dyadic::ONE, &Dyadic::ZERO, up),
        Err(FormatError::DivisionByZero)
    );
    for x in [0, -1] {
        let x = Dyadic::from(x);
        assert_eq!(format.ln(&x, up), Err(FormatError::LnDomain(x)));
    }
    for x in [1_000_000_000_000_000_000, -1_000_000_000_000_000_000] {
        let x = Dyadic::from(x);
        assert_eq!(format.exp(&x, up), Err(FormatError::ExpRange(x)));
    }
}

#[test]
fn far_exponents_cost_no_memory() {
    let far = 1_000_000_000_000;
    let format = Format::new(118).unwrap();
    let tiny = Dyadic::power_of_two(-far);
    let ulp = Dyadic::power_of_two(-117);
    for negative in [false, true] {
        let small = if negative { -&tiny } else { tiny.clone() };
        let one = Dyadic::ONE;
        assert_eq!(format.add(&one, &small, Rounding::NearestEven), one);
        let up = format.add(&small, &one, Rounding::Up);
        let down = format.add(&one, &small, Rounding::Down);
        if negative {
            assert_eq!(up, one);
            assert_eq!(down, &one - &ulp.times_power_of_two(-1));
        } else {
            assert_eq!(up, &one + &ulp);
            assert_eq!(down, one);
        }
    }
    // A tie that the tiny number breaks.
    let tie = &Dyadic::ONE + &ulp.times_power_of_two(-1);
    let nearest = Rounding::NearestEven;
    assert_eq!(format.round(&tie, nearest), Dyadic::ONE);
    assert_eq!(format.add(&tie, &tiny, nearest), &Dyadic::ONE + &ulp);
    assert_eq!(format.sub(&tie, &tiny, nearest), Dyadic::ONE);
    // ln(2^±far) = ±far ln 2, and back.
    for rounding in Rounding::ALL {
        let ln = format.ln(&Dyadic::power_of_two(far), rounding).unwrap();
        assert!(decided(
            &ln,
            &ln_enclosure(&Dyadic::power_of_two(far), 200),
            118,
            rounding
        ));
        let ln = format.ln(&tiny, rounding).unwrap();
        let e = format.exp(&ln, rounding).unwrap();
        assert!(decided(&e, &exp_enclosure(&ln, 200), 118, rounding));
        // ln is off by at most 2^-78 = 2^(40−118), so e^ln is off by less than 2^-77 of itself.
        assert!((&e.times_power_of_two(far) - &Dyadic::ONE).abs() < Dyadic::power_of_two(-77));
        let almost_one = format.exp(&tiny, rounding).unwrap();
        let expected = if rounding == Rounding::Up {
            &Dyadic::ONE + &ulp
        } else {
            Dyadic::ONE
        };
        assert_eq!(almost_one, expected);
    }
}

#[test]
fn logarithms_beside_one_are_decided_at_any_distance() {
    // ln(1 + d) = d − d²/2 + …: below d, by less than any format of p < −log2 d can see.
    let d = Dyadic::power_of_two(-20_000);
    let x = &Dyadic::ONE + &d;
    let format = Format::new(24).unwrap();
    for rounding in [Rounding::Up, Rounding::NearestEven] {
        assert_eq!(format.ln(&x, rounding), Ok(d.clone()));
    }
    let below = &d - &d.times_power_of_two(-24);
    for rounding in [Rounding::Down, Rounding::TowardZero] {
        assert_eq!(format.ln(&x, rounding), Ok(below.clone()));
    }
}
