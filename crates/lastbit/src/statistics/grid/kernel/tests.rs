use super::*;

const FAR: i64 = 1 << 51;

/// A block of rows all over the bounds and beyond, with ties and what is not finite.
fn rows(upper: f64) -> [f64; BLOCK] {
    core::array::from_fn(|i| {
        let fraction = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as f64 / 64f64.exp2();
        match i % 16 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -f64::INFINITY,
            3 => (i as f64 / 2.0 - 200.0) * 0.5,
            4 => upper,
            5 => -0.0,
            6 => f64::MIN_POSITIVE / 4.0,
            _ => (fraction * 2.5 - 1.25) * upper,
        }
    })
}

fn kernels() -> [(Kernel, [f64; BLOCK]); 3] {
    [
        (Kernel::new(0, -FAR, FAR, 0.5), rows(FAR as f64)),
        (Kernel::new(-1, 0, (1 << 26) - 1, 3.0), rows(1e7)),
        (Kernel::new(3, -100, 100, -1e9), rows(1e3)),
    ]
}

#[test]
fn offsets_are_the_same_with_all_vectors() {
    for (steps, rows) in kernels() {
        let one_by_one = rows.map(|row| steps.offset(row));
        for lanes in Lanes::all() {
            for count in [0, 1, 3, 5, 1000, BLOCK] {
                let rows = &rows[..count];
                let mut offsets = [7; BLOCK];
                lanes.run(Fill {
                    steps,
                    rows,
                    offsets: &mut offsets,
                });
                assert_eq!(offsets[..count], one_by_one[..count], "{lanes:?}");
                assert!(offsets[count..].iter().all(|&offset| offset == 7));
                let sum = lanes.run(Sum { steps, rows });
                assert_eq!(sum, one_by_one[..count].iter().sum(), "{lanes:?}");
                let finite: Vec<f64> = rows.iter().copied().filter(|row| row.is_finite()).collect();
                let rows = &finite[..];
                let expected = Some(lanes.run(Sum { steps, rows }));
                assert_eq!(
                    lanes.run(SumOfFinite { steps, rows }),
                    expected,
                    "{lanes:?}"
                );
                let rows = &[rows, &[f64::INFINITY], rows].concat()[..];
                assert_eq!(lanes.run(SumOfFinite { steps, rows }), None, "{lanes:?}");
            }
        }
    }
}

/// The sums of rows that are no doubles, by every path, are those of the doubles that they are.
fn sums_are_those_of_doubles<R: GridRow>(row: impl Fn(usize, f64) -> R) {
    for (steps, doubles) in kernels() {
        let rows: [R; BLOCK] = core::array::from_fn(|place| row(place, doubles[place]));
        let doubles = rows.map(GridRow::number);
        let one_by_one = doubles.map(|row| steps.offset(row));
        for lanes in Lanes::all() {
            for count in [0, 1, 3, 5, 1000, BLOCK] {
                let (rows, doubles) = (&rows[..count], &doubles[..count]);
                let mut offsets = [7; BLOCK];
                lanes.run(Fill {
                    steps,
                    rows,
                    offsets: &mut offsets,
                });
                assert_eq!(offsets[..count], one_by_one[..count], "{lanes:?}");
                let sum = lanes.run(Sum { steps, rows });
                assert_eq!(sum, one_by_one[..count].iter().sum(), "{lanes:?}");
                let expected = lanes.run(SumOfFinite {
                    steps,
                    rows: doubles,
                });
                let found = lanes.run(SumOfFinite { steps, rows });
                assert_eq!(found, expected, "{lanes:?}");
                let (sum, squares, finite) = lanes.run(Moments { steps, rows });
                let expected = lanes.run(Moments {
                    steps,
                    rows: doubles,
                });
                let expected = (expected.0, expected.1.total(), expected.2);
                assert_eq!((sum, squares.total(), finite), expected, "{lanes:?}");
                if one_by_one.iter().all(|&offset| offset < 1 << 26) {
                    let expected = lanes.run(SmallMoments {
                        steps,
                        rows: doubles,
                    });
                    let found = lanes.run(SmallMoments { steps, rows });
                    assert_eq!(found, expected, "{lanes:?}");
                }
            }
        }
    }
}

#[test]
fn rows_of_other_types_are_the_doubles_that_they_are() {
    let mixed = |place: usize| (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    sums_are_those_of_doubles(|_, double| double as f32);
    sums_are_those_of_doubles(|place, double| match place % 3 {
        0 => mixed(place) as i32,
        _ => double as i32,
    });
    sums_are_those_of_doubles(|place, double| match place % 3 {
        0 => mixed(place).cast_signed() >> (place % 50),
        _ => double as i64,
    });
}

#[test]
fn moments_are_the_same_with_all_vectors() {
    for (steps, rows) in kernels() {
        let wide = rows.map(|row| u128::from(steps.offset(row)));
        let sum: u128 = wide.iter().sum();
        let squares: u128 = wide.iter().map(|offset| offset * offset).sum();
        let narrow = wide.iter().all(|&offset| offset < 1 << 26);
        for lanes in Lanes::all() {
            let rows = &rows[..];
            let (found, halves, finite) = lanes.run(Moments { steps, rows });
            let found = (u128::from(found), halves.total(), finite);
            assert_eq!(found, (sum, squares, false), "{lanes:?}");
            let finite_rows = &rows[7..16];
            assert!(
                lanes
                    .run(Moments {
                        steps,
                        rows: finite_rows
                    })
                    .2
            );
            if narrow {
                let (found, small, finite) = lanes.run(SmallMoments { steps, rows });
                let found = (u128::from(found), u128::from(small), finite);
                assert_eq!(found, (sum, squares, false), "{lanes:?}");
                assert!(
                    lanes
                        .run(SmallMoments {
                            steps,
                            rows: finite_rows
                        })
                        .2
                );
            }
        }
    }
}

#[test]
fn products_are_the_same_with_all_vectors() {
    for bits in [26, 52] {
        let largest = if bits == 26 {
            (1u64 << 26) - 1
        } else {
            1 << 52
        };
        let offset = |i: usize, by: u64| match i % 5 {
            0 => largest,
            _ => (i as u64 + 1).wrapping_mul(by) >> (64 - bits),
        };
        let a: [u64; BLOCK] = core::array::from_fn(|i| offset(i, 0x9E37_79B9_7F4A_7C15));
        let b: [u64; BLOCK] = core::array::from_fn(|i| offset(i, 0xD134_2543_DE82_EF95));
        for (a, b) in [(&a, &b), (&[largest; BLOCK], &[largest; BLOCK])] {
            let exact: u128 = a
                .iter()
                .zip(b)
                .map(|(&a, &b)| u128::from(a) * u128::from(b))
                .sum();
            for lanes in Lanes::all() {
                assert_eq!(lanes.run(Products(a, b)).total(), exact, "{lanes:?}");
                if bits == 26 {
                    assert_eq!(
                        u128::from(lanes.run(SmallProducts(a, b))),
                        exact,
                        "{lanes:?}"
                    );
                }
            }
        }
    }
}
