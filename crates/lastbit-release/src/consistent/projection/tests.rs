use lastbit_testing::Cases;

use super::*;

/// Three axes, and tables over subsets of them.
fn settings() -> Vec<(Vec<usize>, Vec<Vec<usize>>)> {
    vec![
        (vec![2, 3], vec![vec![0, 1], vec![0], vec![1], vec![]]),
        (vec![3, 2], vec![vec![1, 0], vec![]]),
        (vec![2, 3, 2], vec![vec![0, 1], vec![2, 1], vec![2]]),
        (vec![4], vec![vec![0], vec![0], vec![]]),
        (vec![2, 2, 3], vec![vec![2, 0, 1], vec![1, 2], vec![0]]),
    ]
}

fn random(cases: &mut Cases, count: usize) -> Vec<Rational> {
    let mut one = || Rational::new(cases.below(4001) as i64 - 2000, 16);
    (0..count).map(|_| one()).collect()
}

fn variances(cases: &mut Cases, count: usize) -> Vec<Rational> {
    (0..count)
        .map(|_| Rational::new(1 + cases.below(50) as i64, 7))
        .collect()
}

/// The margin of a table over some of its axes.
fn margin(sizes: &[usize], own: &[usize], axes: &[usize], values: &[Rational]) -> Vec<Rational> {
    let mut sums = vec![Rational::ZERO; cells(sizes, axes)];
    for (value, place) in values.iter().zip(places(sizes, own, axes)) {
        sums[place] = &sums[place] + value;
    }
    sums
}

/// Whether all tables have the same margins over their common axes.
fn add_up(sizes: &[usize], tables: &[Vec<usize>], values: &[Vec<Rational>]) -> bool {
    tables.iter().zip(values).all(|(own, a)| {
        tables.iter().zip(values).all(|(other, b)| {
            let common: Vec<usize> = own.iter().copied().filter(|x| other.contains(x)).collect();
            margin(sizes, own, &common, a) == margin(sizes, other, &common, b)
        })
    })
}

fn of_tables(cases: &mut Cases, sizes: &[usize], tables: &[Vec<usize>]) -> Vec<Vec<Rational>> {
    let each = tables.iter().map(|own| cells(sizes, own));
    each.map(|count| random(cases, count)).collect()
}

#[test]
fn what_is_made_adds_up_rounded_or_not() {
    let mut cases = Cases(1);
    for (sizes, tables) in settings() {
        for decimals in [0, 1, -1] {
            let noisy = of_tables(&mut cases, &sizes, &tables);
            let variances = variances(&mut cases, tables.len());
            let projection = Projection::new(&sizes, &tables, &variances, None);
            assert!(!add_up(&sizes, &tables, &noisy));
            let made = projection.apply(&noisy);
            assert!(add_up(&sizes, &tables, &made));
            let rounded = projection.rounded(&made, decimals);
            assert!(add_up(&sizes, &tables, &rounded));
            for (table, (made, rounded)) in made.iter().zip(&rounded).enumerate() {
                let most = &projection.rounding(table) * &power_of_ten(-decimals);
                for (a, b) in made.iter().zip(rounded) {
                    assert!((a - b).abs() <= most);
                    let steps = b * &power_of_ten(decimals);
                    assert_eq!(steps, Rational::from(steps.floor()));
                }
            }
        }
    }
}

#[test]
fn margins_of_one_table_stay_as_they_are() {
    let mut cases = Cases(2);
    for (sizes, tables) in settings() {
        let all: Vec<usize> = (0..sizes.len()).collect();
        let full = random(&mut cases, cells(&sizes, &all));
        let exact: Vec<Vec<Rational>> = tables
            .iter()
            .map(|own| margin(&sizes, &all, own, &full))
            .collect();
        let variances = variances(&mut cases, tables.len());
        let total = margin(&sizes, &all, &[], &full).pop();
        for total in [None, total] {
            let projection = Projection::new(&sizes, &tables, &variances, total);
            assert_eq!(projection.apply(&exact), exact);
        }
    }
}

/// The normal equations: the residual is orthogonal, in the metric of the inverse variances, to all
/// tables that add up.
#[test]
fn what_is_made_is_the_nearest() {
    let mut cases = Cases(3);
    for (sizes, tables) in settings() {
        let noisy = of_tables(&mut cases, &sizes, &tables);
        let variances = variances(&mut cases, tables.len());
        let projection = Projection::new(&sizes, &tables, &variances, None);
        let made = projection.apply(&noisy);
        let all: Vec<usize> = (0..sizes.len()).collect();
        for _ in 0..10 {
            let full = random(&mut cases, cells(&sizes, &all));
            let mut product = Rational::ZERO;
            let mut length = Rational::ZERO;
            for (table, own) in tables.iter().enumerate() {
                let direction = margin(&sizes, &all, own, &full);
                for ((a, b), d) in noisy[table].iter().zip(&made[table]).zip(&direction) {
                    product = &product + &(&((a - b) * d.clone()) / &variances[table]);
                    length = &length + &((a * d).abs() / variances[table].clone());
                }
            }
            // Weights are rounded to 2^-24.
            assert!(product.abs() <= length * Rational::ONE.times_power_of_two(-18));
        }
    }
}

/// Checks each coefficient by changing one number.
#[test]
fn coefficients_are_those_of_the_map() {
    let mut cases = Cases(4);
    for (sizes, tables) in settings() {
        for total in [None, Some(Rational::from(9i64))] {
            let variances = variances(&mut cases, tables.len());
            let projection = Projection::new(&sizes, &tables, &variances, total);
            let zero: Vec<Vec<Rational>> = tables
                .iter()
                .map(|own| vec![Rational::ZERO; cells(&sizes, own)])
                .collect();
            let start = projection.apply(&zero);
            for (table, own) in tables.iter().enumerate() {
                let coefficients = projection.coefficients(table);
                let cell = cases.below(cells(&sizes, own) as u64) as usize;
                for (other, of_other) in zero.iter().enumerate() {
                    let mut found: Vec<Rational> = (0..of_other.len())
                        .map(|changed| {
                            let mut one = zero.clone();
                            one[other][changed] = Rational::ONE;
                            &projection.apply(&one)[table][cell] - &start[table][cell]
                        })
                        .collect();
                    let each = coefficients[other].iter();
                    let mut stated: Vec<Rational> = each
                        .flat_map(|(value, count)| vec![value.clone(); *count as usize])
                        .collect();
                    found.sort();
                    stated.sort();
                    assert_eq!(found, stated);
                }
            }
        }
    }
}

#[test]
fn a_public_total_is_kept() {
    let mut cases = Cases(5);
    let (sizes, tables) = (vec![3, 2], vec![vec![0, 1], vec![1]]);
    let noisy = of_tables(&mut cases, &sizes, &tables);
    let total = Rational::from(1000i64);
    let variances = variances(&mut cases, 2);
    let projection = Projection::new(&sizes, &tables, &variances, Some(total.clone()));
    for table in projection.rounded(&projection.apply(&noisy), 0) {
        let sum = table.iter().fold(Rational::ZERO, |sum, cell| &sum + cell);
        assert_eq!(sum, total);
    }
}
