//! Rows rounded to a grid: exact, order-free, and never more sensitive than stated.

use lastbit::Bounds;
use lastbit::statistics::{
    Grid, GridError, Neighbours, NonFinite, covariance, grid_covariance, grid_mean, grid_sum,
    grid_variance, mean, sum, variance,
};
use lastbit_exact::Rational;
use proptest::prelude::*;

const LENIENT: NonFinite = NonFinite::ReplaceNan(0.3);

/// What the documentation of `Grid` says, in exact rationals.
fn rounded(row: f64, grid: &Grid) -> Rational {
    let exponent = i64::from(grid.exponent());
    let (lower, upper) = (grid.bounds().lower(), grid.bounds().upper());
    let row = if row.is_nan() { 0.3 } else { row };
    let clamped = if row == f64::INFINITY {
        upper.clone()
    } else if row == f64::NEG_INFINITY {
        lower.clone()
    } else {
        Rational::try_from(row).unwrap().clamp_to(lower, upper)
    };
    Rational::from(clamped.times_power_of_two(-exponent).round_ties_up())
        .times_power_of_two(exponent)
}

fn all_rounded(rows: &[f64], grid: &Grid) -> Vec<Rational> {
    rows.iter().map(|&row| rounded(row, grid)).collect()
}

fn grid(lower: &str, upper: &str, exponent: i32) -> Grid {
    Grid::new(&Bounds::parse(lower, upper).unwrap(), exponent, LENIENT).unwrap()
}

/// Narrow and wide grids (the two widths of products), one-sided, tiny and huge ones, one of a
/// single point.
fn grids() -> impl Strategy<Value = Grid> {
    prop::sample::select(vec![
        grid("0", "1", -3),
        grid("-1.3", "2.7", -20),
        grid("-1.3", "2.7", -49),
        grid("-100", "-17.01", 0),
        grid("-2251799813685248", "2251799813685248", 0),
        grid("1e-300", "3e-300", -1022),
        grid("-1e300", "1e300", 950),
        grid("0.5", "0.5", -40),
    ])
}

/// Rows that find faults: on ties of the grid, next to them, anywhere at all.
fn row(grid: &Grid) -> impl Strategy<Value = f64> + use<> {
    let exponent = grid.exponent();
    let step = f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52);
    let lower = grid
        .bounds()
        .lower()
        .times_power_of_two(-i64::from(exponent))
        .floor();
    let upper = grid
        .bounds()
        .upper()
        .times_power_of_two(-i64::from(exponent))
        .ceil();
    let (lower, upper) = (i64::try_from(lower).unwrap(), i64::try_from(upper).unwrap());
    let near = (2 * lower - 3..=2 * upper + 3, -1i8..=1).prop_map(move |(halves, nudge)| {
        let tie = halves as f64 * 0.5 * step;
        match nudge {
            -1 => tie.next_down(),
            0 => tie,
            _ => tie.next_up(),
        }
    });
    prop_oneof![
        4 => near,
        1 => any::<u64>().prop_map(f64::from_bits),
        1 => prop::sample::select(vec![
            0.0, -0.0, 0.5, -0.5, 0.5f64.next_down(), (-0.5f64).next_up(), f64::MIN_POSITIVE,
            f64::from_bits(1), f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, f64::NAN,
        ]),
    ]
}

fn grid_and_rows(least: usize) -> impl Strategy<Value = (Grid, Vec<f64>)> {
    grids().prop_flat_map(move |grid| {
        let rows = prop::collection::vec(row(&grid), least..40);
        (Just(grid), rows)
    })
}

/// A grid, its rows, and one row to put in the place of the first.
fn neighbouring(least: usize) -> impl Strategy<Value = (Grid, Vec<f64>, f64)> {
    grids().prop_flat_map(move |grid| {
        let rows = prop::collection::vec(row(&grid), least..12);
        let other = row(&grid);
        (Just(grid), rows, other)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn steps_are_the_exact_rounding_of_the_clamped_row((grid, rows) in grid_and_rows(1)) {
        for row in rows {
            let exact = rounded(row, &grid);
            let value = Rational::from(grid.steps(row).unwrap())
                .times_power_of_two(i64::from(grid.exponent()));
            prop_assert_eq!(&value, &exact, "row {:e}", row);
            prop_assert!(grid.bounds().lower() <= &value && &value <= grid.bounds().upper());
        }
    }

    #[test]
    fn sum_and_mean_are_exact_and_order_free(
        (grid, mut rows) in grid_and_rows(1),
        turn in 0usize..40,
    ) {
        let exact = all_rounded(&rows, &grid);
        let sum = grid_sum(&rows, &grid).unwrap();
        prop_assert_eq!(&sum, &super::reference::sum(&exact));
        prop_assert_eq!(grid_mean(&rows, &grid).unwrap(), super::reference::mean(&exact));
        let length = rows.len();
        rows.rotate_left(turn % length);
        prop_assert_eq!(&grid_sum(&rows, &grid).unwrap(), &sum);
        rows.sort_by(f64::total_cmp);
        prop_assert_eq!(&grid_sum(&rows, &grid).unwrap(), &sum);
    }

    #[test]
    fn variance_is_exact_and_order_free((grid, mut rows) in grid_and_rows(2)) {
        let variance = grid_variance(&rows, &grid).unwrap();
        prop_assert_eq!(&variance, &super::reference::variance(&all_rounded(&rows, &grid)));
        rows.reverse();
        prop_assert_eq!(&grid_variance(&rows, &grid).unwrap(), &variance);
        prop_assert_eq!(&grid_covariance(&rows, &grid, &rows, &grid).unwrap(), &variance);
    }

    #[test]
    fn covariance_is_exact((x_grid, x) in grid_and_rows(2), (y_grid, y) in grid_and_rows(2)) {
        let length = x.len().min(y.len());
        let (x, y) = (&x[..length], &y[..length]);
        let exact =
            super::reference::covariance(&all_rounded(x, &x_grid), &all_rounded(y, &y_grid));
        prop_assert_eq!(grid_covariance(x, &x_grid, y, &y_grid).unwrap(), exact);
    }

    #[test]
    fn changing_one_row_never_exceeds_the_sensitivity((grid, rows, other) in neighbouring(2)) {
        let mut changed = rows.clone();
        changed[0] = other;
        let neighbours = Neighbours::change_one(rows.len() as u64).unwrap();
        let bounds = grid.bounds();
        let distance = |value: fn(&[f64], &Grid) -> Result<Rational, GridError>| {
            (value(&rows, &grid).unwrap() - value(&changed, &grid).unwrap()).abs()
        };
        prop_assert!(&distance(grid_sum) <= sum(bounds, neighbours).sensitivity());
        prop_assert!(&distance(grid_mean) <= mean(bounds, neighbours).unwrap().sensitivity());
        let stated = variance(bounds, neighbours).unwrap();
        prop_assert!(&distance(grid_variance) <= stated.sensitivity());
        prop_assert!(stated.range().contains(&grid_variance(&rows, &grid).unwrap()));
    }

    #[test]
    fn adding_one_row_never_exceeds_the_sensitivity((grid, rows, other) in neighbouring(2)) {
        let mut more = rows.clone();
        more.push(other);
        let neighbours = Neighbours::add_remove_between(rows.len() as u64, None).unwrap();
        let bounds = grid.bounds();
        let distance = |value: fn(&[f64], &Grid) -> Result<Rational, GridError>| {
            (value(&rows, &grid).unwrap() - value(&more, &grid).unwrap()).abs()
        };
        prop_assert!(&distance(grid_sum) <= sum(bounds, neighbours).sensitivity());
        prop_assert!(&distance(grid_mean) <= mean(bounds, neighbours).unwrap().sensitivity());
        prop_assert!(
            &distance(grid_variance) <= variance(bounds, neighbours).unwrap().sensitivity()
        );
    }

    #[test]
    fn covariance_never_exceeds_its_sensitivity(
        (x_grid, x, other_x) in neighbouring(2),
        (y_grid, y, other_y) in neighbouring(2),
    ) {
        let length = x.len().min(y.len());
        let (x, y) = (&x[..length], &y[..length]);
        let value = grid_covariance(x, &x_grid, y, &y_grid).unwrap();

        let (mut changed_x, mut changed_y) = (x.to_vec(), y.to_vec());
        (changed_x[0], changed_y[0]) = (other_x, other_y);
        let changed = grid_covariance(&changed_x, &x_grid, &changed_y, &y_grid).unwrap();
        let neighbours = Neighbours::change_one(length as u64).unwrap();
        let stated = covariance(x_grid.bounds(), y_grid.bounds(), neighbours).unwrap();
        prop_assert!(&(&value - &changed).abs() <= stated.sensitivity());
        prop_assert!(stated.range().contains(&value));

        let (mut more_x, mut more_y) = (x.to_vec(), y.to_vec());
        more_x.push(other_x);
        more_y.push(other_y);
        let more = grid_covariance(&more_x, &x_grid, &more_y, &y_grid).unwrap();
        let neighbours = Neighbours::add_remove_between(length as u64, None).unwrap();
        let stated = covariance(x_grid.bounds(), y_grid.bounds(), neighbours).unwrap();
        prop_assert!(&(&value - &more).abs() <= stated.sensitivity());
    }
}

/// Neighbours whose double sums differ by hundreds of times the ideal sensitivity.
///
/// All rows lie in [1, 1+3v]. Where the running sums enter a binade doubles become twice as coarse:
/// if the sums are one old step apart, a shared row a little above 1 sends the higher one up to the
/// next multiple and the lower one down, which doubles their distance. The greedy choice finds
/// these rows, and 1 everywhere else.
#[test]
fn a_double_sum_exceeds_the_ideal_sensitivity_and_a_grid_sum_does_not() {
    let v = (-50f64).exp2();
    let choices = [0.0, 1.0, 2.0, 3.0].map(|k| 1.0 + k * v);
    let (mut low, mut high) = (choices[0], choices[3]);
    let mut shared = Vec::new();
    for _ in 0..2048 {
        let row = choices
            .into_iter()
            .rev() // of equally good rows the smallest
            .max_by(|&one, &other| {
                let distance = |row: f64| (high + row) - (low + row);
                distance(one).total_cmp(&distance(other))
            })
            .unwrap();
        low += row;
        high += row;
        shared.push(row);
    }
    let with = |first: f64| -> Vec<f64> { [&[first], shared.as_slice()].concat() };
    let (one, other) = (with(choices[0]), with(choices[3]));

    let bounds = Bounds::from_f64(choices[0], choices[3]).unwrap();
    let neighbours = Neighbours::change_one(one.len() as u64).unwrap();
    let ideal = sum(&bounds, neighbours).sensitivity().clone();

    let naive = other.iter().sum::<f64>() - one.iter().sum::<f64>();
    let naive = Rational::try_from(naive).unwrap();
    assert!(
        naive > &ideal * &Rational::from(100u64),
        "the double sums differ by {naive}, ideal {ideal}"
    );

    // The bounds are multiples of v, so the grid leaves them and the rows as they are.
    let grid = Grid::new(&bounds, -50, NonFinite::Refuse).unwrap();
    assert_eq!(grid.bounds(), &bounds);
    let exact = grid_sum(&other, &grid).unwrap() - grid_sum(&one, &grid).unwrap();
    assert_eq!(exact, ideal);
}

#[test]
fn rounding_widens_the_bounds_and_so_the_sensitivity() {
    let bounds = Bounds::parse("0.1", "0.9").unwrap();
    let grid = Grid::new(&bounds, -1, NonFinite::Refuse).unwrap();
    assert_eq!(grid.bounds(), &Bounds::parse("0", "1").unwrap());
    // Rows within the bounds given reach a distance beyond 0.8: the widened bounds are needed.
    let distance = grid_sum(&[0.9], &grid).unwrap() - grid_sum(&[0.1], &grid).unwrap();
    let one_row = Neighbours::change_one(1).unwrap();
    assert_eq!(&distance, sum(grid.bounds(), one_row).sensitivity());
    assert!(&distance > sum(&bounds, one_row).sensitivity());
}

#[test]
fn many_rows_at_the_widest_bounds_do_not_overflow() {
    // 2^52 steps of width, several blocks and a part of one.
    let limit = (51f64).exp2();
    let grid = Grid::new(
        &Bounds::from_f64(-limit, limit).unwrap(),
        0,
        NonFinite::Refuse,
    )
    .unwrap();
    let n = 5000u64;
    let high = vec![limit; n as usize];
    let halves: Vec<f64> = (0..n)
        .map(|row| if row % 2 == 0 { -limit } else { limit })
        .collect();
    let top = Rational::try_from(limit).unwrap();
    assert_eq!(grid_sum(&high, &grid).unwrap(), &top * &Rational::from(n));
    assert_eq!(grid_mean(&high, &grid).unwrap(), top);
    assert_eq!(grid_sum(&halves, &grid).unwrap(), Rational::ZERO);
    // Half the rows at either end: the largest variance there is, on both sides of the width where
    // products change size.
    for (lower, upper) in [
        (-limit, limit),
        (0.0, (26f64).exp2() - 1.0),
        (0.0, (26f64).exp2()),
        (0.0, (27f64).exp2()),
        (0.0, (33f64).exp2()),
    ] {
        let bounds = Bounds::from_f64(lower, upper).unwrap();
        let grid = Grid::new(&bounds, 0, NonFinite::Refuse).unwrap();
        let largest = variance(&bounds, Neighbours::change_one(n).unwrap()).unwrap();
        assert_eq!(
            Some(&grid_variance(&halves, &grid).unwrap()),
            largest.range().upper()
        );
        let high = vec![upper; n as usize];
        assert_eq!(grid_variance(&high, &grid).unwrap(), Rational::ZERO);
        assert_eq!(
            grid_covariance(&high, &grid, &high, &grid).unwrap(),
            Rational::ZERO
        );
        let covariance = grid_covariance(&halves, &grid, &halves, &grid).unwrap();
        assert_eq!(Some(&covariance), largest.range().upper());
    }
}

#[test]
fn rows_that_are_not_finite_follow_the_policy() {
    let bounds = Bounds::parse("-1", "2").unwrap();
    let strict = Grid::new(&bounds, -4, NonFinite::Refuse).unwrap();
    let lenient = Grid::new(&bounds, -4, NonFinite::ReplaceNan(7.0)).unwrap();
    for bad in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut rows = vec![0.5; 3000];
        rows[2999] = bad;
        let refused = |result: Result<Rational, GridError>| {
            assert!(
                matches!(result, Err(GridError::NotFinite { row: 2999, .. })),
                "{result:?}"
            );
        };
        refused(grid_sum(&rows, &strict));
        refused(grid_mean(&rows, &strict));
        refused(grid_variance(&rows, &strict));
        refused(grid_covariance(&rows, &strict, &vec![0.0; 3000], &strict));
        refused(grid_covariance(&vec![0.0; 3000], &strict, &rows, &strict));
        assert!(strict.steps(bad).is_err());
        assert!(grid_sum(&rows, &lenient).is_ok());
    }
    assert_eq!(lenient.steps(f64::INFINITY), Ok(32));
    assert_eq!(lenient.steps(f64::NEG_INFINITY), Ok(-16));
    // The replacement is clamped like a row.
    assert_eq!(lenient.steps(f64::NAN), Ok(32));
    assert_eq!(
        strict.steps(f64::NAN).unwrap_err().to_string(),
        "row 0 is NaN; mend the row, or say what it counts as with NonFinite::ReplaceNan"
    );
}

#[test]
fn grids_that_cannot_be_are_refused_with_a_remedy() {
    let unit = Bounds::parse("0", "1").unwrap();
    let error = |exponent, policy| Grid::new(&unit, exponent, policy).unwrap_err().to_string();
    assert_eq!(
        error(-52, NonFinite::Refuse),
        "a grid step of 2^-52 is too fine for bounds [0, 1]: more than 2^51 steps from zero; the \
         finest step is 2^-51"
    );
    assert!(Grid::new(&unit, -51, NonFinite::Refuse).is_ok());
    assert_eq!(
        Grid::finest(&unit, NonFinite::Refuse)
            .unwrap()
            .exponent()
            .get(),
        -51
    );
    assert_eq!(
        error(1023, NonFinite::Refuse),
        "a grid step of 2^1023 is out of range; choose an exponent from -1022 to 1022"
    );
    assert_eq!(
        error(0, NonFinite::ReplaceNan(f64::NAN)),
        "NaN cannot be replaced by NaN; choose a finite number within the bounds"
    );
    let zero = Bounds::parse("0", "0").unwrap();
    assert_eq!(
        Grid::finest(&zero, NonFinite::Refuse)
            .unwrap()
            .exponent()
            .get(),
        -1022
    );
    let beyond_doubles = Bounds::parse("0", "1e325").unwrap();
    assert!(Grid::finest(&beyond_doubles, NonFinite::Refuse).is_err());
    assert!(Grid::new(&beyond_doubles, 0, NonFinite::Refuse).is_err());
}

#[test]
fn too_few_rows_and_unequal_columns_are_refused() {
    let grid = grid("0", "1", -3);
    assert_eq!(grid_sum::<f64>(&[], &grid), Ok(Rational::ZERO));
    assert!(matches!(
        grid_mean::<f64>(&[], &grid),
        Err(GridError::TooFewRows { needed: 1, .. })
    ));
    assert!(matches!(
        grid_variance(&[0.5], &grid),
        Err(GridError::TooFewRows { needed: 2, .. })
    ));
    assert!(grid_covariance(&[0.5], &grid, &[0.5], &grid).is_err());
    assert_eq!(
        grid_covariance(&[0.5; 3], &grid, &[0.5; 2], &grid)
            .unwrap_err()
            .to_string(),
        "a covariance needs as many x as y, got 3 and 2"
    );
}
