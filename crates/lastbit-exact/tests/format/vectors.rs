//! `Format` against MPFR, in all four directions. The vectors come from
//! `data/make_format_vectors.py`.

use lastbit_exact::{Dyadic, Format, FormatError, Integer, Natural, Rounding};

fn number(text: &str) -> Dyadic {
    let (mantissa, exponent) = text.split_once('p').expect("mantissa p exponent");
    let digits = mantissa.trim_start_matches('-').chars();
    let magnitude = digits.fold(Natural::ZERO, |sum, digit| {
        (sum << 4) + Natural::from(digit.to_digit(16).expect("hexadecimal"))
    });
    Dyadic::new(
        Integer::from_parts(mantissa.starts_with('-'), magnitude),
        exponent.parse().expect("decimal"),
    )
}

fn check(
    data: &str,
    operands: usize,
    operation: impl Fn(Format, &[Dyadic], Rounding) -> Result<Dyadic, FormatError>,
) {
    let mut seen = [0; 3];
    for line in data.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        assert_eq!(fields.len(), operands + 4, "{line}");
        let format = Format::new(fields[0].parse().unwrap()).unwrap();
        let values: Vec<Dyadic> = fields[1..operands + 3].iter().map(|t| number(t)).collect();
        let (inputs, bounds) = values.split_at(operands);
        let [down, up] = bounds else { unreachable!() };
        let nearest = match fields[operands + 3] {
            "d" => {
                seen[0] += 1;
                down
            }
            "u" => {
                seen[1] += 1;
                up
            }
            _ => {
                seen[2] += 1;
                assert_eq!(down, up);
                down
            }
        };
        let toward_zero = if up.is_positive() { down } else { up };
        for (rounding, expected) in [
            (Rounding::Down, down),
            (Rounding::Up, up),
            (Rounding::NearestEven, nearest),
            (Rounding::TowardZero, toward_zero),
        ] {
            let result = operation(format, inputs, rounding).unwrap();
            assert_eq!(result, *expected, "{rounding:?}: {line}");
            assert!(format.contains(&result));
        }
    }
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
}

#[test]
fn sums_are_those_of_mpfr() {
    check(include_str!("../data/format_add.txt"), 2, |f, x, r| {
        Ok(f.add(&x[0], &x[1], r))
    });
    check(include_str!("../data/format_sub.txt"), 2, |f, x, r| {
        Ok(f.sub(&x[0], &x[1], r))
    });
}

#[test]
fn products_and_quotients_are_those_of_mpfr() {
    check(include_str!("../data/format_mul.txt"), 2, |f, x, r| {
        Ok(f.mul(&x[0], &x[1], r))
    });
    check(include_str!("../data/format_div.txt"), 2, |f, x, r| {
        f.div(&x[0], &x[1], r)
    });
}

#[test]
fn logarithms_are_those_of_mpfr() {
    check(include_str!("../data/format_ln.txt"), 1, |f, x, r| {
        f.ln(&x[0], r)
    });
}

#[test]
fn exponentials_are_those_of_mpfr() {
    check(include_str!("../data/format_exp.txt"), 1, |f, x, r| {
        f.exp(&x[0], r)
    });
}
